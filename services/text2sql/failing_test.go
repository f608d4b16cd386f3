package text2sql_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/fault/faulttest"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/shorttest"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/text2sql"
)

// failing is a catalog of which a test says which call fails.
type failing struct {
	*fullNames
	mu    sync.Mutex
	calls *faulttest.Calls // nil: none fails
}

func (f *failing) next(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		return nil
	}
	return f.calls.Next(name)
}

func (f *failing) ListTables(ctx context.Context, in *findatav1.ListTablesRequest, o ...grpc.CallOption) (*findatav1.ListTablesResponse, error) {
	if err := f.next("list"); err != nil {
		return nil, err
	}
	return f.fullNames.ListTables(ctx, in, o...)
}

func (f *failing) DescribeTables(ctx context.Context, in *findatav1.DescribeTablesRequest, o ...grpc.CallOption) (*findatav1.DescribeTablesResponse, error) {
	if err := f.next("describe"); err != nil {
		return nil, err
	}
	return f.fullNames.DescribeTables(ctx, in, o...)
}

// museum is a service and the requests that people make of it.
type museum struct {
	*text2sql.Service
	catalog  *failing
	file     string // of the policy
	passed   atomic.Int64
	requests map[string]func() (proto.Message, error)
}

// write changes the policy, and lets the time pass after which it is read again.
func (m *museum) write(t *testing.T, rules string) {
	t.Helper()
	require.NoError(t, os.WriteFile(m.file, []byte(rules), 0o600))
	m.passed.Add(int64(time.Hour))
}

// guide is a service over museums with a layer, an approved example and a proposal, over
// a catalog that may fail and a policy whose file may be changed.
func guide(t *testing.T) *museum {
	t.Helper()
	dir := t.TempDir()
	store, err := source.Open(dir)
	require.NoError(t, err)
	museums := catalog.Table{Name: catalog.Name{Region: "sg", Schema: "s", Table: "museums"}, RowCount: 20, Columns: []catalog.Column{
		{Name: "city", Type: "varchar", Samples: []string{"Porto", "Lisbon"}, Distinct: 2}, {Name: "visitors", Type: "bigint"},
	}}
	const layer = exampleLayer + `
metrics:
  - {id: guests, names: {en: guests, zh: 访客}, table: s.museums, expr: SUM(visitors)}
`
	_, err = store.Make(t.Context(), "guide", func(_ context.Context, dir string) (source.Manifest, *catalog.Snapshot, error) {
		if err := os.MkdirAll(filepath.Join(dir, "semantic"), 0o750); err != nil {
			return source.Manifest{}, nil, err
		}
		return source.Manifest{Engine: source.EngineDuckDB, DefaultRegion: "sg", DefaultSchema: "s"}, &catalog.Snapshot{Tables: []catalog.Table{museums}},
			os.WriteFile(filepath.Join(dir, "semantic", "g.yaml"), []byte(layer), 0o600)
	})
	require.NoError(t, err)
	m := &museum{file: filepath.Join(dir, "policy.yaml")}
	require.NoError(t, os.WriteFile(m.file, []byte("rules: [{name: all}]\n"), 0o600))
	start := time.Now()
	rules, err := policy.Open(m.file, func() time.Time { return start.Add(time.Duration(m.passed.Load())) }, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	c := &failing{fullNames: &fullNames{catalogOf{tables: []catalog.Table{museums}}}}
	s, err := text2sql.New(text2sql.Config{DefaultSource: "guide", Curators: []string{"stewards"}}, text2sql.Deps{Sources: store, Catalog: c, DataDir: dir, Policy: rules})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	carol, bob := as("carol", "stewards"), as("bob")
	_, err = s.AddExample(carol, &text2sqlv1.AddExampleRequest{Question: "people in Porto", Sql: visitorsSQL})
	require.NoError(t, err)
	proposed, err := s.AddExample(bob, &text2sqlv1.AddExampleRequest{Question: "crowd of Lisbon", Sql: "SELECT sum(visitors) AS n FROM s.museums WHERE city = 'Lisbon'"})
	require.NoError(t, err)
	id := proposed.GetExample().GetExampleId()
	ask := func(q string) func() (proto.Message, error) {
		return func() (proto.Message, error) {
			return s.GenerateSQLUnary(bob, &text2sqlv1.GenerateSQLUnaryRequest{Query: &text2sqlv1.GenerateQuery{UserQuestion: q}})
		}
	}
	m.Service, m.catalog = s, c
	m.requests = map[string]func() (proto.Message, error){
		"a verified query": ask("people in Porto"), "a metric": ask("guests per city"), "over tables": ask("how many museums are in Porto"),
		"parse": func() (proto.Message, error) {
			return s.ParseQuestion(bob, &text2sqlv1.ParseQuestionRequest{Query: &text2sqlv1.GenerateQuery{UserQuestion: "guests per city"}})
		},
		"metrics":  func() (proto.Message, error) { return s.ListMetrics(bob, &text2sqlv1.ListMetricsRequest{}) },
		"examples": func() (proto.Message, error) { return s.ListExamples(bob, &text2sqlv1.ListExamplesRequest{}) },
		"add": func() (proto.Message, error) {
			return s.AddExample(bob, &text2sqlv1.AddExampleRequest{Question: "all people", Sql: "SELECT sum(visitors) AS n FROM s.museums"})
		},
		"approve": func() (proto.Message, error) {
			return s.ApproveExample(carol, &text2sqlv1.ApproveExampleRequest{ExampleId: id})
		},
		"check": func() (proto.Message, error) { return s.CheckExamples(carol, &text2sqlv1.CheckExamplesRequest{}) },
		"remove": func() (proto.Message, error) {
			return s.RemoveExample(bob, &text2sqlv1.RemoveExampleRequest{ExampleId: id})
		},
	}
	return m
}

// TestEveryCallOfTheCatalogMayFail: whichever call to the catalog fails, the request
// fails with it or is refused, nothing is answered or changed by halves, and the next
// one works.
func TestEveryCallOfTheCatalogMayFail(t *testing.T) {
	shorttest.Rules(t, "what is told when a call fails, each once")
	t.Parallel()
	for name := range guide(t).requests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := faulttest.EveryCall(t, func(t *testing.T, calls *faulttest.Calls) {
				s := guide(t)
				c, requests := s.catalog, s.requests
				before, err := s.ListExamples(as("carol", "stewards"), &text2sqlv1.ListExamplesRequest{})
				require.NoError(t, err)
				c.mu.Lock()
				c.calls = calls
				c.mu.Unlock()
				_, err = requests[name]()
				calls.Stop()
				if calls.Failed() == "" {
					require.NoError(t, err)
					return
				}
				require.ErrorIs(t, err, faulttest.ErrInjected, "%s failed: it is told, and the SQL is not blamed", calls.Failed())
				after, err := s.ListExamples(as("carol", "stewards"), &text2sqlv1.ListExamplesRequest{})
				require.NoError(t, err)
				require.True(t, proto.Equal(before, after), "nothing changed")
				_, err = requests[name]()
				require.NoError(t, err, "the next one works")
			})
			if name != "metrics" { // which come from the layer and the snapshot alone
				require.NotEmpty(t, failed)
			}
		})
	}
}

