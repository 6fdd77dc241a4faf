package eventlog

import (
	"strconv"
	"strings"
	"time"
)

func parseThread(e *Event, s string) bool {
	n, err := strconv.ParseUint(s, 10, 64)
	e.Thread = n
	return err == nil
}

// parseTime reads HH:MM:SS.ffffff; spdlog's older patterns wrote a colon before
// the microseconds.
func parseTime(e *Event, s string) bool {
	if len(s) != len("HH:MM:SS.ffffff") || s[2] != ':' || s[5] != ':' || (s[8] != '.' && s[8] != ':') {
		return false
	}
	hours, minutes, seconds, micros := digits(s[0:2]), digits(s[3:5]), digits(s[6:8]), digits(s[9:])
	if hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59 || micros < 0 {
		return false
	}
	e.Time = time.Duration((hours*60+minutes)*60+seconds)*time.Second + time.Duration(micros)*time.Microsecond
	return true
}

// digits reads a few decimal digits, -1 if s has anything else.
func digits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}

func parseAction(e *Event, s string) bool {
	for a := Allocate; a.valid(); a++ {
		if s == actionNames[a] {
			e.Action = a
			return true
		}
	}
	return false
}

func parsePointer(e *Event, s string) (ok bool) {
	if s == "(nil)" {
		e.Ptr = 0
		return true
	}
	e.Ptr, ok = hexadecimal(s)
	return ok
}

func parseSize(e *Event, s string) bool {
	n, err := strconv.ParseUint(s, 10, 63)
	e.Size = int(n)
	return err == nil
}

func parseStream(e *Event, s string) (ok bool) {
	if s == "0" {
		e.Stream = 0
		return true
	}
	e.Stream, ok = hexadecimal(s)
	return ok
}

// hexadecimal reads 0x and hexadecimal digits.
func hexadecimal(s string) (uint64, bool) {
	s, ok := strings.CutPrefix(s, "0x")
	n, err := strconv.ParseUint(s, 16, 64)
	return n, ok && err == nil
}
