package answer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/mark"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval/facet"
	"github.com/dibrain/dibrain/services/findata/filter"
	"github.com/dibrain/dibrain/services/findata/rank"
)

func TestReasonsTellTheFacetsThatWereAskedFor(t *testing.T) {
	t.Parallel()
	w, err := New(Config{LateAfter: time.Hour})
	require.NoError(t, err)
	chosen := filter.Chosen{
		Ranked:  rank.Ranked{Table: &catalog.Table{}},
		Country: "BR",
		Facets:  []facet.Value{{Facet: mark.Country, Value: "BR"}, {Facet: mark.Layer, Value: mark.LayerSummary}, {Facet: mark.Snapshot, Value: mark.SnapshotIncrement}},
	}
	require.Equal(t, []string{"covers BR", "summary layer, as asked", "increment of new and changed rows, as asked"}, w.Reasons(lang.English, chosen, nil, time.Time{}))
	require.Equal(t, []string{"覆盖 BR", "符合所问的汇总层", "符合所问的增量表（新增和变更）"}, w.Reasons(lang.Chinese, chosen, nil, time.Time{}))
}

// TestFacetsHaveNames finds a name in both languages for each value of a facet.
func TestFacetsHaveNames(t *testing.T) {
	t.Parallel()
	w, err := New(Config{LateAfter: time.Hour})
	require.NoError(t, err)
	for f, values := range map[mark.Facet][]string{
		mark.Layer:    {mark.LayerRaw, mark.LayerDetail, mark.LayerSummary, mark.LayerApplication, mark.LayerDimension},
		mark.Snapshot: {mark.SnapshotIncrement, mark.SnapshotFull, mark.SnapshotHourly, mark.SnapshotRealtime, mark.SnapshotHistory, mark.SnapshotWeekly, mark.SnapshotMonthly},
		mark.Copy:     {mark.CopyBackup, mark.CopyTemporary, mark.CopyStaging, mark.CopyOld, mark.CopyTest},
	} {
		for _, v := range values {
			require.NotEmpty(t, w.facets[f.String()][v].En, v)
			require.NotEmpty(t, w.facets[f.String()][v].Zh, v)
		}
	}
}
