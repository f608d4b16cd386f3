package chatbi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestPartitionsAreCounted: by what the engine says that it reads, else by the
// statement's conditions; where one column is open nothing is told.
func TestPartitionsAreCounted(t *testing.T) {
	t.Parallel()
	table := catalog.Table{Name: catalog.Name{Region: "sg", Schema: "mart", Table: "hits"}, RowCount: 1000, Columns: []catalog.Column{
		{Name: "day", Type: "date", Partition: true}, {Name: "country", Type: "varchar", Partition: true}, {Name: "n", Type: "bigint"},
	}}
	scope := resolve.Scope{Catalog: resolve.NewTables([]catalog.Table{table}), DefaultRegion: "sg", DefaultSchema: "mart"}
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	at := func(low, high string, inclusive bool) warehouse.Range {
		return warehouse.Range{Low: warehouse.Bound{Value: low, Bounded: low != "", Inclusive: true}, High: warehouse.Bound{Value: high, Bounded: high != "", Inclusive: inclusive}}
	}
	scan := func(days, countries []warehouse.Range) []warehouse.Scan {
		return []warehouse.Scan{{Table: "sg.mart.other"}, {Table: "sg.mart.hits", Constraints: []warehouse.Constraint{{Column: "DAY", Ranges: days}, {Column: "country", Ranges: countries}}}}
	}
	const open, both = "SELECT n FROM hits", "SELECT n FROM hits WHERE day >= DATE '2026-11-01' AND day < DATE '2026-11-11' AND country IN ('SG', 'TH')"
	for _, c := range []struct {
		sql   string
		scans []warehouse.Scan
		want  int64
	}{
		{open, nil, 0},
		{both, nil, 20},
		{"SELECT n FROM hits WHERE day = DATE '2026-11-01'", nil, 0},
		{"SELECT n FROM hits WHERE day >= DATE '2026-11-01' AND country = 'SG'", nil, 0},
		{both + " UNION ALL " + both, nil, 40},
		{"SELECT 1", nil, 0},
		{open, scan([]warehouse.Range{at("2026-11-01", "2026-11-03", true)}, []warehouse.Range{at("SG", "SG", true)}), 3},
		{open, scan([]warehouse.Range{at("2026-11-01", "2026-11-03", false), at("2026-12-01", "2026-12-01", true)}, []warehouse.Range{at("SG", "SG", true), at("TH", "TH", true)}), 6},
		{open, scan([]warehouse.Range{at("2026-11-01", "", false)}, []warehouse.Range{at("SG", "SG", true)}), 0},
		{open, scan([]warehouse.Range{at("2026-11-01", "2026-11-03", true)}, []warehouse.Range{at("SG", "TH", true)}), 0},
		{both, scan([]warehouse.Range{at("2026-11-01", "2026-11-03", true)}, nil), 6},
	} {
		approved, err := guard.New(guard.Config{}).Approve(t.Context(), run.Principal{ID: "bob"}, c.sql, scope)
		require.NoError(t, err)
		require.Equal(t, c.want, partitions(approved, c.scans, now), "%s %v", c.sql, c.scans)
	}
}

// TestTheCostIsToldWithBytesAndPartitions where they are known.
func TestTheCostIsToldWithBytesAndPartitions(t *testing.T) {
	t.Parallel()
	config, err := Config{}.Complete()
	require.NoError(t, err)
	config.Cost.AskBytes = 10 << 30
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	s := serving(config, &Service{analyst: analyst})
	tables := []catalog.Name{{Region: "sg", Schema: "mart", Table: "hits"}}
	for _, c := range []struct {
		e    Estimate
		l    lang.Language
		want string
	}{
		{Estimate{Rows: 6000, Bytes: -1}, lang.English, "This would read about 6,000 rows from sg.mart.hits. Run it?"},
		{Estimate{Rows: 6000, Bytes: 5 << 30}, lang.English, "This would read about 6,000 rows (5 GiB) from sg.mart.hits. Run it?"},
		{Estimate{Rows: 6000, Bytes: -1, Partitions: 1}, lang.English, "This would read about 6,000 rows (1 partition) from sg.mart.hits. Run it?"},
		{Estimate{Rows: 6000, Bytes: 5 << 30, Partitions: 30}, lang.English, "This would read about 6,000 rows (5 GiB in 30 partitions) from sg.mart.hits. Run it?"},
		{Estimate{Rows: 6000, Bytes: 11 << 30, Partitions: 30}, lang.English, "This would read about 11 GiB (30 partitions) from sg.mart.hits. Run it?"},
		{Estimate{Rows: 6000, Bytes: 5 << 30, Partitions: 30}, lang.Chinese, "这将从sg.mart.hits读取约6,000行数据（5 GiB，30个分区）。要执行吗？"},
	} {
		require.Equal(t, c.want, s.costText(CostAsk, c.e, tables, c.l))
	}
	require.Contains(t, s.costText(CostAsk, Estimate{Rows: -1, Bytes: -1}, tables, lang.English), "is not known")
}
