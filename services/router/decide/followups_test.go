package decide_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// TestAChangeGoesAsFarAsTheLastStep: a change of the request is answered by what the person
// had last, a query or what it gave, whatever the request had asked for.
func TestAChangeGoesAsFarAsTheLastStep(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	user := func(said string) decide.Message { return decide.Message{Role: "user", Content: said} }
	step := func(tool, sql, asked string) decide.Message {
		return decide.Message{Role: "assistant", Tool: tool, CallID: "call_" + tool, SQL: sql, Tables: []string{"sg.shop.orders"}, Content: "Here it is.", Asked: asked}
	}
	query, figure := user("write a query for the orders per day"), user("How many orders were there per day?")
	const sql = "SELECT day, count(*) FROM shop.orders GROUP BY day"
	for name, c := range map[string]struct {
		history []decide.Message
		reply   string
		want    string
	}{
		"a query that was written":         {[]decide.Message{query, step(tools.GenerateSQL, sql, decide.OfferExecute)}, "only for Brazil", tools.GenerateSQL},
		"a query that was run after all":   {[]decide.Message{query, step(tools.GenerateSQL, sql, decide.OfferExecute), user("yes"), step(tools.Execute, sql, "")}, "only for Brazil", tools.Execute},
		"a figure":                         {[]decide.Message{figure, step(tools.Execute, sql, "")}, "only for Brazil", tools.Execute},
		"a figure, now the query":          {[]decide.Message{figure, step(tools.Execute, sql, "")}, "and the query for Brazil", tools.GenerateSQL},
		"a query, now the figures":         {[]decide.Message{query, step(tools.GenerateSQL, sql, decide.OfferExecute)}, "only for Brazil, and run it", tools.Execute},
		"tables":                           {[]decide.Message{user("which tables have orders?"), step(tools.DataDiscovery, "", "")}, "and for refunds?", tools.DataDiscovery},
		"logs":                             {[]decide.Message{user("errors in the gateway logs since noon"), step(tools.SearchLog, "", "")}, "and since yesterday?", tools.SearchLog},
		"a repair is a query":              {[]decide.Message{user("fix: SELECT a FORM shop.orders"), step(tools.FixSQL, sql, "")}, "only for Brazil", tools.GenerateSQL},
		"a figure that could not be given": {[]decide.Message{figure, {Role: "assistant", Tool: tools.GenerateSQL, CallID: "call_g", Content: "No table has it."}}, "only for Brazil", tools.Execute},
		"a change of it could not be":      {[]decide.Message{figure, step(tools.Execute, sql, ""), figure, {Role: "assistant", Tool: tools.GenerateSQL, CallID: "call_g", Content: "No table has it."}}, "only for Brazil", tools.Execute},
		"a query that could not be":        {[]decide.Message{query, {Role: "assistant", Tool: tools.GenerateSQL, CallID: "call_g", Content: "No table has it."}}, "only for Brazil", tools.GenerateSQL},
	} {
		d, err := rules.Decide(t.Context(), decide.In{Question: c.reply, Language: lang.English, History: c.history})
		require.NoError(t, err)
		require.Equal(t, "follow_up", d.Kind, name)
		require.Equal(t, c.want, d.Goal, name)
		require.Equal(t, c.want, d.Plan[len(d.Plan)-1], name)
	}
}

// TestKnownTablesShortenOnlyWhatWouldLookForThem: where the talk has shown the tables, the
// look for them is left out of a plan that goes on after it, and nothing else is.
func TestKnownTablesShortenOnlyWhatWouldLookForThem(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	history := []decide.Message{
		{Role: "user", Content: "which tables are there on orders?"},
		{Role: "assistant", Tool: tools.DataDiscovery, CallID: "call_1", Tables: []string{"sg.shop.orders"}, Content: "One table fits."},
	}
	for question, want := range map[string][]string{
		"new topic: how many orders were there in May?":        {tools.GenerateSQL, tools.Execute},
		"new topic: write a query for the orders of May":       {tools.GenerateSQL},
		"new topic: who maintains these tables?":               {tools.DataDiscovery},
		"fix and run: SELECT a FORM shop.orders, shop.lines":   {tools.FixSQL, tools.Execute},
		"new topic: why did the number of orders fall in May?": {tools.ExplainChange},
		"run SELECT count(*) FROM shop.orders":                 {tools.Execute},
	} {
		d, err := rules.Decide(t.Context(), decide.In{Question: question, Language: lang.English, History: history, SelectedTables: []string{"sg.shop.orders"}})
		require.NoError(t, err)
		require.Equal(t, want, d.Plan, question)
		require.Equal(t, want[0] == tools.GenerateSQL, d.TablesCall == "call_1", "%s: %q", question, d.TablesCall)
	}
}

