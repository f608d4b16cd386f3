package chatbi

import (
	"context"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
)

// daysOf answers what the newest day is, as each principal sees it.
type daysOf struct {
	warehouse.Engine
	days  map[string]string
	asked int
	ended int // of those, read to their end
	plans int
}

func (e *daysOf) Explain(context.Context, run.Principal, guard.Approved) (warehouse.Plan, error) {
	e.plans++
	return warehouse.Plan{Rows: float64(e.plans)}, nil
}

func (e *daysOf) Metadata(_ context.Context, p run.Principal, _ meta.Statement, _ warehouse.Options) (warehouse.Rows, error) {
	e.asked++
	return &oneText{text: e.days[p.ID], end: func() { e.ended++ }}, nil
}

type oneText struct {
	text string
	done bool
	end  func() // told when it was read to its end
}

func (r *oneText) Columns() []warehouse.Column { return []warehouse.Column{{Name: "d", Type: "date"}} }
func (r *oneText) Stats() warehouse.Stats      { return warehouse.Stats{} }
func (r *oneText) Close() error                { return nil }

func (r *oneText) Next(context.Context, int) ([][]any, error) {
	if r.done {
		if r.end != nil {
			r.end()
		}
		return nil, io.EOF
	}
	r.done = true
	return [][]any{{r.text}}, nil
}

func daily(rows int64) *catalog.Table {
	return &catalog.Table{
		Name: catalog.Name{Region: "sg", Schema: "mart", Table: "daily"}, RowCount: rows,
		Columns: []catalog.Column{{Name: "day", Type: "date", Partition: true}},
	}
}

func TestFreshnessOfARemoteEngine(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 2, 3, 0, 0, 0, time.UTC)
	data := &daysOf{days: map[string]string{"alice": "2030-01-01", "bob": "2029-12-01"}}
	x := &engine{Engine: data, freshness: newFreshness(source.EngineTrino, time.Minute, func() time.Time { return now })}
	newest := func(who string, rows int64) string {
		return x.partition(t.Context(), run.Principal{ID: who}, daily(rows), false)
	}
	require.Equal(t, "2030-01-01", newest("alice", 100))
	require.Equal(t, "2029-12-01", newest("bob", 100), "what one may see is not what another may")
	require.Equal(t, "2030-01-01", newest("alice", 100))
	require.Equal(t, 2, data.asked, "it is remembered for a moment")
	now, data.days["alice"] = now.Add(2*time.Minute), "2030-01-02"
	require.Equal(t, "2030-01-02", newest("alice", 100), "the data of a remote engine changes")
	asked := data.asked
	require.Empty(t, newest("carol", -1), "a table of unknown size is not read for it")
	require.Empty(t, newest("carol", 1<<40), "nor a large one")
	require.Equal(t, asked, data.asked)
	require.Equal(t, data.asked, data.ended, "each was read to its end")
}

// TestWhatIsNoMomentIsNoFreshness: a partition column of texts may hold anything; only
// what names a point in time is told, and what does not is not asked for again.
func TestWhatIsNoMomentIsNoFreshness(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"2030-01-01": "2030-01-01", "2030-01": "2030-01", "2030-01-01 05:00:00": "2030-01-01 05:00:00", "20300101": "20300101",
		"SG": "", "sg-east-1": "", "": "", "12": "", "2030-13-41": "", "alice@example.com": "",
	} {
		data := &daysOf{days: map[string]string{"alice": value}}
		x := &engine{Engine: data, freshness: newFreshness(source.EngineTrino, time.Minute, func() time.Time { return time.Unix(0, 0) })}
		for range 2 {
			require.Equal(t, want, x.partition(t.Context(), run.Principal{ID: "alice"}, daily(5), false), "%q", value)
		}
		require.Equal(t, 1, data.asked, "%q", value)
	}
}

