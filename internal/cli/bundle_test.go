package cli

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestABundleHoldsNoSecret seeds a secret in every place that a deployment has them in, and in
// what a server says of itself, and looks for each of them in every part of the bundle.
func TestABundleHoldsNoSecret(t *testing.T) {
	t.Parallel()
	dir, dataDir := t.TempDir(), t.TempDir()
	seeds := make(map[string]string)
	seed := func(where string) string {
		s := fmt.Sprintf("Seeded%02dQx%s", len(seeds), strings.Repeat("z9", 14))
		seeds[fmt.Sprintf("%s (%d)", where, len(seeds))] = s // a page is asked for more than once
		return s
	}
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "ready\nmodel is degraded: GET https://user:%s@models.example.com says Bearer %s\npassword=%s\ndib_%s\nsk-%s\neyJhbGciOiJSUzI1NiJ9.%s.sig\n-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n",
			seed("address of a page "+r.URL.Path), seed("bearer "+r.URL.Path), seed("assignment "+r.URL.Path), seed("token "+r.URL.Path), seed("model's key "+r.URL.Path), seed("ID token "+r.URL.Path), seed("private key "+r.URL.Path))
	}))
	t.Cleanup(server.Close)
	require.NoError(t, os.WriteFile(filepath.Join(dataDir, "hop.key"), []byte(seed("hop key")+"\n"), 0o600))
	config := file("config.yaml", fmt.Sprintf(`
llm: {base_url: "https://models.example.com/v1", model: m, api_key_file: %s}
auth: {token_file: %s}
`, file("llm.key", seed("model key file")), file("tokens.yaml", `tokens: [{hash: "sha256:`+seed("hash")+`", principal: ann}]`)))
	env := []string{
		"DIBRAIN_ADMIN_LISTEN=" + strings.TrimPrefix(server.URL, "http://"), "DIBRAIN_CONFIG=" + config, "DIBRAIN_DATA_DIR=" + dataDir, "DIBRAIN_AUTH_HOP_KEY=" + seed("hop key of the environment"),
		"DIBRAIN_TOKEN=" + seed("own token"), "OTEL_EXPORTER_OTLP_HEADERS=authorization=" + seed("collector's header"),
	}
	bundle := filepath.Join(dir, "b.zip")
	got := execute(t, env, "doctor", "--bundle", bundle)
	require.Contains(t, got.out, "b.zip")
	texts := unzipped(t, bundle)
	for name, text := range texts {
		for where, s := range seeds {
			require.NotContains(t, text, s, "%s holds the %s", name, where)
			require.NotContains(t, text, s[:16], "%s holds a part of the %s", name, where)
		}
	}
	require.Len(t, texts, 7)
	require.Greater(t, len(seeds), 15)
	require.Contains(t, texts["findings.json"], `"healthy"`)
	require.Contains(t, texts["config.yaml"], "models.example.com", "what is no secret stays")
	require.Contains(t, texts["environment.txt"], "OTEL_EXPORTER_OTLP_HEADERS\n")
	require.Contains(t, texts["files.txt"], "hop.key")
	require.Contains(t, texts["stores.json"], "API tokens")
	require.Contains(t, texts["readyz.txt"], "model is degraded")
	info, err := os.Stat(bundle)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Equal(t, 2, execute(t, env, "doctor", "--bundle", bundle).code, "never over another one")
}

// unzipped returns what is in the parts of a bundle.
func unzipped(t *testing.T, bundle string) map[string]string {
	t.Helper()
	r, err := zip.OpenReader(bundle)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	texts := make(map[string]string)
	for _, f := range r.File {
		in, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		texts[f.Name] = string(text)
	}
	return texts
}

// TestABundleOfABrokenConfiguration: that is when it is needed most.
func TestABundleOfABrokenConfiguration(t *testing.T) {
	t.Parallel()
	bundle := filepath.Join(t.TempDir(), "b.zip")
	got := execute(t, []string{"DIBRAIN_NO_SUCH_KEY=x"}, "doctor", "--bundle", bundle)
	require.Equal(t, exitFailure, got.code)
	r, err := zip.OpenReader(bundle)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	require.Len(t, r.File, 2)
}
