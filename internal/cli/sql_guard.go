package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

type sqlGuardOptions struct {
	catalogFlags
	policy string
	as     string
	groups []string
	json   bool
}

func newSQLGuardCommand(f *Factory) *cobra.Command {
	o := &sqlGuardOptions{}
	cmd := &cobra.Command{
		Use:   "guard [FILE|-]",
		Short: "Show whether a statement may run, and what the guard and the policy change in it",
		Long: `Decide on one statement as the guard does before it reaches an engine: print the
statement that would run, with row filters and column masks, and what was changed
and why; or the rule that refuses it, with its place and exit code 1. Nothing runs.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runSQLGuard(cmd, f, o, args) },
	}
	flags := cmd.Flags()
	o.add(flags)
	flags.StringVar(&o.policy, "policy", "", "policy file; without one everybody may read everything")
	flags.StringVar(&o.as, "as", "somebody", "principal who asks")
	flags.StringSliceVar(&o.groups, "group", nil, "groups that the principal is in")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// decision is what the guard says, as JSON.
type decision struct {
	Decision string        `json:"decision"` // allowed or refused
	SQL      string        `json:"sql,omitempty"`
	Changes  []guardChange `json:"changes,omitempty"`
	Rule     string        `json:"rule,omitempty"` // that refused
	Code     string        `json:"code,omitempty"`
	Message  string        `json:"message,omitempty"`
	Line     int           `json:"line,omitempty"`
	Column   int           `json:"column,omitempty"`
}

type guardChange struct {
	Rule    string `json:"rule"`
	Table   string `json:"table,omitempty"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

func runSQLGuard(cmd *cobra.Command, f *Factory, o *sqlGuardOptions, args []string) error {
	if !o.given() {
		return fault.Invalid("source", "SOURCE_MISSING", "the guard needs a catalog: give --catalog, or --source as \"dibrain sources list\" names it")
	}
	p, err := oneStatement(f.IO.In, args)
	if err != nil {
		return err
	}
	scope, err := o.scope(f)
	if err != nil {
		return err
	}
	rules, err := o.rules()
	if err != nil {
		return err
	}
	principal := run.Principal{ID: o.as, Groups: o.groups}
	terms := guard.Terms{Policy: rules, Source: o.source, Stored: scope.Catalog}
	scope.Catalog = &grantedCatalog{Catalog: scope.Catalog, grants: rules.For(principal, o.source)}
	approved, err := guard.New(guard.Config{}).Under(terms).Approve(cmd.Context(), principal, p.text, scope)
	if err != nil {
		return o.refused(f, p, err)
	}
	return o.allowed(f, approved)
}

// rules reads the policy; nil where none is named.
func (o *sqlGuardOptions) rules() (*policy.Policy, error) {
	if o.policy == "" {
		return nil, nil //nolint:nilnil // a nil policy is one that allows everything
	}
	text, err := os.ReadFile(o.policy)
	if err != nil {
		return nil, unreadable(err)
	}
	rules, err := policy.Parse(o.policy, text)
	if err != nil {
		return nil, fault.Invalid("policy", policy.ReasonUnreadable, "%v", err)
	}
	return rules, nil
}

func (o *sqlGuardOptions) refused(f *Factory, p part, err error) error {
	var refusal *guard.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	if o.json {
		d := decision{Decision: "refused", Rule: refusal.Rule, Code: refusal.Code, Message: refusal.Message, Line: refusal.Line, Column: refusal.Column}
		if err := writeOwnJSON(f.IO.Out, d); err != nil {
			return err
		}
		return exitWith(exitFailure)
	}
	fmt.Fprintf(f.IO.Out, "refused by the rule %s\n", refusal.Rule)
	return reportErr(f, false, p, err)
}

func (o *sqlGuardOptions) allowed(f *Factory, approved guard.Approved) error {
	d := decision{Decision: "allowed", SQL: approved.SQL()}
	for _, c := range approved.Changes() {
		change := guardChange{Rule: c.Rule, Message: c.Message, Line: c.Line, Column: c.Column}
		if c.Table != (catalog.Name{}) {
			change.Table = c.Table.String()
		}
		d.Changes = append(d.Changes, change)
	}
	if o.json {
		return writeOwnJSON(f.IO.Out, d)
	}
	for _, c := range d.Changes {
		fmt.Fprintf(f.IO.Out, "-- %s: %s\n", c.Rule, c.Message)
	}
	if len(d.Changes) == 0 {
		fmt.Fprintln(f.IO.Out, "-- allowed as it is")
	}
	_, err := fmt.Fprintln(f.IO.Out, d.SQL)
	return err
}

// grantedCatalog shows the tables that somebody may know, as they may know them.
type grantedCatalog struct {
	resolve.Catalog
	grants *policy.Grants
}

// Lookup implements resolve.Catalog.
func (c *grantedCatalog) Lookup(name catalog.Name) (*catalog.Table, bool) {
	t, ok := c.Catalog.Lookup(name)
	if !ok {
		return nil, false
	}
	access := c.grants.Access(t.Name)
	if !access.Permits(t) {
		return nil, false
	}
	return access.Visible(t), true
}

// Near implements resolve.Catalog.
func (c *grantedCatalog) Near(name catalog.Name, n int) []catalog.Name {
	var near []catalog.Name
	for _, candidate := range c.Catalog.Near(name, n) {
		if t, ok := c.Catalog.Lookup(candidate); ok && c.grants.Access(t.Name).Permits(t) {
			near = append(near, candidate)
		}
	}
	return near
}
