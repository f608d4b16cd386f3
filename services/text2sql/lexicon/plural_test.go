package lexicon

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPluralsAndSingulars(t *testing.T) {
	t.Parallel()
	for one, many := range map[string]string{
		"order": "orders", "order item": "order items", "box": "boxes", "branch": "branches", "dish": "dishes",
		"city": "cities", "day": "days", "child": "children", "half": "halves", "shop owner": "shop owners",
	} {
		require.Equal(t, many, Plural(one), one)
		if one != "quiz" {
			require.Equal(t, one, Singular(many), many)
		}
	}
	for _, same := range []string{"orders", "bus", "glass", "订单", "children", ""} {
		require.Equal(t, same, Plural(same), same)
	}
	for _, same := range []string{"bus", "glass", "gas", "analysis", "订单", "", "order"} {
		require.Equal(t, same, Singular(same), same)
	}
	require.Equal(t, "glass", Singular("glasses"))
	require.Equal(t, "tie", Singular("ties"), "too short for a y")
}

func TestShorthand(t *testing.T) {
	t.Parallel()
	l, err := Load()
	require.NoError(t, err)
	require.Equal(t, []string{"customer"}, l.Expand([]string{"customer"}), "no shorthand stays")
	expanded := l.Expand([]string{"avg", "fee"})
	require.Equal(t, "fee", expanded[len(expanded)-1])
	require.Empty(t, l.Full("customer"))
	require.False(t, l.Synonymous("fee", "giraffe"))
}
