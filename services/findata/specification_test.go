package findata

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/shorttest"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/store/small"
	"github.com/dibrain/dibrain/services/findata/memory"
)

// demoOf is a service over the demo warehouse with settings of its own.
func demoOf(t *testing.T, config Config, clock func() time.Time) *Service {
	t.Helper()
	dir, err := demoStore()
	require.NoError(t, err)
	store, err := source.Open(dir)
	require.NoError(t, err)
	if clock == nil {
		clock = time.Now
	}
	s, err := New(config, Deps{Sources: store, DataDir: t.TempDir(), Clock: clock})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func codesOf(warnings []*commonv1.Warning) []string {
	var out []string
	for _, w := range warnings {
		out = append(out, w.GetCode())
	}
	return out
}

// TestNothingMatches: what no table knows gets the general layer with words that say so, in
// both languages; advice gets neither, and a question about the data is not answered by it.
func TestNothingMatches(t *testing.T) {
	shorttest.Rules(t, "what is said where nothing matches")
	t.Parallel()
	s := demoService(t, nil)
	for ask, word := range map[string]string{"zebra husbandry": `matches "zebra", "husbandry"`, "employees by department": `"department"`, "斑马养殖": "没有与「"} {
		r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask})
		require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK, r.GetOutcome(), ask)
		require.Equal(t, "sg.general.ads_business_overview_1d__reg_s0_live", namesOf(r.GetRelatedTables())[0])
		require.Equal(t, "NOTHING_MATCHES", r.GetWarnings()[0].GetCode())
		require.Contains(t, r.GetWarnings()[0].GetMessage(), word)
		out, err := (&findDataServer{service: s}).AnswerQuestion(as(t, "ann"), &findatav1.AnswerQuestionRequest{Query: &findatav1.DiscoverQuery{UserQuery: ask}})
		require.NoError(t, err)
		require.Equal(t, findatav1.AnswerKind_ANSWER_KIND_DONT_KNOW, out.GetKind(), ask)
	}
	said := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "宿舍水电费、停车位和平均配送天数的对比"}).GetWarnings()[0].GetMessage()
	require.Contains(t, said, "「停车」")
	require.NotContains(t, said, "平均配送天数", "what tables know is not told as missing")
	for _, ask := range []string{"How to get promoted and raise my salary", "raise my salary", "怎么升职加薪"} {
		r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask})
		require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND, r.GetOutcome(), ask)
		require.Empty(t, r.GetRelatedTables(), ask)
		out, err := (&findDataServer{service: s}).AnswerQuestion(as(t, "ann"), &findatav1.AnswerQuestionRequest{Query: &findatav1.DiscoverQuery{UserQuery: ask}})
		require.NoError(t, err)
		require.Equal(t, findatav1.AnswerKind_ANSWER_KIND_DONT_KNOW, out.GetKind(), ask)
	}
	for _, ask := range []string{"how can I find the GMV of Brazil", "如何计算退款率", "巴西近7天的平均配送天数与再往前7天对比"} {
		require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask}).GetOutcome(), "what tables know: %s", ask)
	}
}

// TestFourScopesAsk: four marts or more that a question names are asked about; three are
// taken, and "all of them" takes all.
func TestFourScopesAsk(t *testing.T) {
	shorttest.Rules(t, "how many scopes are asked about")
	t.Parallel()
	s := demoService(t, nil)
	five := "order mart, user mart, traffic mart, seller mart and item mart"
	r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: five})
	require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK, r.GetOutcome())
	require.Len(t, r.GetQuestion().GetOptions(), 5)
	r = discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: five, ClarificationReply: "all of them"})
	require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, r.GetOutcome())
	require.Len(t, r.GetMarts(), 5)
	r = discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "orders of the order mart, the user mart and the traffic mart"})
	require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, r.GetOutcome())
	require.Len(t, r.GetMarts(), 3)
}

