package findata

import (
	"testing"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

// TestAnAbsentNounSpeaksAgainstASource: a noun that no table knows is what is asked for, beside a
// mart's own word too, and in Chinese; a verb, an adjective, or a noun that a table knows, says
// nothing of the kind.
func TestAnAbsentNounSpeaksAgainstASource(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	require.Less(t, s.about.weights[signAbsent], 0.0)
	require.Less(t, s.about.weights[signLacking], 0.0)
	for ask, want := range map[string]findatav1.DiscoverOutcome{
		"shop violin counts":             findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK,
		"商品的会议室":                         findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK,
		"商品的价格":                          findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		"violins of the sellers":         findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK,
		"price of a violin":              findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK,
		"price of a furry thing":         findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		"sellers that shipped carefully": findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		"price of a product":             findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
	} {
		require.Equal(t, want, discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask}).GetOutcome(), ask)
	}
}
