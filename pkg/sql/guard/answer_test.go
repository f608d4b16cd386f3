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
