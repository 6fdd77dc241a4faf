package eventlog

import (
	"encoding/csv"
	"errors"
	"fmt"
)

// SyntaxError says what in a log cannot be read, and where.
type SyntaxError struct {
	File   string // as named by the caller; empty if it was not
	Line   int    // from 1
	Column int    // in bytes, from 1
	Field  string // name of the column; empty if the row as a whole is wrong
	Reason string // what is wrong and what is wanted
}

// Error is "file:line:column: field: reason".
func (e *SyntaxError) Error() string {
	file, field := e.File, e.Field
	if file == "" {
		file = "log"
	}
	if field != "" {
		field += " "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", file, e.Line, e.Column, field, e.Reason)
}

// csvError turns what encoding/csv found into a SyntaxError. Anything else is a
// failure of the file under it.
func csvError(file string, line int, err error, fields, want int) error {
	var parse *csv.ParseError
	switch {
	case errors.Is(err, errLongRecord):
		return &SyntaxError{File: file, Line: line, Column: 1, Reason: errLongRecord.Error()}
	case !errors.As(err, &parse):
		return fmt.Errorf("read %s after line %d: %w", orLog(file), line-1, err)
	case errors.Is(err, csv.ErrFieldCount):
		return &SyntaxError{File: file, Line: parse.Line, Column: 1, Reason: fmt.Sprintf("the row has %d fields, the header has %d", fields, want)}
	}
	return &SyntaxError{File: file, Line: parse.Line, Column: parse.Column, Reason: parse.Err.Error()}
}

func orLog(file string) string {
	if file == "" {
		return "log"
	}
	return file
}
