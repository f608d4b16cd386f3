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

// loose is a directory that lists all it has, whatever is asked for.
type loose struct{ tables []catalog.Table }

func (l loose) Tables(context.Context, guard.Filter, int) ([]catalog.Table, bool, error) {
	return l.tables, false, nil
}

func looseTables(names ...string) loose {
	var l loose
	for _, name := range names {
		schema, table, _ := strings.Cut(name, ".")
		l.tables = append(l.tables, catalog.Table{
			Name: catalog.Name{Region: "w", Schema: schema, Table: table}, Columns: []catalog.Column{{Name: "of_" + schema + "_" + table, Type: "bigint"}},
		})
	}
	return l
}

// TestAnAnswerIsAboutWhatWasAsked: what a directory lists beside it is left out, and a
// name that fits two tables describes neither.
func TestAnAnswerIsAboutWhatWasAsked(t *testing.T) {
	t.Parallel()
	g := guard.New(guard.Config{}).Under(guard.Terms{Directory: looseTables("shop.orders", "shop.Lines", "shop.lines", "hr.salary", "hr.staff")})
	scope := resolve.Scope{Catalog: resolve.NewTables(nil), DefaultRegion: "w", DefaultSchema: "shop"}
	for statement, want := range map[string][]string{
		"show tables":         {"orders", "Lines", "lines"},
		"show tables from hr": {"salary", "staff"},
		"show tables from no": {},
		"describe orders":     {"of_shop_orders"},
		"describe hr.staff":   {"of_hr_staff"},
		"select table_name from information_schema.tables where table_schema = 'hr'": {"salary", "staff"},
		"select * from information_schema.columns where table_name = 'staff'":        {"of_hr_staff"},
	} {
		approved, err := g.Approve(t.Context(), alice(), statement, scope)
		require.NoError(t, err, statement)
		for _, name := range []string{"orders", "Lines", "lines", "salary", "staff"} {
			named := slices.ContainsFunc(want, func(w string) bool { return w == name || strings.HasSuffix(w, "_"+name) })
			require.Equal(t, named, strings.Contains(approved.SQL(), "'"+name+"'") || strings.Contains(approved.SQL(), "_"+name+"'"), "%s of %s: %s", name, statement, approved.SQL())
		}
	}
	for _, statement := range []string{"describe lines", "describe LINES", "show create table shop.Lines", "describe shop.salary", "describe nothing"} {
		_, err := g.Approve(t.Context(), alice(), statement, scope)
		var refusal *guard.Refusal
		require.ErrorAs(t, err, &refusal, statement)
		require.Equal(t, string(resolve.TableNotFound), refusal.Code, statement)
	}
}

// TestTheBoundOfAnAnswer holds for every list, to the row.
func TestTheBoundOfAnAnswer(t *testing.T) {
	t.Parallel()
	listed := map[string]func(n int) loose{}
	tables := func(n int) loose {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("shop.t%d", i))
		}
		return looseTables(names...)
	}
	for _, statement := range []string{"show tables", "select * from information_schema.tables where table_schema = 'shop'", "select * from information_schema.columns where table_schema = 'shop'"} {
		listed[statement] = tables
	}
	listed["show catalogs"] = func(n int) loose {
		l := tables(n)
		for i := range l.tables {
			l.tables[i].Name.Region = fmt.Sprintf("w%d", i)
		}
		return l
	}
	const most = 7
	g := guard.New(guard.Config{MaxAnswerRows: most})
	scope := resolve.Scope{Catalog: resolve.NewTables(nil), DefaultRegion: "w", DefaultSchema: "shop"}
	for statement, of := range listed {
		for n, fits := range map[int]bool{most - 1: true, most: true, most + 1: false} {
			_, err := g.Under(guard.Terms{Directory: of(n)}).Approve(t.Context(), alice(), statement, scope)
			var refusal *guard.Refusal
			require.Equal(t, !fits, errors.As(err, &refusal) && refusal.Code == guard.CodeAnswerTooLong, "%d of %s: %v", n, statement, err)
		}
	}
}

