package analyse_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestNamesOfAnyScriptBeginSentences: the first letter of a column's name may take
// several bytes, and what is said of it stays text.
func TestNamesOfAnyScriptBeginSentences(t *testing.T) {
	t.Parallel()
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	for name, want := range map[string]string{"é": "É", "älter": "Älter", "янв": "Янв", "订单": "订单", "#": "#", "№": "№"} {
		in := analyse.Input{Language: lang.English, Now: now, MaxPoints: 10, Columns: []analyse.Column{{}}}
		in.Table.Columns = []result.Column{{Name: name, Type: "integer"}}
		in.Table.Rows = [][]any{{int64(1)}}
		out := analyst.Analyse(in)
		require.True(t, utf8.ValidString(out.Answer), "%q", out.Answer)
		require.Contains(t, out.Answer, want)
	}
}

// TestValuesInSentencesAreText: a stored value is named in a sentence, which may be
// drawn as Markdown, and does nothing there.
func TestValuesInSentencesAreText(t *testing.T) {
	t.Parallel()
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	in := analyse.Input{Language: lang.English, Now: now, MaxPoints: 10, Columns: []analyse.Column{{}, {Label: "<b>[n](https://e.example)"}}}
	in.Table.Columns = []result.Column{{Name: "shop", Type: "varchar"}, {Name: "n", Type: "bigint"}}
	in.Table.Rows = [][]any{{"![x](https://evil.example)\x1b[2J", int64(9)}, {"<img src=y>\n\u202e", int64(1)}}
	out := analyst.Analyse(in)
	said := out.Answer
	for _, f := range out.Findings {
		said += "\n" + f.Text
	}
	require.Contains(t, said, "x (https://evil.example)")
	for _, bad := range []string{"](", "<img", "<b>", "\x1b", "\u202e"} {
		require.NotContains(t, said, bad)
	}
}
