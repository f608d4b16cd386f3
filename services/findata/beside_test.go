package findata

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/source"
)

// demoWith is a service over the demo warehouse with a configuration of its own.
func demoWith(t testing.TB, config Config, change func(*Deps)) *Service {
	t.Helper()
	dir, err := demoStore()
	require.NoError(t, err)
	store, err := source.Open(dir)
	require.NoError(t, err)
	deps := Deps{Sources: store, DataDir: t.TempDir(), Clock: time.Now}
	if change != nil {
		change(&deps)
	}
	s, err := New(config, deps)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestKnowledgeBesideTheTables(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "returns.md"), []byte("# Returns\n\n## Deadline\nA buyer may send goods back within 15 days of delivery.\n"), 0o600))
	s := demoWith(t, Config{KnowledgeDir: dir, KnowledgeWait: time.Hour}, nil)
	docs := func(q *findatav1.DiscoverQuery) (bases []string, r *findatav1.DiscoverResult) {
		r = discover(t, s, "ann", q)
		for _, d := range r.GetRelatedDocs() {
			require.NotEmpty(t, d.GetText())
			require.NotEmpty(t, d.GetReasons())
			bases = append(bases, d.GetKnowledgeBase()+":"+d.GetId())
		}
		return bases, r
	}
	bases, _ := docs(&findatav1.DiscoverQuery{UserQuery: "deadline for goods that buyers send back"})
	require.Contains(t, bases, "docs:returns.md#1")
	bases, r := docs(&findatav1.DiscoverQuery{UserQuery: "GMV by day", KnowledgeBaseList: []string{"catalog", "wiki"}})
	require.Contains(t, bases, "catalog:term_GMV")
	require.Equal(t, "wiki", r.GetMissingKnowledgeBases()[0].GetName())
	require.NotEmpty(t, r.GetRelatedTables(), "the rest goes on")
	require.Equal(t, "tables", r.GetRelatedTables()[0].GetKnowledgeBase())
	bases, _ = docs(&findatav1.DiscoverQuery{UserQuery: "GMV by day", KnowledgeBaseList: []string{"tables"}})
	require.Empty(t, bases)
	status, err := (&catalogServer{service: s}).GetIndexStatus(admin(t), &findatav1.GetIndexStatusRequest{})
	require.NoError(t, err)
	require.Equal(t, []string{"catalog", "docs"}, status.GetKnowledgeBases())
	require.NotNil(t, status.GetBuiltAt())
}

func TestWhyATableIsThereOrNot(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	out, err := (&findDataServer{service: s}).SearchTables(as(t, "ann"), &findatav1.SearchTablesRequest{Query: "daily GMV in Singapore", PageSize: 2, Why: []string{
		"sg.mp_order.dws_order_gmv_1d__sg_s0_live", "useast.mp_order.dws_order_gmv_1d__br_s0_live", "sg.mp_user.dim_user__reg_s0_live", "no_such_table",
	}})
	require.NoError(t, err)
	e := out.GetExplanations()
	require.Len(t, e, 4)
	require.EqualValues(t, 1, e[0].GetRank())
	require.Equal(t, findatav1.ExcludedBy_EXCLUDED_BY_UNSPECIFIED, e[0].GetExcludedBy())
	require.Positive(t, e[0].GetScore())
	require.NotEmpty(t, e[0].GetFeatures())
	require.Empty(t, e[0].GetMissingWords())
	require.Equal(t, findatav1.ExcludedBy_EXCLUDED_BY_REGION, e[1].GetExcludedBy())
	require.Contains(t, e[1].GetMessage(), "SG")
	require.Contains(t, e[2].GetMissingWords(), "GMV")
	require.NotEqual(t, findatav1.ExcludedBy_EXCLUDED_BY_UNSPECIFIED, e[2].GetExcludedBy())
	require.False(t, e[3].GetFound())
	require.Equal(t, findatav1.ExcludedBy_EXCLUDED_BY_UNKNOWN, e[3].GetExcludedBy())

	out, err = (&findDataServer{service: s}).SearchTables(as(t, "ann"), &findatav1.SearchTablesRequest{Query: "daily GMV", Why: []string{"useast.mp_order.dws_order_gmv_1d__br_s0_live"}})
	require.NoError(t, err)
	require.Equal(t, findatav1.ExcludedBy_EXCLUDED_BY_FAMILY, out.GetExplanations()[0].GetExcludedBy())
	require.Contains(t, out.GetExplanations()[0].GetInstead(), "dws_order_gmv_1d")
}

