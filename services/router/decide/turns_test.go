package decide_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

// talksThatWent are talks in which something was asked, failed or was answered before:
// what a message of few words means depends on which of them it stands in.
func talksThatWent() map[string][]decide.Message {
	user := func(said string) decide.Message { return decide.Message{Role: "user", Content: said} }
	step := func(tool, call, content string) decide.Message {
		return decide.Message{Role: "assistant", Tool: tool, CallID: call, Content: content}
	}
	withSQL := func(m decide.Message, sql string, tables ...string) decide.Message {
		m.SQL, m.Tables = sql, tables
		return m
	}
	asks := func(m decide.Message, asked string) decide.Message {
		m.Asked = asked
		return m
	}
	found := func(call string) decide.Message {
		m := step(tools.DataDiscovery, call, "Three tables fit: fleet.ride, fleet.driver and fleet.city.")
		m.Tables = []string{"sg.fleet.ride", "sg.fleet.driver", "sg.fleet.city"}
		return m
	}
	rides := []decide.Message{user("How many rides were there in May?"), withSQL(step(tools.Execute, "call_1", "There were 120 rides."), "SELECT count(*) FROM fleet.ride", "fleet.ride")}
	fares := []decide.Message{user("What is the average fare per city?"), withSQL(step(tools.Execute, "call_2", "It is 9.50 in Oslo."), "SELECT city, avg(fare) FROM fleet.ride GROUP BY city", "fleet.ride")}
	tips := []decide.Message{user("Total tips by driver?"), withSQL(step(tools.Execute, "call_3", "Kim got 80."), "SELECT driver, sum(tip) FROM fleet.ride GROUP BY driver", "fleet.ride")}
	three := slices.Concat(rides, fares, tips)
	wrote := []decide.Message{user("write a query for the rides per day"), asks(withSQL(step(tools.GenerateSQL, "call_4", "Here it is. Shall I execute it?"), "SELECT day, count(*) FROM fleet.ride GROUP BY day", "fleet.ride"), decide.OfferExecute)}
	return map[string][]decide.Message{
		"three answers":          three,
		"which shall run":        append(slices.Clone(three), user("run it"), asks(step(tools.AskHuman, "call_9", "Which one shall I run? 1) rides in May 2) average fare per city 3) total tips by driver"), decide.AskedChoice)),
		"which period":           {user("How many rides were there?"), asks(step(tools.AskHuman, "call_9", "Which period do you mean?"), decide.AskedChoice)},
		"which period, after":    append(slices.Clone(rides), user("How many tips were there?"), asks(step(tools.AskHuman, "call_9", "Which period do you mean?"), decide.AskedChoice)),
		"which table":            {user("write a query for the rides per day"), asks(found("call_5"), decide.AskedChoice)},
		"which reading":          {user("How many rides per area?"), asks(step(tools.GenerateSQL, "call_9", "What is an area? 1) city 2) postal code"), decide.AskedChoice)},
		"not written":            {user("How many rides had a dog in the car?"), step(tools.GenerateSQL, "call_9", "No table tells of dogs.")},
		"not changed":            append(slices.Clone(rides), user("only those with a dog"), step(tools.GenerateSQL, "call_9", "No table tells of dogs.")),
		"found":                  {user("which tables have rides?"), found("call_5")},
		"found, offered":         {user("which tables have rides?"), asks(found("call_5"), decide.OfferGenerate)},
		"figure, goes on":        {user("How many rides were there in May?"), asks(found("call_5"), decide.OfferContinue)},
		"query, goes on":         {user("write a query for the rides per day"), asks(found("call_5"), decide.OfferContinue)},
		"wrote":                  wrote,
		"wrote, dear":            {user("How many rides were there in May?"), asks(withSQL(step(tools.Execute, "call_6", "This reads 3 TiB. Run it?"), "SELECT count(*) FROM fleet.ride", "fleet.ride"), decide.AskedCost)},
		"why":                    append(slices.Clone(rides), user("why did it fall?"), step(tools.ExplainChange, "call_7", "Oslo accounts for 80 % of it.")),
		"logs":                   {user("errors in the gateway logs since noon"), step(tools.SearchLog, "call_8", "12 lines.")},
		"platform, after":        append(slices.Clone(rides), user("how do I raise my quota?"), step(tools.DatasuiteFAQ, "call_8", "Open a request.")),
		"platform":               {user("how long does the ad-hoc queue keep results?"), step(tools.DatasuiteFAQ, "call_8", "Seven days.")},
		"turned away":            append(slices.Clone(rides), user("write me a poem"), step(tools.Reject, "call_8", "I answer questions about data.")),
		"one of its own":         {user("here is mine: SELECT a FROM b"), withSQL(step(tools.Execute, "call_8", "1 row."), "SELECT a FROM b")},
		"asked for the SQL":      {user("fix it for me"), step(tools.AskHuman, "call_8", "Which statement? Paste it, please.")},
		"asked for the SQL, run": {user("run my statement"), step(tools.AskHuman, "call_8", "Which statement? Paste it, please.")},
		"repaired":               {user("fix: SELECT a FORM b"), withSQL(step(tools.FixSQL, "call_8", "I corrected FORM."), "SELECT a FROM b", "b")},
		"三个回答":                   {user("五月有多少行程？"), withSQL(step(tools.Execute, "call_1", "120。"), "SELECT count(*) FROM fleet.ride", "fleet.ride"), user("各城市平均车费是多少？"), withSQL(step(tools.Execute, "call_2", "奥斯陆 9.5。"), "SELECT avg(fare) FROM fleet.ride", "fleet.ride")},
	}
}

