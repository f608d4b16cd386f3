package guard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func backstop(t *testing.T, stored ...string) (*Guard, resolve.Scope) {
	t.Helper()
	p, err := policy.Parse("p", []byte("rules: [{table: orders, filter: owner = current_user}, {}]"))
	require.NoError(t, err)
	tables := func(names ...string) *resolve.Tables {
		var out []catalog.Table
		for _, n := range names {
			out = append(out, catalog.Table{
				Name:    catalog.Name{Region: "w", Schema: "shop", Table: n},
				Columns: []catalog.Column{{Name: "id", Type: "bigint"}, {Name: "owner", Type: "varchar"}},
			})
		}
		return resolve.NewTables(out)
	}
	g := New(Config{}).Under(Terms{Policy: p, Stored: tables(stored...)})
	return g, resolve.Scope{Catalog: tables("orders", "nation"), DefaultRegion: "w", DefaultSchema: "shop"}
}

func refusalOf(t *testing.T, g *Guard, scope resolve.Scope, text string) *Refusal {
	t.Helper()
	approved, err := g.Approve(t.Context(), run.Principal{ID: "bob"}, text, scope)
	require.Error(t, err, approved.SQL())
	var refusal *Refusal
	require.ErrorAs(t, err, &refusal)
	return refusal
}

// TestATableThatTheStoredCatalogLacks is not read, whether the catalog that the asker
// sees forgets to say so or not.
func TestATableThatTheStoredCatalogLacks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"SELECT id FROM orders", "SELECT id FROM nation", "TABLE nation", "SELECT 1 FROM nation n JOIN orders o ON n.id = o.id"} {
		g, scope := backstop(t)
		require.Equal(t, string(resolve.TableNotFound), refusalOf(t, g, scope, text).Code, text)
		// Names are resolved against what findata shows, unfiltered, and in the end
		// against that too: the cover alone has to stop it.
		g.resolve = func(stmt *tree.Statement, s resolve.Scope) (*resolve.Resolution, []resolve.Diagnostic) {
			s.Catalog = scope.Catalog
			return resolve.Resolve(stmt, s)
		}
		require.Equal(t, CodePolicyBroken, refusalOf(t, g, scope, text).Code, text)
	}
	g, scope := backstop(t, "orders", "nation")
	approved, err := g.Approve(t.Context(), run.Principal{ID: "bob"}, "SELECT id FROM orders", scope)
	require.NoError(t, err)
	require.Contains(t, approved.SQL(), "owner = 'bob'")
}

// TestTheCoverOfATableThatIsNotThere: who writes the cover of a table that the asker's
// catalog does not show is told where, as of any other table.
func TestTheCoverOfATableThatIsNotThere(t *testing.T) {
	t.Parallel()
	g, scope := backstop(t, "orders", "nation")
	cover := "SELECT id FROM (SELECT id, owner FROM w.shop.orders WHERE owner = 'bob') AS orders"
	approved, err := g.Approve(t.Context(), run.Principal{ID: "bob"}, cover, scope)
	require.NoError(t, err)
	require.Len(t, approved.Tables(), 1)
	_, less := backstop(t)
	less.Catalog = resolve.NewTables([]catalog.Table{{Name: catalog.Name{Region: "w", Schema: "shop", Table: "nation"}, Columns: []catalog.Column{{Name: "id", Type: "bigint"}}}})
	refusal := refusalOf(t, g, less, cover)
	require.Equal(t, string(resolve.TableNotFound), refusal.Code)
	require.Equal(t, []int{1, 39}, []int{refusal.Line, refusal.Column})
}