func TestUseIsLearnedShownAndCounted(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	find := &findDataServer{service: s}
	preferences := func() *findatav1.GetPreferencesResponse {
		out, err := find.GetPreferences(as(t, "ann"), &findatav1.GetPreferencesRequest{})
		require.NoError(t, err)
		return out
	}
	ask := func() []string {
		return namesOf(discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "parcels in Thailand"}).GetRelatedTables())
	}
	names := ask()
	require.EqualValues(t, 1, preferences().GetUse().GetShown())
	feed := func(kind findatav1.FeedbackKind, table string) {
		_, err := find.Feedback(as(t, "ann"), &findatav1.FeedbackRequest{Question: "parcels in Thailand", Tables: []string{table}, Kind: kind})
		require.NoError(t, err)
	}
	for range 3 {
		feed(findatav1.FeedbackKind_FEEDBACK_KIND_ACCEPTED, "sg.spx_mart.dwd_spx_parcel_di_th")
	}
	feed(findatav1.FeedbackKind_FEEDBACK_KIND_CLICKED, names[1])
	feed(findatav1.FeedbackKind_FEEDBACK_KIND_REJECTED, names[0])
	p := preferences()
	require.Equal(t, "Logistics", p.GetPreferences().GetMarts()[0])
	require.Equal(t, "TH", p.GetLearned().GetRegion(), "three of four uses")
	require.Equal(t, "daily", p.GetLearned().GetGrain())
	require.InDelta(t, 1, p.GetUse().GetClickRate(), 1e-9)
	require.InDelta(t, 0.75, p.GetUse().GetAcceptanceRate(), 1e-9)
	require.EqualValues(t, 4, p.GetUse().GetJudged())
	other, err := find.GetPreferences(as(t, "bob"), &findatav1.GetPreferencesRequest{})
	require.NoError(t, err)
	require.Empty(t, other.GetPreferences().GetTables(), "use is a person's own")
	status, err := (&catalogServer{service: s}).GetIndexStatus(admin(t), &findatav1.GetIndexStatusRequest{})
	require.NoError(t, err)
	require.EqualValues(t, 4, status.GetUse().GetJudged())
}

func TestGroupsConfineASearch(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	for _, group := range []string{"datamart_Logistics", "DataMart.Logistics"} {
		r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "amount by day", SelectedTableGroups: []string{group, "topic_none"}})
		require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, r.GetOutcome())
		require.Equal(t, "Logistics", r.GetRelatedTables()[0].GetTable().GetMart())
		require.Equal(t, []string{"Logistics"}, r.GetMarts())
		require.Equal(t, "GROUP_UNKNOWN", r.GetWarnings()[0].GetCode())
	}
}

func TestHiddenTablesMayBeLocked(t *testing.T) {
	t.Parallel()
	ask := func(hidden, question string) *findatav1.DiscoverResult {
		path := filepath.Join(t.TempDir(), "policy.yaml")
		require.NoError(t, os.WriteFile(path, []byte(clinicPolicy), 0o600))
		rules, err := policy.Open(path, time.Now, nil)
		require.NoError(t, err)
		s, err := New(Config{DefaultSource: "clinic", HiddenTables: hidden, ApplyHint: "ask the data office"},
			Deps{Sources: snapshotStore(t, "clinic", clinic()), DataDir: t.TempDir(), Policy: rules, Clock: time.Now})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: question})
	}
	for _, c := range ask(HiddenHide, "wage of the patients").GetRelatedTables() {
		require.NotEqual(t, "wage", c.GetTable().GetRef().GetTable())
	}
	tables := ask(HiddenLock, "wage of the patients").GetRelatedTables()
	last := tables[len(tables)-1]
	require.True(t, last.GetLocked())
	require.Equal(t, "clinic.main.wage", namesOf(tables[len(tables)-1:])[0])
	require.Equal(t, "ask the data office", last.GetApplyHint())
	require.Empty(t, last.GetTable().GetColumns())
	require.Empty(t, last.GetTable().GetDescription())
	require.EqualValues(t, -1, last.GetTable().GetRowCount())

	nothing := ask(HiddenLock, "wage")
	require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND, nothing.GetOutcome())
	require.Equal(t, []string{"clinic.main.wage"}, namesOf(nothing.GetRelatedTables()), "a question that finds nothing else is told where to ask, too")
	require.True(t, nothing.GetRelatedTables()[0].GetLocked())
}

func TestSynonymsOfTheInstallation(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "synonyms.yaml")
	require.NoError(t, os.WriteFile(path, []byte("groups:\n- {words: [zorbles, parcels]}\n"), 0o600))
	find := func(c Config) []string {
		out, err := (&findDataServer{service: demoWith(t, c, nil)}).SearchTables(as(t, "ann"), &findatav1.SearchTablesRequest{Query: "zorbles"})
		require.NoError(t, err)
		return namesOf(out.GetTables())
	}
	require.Contains(t, strings.Join(find(Config{SynonymsFile: path}), " "), "parcel")
	require.NotContains(t, strings.Join(find(Config{}), " "), "parcel")
	_, err := New(Config{SynonymsFile: path + ".none"}, Deps{Sources: &source.Store{}, DataDir: t.TempDir()})
	require.ErrorContains(t, err, "findata.synonyms_file")
}