// TestAPlanIsAskedForOnce: who wrote a SQL has asked for the plan that the run needs.
func TestAPlanIsAskedForOnce(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 2, 3, 0, 0, 0, time.UTC)
	data := &daysOf{}
	remote := &engine{Engine: data, freshness: newFreshness(source.EngineTrino, time.Minute, func() time.Time { return now })}
	approved, err := guard.New(guard.Config{}).Approve(t.Context(), run.Principal{ID: "alice"}, "SELECT 1 AS n", resolve.Scope{})
	require.NoError(t, err)
	rows := func(x *engine, who string) float64 {
		plan, err := x.explain(t.Context(), run.Principal{ID: who}, approved)
		require.NoError(t, err)
		return plan.Rows
	}
	require.InDelta(t, 1, rows(remote, "alice"), 0)
	require.InDelta(t, 1, rows(remote, "alice"), 0)
	require.InDelta(t, 2, rows(remote, "bob"), 0, "what one may read is not what another may")
	now = now.Add(2 * time.Minute)
	require.InDelta(t, 3, rows(remote, "alice"), 0, "data change")
	local := &engine{Engine: data, freshness: newFreshness(source.EngineDuckDB, time.Minute, func() time.Time { return now })}
	require.InDelta(t, 4, rows(local, "alice"), 0)
	require.InDelta(t, 5, rows(local, "alice"), 0, "an embedded engine answers in no time")
}

func TestFreshnessOfAnEmbeddedEngine(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 2, 3, 0, 0, 0, time.UTC)
	data := &daysOf{days: map[string]string{"alice": "2030-01-01"}}
	x := &engine{Engine: data, freshness: newFreshness(source.EngineDuckDB, time.Minute, func() time.Time { return now })}
	require.Equal(t, "2030-01-01", x.partition(t.Context(), run.Principal{ID: "alice"}, daily(-1), false))
	now = now.Add(24 * time.Hour)
	require.Equal(t, "2030-01-01", x.partition(t.Context(), run.Principal{ID: "bob"}, daily(-1), false))
	require.Equal(t, 1, data.asked, "its data never changes")
}

func TestSumOfEstimates(t *testing.T) {
	t.Parallel()
	require.Equal(t, int64(7), sum(3, 4.9))
	require.Equal(t, int64(-1), sum(-1, 4))
	require.Equal(t, int64(-1), sum(3, -1))
	require.Equal(t, int64(math.MaxInt64), sum(3, 1e300))
}

func TestOpenByTheSourcesEngine(t *testing.T) {
	t.Parallel()
	config, err := Config{}.Complete()
	require.NoError(t, err)
	open := openBy(config, embedded{launcher: duckdb.InProcess()}, func(string, *trino.Config) {}, slog.New(slog.DiscardHandler), nil)
	_, err = open(t.Context(), &source.Generation{Manifest: source.Manifest{Name: "x", Engine: "spark"}})
	require.Equal(t, "ENGINE_NOT_SUPPORTED", fault.ReasonOf(err))

	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	e, err := open(t.Context(), &source.Generation{Manifest: source.Manifest{Name: "wh", Engine: source.EngineTrino, Trino: &source.TrinoConnection{
		URL: server.URL, User: "svc", Regions: map[string]source.TrinoPlace{"sg": {Catalog: "hive"}},
	}}})
	require.NoError(t, err, "a server is not asked before there is a statement")
	require.Equal(t, "trino", e.Kind())
	require.NoError(t, e.Close())
}

// planned is an engine whose plan has the conditions of the policy in it.
type planned struct{ warehouse.Engine }

func (planned) Explain(context.Context, run.Principal, guard.Approved) (warehouse.Plan, error) {
	return warehouse.Plan{Rows: 3, Scans: []warehouse.Scan{{Table: "daily", Rows: 3, Bytes: 9}}, Text: "filter: day = 2030-01-01"}, nil
}