// repliesToAll are messages that each of the talks may go on with.
var repliesToAll = []string{
	"fix it but don't run it", "Column 'x' cannot be resolved: fix it but don't run it", "Column 'x' cannot be resolved: fix it and run it", "Column 'x' cannot be resolved",
	"why did it fail with line 1:8: mismatched input 'FORM'?", "fix it", "run it", "don't run it", "run the second one", "go back to the first one", "show the second answer again", "the one before, please", "back to the original",
	"the SQL please", "show me the query and run it", "why?", "why did it drop so much?", "why did the fares drop?", "why is the sky blue?",
	"but make it a poem", "and for the other queue?", "what about Oslo?", "only Oslo", "and as a line chart", "a pie chart of it for Oslo", "remove the cancelled ones", "add the tip as a column",
	"yes", "yes, write it", "sure, run it now", "yes but only for May", "perfect, thanks", "no", "no thanks, bye", "let me check first", "cancel", "either", "both", "2", "7", "the third one", "the last one", "postal code", "last month", "in 2024, and per driver, for all cities that we had then",
	"SELECT c FROM d", "who owns it?", "who owns the first one, and write a query on it", "count the rows of that table", "a query on the last one, and run it", "use it",
	"How many drivers were paid by card in each city last year?", "new topic: rides by hour", "explain it", "explain the figure", "hmm, by hour", "Oslo, please",
	"yes, rides", "sure, do that and write one that works", "ok let us run it with that", "please execute the rides per day", "yes, run it in May", "no, explain it", "go back to the second one",
	"go back", "return to the third one", "postal code of course", "any", "write a query on it without running", "写SQL，不要执行",
	"先修复，不要执行", "跑第二个", "回到最初的", "不用了", "为什么降这么多", "只看奥斯陆", "好的，写吧", "两个都要", "第二个的负责人是谁", "按小时", "那语句呢",
}

// TestTurnsOfATalk holds what each reply is taken for in each talk, in a line each: the
// kind, the plan, which calls it builds on, and the request as a whole. Run it with -update
// after a change that is meant, and read the difference.
func TestTurnsOfATalk(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	talks := talksThatWent()
	var b strings.Builder
	for _, talk := range slices.Sorted(maps.Keys(talks)) {
		fmt.Fprintf(&b, "== %s\n", talk)
		for _, reply := range repliesToAll {
			d, err := rules.Decide(t.Context(), decide.In{Question: reply, Language: lang.Detect(reply), History: talks[talk]})
			require.NoError(t, err)
			fmt.Fprintf(&b, "%s => %s\n", reply, inALine(d, reply))
		}
	}
	const path = "testdata/turns.txt"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	wanted, got := strings.Split(string(want), "\n== "), strings.Split(b.String(), "\n== ")
	require.Len(t, got, len(wanted))
	for i := range wanted {
		require.Equal(t, wanted[i], got[i])
	}
}

