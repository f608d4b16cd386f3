package cost_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/cost"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// TestPrunes: a predicate that all stored values keep leaves out no partition;
// where they are not known, a long or open range leaves out none either.
func TestPrunes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	days := catalog.Column{Name: "p", Type: "date", Partition: true, Distinct: 2, Samples: []string{"2026-11-01", "2026-11-02"}}
	unknown := catalog.Column{Name: "p", Type: "date", Partition: true}
	some := catalog.Column{Name: "p", Type: "date", Partition: true, Distinct: 400, Samples: days.Samples} // of many more
	text := catalog.Column{Name: "p", Type: "varchar", Partition: true}
	for _, c := range []struct {
		column catalog.Column
		where  string
		want   bool
	}{
		{days, "p > DATE '1970-01-01'", false},
		{days, "p >= DATE '2026-11-01'", false},
		{days, "p > DATE '2026-11-01'", true},
		{days, "p <= DATE '2026-11-01'", true},
		{days, "p < DATE '2027-01-01'", false},
		{days, "p IN (DATE '2026-11-01', DATE '2026-11-02')", false},
		{some, "p >= DATE '2026-11-01'", true},
		{some, "p <= DATE '2026-11-01'", false},
		{unknown, "p > DATE '1970-01-01'", false},
		{unknown, "p >= DATE '2026-11-01'", true},
		{unknown, "p >= current_date - INTERVAL '7' DAY", true},
		{unknown, "p < DATE '2026-11-01'", false},
		{unknown, "p IS NOT NULL", false},
		{unknown, "p = DATE '1971-01-01'", true},
		{unknown, "p BETWEEN DATE '1971-01-01' AND DATE '1971-12-31'", true},
		{unknown, "p BETWEEN DATE '1971-01-01' AND DATE '2099-12-31'", false},
		{unknown, "p <> DATE '2026-11-01'", false},
		{text, "p >= '2026-11-01'", true},
		{text, "p > '19700101'", false},
		{text, "p > ''", false},
		{text, "p >= 'a' AND p < 'b'", true},
		{text, "x = 1", false},
		{some, "p = DATE '2026-11-01'", true},
		{some, "p > DATE '1970-01-01'", false},
		{days, "p >= current_date - INTERVAL '7' DAY AND p > DATE '2026-11-01'", true},
		{unknown, "p <= date_add('day', -1, current_date)", false},
		{unknown, "p >= DATE '2016-11-13'", true},
		{unknown, "p >= DATE '2016-11-12'", false},
		{unknown, "p = DATE '2026-11-01' AND p = DATE '2026-11-02'", true},
		{text, "p >= '20261101'", true},
		{text, "p >= '19700101'", false},
		{text, "p >= '2026-11'", true},
		{text, "p >= '202611'", true},
		{text, "p >= '2026/11/01'", true},
		{text, "p >= '20261101_05'", true},
		{text, "p >= '2026-11-01-05'", true},
	} {
		table := catalog.Table{Name: catalog.Name{Region: "w", Schema: "s", Table: "t"}, Columns: []catalog.Column{c.column, {Name: "x", Type: "bigint"}}}
		stmt, err := parser.Parse("SELECT x FROM t WHERE " + c.where)
		require.NoError(t, err)
		r, diagnostics := resolve.Resolve(stmt, resolve.Scope{Catalog: resolve.NewTables([]catalog.Table{table}), DefaultRegion: "w", DefaultSchema: "s"})
		require.Empty(t, diagnostics)
		reads := cost.Reads(r, cost.Options{Now: now})
		require.Len(t, reads, 1)
		require.Equal(t, c.want, reads[0].Prunes("p", now, 3_660), "%s of %s %v", c.where, c.column.Type, c.column.Samples)
	}
}
