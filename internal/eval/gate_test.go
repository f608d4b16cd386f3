package eval_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/build"
	"github.com/dibrain/dibrain/internal/eval"
)

// steady reports what it is told, and remembers how it was opened.
type steady struct {
	metrics map[string]float64
	opened  *eval.Options
	err     error
}

func (steady) Name() string { return "steady" }

func (s steady) Open(_ context.Context, opt eval.Options) (eval.Run, error) {
	*s.opened = opt
	return s, s.err
}
func (steady) Len() int { return 3 }
func (steady) Answer(_ context.Context, i int) (eval.Item, error) {
	if i == 1 {
		panic("crash")
	}
	return eval.Item{}, nil
}
func (s steady) Metrics([]eval.Item) (map[string]float64, []string) { return s.metrics, nil }
func (steady) Close() error                                         { return nil }

func TestGateHolds(t *testing.T) {
	t.Parallel()
	var opened eval.Options
	suites := []eval.Suite{steady{metrics: map[string]float64{"a": 0.5, "b": 0.2}, opened: &opened}}
	g := eval.Gate{
		Suite: "steady", Data: "x/y", Queries: "x/q.jsonl", Lang: "zh", Limit: 2,
		Min: map[string]float64{"a": 0.5, "b": 0.3, "gone": 0, "n": 2},
		Max: map[string]float64{"a": 0.4, "b": 0.2, "errors": 0, "gone": 1},
	}
	checks, report, err := g.Hold(t.Context(), suites, eval.Options{Data: "all", Lang: "en", Build: build.Info{Version: "v"}})
	require.NoError(t, err)
	require.Equal(t, 2, report.N)
	require.Equal(t, filepath.Join("all", "x", "y"), opened.Data)
	require.Equal(t, filepath.Join("all", "x", "q.jsonl"), opened.Queries)
	require.Equal(t, "zh", opened.Lang)
	type line struct {
		metric string
		isMax  bool
		ok     bool
	}
	var got []line
	for _, c := range checks {
		got = append(got, line{c.Metric, c.Max, c.OK})
	}
	require.Equal(t, []line{
		{"a", false, true}, {"b", false, false}, {"gone", false, false}, {"n", false, true},
		{"a", true, false}, {"b", true, true}, {"errors", true, false}, {"gone", true, false},
	}, got)
}

func TestGateSaysWhatFailed(t *testing.T) {
	t.Parallel()
	suites := []eval.Suite{steady{opened: &eval.Options{}, err: errors.New("no luck")}}
	_, _, err := eval.Gate{Suite: "steady", Data: "d"}.Hold(t.Context(), suites, eval.Options{})
	require.ErrorContains(t, err, "suite steady over d")
	_, _, err = eval.Gate{Suite: "other", Data: "d"}.Hold(t.Context(), suites, eval.Options{})
	require.ErrorContains(t, err, "other")
}

func TestReadGates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, tc := range map[string]struct{ text, says string }{
		"unknown key": {"gates: [{suite: a, data: b, minimum: {x: 1}}]", "minimum"},
		"no bound":    {"gates: [{suite: a, data: b}]", "gate 1"},
		"no data":     {"gates: [{suite: a, min: {x: 1}}]", "gate 1"},
		"empty":       {"", "no gates"},
		"no YAML":     {"{", "yaml"},
	} {
		write(t, dir, name, tc.text)
		_, err := eval.ReadGates(filepath.Join(dir, name))
		require.ErrorIs(t, err, eval.ErrData, name)
		require.ErrorContains(t, err, tc.says, name)
	}
	_, err := eval.ReadGates(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, eval.ErrData)
	write(t, dir, "good", "gates:\n- {suite: a, data: b, lang: zh, limit: 3, min: {x: 0.5}, max: {y: 0}}\n")
	gates, err := eval.ReadGates(filepath.Join(dir, "good"))
	require.NoError(t, err)
	require.Len(t, gates, 1)
	require.EqualExportedValues(t, eval.Gate{Suite: "a", Data: "b", Lang: "zh", Limit: 3, Min: map[string]float64{"x": 0.5}, Max: map[string]float64{"y": 0}}, gates[0])
}

func TestGatesBesideTheirFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "gate.yaml")
	require.NoError(t, os.WriteFile(file, []byte("gates:\n- {suite: steady, data: ./own, queries: ./own/q.jsonl, min: {n: 3}}\n- {suite: steady, data: x, min: {n: 3}}\n"), 0o600))
	gates, err := eval.ReadGates(file)
	require.NoError(t, err)
	own := gates[0].Options(eval.Options{Data: "all"})
	require.Equal(t, filepath.Join(dir, "own"), own.Data)
	require.Equal(t, filepath.Join(dir, "own", "q.jsonl"), own.Queries)
	require.Equal(t, filepath.Join("all", "x"), gates[1].Options(eval.Options{Data: "all"}).Data)
}
