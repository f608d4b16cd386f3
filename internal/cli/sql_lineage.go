package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/lineage"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

type sqlLineageOptions struct {
	catalogFlags
	json bool
}

func newSQLLineageCommand(f *Factory) *cobra.Command {
	o := &sqlLineageOptions{}
	cmd := &cobra.Command{
		Use:   "lineage [FILE|-]",
		Short: "Print tables, columns of the result, filters and joins (needs --catalog or --source)",
		Args:  cobra.MaximumNArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return runSQLLineage(f, o, args) },
	}
	o.add(cmd.Flags())
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func runSQLLineage(f *Factory, o *sqlLineageOptions, args []string) error {
	if !o.given() {
		return fault.Invalid("source", "SOURCE_MISSING", "lineage needs a catalog: give --catalog, or --source as \"dibrain sources list\" names it")
	}
	p, err := oneStatement(f.IO.In, args)
	if err != nil {
		return err
	}
	scope, err := o.scope(f)
	if err != nil {
		return err
	}
	statement, err := parser.Parse(p.text)
	if err != nil {
		return reportErr(f, o.json, p, err)
	}
	if statement.Query == nil {
		return fault.Invalid("sql", "NOT_A_QUERY", "only queries have lineage; this is %s", statement.Kind)
	}
	resolution, diagnostics := resolve.Resolve(statement, scope)
	if len(diagnostics) > 0 {
		problems := make([]problem, 0, len(diagnostics))
		for _, d := range diagnostics {
			problems = append(problems, problemOfDiagnostic(p, d))
		}
		format := "text"
		if o.json {
			format = "json"
		}
		return report(f, format, problems)
	}
	found := lineage.Of(resolution)
	if o.json {
		return writeOwnJSON(f.IO.Out, found)
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
