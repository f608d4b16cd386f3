package tools

import (
	"context"
	"errors"
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// StatementArgs are the arguments of validate_sql.
type StatementArgs struct {
	Source string `json:"source" doc:"the warehouse; empty: the default one" max:"64" optional:"true"`
	SQL    string `json:"sql" doc:"one Presto SQL query" max:"65536"`
}

// Validation is what validate_sql answers.
type Validation struct {
	Valid bool `json:"valid"`
	// Problems are all mistakes that were found, in the order of the text.
	Problems []Problem `json:"problems,omitempty"`
	// Tables are read by a valid statement.
	Tables []string `json:"tables,omitempty"`
	// Columns are those of a valid statement's result.
	Columns []string `json:"columns,omitempty"`
	// Constants are the texts that a valid statement compares with stored columns.
	Constants []Constant `json:"constants,omitempty"`
	// Statement is a valid statement as it was written, before the guard bounds it.
	Statement *tree.Statement `json:"-"`
}

// Problem is a mistake of a statement, with Trino's name of its class.
type Problem struct {
	Class       string   `json:"class"`
	Message     string   `json:"message"`
	Line        int      `json:"line,omitempty"` // from 1; 0 where there is no position
	Column      int      `json:"column,omitempty"`
	Suggestions []string `json:"suggestions,omitempty"`
}

// Validate is validate_sql. A statement that is at fault is an answer, no error.
func (s *Set) Validate(ctx context.Context, in StatementArgs) (Validation, error) {
	if in.SQL == "" || len(in.SQL) > maxSQL {
		return Validation{}, fault.Invalid("sql", "SQL_INVALID", "give one statement of at most %d bytes", maxSQL)
	}
	stmt, err := parser.Parse(in.SQL)
	var names []string
	if err == nil {
		names = TableNames(stmt)
	}
	var tables []catalog.Table
	if len(names) > 0 {
		if tables, err = s.deps.Catalog.Tables(ctx, in.Source, names); err != nil {
			return Validation{}, err
		}
	}
	index := catalog.NewIndex(&catalog.Snapshot{Tables: tables}, s.deps.Defaults)
	approved, err := s.deps.Guard.Approve(ctx, run.From(ctx).Principal, in.SQL, resolve.Scope{
		Catalog: index, DefaultRegion: s.deps.Defaults.Region, DefaultSchema: s.deps.Defaults.Schema,
	})
	if err != nil {
		problems := problemsOf(err)
		if problems == nil {
			return Validation{}, err
		}
		return Validation{Problems: problems}, nil
	}
	out := Validation{Valid: true, Statement: stmt, Constants: constants(approved.Asked())}
	for _, t := range approved.Tables() {
		out.Tables = append(out.Tables, t.String())
	}
	for _, c := range approved.Asked().Output() {
		out.Columns = append(out.Columns, c.Name)
	}
	return out, nil
}

// TableNames are the names of tables in a statement, each once. Names of WITH
// queries are among them; no catalog knows those.
func TableNames(stmt *tree.Statement) []string {
	var out []string
	tree.Walk(stmt, func(n tree.Node) bool {
		if t, ok := n.(*tree.Table); ok && !slices.Contains(out, t.Name.String()) && len(out) < maxTables {
			out = append(out, t.Name.String())
		}
		return true
	})
	return out
}

// problemsOf are the mistakes that a refusal tells of; nil for other errors.
func problemsOf(err error) []Problem {
	var refusal *guard.Refusal
	if !errors.As(err, &refusal) {
		return nil
	}
	if len(refusal.Diagnostics) == 0 {
		return []Problem{{Class: refusal.Code, Message: refusal.Message, Line: refusal.Line, Column: refusal.Column, Suggestions: refusal.Suggestions}}
	}
	var out []Problem
	for _, d := range refusal.Diagnostics {
		out = append(out, Problem{Class: string(d.Code), Message: d.Message, Line: d.Line, Column: d.Column, Suggestions: d.Suggestions})
	}
	return out
}
