package logify_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/logql"
)

// fakeLoki speaks the part of Loki's HTTP API that the service uses, over lines in
// memory, each tenant with its own. Queries are evaluated by pkg/logql.
type fakeLoki struct {
	t       *testing.T
	tenants map[string]logql.Entries

	mu    sync.Mutex
	calls []*http.Request
}

func startLoki(t *testing.T, tenants map[string]logql.Entries) (*fakeLoki, string) {
	t.Helper()
	f := &fakeLoki{t: t, tenants: tenants}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /loki/api/v1/labels", f.labels)
	mux.HandleFunc("GET /loki/api/v1/label/{name}/values", f.labels)
	mux.HandleFunc("GET /loki/api/v1/query", f.query)
	mux.HandleFunc("GET /loki/api/v1/query_range", f.query)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.calls = append(f.calls, r)
		f.mu.Unlock()
		if r.Header.Get("X-Scope-OrgID") == "" {
			http.Error(w, "no org id", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return f, server.URL
}

func (f *fakeLoki) count(path string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, r := range f.calls {
		if r.URL.Path == path {
			n++
		}
	}
	return n
}

func (f *fakeLoki) answer(w http.ResponseWriter, data any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": data}); err != nil {
		f.t.Errorf("write the answer: %v", err)
	}
}

func instant(r *http.Request, name string) time.Time {
	n, err := strconv.ParseInt(r.URL.Query().Get(name), 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

func (f *fakeLoki) labels(w http.ResponseWriter, r *http.Request) {
	selects := func(map[string]string) bool { return true }
	if q := r.URL.Query().Get("query"); q != "" {
		e, err := logql.Parse(q)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		selects, err = logql.Selects(e.(*logql.LogExpr).Matchers)
		require.NoError(f.t, err)
	}
	found := map[string]bool{}
	for _, e := range f.tenants[r.Header.Get("X-Scope-OrgID")] {
		if !selects(e.Labels) || e.Time.Before(instant(r, "start")) {
			continue
		}
		for name, value := range e.Labels {
			switch r.PathValue("name") {
			case "":
				found[name] = true
			case name:
				found[value] = true
			}
		}
	}
	out := []string{}
	for name := range found {
		out = append(out, name)
	}
	slices.Sort(out)
	f.answer(w, out)
}

func (f *fakeLoki) query(w http.ResponseWriter, r *http.Request) {
	text := r.URL.Query().Get("query")
	e, err := logql.Parse(text)
	if err != nil {
		http.Error(w, "parse error : "+err.Error(), http.StatusBadRequest)
		return
	}
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	if limit > 5000 { // as one that nobody configured otherwise
		http.Error(w, "max entries limit per query exceeded", http.StatusBadRequest)
		return
	}
	window := logql.Window{From: instant(r, "start"), To: instant(r, "end"), Limit: limit}
	if r.URL.Path == "/loki/api/v1/query" {
		window.To = instant(r, "time")
	}
	if step := r.URL.Query().Get("step"); step != "" {
		seconds, err := strconv.ParseFloat(step, 64)
		require.NoError(f.t, err)
		window.Step = time.Duration(seconds * float64(time.Second))
		// As the real one does, which finds nothing at parts of seconds.
		logql.Ranges(e, func(r *logql.RangeAgg) {
			require.Zero(f.t, r.Offset%time.Second, text)
			require.Zero(f.t, window.From.Nanosecond())
		})
		over := time.Duration(window.From.UnixNano() % int64(window.Step))
		window.From = window.From.Add(-over)
		if over = time.Duration(window.To.UnixNano() % int64(window.Step)); over > 0 {
			window.To = window.To.Add(window.Step - over)
		}
	}
	out, err := logql.Evaluate(r.Context(), e, f.tenants[r.Header.Get("X-Scope-OrgID")], window, logql.Bounds{})
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	result := []any{}
	pair := func(p logql.Point) []any {
		return []any{float64(p.Time.UnixMilli()) / 1000, strconv.FormatFloat(p.Value, 'f', -1, 64)}
	}
	if window.Step > 0 { // series after series, each with its numbers
		for _, series := range bySeries(out.Points) {
			values := []any{}
			for _, p := range series {
				values = append(values, pair(p))
			}
			result = append(result, map[string]any{"metric": series[0].Labels, "values": values})
		}
		f.answer(w, map[string]any{"resultType": "matrix", "result": result})
		return
	}
	if out.Metric {
		for _, p := range out.Points {
			result = append(result, map[string]any{"metric": p.Labels, "value": pair(p)})
		}
		f.answer(w, map[string]any{"resultType": "vector", "result": result})
		return
	}
	for _, l := range out.Lines {
		result = append(result, map[string]any{"stream": l.Labels, "values": [][]string{{strconv.FormatInt(l.Time.UnixNano(), 10), l.Line}}})
	}
	f.answer(w, map[string]any{"resultType": "streams", "result": result})
}

func bySeries(points []logql.Point) [][]logql.Point {
	at := map[string]int{}
	var out [][]logql.Point
	for _, p := range points {
		key := fmt.Sprint(p.Labels)
		if _, known := at[key]; !known {
			at[key] = len(out)
			out = append(out, nil)
		}
		out[at[key]] = append(out[at[key]], p)
	}
	return out
}
