// Package parser reads one Presto SQL statement into a tree. The grammar is
// Trino's, from bytebase/parser; its tree is turned into ours at once and goes no
// further. A query is read whole or refused: what our tree does not hold yet is
// an Error with CodeNotSupported, never dropped. Statements that are no queries
// are recognised by name, so that a guard can refuse them by name.
package parser

import (
	"strconv"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Bounds of a statement. They keep the work for hostile text small.
const (
	MaxBytes   = 1 << 20
	MaxNesting = 500
)

// Parse reads one statement, with or without a semicolon at its end. The error
// is an *Error.
func Parse(text string) (*tree.Statement, error) {
	return nil, &Error{Code: CodeNotSupported, Message: "the parser is being written"}
}

func position(line, column int) string { return strconv.Itoa(line) + ":" + strconv.Itoa(column) }

func positionMeta(line, column int) []string {
	if line == 0 {
		return nil
	}
	return []string{"line", strconv.Itoa(line), "column", strconv.Itoa(column)}
}
