// Package ddl reads what SQL scripts and dumps declare: tables, columns, keys,
// comments, and the rows of INSERT and COPY. It understands the dialects of
// PostgreSQL, MySQL and SQLite well enough to find its way, passes over what it
// does not need, and executes nothing. A faulty statement becomes a problem with
// its line and column, and reading goes on after its semicolon.
package ddl

import (
	"bytes"
	"fmt"
	"strings"
)

// Dialect decides how strings are escaped.
type Dialect int

// Dialects.
const (
	Standard Dialect = iota // PostgreSQL: '' is a quote, a backslash is itself
	MySQL                   // a backslash escapes in strings, # begins a comment, /*! does not
	SQLite                  // read as the standard is
)

// Detect guesses the dialect from the beginning of a script.
func Detect(head []byte) Dialect {
	lower := bytes.ToLower(head)
	for _, is := range []struct {
		dialect Dialect
		signs   []string
	}{
		{Standard, []string{"postgresql", "pg_catalog"}},
		{SQLite, []string{"sqlite", "pragma "}},
		{MySQL, []string{"mysql", "mariadb", "engine=", "`"}},
	} {
		for _, sign := range is.signs {
			if bytes.Contains(lower, []byte(sign)) {
				return is.dialect
			}
		}
	}
	return Standard
}

// Name of a table as it was written; Schema is empty where it was not.
type Name struct {
	Schema, Table string
}

// Key is the form in which names are compared.
func (n Name) Key() string { return strings.ToLower(n.Schema) + "\x00" + strings.ToLower(n.Table) }

// Column as it was declared.
type Column struct {
	Name    string
	Type    string // lower-case words, "double precision"; empty where none was given
	Args    []int  // (10,2) of decimal(10,2)
	NotNull bool
	Comment string

	endLine int
}

// ForeignKey as it was declared. RefColumns is empty where it was left out.
type ForeignKey struct {
	Columns    []string
	Ref        Name
	RefColumns []string
}

// Table as it was declared.
type Table struct {
	Name        Name
	Columns     []Column
	PrimaryKey  []string
	ForeignKeys []ForeignKey
	Comment     string
	Line        int

	// Parents are the tables that this one's rows belong to as well: those of which
	// it is a partition, or from which it inherits (PostgreSQL).
	Parents []Name
}

// Column returns the position of a column, compared without case, or -1.
func (t *Table) Column(name string) int {
	for i := range t.Columns {
		if strings.EqualFold(t.Columns[i].Name, name) {
			return i
		}
	}
	return -1
}

// View as it was declared.
type View struct {
	Name    Name
	Columns []string // their names, where the declaration gives them
	// Query is its text in the script's dialect, without comments. It is empty where
	// the query is longer than Config.MaxViewBytes.
	Query string
	Line  int
}

// Schema is what a script declares.
type Schema struct {
	Tables []*Table
	// Views are in the order of the script. Of several declarations of one the last
	// counts: mysqldump writes one that stands in for it first.
	Views    []*View
	Problems []Problem
	// Dropped counts problems beyond Config.MaxProblems.
	Dropped int

	byKey  map[string]*Table // by their whole names
	byName map[string]*Table // by the name without the schema: the first one
}

// Table finds a table, compared without case. Without a schema in name, or with
// one that nothing was declared under, the first table of that name counts.
func (s *Schema) Table(name Name) (*Table, bool) {
	if t, ok := s.byKey[name.Key()]; ok {
		return t, true
	}
	t, ok := s.byName[strings.ToLower(name.Table)]
	return t, ok
}

func (s *Schema) add(t *Table) {
	if s.byKey == nil {
		s.byKey, s.byName = make(map[string]*Table), make(map[string]*Table)
	}
	if _, again := s.byKey[t.Name.Key()]; again {
		return // a second CREATE TABLE IF NOT EXISTS
	}
	s.Tables = append(s.Tables, t)
	s.byKey[t.Name.Key()] = t
	if bare := strings.ToLower(t.Name.Table); s.byName[bare] == nil {
		s.byName[bare] = t
	}
}

// Problem is a statement, or a part of one, that was passed over.
type Problem struct {
	Line, Column int
	Message      string
}

// Error implements error.
func (p *Problem) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", p.Line, p.Column, p.Message)
}

// ValueKind says how a value of a row was written.
type ValueKind int

// Kinds of values.
const (
	Null ValueKind = iota
	Text
	Number
	Bool       // Text is "true" or "false"
	Blob       // Text is hexadecimal
	Expression // Tokens hold it, for a caller that can work it out
)

// Value of a row.
type Value struct {
	Kind   ValueKind
	Text   string
	Tokens []Token
}

// Row of INSERT or COPY. Columns is nil where neither the statement nor a
// declared table names them. Values is only good until the callback returns.
type Row struct {
	Table        Name
	Columns      []string
	Values       []Value
	Line, Column int
}

// Config of Read. Zero values mean the defaults in the comments.
type Config struct {
	Dialect       Dialect
	MaxTokenBytes int // of one string or name; 16 MiB
	MaxTables     int // 10,000
	MaxColumns    int // of one table or row; 4,000
	MaxProblems   int // 1,000
	MaxViewBytes  int // of the query of a view; 1 MiB
	// Rows gets the rows; nil: they are passed over. Its error ends the reading.
	Rows func(Row) error
}

func (c Config) complete() Config {
	for _, limit := range []struct {
		v   *int
		def int
	}{{&c.MaxTokenBytes, 16 << 20}, {&c.MaxTables, 10_000}, {&c.MaxColumns, 4_000}, {&c.MaxProblems, 1_000}, {&c.MaxViewBytes, 1 << 20}} {
		if *limit.v <= 0 {
			*limit.v = limit.def
		}
	}
	return c
}
