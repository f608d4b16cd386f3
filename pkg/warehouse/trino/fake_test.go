package trino_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
)

// fake is a server that answers as a test says, by the number of the request:
// 0 is the statement, 1 and on are the pages.
type fake struct {
	*httptest.Server
	answer func(f *fake, w http.ResponseWriter, n int)

	mu      sync.Mutex
	posts   []*http.Request
	texts   []string
	pages   int
	deleted int
	// credentials are the Authorization headers of all requests, in order.
	credentials []string
	refuse      int // status of the answer to a DELETE; 0: it is obeyed
}

func newFake(t *testing.T, answer func(f *fake, w http.ResponseWriter, n int)) *fake {
	t.Helper()
	f := &fake{answer: answer}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// ServeHTTP implements http.Handler.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.credentials = append(f.credentials, r.Header.Get("Authorization"))
	n := 0
	switch r.Method {
	case http.MethodPost:
		text, _ := io.ReadAll(r.Body)
		f.posts, f.texts, f.pages = append(f.posts, r.Clone(context.Background())), append(f.texts, string(text)), 0
	case http.MethodDelete:
		f.deleted++
		f.mu.Unlock()
		w.WriteHeader(cmp.Or(f.refuse, http.StatusNoContent))
		return
	default:
		f.pages++
		n = f.pages
	}
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	f.answer(f, w, n)
}

func (f *fake) post(i int) *http.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.posts[i]
}

func (f *fake) counts() (posts, pages, deleted int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.posts), f.pages, f.deleted
}

// page is an answer with one bigint column; no next where it is the last.
func (f *fake) page(data string, next bool) string {
	at := ""
	if next {
		at = fmt.Sprintf(`"nextUri": %q,`, f.URL+"/v1/statement/executing/q1/slug/1")
	}
	if data != "" {
		data = `"data": ` + data + `,`
	}
	return `{"id": "q1", ` + at + `"columns": [{"name": "n", "type": "bigint", "typeSignature": {"rawType": "bigint", "arguments": []}}], ` +
		data + `"stats": {"state": "RUNNING", "progressPercentage": 50.0}}`
}

func (f *fake) failed(kind, name string) string {
	return fmt.Sprintf(`{"id": "q1", "stats": {"state": "FAILED"}, "error": {"message": "line 2:3: it went wrong", "errorCode": 1,
		"errorName": %q, "errorType": %q, "errorLocation": {"lineNumber": 2, "columnNumber": 3}}}`, name, kind)
}

func (f *fake) config() trino.Config {
	began := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	var waited atomic.Int64 // nobody waits: the clock goes on instead
	return trino.Config{
		Clock: func() time.Time { return began.Add(time.Duration(waited.Load())) },
		Wait: func(ctx context.Context, d time.Duration) error {
			waited.Add(int64(d))
			return ctx.Err()
		},
		Connection:   source.TrinoConnection{URL: f.URL, User: "svc", Regions: map[string]source.TrinoPlace{"sg": {Catalog: "sg"}}},
		RetryTimeout: time.Minute, Log: slog.New(slog.DiscardHandler),
	}
}

func someone() run.Principal { return run.Principal{ID: "someone"} }

// ask runs a statement to its end.
func ask(t *testing.T, e *trino.Engine, options warehouse.Options) ([][]any, warehouse.Stats, error) {
	t.Helper()
	rows, err := e.Query(t.Context(), someone(), approve(t, "someone", "select 1 as n", resolve.Scope{}), options)
	if err != nil {
		return nil, warehouse.Stats{}, err
	}
	defer func() { require.NoError(t, rows.Close()) }()
	var out [][]any
	for {
		page, err := rows.Next(t.Context(), 10)
		out = append(out, page...)
		if err == io.EOF { //nolint:errorlint // Next returns it bare
			return out, rows.Stats(), nil
		}
		if err != nil {
			return out, rows.Stats(), err
		}
	}
}

// write answers; the reader may be gone.
func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) }
