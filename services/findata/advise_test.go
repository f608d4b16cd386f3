package findata

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/shorttest"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/findata/memory"
)

// oracle is a model that answers by the prompt that it is asked with, and keeps
// what it was told.
type oracle struct {
	mu     sync.Mutex
	say    map[string]string // by the id of the prompt, "scope"
	failed error
	asked  []llm.Request
}

func (o *oracle) Chat(_ context.Context, r llm.Request) (llm.Response, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = append(o.asked, r)
	if o.failed != nil {
		return llm.Response{}, o.failed
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(r.Prompt, "findata."), "@")
	return llm.Response{Text: o.say[id], Finish: llm.FinishStop}, nil
}

// prompts returns the ids of what was asked, in order.
func (o *oracle) prompts() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var ids []string
	for _, r := range o.asked {
		id, _, _ := strings.Cut(strings.TrimPrefix(r.Prompt, "findata."), "@")
		ids = append(ids, id)
	}
	return ids
}

func (o *oracle) told() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var b strings.Builder
	for _, r := range o.asked {
		for _, m := range r.Messages {
			if m.Speaker != llm.Assistant { // what it said itself
				b.WriteString(m.Text + "\n")
			}
		}
	}
	return b.String()
}

func withModel(t *testing.T, m llm.Model, rules *policy.File) *Service {
	t.Helper()
	return withConfig(t, Config{Strategy: StrategyLLM}, m, rules)
}

