package deliver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/analysis/deliver"
	"github.com/dibrain/dibrain/services/analysis/watch"
)

var at = time.Date(2026, 3, 6, 8, 0, 0, 0, time.UTC)

func message() watch.Message {
	return watch.Message{
		ID: "wrun_1", Watch: "gmv", Title: "GMV <!channel> [x](http://evil)", AnalysisID: "ana_1", At: at, Language: lang.English,
		Findings: []string{"GMV on 5 Mar 2026 was <@U1>\nhigh."}, Summary: []string{"GMV was 12 & more."},
	}
}

// hook is a webhook that notes what it gets.
type hook struct {
	mu     sync.Mutex
	bodies [][]byte
	heads  []http.Header
	answer func(http.ResponseWriter, *http.Request)
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	h.bodies, h.heads = append(h.bodies, body), append(h.heads, r.Header)
	h.mu.Unlock()
	if h.answer != nil {
		h.answer(w, r)
	}
}

// got is how often it was called.
func (h *hook) got() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.bodies)
}

// open opens targets that are written in YAML, beside files.
func open(t *testing.T, text string, files map[string]string) (*deliver.Targets, *bytes.Buffer, error) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "out"), 0o700))
	path := filepath.Join(dir, "targets.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	log := &bytes.Buffer{}
	targets, err := deliver.Open(path, 5*time.Second, func() time.Time { return at }, slog.New(slog.NewTextHandler(log, nil)))
	return targets, log, err
}

// TestPayloads: each kind gets what it takes, and what the data holds does nothing there.
func TestPayloads(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct {
		secret string
		check  func(t *testing.T, body map[string]any, raw string, head http.Header)
	}{
		"slack": {"", func(t *testing.T, body map[string]any, _ string, _ http.Header) {
			require.Equal(t, "gmv: GMV &lt;!channel&gt; [x](http://evil)", body["text"])
			blocks := body["blocks"].([]any)
			require.Len(t, blocks, 4)
			for _, b := range blocks {
				require.Equal(t, "plain_text", b.(map[string]any)["text"].(map[string]any)["type"])
			}
			require.Contains(t, blocks[1].(map[string]any)["text"].(map[string]any)["text"], "was <@U1>")
		}},
		"teams": {"", func(t *testing.T, body map[string]any, _ string, _ http.Header) {
			require.Equal(t, "message", body["type"])
			attachment := body["attachments"].([]any)[0].(map[string]any)
			require.Equal(t, "application/vnd.microsoft.card.adaptive", attachment["contentType"])
			lines := attachment["content"].(map[string]any)["body"].([]any)
			require.Len(t, lines, 4)
			for _, l := range lines {
				require.Equal(t, "RichTextBlock", l.(map[string]any)["type"])
			}
		}},
		"feishu": {"s3cret", func(t *testing.T, body map[string]any, raw string, _ http.Header) {
			require.Equal(t, "post", body["msg_type"])
			post := body["content"].(map[string]any)["post"].(map[string]any)["en_us"].(map[string]any)
			require.Equal(t, "gmv: GMV <!channel> [x](http://evil)", post["title"])
			require.Len(t, post["content"], 3)
			require.Equal(t, "1772784000", body["timestamp"])
			// printf '' | openssl dgst -sha256 -hmac $'1772784000\ns3cret' -binary | base64
			require.Equal(t, "JmZx11P/EuNhD3P/3zoUb96I3nuzTnf1KwstLUnypmg=", body["sign"])
			require.NotContains(t, raw, "s3cret")
		}},
		"json": {"s3cret", func(t *testing.T, body map[string]any, raw string, head http.Header) {
			require.Equal(t, "wrun_1", body["id"])
			require.Equal(t, "2026-03-06T08:00:00Z", body["at"])
			require.Equal(t, []any{"GMV was 12 & more."}, body["summary"])
			require.True(t, strings.HasPrefix(head.Get("X-Dibrain-Signature"), "sha256="))
			require.Len(t, head.Get("X-Dibrain-Signature"), 71)
		}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			h := &hook{}
			server := httptest.NewServer(h)
			t.Cleanup(server.Close)
			text := "targets: [{name: chat, kind: " + kind + ", url_file: url, private: true"
			files := map[string]string{"url": server.URL + "/hooks/t0ken\n"}
			if c.secret != "" {
				text += ", secret_file: secret"
				files["secret"] = c.secret + "\n"
			}
			targets, _, err := open(t, text+"}]", files)
			require.NoError(t, err)
			require.NoError(t, targets.Deliver(t.Context(), "chat", message()))
			require.Equal(t, 1, h.got())
			require.Equal(t, "wrun_1", h.heads[0].Get("Idempotency-Key"))
			var body map[string]any
			require.NoError(t, json.Unmarshal(h.bodies[0], &body))
			c.check(t, body, string(h.bodies[0]), h.heads[0])
		})
	}
}

