package eval_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/eval"
)

// execute runs a suite and reads its items.
func execute(t *testing.T, suite eval.Suite, opt eval.Options, items *[]eval.Item) eval.Report {
	t.Helper()
	var out bytes.Buffer
	opt.Out = &out
	report, err := eval.Execute(t.Context(), suite, opt)
	require.NoError(t, err)
	if items != nil {
		*items = nil
		for d := json.NewDecoder(&out); d.More(); {
			var it eval.Item
			require.NoError(t, d.Decode(&it))
			*items = append(*items, it)
		}
		require.Len(t, *items, report.N)
	}
	return report
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

func TestSuitesHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, s := range eval.Suites(eval.Choice{}) {
		require.False(t, seen[s.Name()], s.Name())
		seen[s.Name()] = true
		_, err := s.Open(t.Context(), eval.Options{Data: filepath.Join(t.TempDir(), "none"), Strategy: "rules"})
		require.ErrorIs(t, err, eval.ErrData, s.Name())
	}
	for _, name := range []string{"tables", "text2sql", "routing", "conformance", "errors"} {
		require.True(t, seen[name], name)
	}
	_, err := eval.Find(eval.Suites(eval.Choice{}), "tabels")
	require.ErrorContains(t, err, "tables")
}
