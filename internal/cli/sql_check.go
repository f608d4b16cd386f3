package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/sql/lint"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

type sqlCheckOptions struct {
	catalogFlags
	format  string
	json    bool
	enable  []string
	disable []string
	failOn  string
	rules   bool
}

func newSQLCheckCommand(f *Factory) *cobra.Command {
	o := &sqlCheckOptions{}
	cmd := &cobra.Command{
		Use:   "check [FILE|FOLDER|-]...",
		Short: "Report errors with line and column, and what is likely a mistake",
		Long: `Report every error of the statements by Trino's name, and what the rules of the
linter find. With --catalog or --source tables, columns and types are checked too.`,
		RunE: func(_ *cobra.Command, args []string) error { return runSQLCheck(f, o, args) },
	}
	flags := cmd.Flags()
	o.add(flags)
	flags.StringVar(&o.format, "format", "text", "format of the report: "+formatNames())
	flags.BoolVar(&o.json, "json", false, "the same as --format json")
	flags.StringSliceVar(&o.enable, "enable", nil, "rules to switch on; all: every rule")
	flags.StringSliceVar(&o.disable, "disable", nil, "rules to switch off; all: every rule, so that only errors are reported")
	flags.StringVar(&o.failOn, "fail-on", severityWarning, "least that makes the exit code 1: warning, error or never")
	flags.BoolVar(&o.rules, "rules", false, "list the rules and do nothing else")
	return cmd
}

// newSQLLintCommand is check under the name that editors and review tools look for.
func newSQLLintCommand(f *Factory) *cobra.Command {
	cmd := newSQLCheckCommand(f)
	cmd.Use = "lint [FILE|FOLDER|-]..."
	cmd.Short = "The same as check"
	return cmd
}

func runSQLCheck(f *Factory, o *sqlCheckOptions, args []string) error {
	if o.json {
		o.format = "json"
	}
	if reporters[o.format] == nil {
		return badUsage("--format %s is not known: use one of %s", o.format, formatNames())
	}
	if !slices.Contains([]string{severityWarning, severityError, "never"}, o.failOn) {
		return badUsage("--fail-on %s is not known: use warning, error or never", o.failOn)
	}
	if o.rules {
		return listRules(f, o.format == "json")
	}
	scripts, err := readScripts(f.IO.In, args)
	if err != nil {
		return err
	}
	scope, err := o.scope(f)
	if err != nil {
		return err
	}
	var problems []problem
	for _, s := range scripts {
		for _, p := range s.parts() {
			found, err := o.check(f, p, scope)
			if err != nil {
				return err
			}
			problems = append(problems, found...)
		}
	}
	err = report(f, o.format, problems)
	if o.failOn == "never" || o.failOn == severityError && !slices.ContainsFunc(problems, func(p problem) bool { return p.Severity == severityError }) {
		return nil
	}
	return err
}

// check returns the problems of one statement, in order of the text.
func (o *sqlCheckOptions) check(f *Factory, p part, scope resolve.Scope) ([]problem, error) {
	statement, err := parser.Parse(p.text)
	if err != nil {
		if found, ok := problemOf(p, err); ok {
			return []problem{found}, nil
		}
		return nil, err
	}
	if statement.Query == nil {
		return nil, nil // known by its kind only, and it reads
	}
	resolution, diagnostics := resolve.Resolve(statement, scope)
	var problems []problem
	for _, d := range diagnostics {
		if o.given() || certainWithoutCatalog(d) {
			problems = append(problems, problemOfDiagnostic(p, d))
		}
	}
	findings, err := lint.Check(resolution, lint.Options{
		Enable: o.enable, Disable: o.disable, Catalog: o.given() && len(diagnostics) == 0, Now: f.Clock(),
	})
	if err != nil {
		return nil, badUsage("%v: \"dibrain sql check --rules\" lists them", err)
	}
	for _, finding := range findings {
		problems = append(problems, problemOfFinding(p, finding))
	}
	slices.SortStableFunc(problems, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return problems, nil
}

// certainWithoutCatalog reports whether a mistake is one whatever the tables are.
// A function with a dotted name may be one of the warehouse's own.
func certainWithoutCatalog(d resolve.Diagnostic) bool {
	return d.Code == resolve.FunctionNotFound && d.Node != nil && !strings.Contains(firstWord(d.Node.Span().Text()), ".")
}

// firstWord returns what stands before the first parenthesis.
func firstWord(s string) string {
	word, _, _ := strings.Cut(s, "(")
	return word
}

func listRules(f *Factory, asJSON bool) error {
	type rule struct {
		ID      string `json:"id"`
		Default bool   `json:"default"`
		Catalog bool   `json:"needs_catalog"`
		Finds   string `json:"finds"`
		Instead string `json:"instead"`
		Example string `json:"example"`
	}
	if asJSON {
		all := []rule{}
		for _, r := range lint.Rules() {
			all = append(all, rule(r))
		}
		return writeOwnJSON(f.IO.Out, map[string]any{"rules": all})
	}
	for _, r := range lint.Rules() {
		note := ""
		switch {
		case !r.Default:
			note = " (off unless enabled)"
		case r.Catalog:
			note = " (needs --catalog or --source)"
		}
		if _, err := fmt.Fprintf(f.IO.Out, "%-20s %s%s\n%-20s %s\n", r.ID, r.Finds, note, "", r.Instead); err != nil {
			return err
		}
	}
	return nil
}
