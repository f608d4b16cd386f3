package result_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
)

// TestCountryNames: codes of countries have names in both languages, what only looks like
// one has none.
func TestCountryNames(t *testing.T) {
	t.Parallel()
	for code, want := range map[string][2]string{
		"TH": {"Thailand", "泰国"}, "SG": {"Singapore", "新加坡"}, "US": {"United States", "美国"},
		"th": {}, "XX": {}, "EU": {}, "UK": {}, "T": {}, "THA": {}, "": {}, "ZZ": {}, "泰": {},
	} {
		require.Equal(t, want, [2]string{result.CountryName(code, lang.English), result.CountryName(code, lang.Chinese)}, code)
	}
}