// TestArgumentsThatAToolDoesNotAcceptEndTheTurn: the rules would give the same again.
func TestArgumentsThatAToolDoesNotAcceptEndTheTurn(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	in := decide.In{Question: "how many flights were late?", Language: lang.English}
	first, err := rules.Decide(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, tools.DataDiscovery, first.Tool)
	done := []decide.Call{{ID: "call_1", Tool: tools.DataDiscovery, Outcome: decide.Done}}
	for name, c := range map[string]struct {
		calls   []decide.Call
		refused string
		says    string
	}{
		"the first":             {nil, "user_question is too long", words.ArgumentsRefused},
		"the first, not said":   {nil, "", words.ArgumentsRefused},
		"a later one":           {done, "user_question is too long", words.ArgumentsRefused},
		"accepted, it goes on":  {done, "", ""},
		"a tool of another way": {[]decide.Call{{ID: "call_1", Tool: tools.SearchLog, Outcome: decide.Done}}, "", words.Done},
	} {
		next := in
		next.Turn, next.Calls, next.Refused = &first, c.calls, c.refused
		d, err := rules.Decide(t.Context(), next)
		require.NoError(t, err)
		require.Equal(t, c.says, d.Say, name)
		require.Equal(t, first.Goal, d.Goal, name)
		if c.says != "" {
			require.Empty(t, d.Tool, name)
			require.Nil(t, d.Arguments, name)
		} else {
			require.Equal(t, tools.GenerateSQL, d.Tool, name)
		}
	}
}

// TestARepairedStatementIsRunAgain: where rows are wanted, a statement that was repaired is
// run; where the statement was, the turn ends with it.
func TestARepairedStatementIsRunAgain(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	calls := []decide.Call{
		{ID: "call_1", Tool: tools.DataDiscovery, Outcome: decide.Done}, {ID: "call_2", Tool: tools.GenerateSQL, Outcome: decide.Done},
		{ID: "call_3", Tool: tools.Execute, Outcome: decide.Done}, {ID: "call_4", Tool: tools.FixSQL, Outcome: decide.Done},
	}
	for goal, want := range map[string]string{tools.Execute: tools.Execute, tools.FixSQL: ""} {
		turn := decide.Decision{Goal: goal, Plan: []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}}
		d, err := rules.Decide(t.Context(), decide.In{Question: "how many flights were late?", Language: lang.English, Turn: &turn, Calls: calls})
		require.NoError(t, err)
		require.Equal(t, want, d.Tool, goal)
	}
}

// TestAWishThatBeginsLikeAClauseIsAWish: a word behind a statement may be read as its alias,
// and the next as a clause that is then not complete; the line before is where it ends.
func TestAWishThatBeginsLikeAClauseIsAWish(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]decide.Pasted{
		"SELECT a FROM t\nkindly group\nit by week":           {SQL: "SELECT a FROM t", Words: "kindly group\nit by week"},
		"SELECT a FROM t\nkindly limit\nit to\nall of Brazil": {SQL: "SELECT a FROM t", Words: "kindly limit\nit to\nall of Brazil"},
		"SELECT a\nFROM t\nkindly order\nit anew":             {SQL: "SELECT a\nFROM t", Words: "kindly order\nit anew"},
	} {
		require.Equal(t, want, decide.Split(text), text)
	}
}

