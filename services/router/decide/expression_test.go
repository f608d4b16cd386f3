package decide

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNeeds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`\bfirst\b`:             {"first"},
		`(?i)\bSELECT\s+x`:      {"select"},
		`how (?:do|does) it`:    {"how "},
		`第[一二]`:                 {"第"},
		`前者|后者`:                 {"前者", "后者"},
		`\w+`:                   nil,
		`(?:a+|\d)b*`:           nil,
		`ab?`:                   {"a"},
		`(?:wxyz|e)\d(?:fg)\d`:  {"fg"},
		`(?:orders|refunds){2}`: {"orders", "refunds"},
	} {
		e, err := compile(text)
		require.NoError(t, err)
		require.ElementsMatch(t, want, e.needs, text)
	}
}

// FuzzNeeds: what an expression matches contains what it needs.
func FuzzNeeds(f *testing.F) {
	f.Add(`\b(?:last one|latter|the last)\b|最后一`, "show the last one")
	f.Add(`(?i)a(b|c)+d{2,3}[xyz]`, "ABCDDX")
	f.Fuzz(func(t *testing.T, text, said string) {
		if _, err := regexp.Compile(text); err != nil || strings.ContainsAny(said, "ſK") {
			t.Skip() // fold to s and k, but have other lower-case forms
		}
		e, err := compile(text)
		require.NoError(t, err)
		if e.MatchString(said) {
			require.True(t, e.mayFit(strings.ToLower(said)), "%q needs %q", text, e.needs)
		}
	})
}