// TestStoredColumnsThatAreOthers: a statement whose result would have other columns than the
// asker's catalog tells is refused, where no expression of it speaks of a column too.
func TestStoredColumnsThatAreOthers(t *testing.T) {
	t.Parallel()
	columns := func(specs ...string) *resolve.Tables {
		table := catalog.Table{Name: catalog.Name{Region: "w", Schema: "shop", Table: "orders"}}
		for _, spec := range specs {
			name, typ, _ := strings.Cut(spec, " ")
			table.Columns = append(table.Columns, catalog.Column{Name: name, Type: typ})
		}
		return resolve.NewTables([]catalog.Table{table})
	}
	for name, c := range map[string]struct {
		stored *resolve.Tables
		good   bool
	}{
		"the same":     {columns("id bigint", "owner varchar"), true},
		"another type": {columns("id varchar", "owner varchar"), false},
		"another name": {columns("number bigint", "owner varchar"), false},
		"one more":     {columns("id bigint", "owner varchar", "salary bigint"), false},
		"turned round": {columns("owner varchar", "id bigint"), false},
	} {
		g, scope := backstop(t, "orders")
		g.terms.Stored, scope.Catalog = c.stored, columns("id bigint", "owner varchar")
		_, err := g.Approve(t.Context(), run.Principal{ID: "bob"}, "SELECT * FROM orders", scope)
		if c.good {
			require.NoError(t, err, name)
			continue
		}
		var refusal *Refusal
		require.ErrorAs(t, err, &refusal, name)
		require.Equal(t, CodePolicyNotApplicable, refusal.Code, name)
	}
}

// TestChangesAreToldOnce: where a text has a cover that is not the one that it would get, it
// is decided again as it stands, and what was told before is not told twice.
func TestChangesAreToldOnce(t *testing.T) {
	t.Parallel()
	g, scope := backstop(t, "orders", "nation")
	for _, text := range []string{
		"SELECT 1 / c.id FROM (SELECT id, owner FROM w.shop.orders WHERE owner = 'bob') AS c, orders o",
		"SELECT c.id FROM (SELECT id, owner FROM w.shop.orders WHERE owner = 'bob') AS c, orders o",
		"SELECT o.id FROM orders o, orders p",
	} {
		approved, err := g.Approve(t.Context(), run.Principal{ID: "bob"}, text, scope)
		require.NoError(t, err, text)
		var rules []string
		for _, change := range approved.Changes() {
			rules = append(rules, change.Rule)
		}
		require.Equal(t, []string{RuleRowFilter, RuleLimit}, rules, text)
	}
}

// TestNamesThatAreNear are as many as were asked for, and none that may not be read takes a
// place among them.
func TestNamesThatAreNear(t *testing.T) {
	t.Parallel()
	var tables []catalog.Table
	for i := range 30 {
		name := fmt.Sprintf("orders_%02d", i)
		if i < 5 {
			name = fmt.Sprintf("orders_%02d_secret", i)
		}
		tables = append(tables, catalog.Table{Name: catalog.Name{Region: "w", Schema: "shop", Table: name}, Columns: []catalog.Column{{Name: "id", Type: "bigint"}}})
	}
	all := resolve.NewTables(tables)
	p, err := policy.Parse("p", []byte("rules: [{table: orders_..}]"))
	require.NoError(t, err)
	grants := p.For(run.Principal{ID: "bob"}, "")
	asked := catalog.Name{Region: "w", Schema: "shop", Table: "orders"}
	for _, g := range []*policy.Grants{nil, grants} {
		for _, n := range []int{1, 3, 5} {
			near := (&visible{catalog: all, stored: all, grants: g}).Near(asked, n)
			require.Len(t, near, n)
			for _, name := range near {
				require.False(t, g != nil && strings.Contains(name.Table, "secret"), name)
			}
		}
	}
}

// TestWhatResolvingOverlooked is refused: a table that it did not look at has no
// policy put in.
func TestWhatResolvingOverlooked(t *testing.T) {
	t.Parallel()
	g, scope := backstop(t, "orders", "nation")
	g.resolve = func(stmt *tree.Statement, s resolve.Scope) (*resolve.Resolution, []resolve.Diagnostic) {
		other, err := parser.Parse("SELECT id FROM nation")
		require.NoError(t, err)
		r, diagnostics := resolve.Resolve(other, s)
		return r.Rebind(stmt), diagnostics
	}
	refusal := refusalOf(t, g, scope, "SELECT id FROM nation WHERE id IN (SELECT id FROM orders)")
	require.Equal(t, "tables", refusal.Rule)
	require.Equal(t, string(resolve.NotSupported), refusal.Code)
}