// inALine writes a decision without what is empty, is the reply as it is, or follows from
// the rest.
func inALine(d decide.Decision, reply string) string {
	short := map[string]string{
		tools.DataDiscovery: "D", tools.GenerateSQL: "G", tools.Execute: "E", tools.FixSQL: "F", tools.ExplainSQL: "X",
		tools.DatasuiteFAQ: "Q", tools.SearchLog: "L", tools.Reject: "R", tools.AskHuman: "H", tools.ExplainChange: "W",
	}
	plan := ""
	for _, tool := range d.Plan {
		plan += cmp.Or(short[tool], tool)
	}
	line := d.Kind + " " + cmp.Or(plan, "-") + " to " + cmp.Or(short[d.Goal], "-")
	if d.Say != "" {
		line += " say " + d.Say
	}
	for _, part := range []struct{ name, value string }{
		{"tables of", d.TablesCall}, {"SQL of", d.SQLCall}, {"SQL", d.SQL}, {"error", d.Error}, {"changes", d.ChangesCall}, {"follow-up", d.FollowUp},
		{"about", strings.Join(d.About, ", ")}, {"topic", d.Topic}, {"unchanged", d.Unchanged}, {"open", d.Open}, {"whole", d.Rewritten}, {"subject", d.Subject},
	} {
		if part.value != "" && part.value != reply && !(part.name == "subject" && d.Subject == d.Rewritten) {
			line += " | " + part.name + ": " + strings.ReplaceAll(part.value, "\n", "⏎")
		}
	}
	return line
}

// TestWhatEveryTurnHolds: whatever is said in whatever talk, a plan builds on what is
// there, what shall not run does not, a SQL that was sent is the one that is worked on, and
// what a refusal says ends the turn.
func TestWhatEveryTurnHolds(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	talks := talksThatWent()
	maps.Copy(talks, talksOf(t))
	notRun := []string{"fix it but don't run it", "Column 'x' cannot be resolved: fix it but don't run it", "don't run it", "先修复，不要执行", "write a query for late parcels, don't run it", "不要执行，只要SQL"}
	for talk, history := range talks {
		last := decide.Message{}
		if len(history) > 0 {
			last = history[len(history)-1]
		}
		for _, reply := range slices.Concat(repliesToAll, said, notRun) {
			what := fmt.Sprintf("%s > %s", talk, reply)
			d, err := rules.Decide(t.Context(), decide.In{Question: reply, Language: lang.Detect(reply), History: history})
			require.NoError(t, err, what)
			if slices.Contains(notRun, reply) {
				require.NotContains(t, d.Plan, tools.Execute, what)
				require.NotEqual(t, tools.Execute, d.Tool, what)
			}
			if sent := decide.Split(reply).SQL; sent != "" && d.Tool != tools.Reject && d.Tool != "" {
				require.Equal(t, sent, d.SQL, what)
				require.Empty(t, d.SQLCall, what)
			}
			if d.Say != "" {
				require.Empty(t, d.Tool, what)
				require.Empty(t, d.Plan, what)
			}
			if d.Plan != nil {
				require.Equal(t, d.Plan[0], d.Tool, what)
			}
			switch d.Tool {
			case tools.GenerateSQL:
				require.True(t, d.TablesCall != "" || len(d.About) > 0 || d.ChangesCall != "" || last.Asked == decide.AskedChoice && last.Tool == tools.GenerateSQL, "%s: nothing to write on: %+v", what, d)
			case tools.Execute, tools.FixSQL, tools.ExplainSQL:
				require.True(t, d.SQL != "" || d.SQLCall != "", "%s: no SQL: %+v", what, d)
			}
			if d.ChangesCall != "" {
				require.True(t, d.FollowUp != "" && strings.HasSuffix(reply, d.FollowUp), "%s: %s", what, d.FollowUp) // without a thanks before it
			} else {
				require.Empty(t, d.FollowUp, what)
			}
			if d.Tool != "" {
				require.NotEmpty(t, d.Rewritten, what)
				require.True(t, json.Valid(d.Arguments), what)
			}
		}
	}
}
