package chinese_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/chinese"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

func TestConfidence(t *testing.T) {
	t.Parallel()
	c, err := chinese.LoadConfidence()
	require.NoError(t, err)
	item := func(tag, text string) *link.Item { return &link.Item{Text: text, Tags: []lexicon.Tag{{Name: tag}}} }
	with, not, most := item("rel", "with"), item("not", "without"), item("super", "most")
	last := 0.0
	for _, english := range []float64{0, 0.2, 0.5, 0.6, 0.8, 0.9, 0.97, 1} {
		got := c.Of(english, nil)
		require.GreaterOrEqual(t, got, last, "it rises with that in English")
		require.LessOrEqual(t, got, english, "and is never higher")
		last = got
	}
	require.Less(t, c.Of(0.8, []*link.Item{with, with}), c.Of(0.8, []*link.Item{with}))
	require.Less(t, c.Of(0.8, []*link.Item{with}), c.Of(0.8, []*link.Item{with, not}))
	require.Less(t, c.Of(0.8, []*link.Item{with}), c.Of(0.8, []*link.Item{with, most}))
}