// TestAnswers: what may pass is told apart from what does not, and no address is in it.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind      string
		answer    func(http.ResponseWriter, *http.Request)
		says      string
		temporary bool
	}{
		"fine":            {"slack", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) }, "", false},
		"busy":            {"slack", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, "it answered 503", true},
		"too many":        {"teams", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, "it answered 429", true},
		"gone":            {"teams", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, "it answered 404", false},
		"refused as 200":  {"feishu", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"code": 19021}`)) }, "the code 19021", false},
		"taken by Feishu": {"feishu", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"code": 0}`)) }, "", false},
		"a redirect": {"json", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusTemporaryRedirect)
		}, "redirects are not followed", false},
		"no answer": {"json", func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &hook{answer: c.answer}
			server := httptest.NewUnstartedServer(h)
			server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
			server.Start()
			t.Cleanup(server.Close)
			targets, log, err := open(t, "targets: [{name: chat, kind: "+c.kind+", url_file: url, private: true}]", map[string]string{"url": server.URL + "/hooks/t0ken"})
			require.NoError(t, err)
			err = targets.Deliver(t.Context(), "chat", message())
			require.Equal(t, 1, h.got())
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
			temporary := (*watch.TemporaryError)(nil)
			require.Equal(t, c.temporary, errorsAs(err, &temporary))
			require.NotContains(t, err.Error()+log.String(), "t0ken")
			require.NotContains(t, err.Error()+log.String(), "127.0.0.1")
		})
	}
}

func errorsAs(err error, target **watch.TemporaryError) bool {
	t, ok := err.(*watch.TemporaryError) //nolint:errorlint // as it is returned
	*target = t
	return ok
}

// TestPrivateAddresses are not reached unless the operator says so, by whatever name.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	h := &hook{}
	server := httptest.NewTLSServer(h)
	t.Cleanup(server.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "https://"), ":")
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254", "[fd00::1]", "100.64.0.1", "0.0.0.0", "[64:ff9b::7f00:1]"} {
		targets, _, err := open(t, fmt.Sprintf("targets: [{name: chat, kind: json, url: 'https://%s:%s/x'}]", host, port), nil)
		require.NoError(t, err, host)
		require.ErrorContains(t, targets.Deliver(t.Context(), "chat", message()), "private network", host)
	}
	require.Zero(t, h.got())
}

// TestFilesAreWrittenOnce: whole, for their owner alone, and not again.
func TestFilesAreWrittenOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	targets, _, err := open(t, "targets: [{name: folder, kind: file, folder: '"+dir+"'}]", nil)
	require.NoError(t, err)
	m := message()
	require.NoError(t, targets.Deliver(t.Context(), "folder", m))
	m.Summary = []string{"something else"}
	require.NoError(t, targets.Deliver(t.Context(), "folder", m))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.Equal(t, "20260306T080000Z-wrun_1.txt", files[0].Name())
	info, err := files[0].Info()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	text, err := os.ReadFile(filepath.Join(dir, files[0].Name()))
	require.NoError(t, err)
	require.Equal(t, "gmv: GMV <!channel> [x](http://evil)\n\n• GMV on 5 Mar 2026 was <@U1> high.\nGMV was 12 & more.\nAll of it: dibrain analyze report ana_1\n", string(text))
	require.ErrorContains(t, targets.Deliver(t.Context(), "folders", m), "no target")
}

// TestTargetsThatAreNone are refused when the service starts, without their address.
func TestTargetsThatAreNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, says string }{
		"a key that is none":   {"targets: [{name: a, kind: json, uri: x}]", "uri"},
		"no name":              {"targets: [{kind: json, url: 'https://h/x'}]", "name is"},
		"a kind that is none":  {"targets: [{name: a, kind: mail, url: 'https://h/x'}]", `kind is "mail"`},
		"no address":           {"targets: [{name: a, kind: slack}]", "give url_file"},
		"two addresses":        {"targets: [{name: a, kind: slack, url: 'https://h/x', url_file: url}]", "give url_file"},
		"a file that is away":  {"targets: [{name: a, kind: slack, url_file: nope}]", "url_file"},
		"no TLS":               {"targets: [{name: a, kind: slack, url: 'http://h/t0ken'}]", "https://"},
		"a user":               {"targets: [{name: a, kind: slack, url: 'https://u:t0ken@h/x'}]", "no URL of a webhook"},
		"a file elsewhere":     {"targets: [{name: a, kind: slack, url: 'file:///etc/passwd'}]", "no URL of a webhook"},
		"twice":                {"targets: [{name: a, kind: json, url: 'https://h/x'}, {name: a, kind: json, url: 'https://h/y'}]", "twice"},
		"a folder that is one": {"targets: [{name: a, kind: file, folder: nope}]", "is no folder"},
		"a folder of a chat":   {"targets: [{name: a, kind: slack, url: 'https://h/x', folder: out}]", "folder is for"},
		"a secret of Slack":    {"targets: [{name: a, kind: slack, url: 'https://h/x', secret_file: s}]", "secret_file is for"},
	} {
		_, _, err := open(t, c.text, nil)
		require.ErrorContains(t, err, c.says, name)
		require.NotContains(t, err.Error(), "t0ken", name)
	}
	targets, _, err := open(t, "", nil)
	require.NoError(t, err)
	require.Empty(t, targets.List())
	_, err = deliver.Open(filepath.Join(t.TempDir(), "none"), time.Second, time.Now, slog.Default())
	require.ErrorContains(t, err, "analysis.watch_targets_file")
}
