package tools

import (
	"context"
	"errors"
	"slices"
	"strings"

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
	// FanOuts are its sums and averages over rows that a join repeats.
	FanOuts []FanOut `json:"fan_outs,omitempty"`
	// Texts are its stored text columns that are ordered by their letters, or cast.
	Texts []TextUse `json:"texts,omitempty"`
	// Odds are places where it holds and is hardly meant as it stands.
	Odds []Odd `json:"odds,omitempty"`
	// Exact are the texts to put in (Insert) where it divides in a way that rounds.
	Exact []Insertion `json:"-"`
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
	return s.ValidateOver(ctx, in, nil)
}

// ValidateOver is Validate where tables are known that the asker may see: the
// catalog is asked for others only.
func (s *Set) ValidateOver(ctx context.Context, in StatementArgs, known []catalog.Table) (Validation, error) {
	if in.SQL == "" || len(in.SQL) > maxSQL {
		return Validation{}, fault.Invalid("sql", "SQL_INVALID", "give one statement of at most %d bytes", maxSQL)
	}
	defaults, err := s.deps.Catalog.Defaults(ctx, in.Source)
	if err != nil {
		return Validation{}, err
	}
	stmt, unreadable := parser.Parse(in.SQL)
	index := catalog.NewIndex(&catalog.Snapshot{Tables: known}, defaults)
	if unreadable == nil {
		names := slices.DeleteFunc(TableNames(stmt), func(name string) bool {
			n, err := catalog.ParseName(name)
			if err != nil {
				return true
			}
			_, ok := index.Lookup(n)
			return ok
		})
		if len(names) > 0 {
			more, err := s.deps.Catalog.Tables(ctx, in.Source, names)
			if err != nil {
				return Validation{}, err
			}
			index = catalog.NewIndex(&catalog.Snapshot{Tables: append(slices.Clone(known), lacking(known, more)...)}, defaults)
		}
	}
	approved, err := s.deps.Guard.Approve(ctx, run.From(ctx).Principal, in.SQL, resolve.Scope{
		Catalog: index, DefaultRegion: defaults.Region, DefaultSchema: defaults.Schema,
	})
	if err != nil {
		problems := problemsOf(err)
		if problems == nil {
			return Validation{}, err
		}
		return Validation{Problems: problems}, nil
	}
	asked := approved.Asked()
	out := Validation{
		Valid: true, Statement: stmt, Constants: constants(asked), FanOuts: fanOuts(asked), Texts: textUses(asked), Exact: exactDivisions(asked), Odds: odds(asked),
	}
	for _, t := range approved.Tables() {
		out.Tables = append(out.Tables, t.String())
	}
	for _, c := range approved.Asked().Output() {
		out.Columns = append(out.Columns, c.Name)
	}
	return out, nil
}

// lacking are the tables of more that are not among those known.
func lacking(known, more []catalog.Table) []catalog.Table {
	return slices.DeleteFunc(more, func(t catalog.Table) bool {
		return slices.ContainsFunc(known, func(k catalog.Table) bool { return k.Name.Key() == t.Name.Key() })
	})
}

// TableNames are the names of stored tables in a statement, each once; those of
// WITH queries are left out.
func TableNames(stmt *tree.Statement) []string {
	var out, own []string
	tree.Walk(stmt, func(n tree.Node) bool {
		if w, ok := n.(*tree.CommonTable); ok {
			own = append(own, strings.ToLower(w.Name.Name))
		}
		return true
	})
	tree.Walk(stmt, func(n tree.Node) bool {
		t, ok := n.(*tree.Table)
		if !ok || len(out) == maxTables {
			return true
		}
		if name := t.Name.String(); !slices.Contains(out, name) && !slices.Contains(own, strings.ToLower(name)) {
			out = append(out, name)
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
