package analysis_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
)

func TestTerms(t *testing.T) {
	t.Parallel()
	a, err := analysis.New()
	require.NoError(t, err)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"dws_seller_gmv_1d__sg_s0_live", []string{"dws", "seller", "gmv", "1d", "sg", "s0", "live"}},
		{"buyerUserID", []string{"buyer", "user", "id"}},
		{"HTTPServer", []string{"http", "server"}},
		{"item IDs", []string{"item", "id"}},
		{"level1_category", []string{"level1", "level", "categori"}},
		{"shelves paid by men", []string{"shelf", "pay", "man"}},
		{"What are the orders?", []string{"order"}},
		{"the user's 30 sessions", []string{"user", "30", "session"}},
		{"最近的销售额是多少", []string{"销售", "售额"}},
		{"新加坡GMV趋势", []string{"新加", "加坡", "gmv", "趋势"}},
		{"卖家 的 量", []string{"卖家", "量"}},
		{"", []string{}},
		{"?? -- ..", []string{}},
	} {
		require.Equal(t, c.want, a.Terms(c.text), c.text)
	}
}

func TestTokensKeepTheirPlace(t *testing.T) {
	t.Parallel()
	a, err := analysis.New()
	require.NoError(t, err)
	text := "GMV of 新加坡的卖家, dwd_orderItem2 and Ünïcode ﬀ " + strings.Repeat("x", 500)
	for _, token := range a.Tokens(text) {
		require.Equal(t, text[token.Start:token.End], token.Surface)
		require.True(t, utf8.ValidString(token.Term))
		require.LessOrEqual(t, len(token.Term), 80)
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"dwd_order", "orderItemID", "最近30天", "\xff\xfe", "İ", "aＢc"} {
		f.Add(s)
	}
	a, err := analysis.New()
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, token := range a.Tokens(text) {
			if text[token.Start:token.End] != token.Surface || token.Start < 0 || token.Term == "" {
				t.Fatalf("token %+v of %q", token, text)
			}
			last = max(last, token.End)
		}
		if last > len(text) {
			t.Fatalf("beyond the end")
		}
	})
}

// TestNouns: words that are nouns nearly always, in both numbers; not those that are verbs as
// well, nor those that are said around any subject, nor what only looks like a plural.
func TestNouns(t *testing.T) {
	t.Parallel()
	is, err := analysis.Nouns()
	require.NoError(t, err)
	for word, want := range map[string]bool{
		"violin": true, "Violins": true, "factory": true, "factories": true, "beach": true, "beaches": true,
		"walk": false, "building": false, "quickly": false, "year": false, "time": false, "xyzzy": false, "": false, "s": false,
	} {
		require.Equal(t, want, is(word), word)
	}
}

// TestNotNouns: words that are hardly ever nouns, and the forms of verbs; not those that are
// nouns as well, nor names that only look like a form of a verb.
func TestNotNouns(t *testing.T) {
	t.Parallel()
	is, err := analysis.NotNouns()
	require.NoError(t, err)
	for word, want := range map[string]bool{
		"ready": true, "Recommend": true, "recommends": true, "stored": true, "stopped": true, "carried": true,
		"order": false, "goods": false, "news": false, "right": false, "violin": false, "xyzzy": false, "": false,
	} {
		require.Equal(t, want, is(word), word)
	}
}
