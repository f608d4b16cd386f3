package findata

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/shorttest"
)

// TestCases asks the questions of cases.yaml over the demo warehouse.
func TestCases(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/cases.yaml")
	require.NoError(t, err)
	var cases []struct {
		Ask     string   `yaml:"ask"`
		Family  []string `yaml:"family"`
		Table   string   `yaml:"table"`
		Mart    string   `yaml:"mart"`
		Answer  string   `yaml:"answer"`
		Outcome string   `yaml:"outcome"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &cases))
	require.NotEmpty(t, cases)
	s := demoService(t, nil)
	outcomes := map[string]findatav1.DiscoverOutcome{
		"": findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, "ask": findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"fallback": findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK, "not_found": findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND,
	}
	for _, c := range cases {
		t.Run(c.Ask, func(t *testing.T) {
			t.Parallel()
			r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: c.Ask})
			names := namesOf(r.GetRelatedTables())
			require.Equal(t, outcomes[c.Outcome], r.GetOutcome(), "%v %s", names, r.GetAnswer())
			require.NotEmpty(t, r.GetAnswer())
			switch c.Outcome {
			case "ask":
				require.GreaterOrEqual(t, len(r.GetQuestion().GetOptions()), 2)
				require.Empty(t, names)
				return
			case "not_found":
				require.Empty(t, names)
				return
			}
			require.NotEmpty(t, names)
			require.True(t, slices.ContainsFunc(c.Family, func(f string) bool { return strings.Contains(names[0], f) }), "first of %v", names)
			require.LessOrEqual(t, len(names), 10+6)
			for _, candidate := range r.GetRelatedTables() {
				require.NotEmpty(t, candidate.GetReasons())
				require.NotEmpty(t, candidate.GetTable().GetColumns())
			}
			if c.Table != "" {
				require.Equal(t, c.Table, names[0])
			}
			if c.Mart != "" {
				require.Contains(t, r.GetMarts(), c.Mart)
			}
			require.Contains(t, r.GetAnswer(), c.Answer)
		})
	}
}

func TestReasonsInTheAskersLanguage(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	for ask, want := range map[string]string{
		"sales in Singapore by day": "has the metric GMV (sales); covers SG; 2,140 queries in 30 days; partitioned by grass_date; refreshed 8 h ago",
		"新加坡每日销售额":                  "有指标成交额（销售额）; 覆盖 SG; 近30天查询 2,140 次; 按 grass_date 分区; 8 小时前更新",
	} {
		r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask})
		require.Equal(t, want, strings.Join(r.GetRelatedTables()[0].GetReasons(), "; "))
	}
}

// TestReasonsNameSubjects: numbers, words of asking, single characters and business
// words of other marts are no reason that a person would accept.
func TestReasonsNameSubjects(t *testing.T) {
	shorttest.Rules(t, "the words of reasons")
	t.Parallel()
	s := demoService(t, nil)
	for ask, silly := range map[string][]string{
		"top 10 items by GMV in Taiwan last month": {"10", "month", "last"},
		"compare GMV of this month with the last":  {"compare", "month"},
		"有多少卖家从来没有卖出过东西":                           {"「过」", "live", "cross", "person"},
		"最近7天各平台的访客数":                              {"「7」", "「天」"},
	} {
		found := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask}).GetRelatedTables()
		require.NotEmpty(t, found, ask)
		for _, table := range found {
			require.NotEmpty(t, table.GetReasons(), ask)
			for _, reason := range table.GetReasons() {
				if !strings.HasPrefix(reason, "matches") && !strings.HasPrefix(reason, "has") && !strings.HasPrefix(reason, "匹配") {
					continue
				}
				for _, word := range silly {
					require.NotContains(t, reason, word, "%s: %s", ask, table.GetTable().GetRef().GetTable())
				}
				if strings.Contains(reason, "UV") {
					require.Equal(t, "Traffic", table.GetTable().GetMart(), ask)
				}
			}
		}
	}
}

// TestWhatThereIs: the marts with their tables, counted as the asker sees them; the
// tables of a source without marts.
func TestWhatThereIs(t *testing.T) {
	shorttest.Rules(t, "the words of overviews")
	t.Parallel()
	s := demoService(t, nil)
	for ask, want := range map[string]string{"which marts are there?": "**Order** (27 tables): Orders, payments", "有哪些数据集市？": "**Order**（27 张表）：订单数据集市"} {
		r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask})
		require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, r.GetOutcome())
		require.Contains(t, r.GetAnswer(), want)
		require.Empty(t, r.GetRelatedTables())
	}
	clinic, _ := layeredClinic(t, clinicPolicy)
	all := discover(t, clinic, "boss", &findatav1.DiscoverQuery{UserQuery: "show all tables"}).GetAnswer()
	require.Contains(t, all, "main.visit")
	require.Contains(t, all, "main.wage")
	some := discover(t, clinic, "ann", &findatav1.DiscoverQuery{UserQuery: "show all tables"}).GetAnswer()
	require.Contains(t, some, "main.visit")
	require.NotContains(t, some, "wage", "who may not see a table is not told of it")
	require.NotContains(t, some, "more")
}

func TestCountryChoosesTheVariant(t *testing.T) {
	shorttest.Rules(t, "which of the tables of countries is chosen")
	t.Parallel()
	s := demoService(t, nil)
	ask := func(text, region string) *findatav1.TableCandidate {
		q := &findatav1.DiscoverQuery{UserQuery: text}
		if region != "" {
			q.UserContext = userIn(region)
		}
		return discover(t, s, "ann", q).GetRelatedTables()[0]
	}
	first := ask("daily GMV", "")
	require.Equal(t, "dws_order_gmv_1d__sg_s0_live", first.GetTable().GetRef().GetTable(), "the one used most stands for the family")
	require.Len(t, first.GetVariants(), 7)
	require.Equal(t, "dws_order_gmv_1d__th_s0_live", ask("daily GMV", "th").GetTable().GetRef().GetTable(), "the asker's country")
	require.Equal(t, "dws_order_gmv_1d__id_s0_live", ask("daily GMV in Indonesia", "TH").GetTable().GetRef().GetTable(), "the question's goes before it")
	brazil := ask("daily GMV in BR", "").GetTable()
	require.Equal(t, "useast", brazil.GetRef().GetIdcRegion())
	require.Equal(t, "BR", brazil.GetCountry())

	both := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "compare daily GMV of Singapore and Brazil"})
	names := namesOf(both.GetRelatedTables())
	if strings.Contains(names[0], "dws_order_gmv_1d") {
		require.Contains(t, names[:2], "sg.mp_order.dws_order_gmv_1d__sg_s0_live")
		require.Contains(t, names[:2], "useast.mp_order.dws_order_gmv_1d__br_s0_live")
	}
}

func TestNamedTables(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "sellers of Brazil in dws_seller_gmv_1d__{cid}_s0_live"})
	require.Equal(t, "useast.mp_order.dws_seller_gmv_1d__br_s0_live", namesOf(r.GetRelatedTables())[0], "the placeholder is filled")

	r = discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "how many rows", SelectedTables: []string{"prefill_hive_table_sg.mp_user.dim_user__reg_s0_live"}})
	require.Equal(t, "sg.mp_user.dim_user__reg_s0_live", namesOf(r.GetRelatedTables())[0])
	require.Contains(t, r.GetRelatedTables()[0].GetReasons(), "named in the question")

	r = discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "rows of @sg.mp_order.dws_seler_gmv_1d__sg_s0_live"})
	require.Len(t, r.GetUnknownTables(), 1)
	require.Equal(t, "sg.mp_order.dws_seller_gmv_1d__sg_s0_live", r.GetUnknownTables()[0].GetNear()[0])
	require.Contains(t, r.GetWarnings()[0].GetMessage(), "dws_seller_gmv_1d__sg_s0_live")
}

func TestScope(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "traffic"})
	chosen := r.GetQuestion().GetOptions()[1]
	r = discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "traffic", ChosenOptionId: chosen.GetId()})
	require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, r.GetOutcome(), "a chosen option ends the asking")
	require.Equal(t, []string{strings.TrimPrefix(chosen.GetId(), "mart:")}, r.GetMarts())

	out, err := (&findDataServer{service: s}).ClarifyScope(as(t, "ann"), &findatav1.ClarifyScopeRequest{Query: &findatav1.DiscoverQuery{UserQuery: "CSAT yesterday"}})
	require.NoError(t, err)
	require.Equal(t, findatav1.ScopeOutcome_SCOPE_OUTCOME_SCOPE_IDENTIFIED, out.GetOutcome())
	require.Equal(t, "Customer Service", out.GetScopes()[0].GetMart())
}
