package chatbi

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/written"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestWhatAnEngineOnTrinoIsOpenedWith: each limit of the configuration reaches it, and
// its statements the journal.
func TestWhatAnEngineOnTrinoIsOpenedWith(t *testing.T) {
	t.Parallel()
	config := Config{
		Limits: LimitConfig{Timeout: 7 * time.Second, MaxRows: 70, MaxBytes: 700},
		Trino:  TrinoConfig{MaxConcurrent: 5, MaxPerPrincipal: 3, QueueWait: 2 * time.Second, RetryTimeout: 9 * time.Second, ExchangeTimeout: 6 * time.Second, MaxTokens: 8},
	}
	now := time.Unix(1_900_000_000, 0).UTC()
	j := newFileJournal(t.TempDir(), 5, slog.New(slog.DiscardHandler))
	var got trino.Config
	log := slog.New(slog.DiscardHandler)
	open := openBy(config, embedded{}, func(name string, c *trino.Config) {
		noteIn(j, name, func() time.Time { return now }, c)
		got = *c
	}, log, nil)
	g := &source.Generation{Manifest: source.Manifest{Name: "wh", Engine: source.EngineTrino, Trino: &source.TrinoConnection{URL: "http://127.0.0.1:1", User: "svc"}}}
	_, _ = open(t.Context(), g) // there is no server: what it is told is what counts
	require.Equal(t, warehouse.Limits{MaxConcurrent: 5, MaxPerPrincipal: 3, QueueWait: 2 * time.Second, Timeout: 7 * time.Second, MaxRows: 70, MaxBytes: 700}, got.Limits)
	require.Equal(t, 9*time.Second, got.RetryTimeout)
	require.Equal(t, 6*time.Second, got.ExchangeTimeout)
	require.Equal(t, 8, got.MaxTokens)
	require.Same(t, log, got.Log)
	require.Equal(t, "svc", got.Connection.User)
	got.Began("q1", "ann")
	q, err := readEntry(filepath.Join(j.own, "q1.json"))
	require.NoError(t, err)
	require.Equal(t, runningQuery{ID: "q1", Source: "wh", User: "ann", Since: now}, q)
	got.Ended("q1")
	require.Empty(t, j.kept)
	require.NoError(t, j.close())

	g.Engine = source.EngineNone
	_, err = open(t.Context(), g)
	require.Equal(t, "SOURCE_WITHOUT_DATA", fault.ReasonOf(err))
	require.Equal(t, codes.FailedPrecondition, status.Code(err))
	g.Engine = "spark"
	_, err = open(t.Context(), g)
	require.Equal(t, "ENGINE_NOT_SUPPORTED", fault.ReasonOf(err))
	require.Equal(t, codes.Unimplemented, status.Code(err))
	g.Engine = source.EngineDuckDB
	e, err := open(t.Context(), g)
	require.Error(t, err)
	require.True(t, e == nil, "no engine within an interface")
}

// TestAnAnswerThatFailed says why, with what was assumed and asked for.
func TestAnAnswerThatFailed(t *testing.T) {
	t.Parallel()
	s := &Service{analyst: mustAnalyst(t)}
	q := Query{Language: lang.English, Assumptions: []string{"a year is twelve months"}, Metrics: []string{"gmv: all of it"}}
	problem := &Problem{Code: "X", Message: "It went wrong."}
	a := Answer{SQL: "select 1"}
	s.fail(&a, q, OutcomeFailed, "failed", problem)
	require.Equal(t, OutcomeFailed, a.Outcome)
	require.Equal(t, "select 1", a.SQL)
	require.Same(t, problem, a.Problem)
	require.Contains(t, a.Analysis.Answer, "It went wrong")
	require.NotContains(t, a.Analysis.Answer, "wrong..")
	require.NotEqual(t, problem.Message, a.Analysis.Answer)
	require.Equal(t, Certificate{Assumptions: q.Assumptions, Metrics: q.Metrics, AbstainedReason: "X: It went wrong."}, a.Certificate)
	s.fail(&a, q, OutcomeRefused, "", problem)
	require.Equal(t, problem.Message, a.Analysis.Answer, "without a key it is the whole sentence")
}

// TestWhatAStarLeavesOpen: where items and columns do not match, no column is told to
// be something that it is not; the rest of the statement is told all the same.
func TestWhatAStarLeavesOpen(t *testing.T) {
	t.Parallel()
	for text, outputs := range map[string]int{
		"SELECT count(*), t.* FROM t ORDER BY 1 LIMIT 7": 4, "SELECT sum(a), b, c FROM t LIMIT 7": 2, "SELECT sum(a) FROM t LIMIT 7": 3, "SELECT sum(a) FROM t LIMIT 7 ": 0,
	} {
		stmt, err := parser.Parse(text)
		require.NoError(t, err)
		r, _ := resolve.Resolve(stmt, resolve.Scope{})
		d := describe(r, outputs, []string{"_col0: x"}, func(string) string { return "" }, func(resolve.Origin) string { return "" }, noKey)
		require.Equal(t, make([]analyse.Column, outputs), d.columns, text)
		require.Nil(t, d.order, text)
		require.EqualValues(t, 7, d.limit, text)
	}
}

// TestTextsThatAreAllRead: only where all values of a column are known, and each of
// them can be cast, nothing is left out.
func TestTextsThatAreAllRead(t *testing.T) {
	t.Parallel()
	d := &doubts{words: written.NewWords()}
	for name, c := range map[string]struct {
		column catalog.Column
		want   bool
	}{
		"numbers":           {catalog.Column{Distinct: 2, Samples: []string{"1", "2.5"}}, true},
		"days":              {catalog.Column{Distinct: 2, Samples: []string{"2026-01-01", "2026-01-02"}}, true},
		"both":              {catalog.Column{Distinct: 2, Samples: []string{"7", "2026-01-02"}}, true},
		"one is a word":     {catalog.Column{Distinct: 3, Samples: []string{"1", "none", "2"}}, false},
		"the last is":       {catalog.Column{Distinct: 2, Samples: []string{"1", "none"}}, false},
		"days of elsewhere": {catalog.Column{Distinct: 1, Samples: []string{"31/12/2026"}}, false},
		"not all known":     {catalog.Column{Distinct: 3, Samples: []string{"1", "2"}}, false},
		"nothing is known":  {catalog.Column{}, false},
		"of no statistics":  {catalog.Column{Samples: []string{"1"}}, false},
	} {
		require.Equal(t, c.want, d.allRead(c.column), name)
	}
}

// TestTodayIsADay of the asker's zone, with nothing of its hours left.
func TestTodayIsADay(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 8*3600)
	c := &conditions{now: time.Date(2026, 3, 1, 7, 30, 15, 99, east)}
	require.Equal(t, time.Date(2026, 3, 1, 0, 0, 0, 0, east), c.today())
}
