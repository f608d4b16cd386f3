package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
	"github.com/dibrain/dibrain/pkg/source"
)

// finder asks for tables as other teams do.
type finder struct {
	*talker
	find    findatav1.FindDataServiceClient
	catalog findatav1.CatalogServiceClient
}

func demoFinder(t *testing.T, settings map[string]any) *finder {
	t.Helper()
	w := demoTalker(t, settings)
	return &finder{talker: w, find: findatav1.NewFindDataServiceClient(w.conn), catalog: findatav1.NewCatalogServiceClient(w.conn)}
}

func (f *finder) discover(t *testing.T, q *findatav1.DiscoverQuery) *findatav1.DiscoverResult {
	t.Helper()
	got, err := f.find.DiscoverUnary(t.Context(), &findatav1.DiscoverUnaryRequest{Query: q})
	require.NoError(t, err, q.GetUserQuery())
	return got.GetResult()
}

func (f *finder) ask(t *testing.T, question string) *findatav1.DiscoverResult {
	t.Helper()
	return f.discover(t, &findatav1.DiscoverQuery{UserQuery: question})
}

func tablesOf(r *findatav1.DiscoverResult) (names []string) {
	for _, c := range r.GetRelatedTables() {
		names = append(names, strings.Join([]string{c.GetTable().GetRef().GetIdcRegion(), c.GetTable().GetRef().GetSchema(), c.GetTable().GetRef().GetTable()}, "."))
	}
	return names
}

// saidBy is all that a person reads of an answer.
func saidBy(r *findatav1.DiscoverResult) string {
	said := []string{r.GetAnswer()}
	for _, w := range r.GetWarnings() {
		said = append(said, w.GetMessage())
	}
	return strings.Join(said, "\n")
}

// withYard puts a source of three tables into the store, one of which is good and was used by
// the asker lately.
func withYard(t *testing.T, store *source.Store) {
	t.Helper()
	crane := func(name string) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: "yard", Schema: "main", Table: name}, Description: "heavy cranes of the yard", RowCount: 5,
			Columns: []catalog.Column{{Name: "crane", Type: "varchar"}, {Name: "tons", Type: "bigint", Comment: "tons lifted"}}}
	}
	local, err := auth.LocalUser()
	require.NoError(t, err)
	used, good := crane("crane_used"), crane("crane_good")
	used.Usage = &catalog.Usage{Uses: []catalog.Use{{Day: demoNow.AddDate(0, 0, -2).Format(time.DateOnly), User: local.Principal.ID, Queries: 3}}}
	good.Quality = .9
	_, err = store.Make(t.Context(), "yard", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Engine: source.EngineDuckDB, DefaultRegion: "yard", DefaultSchema: "main", Version: "1", Origin: "csv"},
			&catalog.Snapshot{Tables: []catalog.Table{crane("crane_plain"), used, good}}, nil
	})
	require.NoError(t, err)
}

const gmvOfSingapore = "sg.mp_order.dws_order_gmv_1d__sg_s0_live"

