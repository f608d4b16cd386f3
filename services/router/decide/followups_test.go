package decide_test

import (
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
