package cli

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// TestDocumentedExitCodesAreThose: the table of docs/operations.md has each outcome of
// the contract once, with the code that `dibrain ask` ends with, and no other one.
func TestDocumentedExitCodesAreThose(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## Outcomes and exit codes\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	documented := map[string]int{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\w+) \|.*\| (\d+) \|$`).FindAllStringSubmatch(section, -1) {
		require.NotContains(t, documented, row[1])
		documented[row[1]], err = strconv.Atoi(row[2])
		require.NoError(t, err)
	}
	ends := map[string]int{}
	for value, name := range routerv1.Outcome_name {
		if o := routerv1.Outcome(value); o != routerv1.Outcome_OUTCOME_UNSPECIFIED {
			ends[strings.ToLower(strings.TrimPrefix(name, "OUTCOME_"))] = exitOf(outcomeOf(&routerv1.Answer{Outcome: o}))
		}
	}
	require.Equal(t, ends, documented)
	require.Regexp(t, `\b`+strconv.Itoa(exitPanic)+` for a mistake of the program's own`, section)
}
