package text2sql_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/shorttest"
	"github.com/dibrain/dibrain/services/text2sql"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// byModel is a service over the example layer and a scripted model.
func byModel(t *testing.T, answers ...string) (*text2sql.Service, *catalogOf, *llmtest.Server) {
	t.Helper()
	var script []llmtest.Answer
	for _, a := range answers {
		script = append(script, llmtest.Answer{Text: a})
	}
	server := llmtest.Script(t, script...)
	model, err := llm.New(llm.Config{BaseURL: server.URL, Model: "m", Attempts: 1, Timeout: time.Minute}, llm.Deps{})
	require.NoError(t, err)
	s, c := newServiceWith(t, text2sql.Config{Strategy: text2sql.StrategyLLM}, text2sql.Deps{Model: model})
	return s, c, server
}

func generate(t *testing.T, s *text2sql.Service, q *text2sqlv1.GenerateQuery) *text2sqlv1.GenerateResult {
	t.Helper()
	resp, err := s.GenerateSQLUnary(askAt(), &text2sqlv1.GenerateSQLUnaryRequest{Query: q})
	require.NoError(t, err)
	return resp.GetResult()
}

const brazilGMV = `{"outcome":"metrics","understood":"GMV of Brazil by day in the first half of November 2026.","metrics":[{"id":"gmv","aggregate":"none"}],
	"from":"2026-11-01","to":"2026-11-16","grain":"day","countries":["BR"]}`

func TestAModelReadsAnIntentOverTheLayer(t *testing.T) {
	t.Parallel()
	s, c, server := byModel(t, brazilGMV)
	r := generate(t, s, &text2sqlv1.GenerateQuery{
		UserQuestion: "what did people buy for in Brazil, early November, a row per day?", Tables: catalogpb.FromTables([]catalog.Table{shopTable("br", "BR")}),
	})
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, r.GetOutcome(), "%v", r)
	sql := r.GetCandidates()[0].GetSql()
	for _, part := range []string{"sg.mp_order.dws_seller_gmv_1d__br_s0_live", "SUM(gmv_usd)", "ORDER BY grass_date", "'2026-11-01'", "'2026-11-16'", "tz_type = 'local'"} {
		require.Contains(t, sql, part)
	}
	require.True(t, r.GetCandidates()[0].GetValidated())
	require.Equal(t, "GMV of Brazil by day in the first half of November 2026.", r.GetRestatement())
	require.NotEmpty(t, r.GetMetrics())
	require.NotEmpty(t, r.GetIntentJson())
	require.Len(t, server.Requests(), 1)
	sent := server.Requests()[0].Raw
	require.Contains(t, sent, "- gmv: GMV")
	require.NotContains(t, sent, "seller_type", "what the asker may not see does not exist: the catalog describes no such table")
	require.NotEmpty(t, c.described)
}

func TestUnknownIDsAreToldToTheModelAndNeverInvented(t *testing.T) {
	t.Parallel()
	const made = `{"outcome":"metrics","understood":"Profit.","metrics":[{"id":"profit"}],"countries":["BR"]}`
	s, _, server := byModel(t, made, brazilGMV)
	r := generate(t, s, &text2sqlv1.GenerateQuery{UserQuestion: "what was made in Brazil?"})
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, r.GetOutcome())
	require.Contains(t, server.Requests()[1].Raw, `there is no metric \"profit\"`)

	s, _, _ = byModel(t, made, made)
	r = generate(t, s, &text2sqlv1.GenerateQuery{UserQuestion: "profit in Brazil last month"})
	require.NotEqual(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, r.GetOutcome(), "%v", r.GetCandidates())
	require.Equal(t, "MODEL_FAILED", r.GetWarnings()[0].GetCode())
}

func TestOutsideTheLayerTheModelWritesOverTables(t *testing.T) {
	t.Parallel()
	s, _, server := byModel(t, `{"outcome":"tables","understood":"Sellers in Brazil."}`,
		`{"outcome":"sql","understood":"Sellers in Brazil.","candidates":[{"sql":"SELECT count(DISTINCT seller_id) FROM sg.mp_order.dws_seller_gmv_1d__br_s0_live","reason":"sellers with orders"}]}`)
	r := generate(t, s, &text2sqlv1.GenerateQuery{
		UserQuestion: "distinct seller ids in Brazil", Tables: catalogpb.FromTables([]catalog.Table{shopTable("br", "BR")}),
	})
	require.Equal(t, "SELECT count(DISTINCT seller_id) FROM sg.mp_order.dws_seller_gmv_1d__br_s0_live", r.GetCandidates()[0].GetSql())
	require.Equal(t, "sg.mp_order.dws_seller_gmv_1d__br_s0_live", r.GetCandidates()[0].GetTables()[0].GetName())
	require.Len(t, server.Requests(), 2)
}