// TestKnowledgeBasesMayBeGroups: marts in all the forms in which people write them, and
// tables, confine what is found; what is none is told.
func TestKnowledgeBasesMayBeGroups(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	for _, id := range []string{"datamart_Order Mart", "datamart_Order", "DataMart.Order Mart", "Order Mart", "order", "Order集市", "Order data mart"} {
		for _, q := range []*findatav1.DiscoverQuery{{UserQuery: "orders", KnowledgeBaseList: []string{id}}, {UserQuery: "orders", SelectedTableGroups: []string{id}}} {
			r := discover(t, s, "ann", q)
			require.Equal(t, []string{"Order"}, r.GetMarts(), id)
			require.Empty(t, r.GetMissingKnowledgeBases(), id)
			require.NotContains(t, codesOf(r.GetWarnings()), "GROUP_UNKNOWN", id)
			require.Equal(t, "Order", r.GetRelatedTables()[0].GetTable().GetMart())
		}
	}
	r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "what is in it", KnowledgeBaseList: []string{"datamart_Order Mart", "prefill_hive_table_SG.mp_order.order_fact"}})
	require.Equal(t, "SG.mp_order.order_fact", r.GetUnknownTables()[0].GetName())
	require.Contains(t, strings.Join(r.GetUnknownTables()[0].GetNear(), " "), "mp_order", "the nearest by its words")
	r = discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "what is in it", KnowledgeBaseList: []string{"prefill_hive_table_SG.mp_order.dws_order_gmv_1d__sg_s0_live"}})
	require.Equal(t, "prefill_hive_table_sg.mp_order.dws_order_gmv_1d__sg_s0_live", r.GetRelatedTables()[0].GetEntryId())
	r = discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "orders", KnowledgeBaseList: []string{"datamart_Nowhere", "attic"}})
	require.Contains(t, codesOf(r.GetWarnings()), "GROUP_UNKNOWN")
	require.Equal(t, "attic", r.GetMissingKnowledgeBases()[0].GetName())
	// A topic stands beside the marts, and has data sets too.
	for _, q := range []*findatav1.DiscoverQuery{
		{UserQuery: "GMV by country", KnowledgeBaseList: []string{"topic_Campaigns"}}, {UserQuery: "各国成交额", SelectedTableGroups: []string{"topic_campaigns"}},
	} {
		r = discover(t, s, "ann", q)
		require.Equal(t, "sg.general.ads_campaign_performance_1d__reg_s0_live", namesOf(r.GetRelatedTables())[0], q.GetUserQuery())
		require.Equal(t, commonv1.TableKind_TABLE_KIND_CHAT_DATASET, r.GetRelatedTables()[0].GetTable().GetKind())
		require.NotContains(t, codesOf(r.GetWarnings()), "GROUP_UNKNOWN")
		for _, one := range r.GetRelatedTables() {
			require.NotEqual(t, "Order", one.GetTable().GetMart(), "which has most of GMV: %s", one.GetTable().GetRef().GetTable())
		}
	}
}

// TestSchemasAreListed: tables of a schema, with and without words for what is looked for.
func TestSchemasAreListed(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	for _, ask := range []string{"tables in schema mp_item", "mp_item 库有哪些表", "list the tables of mp_item"} {
		r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask})
		require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, r.GetOutcome(), ask)
		require.Empty(t, r.GetUnknownTables(), ask)
		require.Equal(t, "mp_item", r.GetRelatedTables()[0].GetTable().GetRef().GetSchema(), ask)
	}
	r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "GMV in schema traffic"})
	for _, c := range r.GetRelatedTables() {
		if len(c.GetReasons()) > 0 && !strings.HasPrefix(c.GetReasons()[0], "joined") {
			require.Equal(t, "traffic", c.GetTable().GetRef().GetSchema())
		}
	}
}

// TestUnknownTableIsSaid: a question about a table that is not there says so and offers the
// nearest, and is not answered from others.
func TestUnknownTableIsSaid(t *testing.T) {
	t.Parallel()
	r := discover(t, demoService(t, nil), "ann", &findatav1.DiscoverQuery{UserQuery: "How can I use the column website_visible of the table dim_spx_tracking_status_sg?"})
	require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND, r.GetOutcome())
	require.Empty(t, r.GetRelatedTables())
	require.Len(t, r.GetUnknownTables(), 1, "the column is no table")
	require.Contains(t, r.GetAnswer(), "There is no table dim_spx_tracking_status_sg. Near: sg.spx_mart.dim_spx_hub")
}

