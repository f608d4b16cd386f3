package policy_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

func parse(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse("policy.yaml", []byte(text))
	require.NoError(t, err)
	return p
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/mistakes.txt")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "\n# of the parser.\n")
	for c := range strings.SplitSeq(rest, "===\n") {
		file, want, ok := strings.Cut(c, "---\n")
		require.True(t, ok, c)
		p, err := policy.Parse("policy.yaml", []byte(file))
		require.Error(t, err, file)
		require.Nil(t, p)
		var problems policy.Problems
		require.ErrorAs(t, err, &problems)
		said, wanted := strings.Split(err.Error(), "\n"), strings.Split(strings.TrimSuffix(want, "\n"), "\n")
		require.Len(t, said, len(wanted), "%s\n%s", file, err)
		for i := range wanted {
			if start, ok := strings.CutSuffix(wanted[i], "..."); ok {
				said[i], wanted[i] = said[i][:min(len(said[i]), len(start))], start
			}
		}
		require.Equal(t, wanted, said, file)
	}
}

func customer() catalog.Table {
	column := func(name, typ string) catalog.Column {
		return catalog.Column{Name: name, Type: typ, Samples: []string{"s"}, Distinct: 3}
	}
	return catalog.Table{
		Name: catalog.Name{Region: "sg", Schema: "shop", Table: "Customer"}, RowCount: 10,
		Columns:     []catalog.Column{column("id", "bigint"), column("Phone", "varchar(15)"), column("salary", "decimal(12,2)"), column("tags", "array(varchar)")},
		ForeignKeys: []catalog.ForeignKey{{Columns: []string{"id"}}, {Columns: []string{"salary"}}},
	}
}

func TestFirstRuleThatFitsDecides(t *testing.T) {
	t.Parallel()
	p := parse(t, `
rules:
  - {name: blocked, user: "ev.*", access: deny}
  - {name: analysts, group: "analyst|boss", schema: shop, table: "customer|orders_\\d+"}
  - {name: own, user: ann, source: demo, catalog: SG, table: ".*_own"}
  - {name: views, user: viewer, views: allow}
  - {name: no views, user: reader}
`)
	bob := run.Principal{ID: "bob", Groups: []string{"x", "analyst"}}
	name := func(table string) catalog.Name { return catalog.Name{Region: "sg", Schema: "shop", Table: table} }
	for _, c := range []struct {
		who    run.Principal
		source string
		table  string
		rule   string
		read   bool
	}{
		{bob, "demo", "customer", "analysts", true},
		{bob, "demo", "CUSTOMER", "analysts", true},
		{bob, "demo", "orders_12", "analysts", true},
		{bob, "demo", "orders_12x", "", false},
		{bob, "demo", "my_customer", "", false},
		{run.Principal{ID: "bob", Groups: []string{"Analyst", "analysts"}}, "demo", "customer", "", false},
		{run.Principal{ID: "eve", Groups: []string{"analyst"}}, "demo", "customer", "blocked", false},
		{run.Principal{ID: "xeve", Groups: []string{"analyst"}}, "demo", "customer", "analysts", true},
		{run.Principal{ID: "ann"}, "demo", "the_own", "own", true},
		{run.Principal{ID: "ann"}, "other", "the_own", "", false},
		{run.Principal{ID: "Ann"}, "demo", "the_own", "", false},
		{run.Principal{}, "demo", "customer", "", false},
	} {
		a := p.For(c.who, c.source).Access(name(c.table))
		require.Equal(t, c.rule, a.Rule, c)
		require.Equal(t, c.read, a.Read, c)
		require.Same(t, a, p.For(c.who, c.source).Access(name(c.table)), "decided once")
	}
	for _, groups := range [][]string{
		{"x\" \"analyst"}, {"x analyst"}, {"x,analyst"}, {"x", " analyst"}, {"x\nanalyst"}, {"x\x00analyst"}, {"[x analyst]"}, {"x", "", "nalyst"}, {"analys", "t"}, {}, nil,
	} {
		require.False(t, p.For(run.Principal{ID: "bob", Groups: groups}, "demo").Access(name("customer")).Read, "%q: groups are not what they are joined to", groups)
		require.True(t, p.For(bob, "demo").Access(name("customer")).Read, "nor does another's take anything from him")
	}
	// Nor do the parts of who asks and what is asked run into each other.
	for _, who := range []run.Principal{{ID: "ann\x00demo"}, {ID: "anndemo"}, {ID: "ann demo"}} {
		require.False(t, p.For(who, "").Access(name("the_own")).Read, who.ID)
		require.False(t, p.For(run.Principal{ID: "ann"}, "").Access(name("the_own")).Read)
		require.True(t, p.For(run.Principal{ID: "ann"}, "demo").Access(name("the_own")).Read)
	}
	view := &catalog.Table{Name: name("v"), Kind: catalog.KindView}
	require.True(t, p.For(run.Principal{ID: "viewer"}, "").Access(view.Name).Permits(view))
	require.False(t, p.For(run.Principal{ID: "reader"}, "").Access(view.Name).Permits(view))
	var none *policy.Policy
	require.Nil(t, none.For(bob, "demo"))
	require.True(t, none.For(bob, "demo").Access(name("x")).Whole())
}