// TestWhatCoversChangedIsSeen: a rewritten statement that does not mean what was
// asked is refused.
func TestWhatCoversChangedIsSeen(t *testing.T) {
	t.Parallel()
	for _, other := range []string{
		"SELECT id FROM orders LIMIT 1000", "SELECT owner FROM (SELECT id, owner FROM w.shop.orders WHERE owner = 'bob') AS orders LIMIT 1000",
		"SELECT id FROM (SELECT id, owner FROM w.shop.nation WHERE owner = 'bob') AS orders LIMIT 1000",
	} {
		g, scope := backstop(t, "orders", "nation")
		calls := 0
		g.resolve = func(stmt *tree.Statement, s resolve.Scope) (*resolve.Resolution, []resolve.Diagnostic) {
			if calls++; calls == 2 { // the rewritten statement is read as another one
				var err error
				stmt, err = parser.Parse(other)
				require.NoError(t, err)
			}
			return resolve.Resolve(stmt, s)
		}
		require.Equal(t, CodePolicyNotApplicable, refusalOf(t, g, scope, "SELECT id FROM orders").Code, other)
	}
}

// readAs returns what becomes of text when the rewritten statement is read as other.
func readAs(t *testing.T, text, other string) error {
	t.Helper()
	g, scope := backstop(t, "orders", "nation")
	calls := 0
	g.resolve = func(stmt *tree.Statement, s resolve.Scope) (*resolve.Resolution, []resolve.Diagnostic) {
		if calls++; calls == 2 {
			var err error
			stmt, err = parser.Parse(other)
			require.NoError(t, err, other)
		}
		return resolve.Resolve(stmt, s)
	}
	_, err := g.Approve(t.Context(), run.Principal{ID: "bob"}, text, scope)
	require.Equal(t, 2, calls, text)
	return err
}