// TestDefinitionsThatDoNotGoTogetherEndOverTables: a metric that the layer knows by no table
// with the dimension asked for is no dead end: the tables are asked.
func TestDefinitionsThatDoNotGoTogetherEndOverTables(t *testing.T) {
	t.Parallel()
	const sql = "SELECT orders FROM sg.mp_order.dws_seller_gmv_1d__br_s0_live"
	s, _, server := byModel(t, `{"outcome":"metrics","understood":"GMV in Brazil by the hour.","metrics":[{"id":"gmv"}],"grain":"hour","countries":["BR"]}`,
		`{"outcome":"sql","understood":"Orders in Brazil.","candidates":[{"sql":"`+sql+`","reason":"r"}]}`)
	r := generate(t, s, &text2sqlv1.GenerateQuery{
		UserQuestion: "what was bought in Brazil hour by hour?", Tables: catalogpb.FromTables([]catalog.Table{shopTable("br", "BR")}), ShowBasis: true,
	})
	require.Len(t, server.Requests(), 2, "%v", r)
	require.Equal(t, sql, r.GetCandidates()[0].GetSql())
	require.Contains(t, server.Requests()[1].Raw, "that figure is the last column")
}

// TestAModelIsToldStoredValues: a dimension for which nobody wrote values has those of its
// column, but of columns with data of persons and of those with many.
func TestAModelIsToldStoredValues(t *testing.T) {
	shorttest.Rules(t, "what prompts hold")
	t.Parallel()
	for name, c := range map[string]struct {
		change func(c *catalog.Column)
		told   bool
	}{
		"stored":  {func(*catalog.Column) {}, true},
		"persons": {func(c *catalog.Column) { c.Personal = &catalog.Personal{Kind: "name"} }, false},
		"many":    {func(c *catalog.Column) { c.Distinct = 5000 }, false},
		"none":    {func(c *catalog.Column) { c.Samples = nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, tables, server := byModel(t, brazilGMV)
			table := shopTable("br", "BR")
			column := catalog.Column{Name: "seller_type", Type: "varchar", Distinct: 2, Samples: []string{"zenlocal", "regional"}}
			c.change(&column)
			sellers := catalog.Table{
				Name: catalog.Name{Region: "sg", Schema: "mp_user", Table: "dim_seller__br_s0_live"}, Country: "BR", Manifest: "mp_user.dim_seller__{cid}_s0_live",
				Columns: []catalog.Column{{Name: "seller_id", Type: "bigint"}, column},
			}
			tables.tables = []catalog.Table{shopTable("sg", "SG"), table, sellers}
			_ = generate(t, s, &text2sqlv1.GenerateQuery{UserQuestion: "GMV of kinds of sellers, in other words", Tables: catalogpb.FromTables([]catalog.Table{table})})
			require.NotEmpty(t, server.Requests())
			require.Equal(t, c.told, strings.Contains(server.Requests()[0].Raw, "zenlocal"), server.Requests()[0].Raw)
		})
	}
}

func TestAStrategyIsChosenByTheRequest(t *testing.T) {
	t.Parallel()
	s, _, server := byModel(t)
	r := generate(t, s, &text2sqlv1.GenerateQuery{UserQuestion: "daily GMV in Brazil over the past 7 days", Strategy: text2sqlv1.Strategy_STRATEGY_RULES})
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, r.GetOutcome())
	require.Empty(t, server.Requests())

	s, _ = newService(t)
	_, err := s.GenerateSQLUnary(askAt(), &text2sqlv1.GenerateSQLUnaryRequest{Query: &text2sqlv1.GenerateQuery{
		UserQuestion: "daily GMV in Brazil", Strategy: text2sqlv1.Strategy_STRATEGY_LLM,
	}})
	require.Equal(t, llm.ReasonNotConfigured, fault.ReasonOf(err))
	_, ok := s.Tools().ByName(tools.ValidateSQL)
	require.True(t, ok)
}