// TestAPolicyThatCannotBeReadClosesText2SQL: without rules nothing of a source is told,
// until they are mended.
func TestAPolicyThatCannotBeReadClosesText2SQL(t *testing.T) {
	t.Parallel()
	g := guide(t)
	for _, rules := range []string{"rules: [{name: all}]\n# mended", "rules: [{name: all}\n", "rules: [{name: all}]\n"} {
		g.write(t, rules)
		for _, name := range []string{"a verified query", "a metric", "over tables", "parse", "metrics", "examples", "add", "check"} {
			_, err := g.requests[name]()
			if !strings.Contains(rules, "]") {
				require.Equal(t, policy.ReasonUnreadable, fault.ReasonOf(err), "%s: %v", name, err)
				continue
			}
			require.NoError(t, err, name)
		}
	}
}

// TestWithoutAFixerNothingIsRepaired: SQL of a model that does not hold, with nobody to
// repair it by rules, ends in words.
func TestWithoutAFixerNothingIsRepaired(t *testing.T) {
	t.Parallel()
	const bad = `{"outcome":"sql","understood":"x","candidates":[{"sql":"SELECT nothing FROM sg.mp_order.dws_seller_gmv_1d__br_s0_live","reason":"r"}]}`
	s, _, _ := byModel(t, `{"outcome":"tables","understood":"x"}`, bad, bad, bad, bad, bad, bad)
	r := generate(t, s, &text2sqlv1.GenerateQuery{UserQuestion: "quaint zebras by the lorry"})
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, r.GetOutcome())
	require.NotEmpty(t, r.GetAbstainedReason())
	require.Empty(t, r.GetCandidates())
}

func TestASettingIsCheckedAtTheStart(t *testing.T) {
	t.Parallel()
	store, err := source.Open(t.TempDir())
	require.NoError(t, err)
	_, err = text2sql.New(text2sql.Config{Threshold: 2}, text2sql.Deps{Sources: store, Catalog: &catalogOf{}, DataDir: t.TempDir()})
	require.ErrorContains(t, err, "text2sql.threshold")
}

