package reader

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// TestTheShortlistIsTheBeginningOfTheOrder by cost, of as many steps as a beam holds, and steps that cost
// the same stay as they came.
func TestTheShortlistIsTheBeginningOfTheOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(14, 0))
	for n := range 4 * beamWidth {
		all := make([]step, n)
		var list shortlist
		for i := range all {
			all[i] = step{cost: float64(random.IntN(beamWidth)), hit: schema.Hit{Score: float64(i)}}
			takes, before := list.takes(all[i].cost), slices.Clone(list)
			list.add(all[i])
			require.Equal(t, takes, !slices.Equal(before, list), "what is not taken changes nothing")
		}
		slices.SortStableFunc(all, func(a, b step) int { return cmp.Compare(a.cost, b.cost) })
		require.Equal(t, all[:min(n, beamWidth)], append([]step{}, list...))
	}
}

// TestANameIsReadByWhatItIsTakenFor each time anew, though what it stands for is kept.
func TestANameIsReadByWhatItIsTakenFor(t *testing.T) {
	t.Parallel()
	of := &schema.Table{Entity: &semantic.Entity{Names: semantic.Text{EN: "honey delivery"}}}
	town := &schema.Column{Of: of, Dimension: &semantic.Dimension{Names: semantic.Text{EN: "hive town"}}}
	it := &item{text: "hive towns", class: className}
	taken := func(h schema.Hit) thing { return chosen{hits: map[*item]schema.Hit{it: h}}.thing(it) }
	for range 2 {
		require.Equal(t, thing{column: town, key: true, many: true}, taken(schema.Hit{Column: town, Score: 1}))
		require.Equal(t, thing{column: town, key: true, many: true, owned: true, partly: true}, taken(schema.Hit{Column: town, Owned: true}))
		require.Equal(t, thing{table: of}, taken(schema.Hit{Table: of, Score: 1}))
	}
	require.Equal(t, thing{}, chosen{}.thing(nil))
	unknown := &item{text: "thingamajig", class: classUnknown}
	require.Equal(t, thing{rows: unknown}, chosen{}.thing(unknown))
}