// TestOneStatementIsNotAnother: each of these statements is held for itself and for
// none of the others, though they differ in one place.
func TestOneStatementIsNotAnother(t *testing.T) {
	t.Parallel()
	statements := []string{
		"SELECT id FROM orders", "SELECT DISTINCT id FROM orders", "SELECT owner FROM orders", "SELECT id AS x FROM orders", "SELECT id, id FROM orders",
		"SELECT orders.id FROM orders", "SELECT o.id FROM orders o", "SELECT * FROM orders", "SELECT orders.* FROM orders",
		"TABLE orders", "SELECT id FROM orders LIMIT 7", "SELECT id FROM orders LIMIT 8", "SELECT id FROM orders OFFSET 7",
		"SELECT id FROM orders ORDER BY id", "SELECT id FROM orders ORDER BY id DESC", "SELECT id FROM orders ORDER BY id NULLS FIRST", "SELECT id FROM orders ORDER BY owner",
		"SELECT id FROM orders WHERE id > 1", "SELECT id FROM orders WHERE id >= 1", "SELECT id FROM orders WHERE id > 2", "SELECT id FROM orders WHERE NOT id > 1",
		"SELECT id FROM orders WHERE owner = 'a'", "SELECT id FROM orders WHERE owner = 'b'", "SELECT id FROM orders WHERE owner LIKE 'a'", "SELECT id FROM orders WHERE owner NOT LIKE 'a'",
		"SELECT id FROM orders WHERE id IS NULL", "SELECT id FROM orders WHERE id IS NOT NULL", "SELECT id FROM orders WHERE id IN (1, 2)", "SELECT id FROM orders WHERE id IN (1)",
		"SELECT id FROM orders WHERE id BETWEEN 1 AND 2", "SELECT id FROM orders WHERE id NOT BETWEEN 1 AND 2", "SELECT id FROM orders WHERE TRUE", "SELECT id FROM orders WHERE FALSE",
		"SELECT id FROM orders WHERE id = 1 AND owner = 'a'", "SELECT id FROM orders WHERE id = 1 OR owner = 'a'", "SELECT id FROM orders WHERE (id = 1)",
		"SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM nation)", "SELECT id FROM orders WHERE NOT EXISTS (SELECT 1 FROM nation)", "SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM orders)",
		"SELECT count(id) FROM orders", "SELECT count(DISTINCT id) FROM orders", "SELECT max(id) FROM orders", "SELECT min(id) FROM orders", "SELECT count(*) FROM orders",
		"SELECT count(id) FILTER (WHERE id > 1) FROM orders", "SELECT count(id) OVER () FROM orders", "SELECT count(id) OVER (PARTITION BY owner) FROM orders", "SELECT count(id) OVER (ORDER BY owner) FROM orders",
		"SELECT CAST(id AS double) FROM orders", "SELECT CAST(id AS varchar) FROM orders", "SELECT TRY_CAST(id AS double) FROM orders", "SELECT id + 1 FROM orders", "SELECT id - 1 FROM orders",
		"SELECT a.id FROM orders a, orders b", "SELECT b.id FROM orders a, orders b", "SELECT a.id FROM orders a CROSS JOIN orders b",
		"SELECT a.id FROM orders a JOIN nation b ON a.id = b.id", "SELECT a.id FROM orders a LEFT JOIN nation b ON a.id = b.id", "SELECT a.id FROM orders a RIGHT JOIN nation b ON a.id = b.id",
		"SELECT a.id FROM orders a JOIN nation b USING (owner)", "SELECT a.owner FROM orders a JOIN nation b USING (id)", "SELECT a.id FROM nation a JOIN orders b ON a.id = b.id",
		"SELECT id FROM orders UNION SELECT id FROM nation", "SELECT id FROM orders UNION ALL SELECT id FROM nation", "SELECT id FROM orders EXCEPT SELECT id FROM nation",
		"SELECT id FROM orders INTERSECT SELECT id FROM nation", "SELECT id FROM nation UNION SELECT id FROM orders",
		"SELECT owner FROM orders GROUP BY owner", "SELECT owner FROM orders GROUP BY 1", "SELECT owner FROM orders GROUP BY owner HAVING count(*) > 1", "SELECT owner FROM orders GROUP BY GROUPING SETS ((owner), ())",
		"WITH x AS (SELECT id FROM orders) SELECT id FROM x", "WITH y AS (SELECT id FROM orders) SELECT id FROM y", "WITH x AS (SELECT id FROM orders) SELECT id FROM x WHERE id > 1",
		"SELECT id FROM (SELECT id FROM orders) x", "SELECT id FROM (SELECT id FROM orders WHERE id > 1) x", "SELECT x.i FROM orders AS x (i, o)", "SELECT x.i FROM orders AS x (o, i)",
		"SELECT CASE WHEN id > 1 THEN 1 END FROM orders", "SELECT CASE WHEN id > 1 THEN 1 ELSE 2 END FROM orders", "SELECT CASE id WHEN 1 THEN 1 END FROM orders",
		"SELECT id FROM orders TABLESAMPLE BERNOULLI (10)", "SELECT id FROM orders TABLESAMPLE BERNOULLI (20)", "SELECT id FROM orders TABLESAMPLE SYSTEM (10)",
	}
	rewritten := make([]string, len(statements))
	for i, text := range statements {
		g, scope := backstop(t, "orders", "nation")
		approved, err := g.Approve(t.Context(), run.Principal{ID: "bob"}, text, scope)
		require.NoError(t, err, text)
		require.Contains(t, approved.SQL(), "owner = 'bob'", text)
		rewritten[i] = approved.SQL()
	}
	for i, text := range statements {
		require.NoError(t, readAs(t, text, rewritten[i]), text)
		for j, other := range rewritten {
			if i != j && other != rewritten[i] {
				require.Error(t, readAs(t, text, other), "%s\n%s", text, other)
			}
		}
	}
}

