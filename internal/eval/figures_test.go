package eval_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/eval"
)

// first are figures of a run before the stamp that are never made again, as
// eval/suites.md says.
const first = "demo-first.json"

// TestFiguresSayWhatMadeThem: each file of figures names the commit of the program that
// made it, whose sources were those of the commit. What lacks it is made again by
// scripts/eval-all.sh with its name.
func TestFiguresSayWhatMadeThem(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../eval/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	commit := regexp.MustCompile(`^[0-9a-f]{40}$`)
	for _, file := range files {
		name := filepath.Base(file)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var report eval.Report
		require.NoError(t, json.Unmarshal(text, &report), name)
		require.Positive(t, report.N, name)
		if name == first {
			continue
		}
		require.Regexp(t, commit, report.Commit, "%s: remake it by scripts/eval-all.sh ../shared/data %s", name, name[:len(name)-len(".json")])
		require.NotEmpty(t, report.Version, name)
		require.False(t, report.Modified, "%s was made by sources that are in no commit", name)
	}
}