func TestAStateNamesItsSource(t *testing.T) {
	t.Parallel()
	s := guide(t)
	for asked, want := range map[string]string{"": "guide", "guide": "guide"} {
		got, err := s.GetSemanticLayerStatus(admin(), &text2sqlv1.GetSemanticLayerStatusRequest{Source: asked})
		require.NoError(t, err)
		require.Equal(t, want, got.GetSource())
		require.EqualValues(t, 1, got.GetMetrics())
		require.Zero(t, got.GetDimensions())
		require.False(t, got.GetStale())
		require.Empty(t, got.GetProblems())
	}
}

// TestWhoMayDoWhatWithExamples: each right of each role on proposals and approved
// queries, and what is told of those that are not to be known.
func TestWhoMayDoWhatWithExamples(t *testing.T) {
	shorttest.Rules(t, "the rights of five roles")
	t.Parallel()
	roles := map[string]context.Context{"author": as("bob"), "other": as("eve"), "curator": as("carol", "stewards"), "group that curates nothing": as("dan", "guests"), "admin": admin()}
	for role, who := range roles {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			curates := role == "curator" || role == "admin"
			s := guide(t)
			propose := func() string {
				e, err := s.AddExample(as("bob"), &text2sqlv1.AddExampleRequest{Question: "people of " + t.Name(), Sql: visitorsSQL})
				require.NoError(t, err)
				return e.GetExample().GetExampleId()
			}
			id := propose()
			list := func(status string) (ids []string) {
				l, err := s.ListExamples(who, &text2sqlv1.ListExamplesRequest{Status: status})
				require.NoError(t, err)
				for _, e := range l.GetExamples() {
					ids = append(ids, e.GetExampleId())
				}
				return ids
			}
			require.Equal(t, curates || role == "author", len(list("proposed")) > 0, "proposals are their author's and the curators'")
			require.NotContains(t, list("approved"), id)
			require.Contains(t, list("approved"), "layer:opened")
			require.NotContains(t, list("proposed"), "layer:opened")
			_, err := s.ApproveExample(who, &text2sqlv1.ApproveExampleRequest{ExampleId: id})
			require.Equal(t, curates, err == nil, "approve")
			if !curates {
				_, err = s.RemoveExample(who, &text2sqlv1.RemoveExampleRequest{ExampleId: id})
				require.Equal(t, role == "author", err == nil, "remove a proposal: %v", err)
				if role == "author" {
					id = propose()
				}
				_, err = s.ApproveExample(as("carol", "stewards"), &text2sqlv1.ApproveExampleRequest{ExampleId: id})
				require.NoError(t, err)
			}
			require.Contains(t, list(""), id)
			again, err := s.ApproveExample(as("carol", "stewards"), &text2sqlv1.ApproveExampleRequest{ExampleId: id})
			require.NoError(t, err, "approved already")
			require.Equal(t, "approved", again.GetExample().GetStatus())
			_, err = s.RemoveExample(who, &text2sqlv1.RemoveExampleRequest{ExampleId: id})
			require.Equal(t, curates, err == nil, "what is approved is the curators': %v", err)
			_, err = s.CheckExamples(who, &text2sqlv1.CheckExamplesRequest{})
			require.Equal(t, curates, err == nil, "check")
			_, err = s.ListExamples(who, &text2sqlv1.ListExamplesRequest{Status: "old"})
			require.Equal(t, "EXAMPLE_STATUS_UNKNOWN", fault.ReasonOf(err))
			mine, err := s.AddExample(who, &text2sqlv1.AddExampleRequest{Question: "more of " + t.Name(), Sql: visitorsSQL, Mart: "m", RunId: "run_1"})
			require.NoError(t, err)
			require.Equal(t, curates, mine.GetExample().GetStatus() == "approved")
			require.Equal(t, curates, mine.GetExample().GetApprovedBy() != "")
			require.Equal(t, []string{"m", "run_1", "guide", "person"}, []string{mine.GetExample().GetMart(), mine.GetExample().GetRunId(), mine.GetExample().GetSource(), mine.GetExample().GetOrigin()})
			only, err := s.AddExample(who, &text2sqlv1.AddExampleRequest{Question: "only " + t.Name(), Sql: visitorsSQL, ProposeOnly: true})
			require.NoError(t, err)
			require.Equal(t, "proposed", only.GetExample().GetStatus())
			require.Empty(t, only.GetExample().GetApprovedAt())
		})
	}
}
