package eval

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRank(t *testing.T) {
	t.Parallel()
	second := 1 / math.Log2(3)
	for name, tc := range map[string]struct {
		ids, gold []string
		want      ranking
	}{
		"nothing found":   {[]string{"a", "b"}, []string{"c"}, ranking{}},
		"no answer":       {nil, []string{"c"}, ranking{}},
		"first, any case": {[]string{"DB.A", "b"}, []string{"db.a"}, ranking{1, 1, 1, 1, 1, 1}},
		"second of one":   {[]string{"x", "a"}, []string{"a"}, ranking{0, 1, 0.5, second, 1, 1}},
		"one of two":      {[]string{"a", "x"}, []string{"a", "b"}, ranking{1, 1, 1, 1 / (1 + second), 0.5, 0}},
		"sixth":           {[]string{"1", "2", "3", "4", "5", "a"}, []string{"a"}, ranking{0, 0, 1.0 / 6, 0, 1, 1}},
		"eleventh":        {[]string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "a"}, []string{"a"}, ranking{}},
		"told twice":      {[]string{"a", "A"}, []string{"a", "b"}, ranking{1, 1, 1, 1 / (1 + second), 0.5, 0}},
		"gold twice":      {[]string{"a"}, []string{"a", "A"}, ranking{1, 1, 1, 1, 1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := rank(tc.ids, tc.gold)
			require.InDeltaSlice(t, values(tc.want), values(got), 1e-9)
		})
	}
}

func values(r ranking) []float64 {
	return []float64{r.hit1, r.hit5, r.mrr10, r.ndcg5, r.recall10, r.full10}
}

func TestFamiliesStandOnceAtTheirBestPlace(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"s.e_#", "s.f"}, familiesOf([]string{"S.E_2023", "s.f", "s.e_2024"}))
}

func TestAddRankingsCountsFailuresAsZero(t *testing.T) {
	t.Parallel()
	m := make(map[string]float64)
	addRankings(m, ".x", []ranking{{hit1: 1, recall10: 0.5}, {}})
	require.Equal(t, 0.5, m["hit@1.x"])
	require.Equal(t, 0.25, m["recall@10.x"])
}
