package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/lineage"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/sql/tree"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
)

// sqlOptions are what the sql commands share.
type sqlOptions struct {
	source string
	json   bool
}

func newSQLCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sql",
		Short: "Check, format, transpile and explain Presto SQL",
		Long: `Work on a Presto SQL statement from a file, or from standard input with "-".
Exit codes, for scripts and commit hooks: 0 nothing to say, 1 problems found, 2
bad input.`,
	}
	cmd.AddCommand(
		newSQLVerb(f, "check", "Report every error with line and column; with --source also tables, columns and types", checkSQL),
		newSQLVerb(f, "format", "Print the statement in the product's layout", formatSQL),
		newSQLVerb(f, "transpile", "Print the statement for DuckDB, the embedded engine", transpileSQL),
		newSQLVerb(f, "lineage", "Print tables, columns of the result, filters and joins (needs --source)", lineageSQL),
		newSQLVerb(f, "explain", "Say in words what the statement reads and returns, and its dangers", explainSQL),
	)
	return cmd
}

// sqlVerb does one thing with a statement.
type sqlVerb func(cmd *cobra.Command, f *Factory, o *sqlOptions, text string) error

func newSQLVerb(f *Factory, name, short string, do sqlVerb) *cobra.Command {
	o := &sqlOptions{}
	cmd := &cobra.Command{
		Use:   name + " [FILE|-]",
		Short: short,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readStatement(f.IO.In, args)
			if err != nil {
				return err
			}
			return do(cmd, f, o, text)
		},
	}
	cmd.Flags().StringVar(&o.source, "source", "", "source whose tables the statement reads")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// readStatement reads the file, or standard input; one byte more than the
// parser's bound is enough for it to refuse the rest.
func readStatement(in io.Reader, args []string) (string, error) {
	if len(args) == 1 && args[0] != "-" {
		file, err := os.Open(args[0])
		if err != nil {
			return "", fault.Invalid("file", "FILE_UNREADABLE", "the statement cannot be read: %v", err)
		}
		defer file.Close() //nolint:errcheck // opened for reading
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, parser.MaxBytes+1))
	if err != nil {
		return "", fault.Invalid("file", "FILE_UNREADABLE", "the statement cannot be read: %v", err)
	}
	if len(text) == 0 {
		return "", fault.Invalid("file", "SQL_EMPTY", "there is no statement: name a file, or write one to standard input")
	}
	return string(text), nil
}

// problem is a diagnostic as the sql commands print it.
type problem struct {
	Code        string   `json:"code"`
	Message     string   `json:"message"`
	Line        int      `json:"line"`
	Column      int      `json:"column"`
	Suggestions []string `json:"suggestions,omitempty"`
}

// printProblems prints the problems and tells whether there were any.
func printProblems(f *Factory, o *sqlOptions, problems []problem) error {
	if o.json {
		if problems == nil {
			problems = []problem{}
		}
		if err := writeIndented(f.IO.Out, map[string]any{"problems": problems}); err != nil {
			return err
		}
	} else {
		for _, p := range problems {
			fmt.Fprintf(f.IO.Out, "%d:%d: %s: %s\n", p.Line, p.Column, p.Code, p.Message)
			for _, s := range p.Suggestions {
				fmt.Fprintf(f.IO.Out, "      did you mean %s?\n", s)
			}
		}
	}
	if len(problems) > 0 {
		return exitWith(exitFailure)
	}
	return nil
}

