package chatbi_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/services/chatbi"
	words "github.com/dibrain/dibrain/services/chatbi/llm"
)

// writing is the service with a model that answers by a function, over tables in which
// notes are data of persons.
func writing(t *testing.T, config words.Config, limits budget.Limits, answer func(llmtest.Request) llmtest.Answer) (*chatbi.Service, *llmtest.Server) {
	t.Helper()
	server := llmtest.New(t, answer)
	model, err := llm.New(llm.Config{BaseURL: server.URL, Model: "scripted", Attempts: 1}, llm.Deps{})
	require.NoError(t, err)
	s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		known := tables()
		for i := range known[0].Columns {
			if c := &known[0].Columns[i]; c.Name == "note" {
				c.Personal = &catalog.Personal{Kind: "name", Reason: "a test says so"}
			}
		}
		d.Catalog = fakeCatalog{index: catalog.NewIndex(&catalog.Snapshot{Tables: known}, catalog.Defaults{Region: "sg", Schema: "shop"})}
		c.Strategy, c.Model, d.Model, d.ModelBudget = chatbi.StrategyLLM, config, model, limits
	})
	return s, server
}

// attrsOf are the facts that a step of the run noted.
func attrsOf(t *commonv1.RunTrace, name string) map[string]string {
	for _, r := range t.GetRecords() {
		if r.GetName() == name {
			return r.GetAttributes()
		}
	}
	return nil
}

// sentenceOf is the sentence of a finding as the model was told it.
var sentenceOf = regexp.MustCompile(`\{"id":"(\w+)","kind":"\w+","sentence":"([^"]*)"`)

// rewriting answers each finding with what change makes of its sentence.
func rewriting(change func(id, sentence string) string) func(llmtest.Request) llmtest.Answer {
	return func(r llmtest.Request) llmtest.Answer {
		var out []map[string]string
		message := r.Body["messages"].([]any)[1].(map[string]any)["content"].(string)
		for _, m := range sentenceOf.FindAllStringSubmatch(message, -1) {
			out = append(out, map[string]string{"id": m[1], "sentence": change(m[1], m[2])})
		}
		raw, _ := json.Marshal(map[string]any{"findings": out})
		return llmtest.Answer{Text: string(raw)}
	}
}

const byCountry = "SELECT country, sum(amount) AS gmv FROM orders GROUP BY country ORDER BY gmv DESC"

// TestAModelWritesFromFindings: the answer is the model's where it holds, in both
// languages; the template where it does not, and the run says how many were refused.
func TestAModelWritesFromFindings(t *testing.T) {
	t.Parallel()
	plain := newService(t, nil)
	for _, language := range []commonv1.Language{commonv1.Language_LANGUAGE_EN, commonv1.Language_LANGUAGE_ZH} {
		q := &chatbiv1.ExecuteQuery{Sql: byCountry, UserContext: &commonv1.UserContext{Language: language}}
		template := execute(t, plain, q).GetAnswer()
		for name, c := range map[string]struct {
			change func(id, s string) string
			holds  bool
		}{
			"other words": {func(_, s string) string {
				return strings.NewReplacer(" has the highest ", " leads in ", "最高，为", "位居第一，达到").Replace(s)
			}, true},
			"another figure": {func(_, s string) string { return strings.NewReplacer("1", "7").Replace(s) }, false},
			"a cause":        {func(_, s string) string { return strings.TrimRight(s, ".。") + " because of a sale 因为促销." }, false},
			"nothing":        {func(_, _ string) string { return "" }, false},
		} {
			s, server := writing(t, words.Config{}, budget.Limits{}, rewriting(c.change))
			res, err := s.ExecuteAndAnalyzeUnary(as(t.Context(), "alice"), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: q})
			require.NoError(t, err)
			got := res.GetResult()
			require.NotContains(t, warnings(got), "MODEL_FAILED", name)
			step := attrsOf(res.GetTrace(), "chatbi.write")
			if c.holds {
				require.NotEqual(t, template, got.GetAnswer(), name)
				require.Equal(t, c.change("", template), got.GetAnswer())
				require.Empty(t, step["refused"])
				require.Len(t, server.Requests(), 1)
				continue
			}
			require.Equal(t, template, got.GetAnswer(), name)
			require.NotEmpty(t, step["refused"], name)
			require.Equal(t, "0", step["written"], name)
			require.Len(t, server.Requests(), 2, name)
		}
	}
}

// TestAModelThatIsAwayCostsNoAnswer: down, talking nonsense or out of budget, the template
// stands and a warning says why.
func TestAModelThatIsAwayCostsNoAnswer(t *testing.T) {
	t.Parallel()
	for reason, c := range map[string]struct {
		answer llmtest.Answer
		limits budget.Limits
	}{
		llm.ReasonUnavailable: {answer: llmtest.Answer{Status: http.StatusInternalServerError, Text: "out of order"}},
		llm.ReasonMalformed:   {answer: llmtest.Answer{Text: "GMV is fine."}},
		llm.ReasonBudgetSpent: {limits: budget.Limits{Tokens: 1}},
	} {
		s, _ := writing(t, words.Config{}, c.limits, func(llmtest.Request) llmtest.Answer { return c.answer })
		res := execute(t, s, &chatbiv1.ExecuteQuery{Sql: byCountry})
		require.Contains(t, res.GetAnswer(), "has the highest GMV", reason)
		require.Contains(t, warnings(res), "MODEL_FAILED", reason)
		for _, w := range res.GetWarnings() {
			if w.GetCode() == "MODEL_FAILED" {
				require.Contains(t, w.GetMessage(), reason)
			}
		}
	}
}

// TestAModelIsToldNothingPersonal: neither values of persons that the result shows nor such
// that its conditions name, unless the configuration lets it.
func TestAModelIsToldNothingPersonal(t *testing.T) {
	t.Parallel()
	same := rewriting(func(_, s string) string { return s })
	closed, asked := writing(t, words.Config{}, budget.Limits{}, same)
	open, askedOpen := writing(t, words.Config{Personal: words.On}, budget.Limits{}, same)
	for _, sql := range []string{
		"SELECT note, sum(amount) AS gmv FROM orders GROUP BY note",
		"SELECT sum(amount) AS gmv FROM orders WHERE note = 'somebody'",
	} {
		before := len(askedOpen.Requests())
		execute(t, closed, &chatbiv1.ExecuteQuery{Sql: sql})
		execute(t, open, &chatbiv1.ExecuteQuery{Sql: sql})
		require.Len(t, askedOpen.Requests(), before+1, sql)
	}
	require.Empty(t, asked.Requests())
	execute(t, closed, &chatbiv1.ExecuteQuery{Sql: byCountry, UserQuestion: "what about Rumpelstiltskin"})
	require.Len(t, asked.Requests(), 1)
	require.NotContains(t, asked.Requests()[0].Raw, "Rumpelstiltskin", "nor the question")
}