// TestWordsOfMetricsComeFirst: tables with the metric that a question calls by its name come
// before those that only have its words, and who buyers are stands in the table of users.
func TestWordsOfMetricsComeFirst(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "单量"})
	for _, name := range namesOf(r.GetRelatedTables())[:2] {
		require.Contains(t, []string{"sg.mp_order.dws_order_gmv_1d__sg_s0_live", "sg.mp_order.dwd_order_item_di__sg_s0_live"}, name)
	}
	require.Contains(t, r.GetRelatedTables()[0].GetReasons()[0], "有指标订单数")
	require.Equal(t, "sg.mp_user.dim_user__reg_s0_live", namesOf(discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "buyer demographics"}).GetRelatedTables())[0])
}

// TestFeedbackCountsForTheFamily: what is said of a table holds for its near twins of other
// countries, of which one is shown.
func TestFeedbackCountsForTheFamily(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	ask := &findatav1.DiscoverQuery{UserQuery: "daily GMV"}
	first := discover(t, s, "ann", ask).GetRelatedTables()[0]
	require.NotEmpty(t, first.GetVariants())
	name := namesOf([]*findatav1.TableCandidate{first})[0]
	for range 2 {
		_, err := (&findDataServer{service: s}).Feedback(as(t, "ann"), &findatav1.FeedbackRequest{Question: ask.GetUserQuery(), Tables: []string{name}, Kind: findatav1.FeedbackKind_FEEDBACK_KIND_REJECTED})
		require.NoError(t, err)
	}
	after := discover(t, s, "ann", ask).GetRelatedTables()
	require.NotEqual(t, first.GetTable().GetManifest(), after[0].GetTable().GetManifest(), "another country's twin is not better")
	require.Equal(t, first.GetTable().GetManifest(), discover(t, s, "bob", ask).GetRelatedTables()[0].GetTable().GetManifest(), "that is ann's view")
}

// TestOwnRulesAndWeights: an installation hides tables, prefers, replaces and warns of them
// by a file, which is read again, and weighs lists by another.
func TestOwnRulesAndWeights(t *testing.T) {
	t.Parallel()
	now := today
	path := filepath.Join(t.TempDir(), "rules.yaml")
	write := func(text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, now, now))
	}
	write("rules: []")
	s := demoOf(t, Config{RulesFile: path}, func() time.Time { return now })
	ask := func() *findatav1.DiscoverResult {
		return discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore"})
	}
	first := namesOf(ask().GetRelatedTables())
	require.Equal(t, "sg.mp_order.dws_order_gmv_1d__sg_s0_live", first[0])
	again := func(text string) *findatav1.DiscoverResult {
		now = now.Add(time.Minute)
		write(text)
		return ask()
	}
	r := again(`rules: [{tables: ["*.dws_order_gmv_1d*"], do: hide}]`)
	require.NotContains(t, strings.Join(namesOf(r.GetRelatedTables()), " "), "dws_order_gmv_1d")
	named := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "what is dws_order_gmv_1d__sg_s0_live"})
	require.Equal(t, first[0], namesOf(named.GetRelatedTables())[0], "what is named is found")
	r = again(`rules: [{tables: ["*.ads_business_overview_1d*"], do: prefer, when: [GMV]}]`)
	require.Contains(t, namesOf(r.GetRelatedTables())[0], "ads_business_overview_1d")
	r = again(`rules: [{tables: ["*.ads_business_overview_1d*"], do: prefer, when: [parcel]}]`)
	require.Equal(t, first[0], namesOf(r.GetRelatedTables())[0], "only for questions with the word")
	r = again(`rules: [{tables: ["*.dws_order_gmv_1d*"], do: replace, with: sg.general.dim_calendar}]`)
	require.Equal(t, "sg.general.dim_calendar", namesOf(r.GetRelatedTables())[0])
	require.Contains(t, r.GetRelatedTables()[0].GetReasons()[0], "in the place of sg.mp_order.dws_order_gmv_1d__sg_s0_live")
	r = again(`rules: [{tables: ["SG.mp_order.*"], do: warn, text: {en: Being rebuilt until May.}}]`)
	require.Contains(t, codesOf(r.GetWarnings()), warningRule)
	require.Equal(t, "Being rebuilt until May.", r.GetWarnings()[len(r.GetWarnings())-1].GetMessage())
	r = again(`rules: [{tables: ["*"], do: burn}]`)
	require.Contains(t, codesOf(r.GetWarnings()), warningRule, "the rules before a mistake stay")
	_, err := New(Config{RulesFile: path}, Deps{Sources: s.deps.Sources, DataDir: t.TempDir()})
	require.ErrorContains(t, err, `do is "burn": use hide, prefer, replace or warn`)

	weights := filepath.Join(t.TempDir(), "ranking.yaml")
	require.NoError(t, os.WriteFile(weights, []byte("kinds: {semantic: {usage: {weight: 0}}}\n"), 0o600))
	parts := func(s *Service, ask string) map[string]float64 {
		return discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask}).GetRelatedTables()[0].GetFeatures()
	}
	weighed := demoOf(t, Config{RankingFile: weights}, nil)
	require.NotContains(t, parts(weighed, "daily GMV in Singapore"), "usage")
	require.Contains(t, parts(weighed, "which table has daily GMV"), "usage", "of other kinds of questions it counts")
	require.NoError(t, os.WriteFile(weights, []byte("lists: {stars: {weight: 1}}\n"), 0o600))
	_, err = New(Config{RankingFile: weights}, Deps{Sources: s.deps.Sources, DataDir: t.TempDir()})
	require.ErrorContains(t, err, `there is no list "stars"`)
}