// TestCachesKeepRightsApart fills every cache as somebody who sees everything.
func TestCachesKeepRightsApart(t *testing.T) {
	t.Parallel()
	s, write := clinicService(t, clinicPolicy)
	ask := func(who string) string {
		return strings.Join(namesOf(discover(t, s, who, &findatav1.DiscoverQuery{UserQuery: "patients and wages"}).GetRelatedTables()), " ")
	}
	require.Contains(t, ask("boss"), "wage")
	require.NotContains(t, ask("ann"), "wage")
	require.NotContains(t, ask("bob"), "wage")
	require.Equal(t, 2, s.sights.Len(), "askers with equal rights share a sight")
	require.Equal(t, 2, s.found.Len(), "and what was found")
	write(strings.ReplaceAll(clinicPolicy, "access: deny}\n  - name: patients", "access: read}\n  - name: patients"))
	require.Contains(t, ask("ann"), "wage", "another policy is another right")
}

// TestReingestDropsWhatItChanges: nothing of an older generation is given out.
func TestReingestDropsWhatItChanges(t *testing.T) {
	t.Parallel()
	table := func(name string) *catalog.Snapshot {
		return &catalog.Snapshot{Tables: []catalog.Table{{Name: catalog.Name{Region: "shop", Schema: "main", Table: name}, Description: "wobbles by day", RowCount: -1, Columns: []catalog.Column{{Name: "n", Type: "bigint"}}}}}
	}
	store := snapshotStore(t, "shop", table("wobble_old"))
	now := today
	s, err := New(Config{DefaultSource: "shop", SwapWait: time.Hour}, Deps{Sources: store, DataDir: t.TempDir(), Clock: func() time.Time { return now }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	ask := func() string {
		return strings.Join(namesOf(discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "wobbles"}).GetRelatedTables()), " ")
	}
	require.Equal(t, "shop.main.wobble_old", ask())
	remake(t, store, "shop", table("wobble_new"))
	now = now.Add(time.Minute)
	require.Equal(t, "shop.main.wobble_new", ask())
	require.Equal(t, 1, s.sights.Len(), "the old one is dropped")
	require.Equal(t, 1, s.found.Len())
}

func TestRepliesInWords(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	scoped := func(q *findatav1.DiscoverQuery) *findatav1.ClarifyScopeResponse {
		out, err := (&findDataServer{service: s}).ClarifyScope(as(t, "ann"), &findatav1.ClarifyScopeRequest{Query: q})
		require.NoError(t, err)
		return out
	}
	question := scoped(&findatav1.DiscoverQuery{UserQuery: "traffic"}).GetQuestion()
	require.Len(t, question.GetOptions(), 3)
	at := func(i int) string { return strings.TrimPrefix(question.GetOptions()[i].GetId(), "mart:") }
	for reply, want := range map[string]string{
		"1": at(0), "2)": at(1), "option 3": at(2), "the first": at(0), "the second one please": at(1), "last": at(2), "第二个": at(1), "选第三个吧": at(2), "最后一个": at(2),
		"mart:Order": "Order", "order": "Order", "订单那个": "Order", "I mean the parcels": "Logistics", "包裹的": "Logistics", "visits of the site": "Traffic", "卖家": "Seller",
	} {
		out := scoped(&findatav1.DiscoverQuery{UserQuery: "traffic", ClarificationReply: reply})
		require.Equal(t, findatav1.ScopeOutcome_SCOPE_OUTCOME_SCOPE_IDENTIFIED, out.GetOutcome(), reply)
		require.Equal(t, want, out.GetScopes()[0].GetMart(), reply)
		if reply == "the first" || reply == "订单那个" { // the same in a conversation
			out = scoped(&findatav1.DiscoverQuery{UserQuery: reply, ChatHistory: []*findatav1.ChatTurn{{Role: "user", Content: "traffic"}, {Role: "assistant", Content: question.GetText()}}})
			require.Equal(t, want, out.GetScopes()[0].GetMart(), reply)
		}
	}
	require.Len(t, scoped(&findatav1.DiscoverQuery{UserQuery: "traffic", ClarificationReply: "both"}).GetScopes(), 3)
	require.Equal(t, findatav1.ScopeOutcome_SCOPE_OUTCOME_NO_MATCH, scoped(&findatav1.DiscoverQuery{UserQuery: "traffic", ClarificationReply: "none of these"}).GetOutcome())
	out := scoped(&findatav1.DiscoverQuery{UserQuery: "traffic", ClarificationReply: "average first response time of agents"})
	require.Equal(t, "Customer Service", out.GetScopes()[0].GetMart(), "other words are read with the question")
}
