package lab

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// evalData is the fixture of package eval.
var evalData = filepath.Join("..", "eval", "testdata")

func TestEvalPrintsOneObject(t *testing.T) {
	t.Parallel()
	items := filepath.Join(t.TempDir(), "items.jsonl")
	got := execute(t, nil, "eval", "routing", "--data", evalData, "--json", "--out", items)
	require.Zero(t, got.code, got.err)
	require.Empty(t, got.err)
	var report map[string]any
	d := json.NewDecoder(strings.NewReader(got.out))
	require.NoError(t, d.Decode(&report))
	require.False(t, d.More(), "one object and nothing else")
	for _, key := range []string{"suite", "data", "strategy", "n", "errors", "metrics", "latency_ms", "seconds", "peak_rss_mb", "version"} {
		require.Contains(t, report, key)
	}
	require.Equal(t, "rules", report["strategy"])
	require.Equal(t, "v1.2.3", report["version"])

	text, err := os.ReadFile(items)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, 3)
	for _, line := range lines {
		var item map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &item))
		for _, key := range []string{"id", "question", "prediction", "gold", "score", "milliseconds"} {
			require.Contains(t, item, key)
		}
	}
}

func TestEvalPrintsTables(t *testing.T) {
	t.Parallel()
	got := execute(t, nil, "eval", "routing", "--data", evalData, "--limit", "2")
	require.Zero(t, got.code, got.err)
	for _, text := range []string{"2 questions, 0 errors", "final_intent", "kind.greeting", "version v1.2.3"} {
		require.Contains(t, got.out, text)
	}
	require.NotContains(t, got.out, "lang.zh", "the limit leaves it out")
}

func TestEvalBadInput(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		says string
	}{
		"no suite":      {[]string{"eval"}, "`dibrain-lab eval` needs SUITE"},
		"unknown suite": {[]string{"eval", "tabels", "--data", evalData}, "tables"},
		"no data":       {[]string{"eval", "routing"}, "--data"},
		"data of demo":  {[]string{"eval", "demo"}, filepath.Join("eval", "demo", "questions.jsonl")},
		"absent data":   {[]string{"eval", "routing", "--data", filepath.Join(evalData, "none")}, "cases.jsonl"},
		"no model":      {[]string{"eval", "routing", "--data", evalData, "--strategy", "llm"}, "There is no model"},
		"strategy":      {[]string{"eval", "routing", "--data", evalData, "--strategy", "luck"}, "luck"},
		"language":      {[]string{"eval", "routing", "--data", evalData, "--lang", "fr"}, "--lang"},
		"limit":         {[]string{"eval", "routing", "--data", evalData, "--limit", "-1"}, "--limit"},
		"engine":        {[]string{"eval", "conformance", "--data", evalData, "--engine", "trino"}, "--server"},
		"out":           {[]string{"eval", "routing", "--data", evalData, "--out", filepath.Join(evalData, "none", "x")}, "--out"},
		"gate, no data": {[]string{"eval", "gate"}, "--data"},
		"no gate file":  {[]string{"eval", "gate", "--data", evalData, "--gate", filepath.Join(evalData, "none.yaml")}, "none.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := execute(t, nil, tc.args...)
			require.Equal(t, 2, got.code, "%s%s", got.out, got.err)
			require.Contains(t, got.err, tc.says)
			require.Empty(t, got.out)
		})
	}
}

func TestEvalGate(t *testing.T) {
	t.Parallel()
	gate := func(text string) string {
		path := filepath.Join(t.TempDir(), "gate.yaml")
		require.NoError(t, os.WriteFile(path, []byte("gates:\n"+text), 0o600))
		return path
	}
	holds := gate("- {suite: routing, data: routing, min: {chain: 0.9, n: 3}, max: {errors: 0}}\n")
	got := execute(t, nil, "eval", "gate", "--data", evalData, "--gate", holds)
	require.Zero(t, got.code, "%s%s", got.out, got.err)
	for _, text := range []string{"routing", "chain", "≥ 0.9", "≤ 0", "ok"} {
		require.Contains(t, got.out, text)
	}

	below := gate("- {suite: routing, data: routing, lang: zh, min: {n: 2}}\n- {suite: routing, data: routing, max: {chain: 0.5}}\n")
	got = execute(t, nil, "eval", "gate", "--data", evalData, "--gate", below)
	require.Equal(t, 1, got.code)
	require.Contains(t, got.out, "BELOW")
	require.Contains(t, got.out, "ABOVE")
	got = execute(t, nil, "eval", "gate", "--data", evalData, "--gate", below, "--json")
	require.Equal(t, 1, got.code)
	var out struct {
		OK     bool             `json:"ok"`
		Checks []map[string]any `json:"checks"`
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &out))
	require.False(t, out.OK)
	require.Len(t, out.Checks, 2)

	absent := gate("- {suite: routing, data: gone, min: {n: 2}}\n")
	require.Equal(t, 2, execute(t, nil, "eval", "gate", "--data", evalData, "--gate", absent).code)
}