func writeIndented(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// problemOf turns an error of the parser or the transpiler into a problem.
func problemOf(err error) (problem, bool) {
	var syntax *parser.Error
	if errors.As(err, &syntax) {
		return problem{Code: string(syntax.Code), Message: syntax.Message, Line: syntax.Line, Column: syntax.Column}, true
	}
	var unsupported *duckdb.NotSupported
	if errors.As(err, &unsupported) {
		return problem{Code: "NOT_SUPPORTED", Message: unsupported.Error(), Line: unsupported.Line, Column: unsupported.Column}, true
	}
	return problem{}, false
}

func parseOrReport(f *Factory, o *sqlOptions, text string) (*tree.Statement, error) {
	statement, err := parser.Parse(text)
	if err == nil {
		return statement, nil
	}
	if p, ok := problemOf(err); ok {
		return nil, printProblems(f, o, []problem{p})
	}
	return nil, err
}

// scopeOf reads the catalog of a source.
func scopeOf(f *Factory, name string) (resolve.Scope, error) {
	store, err := openStore(f)
	if err != nil {
		return resolve.Scope{}, err
	}
	generation, err := store.Current(name)
	if err != nil {
		return resolve.Scope{}, err
	}
	snapshot, err := generation.Snapshot()
	if err != nil {
		return resolve.Scope{}, err
	}
	defaults := catalog.Defaults{Region: generation.Manifest.DefaultRegion, Schema: generation.Manifest.DefaultSchema}
	return resolve.Scope{
		Catalog:       catalog.NewIndex(snapshot, defaults),
		DefaultRegion: defaults.Region, DefaultSchema: defaults.Schema,
	}, nil
}

// resolved parses a statement and resolves it against o.source; problems are
// printed and come back as the exit code.
func resolved(f *Factory, o *sqlOptions, text string) (*resolve.Resolution, error) {
	statement, err := parseOrReport(f, o, text)
	if err != nil {
		return nil, err
	}
	scope, err := scopeOf(f, o.source)
	if err != nil {
		return nil, err
	}
	resolution, diagnostics := resolve.Resolve(statement, scope)
	problems := make([]problem, 0, len(diagnostics))
	for _, d := range diagnostics {
		problems = append(problems, problem{Code: string(d.Code), Message: d.Message, Line: d.Line, Column: d.Column, Suggestions: d.Suggestions})
	}
	if len(problems) > 0 {
		return nil, printProblems(f, o, problems)
	}
	return resolution, nil
}

func checkSQL(_ *cobra.Command, f *Factory, o *sqlOptions, text string) error {
	var err error
	if o.source == "" {
		_, err = parseOrReport(f, o, text)
	} else {
		_, err = resolved(f, o, text)
	}
	if err != nil {
		return err
	}
	return printProblems(f, o, nil)
}

func formatSQL(_ *cobra.Command, f *Factory, o *sqlOptions, text string) error {
	statement, err := parseOrReport(f, o, text)
	if err != nil {
		return err
	}
	if statement.Query == nil {
		return fault.Invalid("sql", "NOT_A_QUERY", "only queries are formatted; this is %s", statement.Kind)
	}
	_, err = fmt.Fprintln(f.IO.Out, printer.Format(statement))
	return err
}

func transpileSQL(_ *cobra.Command, f *Factory, o *sqlOptions, text string) error {
	var out string
	var err error
	if o.source == "" {
		var statement *tree.Statement
		if statement, err = parseOrReport(f, o, text); err != nil {
			return err
		}
		out, err = duckdb.Transpile(statement)
	} else {
		var resolution *resolve.Resolution
		if resolution, err = resolved(f, o, text); err != nil {
			return err
		}
		out, err = duckdb.TranspileResolved(resolution)
	}
	if err != nil {
		if p, ok := problemOf(err); ok {
			return printProblems(f, o, []problem{p})
		}
		return err
	}
	_, err = fmt.Fprintln(f.IO.Out, out)
	return err
}

func lineageSQL(_ *cobra.Command, f *Factory, o *sqlOptions, text string) error {
	if o.source == "" {
		return fault.Invalid("source", "SOURCE_MISSING", "lineage needs a catalog: give --source, as \"dibrain sources list\" names it")
	}
	resolution, err := resolved(f, o, text)
	if err != nil {
		return err
	}
	found := lineage.Of(resolution)
	if o.json {
		return writeIndented(f.IO.Out, found)
	}
	for _, t := range found.Tables {
		fmt.Fprintln(f.IO.Out, "reads   ", t)
	}
	for _, c := range found.Columns {
		fmt.Fprintf(f.IO.Out, "returns  %s %s ← %v\n", c.Name, c.Type, c.Sources)
	}
	for _, filter := range found.Filters {
		fmt.Fprintln(f.IO.Out, "filters ", filter.Text)
	}
	for _, join := range found.Joins {
		fmt.Fprintln(f.IO.Out, "joins   ", join.Text)
	}
	_, err = fmt.Fprintln(f.IO.Out, "grain   ", found.Grain)
	return err
}

func explainSQL(cmd *cobra.Command, f *Factory, o *sqlOptions, text string) error {
	services, err := openServices(cmd.Context(), f, remoteFlags{}, o.source)
	if err != nil {
		return err
	}
	defer services.Close()
	response, err := services.FixSQL.ExplainSQL(cmd.Context(), &fixsqlv1.ExplainSQLRequest{
		Source: o.source, Sql: text, UserContext: &commonv1.UserContext{Language: commonv1.Language_LANGUAGE_EN},
	})
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(f.IO.Out, response)
	}
	_, err = fmt.Fprintln(f.IO.Out, response.GetExplanation())
	return err
}
