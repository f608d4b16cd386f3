package result_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/result"
)

// TestNumbersBesideEachOtherAreAlike: each group has the decimals of the one that has most, and
// what has none by its nature gets none.
func TestNumbersBesideEachOtherAreAlike(t *testing.T) {
	t.Parallel()
	percent := func(text string) string { return result.InGroup(text, result.Percentages) }
	number := func(text string) string { return result.InGroup(text, result.ColumnGroup(3)) }
	for _, c := range [][2]string{
		{percent("12.3%") + " against " + percent("9%") + ".", "12.3% against 9.0%."},
		{percent("50%") + " and " + percent("25%"), "50% and 25%"},
		{percent("-9%") + ", " + percent("12.3%") + ", " + percent("0%") + ", " + percent("0.012%") + ", " + percent("1,234%"), "-9.0%, 12.3%, 0%, 0.012%, 1,234%"},
		{number("1,234") + " USD, " + number("3.5") + " and " + number("3.27") + ", " + percent("9%"), "1,234.00 USD, 3.50 and 3.27, 9%"},
		{number("5") + ", " + number("0.0123") + ", " + number("1.2e7") + " and " + number("0"), "5, 0.0123, 1.2e7 and 0"},
		{number("5") + " beside " + result.InGroup("2.25", result.ColumnGroup(4)), "5 beside 2.25"},
		{percent("+9%") + " to " + percent("−12.3%"), "+9.0% to −12.3%"},
		{"no number", "no number"},
		{"", ""},
	} {
		require.Equal(t, c[1], result.Alike(c[0]))
	}
	require.Equal(t, []string{"9.0%", "none", "12.3%"}, result.AlikeIn(percent("9%"), "none", percent("12.3%")))
	require.Empty(t, result.AlikeIn())
}

// TestNumbersOfATableAreAlike: one below the other they have their points in one line.
func TestNumbersOfATableAreAlike(t *testing.T) {
	t.Parallel()
	for _, c := range [][2][]string{
		{{"9.47%", "8.3%", "0%", "NULL"}, {"9.47%", "8.30%", "0.00%", "NULL"}},
		{{"12", "3.5", "-1.25", "NaN", "1e+20", "0.0001234"}, {"12.00", "3.50", "-1.25", "NaN", "1e+20", "0.0001234"}},
		{{"1 pp", "-2.05 pp"}, {"1.00 pp", "-2.05 pp"}},
		{{"1", "2"}, {"1", "2"}},
		{{"", "2026-01", "1.5"}, {"", "2026-01", "1.5"}},
		{nil, nil},
	} {
		var cells []*string
		for i := range c[0] {
			cells = append(cells, &c[0][i])
		}
		result.AlikeColumn(cells)
		require.Equal(t, c[1], c[0])
	}
}