// TestRecentUseAndQualityCount: the asker's own queries of the last seven days, and how good
// a table is, speak for it.
func TestRecentUseAndQualityCount(t *testing.T) {
	t.Parallel()
	day := func(ago int) string { return today.AddDate(0, 0, -ago).Format(time.DateOnly) }
	parts := func(person string, u *catalog.Usage, quality float64) map[string]float64 {
		s := yard(t, Config{}, func(s *catalog.Snapshot, _ *Deps) {
			for i := range s.Tables {
				if s.Tables[i].Name.Table == "crane" {
					s.Tables[i].Usage, s.Tables[i].Quality = u, quality
				}
			}
		})
		r := discover(t, s, person, &findatav1.DiscoverQuery{UserQuery: "heavy cranes"})
		i := slices.IndexFunc(r.GetRelatedTables(), func(c *findatav1.TableCandidate) bool { return c.GetTable().GetRef().GetTable() == "crane" })
		require.GreaterOrEqual(t, i, 0)
		return r.GetRelatedTables()[i].GetFeatures()
	}
	used := &catalog.Usage{Uses: []catalog.Use{{Day: day(2), User: "ann", Queries: 3}}}
	require.Positive(t, parts("ann", used, 0)["recent"])
	require.Zero(t, parts("bob", used, 0)["recent"], "others' use is not one's own")
	require.Zero(t, parts("ann", &catalog.Usage{Uses: []catalog.Use{{Day: day(9), User: "ann", Queries: 3}}}, 0)["recent"])
	require.Positive(t, parts("ann", nil, .9)["quality"])
	require.Zero(t, parts("ann", nil, 0)["quality"])
}

// TestSampleQueries: verified queries of the layer over the tables shown come along.
func TestSampleQueries(t *testing.T) {
	shorttest.Rules(t, "which sample queries are shown")
	t.Parallel()
	r := discover(t, demoService(t, nil), "ann", &findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore"})
	require.NotEmpty(t, r.GetSampleSql())
	for _, sql := range r.GetSampleSql() {
		require.Contains(t, sql, "dws_")
	}
	hides := demoService(t, func(_ run.Principal, _ string, t *catalog.Table) bool {
		return t.Name.Schema != "mp_order" || t.Name.Table != "dws_order_gmv_1d__sg_s0_live"
	})
	for _, sql := range discover(t, hides, "ann", &findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore"}).GetSampleSql() {
		require.NotContains(t, sql, "dws_order_gmv_1d__sg_s0_live", "what is hidden is in no sample")
	}
}

// TestBackgroundBreaksTies: what somebody says of their work decides where the text does not.
func TestBackgroundBreaksTies(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "show me the report", UserContext: &commonv1.UserContext{Background: "I plan routes in the logistics team"}})
	require.Equal(t, []string{"Logistics"}, r.GetMarts())
}