func withConfig(t *testing.T, cfg Config, m llm.Model, rules *policy.File) *Service {
	t.Helper()
	if cfg.SureFrom == 0 {
		cfg.SureFrom = 2 // what a model says counts in all tests but that of effort
	}
	dir, err := demoStore()
	require.NoError(t, err)
	store, err := source.Open(dir)
	require.NoError(t, err)
	s, err := New(cfg, Deps{
		Sources: store, DataDir: t.TempDir(), Policy: rules, Clock: time.Now, Model: m, ModelBudget: budget.Limits{Calls: 20},
		Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestModelDecidesTheScope(t *testing.T) {
	t.Parallel()
	expand := `{"versions":["gross merchandise value by day"]}`
	for name, tc := range map[string]struct {
		query   *findatav1.DiscoverQuery
		scope   string
		outcome findatav1.ScopeOutcome
		marts   []string // scopes, or options in their order
		asked   []string
	}{
		"one mart": {
			&findatav1.DiscoverQuery{UserQuery: "how is it going with the parcels"}, `{"outcome":"scope_identified","scopes":[{"mart":"Logistics","reason":"parcels"}]}`,
			findatav1.ScopeOutcome_SCOPE_OUTCOME_SCOPE_IDENTIFIED, []string{"Logistics"}, []string{"expand", "scope"},
		},
		"two marts": {
			&findatav1.DiscoverQuery{UserQuery: "orders against visits"}, `{"outcome":"scope_identified","scopes":[{"mart":"Order"},{"mart":"Traffic"}]}`,
			findatav1.ScopeOutcome_SCOPE_OUTCOME_SCOPE_IDENTIFIED, []string{"Order", "Traffic"}, []string{"expand", "scope"},
		},
		"two marts, to make sure": {
			&findatav1.DiscoverQuery{UserQuery: "orders against visits", ScopeStrategy: findatav1.ScopeStrategy_SCOPE_STRATEGY_USER_MAKE_SURE},
			`{"outcome":"scope_identified","scopes":[{"mart":"Order"},{"mart":"Traffic"}]}`,
			findatav1.ScopeOutcome_SCOPE_OUTCOME_INSUFFICIENT_INFO, []string{"Order", "Traffic"}, []string{"expand", "scope"},
		},
		"four marts are always asked about": {
			&findatav1.DiscoverQuery{UserQuery: "performance"}, `{"outcome":"scope_identified","scopes":[{"mart":"Order"},{"mart":"Traffic"},{"mart":"Logistics"},{"mart":"Seller"}]}`,
			findatav1.ScopeOutcome_SCOPE_OUTCOME_INSUFFICIENT_INFO, []string{"Order", "Traffic", "Logistics", "Seller"}, []string{"expand", "scope"},
		},
		"ask": {
			&findatav1.DiscoverQuery{UserQuery: "how is conversion doing"}, `{"outcome":"insufficient_info","scopes":[{"mart":"Traffic","reason":"visits"},{"mart":"Order"}]}`,
			findatav1.ScopeOutcome_SCOPE_OUTCOME_INSUFFICIENT_INFO, []string{"Traffic", "Order"}, []string{"expand", "scope"},
		},
		"the reply takes what the model offered": {
			&findatav1.DiscoverQuery{UserQuery: "how is conversion doing", ClarificationReply: "the second one"},
			`{"outcome":"insufficient_info","scopes":[{"mart":"Traffic","reason":"visits"},{"mart":"Order"}]}`,
			findatav1.ScopeOutcome_SCOPE_OUTCOME_SCOPE_IDENTIFIED, []string{"Order"}, []string{"expand", "scope"},
		},
		"nothing": {
			&findatav1.DiscoverQuery{UserQuery: "orders"}, `{"outcome":"no_match"}`,
			findatav1.ScopeOutcome_SCOPE_OUTCOME_NO_MATCH, nil, []string{"expand", "scope"},
		},
		"a named mart ends the search": {
			&findatav1.DiscoverQuery{UserQuery: "orders", SelectedTableGroups: []string{"datamart_Logistics"}}, `{"outcome":"scope_identified","scopes":[{"mart":"Order"}]}`,
			findatav1.ScopeOutcome_SCOPE_OUTCOME_SCOPE_IDENTIFIED, []string{"Logistics"}, []string{"expand"},
		},
		"rules on request": {
			&findatav1.DiscoverQuery{UserQuery: "parcels by hub", Strategy: findatav1.Strategy_STRATEGY_RULES}, ``,
			findatav1.ScopeOutcome_SCOPE_OUTCOME_SCOPE_IDENTIFIED, []string{"Logistics"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &oracle{say: map[string]string{"scope": tc.scope, "expand": expand}}
			s := withModel(t, o, nil)
			got, err := (&findDataServer{service: s}).ClarifyScope(as(t, "ann"), &findatav1.ClarifyScopeRequest{Query: tc.query})
			require.NoError(t, err)
			require.Equal(t, tc.outcome, got.GetOutcome(), prototext.Format(got))
			var names []string
			for _, c := range got.GetScopes() {
				names = append(names, c.GetMart())
			}
			for _, o := range got.GetQuestion().GetOptions() {
				names = append(names, strings.TrimPrefix(o.GetId(), "mart:"))
			}
			require.Equal(t, tc.marts, names)
			require.Equal(t, tc.asked, o.prompts())
		})
	}
}

func TestModelWritesTheSummary(t *testing.T) {
	t.Parallel()
	o := &oracle{say: map[string]string{
		"scope": `{"outcome":"scope_identified","scopes":[{"mart":"Order"}]}`, "expand": `{"versions":["gross merchandise value","成交额"]}`,
		"summary": "Take `sg.mp_order.dws_order_gmv_1d__sg_s0_live`, not `sg.hr.salary_t`.",
	}}
	s := withModel(t, o, nil)
	got := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore"})
	require.Equal(t, "Take `sg.mp_order.dws_order_gmv_1d__sg_s0_live`, not `…`.", got.GetAnswer())
	require.Equal(t, []string{"Order"}, got.GetMarts())
	require.Empty(t, got.GetWarnings())
	require.Equal(t, []string{"expand", "scope", "summary"}, o.prompts())
	again := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore"})
	require.Equal(t, got.GetAnswer(), again.GetAnswer())
	require.Len(t, o.prompts(), 3, "answers are remembered")
}

// TestAModelWritesNoWordsThatNobodyReads: where the tables are for SQL, nobody reads a
// summary of them or an answer about them, and other words find no table more in a source
// that is handed over whole.
func TestAModelWritesNoWordsThatNobodyReads(t *testing.T) {
	t.Parallel()
	const all = 100000
	for name, c := range map[string]struct {
		small int
		query *findatav1.DiscoverQuery
		want  []string
	}{
		"a small source, for SQL":          {all, &findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore", ForSql: true}, []string{"scope"}},
		"a small source, about its tables": {all, &findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore"}, []string{"expand", "scope", "summary"}},
		"groups of it, for SQL": {all, &findatav1.DiscoverQuery{
			UserQuery: "daily GMV in Singapore", ForSql: true, SelectedTableGroups: []string{"datamart_Order"},
		}, []string{"expand"}},
		"a large source, for SQL": {1, &findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore", ForSql: true}, []string{"expand", "scope"}},
		"a figure that is read as a question about the data": {
			1, &findatav1.DiscoverQuery{UserQuery: "what does the column gmv mean in Singapore?", ForSql: true}, []string{"expand", "scope"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &oracle{say: map[string]string{
				"scope": `{"outcome":"scope_identified","scopes":[{"mart":"Order"}]}`, "expand": `{"versions":["gross merchandise value"]}`, "summary": "The tables of orders.",
			}}
			got := discover(t, withConfig(t, Config{Strategy: StrategyLLM, SmallSource: c.small}, o, nil), "ann", c.query)
			require.NotEmpty(t, got.GetRelatedTables())
			require.Equal(t, c.want, o.prompts())
		})
	}
}

// TestEffortByDoubt: of what the rules are sure no model is asked, of what they doubt the
// fast one, and a stronger one for the mart where they would ask back or find nothing.
func TestEffortByDoubt(t *testing.T) {
	t.Parallel()
	for ask, want := range map[string]string{
		"daily GMV in Singapore":                        "summary:",
		"GMV of the flumpety goods in Singapore by day": "expand:fast scope:fast summary:",
		"show me the flumpety figures":                  "expand:fast scope: summary:",
		"number of buyers by city":                      "expand:fast scope: summary:",
	} {
		t.Run(ask, func(t *testing.T) {
			t.Parallel()
			o := &oracle{say: map[string]string{
				"scope": `{"outcome":"scope_identified","scopes":[{"mart":"Order"}]}`, "expand": `{"versions":["gross merchandise value"]}`, "summary": "The tables of orders.",
			}}
			got := discover(t, withConfig(t, Config{Strategy: StrategyLLM, SureFrom: 0.9}, o, nil), "ann", &findatav1.DiscoverQuery{UserQuery: ask})
			require.Equal(t, []string{"Order"}, got.GetMarts())
			var asked []string
			for i, id := range o.prompts() {
				asked = append(asked, id+":"+string(o.asked[i].Role))
			}
			require.Equal(t, want, strings.Join(asked, " "))
		})
	}
}

// TestReformulationsFindTables: a word that no table knows finds them by the
// model's other words for it.
func TestReformulationsFindTables(t *testing.T) {
	t.Parallel()
	query := &findatav1.DiscoverQuery{UserQuery: "show me the flumpety figures"}
	o := &oracle{say: map[string]string{
		"scope": `{"outcome":"scope_identified","scopes":[{"mart":"Logistics"}]}`, "expand": `{"versions":["parcel hub delivery"]}`, "summary": "dim_spx_hub",
	}}
	got := discover(t, withModel(t, o, nil), "ann", query)
	require.True(t, slices.ContainsFunc(namesOf(got.GetRelatedTables()), func(n string) bool { return strings.Contains(n, "spx") }), "%v", namesOf(got.GetRelatedTables()))
	require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, got.GetOutcome())
}

func TestModelAnswersAboutTheData(t *testing.T) {
	t.Parallel()
	o := &oracle{say: map[string]string{
		"scope": `{"outcome":"scope_identified","scopes":[{"mart":"Order"}]}`, "expand": `{"versions":[]}`,
		"answer": `{"kind":"DirectAnswer","answer":"It is gross sales.","related_tables":["dws_order_gmv_1d__sg_s0_live","sg.hr.salary_t"]}`,
	}}
	s := withModel(t, o, nil)
	find := &findDataServer{service: s}
	got, err := find.AnswerQuestion(as(t, "ann"), &findatav1.AnswerQuestionRequest{Query: &findatav1.DiscoverQuery{UserQuery: "what does the column gmv mean in Singapore?"}})
	require.NoError(t, err)
	require.Equal(t, "It is gross sales.", got.GetAnswer())
	require.Equal(t, []string{"sg.mp_order.dws_order_gmv_1d__sg_s0_live"}, got.GetRelatedTables())
	require.Equal(t, 1, strings.Count(strings.Join(o.prompts(), " "), "answer"), "asked once")

	o.say["answer"] = `{"kind":"DontKnow","reason":"nobody wrote it down"}`
	got, err = find.AnswerQuestion(as(t, "ann"), &findatav1.AnswerQuestionRequest{Query: &findatav1.DiscoverQuery{UserQuery: "who made the GMV tables?"}})
	require.NoError(t, err)
	require.Empty(t, got.GetAnswer())
	require.Equal(t, "nobody wrote it down", got.GetDontKnowReason())
}

// TestRulesGoOnWithoutTheModel: whatever the model does wrong, the answer is the
// rules' one with a warning, and a model that is away is asked once.
func TestRulesGoOnWithoutTheModel(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		oracle *oracle
		reason string
		asked  int
	}{
		"away":     {&oracle{failed: fault.New(codes.Unavailable, llm.ReasonUnavailable, "away")}, llm.ReasonUnavailable, 1},
		"budget":   {&oracle{failed: fault.New(codes.ResourceExhausted, llm.ReasonBudgetSpent, "spent")}, llm.ReasonBudgetSpent, 1},
		"nonsense": {&oracle{say: map[string]string{}}, llm.ReasonMalformed, 5}, // each twice, the summary once
		"a bug":    {&oracle{failed: fmt.Errorf("no fault of ours")}, "LLM_FAILED", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query := &findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore"}
			rules := discover(t, demoService(t, nil), "ann", query)
			got := discover(t, withModel(t, tc.oracle, nil), "ann", query)
			require.Equal(t, namesOf(rules.GetRelatedTables()), namesOf(got.GetRelatedTables()))
			require.Equal(t, rules.GetAnswer(), got.GetAnswer())
			require.Len(t, got.GetWarnings(), 1+len(rules.GetWarnings()))
			require.Equal(t, "MODEL_FAILED", got.GetWarnings()[0].GetCode())
			require.Contains(t, got.GetWarnings()[0].GetMessage(), tc.reason)
			require.Len(t, tc.oracle.prompts(), tc.asked)
		})
	}
}

func TestStrategyWithoutAModelIsRefused(t *testing.T) {
	t.Parallel()
	find := &findDataServer{service: demoService(t, nil)}
	q := &findatav1.DiscoverQuery{UserQuery: "orders", Strategy: findatav1.Strategy_STRATEGY_LLM}
	_, discovered := find.DiscoverUnary(as(t, "ann"), &findatav1.DiscoverUnaryRequest{Query: q})
	_, clarified := find.ClarifyScope(as(t, "ann"), &findatav1.ClarifyScopeRequest{Query: q})
	_, answered := find.AnswerQuestion(as(t, "ann"), &findatav1.AnswerQuestionRequest{Query: q})
	for _, err := range []error{discovered, clarified, answered} {
		require.Equal(t, codes.FailedPrecondition, status.Code(err))
		require.Equal(t, llm.ReasonNotConfigured, fault.ReasonOf(err))
	}
	_, err := Config{Strategy: "magic"}.Complete()
	require.ErrorContains(t, err, "findata.strategy")
}

// TestModelIsToldNothingForbidden asks under random policies and looks for every
// hidden name in what the model is told. The model answers with nothing but
// hidden names, and none of them comes through.
func TestModelIsToldNothingForbidden(t *testing.T) {
	t.Parallel()
	texts := []string{
		"daily GMV in Singapore", "各国的退款原因", "parcels by hub and their delivery time", "what columns does the order table have?",
		"which tables are there about sellers?", "visitors and conversion rate", "what is GMV?",
	}
	snapshot := demoSnapshot(t)
	for _, seed := range shorttest.Some([]uint64{0, 1, 2, 3, 4, 5}, 1) {
		t.Run(fmt.Sprint("policy ", seed), func(t *testing.T) {
			t.Parallel()
			rules, secrets := randomPolicy(t, snapshot, seed, strings.Join(texts, " "))
			require.Greater(t, len(secrets), 10)
			leak := secrets[0] + " " + secrets[1]
			o := &oracle{say: map[string]string{
				"scope":  jsonOf(t, map[string]any{"outcome": "scope_identified", "scopes": []any{map[string]any{"mart": "Order", "reason": leak}, map[string]any{"mart": "Item", "reason": leak}, map[string]any{"mart": "Logistics", "reason": leak}}}),
				"expand": jsonOf(t, map[string]any{"versions": []any{leak}}), "summary": "sg." + leak,
				"answer": jsonOf(t, map[string]any{"kind": "DirectAnswer", "answer": leak, "related_tables": secrets[:4]}),
			}}
			s := withModel(t, o, rules)
			find := &findDataServer{service: s}
			var said strings.Builder
			note := func(m proto.Message, err error) {
				require.NoError(t, err)
				said.WriteString(prototext.Format(m))
			}
			for _, text := range texts {
				q := &findatav1.DiscoverQuery{UserQuery: text, SummaryLevel: findatav1.SummaryLevel_SUMMARY_LEVEL_EXPERT}
				discovered, err := find.DiscoverUnary(as(t, "ann"), &findatav1.DiscoverUnaryRequest{Query: q})
				note(discovered, err)
				clarified, err := find.ClarifyScope(as(t, "ann"), &findatav1.ClarifyScopeRequest{Query: q})
				note(clarified, err)
				answered, err := find.AnswerQuestion(as(t, "ann"), &findatav1.AnswerQuestionRequest{Query: q})
				note(answered, err)
			}
			require.Contains(t, o.prompts(), "summary")
			require.Contains(t, o.prompts(), "answer")
			told := strings.ToLower(o.told())
			for _, secret := range secrets {
				at, found := findWord(told, secret)
				require.False(t, found, "the model is told of %s: %s", secret, around(told, at))
				at, found = findWord(strings.ToLower(said.String()), secret)
				require.False(t, found, "the answer tells of %s: %s", secret, around(said.String(), at))
			}
		})
	}
}

// TestModelIsToldOfVisibleMartsAlone: neither the conversation nor what the asker
// used before tells of a mart that is hidden now.
func TestModelIsToldOfVisibleMartsAlone(t *testing.T) {
	t.Parallel()
	o := &oracle{say: map[string]string{"scope": `{"outcome":"scope_identified","scopes":[{"mart":"Logistics"},{"mart":"Order"}]}`, "expand": `{"versions":[]}`}}
	s := withModel(t, o, nil)
	s.deps.Permission = func(_ run.Principal, _ string, table *catalog.Table) bool { return table.Mart != "Logistics" }
	require.NoError(t, s.memory.SetPreferences(t.Context(), "ann", "demo", memory.Preferences{Marts: []string{"Logistics", "Order"}}))
	got, err := (&findDataServer{service: s}).ClarifyScope(as(t, "ann"), &findatav1.ClarifyScopeRequest{Query: &findatav1.DiscoverQuery{
		UserQuery: "how many were there", ChatHistory: []*findatav1.ChatTurn{{Role: "user", Content: "deliveries on time"}, {Role: "assistant", Content: "There are none."}},
	}})
	require.NoError(t, err)
	require.Len(t, got.GetScopes(), 1)
	require.Equal(t, "Order", got.GetScopes()[0].GetMart())
	require.Contains(t, o.told(), "marts used often: Order")
	require.NotContains(t, o.told(), "Logistics")
}

// TestDefinitionsForTheModelAreCleaned: a business word may be defined by a table
// that is hidden.
func TestDefinitionsForTheModelAreCleaned(t *testing.T) {
	t.Parallel()
	name := func(table string) catalog.Name { return catalog.Name{Region: "shop", Schema: "main", Table: table} }
	store := snapshotStore(t, "shop", &catalog.Snapshot{
		Tables: []catalog.Table{
			{Name: name("loaf_sales"), Description: "loaves sold", Mart: "Bakery", Columns: []catalog.Column{{Name: "loaf_cnt", Type: "bigint"}}},
			{Name: name("margin_secret"), Description: "margins", Mart: "Bakery", Columns: []catalog.Column{{Name: "margin", Type: "double"}}},
		},
		Marts:    []catalog.Mart{{Name: "Bakery", Description: "bread"}},
		Glossary: []catalog.Term{{Term: "Turnover", Definition: "loaves sold, as in loaf_sales and margin_secret", Mart: "Bakery"}},
	})
	o := &oracle{say: map[string]string{"scope": `{"outcome":"no_match"}`, "expand": `{"versions":[]}`, "summary": "loaf_sales"}}
	s, err := New(Config{DefaultSource: "shop", Strategy: StrategyLLM}, Deps{
		Sources: store, DataDir: t.TempDir(), Model: o, Log: slog.New(slog.DiscardHandler),
		Permission: func(_ run.Principal, _ string, table *catalog.Table) bool { return table.Name.Table != "margin_secret" },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "turnover by day"})
	require.Equal(t, []string{"expand", "scope", "summary"}, o.prompts())
	require.Contains(t, o.told(), "as in loaf_sales and …")
	require.NotContains(t, o.told(), "margin_secret")
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

func demoSnapshot(t *testing.T) *catalog.Snapshot {
	t.Helper()
	s := demoService(t, nil)
	v, release, err := s.library.Open(t.Context(), "demo")
	require.NoError(t, err)
	defer release()
	return v.Index.Snapshot()
}

// randomPolicy hides about a third of the tables and a tenth of the columns of the
// others. secrets are the names that then exist nowhere for the asker.
func randomPolicy(t *testing.T, s *catalog.Snapshot, seed uint64, asked string) (rules *policy.File, secrets []string) {
	t.Helper()
	dice := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	b.WriteString("rules:\n")
	hidden, shown := make(map[string]bool), make(map[string]bool)
	note := func(to map[string]bool, name string) {
		if strings.Contains(name, "_") {
			to[strings.ToLower(name)] = true
		}
	}
	for i, table := range s.Tables {
		if dice.Float64() < 0.35 {
			fmt.Fprintf(&b, "  - {name: t%d, catalog: %s, schema: %s, table: %s, access: deny}\n", i, table.Name.Region, table.Name.Schema, table.Name.Table)
			note(hidden, table.Name.Table)
			for _, c := range table.Columns {
				note(hidden, c.Name)
			}
			continue
		}
		note(shown, table.Name.Table)
		note(shown, table.Name.Schema)
		var denied []string
		for _, c := range table.Columns {
			if dice.Float64() < 0.1 {
				denied = append(denied, fmt.Sprintf("{name: %s, access: deny}", c.Name))
				note(hidden, c.Name)
			} else {
				note(shown, c.Name)
			}
		}
		if denied != nil {
			fmt.Fprintf(&b, "  - {name: t%d, catalog: %s, schema: %s, table: %s, columns: [%s]}\n", i, table.Name.Region, table.Name.Schema, table.Name.Table, strings.Join(denied, ", "))
		}
	}
	b.WriteString("  - {name: rest}\n")
	asked += " idc_region" // a word of the prompts
	for name := range hidden {
		if !shown[name] && !strings.Contains(asked, name) {
			secrets = append(secrets, name)
		}
	}
	slices.Sort(secrets)
	path := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	rules, err := policy.Open(path, time.Now, nil)
	require.NoError(t, err)
	return rules, secrets
}

// findWord finds a name that is not part of a longer one.
func findWord(text, name string) (at int, found bool) {
	isPart := func(b byte) bool { return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' }
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return 0, false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !isPart(text[i-1])) && (end == len(text) || !isPart(text[end])) {
			return i, true
		}
		from = end
	}
}

func around(text string, at int) string {
	return text[max(0, at-200):min(len(text), at+100)]
}

// askedStream keeps what the model had been asked for when each list was sent.
type askedStream struct {
	discoverStream
	oracle *oracle
	before [][]string
	final  []bool
}

func (s *askedStream) Send(r *findatav1.DiscoverResponse) error {
	if p := r.GetPreview(); p != nil {
		s.before, s.final = append(s.before, s.oracle.prompts()), append(s.final, p.GetFinal())
	}
	return s.discoverStream.Send(r)
}

// TestListsComeBeforeTheModel: a first list comes before a model is asked for anything, and
// that of the result before it writes the summary.
func TestListsComeBeforeTheModel(t *testing.T) {
	t.Parallel()
	o := &oracle{say: map[string]string{
		"expand": `{"versions":[]}`, "scope": `{"outcome":"scope_identified","scopes":[{"mart":"Order","reason":"sales"}]}`, "summary": "Take `sg.mp_order.dws_order_gmv_1d__sg_s0_live`.",
	}}
	s := &findDataServer{service: withModel(t, o, nil)}
	stream := &askedStream{discoverStream: discoverStream{ctx: as(t, "ann")}, oracle: o}
	require.NoError(t, s.Discover(&findatav1.DiscoverRequest{Query: &findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore"}}, stream))
	require.Equal(t, []bool{false, true}, stream.final)
	require.Empty(t, stream.before[0])
	require.NotContains(t, stream.before[1], "summary")
	require.Contains(t, o.prompts(), "summary")
	var last *findatav1.DiscoverPreview
	for _, r := range stream.sent {
		if p := r.GetPreview(); p != nil {
			last = p
		}
	}
	require.Equal(t, namesOf(stream.sent[len(stream.sent)-1].GetResult().GetRelatedTables()), namesOf(last.GetTables()))
}
