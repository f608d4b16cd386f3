package ingest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMarksBeforeValues: a value loses the mark that keeps spreadsheets from reading it, and one between
// apostrophes both of them.
func TestMarksBeforeValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"'007": "007", "`a": "a", "'North'": "North", "'": "'", "`": "`", "''": "'", "o'clock": "o'clock", "": "", "`x`": "x`", "'`5": "5", `'="007"`: "007", `="007"`: "007", "=A1": "=A1"} {
		bare, marked := withoutMark(text)
		require.Equal(t, want, bare, text)
		require.Equal(t, want != text, marked, text)
	}
	for text, want := range map[string]string{`="007"`: "007", `=""`: "", `="a""b"`: `="a""b"`, `="a`: `="a`, "=A1": "=A1", `"="`: `"="`} {
		inner, cut := formulaText([]byte(text))
		require.Equal(t, want != text, cut, text)
		if cut {
			require.Equal(t, want, string(inner))
		}
	}
}

// TestLinesThatAreRules: they are made of the signs that lines are drawn with, and are long enough to be no value.
func TestLinesThatAreRules(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"-----": true, "====|====": true, "--- | :--: | ---": true, "|---|---|": true, "----": false, "-|-|-|-|-": false, "-----|x": false, "": false, "|||||||": false, "--|--|-": false, "--|---": true,
	} {
		var cells []cell
		for text := range strings.SplitSeq(line, "|") {
			cells = append(cells, cell{text: text})
		}
		require.Equal(t, want, isRule(cells), line)
	}
	require.False(t, isRule([]cell{{text: "-----", quoted: true}}))
}

// TestValuesOfMergedCells: values hold for the gaps below them where they come again and again and never twice in a
// row; where each comes once nobody knows.
func TestValuesOfMergedCells(t *testing.T) {
	t.Parallel()
	of := func(values string) *runs {
		r := new(runs)
		for _, v := range strings.Split(values, "") {
			if v == "." {
				r.gap()
			} else {
				r.see(v)
			}
		}
		return r
	}
	again := strings.Repeat("a.b.", 6) + "a"
	require.True(t, of(again).merged())
	require.False(t, of(strings.TrimSuffix(again, "a")).merged(), "too few to tell")
	require.False(t, of(again+"a").merged(), "twice in a row")
	require.False(t, of("."+again).merged(), "the first row has none")
	require.False(t, of(strings.ReplaceAll(again, ".", "")).merged(), "no gaps")
	require.False(t, of(strings.Repeat("a.", 20)).merged())
	require.True(t, of("a..b..c...").maybeMerged())
	require.False(t, of("a..b..a...").maybeMerged())
	require.False(t, of("a.b.").maybeMerged(), "half have one")
	require.False(t, of("a...").maybeMerged(), "a single one")
	require.False(t, of(".a..b...").maybeMerged())
}