// discoverStream collects what Discover sends.
type discoverStream struct {
	grpc.ServerStreamingServer[findatav1.DiscoverResponse]
	ctx  context.Context
	sent []*findatav1.DiscoverResponse
}

func (s *discoverStream) Context() context.Context { return s.ctx }

func (s *discoverStream) Send(r *findatav1.DiscoverResponse) error {
	s.sent = append(s.sent, r)
	return nil
}

// TestFirstListComesFirst: a first list is sent before scope and ranking are done, once, and
// none for what nothing is found for.
func TestFirstListComesFirst(t *testing.T) {
	t.Parallel()
	s := &findDataServer{service: demoService(t, nil)}
	for ask, want := range map[string]int{"daily GMV in Singapore": 1, "zebra husbandry": 0, "hello": 0} {
		stream := &discoverStream{ctx: as(t, "ann")}
		require.NoError(t, s.Discover(&findatav1.DiscoverRequest{Query: &findatav1.DiscoverQuery{UserQuery: ask}}, stream))
		previews, scoped := 0, false
		for _, r := range stream.sent {
			scoped = scoped || r.GetStage().GetName() == "scope"
			if p := r.GetPreview(); p != nil {
				previews++
				require.False(t, scoped, "before the scope is decided")
				require.Equal(t, "sg.mp_order.dws_order_gmv_1d__sg_s0_live", namesOf(p.GetTables())[0])
				require.LessOrEqual(t, len(p.GetTables()), maxPreviewed)
				require.Positive(t, p.GetMilliseconds())
			}
		}
		require.Equal(t, want, previews, ask)
	}
}

