package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// hostOf is the host:port of a test's server.
func hostOf(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }

// serving starts a server that ends with the test.
func serving(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// trinoServer answers every statement by one page with one number, in two steps: the
// statement is taken, then its page is fetched.
type trinoServer struct {
	*httptest.Server
	statements atomic.Int64 // that were begun
}

func newTrino(t *testing.T, address func() string) *trinoServer {
	s := &trinoServer{}
	s.Server = serving(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		const column = `"columns": [{"name": "loaves", "type": "bigint", "typeSignature": {"rawType": "bigint", "arguments": []}}]`
		switch {
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		case r.Method == http.MethodPost:
			_, _ = io.Copy(io.Discard, r.Body)
			n := s.statements.Add(1)
			fmt.Fprintf(w, `{"id": "q%d", "nextUri": "http://%s/v1/statement/queued/q%d/slug/1", "stats": {"state": "QUEUED"}}`, n, address(), n)
		default:
			fmt.Fprintf(w, `{"id": "q1", %s, "data": [[42]], "stats": {"state": "FINISHED"}}`, column)
		}
	})
	return s
}

// newLoki answers as a Loki with one stream and one line in it.
func newLoki(t *testing.T) *httptest.Server {
	at := fmt.Sprint(time.Now().Add(-time.Minute).UnixNano())
	return serving(t, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		var data any
		switch {
		case strings.HasSuffix(r.URL.Path, "/labels"):
			data = []string{"app"}
		case strings.HasSuffix(r.URL.Path, "/values"):
			data = []string{"checkout"}
		default:
			data = map[string]any{"resultType": "streams", "result": []any{map[string]any{
				"stream": map[string]string{"app": "checkout"}, "values": [][]string{{at, "error: the oven is cold"}},
			}}}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": data})
	})
}

// newEmbeddings answers every text by a vector of its letters.
func newEmbeddings(t *testing.T) *httptest.Server {
	return serving(t, func(w http.ResponseWriter, r *http.Request) {
		var ask struct {
			Model string `json:"model"`
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var data []any
		for i, text := range ask.Input {
			v := make([]float64, dimension)
			for _, letter := range text {
				v[int(letter)%dimension]++
			}
			data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": v})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": ask.Model, "data": data, "usage": map[string]int{"total_tokens": 1}})
	})
}

// dimension of the vectors of newEmbeddings.
const dimension = 16

// collectorServer counts what it was sent over OTLP/HTTP.
type collectorServer struct {
	*httptest.Server
	traces atomic.Int64
}

func newCollector(t *testing.T) *collectorServer {
	c := &collectorServer{}
	c.Server = serving(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if strings.HasSuffix(r.URL.Path, "/traces") {
			c.traces.Add(1)
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	})
	return c
}
