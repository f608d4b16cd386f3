package chatbi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/chatbi"
)

// countingTrino answers statements as a Trino with the table shop.orders would, each
// at once, and keeps their texts and the run that they name.
type countingTrino struct {
	*httptest.Server

	mu    sync.Mutex
	texts []string
	tags  []string
	ended int // cancelled by the client
}

func newCountingTrino(t *testing.T) *countingTrino {
	t.Helper()
	s := &countingTrino{}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP implements http.Handler.
func (s *countingTrino) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodDelete {
		s.ended++
		w.WriteHeader(http.StatusNoContent)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	text := string(raw)
	s.texts, s.tags = append(s.texts, text), append(s.tags, strings.Join(r.Header.Values("X-Trino-Client-Tags"), " ")+" "+r.Header.Get("X-Trino-Trace-Token"))
	kind, value := "bigint", "42"
	switch upper := strings.ToUpper(text); {
	case strings.HasPrefix(upper, "EXPLAIN"):
		kind, value = "varchar", `"{\"inputTableColumnInfos\": [{\"table\": {\"catalog\": \"hive\", \"schemaTable\": {\"schema\": \"shop\", \"table\": \"orders\"}}, `+
			`\"constraint\": {\"none\": false, \"columnConstraints\": []}, \"estimate\": {\"outputRowCount\": 5.0, \"outputSizeInBytes\": 40.0}}], \"estimate\": {\"outputRowCount\": 1.0}}"`
	case strings.Contains(upper, "MAX(") || strings.Contains(upper, "MIN("):
		kind, value = "varchar", `"2026-11-19"`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"id": "q%d", "columns": [{"name": "n", "type": %q, "typeSignature": {"rawType": %[2]q, "arguments": []}}], "data": [[%[3]s]], "stats": {"state": "FINISHED"}}`,
		len(s.texts), kind, value)
}

// taken are the statements since the last time, by what they are for.
func (s *countingTrino) taken() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]int{}
	for _, text := range s.texts {
		switch upper := strings.ToUpper(text); {
		case strings.HasPrefix(upper, "EXPLAIN"):
			out["explain"]++
		case strings.Contains(upper, "MAX(") || strings.Contains(upper, "MIN("):
			out["probe"]++
		case strings.Contains(upper, "COUNT(*)"):
			out["query"]++
		default:
			out[text]++
		}
	}
	s.texts = nil
	return out
}

func makeTrinoSource(t *testing.T, sources *source.Store, url string) {
	t.Helper()
	_, err := sources.Make(t.Context(), "wh", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Engine: source.EngineTrino, DefaultRegion: "sg", DefaultSchema: "shop", Version: "1", Trino: &source.TrinoConnection{
			URL: url, User: "svc", Impersonate: true, TrustUserHeader: true, Regions: map[string]source.TrinoPlace{"sg": {Catalog: "hive"}},
		}}, &catalog.Snapshot{Tables: tables()}, nil
	})
	require.NoError(t, err)
}

// TestOwnStatementsOfAnAnswer: beside the statement itself, an answer asks a server for
// its plan and both ends of the partitions the first time, and for nothing the second,
// for as long as it is known, and until the source has a new generation.
func TestOwnStatementsOfAnAnswer(t *testing.T) {
	t.Parallel()
	server := newCountingTrino(t)
	var later atomic.Int64 // by how much the clock is ahead, in nanoseconds; timers of the service read it too
	var sources *source.Store
	s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		c.Cost.AskRows, c.Trino.KnownFor = 10, time.Hour // the catalog says 900, and the plan 5
		d.Clock, sources = func() time.Time { return now.Add(time.Duration(later.Load())) }, d.Sources
	})
	makeTrinoSource(t, sources, server.URL)
	const text = "SELECT count(*) AS n FROM orders WHERE dt >= DATE '2026-11-01' AND dt < DATE '2026-11-20'"
	answer := func(who string) map[string]int {
		ctx := as(t.Context(), who)
		// Whoever writes a SQL asks what it costs before it is run.
		_, err := s.EstimateCost(ctx, &chatbiv1.EstimateCostRequest{Source: "wh", Sql: text})
		require.NoError(t, err)
		res, err := s.ExecuteAndAnalyzeUnary(ctx, &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Source: "wh", Sql: text}})
		require.NoError(t, err)
		require.Nil(t, res.GetResult().GetError(), "%v", res.GetResult().GetError())
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, res.GetResult().GetOutcome())
		require.Contains(t, res.GetResult().GetCertificate().GetTables()[0].GetLatestPartition(), "2026-11-19")
		return server.taken()
	}
	first := map[string]int{"query": 1, "explain": 1, "probe": 2}
	require.Equal(t, first, answer("alice"))
	require.Equal(t, map[string]int{"query": 1}, answer("alice"), "what is known is not asked for again")
	require.Equal(t, first, answer("bob"), "what one may see is not what another may")
	later.Store(int64(2 * time.Hour))
	require.Equal(t, first, answer("alice"), "the data of a server change")
	makeTrinoSource(t, sources, server.URL)
	require.Equal(t, first, answer("alice"), "a new generation is asked anew")
	require.Zero(t, server.ended, "each was read to its end")
}