// TestReviewQueue: what went wrong waits for an administrator with what was read; what is
// made of it is shown, kept, and finds tables from then on.
func TestReviewQueue(t *testing.T) {
	t.Parallel()
	service := demoOf(t, Config{}, nil)
	s := &findDataServer{service: service}
	for _, ask := range []string{"quokka", "Quokka", "traffic", "hello", "how do I get rich"} {
		discover(t, service, "ann", &findatav1.DiscoverQuery{UserQuery: ask})
	}
	_, err := s.Feedback(as(t, "ann"), &findatav1.FeedbackRequest{Question: "parcels", Tables: []string{"sg.general.dim_calendar"}, Kind: findatav1.FeedbackKind_FEEDBACK_KIND_REJECTED})
	require.NoError(t, err)

	_, err = s.ListReview(as(t, "ann"), &findatav1.ListReviewRequest{})
	require.Equal(t, "ADMIN_ONLY", fault.ReasonOf(err))
	list := func(r *findatav1.ListReviewRequest) *findatav1.ListReviewResponse {
		out, err := s.ListReview(admin(t), r)
		require.NoError(t, err)
		return out
	}
	all := list(&findatav1.ListReviewRequest{})
	require.Len(t, all.GetEntries(), 3, "chat and advice are not reviewed")
	first := all.GetEntries()[0]
	require.Equal(t, int64(2), first.GetTimes())
	require.Equal(t, findatav1.ReviewKind_REVIEW_KIND_DECLINED, first.GetKind())
	require.Equal(t, []string{"Quokka"}, first.GetMissingWords())
	require.Equal(t, "quokka", all.GetMissingWords()[0].GetWord())
	require.Equal(t, int64(2), all.GetMissingWords()[0].GetTimes())
	unsure := list(&findatav1.ListReviewRequest{Kind: findatav1.ReviewKind_REVIEW_KIND_UNSURE}).GetEntries()
	require.Len(t, unsure, 1)
	require.NotEmpty(t, unsure[0].GetOptions())
	rejected := list(&findatav1.ListReviewRequest{Kind: findatav1.ReviewKind_REVIEW_KIND_REJECTED}).GetEntries()
	require.Equal(t, []string{"sg.general.dim_calendar"}, rejected[0].GetTables())
	page := list(&findatav1.ListReviewRequest{PageSize: 2})
	require.Len(t, page.GetEntries(), 2)
	require.Len(t, list(&findatav1.ListReviewRequest{PageSize: 2, PageToken: page.GetNextPageToken()}).GetEntries(), 1)

	resolve := func(r *findatav1.ResolveReviewRequest) *findatav1.ResolveReviewResponse {
		out, err := s.ResolveReview(admin(t), r)
		require.NoError(t, err)
		return out
	}
	synonym := &findatav1.ResolveReviewRequest{Id: first.GetId(), DryRun: true, Resolution: &findatav1.ResolveReviewRequest_Synonym{Synonym: &findatav1.ReviewSynonym{Words: []string{"quokka", "parcel"}}}}
	shown := resolve(synonym)
	require.False(t, shown.GetKept())
	require.Contains(t, shown.GetDiff(), "+  - words: [quokka, parcel]")
	require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK, discover(t, service, "bob", &findatav1.DiscoverQuery{UserQuery: "quokka"}).GetOutcome(), "not kept yet")
	synonym.DryRun = false
	require.True(t, resolve(synonym).GetKept())
	found := discover(t, service, "bob", &findatav1.DiscoverQuery{UserQuery: "quokka"})
	require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, found.GetOutcome())
	require.Contains(t, namesOf(found.GetRelatedTables())[0], "parcel")
	resolved := list(&findatav1.ListReviewRequest{Status: findatav1.ReviewStatus_REVIEW_STATUS_RESOLVED}).GetEntries()
	require.Equal(t, "synonym: quokka = parcel", resolved[0].GetResolution())
	require.Equal(t, "root", resolved[0].GetResolvedBy())

	resolve(&findatav1.ResolveReviewRequest{Resolution: &findatav1.ResolveReviewRequest_Term{Term: &findatav1.ReviewTerm{Term: "numbat", Definition: "A parcel that came twice.", Mart: "Logistics"}}})
	said := discover(t, service, "bob", &findatav1.DiscoverQuery{UserQuery: "numbat of parcels"})
	require.Equal(t, "A parcel that came twice.", said.GetGlossaryTerms()[0].GetDefinition())
	resolve(&findatav1.ResolveReviewRequest{Id: unsure[0].GetId(), Resolution: &findatav1.ResolveReviewRequest_Dismissed{Dismissed: true}})
	discover(t, service, "ann", &findatav1.DiscoverQuery{UserQuery: "traffic"})
	require.Empty(t, list(&findatav1.ListReviewRequest{Kind: findatav1.ReviewKind_REVIEW_KIND_UNSURE}).GetEntries(), "what is dismissed stays so")
	for reason, r := range map[string]*findatav1.ResolveReviewRequest{
		"REVIEW_UNKNOWN":    {Id: 999, Resolution: &findatav1.ResolveReviewRequest_Dismissed{Dismissed: true}},
		"REVIEW_ID_MISSING": {Resolution: &findatav1.ResolveReviewRequest_Dismissed{Dismissed: true}},
		"MART_UNKNOWN":      {Resolution: &findatav1.ResolveReviewRequest_Synonym{Synonym: &findatav1.ReviewSynonym{Words: []string{"a", "b"}, Mart: "Nowhere"}}},
	} {
		_, err := s.ResolveReview(admin(t), r)
		require.Equal(t, reason, fault.ReasonOf(err))
	}
	_, err = s.ResolveReview(as(t, "ann"), synonym)
	require.Equal(t, "ADMIN_ONLY", fault.ReasonOf(err))

	stats, err := s.GetUseStats(admin(t), &findatav1.GetUseStatsRequest{})
	require.NoError(t, err)
	require.Equal(t, int64(9), stats.GetQuestions())
	require.Equal(t, int64(2), stats.GetClarified())
	option := discover(t, service, "bob", &findatav1.DiscoverQuery{UserQuery: "traffic"}).GetQuestion().GetOptions()[0]
	discover(t, service, "bob", &findatav1.DiscoverQuery{UserQuery: "traffic", ChosenOptionId: option.GetId()})
	stats, err = s.GetUseStats(admin(t), &findatav1.GetUseStatsRequest{Days: 1})
	require.NoError(t, err)
	require.Equal(t, int64(1), stats.GetReplies())
	require.InDelta(t, 1, stats.GetOneRoundRate(), 1e-9)
	require.InDelta(t, .3, stats.GetClarificationRate(), 1e-9)
	_, err = s.GetUseStats(as(t, "ann"), &findatav1.GetUseStatsRequest{})
	require.Equal(t, "ADMIN_ONLY", fault.ReasonOf(err))
}

