package fixsql_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/services/fixsql"
)

// withModel is the service with a model that answers by a script.
func withModel(t *testing.T, answers ...llmtest.Answer) (*fixsql.Service, *llmtest.Server) {
	t.Helper()
	server := llmtest.Script(t, answers...)
	model, err := llm.New(llm.Config{BaseURL: server.URL, Model: "scripted"}, llm.Deps{})
	require.NoError(t, err)
	s, err := fixsql.New(fixsql.Config{Strategy: fixsql.StrategyLLM}, fixsql.Deps{Catalog: newCatalog(), Model: model})
	require.NoError(t, err)
	return s, server
}

func proposal(t *testing.T, sql string) llmtest.Answer {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"why": "the column is called otherwise", "sql": sql})
	require.NoError(t, err)
	return llmtest.Answer{Text: string(raw)}
}

// The model is asked for what rules leave, is told its class and place, and its repair is
// taken where it changes only that.
func TestModelRepairsWhatRulesLeave(t *testing.T) {
	t.Parallel()
	const broken = "SELECT country, sum(revenue) -- by market\nFROM orders WHERE qty > 1 GROUP BY country"
	s, server := withModel(t, proposal(t, "SELECT country, SUM(amount) FROM orders WHERE qty > 1 GROUP BY country"))
	res, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: broken})
	require.NoError(t, err)
	require.Equal(t, strings.Replace(broken, "revenue", "amount", 1), res.GetFixed().GetSql(), "all else stays as it was")
	require.False(t, res.GetCertain())
	require.Len(t, res.GetChanges(), 1)
	require.Equal(t, "model", res.GetChanges()[0].GetClassId())
	require.Contains(t, res.GetChanges()[0].GetMessage(), "called otherwise")
	require.Contains(t, res.GetDiff(), "+SELECT country, sum(amount)")

	sent := server.Requests()
	require.Len(t, sent, 1)
	require.Contains(t, sent[0].Raw, "COLUMN_NOT_FOUND at line 1, column 21")
	require.Contains(t, sent[0].Raw, "sg.shop.orders(")
	require.NotContains(t, sent[0].Raw, "付款", "other tables are not told of")
}

// What rules repair, a model is not asked for.
func TestModelIsAskedForWhatIsLeftAlone(t *testing.T) {
	t.Parallel()
	s, server := withModel(t)
	for _, sql := range []string{"SELECT amuont FROM orders", "SELECT qty FROM orders", "SELCT qty FORM orders"} {
		res, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: sql})
		require.NoError(t, err)
		require.Empty(t, res.GetRemaining())
	}
	require.Empty(t, server.Requests())
}

// A model that changes what was right, writes something else, or is away leaves the
// statement as rules left it; it is told once what is wrong.
func TestModelThatGoesTooFar(t *testing.T) {
	t.Parallel()
	const broken = "SELECT revenue FROM orders WHERE country = 'SG'"
	for name, c := range map[string]struct {
		text  string
		asked int
	}{
		"drops the filter":   {`{"why": "x", "sql": "SELECT amount FROM orders"}`, 2},
		"another value":      {`{"why": "x", "sql": "SELECT amount FROM orders WHERE country = 'BR'"}`, 2},
		"a table more":       {`{"why": "x", "sql": "SELECT amount FROM orders, items WHERE country = 'SG'"}`, 2},
		"a write":            {`{"why": "x", "sql": "DROP TABLE orders"}`, 2},
		"two statements":     {`{"why": "x", "sql": "SELECT amount FROM orders WHERE country = 'SG'; DELETE FROM orders"}`, 2},
		"a table unknown":    {`{"why": "x", "sql": "SELECT revenue FROM secrets.private.salaries WHERE country = 'SG'"}`, 2},
		"no JSON":            {"I am sorry, Dave.", 2},
		"says there is none": {`{"why": "No column is meant.", "sql": ""}`, 1},
		"the same":           {`{"why": "x", "sql": "` + broken + `"}`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, server := withModel(t, llmtest.Answer{Text: c.text}, llmtest.Answer{Text: c.text})
			res, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: broken})
			require.NoError(t, err)
			require.Equal(t, broken, res.GetFixed().GetSql())
			require.False(t, res.GetChanged())
			require.Equal(t, "COLUMN_NOT_FOUND", res.GetRemaining()[0].GetCode())
			require.Len(t, server.Requests(), c.asked)
			if c.asked == 2 {
				require.Contains(t, res.GetDiagnosis(), "refused")
			}
		})
	}
	s, _ := withModel(t, llmtest.Answer{Status: 401, Text: "no key"})
	res, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: broken})
	require.NoError(t, err)
	require.Equal(t, broken, res.GetFixed().GetSql())
	require.Contains(t, res.GetDiagnosis(), "could not be used")
}