// TestAProtectedStatementHasNoPlan: neither the plan of a statement that a policy
// leaves rows out of is kept, nor its numbers told.
func TestAProtectedStatementHasNoPlan(t *testing.T) {
	t.Parallel()
	clock := func() time.Time { return time.Date(2030, 1, 2, 3, 0, 0, 0, time.UTC) }
	config, err := Config{}.Complete()
	require.NoError(t, err)
	s := serving(config, &Service{deps: Deps{Clock: clock}})
	x := &engine{Engine: planned{}, freshness: newFreshness(source.EngineDuckDB, time.Minute, clock)}
	scope := resolve.Scope{Catalog: resolve.NewTables([]catalog.Table{*daily(100)}), DefaultRegion: "sg", DefaultSchema: "mart"}
	for rule, protected := range map[string]bool{"{}": false, "{filter: day = date '2030-01-01'}": true} {
		rules, err := policy.Parse("policy.yaml", []byte("rules: ["+rule+"]"))
		require.NoError(t, err)
		approved, err := guard.New(guard.Config{}).Under(guard.Terms{Policy: rules}).Approve(t.Context(), run.Principal{ID: "bob"}, "SELECT day FROM daily", scope)
		require.NoError(t, err)
		e, err := s.explain(t.Context(), run.Principal{ID: "bob"}, x, approved, clock())
		require.NoError(t, err)
		require.EqualValues(t, 3, e.Rows, "the gate decides on the real number")
		require.Equal(t, protected, e.Plan == "", e.Plan)
		want := e
		if protected {
			want = Estimate{Rows: -1, Bytes: -1, Method: methodWithheld}
		}
		require.Equal(t, want, e.told(approved))
	}
}

// TestAPlanIsCut: a plan is as long as the statement has it; of what is told the beginning
// is kept, in whole characters.
func TestAPlanIsCut(t *testing.T) {
	t.Parallel()
	clock := func() time.Time { return time.Date(2030, 1, 2, 3, 0, 0, 0, time.UTC) }
	scope := resolve.Scope{Catalog: resolve.NewTables([]catalog.Table{*daily(100)}), DefaultRegion: "sg", DefaultSchema: "mart"}
	approved, err := guard.New(guard.Config{}).Approve(t.Context(), run.Principal{ID: "bob"}, "SELECT day FROM daily", scope)
	require.NoError(t, err)
	whole := planned{}
	plan, err := whole.Explain(t.Context(), run.Principal{}, approved)
	require.NoError(t, err)
	for most := 1; most <= len(plan.Text)+2; most++ {
		s := serving(Config{Limits: LimitConfig{MaxPlanBytes: most}}, &Service{deps: Deps{Clock: clock}})
		x := &engine{Engine: whole, freshness: newFreshness(source.EngineDuckDB, time.Minute, clock)}
		e, err := s.explain(t.Context(), run.Principal{ID: "bob"}, x, approved, clock())
		require.NoError(t, err)
		require.LessOrEqual(t, len(e.Plan), most)
		require.True(t, strings.HasPrefix(plan.Text, e.Plan), e.Plan)
		require.Equal(t, most >= len(plan.Text), e.Plan == plan.Text)
		require.EqualValues(t, 3, e.Rows, "the figures are those of the whole plan")
	}
}

// TestTheWholeCatalogIsOfTheGeneration: a policy's conditions are about the tables of the
// generation that a statement runs on, also when that is not the newest any more.
func TestTheWholeCatalogIsOfTheGeneration(t *testing.T) {
	t.Parallel()
	sources, err := source.Open(t.TempDir())
	require.NoError(t, err)
	make := func(name, table string) *source.Generation {
		_, err := sources.Make(t.Context(), name, func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
			tables := []catalog.Table{{Name: catalog.Name{Region: "sg", Schema: "mart", Table: table}, Columns: []catalog.Column{{Name: "id", Type: "bigint"}}}}
			return source.Manifest{Engine: source.EngineNone, DefaultRegion: "sg", DefaultSchema: "mart", Version: table}, &catalog.Snapshot{Tables: tables}, nil
		})
		require.NoError(t, err)
		g, err := sources.Current(name)
		require.NoError(t, err)
		return g
	}
	first := make("wh", "old")
	other := make("shop", "orders")
	var held wholeCatalogs
	knows := func(g *source.Generation, want string) {
		t.Helper()
		index, err := held.of(g)
		require.NoError(t, err)
		for _, table := range []string{"old", "new", "orders"} {
			_, ok := index.Lookup(catalog.Name{Table: table})
			require.Equal(t, table == want, ok, table)
		}
	}
	knows(first, "old")
	knows(other, "orders")
	knows(first, "old")
	second := make("wh", "new")
	knows(second, "new")
	knows(first, "old")
	knows(second, "new")
	knows(other, "orders")
	require.Len(t, held.held, 2, "one of each source is kept")
}

