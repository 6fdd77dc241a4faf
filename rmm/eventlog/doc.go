// Package eventlog reads and writes allocation event logs in the form of RMM's
// logging adaptor, one row of CSV per call:
//
//	Thread,Time,Action,Pointer,Size,Stream
//	4711,14:24:54.628665,allocate,0x7f2a30000000,1024,0x1
//	4711,14:24:54.628702,allocate failure,(nil),1099511627776,0
//	4711,14:24:54.628950,free,0x7f2a30000000,1024,0x1
//
// A log is a sequence of events, read as it is used:
//
//	for event, err := range eventlog.File("run.csv.gz") {
//		if err != nil {
//			return err
//		}
//		fmt.Println(event.Action, event.Size)
//	}
//
// Columns are found by the names in the first line, which must be there; their
// order is free, and columns that this package does not know are ignored.
package eventlog
