package retrievaltest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Elasticsearch answers on loopback as much of Elasticsearch's protocol as package
// elastic speaks, and can be made to hang. Scores are the number of terms found.
type Elasticsearch struct {
	URL      string
	Searches atomic.Int64 // that came, answered or not
	hangs    atomic.Bool

	mu      sync.Mutex
	indices map[string]*fakeIndex
}

type fakeIndex struct {
	docs    map[int]string // all terms of a document, by its number
	meta    json.RawMessage
	aliases map[string]any
}

// NewElasticsearch starts one for a test.
func NewElasticsearch(t testing.TB) *Elasticsearch {
	e := &Elasticsearch{indices: make(map[string]*fakeIndex)}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	e.URL = server.URL
	return e
}

// Hang says whether requests are left without an answer.
func (e *Elasticsearch) Hang(hangs bool) { e.hangs.Store(hangs) }

// Lose forgets all indices.
func (e *Elasticsearch) Lose() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.indices)
}

// ServeHTTP implements http.Handler.
func (e *Elasticsearch) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	name, do, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
	if do == "_search" {
		e.Searches.Add(1)
	}
	if e.hangs.Load() || err != nil {
		<-r.Context().Done()
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	index, there := e.indices[name]
	switch {
	case name == "" || name == "_aliases":
		e.alias(body)
		_, _ = io.WriteString(w, `{}`)
	case do == "" && r.Method == http.MethodPut:
		e.indices[name] = &fakeIndex{docs: make(map[int]string), aliases: make(map[string]any)}
		_, _ = io.WriteString(w, `{}`)
	case do == "" && r.Method == http.MethodGet:
		e.list(w, strings.TrimSuffix(name, "*"))
	case !there:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":{"type":"index_not_found_exception","reason":"no such index"},"status":404}`)
	default:
		index.serve(w, r.Method, name, do, body)
	}
}

func (e *Elasticsearch) alias(body []byte) {
	var moves struct {
		Actions []map[string]struct{ Index, Alias string } `json:"actions"`
	}
	if json.Unmarshal(body, &moves) != nil {
		return
	}
	for _, a := range moves.Actions {
		for what, on := range a {
			if index := e.indices[on.Index]; index != nil && what == "add" {
				index.aliases[on.Alias] = struct{}{}
			} else if index != nil {
				delete(index.aliases, on.Alias)
			}
		}
	}
}

func (e *Elasticsearch) list(w io.Writer, prefix string) {
	found := make(map[string]any)
	for name, index := range e.indices {
		if strings.HasPrefix(name, prefix) {
			found[name] = map[string]any{"aliases": index.aliases, "settings": map[string]any{"index": map[string]any{"creation_date": "1"}}}
		}
	}
	_ = json.NewEncoder(w).Encode(found)
}

func (x *fakeIndex) serve(w io.Writer, method, name, do string, body []byte) {
	switch {
	case do == "_mapping" && method == http.MethodGet:
		meta := x.meta
		if meta == nil {
			meta = json.RawMessage("{}")
		}
		fmt.Fprintf(w, `{%q:{"mappings":{"_meta":%s}}}`, name, meta)
	case do == "_mapping":
		var mapping struct {
			Meta json.RawMessage `json:"_meta"`
		}
		_ = json.Unmarshal(body, &mapping)
		x.meta = mapping.Meta
		_, _ = io.WriteString(w, `{}`)
	case do == "_bulk":
		x.fill(string(body))
		_, _ = io.WriteString(w, `{"errors":false,"items":[]}`)
	case do == "_count":
		fmt.Fprintf(w, `{"count":%d}`, len(x.docs))
	case do == "_search":
		x.search(w, body)
	default:
		_, _ = io.WriteString(w, `{}`)
	}
}

func (x *fakeIndex) fill(lines string) {
	scan := bufio.NewScanner(strings.NewReader(lines))
	scan.Buffer(nil, 16<<20)
	for scan.Scan() {
		var fields map[string]any
		if json.Unmarshal(scan.Bytes(), &fields) != nil {
			continue
		}
		n, document := fields["doc"].(float64)
		if !document {
			continue
		}
		var terms strings.Builder
		for name, text := range fields {
			if strings.HasPrefix(name, "t_") {
				fmt.Fprintf(&terms, " %v ", text)
			}
		}
		x.docs[int(n)] = terms.String()
	}
}

func (x *fakeIndex) search(w io.Writer, body []byte) {
	var asked struct {
		Size  int               `json:"size"`
		After []json.RawMessage `json:"search_after"`
		Query struct {
			Bool struct {
				Should []struct {
					Fields struct {
						Query string `json:"query"`
					} `json:"combined_fields"`
				} `json:"should"`
			} `json:"bool"`
		} `json:"query"`
	}
	if json.Unmarshal(body, &asked) != nil || len(asked.After) > 0 { // all are on the first page
		_, _ = io.WriteString(w, `{"hits":{"hits":[]}}`)
		return
	}
	type hit struct {
		Sort [2]int `json:"sort"`
	}
	hits := []hit{}
	for n, terms := range x.docs {
		score := 0
		for _, s := range asked.Query.Bool.Should {
			if strings.Contains(terms, " "+s.Fields.Query+" ") {
				score++
			}
		}
		if score > 0 {
			hits = append(hits, hit{[2]int{score, n}})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		if a.Sort[0] != b.Sort[0] {
			return b.Sort[0] - a.Sort[0]
		}
		return a.Sort[1] - b.Sort[1]
	})
	_ = json.NewEncoder(w).Encode(map[string]any{"hits": map[string]any{"hits": hits[:min(len(hits), asked.Size)]}})
}