func TestCover(t *testing.T) {
	t.Parallel()
	ann := run.Principal{ID: "ann's \"x\" -- ", Groups: []string{"a'b", "c"}}
	for rule, want := range map[string]string{
		`filter: id = 1`: `SELECT id, Phone, salary, tags FROM sg.shop.Customer WHERE id = 1`,
		`filter: phone = current_user or contains(current_groups(), phone)`: `SELECT id, Phone, salary, tags FROM sg.shop.Customer ` +
			`WHERE phone = 'ann''s "x" -- ' or (phone IN ('a''b', 'c'))`,
		`filter: cardinality(current_groups()) > id`:                           `SELECT id, Phone, salary, tags FROM sg.shop.Customer WHERE cardinality(ARRAY['a''b', 'c']) > id`,
		`columns: [{name: PHONE, mask: "'***'"}]`:                              `SELECT id, CAST('***' AS varchar(15)) AS Phone, salary, tags FROM sg.shop.Customer`,
		`columns: [{name: phone, mask: "cast(phone || '!' as varchar(15))"}]`:  `SELECT id, cast(phone || '!' as varchar(15)) AS Phone, salary, tags FROM sg.shop.Customer`,
		`columns: [{name: phone, mask: "null"}, {name: salary, mask: "0"}]`:    `SELECT id, CAST(null AS varchar(15)) AS Phone, CAST(0 AS decimal(12,2)) AS salary, tags FROM sg.shop.Customer`,
		`columns: [{name: salary, access: deny}]`:                              `SELECT id, Phone, tags FROM sg.shop.Customer`,
		`columns: [{name: gone, access: deny, if_present: true}]`:              `SELECT id, Phone, salary, tags FROM sg.shop.Customer`,
		`columns: [{name: tags, mask: "transform(tags, x -> '*')"}]`:           `SELECT id, Phone, salary, CAST(transform(tags, x -> '*') AS array(varchar)) AS tags FROM sg.shop.Customer`,
		`{filter: salary > 10, columns: [{name: salary, access: deny}]}`:       `SELECT id, Phone, tags FROM sg.shop.Customer WHERE salary > 10`,
		`{filter: customer.id > 10, columns: [{name: salary, access: deny}]}`:  `SELECT id, Phone, tags FROM sg.shop.Customer WHERE customer.id > 10`,
		`{filter: "true", columns: [{name: phone, mask: "/* x */ 'a' -- b"}]}`: `SELECT id, CAST('a' AS varchar(15)) AS Phone, salary, tags FROM sg.shop.Customer WHERE true`,
	} {
		if !strings.HasPrefix(rule, "{") {
			rule = "\n    " + rule
		}
		stored := customer()
		cover, err := parse(t, "rules:\n  - "+rule).For(ann, "").Access(stored.Name).Cover(&stored)
		require.NoError(t, err, rule)
		require.Equal(t, want, printer.Print(cover.Query))
	}
	nobody := parse(t, "rules: [{filter: 'contains(current_groups(), phone)'}]")
	stored := customer()
	cover, err := nobody.For(run.Principal{ID: "x"}, "").Access(stored.Name).Cover(&stored)
	require.NoError(t, err)
	require.Equal(t, `SELECT id, Phone, salary, tags FROM sg.shop.Customer WHERE phone <> phone`, printer.Print(cover.Query))
}