// TestWhatMartsAreCalledIsKnown: the name of a mart is no word that people miss, though no
// table says it.
func TestWhatMartsAreCalledIsKnown(t *testing.T) {
	t.Parallel()
	service := demoOf(t, Config{}, nil)
	asked := discover(t, service, "ann", &findatav1.DiscoverQuery{UserQuery: "data of the Order Mart, User Mart, Item Mart and Logistics Mart"})
	require.Len(t, asked.GetQuestion().GetOptions(), 4)
	list, err := (&findDataServer{service: service}).ListReview(admin(t), &findatav1.ListReviewRequest{})
	require.NoError(t, err)
	require.Len(t, list.GetEntries(), 1)
	require.Empty(t, list.GetEntries()[0].GetMissingWords())
	require.Empty(t, list.GetMissingWords())
}

// TestReviewQueueIsBounded: the oldest goes, and nothing is kept where nothing shall be.
func TestReviewQueueIsBounded(t *testing.T) {
	t.Parallel()
	now := today
	s := memory.New(memory.Config{}, small.InFile(memory.File(t.TempDir())), func() time.Time { now = now.Add(time.Second); return now })
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for _, q := range []string{"a", "b", "c", "a"} {
		require.NoError(t, s.AddReview(t.Context(), "x", memory.Declined, q, memory.Reading{}, 2))
	}
	list, err := s.Reviews(t.Context(), "x", memory.Open, "", 10, 0)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, []string{"a", "c"}, []string{list[0].Question, list[1].Question})
	require.NoError(t, s.AddReview(t.Context(), "y", memory.Declined, "q", memory.Reading{}, 0))
	list, err = s.Reviews(t.Context(), "y", "", "", 10, 0)
	require.NoError(t, err)
	require.Empty(t, list)
}

// TestCandidatesForVerifiedQueries: shapes that people run often are proposed, and only to
// who sees all that they read.
func TestCandidatesForVerifiedQueries(t *testing.T) {
	t.Parallel()
	crane := catalog.Name{Region: "yard", Schema: "main", Table: "crane"}
	gone := catalog.Name{Region: "yard", Schema: "main", Table: "gone"}
	s := yard(t, Config{}, func(s *catalog.Snapshot, _ *Deps) {
		for i := range s.Tables {
			if s.Tables[i].Name.Key() == crane.Key() {
				s.Tables[i].Usage = &catalog.Usage{Templates: []catalog.Template{
					{SQL: "SELECT count(*) FROM crane WHERE id = ?", Reads: []catalog.Read{{Table: crane}}, Queries: 7, LastDay: "2026-03-01"},
					{SQL: "SELECT 2 FROM crane", Reads: []catalog.Read{{Table: crane}}, Queries: 2},
					{SQL: "SELECT 3 FROM crane, gone", Reads: []catalog.Read{{Table: crane}, {Table: gone}}, Queries: 9},
				}}
			}
		}
	})
	out, err := (&findDataServer{service: s}).ListReview(admin(t), &findatav1.ListReviewRequest{Kind: findatav1.ReviewKind_REVIEW_KIND_CANDIDATE})
	require.NoError(t, err)
	require.Len(t, out.GetEntries(), 1)
	require.Equal(t, "SELECT count(*) FROM crane WHERE id = ?", out.GetEntries()[0].GetSql())
	require.Equal(t, []string{"yard.main.crane"}, out.GetEntries()[0].GetTables())
	r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "heavy cranes"})
	require.Contains(t, r.GetSampleSql(), "SELECT count(*) FROM crane WHERE id = ?")
	require.NotContains(t, strings.Join(r.GetSampleSql(), ";"), "gone")
}
