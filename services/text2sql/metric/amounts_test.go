package metric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// TestAmounts reads numbers with their scales; what is a part of a word is none.
func TestAmounts(t *testing.T) {
	t.Parallel()
	lex, err := lexicon.Load()
	require.NoError(t, err)
	words, err := LoadWords(lex)
	require.NoError(t, err)
	for text, want := range map[string][]string{
		"over 1,000 buyers":      {"1000"},
		"above 2.5 million":      {"2500000"},
		"at least $10k":          {"10000"},
		"more than 5%":           {"0.05"},
		"more than 12.5 percent": {"0.125"},
		"the 3rd of 2x4":         nil,
		"for 5 months":           {"5"},
		"超过100万":                 {"1000000"},
		"两百五十万以上":                {"2500000"},
		"不到三千零五":                 {"3005"},
		"大于1.5亿元":                {"150000000"},
		"一个":                     nil,
	} {
		var got []string
		for _, a := range words.amounts.find(text, token.Split(text, words.dict)) {
			got = append(got, a.text())
		}
		require.Equal(t, want, got, text)
	}
}

// TestEarlier moves days by units, and ranges with their ends.
func TestEarlier(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		day, unit string
		n         int
		want      string
	}{
		{"2026-03-31", "month", 1, "2026-02-28"},
		{"2024-02-29", "year", 1, "2023-02-28"},
		{"2026-01-15", "quarter", 1, "2025-10-15"},
		{"2026-11-20", "week", 2, "2026-11-06"},
		{"2026-03-01", "day", 1, "2026-02-28"},
		{"", "day", 1, ""},
	} {
		require.Equal(t, c.want, earlier(c.day, c.unit, c.n), "%s %d %s", c.day, c.n, c.unit)
	}
	require.Equal(t, "2026-03-01", earlierEnd("2026-04-01", "month", 1), "a whole month ends with the month")
	require.Equal(t, "2026-03-01", earlierEnd("2026-03-31", "month", 1), "up to the 30th is up to the last of February")
}
