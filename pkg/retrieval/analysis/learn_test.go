package analysis_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
)

// learned is what a small warehouse teaches.
func learned(tb testing.TB) (*analysis.Analyzer, *analysis.Abbreviations) {
	tb.Helper()
	general, err := analysis.New()
	require.NoError(tb, err)
	lesson := general.NewLesson()
	for _, text := range []string{
		"gmv_amt", "gmv_daily", "seller_gmv", "tbl_trtl_msrmnts", "trtl_wgt", "cst_id", "order_qty", "stock_qty", "quantity", "customer", "shipment",
		"grp_prtcpnts", "zbq_code", "zbq_name", "zbq_flag", "the weight of a turtle",
	} {
		lesson.Read(text)
	}
	lesson.ReadPair("zbq_code", "code of the zonal boundary quota")
	a, short, err := lesson.Learned()
	require.NoError(tb, err)
	return a, short
}

func TestRunTogetherWordsAreSplit(t *testing.T) {
	t.Parallel()
	a, _ := learned(t)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"countrylanguage", []string{"countrylanguag", "countri", "languag"}},
		{"safetystocklevel", []string{"safetystocklevel", "safeti", "stock", "level"}},
		{"billofmaterials", []string{"billofmateri", "bill", "materi"}}, // a stop word is none of its terms
		{"userid", []string{"userid", "user", "id"}},
		{"totalgmv", []string{"totalgmv", "total", "gmv"}}, // gmv is the warehouse's own word
		{"phonenumber2", []string{"phonenumber2", "phonenumb", "phone", "number"}},
		// Words of their own.
		{"department", []string{"depart"}},
		{"airport", []string{"airport"}},
		{"understand", []string{"understand"}},
		{"xqzvbnmwk", []string{"xqzvbnmwk"}},
		{"order", []string{"order"}},
	} {
		require.Equal(t, c.want, a.Terms(c.text), c.text)
	}
	general, err := analysis.New()
	require.NoError(t, err)
	require.Equal(t, []string{"countrylanguag"}, general.Terms("countrylanguage"), "who learned nothing splits nothing")
}

func TestPartsFollowTheirWord(t *testing.T) {
	t.Parallel()
	a, _ := learned(t)
	text := "each countrylanguage there"
	var parts []string
	for _, token := range a.Tokens(text) {
		if token.Part {
			parts = append(parts, token.Word)
			require.Equal(t, "countrylanguage", text[token.Start:token.End])
		}
	}
	require.Equal(t, []string{"country", "language"}, parts)
}

func words(guesses []analysis.Guess) []string {
	list := []string{}
	for _, g := range guesses {
		list = append(list, g.Word)
	}
	return list
}

func TestShortForms(t *testing.T) {
	t.Parallel()
	_, short := learned(t)
	for _, c := range []struct{ word, want string }{
		{"turtle", "trtl"},  // no vowels
		{"turtles", "trtl"}, // plural
		{"measurements", "msrmnts"},
		{"participants", "prtcpnts"},
		{"quantity", "qty"}, // the table of what is used everywhere
		{"weight", "wgt"},
		{"amount", "amt"},
	} {
		require.Contains(t, words(short.Shorts(c.word)), c.want, c.word)
	}
	for _, word := range []string{"order", "teapot", "gmv", "", "数量", "a", "daily"} {
		require.Empty(t, short.Shorts(word), word)
	}
	require.Contains(t, words(short.Longs("qty")), "quantity", "both directions")
	require.Contains(t, words(short.Longs("cust")), "customer", "though the corpus does not have the short form")
	require.Empty(t, short.Longs("customer"))
}

// What a short form fits best is likelier than what it fits too.
func TestLikelierFormsWeighMore(t *testing.T) {
	t.Parallel()
	_, short := learned(t)
	weight := func(long, form string) float64 {
		for _, g := range short.Shorts(long) {
			if g.Word == form {
				return g.Weight
			}
		}
		return 0
	}
	require.Greater(t, weight("turtle", "trtl"), weight("tortellini", "trtl"))
	require.Greater(t, weight("cost", "cst"), weight("consist", "cst"))
	require.Zero(t, weight("participants", "trtl"))
	for _, word := range []string{"turtle", "quantity", "measurements", "cost"} {
		for _, g := range short.Shorts(word) {
			require.Positive(t, g.Weight)
			require.LessOrEqual(t, g.Weight, 1.0)
		}
	}
}

// A comment beside a name teaches what the name stands for.
func TestCommentsTeachShortForms(t *testing.T) {
	t.Parallel()
	general, err := analysis.New()
	require.NoError(t, err)
	weight := func(comments int) float64 {
		lesson := general.NewLesson()
		lesson.Read("prn_code")
		for range comments {
			lesson.ReadPair("prn_code", "code of the person")
		}
		_, short, err := lesson.Learned()
		require.NoError(t, err)
		for _, g := range short.Shorts("person") {
			if g.Word == "prn" {
				return g.Weight
			}
		}
		return 0
	}
	require.Greater(t, weight(2), weight(0)+0.1)
}

func TestLessonsAddUp(t *testing.T) {
	t.Parallel()
	general, err := analysis.New()
	require.NoError(t, err)
	one, other := general.NewLesson(), general.NewLesson()
	for i, text := range []string{"gmv_a", "gmv_b", "gmv_c"} {
		[]*analysis.Lesson{one, other}[i%2].Read(text)
	}
	one.Add(other)
	a, _, err := one.Learned()
	require.NoError(t, err)
	require.Equal(t, []string{"totalgmv", "total", "gmv"}, a.Terms("totalgmv"), "three texts are enough together")
}

func FuzzLearnedTokens(f *testing.F) {
	for _, s := range []string{"countrylanguage", "phonenumber2", "orderItemID", "\xff\xfeuserid", "İstanbulcity"} {
		f.Add(s)
	}
	a, short := learned(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, token := range a.Tokens(text) {
			if text[token.Start:token.End] != token.Surface || token.Term == "" || !utf8.ValidString(token.Term) && utf8.ValidString(text) {
				t.Fatalf("token %+v of %q", token, text)
			}
			short.Shorts(token.Word)
			short.Longs(token.Word)
		}
	})
}