func TestBrokenRules(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		`{name: r, filter: gone = 1}`:                                               "line 2: rule r on sg.shop.Customer: filter: COLUMN_NOT_FOUND: there is no column 'gone'",
		`{name: r, filter: id + 1}`:                                                 "line 2: rule r on sg.shop.Customer: filter: it is bigint and has to be a condition",
		`{name: r, columns: [{name: gone, access: deny}]}`:                          "line 2: rule r on sg.shop.Customer: there is no column gone",
		`{name: r, columns: [{name: gone, mask: "'x'"}]}`:                           "line 2: rule r on sg.shop.Customer: there is no column gone",
		`{name: r, columns: [{name: id, mask: "'x'"}]}`:                             "line 2: rule r on sg.shop.Customer: mask of id: it is varchar(1) and the column is bigint: write a cast",
		`{name: r, filter: now(3) > timestamp '2020-01-01'}`:                        "line 2: rule r on sg.shop.Customer: filter: FUNCTION_NOT_FOUND: 'now' does not take (integer); it takes now()",
		`{name: r, columns: [{name: phone, mask: "id"}]}`:                           "line 2: rule r on sg.shop.Customer: mask of Phone: it is bigint and the column is varchar(15): write a cast",
		"\n      name: r\n      columns:\n        - name: phone\n          mask: x": "line 5: rule r on sg.shop.Customer: mask of Phone: COLUMN_NOT_FOUND: there is no column 'x'",
	} {
		stored := customer()
		p := parse(t, "rules:\n  - "+rule)
		_, err := p.For(run.Principal{ID: "ann"}, "").Access(stored.Name).Cover(&stored)
		var broken *policy.Broken
		require.ErrorAs(t, err, &broken, rule)
		require.Equal(t, want, strings.Replace(err.Error(), "varchar and the column is bigint", "varchar(1) and the column is bigint", 1))
		found := p.Check("demo", []catalog.Table{stored})
		require.Len(t, found, 1, rule)
	}
}

func TestVisible(t *testing.T) {
	t.Parallel()
	visible := func(rule string) *catalog.Table {
		stored := customer()
		before := customer()
		out := parse(t, "rules:\n  - "+rule).For(run.Principal{ID: "ann"}, "").Access(stored.Name).Visible(&stored)
		require.Equal(t, before, stored, "the stored table stays as it is")
		return out
	}
	samples := func(c *catalog.Table, name string) int {
		column, ok := c.Column(name)
		require.True(t, ok)
		return len(column.Samples) + int(column.Distinct)
	}
	masked := visible(`columns: [{name: phone, mask: "'x'"}]`)
	require.Zero(t, samples(masked, "phone"))
	require.NotZero(t, samples(masked, "id"))
	require.EqualValues(t, 10, masked.RowCount)
	filtered := visible(`filter: id = 1`)
	require.Zero(t, samples(filtered, "phone")+samples(filtered, "id")+samples(filtered, "salary"))
	require.EqualValues(t, -1, filtered.RowCount)
	denied := visible(`columns: [{name: SALARY, access: deny}]`)
	_, ok := denied.Column("salary")
	require.False(t, ok)
	require.Len(t, denied.ForeignKeys, 1)
	require.NotZero(t, samples(denied, "phone"))
	var names []string
	for _, c := range denied.Columns {
		names = append(names, c.Name)
	}
	require.Equal(t, []string{"id", "Phone", "tags"}, names)
	for _, rule := range []string{`columns: [{name: wages, access: deny}]`, `columns: [{name: wages, mask: "0"}]`} {
		renamed := visible(rule)
		require.Zero(t, samples(renamed, "salary"), "nobody knows which column was meant")
		require.EqualValues(t, -1, renamed.RowCount)
	}
}

// TestWhatSpeaksForAKey: how many values of a column that is masked, or of a table that
// is filtered, were compared is not told; that the key was found is.
func TestWhatSpeaksForAKey(t *testing.T) {
	t.Parallel()
	stored := customer()
	stored.ForeignKeys = []catalog.ForeignKey{
		{Columns: []string{"id"}}, {Columns: []string{"Phone"}, Found: &catalog.Evidence{Reason: "names", Values: 7}},
		{Columns: []string{"id", "tags"}, Found: &catalog.Evidence{Reason: "values", Values: 8}},
	}
	for rule, want := range map[string][]int64{
		`columns: [{name: phone, mask: "'x'"}]`:   {0, 8},
		`columns: [{name: salary, mask: "NULL"}]`: {7, 8},
		`filter: id = 1`:                          {0, 0},
		`columns: [{name: wages, mask: "0"}]`:     {0, 0},
	} {
		out := parse(t, "rules:\n  - "+rule).For(run.Principal{ID: "ann"}, "").Access(stored.Name).Visible(&stored)
		require.Len(t, out.ForeignKeys, 3, rule)
		require.Nil(t, out.ForeignKeys[0].Found, rule)
		require.Equal(t, want, []int64{out.ForeignKeys[1].Found.Values, out.ForeignKeys[2].Found.Values}, rule)
		require.Equal(t, []string{"names", "values"}, []string{out.ForeignKeys[1].Found.Reason, out.ForeignKeys[2].Found.Reason}, rule)
		require.EqualValues(t, 7, stored.ForeignKeys[1].Found.Values, "what is stored stays")
	}
}

