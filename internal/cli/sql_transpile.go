package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/sql/transpile/trino"
)

type sqlTranspileOptions struct {
	catalogFlags
	from string
	to   string
	json bool
}

func newSQLTranspileCommand(f *Factory) *cobra.Command {
	o := &sqlTranspileOptions{}
	cmd := &cobra.Command{
		Use:   "transpile [FILE|-]",
		Short: "Translate a statement to Trino from other dialects, or from Trino to DuckDB",
		Long: `Translate one statement. --from names the dialect it is written in: trino, mysql,
hive, spark, postgresql, bigquery, sqlite, duckdb, or any, for Presto with habits of
others. --to is duckdb, the embedded engine, or trino. With --catalog or --source
what depends on the types of columns is translated too. What changed in meaning is
said on standard error.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runSQLTranspile(f, o, args) },
	}
	o.add(cmd.Flags())
	cmd.Flags().StringVar(&o.from, "from", "trino", "dialect of the statement")
	cmd.Flags().StringVar(&o.to, "to", "", "dialect to translate to: trino or duckdb (default: duckdb from trino, trino from others)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// transpiled is what the command prints as JSON.
type transpiled struct {
	SQL      string       `json:"sql"`
	Changes  []transition `json:"changes"`
	Warnings []transition `json:"warnings"`
}

// transition is a change, or a warning, with its place in the original.
type transition struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

func runSQLTranspile(f *Factory, o *sqlTranspileOptions, args []string) error {
	foreign := o.from != "trino" && o.from != "presto"
	if o.to == "" {
		o.to = "duckdb"
		if foreign {
			o.to = "trino"
		}
	}
	if o.to != "trino" && o.to != "duckdb" {
		return badUsage("--to %s is not known: use trino or duckdb", o.to)
	}
	dialect := trino.DialectUnknown
	if foreign && o.from != "any" {
		var err error
		if dialect, err = trino.ParseDialect(o.from); err != nil {
			return badUsage("--from: %v", err)
		}
	}
	p, err := oneStatement(f.IO.In, args)
	if err != nil {
		return err
	}
	scope, err := o.scope(f)
	if err != nil {
		return err
	}
	out := transpiled{SQL: p.text, Changes: []transition{}, Warnings: []transition{}}
	if foreign {
		if err := fromDialect(dialect, p.text, scope, &out); err != nil {
			return reportErr(f, o.json, p, err)
		}
	}
	if o.to == "duckdb" {
		if out.SQL, err = o.toDuckDB(out.SQL, scope); err != nil {
			return reportErr(f, o.json, p, err)
		}
	}
	return printTranspiled(f, o.json, out)
}

func fromDialect(dialect trino.Dialect, text string, scope resolve.Scope, out *transpiled) error {
	result, err := trino.From(dialect, text, trino.Options{Scope: scope})
	if err != nil {
		return err
	}
	if result.Unread != nil {
		return result.Unread
	}
	out.SQL = result.Text
	for _, c := range result.Changes {
		out.Changes = append(out.Changes, transition{Rule: c.Rule, Message: c.Message, Line: c.Line, Column: c.Column})
	}
	for _, w := range result.Warnings {
		out.Warnings = append(out.Warnings, transition(w))
	}
	return nil
}

// toDuckDB reads Trino's SQL and writes DuckDB's.
func (o *sqlTranspileOptions) toDuckDB(text string, scope resolve.Scope) (string, error) {
	statement, err := parser.Parse(text)
	if err != nil {
		return "", err
	}
	if !o.given() {
		return duckdb.Transpile(statement)
	}
	resolution, diagnostics := resolve.Resolve(statement, scope)
	if len(diagnostics) > 0 {
		d := diagnostics[0]
		return "", &parser.Error{Code: parser.Code(d.Code), Message: d.Message, Line: d.Line, Column: d.Column}
	}
	return duckdb.TranspileResolved(resolution)
}

func printTranspiled(f *Factory, asJSON bool, out transpiled) error {
	if asJSON {
		return writeOwnJSON(f.IO.Out, out)
	}
	for _, w := range out.Warnings {
		fmt.Fprintf(f.IO.Err, "%d:%d: warning: %s\n", w.Line, w.Column, w.Message)
	}
	_, err := fmt.Fprintln(f.IO.Out, strings.TrimRight(out.SQL, "\n"))
	return err
}
