package analyse_test

import (
	"encoding/json"
	"math"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result/resulttest"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestBadInputIsAnalysed: whatever a result holds, the answer is a short sentence of text,
// evidence is finite, and a chart's option is JSON, in both languages.
func TestBadInputIsAnalysed(t *testing.T) {
	t.Parallel()
	for name, input := range resulttest.Odd() {
		for _, l := range []lang.Language{lang.English, lang.Chinese} {
			out := analystFor(t).Analyse(analyse.Input{Table: input, Language: l, Now: now, MaxPoints: 1000, Named: true})
			texts := []string{out.Answer}
			for _, f := range out.Findings {
				texts = append(texts, f.Text)
				for key, v := range f.Evidence {
					require.False(t, math.IsNaN(v) || math.IsInf(v, 0), "%s: %s is %v in %q", name, key, v, f.Text)
				}
			}
			for _, w := range out.Warnings {
				texts = append(texts, w.Message)
			}
			require.NotEmpty(t, out.Answer, name)
			for _, text := range texts {
				require.True(t, utf8.ValidString(text), "%s: %q", name, text)
				require.Less(t, len(text), 2000, name)
				require.NotContains(t, text, "NaN", name)
				require.NotContains(t, text, "<script", name)
				require.NotContains(t, text, "<img", name)
				require.NotContains(t, text, "\u202e", name)
				require.NotContains(t, text, "\x1b", name)
				require.NotContains(t, text, "\x00", name)
			}
			if out.Chart.Option != "" {
				require.True(t, json.Valid([]byte(out.Chart.Option)), name)
				require.NotContains(t, out.Chart.Option, "<script", name)
			}
		}
	}
}