// TestArgumentsCarryWhatCameWithTheMessage: the statement, its dialect, the error and what
// was chosen reach the tool that works on them.
func TestArgumentsCarryWhatCameWithTheMessage(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	require.Equal(t, "rules", rules.Name())
	for name, c := range map[string]struct {
		in   decide.In
		tool string
		want string
	}{
		"to be explained": {
			decide.In{Question: "explain it", OriginalSQL: "SELECT a FROM b", SQLDialect: "hive"}, tools.ExplainSQL,
			`{"sql": "SELECT a FROM b", "sql_dialect": "hive"}`,
		},
		"to be repaired": {
			decide.In{Question: "fix it", OriginalSQL: "SELECT a FORM b", SQLDialect: "hive", ErrorMessage: "line 1:10: mismatched input"}, tools.FixSQL,
			`{"sql": "SELECT a FORM b", "sql_dialect": "hive", "error_info": "line 1:10: mismatched input", "final_intent": "fix_sql"}`,
		},
		"to be run": {
			decide.In{Question: "run it", OriginalSQL: "SELECT a FROM b"}, tools.Execute,
			`{"sql": "SELECT a FROM b", "user_question": "run it", "final_intent": "execute_sql_and_analyze_result"}`,
		},
		"the statement of the form, not that of the words": {
			decide.In{Question: "run SELECT c FROM d", OriginalSQL: "SELECT a FROM b"}, tools.Execute,
			`{"sql": "SELECT a FROM b", "user_question": "run SELECT c FROM d", "final_intent": "execute_sql_and_analyze_result"}`,
		},
		"the error of the form, not that of the words": {
			decide.In{Question: "SELECT a FROM b\nline 1:10: mismatched input", ErrorMessage: "it is away"}, tools.FixSQL,
			`{"sql": "SELECT a FROM b", "error_info": "it is away", "final_intent": "fix_sql"}`,
		},
		"tables and groups": {
			decide.In{Question: "How many rows came per day?", SelectedTables: []string{"sg.a.b"}, SelectedGroups: []string{"mart"}}, tools.DataDiscovery,
			`{"user_question": "How many rows came per day?", "final_intent": "execute_sql_and_analyze_result", "selected_tables": ["sg.a.b"], "selected_table_groups": ["mart"]}`,
		},
		"what is unsafe":       {decide.In{Question: "delete all orders from the table"}, tools.Reject, `{"reason": "unsafe"}`},
		"what is out of scope": {decide.In{Question: "write me a poem about rain"}, tools.Reject, `{"reason": "out_of_scope"}`},
		"another team's tool":  {decide.In{Question: "the weather of Oslo", Outside: []decide.Outside{decide.NewOutside("sea", []string{"waves"}, "text"), decide.NewOutside("sky", []string{"weather"}, "asked")}}, "sky", `{"asked": "the weather of Oslo"}`},
	} {
		c.in.Language = lang.English
		d, err := rules.Decide(t.Context(), c.in)
		require.NoError(t, err, name)
		require.Equal(t, c.tool, d.Tool, name)
		require.JSONEq(t, c.want, string(d.Arguments), name)
	}
}

// TestTheDataAreAskedForTheSubject: what the documents do not know is put to the data
// without the wish around it, as it is where the data are asked at first.
func TestTheDataAreAskedForTheSubject(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	for question, subject := range map[string]string{
		"hello, how long does a job take?": "how long does a job take",
		"how long does a job take?":        "how long does a job take?",
	} {
		in := decide.In{Question: question, Language: lang.English, Source: true}
		first, err := rules.Decide(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, tools.DatasuiteFAQ, first.Tool, question)
		in.Turn, in.Calls = &first, []decide.Call{{ID: "call_1", Tool: tools.DatasuiteFAQ, Outcome: decide.Nothing}}
		d, err := rules.Decide(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, tools.DataDiscovery, d.Tool)
		require.Equal(t, subject, d.Subject)
		require.Equal(t, question, d.Rewritten)
	}
}