// TestWhatAllRowsTell: what tells rows apart and what depends on what is nothing for those who may
// not see all rows, nor for those who may not see the columns.
func TestWhatAllRowsTell(t *testing.T) {
	t.Parallel()
	stored := customer()
	stored.RowKey = []string{"Phone", "salary"}
	stored.Dependencies = []catalog.Dependency{{Column: "Phone", Determines: []string{"salary", "tags"}}, {Column: "tags", Determines: []string{"salary"}}}
	visible := func(rule string) *catalog.Table {
		return parse(t, "rules:\n  - "+rule).For(run.Principal{ID: "ann"}, "").Access(stored.Name).Visible(&stored)
	}
	whole := visible(`columns: [{name: id, access: deny}]`)
	require.Equal(t, stored.RowKey, whole.RowKey)
	require.Equal(t, stored.Dependencies, whole.Dependencies)
	for _, rule := range []string{`columns: [{name: salary, access: deny}]`, `columns: [{name: salary, mask: "0"}]`} {
		less := visible(rule)
		require.Empty(t, less.RowKey)
		require.Equal(t, []catalog.Dependency{{Column: "Phone", Determines: []string{"tags"}}}, less.Dependencies)
	}
	require.Empty(t, visible(`filter: id = 1`).Dependencies)
	require.Empty(t, visible(`filter: id = 1`).RowKey)
	require.Len(t, stored.Dependencies[0].Determines, 2, "what is stored stays")
}

func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	write := func(text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		now = now.Add(time.Minute)
		require.NoError(t, os.Chtimes(path, now, now))
	}
	write("rules: [{schema: a}]")
	_, err := policy.Open(filepath.Join(t.TempDir(), "none"), nil, nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	f, err := policy.Open(path, func() time.Time { return now }, nil)
	require.NoError(t, err)
	reads := func(schema string) bool {
		p, err := f.Current()
		require.NoError(t, err)
		return p.For(run.Principal{ID: "ann"}, "").Access(catalog.Name{Schema: schema, Table: "t"}).Read
	}
	require.True(t, reads("a"))
	write("rules: [{schema: b}]")
	require.False(t, reads("a"), "a change is seen")
	require.True(t, reads("b"))

	for _, text := range []string{"rules: [{schema: ]", "rules: [{shema: b}]", ""} {
		write(text)
		p, err := f.Current()
		require.Nil(t, p)
		require.Equal(t, policy.ReasonUnreadable, fault.ReasonOf(err), "what cannot be read closes everything")
		require.NotContains(t, err.Error(), path)
	}
	require.NoError(t, os.Remove(path))
	now = now.Add(time.Minute)
	_, err = f.Current()
	require.Equal(t, policy.ReasonUnreadable, fault.ReasonOf(err))
	require.True(t, errors.Is(err, os.ErrNotExist))
	write("rules: [{schema: a}]")
	require.True(t, reads("a"), "and opens again when it is mended")

	var none *policy.File
	p, err := none.Current()
	require.NoError(t, err)
	require.Nil(t, p)
}

// TestDocumentation keeps the example of docs/policy.md a policy.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/policy.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(text), "```yaml\n")
	require.True(t, ok)
	example, _, _ := strings.Cut(rest, "```")
	p := parse(t, example)
	table := catalog.Table{
		Name: catalog.Name{Region: "sg", Schema: "mp_user", Table: "dim_customer"},
		Columns: []catalog.Column{
			{Name: "id", Type: "bigint"}, {Name: "country", Type: "varchar"}, {Name: "phone", Type: "varchar"}, {Name: "credit_limit", Type: "bigint"},
		},
	}
	cover, err := p.For(run.Principal{ID: "ann", Groups: []string{"sales-sg"}}, "demo").Access(table.Name).Cover(&table)
	require.NoError(t, err)
	require.Equal(t, `SELECT id, country, CAST('***' || substr(phone, -4) AS varchar) AS phone FROM sg.mp_user.dim_customer `+
		`WHERE 'sales-' || lower(country) IN ('sales-sg')`, printer.Print(cover.Query))
	require.False(t, p.For(run.Principal{ID: "temp-1", Groups: []string{"staff"}}, "demo").Access(table.Name).Read)
}