// TestACoverThatIsAnother: what stands in the place of a table has its columns in its
// order, and reads it and nothing else; no table is read beside its cover.
func TestACoverThatIsAnother(t *testing.T) {
	t.Parallel()
	const cover = "(SELECT id, owner FROM w.shop.orders WHERE owner = 'bob')"
	for _, c := range []struct{ text, rewritten string }{
		{"SELECT id FROM orders", "SELECT id FROM (SELECT owner, id FROM w.shop.orders WHERE owner = 'bob') AS orders LIMIT 1000"},
		{"SELECT id FROM orders", "SELECT id FROM (SELECT CAST(id AS double) AS id, owner FROM w.shop.orders) AS orders LIMIT 1000"},
		{"SELECT id FROM orders", "SELECT id FROM (SELECT n.id, n.owner FROM w.shop.nation n, w.shop.orders o) AS orders LIMIT 1000"},
		{"SELECT id FROM orders", "SELECT id FROM (SELECT o.id, o.owner FROM w.shop.orders o, w.shop.nation n) AS orders LIMIT 1000"},
		{"SELECT id FROM orders", "SELECT id FROM orders LIMIT 1000"},
		{"SELECT id FROM orders o", "SELECT id FROM orders o LIMIT 1000"},
		{"SELECT * FROM orders", "SELECT * FROM (SELECT id FROM w.shop.orders WHERE owner = 'bob') AS orders LIMIT 1000"},
		{"SELECT * FROM orders", "SELECT * FROM (SELECT id, owner AS name FROM w.shop.orders WHERE owner = 'bob') AS orders LIMIT 1000"},
		{"SELECT * FROM orders", "SELECT * FROM (SELECT id, id AS owner FROM w.shop.orders WHERE owner = 'bob') AS orders LIMIT 1000"},
		{"TABLE orders", "SELECT id, owner FROM " + cover + " AS orders LIMIT 1000"},
		{"TABLE orders", "SELECT * FROM orders LIMIT 1000"},
		{"TABLE orders", "TABLE orders LIMIT 1000"},
		// A column that the cover lacks is taken for the outer query's.
		{"SELECT id FROM nation WHERE EXISTS (SELECT 1 FROM orders WHERE owner = 'x')",
			"SELECT id FROM nation WHERE EXISTS (SELECT 1 FROM (SELECT id FROM w.shop.orders WHERE owner = 'bob') AS orders WHERE owner = 'x') LIMIT 1000"},
	} {
		err := readAs(t, c.text, c.rewritten)
		var refusal *Refusal
		require.ErrorAs(t, err, &refusal, c.rewritten)
		require.Equal(t, CodePolicyNotApplicable, refusal.Code, c.rewritten)
	}
}

// TestNoTableIsReadBesideItsCover: a name that was another table's when the statement
// was asked, and is a covered table's when it is read again, is refused.
func TestNoTableIsReadBesideItsCover(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse("p", []byte("rules: [{schema: shop, filter: owner = current_user}, {}]"))
	require.NoError(t, err)
	var tables []catalog.Table
	for _, schema := range []string{"shop", "old"} {
		tables = append(tables, catalog.Table{Name: catalog.Name{Region: "w", Schema: schema, Table: "orders"},
			Columns: []catalog.Column{{Name: "id", Type: "bigint"}, {Name: "owner", Type: "varchar"}}})
	}
	g := New(Config{}).Under(Terms{Policy: p})
	scope := resolve.Scope{Catalog: resolve.NewTables(tables), DefaultRegion: "w", DefaultSchema: "old"}
	const text = "SELECT a.id FROM shop.orders a, orders b WHERE b.id = a.id"
	approved, err := g.Approve(t.Context(), run.Principal{ID: "bob"}, text, scope)
	require.NoError(t, err)
	require.Contains(t, approved.SQL(), ", orders b", "it is old.orders, which needs no cover")
	calls := 0
	g.resolve = func(stmt *tree.Statement, s resolve.Scope) (*resolve.Resolution, []resolve.Diagnostic) {
		if calls++; calls == 2 {
			s.DefaultSchema = "shop"
		}
		return resolve.Resolve(stmt, s)
	}
	refusal := refusalOf(t, g, scope, text)
	require.Equal(t, CodePolicyNotApplicable, refusal.Code)
	require.Contains(t, refusal.Message, "the access policy of w.shop.orders, w.old.orders cannot")
}

