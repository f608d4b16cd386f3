package mark_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog/mark"
)

// read returns the marks of tables of one schema by name.
func read(tables ...string) map[string]mark.Marks {
	names := make([]mark.Name, len(tables))
	for i, t := range tables {
		names[i] = mark.Name{Schema: "s", Table: t}
	}
	marks := make(map[string]mark.Marks, len(tables))
	for i, m := range mark.Read(names) {
		marks[tables[i]] = m
	}
	return marks
}

func TestTwinsProveMarks(t *testing.T) {
	t.Parallel()
	m := read("orders", "dwd_orders_br_di", "dwd_orders_sg_df", "dws_orders_id", "ads_orders", "orders_bak_20240131", "tmp_orders", "stg_orders", "orders_test",
		"OrdersOld", "visits_2023", "visits_2024", "gmv_1d", "gmv_30d", "fact", "in_br", "in_sg", "gsod1946", "gsod1947", "part_1", "part_2", "part_3")
	for table, want := range map[string]struct {
		base, stem string
		facet      mark.Facet
		value      string
	}{
		"orders":              {"orders", "orders", mark.Copy, ""},
		"dwd_orders_br_di":    {"orders", "dwd_orders", mark.Country, "BR"},
		"dwd_orders_sg_df":    {"orders", "dwd_orders", mark.Snapshot, mark.SnapshotFull},
		"dws_orders_id":       {"orders", "dws_orders", mark.Country, "ID"},
		"ads_orders":          {"orders", "ads_orders", mark.Layer, mark.LayerApplication},
		"orders_bak_20240131": {"orders", "orders", mark.Copy, mark.CopyBackup},
		"tmp_orders":          {"orders", "orders", mark.Copy, mark.CopyTemporary},
		"stg_orders":          {"orders", "orders", mark.Copy, mark.CopyStaging},
		"orders_test":         {"orders", "orders", mark.Copy, mark.CopyTest},
		"OrdersOld":           {"orders", "orders", mark.Copy, mark.CopyOld},
		"visits_2023":         {"visits", "visits", mark.Period, "2023"},
		"gmv_30d":             {"gmv", "gmv_30d", mark.Window, "30d"},
		"gsod1947":            {"gsod", "gsod", mark.Period, "1947"},
		"part_3":              {"part", "part", mark.Period, "3"},
		"in_br":               {"in", "in", mark.Country, "BR"},
		"fact":                {"fact", "fact", mark.Layer, ""},
	} {
		got := m[table]
		require.Equal(t, want.base, got.Base, table)
		require.Equal(t, want.stem, got.Stem, table)
		require.Equal(t, want.value, got.Of(want.facet), table)
	}
	require.Equal(t, "Orders", m["OrdersOld"].Text)
	require.Equal(t, "BR", m["dwd_orders_br_di"].Values[mark.Country])
	require.Equal(t, "20240131", m["orders_bak_20240131"].Values[mark.Period])
}

func TestWordsAreNoMarks(t *testing.T) {
	t.Parallel()
	for _, tables := range [][]string{
		{"driving_test", "students"},
		{"person", "person_id"},              // an identifier, not Indonesia
		{"sales_ca", "sales_de", "sales_tx"}, // states, not Canada and Germany
		{"ads_campaign", "ads_budget"}, {"customer_full"}, {"level_1", "level_2"}, {"check_in", "check"},
		{"old_masters", "temp_readings", "report_cards", "raw_materials"}, {"tourist_in", "tourist_id"},
	} {
		for table, m := range read(tables...) {
			require.True(t, m.Plain(), "%s: %v", table, m.Values)
		}
	}
}

func TestConventionCarriesOver(t *testing.T) {
	t.Parallel()
	m := read("a_br", "a_sg", "b_br", "b_sg", "c_br", "c_sg", "lonely_br", "lonely_id")
	lonely := m["lonely_br"]
	require.Equal(t, "BR", lonely.Of(mark.Country), "other tables prove the code")
	lonely = read("a_br", "a_sg", "lonely_br")["lonely_br"]
	require.Empty(t, lonely.Of(mark.Country), "one pair of twins proves nothing elsewhere")
}

func TestTheCatalogsWordCounts(t *testing.T) {
	t.Parallel()
	m := mark.Read([]mark.Name{
		{Schema: "s", Table: "dws_gmv_1d__id_s0_live", Country: "ID", Layer: "DWS", Manifest: "s.dws_gmv_1d__{cid}_s0_live"},
		{Schema: "s", Table: "dws_gmv_1d__sg_s0_live"},
		{Schema: "s", Table: "stores_no", Country: "NO"},
	})
	require.Equal(t, "ID", m[0].Of(mark.Country))
	require.Equal(t, mark.LayerSummary, m[0].Of(mark.Layer))
	require.Equal(t, m[0].Stem, m[1].Stem)
	require.Equal(t, "SG", m[1].Of(mark.Country))
	require.Equal(t, "stores", m[2].Base)
}

func TestWordsWithoutVowelsAreTwinsOfTheWhole(t *testing.T) {
	t.Parallel()
	m := read("Participants_in_Events", "dwd_prtcpnts_in_evnts_br", "dwd_prtcpnts_in_evnts_sg", "ct", "cat", "cut")
	require.Equal(t, "participants_in_events", m["dwd_prtcpnts_in_evnts_br"].Base)
	require.Equal(t, "Participants_in_Events", m["dwd_prtcpnts_in_evnts_br"].Text)
	require.Equal(t, "ct", m["ct"].Base, "too short, and two may be meant")
}

func BenchmarkRead(b *testing.B) {
	var names []mark.Name
	for i := range 2_000 {
		for _, layer := range []string{"", "dwd_", "dws_", "ads_"} {
			for _, end := range []string{"", "_br", "_sg", "_br_di", "_sg_di", "_df"} {
				names = append(names, mark.Name{Schema: fmt.Sprint("schema", i%100), Table: fmt.Sprint(layer, "customer_order_", i, "_item", end)})
			}
		}
	}
	names = append(names, names[:2_000]...)
	b.ReportMetric(float64(len(names)), "tables")
	for b.Loop() {
		mark.Read(names)
	}
}
