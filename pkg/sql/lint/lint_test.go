package lint_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/lint"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

func shop() resolve.Scope {
	name := func(t string) catalog.Name { return catalog.Name{Region: "sg", Schema: "shop", Table: t} }
	return resolve.Scope{
		DefaultRegion: "sg", DefaultSchema: "shop",
		Catalog: resolve.NewTables([]catalog.Table{
			{Name: name("orders"), Columns: []catalog.Column{
				{Name: "id", Type: "bigint", PrimaryKey: true}, {Name: "buyer", Type: "bigint"}, {Name: "units", Type: "integer"},
				{Name: "amount", Type: "double"}, {Name: "day", Type: "date", Partition: true},
			}},
			{Name: name("items"), Columns: []catalog.Column{
				{Name: "order_id", Type: "bigint", PrimaryKey: true}, {Name: "line", Type: "integer", PrimaryKey: true}, {Name: "price", Type: "double"},
			}},
			{Name: name("buyers"), Columns: []catalog.Column{{Name: "id", Type: "bigint", PrimaryKey: true}, {Name: "name", Type: "varchar"}}},
		}),
	}
}

// TestExamples: each rule finds its own example.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, rule := range lint.Rules() {
		stmt, err := parser.Parse(rule.Example)
		require.NoError(t, err, rule.ID)
		resolution, wrong := resolve.Resolve(stmt, shop())
		require.Empty(t, wrong, rule.ID)
		found, err := lint.Check(resolution, lint.Options{Enable: []string{rule.ID}, Catalog: true})
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(found, func(f lint.Finding) bool { return f.Rule.ID == rule.ID }), rule.ID)
	}
}

// TestRules: what each rule finds, by line:column, and what it leaves alone.
func TestRules(t *testing.T) {
	t.Parallel()
	const d = " where day = date '2024-01-01'"
	for text, want := range map[string][]string{
		"select * from orders" + d: {"select-star 1:8"},
		"select o.*, b.name from orders o join buyers b on b.id = o.buyer" + d:             {"select-star 1:8"},
		"select * from (select id from orders" + d + ")":                                   nil,
		"with a as (select id from buyers) select * from a":                                nil,
		"select id from buyers b where exists (select * from items where order_id = b.id)": nil,
		"select id from orders":                                                                             {"missing-partition 1:16"},
		"select id from orders where day >= date '2024-01-01'":                                              nil,
		"select id from orders where year(day) <> 5 or id = 1":                                              {"missing-partition 1:16"},
		"select units / 2 from orders" + d:                                                                  {"integer-division 1:8"},
		"select units / 2.0, amount / 2, 1.0 * units / 2 from orders" + d:                                   nil,
		"select b.id from buyers b, items i":                                                                {"cross-join 1:28"},
		"select b.id from buyers b, items i where i.order_id = b.id":                                        nil,
		"select b.id from buyers b join items i on true":                                                    {"cross-join 1:32"},
		"select b.id from buyers b cross join items i":                                                      {"cross-join 1:38"},
		"select b.id from buyers b cross join (select 1 x) i":                                               nil,
		"select b.id from buyers b cross join unnest(array[1]) u (x)":                                       nil,
		"select name from buyers where id not in (select buyer from orders" + d + ")":                       {"not-in-null 1:31"},
		"select name from buyers where id not in (select id from orders" + d + ")":                          nil,
		"select name from buyers where id not in (select buyer from orders" + d + " and buyer is not null)": nil,
		"select name from buyers where id not in (1, 2)":                                                    nil,
		"select id from (select id from buyers order by id) x":                                              {"order-in-subquery 1:48"},
		"select id from (select id from buyers order by id limit 3) x":                                      nil,
		"select id from buyers order by id":                                                                 nil,
		"select id from buyers limit 3":                                                                     {"limit-without-order 1:23"},
		"select id from buyers order by id limit 3":                                                         nil,
		"select id from buyers where name = null":                                                           {"equals-null 1:29"},
		"select id from buyers where name like 'a'":                                                         {"like-without-wildcard 1:29"},
		"select id from buyers where name like 'a%'":                                                        nil,
		"select max(id) from buyers limit 3":                                                                nil,
		"select max(id) from buyers group by name limit 3":                                                  {"limit-without-order 1:42"},
		"select id from buyers where name is null":                                                          nil,
		"select b.id from buyers b left join items i on i.order_id = b.id where i.price > 1":                {"left-join-filter 1:72"},
		"select b.id from buyers b left join items i on i.order_id = b.id where i.price is null":            nil,
		"select b.id from buyers b left join items i on i.order_id = b.id where b.name > 'a'":               nil,
		"select sum(b.id) from buyers b join items i on i.order_id = b.id":                                  {"fan-out 1:37"},
		"select sum(i.price) from items i join buyers b on b.id = i.order_id":                               nil,
		"select max(b.id) from buyers b join items i on i.order_id = b.id":                                  nil,
		"select sum(b.id) from buyers b join items i on i.order_id = b.id and i.line = 1":                   nil,
	} {
		assert.Equal(t, want, check(t, text, lint.Options{}), text)
	}
}

func check(t *testing.T, text string, o lint.Options) []string {
	t.Helper()
	stmt, err := parser.Parse(text)
	require.NoError(t, err, text)
	r, mistakes := resolve.Resolve(stmt, shop())
	require.Empty(t, mistakes, text)
	o.Catalog = true
	findings, err := lint.Check(r, o)
	require.NoError(t, err)
	var got []string
	for _, f := range findings {
		line, column := f.Node.Span().Position()
		got = append(got, fmt.Sprintf("%s %d:%d", f.Rule.ID, line, column))
		require.NotEmpty(t, f.Message)
	}
	return got
}

func TestSwitches(t *testing.T) {
	t.Parallel()
	const text = "select name from buyers union select name from buyers group by 1 limit 3"
	require.Equal(t, []string{"limit-without-order 1:66"}, check(t, text, lint.Options{}))
	require.Empty(t, check(t, text, lint.Options{Disable: []string{"all"}}))
	require.Equal(t, []string{"union-distinct 1:31", "ordinal 1:64"}, check(t, text, lint.Options{Enable: []string{"all"}, Disable: []string{"limit-without-order"}}))
	_, err := lint.Check(&resolve.Resolution{}, lint.Options{Enable: []string{"nonsense"}})
	require.ErrorContains(t, err, "nonsense")
}

func TestWithoutCatalog(t *testing.T) {
	t.Parallel()
	stmt, err := parser.Parse("select 1 / 2, id from orders where x not in (select y from t)")
	require.NoError(t, err)
	r, _ := resolve.Resolve(stmt, resolve.Scope{})
	findings, err := lint.Check(r, lint.Options{})
	require.NoError(t, err)
	require.Len(t, findings, 2)
	require.Equal(t, []string{"integer-division", "not-in-null"}, []string{findings[0].Rule.ID, findings[1].Rule.ID})
	for _, rule := range lint.Rules() {
		require.NotEmpty(t, rule.Instead, rule.ID)
	}
}