// TestAColumnThatIsAnothersWhenItIsReadAgain: a name that meant a column of one table
// and means that of another, of the same type and in the same place, is refused.
func TestAColumnThatIsAnothersWhenItIsReadAgain(t *testing.T) {
	t.Parallel()
	const text = "SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 FROM nation WHERE owner = 'x')"
	for column, want := range map[string]string{"owner": "", "note": CodePolicyNotApplicable} {
		g, scope := backstop(t, "orders", "nation")
		calls := 0
		g.resolve = func(stmt *tree.Statement, s resolve.Scope) (*resolve.Resolution, []resolve.Diagnostic) {
			if calls++; calls == 2 { // nation has lost the column that was meant
				orders, _ := scope.Catalog.Lookup(catalog.Name{Region: "w", Schema: "shop", Table: "orders"})
				nation := *orders
				nation.Name.Table, nation.Columns = "nation", []catalog.Column{{Name: "id", Type: "bigint"}, {Name: column, Type: "varchar"}}
				s.Catalog = resolve.NewTables([]catalog.Table{*orders, nation})
			}
			return resolve.Resolve(stmt, s)
		}
		if want == "" {
			_, err := g.Approve(t.Context(), run.Principal{ID: "bob"}, text, scope)
			require.NoError(t, err)
			continue
		}
		require.Equal(t, want, refusalOf(t, g, scope, text).Code)
	}
}

// TestOneNameForTwoThings: neither a common table with a dot in its name nor a catalog
// that joins names makes a table readable that nobody looked at.
func TestOneNameForTwoThings(t *testing.T) {
	t.Parallel()
	g, scope := backstop(t, "orders", "nation")
	g.resolve = func(stmt *tree.Statement, s resolve.Scope) (*resolve.Resolution, []resolve.Diagnostic) {
		other, err := parser.Parse(`WITH "shop.orders" AS (SELECT 1 AS id) SELECT id FROM "shop.orders"`)
		require.NoError(t, err)
		r, diagnostics := resolve.Resolve(other, s)
		return r.Rebind(stmt), diagnostics
	}
	refusal := refusalOf(t, g, scope, `WITH "shop.orders" AS (SELECT 1 AS id) SELECT id FROM shop.orders`)
	require.Equal(t, []string{"tables", string(resolve.NotSupported)}, []string{refusal.Rule, refusal.Code})

	g, scope = backstop(t, "orders", "nation")
	g.terms.Stored = joined{g.terms.Stored, "nation"}
	g.resolve = func(stmt *tree.Statement, s resolve.Scope) (*resolve.Resolution, []resolve.Diagnostic) {
		s.Catalog = scope.Catalog // it overlooks what is visible
		return resolve.Resolve(stmt, s)
	}
	require.Equal(t, CodePolicyBroken, refusalOf(t, g, scope, "SELECT id FROM orders").Code, "the rule of another table is not this one's")
}

// joined is a catalog that takes every name for that of one table.
type joined struct {
	resolve.Catalog
	table string
}

func (j joined) Lookup(n catalog.Name) (*catalog.Table, bool) {
	n.Table = j.table
	return j.Catalog.Lookup(n)
}
