// Package checker finds accesses to memory that nothing orders. It watches a
// program by its calls: what is enqueued on which stream, what waits for what,
// which range each operation reads or writes, and who owns which range.
//
// # Order
//
// Streams and the host are threads. A thread counts its acts; one act is before
// another if a chain of stream order, events and synchronisation leads from it
// to the other. What an act knows is kept as sparse vector clocks in two parts,
// which are never changed in place and so are shared: what the host knew when it
// enqueued the act (everything that it has synchronised with), and what the
// stream has learned beyond that, from events and from the legacy default
// stream. All goroutines count as one host; Go's race detector is there for what
// they do to each other.
//
// An act that merely happened to be complete is not before anything: the reports
// follow from the program, not from how fast its work ran.
//
// # Memory
//
// Memory is a sequence of segments. Each has an owner (the innermost allocation
// that contains it), the last write, and the reads since then. Accesses split
// segments where they begin and end; a write makes one segment of all it covers.
// Freed memory stays known until it is allocated again.
package checker
