package guard

import (
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
