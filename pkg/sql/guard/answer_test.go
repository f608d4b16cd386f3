package guard_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// listing is a directory that hides nothing: the guard has to.
type listing struct {
	tables  []catalog.Table
	filters []guard.Filter // that were asked for
	err     error
}

func (l *listing) Tables(_ context.Context, f guard.Filter, limit int) ([]catalog.Table, bool, error) {
	l.filters = append(l.filters, f)
	var out []catalog.Table
	for _, t := range l.tables {
		if f.Fits(t.Name) {
			if !f.WithColumns {
				t.Columns = nil
			}
			out = append(out, t)
		}
	}
	return out[:min(len(out), limit)], len(out) > limit, l.err
}

func oracleListing() *listing {
	l := &listing{}
	for _, name := range []string{"old.customer", "shop.customer", "shop.nation", "shop.orders", "shop.staff"} {
		schema, table, _ := strings.Cut(name, ".")
		t, _ := oracleCatalog(false).Lookup(catalog.Name{Region: "w", Schema: schema, Table: table})
		l.tables = append(l.tables, *t)
	}
	return l
}

// TestAnswers runs what is asked about the warehouse on the real engine, in the
// order that the answer has.
func TestAnswers(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	g := o.open.Under(guard.Terms{Policy: policyOf(t, oraclePolicy), Directory: oracleListing()})
	text, err := os.ReadFile("testdata/metadata.txt")
	require.NoError(t, err)
	var statement string
	var want []string
	check := func() {
		if statement == "" {
			return
		}
		t.Run(statement, func(t *testing.T) {
			got := rowsOf(t, o, g, statement)
			require.Equal(t, want, got, statement)
		})
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch row, isRow := strings.CutPrefix(line, "  "); {
		case strings.HasPrefix(line, "#"):
		case isRow:
			want = append(want, row)
		default:
			check()
			statement, want = line, nil
		}
	}
	check()
}

func rowsOf(t *testing.T, o *oracle, g *guard.Guard, statement string) []string {
	t.Helper()
	approved, err := g.Approve(t.Context(), bob(), statement, o.realScope)
	var refusal *guard.Refusal
	if errors.As(err, &refusal) {
		return []string{fmt.Sprintf("! %s %d:%d", refusal.Code, refusal.Line, refusal.Column)}
	}
	require.NoError(t, err)
	again, err := g.Approve(t.Context(), bob(), approved.SQL(), o.realScope)
	require.NoError(t, err, approved.SQL())
	require.Equal(t, approved.SQL(), again.SQL())
	require.Empty(t, again.Changes())
	rows, err := o.real.Query(t.Context(), bob(), approved, warehouse.Options{})
	require.NoError(t, err, approved.SQL())
	defer func() { require.NoError(t, rows.Close()) }()
	page, _ := rows.Next(t.Context(), 1000)
	var out []string
	for _, row := range page {
		var cells []string
		for _, cell := range row {
			if cell == nil {
				cell = "null"
			}
			cells = append(cells, strings.ReplaceAll(fmt.Sprint(cell), "\n", "|"))
		}
		out = append(out, strings.Join(cells, ", "))
	}
	return out
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	l := &listing{}
	for i := range 300 {
		l.tables = append(l.tables, catalog.Table{
			Name:    catalog.Name{Region: "w", Schema: fmt.Sprintf("s%d", i%30), Table: fmt.Sprintf("t%d", i)},
			Columns: []catalog.Column{{Name: "a", Type: "bigint"}, {Name: "b", Type: "bigint"}},
		})
	}
	g := guard.New(guard.Config{MaxAnswerRows: 100}).Under(guard.Terms{Directory: l})
	scope := resolve.Scope{Catalog: resolve.NewTables(nil), DefaultRegion: "w", DefaultSchema: "s1"}
	for statement, want := range map[string]string{
		"show schemas": "",
		"show tables":  "",
		"select * from information_schema.tables":                                                                                     guard.CodeAnswerTooLong,
		"select * from information_schema.columns":                                                                                    guard.CodeAnswerTooLong,
		"select * from information_schema.columns where table_schema = 's3'":                                                          "",
		"select * from information_schema.columns c where c.table_name = 't7' and ordinal_position > 1":                               "",
		"select * from information_schema.columns where table_schema = 's3' or true":                                                  guard.CodeAnswerTooLong,
		"select * from information_schema.columns where not table_schema = 's3'":                                                      guard.CodeAnswerTooLong,
		"select * from information_schema.columns where (select count(*) from information_schema.tables) > 0 and table_schema = 's3'": guard.CodeAnswerTooLong,
		"select (select count(*) from information_schema.tables) from information_schema.tables where table_schema = 's3'":            guard.CodeAnswerTooLong, // one of the two is about all schemas
	} {
		_, err := g.Approve(t.Context(), alice(), statement, scope)
		if want == "" {
			require.NoError(t, err, statement)
			continue
		}
		var refusal *guard.Refusal
		require.ErrorAs(t, err, &refusal, statement)
		require.Equal(t, want, refusal.Code, statement)
	}
	l.err = errors.New("the directory is out of order")
	_, err := g.Approve(t.Context(), run.Principal{ID: "x"}, "show tables", scope)
	require.ErrorIs(t, err, l.err)
	require.True(t, slices.ContainsFunc(l.filters, func(f guard.Filter) bool { return f.Schema == "s3" && f.WithColumns }), "asked for one schema only")
}

