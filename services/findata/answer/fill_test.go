package answer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFill: a value is put in as it is, whatever it looks like, and what is no placeholder
// stays.
func TestFill(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string
		kv         []string
	}{
		{"{n} of {name}", "3 of {n}", []string{"n", "3", "name", "{n}"}},
		{"{unknown} {a}{a}", "{unknown} xx", []string{"a", "x"}},
		{"{{a} {a", "{x {a", []string{"a", "x"}},
		{"plain", "plain", nil},
		{"{a}", "{a}", []string{"a"}},
	} {
		require.Equal(t, c.want, fill(c.text, c.kv), c.text)
	}
}
