package examples

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeys: questions that differ only in how they are written have one key.
func TestKeys(t *testing.T) {
	t.Parallel()
	p, err := NewParser()
	require.NoError(t, err)
	for key, questions := range map[string][]string{
		"visitors of 1234.5":   {"Visitors of 1,234.50", "visitors, of 1234.5!", "ＶＩＳＩＴＯＲＳ of 01234.5"},
		"orders on 2030-01-02": {"orders on 2030-1-2", "Orders on 2030-01-02?"},
		"top 10 shop":          {"top10 shop", "Top 10 shop's", "top ten shop"},
		"tax > 0":              {"tax > 0.0", "tax>0", "TAX > 000"},
		"各 省 gmv 订 单":          {"各省GMV订单", "各省 gmv、订单。"},
		"a != 5 %":             {"a != 5%", "A != 5.00 %"},
		"x_1 don't topaz":      {"x_1 don't topaz"},
		"":                     {"", "?!", "、。"},
	} {
		for _, q := range questions {
			require.Equal(t, key, p.Parse(q).Key, q)
		}
	}
	different := []string{"tax > 5", "tax < 5", "tax >= 5", "tax 5", "tax 5 %", "tax $5", "tax -5 5"}
	seen := map[string]string{}
	for _, q := range different {
		key := p.Parse(q).Key
		require.Empty(t, seen[key], "%s and %s", q, seen[key])
		seen[key] = q
	}
}

func TestValuesThatFit(t *testing.T) {
	t.Parallel()
	p, err := NewParser()
	require.NoError(t, err)
	for text, want := range map[string]bool{
		"a b c d e": true, "a b c d e f": false, strings.Repeat("字", 10): true, strings.Repeat("字", 11): false,
		strings.Repeat("字", 10) + " a b c d e": true, strings.Repeat("字", 10) + " a b c d e f": false,
	} {
		require.Equal(t, want, valueFits(p.cut(text)), text)
	}
	for text, want := range map[string]string{"New York": "new york", "上海 浦东": "上海浦东", "A座 b": "a 座 b", "5 roads": "5 roads", "": ""} {
		require.Equal(t, want, joined(p.cut(text)), text)
	}
}

// TestFillersSayNothing: the content of a question stays the same with words around it
// that only ask.
func TestFillersSayNothing(t *testing.T) {
	t.Parallel()
	p, err := NewParser()
	require.NoError(t, err)
	require.NotEmpty(t, p.fillers)
	for i, filler := range p.fillers {
		require.NotEmpty(t, filler)
		if i > 0 {
			require.GreaterOrEqual(t, len(p.fillers[i-1]), len(filler), "the longest first")
		}
		require.Empty(t, p.withoutFillers(filler), joined(filler))
		zyzzyva := word{"zyzzyva", kindWord}
		require.Equal(t, []word{zyzzyva, zyzzyva}, p.withoutFillers(append(append([]word{zyzzyva}, filler...), zyzzyva)), joined(filler))
	}
}