// TestAnOfferToWriteIsTakenUpWithoutARun: who is asked whether a query shall be written and
// says to write it and not to run it has said yes.
func TestAnOfferToWriteIsTakenUpWithoutARun(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	for _, asked := range []string{decide.OfferGenerate, decide.OfferContinue, decide.OfferExecute, decide.AskedCost} {
		step := decide.Message{Role: "assistant", Tool: tools.DataDiscovery, CallID: "call_1", Tables: []string{"sg.shop.orders"}, Content: "One table fits.", Asked: asked}
		offers := asked == decide.OfferGenerate || asked == decide.OfferContinue
		if !offers {
			step.Tool, step.SQL = tools.GenerateSQL, "SELECT count(*) FROM shop.orders"
		}
		history := []decide.Message{{Role: "user", Content: "How many orders were there per day?"}, step}
		for _, reply := range []string{"write the SQL, don't run it", "写SQL，不要执行", "不要执行，只要SQL"} {
			d, err := rules.Decide(t.Context(), decide.In{Question: reply, Language: lang.Detect(reply), History: history})
			require.NoError(t, err)
			if offers {
				require.Equal(t, []string{tools.GenerateSQL}, d.Plan, "%s: %s", asked, reply)
				require.Equal(t, "call_1", d.TablesCall)
			} else {
				require.Equal(t, words.Declined, d.Say, "%s: %s", asked, reply)
			}
		}
		d, err := rules.Decide(t.Context(), decide.In{Question: "don't run it", Language: lang.English, History: history})
		require.NoError(t, err)
		require.Equal(t, words.Declined, d.Say, "%s: it is a no, whatever was asked", asked)
	}
}

// TestTheTopicOfATalk: what a talk is about after each message of a person: the request as
// it stands, and as what it was asked.
func TestTheTopicOfATalk(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	user := func(said string) decide.Message { return decide.Message{Role: "user", Content: said} }
	ran := decide.Message{Role: "assistant", Tool: tools.Execute, CallID: "call_1", SQL: "SELECT 1", Content: "42"}
	asks := decide.Message{Role: "assistant", Tool: tools.GenerateSQL, CallID: "call_2", Content: "What is an area? 1) city 2) postal code", Asked: decide.AskedChoice}
	wrote := decide.Message{Role: "assistant", Tool: tools.GenerateSQL, CallID: "call_3", SQL: "SELECT 2"}
	refused := decide.Message{Role: "assistant", Tool: tools.GenerateSQL, CallID: "call_4", Content: "I cannot write a SQL for this."}
	const rides, query = "How many rides were there per area?", "write a query for the rides per area"
	const weather = "Which movies should I watch this weekend?"
	for name, c := range map[string]struct {
		history  []decide.Message
		topic    string
		is       string
		answered bool
		aside    string
	}{
		"a request":                         {[]decide.Message{user(rides)}, rides, "result", false, ""},
		"an answered one":                   {[]decide.Message{user(rides), ran}, rides, "result", true, ""},
		"a thanks changes nothing":          {[]decide.Message{user(rides), ran, user("thanks a lot")}, rides, "result", true, ""},
		"nor does a yes":                    {[]decide.Message{user(rides), ran, user("yes")}, rides, "result", true, ""},
		"nor does why":                      {[]decide.Message{user(rides), ran, user("why did it fall?")}, rides, "result", true, ""},
		"a change":                          {[]decide.Message{user(rides), ran, user("only Oslo")}, "How many rides were there per area, only Oslo", "result", false, ""},
		"the request again, with a change":  {[]decide.Message{user(query), ran, user(query + " and hour, and how many per month")}, query + " and hour, and how many per month", "sql", false, ""},
		"the request again, as a query":     {[]decide.Message{user(rides), ran, user("How many rides were there per area, write the query, don't run it")}, "How many rides were there per area, write the query, don't run it", "result", false, ""},
		"the request again, as it was":      {[]decide.Message{user(rides), ran, user(rides)}, rides, "result", true, ""},
		"an option":                         {[]decide.Message{user(rides), asks, user("the second one")}, rides + ": postal code", "result", false, ""},
		"an option, answered, then changed": {[]decide.Message{user(rides), asks, user("2"), ran, user("only Oslo")}, rides + ": postal code, only Oslo", "result", false, ""},
		"an aside":                          {[]decide.Message{user(rides), ran, user("how do I raise my quota?")}, rides, "result", true, "how do I raise my quota?"},
		"another request ends an aside":     {[]decide.Message{user("how do I raise my quota?"), user(rides)}, rides, "result", false, ""},
		"another request":                   {[]decide.Message{user(rides), ran, user(query)}, query, "sql", false, ""},
		"what SQL was written for, whatever its words look like":  {[]decide.Message{user(weather), wrote}, weather, "result", true, ""},
		"so too what text to SQL asks back about":                 {[]decide.Message{user(weather), asks}, weather, "result", false, ""},
		"what it could not write after another topic is one, too": {[]decide.Message{user(rides), ran, user(weather), refused}, weather, "result", false, ""},
		"words of that kind are an aside where no SQL was wanted": {[]decide.Message{user(rides), ran, user(weather), {Role: "assistant", Tool: tools.Reject, Content: "no"}}, rides, "result", true, weather},
	} {
		s := rules.Summarize(nil, c.history)
		require.Equal(t, c.topic, s.Topic, name)
		require.Equal(t, c.is, s.TopicIs, name)
		require.Equal(t, c.answered, s.Answered, name)
		require.Equal(t, c.aside, s.Aside, name)
		require.Equal(t, c.aside != "", s.AsideIs != "", name)
		var last decide.Message
		for _, m := range c.history {
			if m.Role == ran.Role {
				last = m
			}
		}
		require.Equal(t, last, s.Last, "%s: the newest step, whatever was said since", name)
	}
}

