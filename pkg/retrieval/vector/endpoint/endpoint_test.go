package endpoint_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/retrieval/remote"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
	"github.com/dibrain/dibrain/pkg/retrieval/vector/endpoint"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
)

const secret = "s3cret-key-of-the-test"

// asked is a request as the fake endpoint got it.
type asked struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions"`
}

// fake is an endpoint in this process: a text's vector is its length and its
// number of spaces. script answers the first requests; each entry once.
type fake struct {
	requests []asked
	auth     []string
	script   []http.HandlerFunc
	waits    []time.Duration
	meter    *meter.Set
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var a asked
	if r.URL.Path != "/v1/embeddings" || json.NewDecoder(r.Body).Decode(&a) != nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	f.requests = append(f.requests, a)
	f.auth = append(f.auth, r.Header.Get("Authorization"))
	if len(f.script) > 0 {
		next := f.script[0]
		f.script = f.script[1:]
		next(w, r)
		return
	}
	var data []string
	for i := len(a.Input) - 1; i >= 0; i-- { // not in order
		data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,%d]}`, i, len(a.Input[i]), strings.Count(a.Input[i], " ")))
	}
	fmt.Fprintf(w, `{"model":"m-2024","data":[%s]}`, strings.Join(data, ","))
}

func says(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func start(t *testing.T, f *fake, change func(*endpoint.Config)) *endpoint.Embedder {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	cfg := endpoint.Config{BaseURL: server.URL + "/v1", Model: "m", Dim: 2, RetryWait: time.Second, MaxRetryWait: 5 * time.Second}
	if change != nil {
		change(&cfg)
	}
	e, err := endpoint.New(cfg, endpoint.Deps{Meter: f.meter, Wait: func(ctx context.Context, d time.Duration) error {
		f.waits = append(f.waits, d)
		return ctx.Err()
	}})
	require.NoError(t, err)
	return e
}

func TestTriesAreMeasured(t *testing.T) {
	t.Parallel()
	for result, status := range map[string]int{"ok": 200, "busy": 429, "refused": 400, "failed": 503} {
		measures, read := metertest.New(t)
		f := &fake{meter: measures}
		if status != http.StatusOK {
			f.script = []http.HandlerFunc{says(status, "no")}
		}
		_, err := start(t, f, func(c *endpoint.Config) { c.Attempts = 1 }).Embed(t.Context(), []string{"a"})
		require.Equal(t, status == http.StatusOK, err == nil, "%v", err)
		require.Equal(t, 1.0, read()[`dibrain_dependency_seconds{dependency="embeddings",operation="embed",result="`+result+`"}`], "%v", read())
	}
}

func TestTextsGoInBatches(t *testing.T) {
	t.Parallel()
	f := &fake{}
	e := start(t, f, func(c *endpoint.Config) {
		c.BatchTexts, c.BatchBytes, c.MaxTextBytes, c.TextPrefix, c.QuestionPrefix = 2, 20, 8, "d: ", "q: "
	})
	vectors, err := e.Embed(t.Context(), []string{"a", "  ", "bb", "ccc", "too long a text", "日本語文字"})
	require.NoError(t, err)
	var inputs [][]string
	for _, r := range f.requests {
		inputs = append(inputs, r.Input)
		require.Equal(t, "m", r.Model)
		require.Zero(t, r.Dimensions)
	}
	require.Equal(t, [][]string{{"d: a", "d: bb"}, {"d: ccc", "d: too long"}, {"d: 日本"}}, inputs)
	require.Equal(t, [][]float32{{4, 1}, {0, 0}, {5, 1}, {6, 1}, {11, 2}, {9, 1}}, vectors)

	question, err := e.Questions().Embed(t.Context(), []string{"x"})
	require.NoError(t, err)
	require.Equal(t, [][]float32{{4, 1}}, question)
	require.Equal(t, []string{"q: x"}, f.requests[3].Input)
	require.Equal(t, e.Name(), e.Questions().Name())
}

func TestBusyEndpointIsAskedAgain(t *testing.T) {
	t.Parallel()
	f := &fake{script: []http.HandlerFunc{
		says(http.StatusTooManyRequests, "", "Retry-After", "3"), says(http.StatusBadGateway, ""), says(http.StatusServiceUnavailable, "", "Retry-After", "900"),
	}}
	vectors, err := start(t, f, nil).Embed(t.Context(), []string{"a"})
	require.NoError(t, err)
	require.Equal(t, [][]float32{{1, 0}}, vectors)
	require.Equal(t, []time.Duration{3 * time.Second, 2 * time.Second, 5 * time.Second}, f.waits)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	busy := says(http.StatusTooManyRequests, `{"error":{"message":"slow down"}}`)
	for _, tc := range []struct {
		name     string
		script   []http.HandlerFunc
		reason   string
		operator string
		requests int
	}{
		{"always busy", []http.HandlerFunc{busy, busy, busy, busy, busy}, remote.ReasonUnavailable, "status 429: slow down", 4},
		{"wrong key", []http.HandlerFunc{says(http.StatusUnauthorized, `{"error":{"message":"no"}}`)}, remote.ReasonDenied, "status 401: no", 1},
		{"forbidden", []http.HandlerFunc{says(http.StatusForbidden, "")}, remote.ReasonDenied, "status 403", 1},
		{"refused", []http.HandlerFunc{says(http.StatusBadRequest, "plain words")}, remote.ReasonRefused, "plain words", 1},
		{"no JSON", []http.HandlerFunc{says(http.StatusOK, "<html>")}, remote.ReasonRefused, "read the answer", 1},
		{"other model", []http.HandlerFunc{says(http.StatusOK, `{"model":"other","data":[{"index":0,"embedding":[1,2]}]}`)}, remote.ReasonRefused, `"other"`, 1},
		{"other dimension", []http.HandlerFunc{says(http.StatusOK, `{"data":[{"index":0,"embedding":[1,2,3]}]}`)}, remote.ReasonRefused, "dimension 3", 1},
		{"too few", []http.HandlerFunc{says(http.StatusOK, `{"data":[]}`)}, remote.ReasonRefused, "0 vectors for 1 texts", 1},
		{"index out of range", []http.HandlerFunc{says(http.StatusOK, `{"data":[{"index":1,"embedding":[1,2]}]}`)}, remote.ReasonRefused, "index 1", 1},
		{"too large", []http.HandlerFunc{says(http.StatusOK, strings.Repeat(" ", 3000))}, remote.ReasonRefused, "max_response_bytes", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{script: tc.script}
			e := start(t, f, func(c *endpoint.Config) { c.MaxResponseBytes = 2000 })
			_, err := e.Embed(t.Context(), []string{"a"})
			require.Equal(t, tc.reason, fault.ReasonOf(err))
			require.Contains(t, fault.OperatorText(err), tc.operator)
			require.Len(t, f.requests, tc.requests)
		})
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	f := &fake{}
	e := start(t, f, func(c *endpoint.Config) { c.BaseURL = "http://127.0.0.1:1/v1" })
	_, err := e.Embed(t.Context(), []string{"a"})
	require.Equal(t, remote.ReasonUnavailable, fault.ReasonOf(err))
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, f.waits)
}

// silent is a connection to an endpoint that never answers.
type silent struct{ calls atomic.Int64 }

func (s *silent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.calls.Add(1)
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestSlowEndpointAndCancel(t *testing.T) {
	t.Parallel()
	var slow silent
	cfg := endpoint.Config{BaseURL: "http://slow.example", Model: "m", Dim: 2, Timeout: time.Millisecond, Attempts: 2, RetryWait: time.Millisecond}
	e, err := endpoint.New(cfg, endpoint.Deps{Client: &http.Client{Transport: &slow}})
	require.NoError(t, err)
	_, err = e.Embed(t.Context(), []string{"a"})
	require.Equal(t, remote.ReasonTimeout, fault.ReasonOf(err))
	require.EqualValues(t, 2, slow.calls.Load())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = e.Embed(ctx, []string{"a"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestKeyIsSentAndNeverTold(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, []byte("\n"+secret+"\n"), 0o600))
	f := &fake{script: []http.HandlerFunc{says(http.StatusUnauthorized, "")}}
	e := start(t, f, func(c *endpoint.Config) { c.Key.File = file })
	_, err := e.Embed(t.Context(), []string{"a"})
	require.Error(t, err)
	require.Equal(t, []string{"Bearer " + secret}, f.auth)
	for _, text := range []string{err.Error(), fault.OperatorText(err), e.Name()} {
		require.NotContains(t, text, secret)
	}
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	good := endpoint.Config{BaseURL: "http://127.0.0.1:8089/v1", Model: "m", Dim: 2}
	for name, change := range map[string]func(*endpoint.Config){
		"base_url":                      func(c *endpoint.Config) { c.BaseURL = "ftp://x" },
		"credentials":                   func(c *endpoint.Config) { c.BaseURL = "http://user:" + secret + "@x" },
		"model":                         func(c *endpoint.Config) { c.Model = " " },
		"endpoint.dim":                  func(c *endpoint.Config) { c.Dim = 0 },
		"max_distance":                  func(c *endpoint.Config) { c.MaxDistance = 600 },
		"batch_texts":                   func(c *endpoint.Config) { c.BatchTexts = -1 },
		"timeout":                       func(c *endpoint.Config) { c.Timeout = -1 },
		"read the secret":               func(c *endpoint.Config) { c.Key.File = "/nowhere" },
		"DIBRAIN_TEST_NO_SUCH_VARIABLE": func(c *endpoint.Config) { c.Key.Env = "DIBRAIN_TEST_NO_SUCH_VARIABLE" },
		"authorities":                   func(c *endpoint.Config) { c.TLS.CAFile = "/nowhere" },
		"response_byte":                 func(c *endpoint.Config) { c.MaxResponseBytes = -1 },
	} {
		cfg := good
		change(&cfg)
		_, err := endpoint.New(cfg, endpoint.Deps{})
		require.ErrorContains(t, err, name)
		require.NotContains(t, err.Error(), secret)
	}
	e, err := endpoint.New(good, endpoint.Deps{})
	require.NoError(t, err)
	require.Equal(t, 2, e.Dim())
	require.Equal(t, vector.Calibration{Metric: "COSINE"}, e.Calibration())
}
