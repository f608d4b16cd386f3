package decide_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

// builtOn are the arguments that say which call a step builds on.
type builtOn struct {
	SQL      string `json:"sql"`
	Call     string `json:"tool_call_id"`
	Tables   string `json:"related_table_source_tool_call_id"`
	Previous string `json:"previous_tool_call_id"`
	Question string `json:"user_question"`
	Goal     string `json:"final_intent"`
}

// TestStepsBuildOnTheNewestCall: in whatever talk a message stands, each step of its
// turn builds on the newest call of the turn that holds what it needs, else on the call of
// the talk that the decision names; calls that came to nothing hold nothing. What comes by
// a call is not told twice.
func TestStepsBuildOnTheNewestCall(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	steps := map[string]int{}
	for talk, history := range talksOf(t) {
		for _, message := range said {
			in := decide.In{Question: message, Language: lang.Detect(message), History: history}
			d, err := rules.Decide(t.Context(), in)
			require.NoError(t, err)
			first := d
			in.Turn = &first
			held := map[string]string{} // tool -> newest call of the turn that ended well
			for n := 0; d.Tool != "" && n < 5; n++ {
				what := fmt.Sprintf("%s > %s, step %d: %s %s", talk, message, n, d.Tool, d.Arguments)
				var args builtOn
				require.NoError(t, json.Unmarshal(d.Arguments, &args), what)
				require.Equal(t, first.Goal, d.Goal, what)
				steps[d.Tool]++
				switch d.Tool {
				case tools.GenerateSQL:
					require.Equal(t, newestOf(held, first.TablesCall, tools.DataDiscovery), args.Tables, what)
					require.Equal(t, first.ChangesCall, args.Previous, what)
					require.Equal(t, first.Subject, args.Question, what)
					require.Equal(t, first.Goal, args.Goal, what)
				case tools.Execute:
					want := newestOf(held, first.SQLCall, tools.FixSQL, tools.GenerateSQL)
					require.Equal(t, want, args.Call, what)
					if want != "" {
						require.Empty(t, args.SQL, "%s: the call holds it", what)
					} else {
						require.Equal(t, first.SQL, args.SQL, what)
					}
					require.Equal(t, first.Rewritten, args.Question, what)
				case tools.FixSQL, tools.ExplainSQL:
					require.Equal(t, []string{first.SQLCall, first.SQL}, []string{args.Call, args.SQL}, what)
				case tools.DataDiscovery:
					require.Equal(t, first.Subject, args.Question, what)
				}
				if d.Tool == tools.AskHuman || d.Tool == tools.Reject {
					break
				}
				// One that failed stands between, whose id is nobody's to build on.
				id := fmt.Sprint("call_turn_", n)
				in.Calls = append(in.Calls, decide.Call{ID: id + "_failed", Tool: tools.GenerateSQL, Outcome: decide.Nothing}, decide.Call{ID: id, Tool: d.Tool, Outcome: decide.Done})
				held[d.Tool] = id
				d, err = rules.Decide(t.Context(), in)
				require.NoError(t, err)
			}
		}
	}
	for _, tool := range []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute, tools.FixSQL, tools.ExplainSQL} {
		require.Greater(t, steps[tool], 20, tool)
	}
}

// newestOf is the newest call of the turn of one of the tools: their ids rise.
func newestOf(held map[string]string, otherwise string, of ...string) string {
	var ids []string
	for _, tool := range of {
		if held[tool] != "" {
			ids = append(ids, held[tool])
		}
	}
	if len(ids) == 0 {
		return otherwise
	}
	return slices.Max(ids)
}

