package lexical_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	d, err := lexical.NewDocuments([]string{"name", "text"}, 3)
	require.NoError(t, err)
	gmv, seller := d.Intern("gmv"), d.Intern("seller")
	require.Equal(t, gmv, d.Intern("gmv"))
	d.Add(lexical.Labels{Schema: "s"}, [][]int32{{seller, gmv}, {gmv, gmv, gmv, seller}})
	d.Add(lexical.Labels{}, [][]int32{{gmv}, nil})
	require.Equal(t, 2, d.Size())
	require.Equal(t, 2, d.Frequency(gmv))
	require.Equal(t, 1, d.Frequency(seller))
	require.Equal(t, "s", d.Labels(0).Schema)
	require.Equal(t, lexical.Document{
		Labels: lexical.Labels{Schema: "s"},
		Fields: map[string][]string{"name": {"gmv", "seller"}, "text": {"gmv", "gmv", "gmv"}},
	}, d.Document(0), "of the text three terms count")
	var read [][3]int
	for _, p := range d.Of(0) {
		read = append(read, [3]int{int(p.Term), p.Field(), p.Count()})
	}
	require.Equal(t, [][3]int{{int(gmv), 0, 1}, {int(gmv), 1, 3}, {int(seller), 0, 1}}, read)
	_, known := d.ID("zzz")
	require.False(t, known)
	_, err = lexical.NewDocuments(nil, 0)
	require.ErrorContains(t, err, "0 fields")
}

func TestManyOccurrencesAreBounded(t *testing.T) {
	t.Parallel()
	terms := make([]int32, 5000)
	postings := lexical.Postings([][]int32{terms}, len(terms))
	require.Len(t, postings, 1)
	require.Equal(t, 4095, postings[0].Count())
}

// Shards of one table make none of its words common.
func TestRarityCountsFamilies(t *testing.T) {
	t.Parallel()
	d, err := lexical.NewDocuments([]string{"name"}, 0)
	require.NoError(t, err)
	shard, other := d.Intern("shard"), d.Intern("other")
	for range 8 {
		d.Add(lexical.Labels{}, [][]int32{{shard}})
	}
	d.Add(lexical.Labels{}, [][]int32{{other}})
	cfg, err := lexical.Config{Fields: map[string]lexical.Field{"name": {Weight: 1}}}.Complete()
	require.NoError(t, err)
	alone := lexical.NewScorer(cfg, d, nil)
	require.Less(t, alone.Rarity(shard), alone.Rarity(other))
	families := lexical.NewScorer(cfg, d, []int32{1, 1, 1, 1, 1, 1, 1, 1, 2})
	require.InDelta(t, families.Rarity(other), families.Rarity(shard), 1e-9)
}
