package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
)

// withMembers puts files into the data directory whose columns hold data of persons, by name
// (first_name), by values (contact) and by what a person said (nick), and a layer that names
// values of one of them.
func withMembers(t *testing.T, dir string) {
	t.Helper()
	files := t.TempDir()
	for name, text := range map[string]string{
		"members.csv": "member_id,first_name,contact,nick,town\n1,Zoraida,zoraida@secret.example,Zozo,Bernopen\n2,Quirin,quirin@secret.example,Quiqui,Genfopen\n3,Xaver,xaver@secret.example,Xaxa,Bernopen\n",
		"calls.csv":   "call_id,member_id,phone,mobile,minutes\n1,1,+41 44 668 18 00,+41 79 100 20 31,7\n2,2,+41 31 555 01 42,+41 79 555 43 21,3\n3,3,+41 61 555 77 20,+41 78 555 66 12,4\n",
		"gifts.csv":   "gift_id,member_id,amount,given_on\n1,1,10,2026-01-05\n2,1,20,2026-01-06\n3,2,5,2026-02-01\n4,3,7,2026-02-02\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(files, name), []byte(text), 0o600))
	}
	store, err := source.Open(dir)
	require.NoError(t, err)
	_, err = ingest.CSV(t.Context(), store, "club", files, ingest.Options{Personal: []string{"nick"}})
	require.NoError(t, err)
	layer := filepath.Join(semantic.OwnDir(dir, "club"), "club.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(layer), 0o750))
	require.NoError(t, os.WriteFile(layer, []byte(`
metrics:
  - {id: gifts, names: {en: gifts}, table: main.gifts, expr: SUM(amount), time: given_on, grain: day}
dimensions:
  - {id: nick, names: {en: nick}, table: main.members, expr: nick, values: [{value: Zozo, synonyms: [Zozochka]}]}
  - {id: town, names: {en: town}, table: main.members, expr: town}
joins:
  - {from: main.gifts, columns: [member_id], to: main.members, to_columns: [member_id]}
`), 0o600))
}

// toldOfMembers talks with a model at every service that may have one, in conversations whose
// answers show data of persons. requests are all that the model was sent, and shown is what
// the person was answered.
func toldOfMembers(t *testing.T, allowed string) (requests []llmtest.Request, shown string) {
	t.Helper()
	sql := func(statement string) llmtest.Answer {
		raw, err := json.Marshal(map[string]any{"outcome": "sql", "understood": "gifts", "candidates": []any{map[string]any{"sql": statement, "reason": "as asked"}}})
		require.NoError(t, err)
		return llmtest.Answer{Text: string(raw)}
	}
	// Each prompt is told by words of its system message.
	prompts := map[string]string{
		"router": "You are the supervisor", "findata answers": "You answer questions about the tables", "findata expands": "You help a search", "findata sums up": "You tell a person which tables",
		"intent": "You read a question about a business", "sql": "You write Presto (Trino) SQL", "sql repair": "A Presto (Trino) SQL query was written",
		"fixsql": "A Presto (Trino) SQL query has mistakes", "words": "You rewrite sentences of a data analysis",
	}
	endpoint := llmtest.New(t, func(r llmtest.Request) llmtest.Answer {
		writes := strings.Contains(r.Raw, prompts["sql"]) || strings.Contains(r.Raw, prompts["sql repair"])
		if writes && strings.Contains(r.Raw, "Zoraid of Bernopem") { // no row has such a name: what stands near it is looked for
			return sql("SELECT m.town, sum(g.amount) AS amount FROM club.main.gifts g JOIN club.main.members m ON g.member_id = m.member_id WHERE m.first_name = 'Zoraid' AND m.town = 'Bernopem' GROUP BY m.town")
		}
		return llmtest.Answer{Text: "{}"}
	})
	c := testConfig(t)
	c.Source, c.FindData.Config.DefaultSource = "club", "club"
	c.Router.Config.Strategy, c.FindData.Config.Strategy, c.Text2SQL.Config.Strategy = "llm", "llm", "llm"
	c.FixSQL.Config.Strategy, c.ChatBI.Config.Strategy, c.Knowledge.Config.Strategy = "llm", "llm", "llm"
	c.LLM.Config.BaseURL, c.LLM.Config.Model, c.LLM.Config.Attempts = endpoint.URL, "small", 1
	c.Text2SQL.Config.Model.Personal, c.ChatBI.Config.Model.Personal = allowed, allowed
	withMembers(t, c.DataDir)
	conn := start(t, c, app.All).dial()
	route, fix := routerv1.NewRouterServiceClient(conn), fixsqlv1.NewFixSQLServiceClient(conn)
	for _, talk := range [][]string{
		{"total amount of gifts by first name", "and only in 2026?", "which tables hold gifts?"},
		{"gifts by nick", "by town", "what does the table members hold?"},
		{"list the contact of all members", "run it again"},
		{"how much did zoriada give?", "and in 2026?", "by town"},
		{"total minutes of calls by phone", "as a bar chart", "why?"},
		{"total amount of gifts of Qiurin", "show it by month"},
		{"gifts by first name where contact is qiurin@secert.exampel", "which tables did you use?"},
		{"how much did Zoraid of Bernopem give?", "how many members are there in each town?"},
		{"find data about gifts", "recommend tables for calls"},
	} {
		session := ""
		for _, question := range talk {
			answer, err := route.Ask(t.Context(), &routerv1.AskRequest{Turn: &routerv1.Turn{Source: "club", SessionId: session, Question: question}})
			require.NoError(t, err, question)
			session = answer.GetAnswer().GetSessionId()
			shown += answer.GetAnswer().GetText() + "\n"
			for _, call := range answer.GetAnswer().GetToolCalls() {
				for _, w := range call.GetExecute().GetWarnings() {
					shown += w.GetMessage() + "\n"
				}
			}
		}
	}
	_, err := fix.FixSQL(t.Context(), &fixsqlv1.FixSQLRequest{Source: "club", Sql: "SELECT sum(amountt_of) FROM gifs g JOIN members m ON g.member_id = m.member_id WHERE m.first_name = 'zoraid' AND m.nick = 'zoz'"})
	require.NoError(t, err)

	all := ""
	for _, r := range endpoint.Requests() {
		all += r.Raw
	}
	for name, words := range prompts {
		assert.True(t, strings.Contains(all, words), "a prompt that nothing was looked for in: %s", name)
	}
	assert.True(t, strings.Contains(all, "Bernopen"), "stored values that nobody marked are told")
	require.Contains(t, shown, "Zoraida", "the person is shown them")
	require.Contains(t, shown, "data of persons", "and told that they are")
	return endpoint.Requests(), shown
}

// TestNoModelIsToldDataOfPersons looks for stored names, addresses and numbers in all that a model was
// sent. What nobody marked is there, so that the looking finds something.
func TestNoModelIsToldDataOfPersons(t *testing.T) {
	t.Parallel()
	requests, shown := toldOfMembers(t, "off")
	for _, marked := range []string{"Zoraida", "Quirin", "Xaver", "secret.example", "668 18 00", "555 01 42", "555 77 20", "100 20 31", "Zozo", "Quiqui", "Xaxa", "Zozochka"} {
		for _, r := range requests {
			at := strings.Index(strings.ToLower(r.Raw), strings.ToLower(marked))
			assert.Less(t, at, 0, "%s is told: %s", marked, r.Raw[max(0, min(at-300, len(r.Raw))):max(0, min(at+100, len(r.Raw)))])
		}
	}
	require.Contains(t, shown, "668 18 00", "a telephone number is shown to the person")
	require.Contains(t, shown, "secret.example", "and an e-mail address")
}

// TestAModelIsToldDataOfPersonsWhereThatIsAllowed: with model_personal, stored names go to the model that
// writes SQL, values that a layer names to the one that reads questions, findings to the one that
// writes words. Addresses and numbers of telephones are not even in the catalog, and the router
// keeps answers that show any from its own model either way.
func TestAModelIsToldDataOfPersonsWhereThatIsAllowed(t *testing.T) {
	t.Parallel()
	requests, _ := toldOfMembers(t, "on")
	told := map[string]string{}
	for _, r := range requests {
		for _, prompt := range []string{"You write Presto (Trino) SQL", "You read a question about a business", "You rewrite sentences of a data analysis", "You are the supervisor"} {
			if strings.Contains(r.Raw, prompt) {
				told[prompt] += r.Raw
			}
		}
	}
	assert.True(t, strings.Contains(told["You write Presto (Trino) SQL"], "Zoraida"))
	assert.True(t, strings.Contains(told["You read a question about a business"], "Zozochka"))
	assert.True(t, strings.Contains(told["You rewrite sentences of a data analysis"], "Zoraida"))
	assert.False(t, strings.Contains(told["You write Presto (Trino) SQL"], "668 18 00"))
	assert.False(t, strings.Contains(told["You are the supervisor"], "Quirin"))
}