// TestAChangeIsOfWhatWasAnswered: a follow-up changes the SQL of the request that it is
// about. One to a request for which no SQL was written is read as a whole, and not as a
// change of an older one's.
func TestAChangeIsOfWhatWasAnswered(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	user := func(said string) decide.Message { return decide.Message{Role: "user", Content: said} }
	wrote := func(id, sql string) decide.Message {
		return decide.Message{Role: "assistant", Tool: tools.GenerateSQL, CallID: id, SQL: sql, Content: "Here is the SQL."}
	}
	ran := func(id, sql string) decide.Message {
		return decide.Message{Role: "assistant", Tool: tools.Execute, CallID: id, SQL: sql, Content: "There were 42."}
	}
	nothing := decide.Message{Role: "assistant", Tool: tools.GenerateSQL, CallID: "call_none", Content: "No table has it."}
	for name, c := range map[string]struct {
		history []decide.Message
		changes string
	}{
		"of what ran":               {[]decide.Message{user("How many orders were there yesterday?"), wrote("call_1", "SELECT 1"), ran("call_2", "SELECT 1")}, "call_2"},
		"of the newer":              {[]decide.Message{user("How many orders were there yesterday?"), ran("call_1", "SELECT 1"), user("How many refunds were paid last month?"), ran("call_2", "SELECT 2")}, "call_2"},
		"of none, after an answer":  {[]decide.Message{user("How many orders were there yesterday?"), ran("call_1", "SELECT 1"), user("How many refunds were paid last month?"), nothing}, ""},
		"of none, at the beginning": {[]decide.Message{user("How many refunds were paid last month?"), nothing}, ""},
	} {
		for _, reply := range []string{"and only for Brazil?", "what about last week?"} {
			d, err := rules.Decide(t.Context(), decide.In{Question: reply, Language: lang.English, History: c.history})
			require.NoError(t, err)
			require.Equal(t, "follow_up", d.Kind, "%s: %s", name, reply)
			require.Equal(t, c.changes, d.ChangesCall, "%s: %s", name, reply)
			require.Equal(t, c.changes != "", d.FollowUp != "", "%s: %s", name, reply)
			require.Contains(t, d.Rewritten, reply)
		}
	}
}

// TestKnownTablesAreThoseOfTheNewestLook: tables whose columns the talk has shown are not
// looked for again, and of several looks that showed them the newest counts.
func TestKnownTablesAreThoseOfTheNewestLook(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	look := func(id string, tables ...string) decide.Message {
		return decide.Message{Role: "assistant", Tool: tools.DataDiscovery, CallID: id, Tables: tables, Content: "These tables fit."}
	}
	history := []decide.Message{
		{Role: "user", Content: "which tables are there on orders?"}, look("call_1", "sg.shop.orders", "sg.shop.lines"),
		{Role: "user", Content: "which tables are there on refunds?"}, look("call_2", "sg.shop.refunds", "sg.shop.orders"),
		{Role: "user", Content: "which tables are there on staff?"}, look("call_3", "sg.hr.staff"),
	}
	for _, c := range []struct {
		selected []string
		want     string
	}{
		{[]string{"sg.shop.orders"}, "call_2"}, {[]string{"SG.Shop.ORDERS"}, "call_2"}, {[]string{"sg.shop.lines"}, "call_1"}, {[]string{"sg.shop.orders", "sg.shop.lines"}, "call_1"},
		{[]string{"sg.shop.refunds"}, "call_2"}, {[]string{"sg.hr.staff"}, "call_3"}, {[]string{"sg.hr.staff", "sg.shop.orders"}, ""}, {[]string{"sg.shop.payments"}, ""},
	} {
		d, err := rules.Decide(t.Context(), decide.In{Question: "How many rows were added in each month of 2024?", Language: lang.English, History: history, SelectedTables: c.selected})
		require.NoError(t, err)
		if c.want == "" {
			require.Equal(t, tools.DataDiscovery, d.Tool, "%s: they are not all known", c.selected)
			continue
		}
		require.Equal(t, tools.GenerateSQL, d.Tool, c.selected)
		require.Equal(t, c.want, d.TablesCall, c.selected)
	}
}

// TestWhatIsLeftOfAWishIsASubject: the wish for a SQL is cut off where something is left
// that a query can be about.
func TestWhatIsLeftOfAWishIsASubject(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	for question, want := range map[string]string{
		"write a query for late trains": "late trains", "write a query for cars": "cars", "write a query for it": "write a query for it", "write a query for x": "write a query for x",
		"write a SQL query": "write a SQL query", "give me the SQL for all of it": "all of it", "trains per day, do not run it": "trains per day", "trains per day, then run it": "trains per day", "trains per day. Don't execute anything": "trains per day", "每天航班数，不要执行": "每天航班数", "每天航班数，然后执行": "每天航班数", "每天航班数 without running": "每天航班数", "每天航班数不要执行的SQL": "每天航班数", "please write a query for gmv per day": "gmv per day",
	} {
		d, err := rules.Decide(t.Context(), decide.In{Question: question, Language: lang.English})
		require.NoError(t, err)
		if d.Tool == tools.DataDiscovery || d.Tool == tools.GenerateSQL {
			require.Equal(t, want, d.Subject, question)
		} else {
			require.NotContains(t, []string{"x", "it", ""}, d.Subject, question)
		}
	}
}