// TestWhatFindDataOwes asks, word by word, what the specification's checklist says of finding
// data, of the rpcs of the whole product and of the router, and looks at what a person gets.
// What needs a server that goes away, or a model, is in TestWhatFindDataOwesWithOthers.
func TestWhatFindDataOwes(t *testing.T) {
	t.Parallel()
	f := demoFinder(t, nil)
	withYard(t, f.source)
	for name, row := range map[string]func(t *testing.T){
		"topics and their data sets stand beside marts": func(t *testing.T) {
			for _, q := range []*findatav1.DiscoverQuery{
				{UserQuery: "GMV by country", KnowledgeBaseList: []string{"topic_Campaigns"}},
				{UserQuery: "各国成交额", SelectedTableGroups: []string{"topic_Campaigns"}},
				{UserQuery: "Which tables are in the topic Campaigns?"},
				{UserQuery: "Campaigns 主题有哪些表"},
			} {
				r := f.discover(t, q)
				require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, r.GetOutcome(), q.GetUserQuery())
				require.Equal(t, "sg.general.ads_campaign_performance_1d__reg_s0_live", tablesOf(r)[0], q.GetUserQuery())
				require.Equal(t, commonv1.TableKind_TABLE_KIND_CHAT_DATASET, r.GetRelatedTables()[0].GetTable().GetKind())
				for _, c := range r.GetRelatedTables() {
					if !strings.HasPrefix(strings.Join(c.GetReasons(), ""), "joined") && !strings.HasPrefix(strings.Join(c.GetReasons(), ""), "与") {
						require.Equal(t, "Campaigns", c.GetTable().GetTopic(), "%s: %v", q.GetUserQuery(), c.GetReasons())
					}
				}
			}
			require.Contains(t, f.talk(t, "Which tables are in the topic Campaigns?").GetText(), "`sg.general.ads_campaign_performance_1d__reg_s0_live`")
		},
		"where nothing matches, tables of Layer-2 come with words that say so": func(t *testing.T) {
			for ask, said := range map[string][]string{
				"zebra husbandry": {`Nothing in source demo matches "zebra", "husbandry"; these are tables of its general layer.`, "these are tables of the general layer"},
				"斑马养殖":            {"没有与「斑马」「养殖」匹配的表，以下为通用层的表。", "以下为通用层的表"},
			} {
				r := f.ask(t, ask)
				require.Equal(t, "sg.general.ads_business_overview_1d__reg_s0_live", tablesOf(r)[0])
				for _, words := range said {
					require.Contains(t, saidBy(r), words)
				}
			}
			require.Contains(t, f.talk(t, "Which tables are about zebra husbandry?").GetText(), "these are tables of the general layer")
			require.Contains(t, f.talk(t, "哪些表有斑马养殖的数据？").GetText(), "以下为通用层的表")
		},
		"four or more scopes always ask": func(t *testing.T) {
			for ask, asks := range map[string]string{
				"data of the order mart, user mart, traffic mart, seller mart and item mart": "Your question fits several areas. Which one do you mean?",
				"订单集市、用户集市、流量集市、卖家集市和商品集市的数据":                                                "您的问题涉及多个数据集市，请问指哪一个？",
			} {
				for _, strategy := range []findatav1.ScopeStrategy{findatav1.ScopeStrategy_SCOPE_STRATEGY_LLM_DECISION, findatav1.ScopeStrategy_SCOPE_STRATEGY_USER_MAKE_SURE} {
					r := f.discover(t, &findatav1.DiscoverQuery{UserQuery: ask, ScopeStrategy: strategy})
					require.Equal(t, asks, r.GetQuestion().GetText(), ask)
					require.Len(t, r.GetQuestion().GetOptions(), 5)
				}
				a := f.talk(t, ask)
				require.Equal(t, routerv1.Outcome_OUTCOME_ASKED, a.GetOutcome())
				require.Contains(t, a.GetText(), asks)
			}
		},
		"what is known of tables is in the ranking": func(t *testing.T) {
			parts := func(q *findatav1.DiscoverQuery, table string) map[string]float64 {
				r := f.discover(t, q)
				i := slices.Index(tablesOf(r), table)
				require.GreaterOrEqual(t, i, 0, "%s: %v", q.GetUserQuery(), tablesOf(r))
				return r.GetRelatedTables()[i].GetFeatures()
			}
			for _, list := range []string{"text", "usage", "active", "fresh", "mart", "maturity", "metric", "country", "grain", "layer"} {
				require.Positive(t, parts(&findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore"}, gmvOfSingapore)[list], list)
			}
			require.Positive(t, parts(&findatav1.DiscoverQuery{UserQuery: "GMV in Singapore", ChatHistory: []*findatav1.ChatTurn{{Role: "assistant", Content: "Read " + gmvOfSingapore}}}, gmvOfSingapore)["conversation"])
			require.Positive(t, parts(&findatav1.DiscoverQuery{UserQuery: "GMV in schema mp_order"}, gmvOfSingapore)["schema"])
			heavy := &findatav1.DiscoverQuery{Source: "yard", UserQuery: "heavy cranes"}
			require.Positive(t, parts(heavy, "yard.main.crane_used")["recent"], "the asker's own last seven days")
			require.Zero(t, parts(heavy, "yard.main.crane_plain")["recent"])
			require.Positive(t, parts(heavy, "yard.main.crane_good")["quality"])
			require.Zero(t, parts(heavy, "yard.main.crane_plain")["quality"])
		},
		"knowledge bases may be marts and tables": func(t *testing.T) {
			r := f.discover(t, &findatav1.DiscoverQuery{UserQuery: "daily GMV", KnowledgeBaseList: []string{"datamart_Order Mart", "prefill_hive_table_SG.mp_order.order_fact"}})
			require.Empty(t, r.GetMissingKnowledgeBases(), "both are knowledge bases")
			require.Equal(t, []string{"Order"}, r.GetMarts())
			require.Equal(t, gmvOfSingapore, tablesOf(r)[0])
			require.Contains(t, saidBy(r), "There is no table SG.mp_order.order_fact. Near: ")
			r = f.discover(t, &findatav1.DiscoverQuery{UserQuery: "有哪些列", KnowledgeBaseList: []string{"prefill_hive_table_" + gmvOfSingapore}})
			require.Equal(t, "prefill_hive_table_"+gmvOfSingapore, r.GetRelatedTables()[0].GetEntryId())
		},
		"sample SQL comes with tables": func(t *testing.T) {
			for _, ask := range []string{"daily GMV in Singapore", "新加坡每天的GMV"} {
				samples := f.ask(t, ask).GetSampleSql()
				require.NotEmpty(t, samples, ask)
				for _, sql := range samples {
					require.Contains(t, sql, gmvOfSingapore, ask)
				}
			}
		},
		"advice is not known": func(t *testing.T) {
			for ask, says := range map[string]string{
				"How to get promoted and raise my salary": "This is no question about data in the warehouse. Ask for a figure, a table or what a column means.",
				"怎么升职加薪":                                  "这不是关于数仓数据的问题。可以询问指标、表或字段含义。",
			} {
				got, err := f.find.AnswerQuestion(t.Context(), &findatav1.AnswerQuestionRequest{Query: &findatav1.DiscoverQuery{UserQuery: ask}})
				require.NoError(t, err)
				require.Equal(t, says, got.GetDontKnowReason())
				require.Empty(t, got.GetAnswer())
				require.Empty(t, f.ask(t, ask).GetRelatedTables())
				require.Equal(t, says, f.talk(t, ask).GetText())
			}
		},
		"a table that is not there is told, with the nearest": func(t *testing.T) {
			for ask, says := range map[string]string{
				"How can I use the column website_visible of the table dim_spx_tracking_status_sg?": "There is no table dim_spx_tracking_status_sg. Near: sg.spx_mart.dim_spx_hub",
				"表 dim_spx_tracking_status_sg 的 website_visible 列怎么用？":                              "不存在表 dim_spx_tracking_status_sg，相近的有：sg.spx_mart.dim_spx_hub",
			} {
				r := f.ask(t, ask)
				require.Empty(t, r.GetRelatedTables(), ask)
				require.Contains(t, r.GetAnswer(), says)
				require.NotContains(t, saidBy(r), "website_visible", "which is a column")
				got, err := f.find.AnswerQuestion(t.Context(), &findatav1.AnswerQuestionRequest{Query: &findatav1.DiscoverQuery{UserQuery: ask}})
				require.NoError(t, err)
				require.Contains(t, got.GetDontKnowReason(), says)
				require.Contains(t, f.talk(t, ask).GetText(), "sg.spx_mart.dim_spx_hub")
			}
		},
		"a first list comes before the rest": func(t *testing.T) {
			for _, ask := range []string{"daily GMV in Singapore", "新加坡每天的GMV"} {
				stream, err := f.find.Discover(t.Context(), &findatav1.DiscoverRequest{Query: &findatav1.DiscoverQuery{UserQuery: ask}})
				require.NoError(t, err)
				var came []string
				for {
					r, err := stream.Recv()
					if err != nil {
						break
					}
					switch {
					case r.GetPreview() != nil:
						came = append(came, "list")
						require.Equal(t, "dws_order_gmv_1d__sg_s0_live", r.GetPreview().GetTables()[0].GetTable().GetRef().GetTable())
					case r.GetResult() != nil:
						came = append(came, "result")
					default:
						came = append(came, r.GetStage().GetName())
					}
				}
				require.Equal(t, []string{"preprocess", "retrieve", "list", "scope", "fuse", "filter", "answer", "result"}, came)
			}
		},
		"a summary is an overview, a table and notes": func(t *testing.T) {
			for ask, parts := range map[string][]string{
				"daily GMV in Singapore": {"Best table: `" + gmvOfSingapore + "`", "\n## Tables\n\n| table | what it holds | why |\n| --- | --- | --- |\n| `" + gmvOfSingapore + "` |", "\n## Notes\n\n- **GMV**: "},
				"新加坡每天的GMV":              {"最合适的表是 `" + gmvOfSingapore + "`", "\n## 相关表\n\n| 表 | 内容 | 理由 |\n| --- | --- | --- |\n| `" + gmvOfSingapore + "` |", "\n## 说明\n\n- **GMV**："},
			} {
				text := f.discover(t, &findatav1.DiscoverQuery{UserQuery: ask, SummaryLevel: findatav1.SummaryLevel_SUMMARY_LEVEL_FULL}).GetAnswer()
				at := 0
				for _, part := range parts {
					i := strings.Index(text[at:], part)
					require.GreaterOrEqual(t, i, 0, "%s in %s", part, text)
					at += i
				}
				require.NotRegexp(t, `(?m)^# `, text, "no H1")
				require.NotRegexp(t, `(?i)\bselect\b[^.]*\bfrom\b|`+"```", text, "no SQL")
			}
		},
		"words of people find their tables": func(t *testing.T) {
			orders := []string{gmvOfSingapore, "sg.mp_order.dwd_order_item_di__sg_s0_live"}
			for _, ask := range []string{"单量", "哪些表有单量？", "Which tables hold 单量?"} {
				require.Contains(t, orders, tablesOf(f.ask(t, ask))[0], ask)
			}
			for _, ask := range []string{"buyer demographics", "where are the buyer demographics?", "买家人口属性"} {
				require.Equal(t, "sg.mp_user.dim_user__reg_s0_live", tablesOf(f.ask(t, ask))[0], ask)
			}
		},
		"how often people are asked back is counted": func(t *testing.T) {
			stats := func() *findatav1.GetUseStatsResponse {
				got, err := f.find.GetUseStats(t.Context(), &findatav1.GetUseStatsRequest{})
				require.NoError(t, err)
				return got
			}
			before := stats()
			asked := f.talk(t, "data of the order mart, user mart, traffic mart, seller mart and item mart")
			f.turn(t, &routerv1.Turn{Question: "1", SessionId: asked.GetSessionId()})
			f.talk(t, "Which tables hold the daily GMV of Singapore?")
			after := stats()
			require.Equal(t, before.GetClarified()+1, after.GetClarified())
			require.Equal(t, before.GetReplies()+1, after.GetReplies())
			require.Equal(t, before.GetSettled()+1, after.GetSettled())
			require.InDelta(t, float64(after.GetClarified())/float64(after.GetQuestions()), after.GetClarificationRate(), 1e-9)
			require.InDelta(t, float64(after.GetSettled())/float64(after.GetReplies()), after.GetOneRoundRate(), 1e-9)
		},
	} {
		t.Run(name, func(t *testing.T) { row(t) })
	}
}

// TestWhatFindDataOwesWithOthers: what the checklist says of search servers, of models, of an
// installation's weights and of feedback.
func TestWhatFindDataOwesWithOthers(t *testing.T) {
	t.Parallel()
	words := retrievaltest.NewElasticsearch(t)
	model := llmtest.New(t, func(r llmtest.Request) llmtest.Answer {
		switch {
		case strings.Contains(r.Raw, "You help a search"):
			return llmtest.Answer{Text: `{"versions":["gross merchandise value"]}`}
		case strings.Contains(r.Raw, "scope_identified"):
			return llmtest.Answer{Text: `{"outcome":"scope_identified","scopes":[{"mart":"Order","reason":"orders"}]}`}
		}
		return llmtest.Answer{Text: "Take `" + gmvOfSingapore + "`."}
	})
	weights := filepath.Join(t.TempDir(), "ranking.yaml")
	require.NoError(t, os.WriteFile(weights, []byte("kinds: {semantic: {usage: {weight: 0}}}\n"), 0o600))
	f := demoFinder(t, map[string]any{
		"findata.search.lexical": "elasticsearch", "findata.search.elasticsearch.addresses": []string{words.URL}, "findata.search.elasticsearch.timeout": "1m",
		"findata.search.failures": 1, "findata.search.probe_after": "30s", "findata.search.budget": "2s", "findata.ranking_file": weights,
		"llm.base_url": model.URL, "llm.model": "strong", "llm.fast_model": "fast", "llm.sampling.rewrite": "temperature=0.3 top_p=0.9",
	})

	t.Run("weights by kind of question", func(t *testing.T) {
		require.NotContains(t, f.ask(t, "daily GMV in Singapore").GetRelatedTables()[0].GetFeatures(), "usage")
		require.Contains(t, f.ask(t, "which table has daily GMV").GetRelatedTables()[0].GetFeatures(), "usage")
	})
	t.Run("feedback counts for a family of countries", func(t *testing.T) {
		const ask = "daily GMV"
		first := f.ask(t, ask).GetRelatedTables()[0]
		require.NotEmpty(t, first.GetVariants())
		ref := first.GetTable().GetRef()
		for range 2 {
			_, err := f.find.Feedback(t.Context(), &findatav1.FeedbackRequest{Question: ask, Kind: findatav1.FeedbackKind_FEEDBACK_KIND_REJECTED,
				Tables: []string{ref.GetIdcRegion() + "." + ref.GetSchema() + "." + ref.GetTable()}})
			require.NoError(t, err)
		}
		require.NotEqual(t, first.GetTable().GetManifest(), f.ask(t, ask).GetRelatedTables()[0].GetTable().GetManifest(), "another country's twin is no better")
	})
	t.Run("effort by difficulty, temperature by use", func(t *testing.T) {
		for ask, want := range map[string]string{
			"daily GMV in Singapore":                        "strong/0", // the summary alone
			"新加坡每天的GMV":                                     "strong/0",
			"GMV of the flumpety goods in Singapore by day": "fast/0.3 fast/0 strong/0",
			"number of buyers by city":                      "fast/0.3 strong/0 strong/0",
		} {
			sent := len(model.Requests())
			f.discover(t, &findatav1.DiscoverQuery{UserQuery: ask, Strategy: findatav1.Strategy_STRATEGY_LLM})
			var calls []string
			for _, r := range model.Requests()[sent:] {
				calls = append(calls, fmt.Sprintf("%v/%v", r.Body["model"], r.Body["temperature"]))
			}
			require.Equal(t, want, strings.Join(calls, " "), ask)
		}
	})
	t.Run("a search server that is down, and what status says", func(t *testing.T) {
		status := func() *findatav1.SearchList {
			got, err := f.catalog.GetIndexStatus(t.Context(), &findatav1.GetIndexStatusRequest{})
			require.NoError(t, err)
			require.Equal(t, "elasticsearch", got.GetLexicalBackend())
			return got.GetSearchLists()[0]
		}
		const without = "The search server for words does not answer: tables were searched in the service's own index."
		require.NotContains(t, saidBy(f.ask(t, "GMV by day")), without)
		require.Positive(t, words.Searches.Load())
		require.True(t, status().GetServing())
		require.Equal(t, "elasticsearch", status().GetBackend())

		words.Hang(true)
		r := f.ask(t, "daily GMV of Singapore")
		require.Equal(t, gmvOfSingapore, tablesOf(r)[0], "the other answers")
		require.Contains(t, saidBy(r), without)
		require.False(t, status().GetServing())
		require.NotNil(t, status().GetDownSince())

		words.Hang(false)
		f.passed.Add(int64(time.Minute)) // after which a search tries it again
		require.Eventually(t, func() bool {
			f.ask(t, "GMV by day of Thailand")
			return status().GetServing()
		}, hangs, 5*time.Millisecond)
		require.NotContains(t, saidBy(f.ask(t, "GMV by day of Brazil")), without)
	})
}