// TestAStatementOfASourceThatMovedIsNotEnded: a source that is no longer on Trino, or is no
// more, has no server on which a statement could be ended.
func TestAStatementOfASourceThatMovedIsNotEnded(t *testing.T) {
	t.Parallel()
	sources, err := source.Open(t.TempDir())
	require.NoError(t, err)
	for name, kind := range map[string]source.EngineKind{"described": source.EngineNone, "embedded": source.EngineDuckDB} {
		_, err = sources.Make(t.Context(), name, func(_ context.Context, dir string) (source.Manifest, *catalog.Snapshot, error) {
			m := source.Manifest{Engine: kind, DefaultRegion: "sg", DefaultSchema: "mart", Version: "1"}
			if kind == source.EngineDuckDB {
				m.Databases = map[string]string{"sg": "sg.duckdb"}
				if err := os.WriteFile(filepath.Join(dir, "sg.duckdb"), nil, 0o600); err != nil {
					return m, nil, err
				}
			}
			return m, &catalog.Snapshot{Tables: []catalog.Table{*daily(1)}}, nil
		})
		require.NoError(t, err)
	}
	o := &orphans{service: &Service{deps: Deps{Sources: sources}, log: slog.New(slog.DiscardHandler)}, open: map[string]*trino.Clusters{}}
	for name, want := range map[string]string{"described": "not on Trino any more", "embedded": "not on Trino any more", "gone": "gone"} {
		require.ErrorContains(t, o.end(t.Context(), orphan{runningQuery: runningQuery{ID: "q1", Source: name, User: "ann"}}), want, name)
	}
	require.Empty(t, o.open)
}

// TestWhatIsToldOfAFailureOnProtectedData: which limit or part of an engine failed is one
// of a few kinds; what depends on values is one error.
func TestWhatIsToldOfAFailureOnProtectedData(t *testing.T) {
	t.Parallel()
	for want, failures := range map[string][]warehouse.Error{
		"INSUFFICIENT_RESOURCES": {{Name: "EXCEEDED_SPILL_LIMIT", Kind: warehouse.KindResources}, {Name: "CLUSTER_OUT_OF_MEMORY", Kind: warehouse.KindResources}, {Name: warehouse.NameMemoryLimit}},
		"INTERNAL_ERROR":         {{Name: "HIVE_BAD_VALUE_OF_ANN", Kind: warehouse.KindInternal}, {Name: warehouse.NameInternal}},
		"EXTERNAL":               {{Name: "HIVE_BAD_DATA", Kind: warehouse.KindExternal}, {Name: "JDBC_ERROR", Kind: warehouse.KindExternal}},
		CodeData: {
			{Name: warehouse.NameDivisionByZero, Kind: warehouse.KindUser}, {Name: warehouse.NameInvalidCast}, {Name: warehouse.NameSubquery}, {Name: warehouse.NameOutOfRange},
			{Name: "ANY_OTHER", Kind: warehouse.KindUser}, {},
		},
		warehouse.NameTimeLimit: {{Name: warehouse.NameTimeLimit, Kind: warehouse.KindUser}}, warehouse.NamePermission: {{Name: warehouse.NamePermission, Kind: warehouse.KindUser}},
		"TABLE_NOT_FOUND": {{Name: "TABLE_NOT_FOUND", Kind: warehouse.KindUser}}, "COLUMN_NOT_FOUND": {{Name: "COLUMN_NOT_FOUND"}}, "FUNCTION_NOT_FOUND": {{Name: "FUNCTION_NOT_FOUND"}},
	} {
		for _, failure := range failures {
			require.Equal(t, want, protectedName(&failure), failure)
		}
	}
}
