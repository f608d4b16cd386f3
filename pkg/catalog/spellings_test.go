package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestSpellings: values that differ by case and blanks alone are one thing written in two ways; codes of one
// letter are two.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []string
		a, b   string
	}{
		{[]string{"Card", "cash", "card "}, "Card", "card "},
		{[]string{"Top  rope", "lead", "top rope"}, "Top  rope", "top rope"},
		{[]string{"Card", "Cards"}, "", ""},
		{[]string{"f", "F"}, "", ""},
		{[]string{"", " "}, "", ""},
		{nil, "", ""},
	} {
		a, b, ok := catalog.Spellings(c.values)
		require.Equal(t, []any{c.a, c.b, c.a != ""}, []any{a, b, ok}, c.values)
	}
}
