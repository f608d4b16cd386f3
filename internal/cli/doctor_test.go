package cli

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/source"
)

// examined runs doctor and returns its findings by check.
func examined(t *testing.T, dir string, env ...string) map[string][]string {
	t.Helper()
	got := execute(t, env, "doctor", "--json", "--data-dir", dir)
	var health struct {
		Findings []struct{ Check, Verdict, Found string }
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &health), got.out+got.err)
	found := map[string][]string{}
	for _, f := range health.Findings {
		found[f.Check] = append(found[f.Check], f.Verdict+" "+f.Found)
	}
	return found
}

func TestDoctorTellsOfLayersPolicyAndSourcesWithoutData(t *testing.T) {
	t.Parallel()
	dir, files := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(files, "cities.csv"), []byte("city,people\nBern,134\n"), 0o600))
	require.Zero(t, execute(t, nil, "ingest", "csv", files, "--name", "places", "--data-dir", dir).code)
	described := filepath.Join(t.TempDir(), "tables.jsonl")
	require.NoError(t, os.WriteFile(described, []byte(`{"table": "shop.orders", "columns": [{"name": "order_id", "type": "bigint"}]}`+"\n"), 0o600))
	got := execute(t, nil, "ingest", "jsonl", described, "--name", "described", "--data-dir", dir)
	require.Zero(t, got.code, got.err)
	rules := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(rules, []byte("rules:\n  - name: towns\n    source: places\n    table: towns\n    access: deny\n  - name: all\n    access: read\n"), 0o600))

	found := examined(t, dir, "DIBRAIN_POLICY_FILE="+rules)
	require.Contains(t, found["source described"][0], "ok 1 table, described only")
	require.Len(t, found["access policy"], 2, "%v", found["access policy"])
	require.Contains(t, found["access policy"][1], "note rule towns (line 2) fits no table of any source")
	require.Contains(t, found["layer of described"][0], "ok ")

	layer := filepath.Join(dir, "semantic", "places")
	require.NoError(t, os.MkdirAll(layer, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(layer, "metrics.yaml"), []byte("metrics:\n  - {id: people, expr: SUM(nothing)}\n"), 0o600))
	found = examined(t, dir)
	require.Contains(t, found["layer of places"][0], "bad ")
	require.Contains(t, found["layer of places"][0], "metrics.yaml")
}

func TestDoctorAsksTheModelThatIsConfigured(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	found := examined(t, dir)
	require.Equal(t, []string{"ok none: every decision is made by rules"}, found["model"])
	require.Equal(t, []string{"ok in the process's own memory"}, found["search"])

	away, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, away.Close())

	model := llmtest.Script(t, llmtest.Answer{Text: "ok"})
	found = examined(t, dir, "DIBRAIN_LLM_BASE_URL="+model.URL, "DIBRAIN_LLM_MODEL=m")
	require.Contains(t, found["model"][0], "ok "+model.URL+" answers in")
	require.Len(t, model.Requests(), 1)
	found = examined(t, dir, "DIBRAIN_LLM_BASE_URL=http://"+away.Addr().String(), "DIBRAIN_LLM_MODEL=m", "DIBRAIN_LLM_ATTEMPTS=1")
	require.Contains(t, found["model"][0], "note ", "no service asks it by default")
	found = examined(t, dir, "DIBRAIN_LLM_BASE_URL=http://"+away.Addr().String(), "DIBRAIN_LLM_MODEL=m", "DIBRAIN_ROUTER_STRATEGY=llm")
	require.Contains(t, found["model"][0], "bad ")
}

// TestDoctorTellsOfEveryBadKey: doctor checks what serve --verify-config checks,
// and has a finding for each key that has to change.
func TestDoctorTellsOfEveryBadKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.Equal(t, []string{"ok valid for target all"}, examined(t, dir)["configuration"])

	for _, keys := range []map[string]string{
		{"router.max_turns": "-1", "chatbi.limits.timeout": "-1s", "log.level": "loud"}, // nonsense by itself
		{"tls.cert_file": "cert.pem", "auth.hop_key": "short", "replicas": "2"},         // nonsense for a process
	} {
		var env []string
		for key, value := range keys {
			env = append(env, "DIBRAIN_"+strings.ToUpper(strings.ReplaceAll(key, ".", "_"))+"="+value)
		}
		found := examined(t, dir, env...)["configuration"]
		require.Len(t, found, len(keys), "%q", found)
		for key := range keys {
			require.True(t, slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, "bad "+key+" ") }), "%s: %q", key, found)
		}
		require.Equal(t, 1, execute(t, env, "doctor", "--data-dir", dir).code)
	}

	// Files that the configuration names are looked at too.
	found := examined(t, dir, "DIBRAIN_AUTH_HOP_KEY_FILE="+filepath.Join(dir, "none"), "DIBRAIN_ROUTER_AGENTS_FILE="+filepath.Join(dir, "no-agents"))["configuration"]
	require.Len(t, found, 2, "%q", found)

	// A process of a split deployment is checked for what it runs and calls.
	require.Contains(t, execute(t, nil, "doctor", "--data-dir", dir, "--target=router").out, "chatbi.address is missing")
	require.Equal(t, 2, execute(t, nil, "doctor", "--data-dir", dir, "--target=kitchen").code)
}

// TestDoctorLooksAtEverything: each check is made, and says so although all is well.
func TestDoctorLooksAtEverything(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	found := examined(t, dir)
	for _, what := range []string{
		"version", "configuration", "data directory", "sources", "gRPC port", "admin port", "identity", "access policy", "search", "model", "session store", "python",
	} {
		require.Len(t, found[what], 1, what)
	}
	require.Contains(t, found["data directory"][0], "ok "+dir+", writable")
	require.Contains(t, found["sources"][0], "note none yet")
	require.Contains(t, found["identity"][0], "ok mode local")
	require.Contains(t, found["python"][0], "ok off")
	require.Contains(t, examined(t, dir, "DIBRAIN_ANALYSIS_PYTHON=sandbox")["python"][0], "bad the sandbox starts this program again")
	require.Contains(t, examined(t, dir, "DIBRAIN_AUTH_MODE=token", "DIBRAIN_AUTH_TOKEN_FILE="+filepath.Join(dir, "none"))["identity"][0], "bad ")

	store, err := source.Open(dir)
	require.NoError(t, err)
	_, err = store.Make(t.Context(), "wh", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Engine: source.EngineTrino, Trino: &source.TrinoConnection{URL: "http://127.0.0.1:1", User: "svc", Regions: map[string]source.TrinoPlace{"sg": {Catalog: "hive"}}}}, &catalog.Snapshot{}, nil
	})
	require.NoError(t, err)
	require.Contains(t, examined(t, dir)["unknown cost"][0], "asked about on wh")

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	got := execute(t, nil, "doctor", "--data-dir", filepath.Join(file, "x"))
	require.NotZero(t, got.code)
	require.Contains(t, got.out+got.err, "--data-dir", "it says what to do")
}
