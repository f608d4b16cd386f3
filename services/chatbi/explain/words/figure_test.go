package words

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/chatbi/explain"
)

func speaking(t *testing.T) *saying {
	t.Helper()
	m, err := loadMessages(messagesYAML)
	require.NoError(t, err)
	return &saying{messages: m, language: lang.English}
}

// Parts add up to the whole as they are written.
func TestPartsAddUpAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	s := speaking(t)
	r := rand.New(rand.NewPCG(1, 2))
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimPrefix(text, "+"), ",", ""), 64)
		require.NoError(t, err)
		return v
	}
	for range 500 {
		parts := make([]float64, 2+r.IntN(5))
		whole := 0.0
		for i := range parts {
			parts[i] = 100 * r.NormFloat64()
			whole += parts[i]
		}
		f := figuresOf("", s, 12.5, 40)
		for _, written := range []float64{whole, whole - 0.01, whole + 0.01} { // figures beside it are rounded, too
			sum := 0.0
			for i, text := range f.parts(parts, written) {
				sum += number(text)
				require.InDelta(t, parts[i], number(text), 0.021)
			}
			require.InDelta(t, round(written, 2), sum, 1e-9)
		}
	}
}

// A change agrees with the two figures that it is told beside.
func TestChangesAgreeWithTheirFigures(t *testing.T) {
	t.Parallel()
	w, err := New()
	require.NoError(t, err)
	e := explain.Explanation{
		Outcome: explain.EvenlySpread, Kind: explain.Additive, Metric: explain.Pair{Before: 3554.6, After: 3002.4},
		Factors: []explain.Part{{ID: "a", Pair: explain.Pair{Before: 2, After: 1}, Accounts: -300.1}, {ID: "b", Pair: explain.Pair{Before: 3, After: 1}, Accounts: -252.1}},
	}
	said := w.Say(e, Labels{Metric: "GMV"}, lang.English)
	require.Contains(t, said.Headline, "GMV fell from 3,555 to 3,002, by 553.")
	require.Equal(t, []string{"Of the change of -553, by factors: a (2 to 1) -301 and b (3 to 1) -252."}, said.Factors)
	e.Metric, e.Factors = explain.Pair{Before: 0.9651, After: 0.9014}, nil
	require.Contains(t, w.Say(e, Labels{Metric: "rate", Unit: unitFraction}, lang.English).Headline, "Rate fell from 96.5% to 90.1%, by 6.4 percentage points.")
}

func TestFigures(t *testing.T) {
	t.Parallel()
	s := speaking(t)
	require.Equal(t, "1,234,568 USD", figuresOf("USD", s, 1234567.8).level(1234567.8))
	require.Equal(t, "12.35 USD", figuresOf("USD", s, 12.345).level(12.345))
	require.Equal(t, "0.0123", figuresOf("", s, 0.01234).level(0.01234))
	require.Equal(t, "12", figuresOf("", s, 12, 15).level(12))
	require.Equal(t, "96.5%", figuresOf(unitFraction, s, 0.965).level(0.965))
	require.Equal(t, "1.23%", figuresOf(unitFraction, s, 0.01234).level(0.01234))
	require.Equal(t, "-3.1 percentage points", figuresOf(unitFraction, s, 0.965).signed(-0.031))
	require.Equal(t, "0 USD", figuresOf("USD", s, 5000).signed(-0.2))
	require.Equal(t, "5%", figuresOf("%", s, 5).level(5))
	s.language = lang.Chinese
	require.Equal(t, "5单", figuresOf("单", s, 5).level(5))
	require.Equal(t, "+3.1个百分点", figuresOf(unitFraction, s, 0.9).signed(0.031))
}
