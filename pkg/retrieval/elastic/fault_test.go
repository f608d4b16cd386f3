package elastic_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/retrieval/elastic"
	"github.com/dibrain/dibrain/pkg/retrieval/remote"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
)

const secret = "s3cret-of-the-test"

// scripted answers each request with the next of its answers, the last one again
// and again.
type scripted struct {
	mu      sync.Mutex
	answers []func(w http.ResponseWriter, r *http.Request)
	auth    string
	count   int
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	next := s.answers[min(s.count, len(s.answers)-1)]
	s.count++
	s.auth = r.Header.Get("Authorization")
	s.mu.Unlock()
	next(w, r)
}

// seen returns how many requests came and how the last one signed in.
func (s *scripted) seen() (count int, auth string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count, s.auth
}

func says(status int, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func refuses(status int, kind string) func(http.ResponseWriter, *http.Request) {
	return says(status, fmt.Sprintf(`{"error":{"type":%q,"reason":"inner words"},"status":%d}`, kind, status))
}

func hangs(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // only then the server notices that the client is gone
	<-r.Context().Done()
}

func against(t *testing.T, s *scripted, change func(*elastic.Config)) error {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	cfg := elastic.Config{Addresses: []string{server.URL}, RetryWait: time.Millisecond, Timeout: time.Minute, MaxResponseBytes: 4096}
	if change != nil {
		change(&cfg)
	}
	c, err := elastic.Open(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	_, err = c.Build(t.Context(), "shop", retrievaltest.Weights(), retrievaltest.Documents(t, []retrievaltest.Document{{Name: "gmv"}}), nil)
	return err
}

func TestFaults(t *testing.T) {
	t.Parallel()
	missing := refuses(http.StatusNotFound, "index_not_found_exception")
	good := says(http.StatusOK, `{}`)
	for _, tc := range []struct {
		name     string
		answers  []func(http.ResponseWriter, *http.Request)
		change   func(*elastic.Config)
		reason   string
		operator string
		requests int
	}{
		{
			name: "denied", answers: []func(http.ResponseWriter, *http.Request){refuses(http.StatusUnauthorized, "security_exception")},
			reason: remote.ReasonDenied, operator: "security_exception", requests: 1,
		},
		{
			name: "not allowed", answers: []func(http.ResponseWriter, *http.Request){refuses(http.StatusForbidden, "security_exception")},
			reason: remote.ReasonDenied, operator: "inner words", requests: 1,
		},
		{
			name: "busy for good", answers: []func(http.ResponseWriter, *http.Request){refuses(http.StatusTooManyRequests, "rejected")},
			reason: remote.ReasonUnavailable, operator: "status 429", requests: 4,
		},
		{
			name: "out of order", answers: []func(http.ResponseWriter, *http.Request){says(http.StatusInternalServerError, "<html>")},
			reason: remote.ReasonUnavailable, operator: "status 500", requests: 1,
		},
		{
			name: "no JSON", answers: []func(http.ResponseWriter, *http.Request){says(http.StatusOK, "<html>")},
			reason: remote.ReasonRefused, operator: "read the answer", requests: 1,
		},
		{
			name: "too large", answers: []func(http.ResponseWriter, *http.Request){says(http.StatusOK, strings.Repeat(" ", 5000))},
			reason: remote.ReasonRefused, operator: "max_response_bytes", requests: 1,
		},
		{
			name: "slow", answers: []func(http.ResponseWriter, *http.Request){hangs},
			change: func(c *elastic.Config) { c.Timeout = 2 * time.Second },
			reason: remote.ReasonTimeout, requests: 1,
		},
		{
			name: "a document is refused", answers: []func(http.ResponseWriter, *http.Request){
				missing, good, says(http.StatusOK, `{"errors":true,"items":[{"index":{"_id":"0","status":400,"error":{"type":"mapper","reason":"odd field"}}}]}`),
			},
			reason: remote.ReasonRefused, operator: "document 0: odd field", requests: 3,
		},
		{
			name: "documents are missing", answers: []func(http.ResponseWriter, *http.Request){missing, good, good, good, good, says(http.StatusOK, `{"count":0}`)},
			reason: remote.ReasonRefused, operator: "0 documents instead of 1", requests: 6,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := &scripted{answers: tc.answers}
			err := against(t, s, tc.change)
			require.Equal(t, tc.reason, fault.ReasonOf(err), "%v", err)
			require.Contains(t, fault.OperatorText(err), tc.operator)
			require.NotContains(t, fault.FromStatus(err).Message, "inner words", "clients do not read what the server says")
			count, _ := s.seen()
			require.Equal(t, tc.requests, count)
		})
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	err := against(t, &scripted{}, func(c *elastic.Config) { c.Addresses = []string{"http://127.0.0.1:1"} })
	require.Equal(t, remote.ReasonUnavailable, fault.ReasonOf(err))
	require.NotZero(t, fault.FromStatus(err).RetryAfter)
}

func TestCallerGivesUp(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(hangs))
	t.Cleanup(server.Close)
	c, err := elastic.Open(elastic.Config{Addresses: []string{server.URL}})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err = c.Build(ctx, "shop", retrievaltest.Weights(), retrievaltest.Documents(t, nil), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// Secrets reach the server and nothing else.
func TestSecrets(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte(secret+"\n"), 0o600))
	for want, change := range map[string]func(*elastic.Config){
		"Basic " + base64.StdEncoding.EncodeToString([]byte("finder:"+secret)): func(c *elastic.Config) { c.User, c.Password.File = "finder", file },
		"APIKey " + secret: func(c *elastic.Config) { c.APIKey.File = file },
	} {
		s := &scripted{answers: []func(http.ResponseWriter, *http.Request){refuses(http.StatusUnauthorized, "security_exception")}}
		err := against(t, s, change)
		_, auth := s.seen()
		require.Equal(t, want, auth)
		require.NotContains(t, err.Error()+fault.OperatorText(err), secret)
	}
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*elastic.Config){
		"elasticsearch.addresses is empty": func(c *elastic.Config) { c.Addresses = nil },
		"no http or https address":         func(c *elastic.Config) { c.Addresses = []string{"127.0.0.1:9200"} },
		"holds credentials":                func(c *elastic.Config) { c.Addresses = []string{"http://u:" + secret + "@h"} },
		"elasticsearch.prefix":             func(c *elastic.Config) { c.Prefix = "My*" },
		"are both set":                     func(c *elastic.Config) { c.User, c.APIKey.Env = "u", "X" },
		"elasticsearch.bulk_bytes":         func(c *elastic.Config) { c.BulkBytes = -1 },
		"elasticsearch.timeout":            func(c *elastic.Config) { c.Timeout = -1 },
		"read the authorities":             func(c *elastic.Config) { c.TLS.CAFile = "/nowhere" },
		"password":                         func(c *elastic.Config) { c.User, c.Password.File = "u", "/nowhere" },
	} {
		cfg := elastic.Config{Addresses: []string{"http://127.0.0.1:9200"}}
		change(&cfg)
		_, err := elastic.Open(cfg)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), secret)
	}
}