// TestConditionsOnTheListing are compared as texts are: a name with capitals is found by
// the condition that spells it so, and by no other.
func TestConditionsOnTheListing(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	g := guard.New(guard.Config{}).Under(guard.Terms{Directory: looseTables("Shop.Orders", "shop.lines", "old.orders")})
	for condition, want := range map[string][]string{
		"table_schema = 'Shop'":                               {"Orders"},
		"table_schema = 'shop'":                               {"lines"},
		"table_name = 'orders'":                               {"orders"},
		"table_name = 'Orders'":                               {"Orders"},
		"lower(table_name) = 'orders'":                        {"Orders", "orders"},
		"table_name = ''":                                     nil,
		"table_schema = 'old' and table_name = 'lines'":       nil,
		"table_schema = 'old' or table_name = 'lines'":        {"lines", "orders"},
		"table_schema > 'a' and table_name >= 'o'":            {"orders"},
		"(table_schema = 'old') and (table_name = 'orders')":  {"orders"},
		"table_schema = 'old' and table_schema = 'shop'":      nil,
		"table_name = 'orders' and not table_schema = 'shop'": {"orders"},
	} {
		require.Equal(t, want, rowsOf(t, o, g, "select table_name from information_schema.tables where table_schema <> 'information_schema' and "+condition+" order by 1"), condition)
	}
}

// TestTheListingOfTheListing is that of the asker's own region: of another one nothing is
// listed, as there is nothing to read.
func TestTheListingOfTheListing(t *testing.T) {
	t.Parallel()
	g := guard.New(guard.Config{}).Under(guard.Terms{Directory: looseTables("shop.orders")})
	scope := resolve.Scope{Catalog: resolve.NewTables(nil), DefaultRegion: "w", DefaultSchema: "shop"}
	for statement, listed := range map[string]bool{"show tables from information_schema": true, "show tables from w.information_schema": true, "show tables from a.information_schema": false} {
		approved, err := g.Approve(t.Context(), alice(), statement, scope)
		require.NoError(t, err, statement)
		require.Equal(t, listed, strings.Contains(approved.SQL(), "'schemata'"), "%s: %s", statement, approved.SQL())
	}
}

// TestStatisticsAreWholeOrRefused: a table of which the catalog lacks one figure has no
// SHOW STATS: a NULL would be read as if it had been measured.
func TestStatisticsAreWholeOrRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rows     int64
		distinct []int64
		whole    bool
	}{
		{7, []int64{7, 2}, true}, {1, []int64{1}, true}, {-1, []int64{7, 2}, false}, {7, []int64{7, 0}, false}, {7, []int64{-1, 2}, false}, {-1, []int64{0, 0}, false}, {0, []int64{0}, false},
	} {
		l := looseTables("shop.orders")
		l.tables[0].RowCount, l.tables[0].Columns = c.rows, nil
		for i, n := range c.distinct {
			l.tables[0].Columns = append(l.tables[0].Columns, catalog.Column{Name: fmt.Sprint("c", i), Type: "bigint", Distinct: n})
		}
		g := guard.New(guard.Config{}).Under(guard.Terms{Directory: l})
		approved, err := g.Approve(t.Context(), alice(), "show stats for orders", resolve.Scope{Catalog: resolve.NewTables(nil), DefaultRegion: "w", DefaultSchema: "shop"})
		if c.whole {
			require.NoError(t, err, c)
			for i := range c.distinct {
				require.Contains(t, approved.SQL(), fmt.Sprintf("'c%d'", i))
			}
			continue
		}
		var refusal *guard.Refusal
		require.ErrorAs(t, err, &refusal, c)
		require.Equal(t, guard.CodeNotQuery, refusal.Code, c)
		require.Contains(t, refusal.Message, "no statistics of all columns of w.shop.orders")
	}
}
