package draw_test

import (
	"bytes"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/chart/draw"
)

// TestVisual: what is expected is written from left to right, as it stands on paper.
func TestVisual(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"no such letters":                 {"Việt Nam (VN) 女装", "Việt Nam (VN) 女装"},
		"Hebrew":                          {"שלום עולם", "םלוע םולש"},
		"vowel signs are left out":        {"שָׁלוֹם", "םולש"},
		"accents of others stay":          {"e\u0301 שלום", "e\u0301 םולש"},
		"a number in Hebrew":              {"שלום 1,234.5% עולם", "םלוע 1,234.5% םולש"},
		"a number at its end":             {"שלום 123", "123 םולש"},
		"brackets are turned":             {"חנות (123)", "(123) תונח"},
		"Latin within Hebrew":             {"חנות abc 12 תל אביב", "ביבא לת abc 12 תונח"},
		"Hebrew within Latin":             {"shop חנות גדולה no. 3", "shop הלודג תונח no. 3"},
		"a number after Hebrew in Latin":  {"shop חנות 12 in town", "shop 12 תונח in town"},
		"beginning with a number":         {"12 חנות", "תונח 12"},
		"Arabic letters join":             {"بيت", "\ufe96\ufef4\ufe91"},
		"a letter that joins no next one": {"دار", "\ufead\ufe8d\ufea9"},
		"lam and alef are one":            {"لا سلام", "\ufee1\ufefc\ufeb3 \ufefb"},
		"Persian letters":                 {"پچ", "\ufb7b\ufb58"},
		"a sign of Arabic":                {"بَيت", "\ufe96\ufef4\ufe91"},
		"a lengthened word":               {"بـت", "\ufe96\u0640\ufe91"},
		"Arabic digits":                   {"بيت ١٢", "١٢ \ufe96\ufef4\ufe91"},
		"empty":                           {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, draw.Visual(c.text))
		})
	}
}

// TestRightToLeftIsDrawn: in a PNG each letter is drawn, in the order in which it is seen and
// wherever texts stand; an SVG has the text as it is stored, since whoever shows it orders it.
func TestRightToLeftIsDrawn(t *testing.T) {
	t.Parallel()
	of := func(label string) chart.Spec {
		return chart.Spec{
			Kind: chart.Bar, Title: label, X: chart.Axis{Name: label, Labels: []string{label, "b"}},
			Series: []chart.Series{{Name: label, Values: []float64{1, 2}}, {Name: "c", Values: []float64{2, 1}}},
		}
	}
	const nobodys = "\u0e01" // a letter of Thai, which the font lacks
	box := drawn(t, of(nobodys), draw.PNG)
	for _, text := range []string{"שלום", "بيت"} {
		for _, r := range draw.Visual(text) {
			require.NotEqual(t, box, drawn(t, of(string(r)), draw.PNG), "%U is a box", r)
		}
		require.Contains(t, textsOf(t, drawn(t, of(text), draw.SVG)), text)
	}
}

// TestAWordIsDrawnFromRightToLeft: the bar of letters at the left is the last letter's.
func TestAWordIsDrawnFromRightToLeft(t *testing.T) {
	t.Parallel()
	// ם is wide and ו is narrow and low: the two words have them at the other end.
	left := func(text string) int {
		picture, err := png.Decode(bytes.NewReader(drawn(t, chart.Spec{Kind: chart.Line, Title: text, X: chart.Axis{Labels: []string{"a", "b"}}, Series: []chart.Series{{Name: "n", Values: []float64{1, 2}}}}, draw.PNG)))
		require.NoError(t, err)
		dark := 0
		for x := 16; x < 26; x++ {
			for y := 10; y < 34; y++ {
				if r, _, _, _ := picture.At(x, y).RGBA(); r < 0x8000 {
					dark++
				}
			}
		}
		return dark
	}
	require.Greater(t, left("ווווום"), left("םווווו"))
}