// TestAPlanWithAToolThatIsGoneIsAnError, such as one of a turn that began under another
// configuration.
func TestAPlanWithAToolThatIsGoneIsAnError(t *testing.T) {
	t.Parallel()
	turn := &decide.Decision{Kind: "result", Plan: []string{tools.DataDiscovery, "gone"}, Rewritten: "rides"}
	_, err := newRules(t).Decide(t.Context(), decide.In{Turn: turn, Calls: []decide.Call{{ID: "call_1", Tool: tools.DataDiscovery, Outcome: decide.Done}}})
	require.ErrorContains(t, err, `"gone"`)
}

// TestWhatOnlyRepeatsIsAYes: words of action beside words of the request run what was
// written for it; a message that goes on for long is read as a request, whatever its words.
func TestWhatOnlyRepeatsIsAYes(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	history := talksThatWent()["wrote"]
	for reply, want := range map[string]bool{
		"run the rides per day":                      true,
		"yes, the rides per day":                     true,
		"run " + strings.Repeat("rides per day ", 4): true,
		"run " + strings.Repeat("rides per day ", 6): false,
		"run the drivers per day":                    false,
		"yes, the rides per week":                    false,
		"don't run the rides per day":                false,
		"the rides per day":                          false,
		"explain the rides per day and run it":       false,
	} {
		d, err := rules.Decide(t.Context(), decide.In{Question: reply, Language: lang.English, History: history})
		require.NoError(t, err)
		require.Equal(t, want, d.Kind == "run_sql", "%s: %s", reply, d.Kind)
		require.Equal(t, want, d.SQLCall == "call_4" && d.Tool == tools.Execute, reply)
	}
}

// TestANameBelongsToTheClauseBeforeIt: behind a word that a name has to follow, what is
// written in Chinese is that name and no wish.
func TestANameBelongsToTheClauseBeforeIt(t *testing.T) {
	t.Parallel()
	for _, clause := range []string{
		"SELECT a FROM", "SELECT a FROM t JOIN", "SELECT a FROM t JOIN u ON", "SELECT a FROM t WHERE", "SELECT a FROM t GROUP BY", "SELECT a FROM t WHERE b AND", "SELECT a FROM t WHERE b OR",
		"SELECT a FROM t GROUP BY a HAVING", "SELECT a FROM t where",
	} {
		text := clause + "\n订单"
		require.Equal(t, decide.Pasted{SQL: text}, decide.Split(text))
	}
	require.Equal(t, decide.Pasted{SQL: "SELECT a FROM t", Words: "为什么"}, decide.Split("SELECT a FROM t\n为什么"))
}

