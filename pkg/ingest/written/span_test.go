package written_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// TestSpansAndRatios: times of day, lengths of time and two numbers that make one are known; codes are not.
func TestSpansAndRatios(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	for _, text := range []string{"07:30", "7:30", "1:02:30", "1:02:30.5", "00:03,5", "9:15 pm", "9:15 p.m.", "10h02", "7 h 05", "1h 20m", "1h20min", "45s", "2 days 3 hours", "2 hours and 5 minutes", "1.5 h", "1小时20分", "3天", "-0:30", "120:15"} {
		require.True(t, words.IsSpan(text), text)
	}
	for _, text := range []string{"", "7", "7:3", "7:60", "1:2:3", "a:30", "12B", "10h2", "10h99", "h", "4x20", "2024-01-02", "1h A2", "7:30 A", "1:02:30:40"} {
		require.False(t, words.IsSpan(text), text)
	}
	for _, text := range []string{"3/5", "4.5/10", "10/10", "4 of 5", "4 out of 5", `5'11"`, "5'", "6′2″", "5' 11\""} {
		require.True(t, words.HoldsRatio(text), text)
	}
	for _, text := range []string{"", "3", "123/4", "07/5", "a/b", "3/", "/5", "1/2/3", "2024/0012", "x'2", `5"`} {
		require.False(t, words.HoldsRatio(text), text)
	}
	for text, want := range map[string]string{"60W": "W", "5℥": "℥", "3m²K": "m²K", "1,200px": "px", "12": "", "W60": "", "60 W": "", "60W1": "", "6.": "", "5abcdefghi": ""} {
		require.Equal(t, want, written.Suffix(text), text)
	}
	require.True(t, words.IsSpanUnit("Min"))
	require.False(t, words.IsSpanUnit("kg"))
}

// TestMeasuresAtDigits: measures stand right at digits or apart, and are kept in one way of writing.
func TestMeasuresAtDigits(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	for text, unit := range map[string]string{"4kg": "kg", "4 Kg": "kg", "250g": "g", "12 ft": "ft", "1 200 Ft": "HUF", "500ml": "ml", "-3.5°C": "°C", "80km/h": "km/h", "90min": "min", "2 TB": "TB", "Rs. 1,500/-": "INR", `\1,414`: "¥"} {
		n, ok := words.ReadNumber(text)
		require.True(t, ok, text)
		require.Equal(t, unit, n.Unit, text)
	}
	for _, text := range []string{"4KGX", "g4", "12W", "$5kg", "/-", `\N`} {
		n, ok := words.ReadNumber(text)
		require.False(t, ok, "%s %+v", text, n)
	}
}
