package backend

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/retrieval/elastic"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/remote"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
)

// server is a list whose server can be away; it counts what it is asked.
type server struct {
	err   error
	hangs bool
	asked int
}

func (s *server) Count(context.Context) (int, error) { return 7, s.err }
func (s *server) Close() error                       { return nil }

func (s *server) search(ctx context.Context, _ *server) error {
	s.asked++
	if s.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.err
}

func guarding(t *testing.T, s *server, build func(ctx context.Context) (*server, error)) *guarded[*server] {
	t.Helper()
	cfg, err := Config{}.Complete()
	require.NoError(t, err)
	b := &Backend{cfg: cfg, deps: Deps{Clock: time.Now, Log: slog.New(slog.DiscardHandler)}}
	if build == nil {
		build = func(context.Context) (*server, error) { return s, nil }
	}
	g, err := guard(t.Context(), b, Status{List: Words, Backend: Elasticsearch}, "shop", "Elasticsearch", build)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.close()) })
	return g
}

// A server that hangs costs a search the budget and not the deadline; after some
// failures it costs nothing, and one question after a while finds out that it is back.
func TestAServerThatHangsIsLeftAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		g := guarding(t, s, nil)
		require.NoError(t, g.ask(t.Context(), s.search))
		require.True(t, g.status.Serving)

		s.hangs = true
		away := time.Now().Add(DefaultBudget)
		for range DefaultFailures {
			started := time.Now()
			err := g.ask(t.Context(), s.search)
			require.Equal(t, remote.ReasonTimeout, fault.ReasonOf(err))
			require.Equal(t, DefaultBudget, time.Since(started))
		}
		require.Equal(t, Status{List: Words, Backend: Elasticsearch, Since: away, Reason: remote.ReasonTimeout}, g.status)
		asked, started := s.asked, time.Now()
		require.Equal(t, remote.ReasonUnavailable, fault.ReasonOf(g.ask(t.Context(), s.search)))
		require.Equal(t, asked, s.asked, "it is not asked")
		require.Zero(t, time.Since(started))

		time.Sleep(DefaultProbeAfter + time.Millisecond) // of the bubble's clock
		s.hangs = false
		require.NoError(t, g.ask(t.Context(), s.search), "one question tries it again")
		require.True(t, g.status.Serving)
		require.Zero(t, g.status.Since)
		require.Empty(t, g.status.Reason)
	})
}

// The end of a caller's own patience says nothing of the server.
func TestACallersEndIsNoFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{hangs: true}
		g := guarding(t, s, nil)
		for range 2 * DefaultFailures {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			require.ErrorIs(t, g.ask(ctx, s.search), context.DeadlineExceeded)
			cancel()
		}
		require.True(t, g.status.Serving)
		require.Equal(t, 2*DefaultFailures, s.asked)
	})
}

// A list that could not be made when its source was indexed is made when the server
// is there, without a search that waits for it; one that the server lost too.
func TestAListIsMadeWhenItsServerIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, away, built := &server{}, true, 0
		g := guarding(t, s, func(context.Context) (*server, error) {
			built++
			if away {
				return nil, fault.New(codes.Unavailable, remote.ReasonDenied, "secret words of a server")
			}
			return s, nil
		})
		require.False(t, g.status.Serving)
		require.Equal(t, remote.ReasonDenied, g.status.Reason)
		require.Error(t, g.ask(t.Context(), s.search))
		synctest.Wait()
		require.Equal(t, 2, built, "a search has it made")

		away = false
		require.Error(t, g.ask(t.Context(), s.search), "and does not wait for it")
		synctest.Wait()
		require.NoError(t, g.ask(t.Context(), s.search))
		require.True(t, g.status.Serving)
		require.Equal(t, 7, g.look(t.Context()).Documents)

		s.err = fault.New(codes.Unavailable, remote.ReasonMissing, "gone")
		require.Error(t, g.ask(t.Context(), s.search))
		s.err = nil
		require.Error(t, g.ask(t.Context(), s.search))
		synctest.Wait()
		require.NoError(t, g.ask(t.Context(), s.search), "it was made again")
	})
}

// Looking finds out by itself that a server went away, at most every so often.
func TestLookingAsksTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		g := guarding(t, s, nil)
		require.True(t, g.look(t.Context()).Serving)
		s.err = errors.New("password=hunter2")
		require.True(t, g.look(t.Context()).Serving, "it was asked a moment ago")
		time.Sleep(DefaultProbeAfter)
		got := g.look(t.Context())
		require.False(t, got.Serving)
		require.Equal(t, remote.ReasonUnavailable, got.Reason, "the class of the error, and nothing that it says")
	})
}

// found is an index that answers, or fails.
type found struct{ err error }

func (f found) Search(context.Context, vector.Query) ([]vector.Hit, error) {
	return []vector.Hit{{}}, f.err
}
func (f found) Close() error { return nil }

func TestMilvusAndElasticsearchAreMeasured(t *testing.T) {
	t.Parallel()
	m, read := metertest.New(t)
	hits, err := measuredIndex{found{}, m}.Search(t.Context(), vector.Query{})
	require.NoError(t, err)
	require.Len(t, hits, 1)
	_, err = measuredIndex{found{err: fault.New(codes.DeadlineExceeded, remote.ReasonTimeout, "x")}, m}.Search(t.Context(), vector.Query{})
	require.Error(t, err)

	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(away.Close)
	b, err := Open(t.Context(), Config{Lexical: Elasticsearch, Elasticsearch: elastic.Config{Addresses: []string{away.URL}}},
		Deps{Log: slog.New(slog.DiscardHandler), Meter: m})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	docs, err := lexical.NewDocuments([]string{"text"}, 0)
	require.NoError(t, err)
	docs.Add(lexical.Labels{}, [][]int32{{docs.Intern("orders")}})
	cfg, err := lexical.Config{Fields: map[string]lexical.Field{"text": {Weight: 1, B: 0.5}}}.Complete()
	require.NoError(t, err)
	index, err := b.Lexical(t.Context(), "shop", cfg, docs, lexical.NewScorer(cfg, docs, nil))
	require.NoError(t, err)
	require.NoError(t, index.Close())
	require.Equal(t, map[string]float64{
		`dibrain_dependency_seconds{dependency="milvus",operation="search",result="ok"}`:            1,
		`dibrain_dependency_seconds{dependency="milvus",operation="search",result="timeout"}`:       1,
		`dibrain_dependency_in_flight{dependency="milvus"}`:                                         0,
		`dibrain_dependency_seconds{dependency="elasticsearch",operation="index",result="refused"}`: 1,
		`dibrain_dependency_in_flight{dependency="elasticsearch"}`:                                  0,
	}, read())
}