// cutListing is a directory that says that it has more than it lists.
type cutListing struct{ listing }

func (l *cutListing) Tables(ctx context.Context, f guard.Filter, limit int) ([]catalog.Table, bool, error) {
	tables, _, err := l.listing.Tables(ctx, f, limit)
	return tables, true, err
}

// TestAnAnswerIsWholeOrRefused: a list that the directory has cut is no answer, as
// nobody could tell it from the whole one.
func TestAnAnswerIsWholeOrRefused(t *testing.T) {
	t.Parallel()
	l := &cutListing{listing{tables: []catalog.Table{{
		Name: catalog.Name{Region: "w", Schema: "shop", Table: "orders"}, Columns: []catalog.Column{{Name: "id", Type: "bigint"}},
	}}}}
	g := guard.New(guard.Config{}).Under(guard.Terms{Directory: l})
	scope := resolve.Scope{Catalog: resolve.NewTables(nil), DefaultRegion: "w", DefaultSchema: "shop"}
	for _, statement := range []string{"show catalogs", "show schemas", "show tables", "select * from information_schema.tables"} {
		_, err := g.Approve(t.Context(), alice(), statement, scope)
		var refusal *guard.Refusal
		require.ErrorAs(t, err, &refusal, statement)
		require.Equal(t, guard.CodeAnswerTooLong, refusal.Code, statement)
	}
}

// TestAViewThatMayNotBeReadIsNotListed: a rule without "views: allow" lets no view be
// read, so no answer tells of one, whatever the directory lists.
func TestAViewThatMayNotBeReadIsNotListed(t *testing.T) {
	t.Parallel()
	l := &listing{}
	for name, kind := range map[string]catalog.Kind{"orders": catalog.KindTable, "secret_view": catalog.KindView} {
		l.tables = append(l.tables, catalog.Table{
			Name: catalog.Name{Region: "w", Schema: "shop", Table: name}, Kind: kind, Columns: []catalog.Column{{Name: "secret_column", Type: "bigint"}},
		})
	}
	scope := resolve.Scope{Catalog: resolve.NewTables(l.tables), DefaultRegion: "w", DefaultSchema: "shop"}
	listed := []string{"show tables", "select * from information_schema.tables", "select * from information_schema.columns", "select * from information_schema.views"}
	described := []string{"describe secret_view", "show create table secret_view"}
	for rules, allowed := range map[string]bool{"rules: [{name: all}]": false, "rules: [{name: all, views: allow}]": true} {
		g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, rules), Directory: l})
		for _, statement := range listed {
			approved, err := g.Approve(t.Context(), bob(), statement, scope)
			require.NoError(t, err, statement)
			require.Equal(t, allowed, strings.Contains(approved.SQL(), "secret_view"), "%s under %s: %s", statement, rules, approved.SQL())
		}
		for _, statement := range described {
			approved, err := g.Approve(t.Context(), bob(), statement, scope)
			if allowed {
				require.NoError(t, err, statement)
				require.Contains(t, approved.SQL(), "secret_column")
				continue
			}
			var refusal *guard.Refusal
			require.ErrorAs(t, err, &refusal, statement)
			require.Equal(t, string(resolve.TableNotFound), refusal.Code, statement)
		}
	}
}