// TestWordsOfAnAgentThatSayNothing are none: it is never taken by them.
func TestWordsOfAnAgentThatSayNothing(t *testing.T) {
	t.Parallel()
	outside := []decide.Outside{decide.NewOutside("sky", []string{"", "!", " - "}, "text"), decide.NewOutside("sea", nil, "text")}
	for _, question := range []string{"hello!", "-", "How many rides were there?"} {
		d, err := newRules(t).Decide(t.Context(), decide.In{Question: question, Language: lang.English, Outside: outside})
		require.NoError(t, err)
		require.NotContains(t, []string{"sky", "sea"}, d.Tool, question)
	}
}

// TestAfterAnExplanationThereIsNothingToChange: what follows is judged by itself.
func TestAfterAnExplanationThereIsNothingToChange(t *testing.T) {
	t.Parallel()
	history := []decide.Message{
		{Role: "user", Content: "explain SELECT count(*) FROM shop.orders"},
		{Role: "assistant", Tool: tools.ExplainSQL, CallID: "call_1", SQL: "SELECT count(*) FROM shop.orders", Content: "It counts the rows."},
	}
	for _, reply := range []string{"only for Brazil", "and by month"} {
		d, err := newRules(t).Decide(t.Context(), decide.In{Question: reply, Language: lang.English, History: history})
		require.NoError(t, err)
		require.NotEqual(t, "follow_up", d.Kind)
		require.Empty(t, d.ChangesCall)
	}
}

// TestWhatHasNoTablesOfItsOwnMayBeAChange: where nothing is found for a short request after an
// answer, text to SQL still reads it as a change of that answer, over its tables.
func TestWhatHasNoTablesOfItsOwnMayBeAChange(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	shown := []decide.Message{
		{Role: "user", Content: "How many rides were there in May?"},
		{Role: "assistant", Tool: tools.DataDiscovery, CallID: "call_1", Tables: []string{"fleet.ride"}},
		{Role: "assistant", Tool: tools.Execute, CallID: "call_2", SQL: "SELECT 1", Content: "42"},
	}
	for name, c := range map[string]struct {
		history []decide.Message
		goesOn  bool
	}{"after an answer": {shown, true}, "at the beginning": {nil, false}} {
		in := decide.In{Question: "average tip per driver", Language: lang.English, History: c.history}
		first, err := rules.Decide(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, tools.DataDiscovery, first.Tool, name)
		in.Turn, in.Calls = &first, []decide.Call{{ID: "call_3", Tool: tools.DataDiscovery, Outcome: decide.Nothing}}
		next, err := rules.Decide(t.Context(), in)
		require.NoError(t, err)
		if !c.goesOn {
			require.Equal(t, words.Done, next.Say, name)
			continue
		}
		require.Equal(t, tools.GenerateSQL, next.Tool, name)
		require.Contains(t, string(next.Arguments), `"call_1"`, "over the tables of the answer before")
		require.Contains(t, string(next.Arguments), `"call_2"`, "as a change of it")
	}
}

// TestAComparisonIsAChange: it says with what, and not of what.
func TestAComparisonIsAChange(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	history := []decide.Message{
		{Role: "user", Content: "How many rides were there in May?"},
		{Role: "assistant", Tool: tools.DataDiscovery, CallID: "call_1", Tables: []string{"fleet.ride"}},
		{Role: "assistant", Tool: tools.Execute, CallID: "call_2", SQL: "SELECT 1", Content: "42"},
	}
	for _, said := range []string{"compared with the previous period", "compare with April", "compared to last year"} {
		d, err := rules.Decide(t.Context(), decide.In{Question: said, Language: lang.English, History: history})
		require.NoError(t, err)
		require.Equal(t, tools.GenerateSQL, d.Tool, said)
		require.Equal(t, "call_2", d.ChangesCall, said)
	}
}
