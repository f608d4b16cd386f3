package router

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// candidate is a table as find data shows it.
func candidate(name string, locked bool) *findatav1.TableCandidate {
	return &findatav1.TableCandidate{Locked: locked, Table: &commonv1.TableDetail{Ref: &commonv1.TableRef{Table: name}, Description: "about " + name}}
}

// made is a call of a turn with what came of it.
func made(id, tool string, output proto.Message) *call {
	c := &call{output: output}
	c.ID, c.ToolName, c.Arguments = id, tool, []byte(`{}`)
	return c
}

// TestWhatAModelIsToldOfACall: what came of it, in a few lines: no table that the asker
// may not read, no more tables than are named, and of a failure its own words.
func TestWhatAModelIsToldOfACall(t *testing.T) {
	t.Parallel()
	many := &findatav1.DiscoverResult{RelatedTables: []*findatav1.TableCandidate{candidate("payroll", true)}}
	lines := []string{"tables found:"}
	for i := range maxTablesNamed + 3 {
		name := fmt.Sprint("t", i)
		many.RelatedTables = append(many.RelatedTables, candidate(name, false))
		if i < maxTablesNamed {
			lines = append(lines, name+": about "+name)
		}
	}
	refused := &call{err: errors.New("refused")}
	refused.Error = "no such table"
	for _, c := range []struct {
		call *call
		want string
	}{
		{made("a", tools.DataDiscovery, many), strings.Join(lines, "\n")},
		{made("a", tools.DataDiscovery, &findatav1.DiscoverResult{Answer: "Ask the data office.", RelatedTables: many.GetRelatedTables()[:1]}), "no table was found. Ask the data office."},
		{made("a", tools.GenerateSQL, &text2sqlv1.GenerateResult{Candidates: []*commonv1.SqlStatement{{Sql: "SELECT 1"}, {Sql: "SELECT 2"}}}), "SQL written:\nSELECT 1"},
		{made("a", tools.GenerateSQL, &text2sqlv1.GenerateResult{AbstainedReason: "two readings"}), "no SQL was written: two readings"},
		{made("a", tools.FixSQL, &fixsqlv1.FixSQLResponse{Fixed: &commonv1.SqlStatement{Sql: "SELECT 3"}}), "SQL after the repair:\nSELECT 3"},
		{made("a", tools.Execute, &chatbiv1.ExecuteResult{Error: &commonv1.SqlDiagnostic{Message: "too large"}, Answer: "x"}), "the run failed: too large"},
		{made("a", tools.Execute, &chatbiv1.ExecuteResult{Answer: "12 rows.", Page: &commonv1.ResultPage{Columns: []*commonv1.ResultColumn{{}, {}}}}), "the run gave 2 columns: 12 rows."},
		{made("a", tools.SearchLog, &logifyv1.GenerateLogQLResponse{Answer: "lines"}), ""},
		{refused, "no such table"},
	} {
		require.Equal(t, c.want, c.call.brief())
	}
}

// TestWhatLaterTurnsReadOfThisOne: each step with the tables and the SQL that stood when
// it was made, and none of a table that the asker may not read.
func TestWhatLaterTurnsReadOfThisOne(t *testing.T) {
	t.Parallel()
	found := &findatav1.DiscoverResult{RelatedTables: []*findatav1.TableCandidate{candidate("a", false), candidate("payroll", true), candidate("b", false)}}
	written := &text2sqlv1.GenerateResult{Candidates: []*commonv1.SqlStatement{{Sql: "SELECT 1", Tables: []*commonv1.TableName{{Name: "a"}}}}}
	repaired := &fixsqlv1.FixSQLResponse{Fixed: &commonv1.SqlStatement{Sql: "SELECT 2"}}
	ran := &chatbiv1.ExecuteResult{Certificate: &commonv1.Certificate{Tables: []*commonv1.TableFreshness{{Table: "c"}}}}
	dropped := made("4", tools.Execute, nil)
	first := &decide.Decision{Rewritten: "orders by day", Unchanged: "orders", FollowUp: "by day", SQL: "SELECT 0"}
	discover := step{Tool: tools.DataDiscovery, CallID: "1", Tables: []string{"a", "b"}}
	for _, c := range []struct {
		what string
		turn turn
		want messageDetail
	}{
		{"a whole chain", turn{first: first, asked: "execute?", calls: []*call{
			made("1", tools.DataDiscovery, found), made("2", tools.GenerateSQL, written), made("3", tools.FixSQL, repaired), dropped, made("5", tools.Execute, ran),
		}}, messageDetail{Rewritten: "orders by day", Asked: "execute?", Steps: []step{
			discover, {Tool: tools.GenerateSQL, CallID: "2", Tables: []string{"a"}, SQL: "SELECT 1"},
			{Tool: tools.FixSQL, CallID: "3", Tables: []string{"a"}, SQL: "SELECT 2"}, {Tool: tools.Execute, CallID: "5", Tables: []string{"c"}, SQL: "SELECT 2"},
		}}},
		{"a change that could not be made", turn{first: first, calls: []*call{made("1", tools.DataDiscovery, found), made("2", tools.GenerateSQL, &text2sqlv1.GenerateResult{})}},
			messageDetail{Rewritten: "orders", Open: "by day", Steps: []step{discover, {Tool: tools.GenerateSQL, CallID: "2", Tables: []string{"a", "b"}}}}},
		{"an earlier SQL run again", turn{first: first, calls: []*call{made("5", tools.Execute, &chatbiv1.ExecuteResult{})}},
			messageDetail{Rewritten: "orders", Open: "by day", Steps: []step{{Tool: tools.Execute, CallID: "5", SQL: "SELECT 0"}}}},
		{"a confirmation of an earlier request", turn{first: &decide.Decision{Rewritten: "run it", Topic: "orders by week"}}, messageDetail{Rewritten: "orders by week"}},
		{"a question of a tool", turn{first: first, asked: "execute?", pending: &pendingQuestion{}, calls: []*call{made("1", tools.DataDiscovery, found)}},
			messageDetail{Rewritten: "orders", Open: "by day", Steps: []step{discover}}},
		{"nothing decided", turn{request: &routerv1.Turn{Question: "orders?"}}, messageDetail{Rewritten: "orders?"}},
	} {
		require.Equal(t, c.want, (&Service{}).detail(&c.turn), c.what)
	}
}

// TestHowARunEnds: its status, by what ended it: what interrupted it comes before a
// failure, a failure before a question, and a question before the last call.
func TestHowARunEnds(t *testing.T) {
	t.Parallel()
	failedCall, good := made("1", tools.Execute, &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_FAILED}), made("1", tools.Execute, &chatbiv1.ExecuteResult{})
	refused := made("1", tools.Execute, &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED})
	broken := made("1", tools.Execute, nil)
	broken.err = errors.New("broken")
	asks, err := &commonv1.Question{}, errors.New("internal")
	for reason, want := range map[routerv1.InterruptionReason]run.Status{
		routerv1.InterruptionReason_INTERRUPTION_REASON_TIMEOUT:        run.StatusTimedOut,
		routerv1.InterruptionReason_INTERRUPTION_REASON_CANCELLED:      run.StatusCancelled,
		routerv1.InterruptionReason_INTERRUPTION_REASON_SERVER_STOPPED: run.StatusInterrupted,
	} {
		require.Equal(t, want, endStatus(&turn{interruption: reason, failure: err, question: asks, calls: []*call{broken}}))
	}
	for _, c := range []struct {
		turn turn
		want run.Status
	}{
		{turn{failure: err, question: asks}, run.StatusFailed},
		{turn{question: asks, calls: []*call{broken}}, run.StatusWaiting},
		{turn{calls: []*call{good, broken}}, run.StatusFailed},
		{turn{calls: []*call{good, failedCall}}, run.StatusFailed},
		{turn{calls: []*call{good, refused}}, run.StatusFailed},
		{turn{calls: []*call{failedCall, good}}, run.StatusSucceeded},
		{turn{interruption: routerv1.InterruptionReason_INTERRUPTION_REASON_TOOL_CALL_LIMIT, calls: []*call{good}}, run.StatusSucceeded},
		{turn{}, run.StatusSucceeded},
	} {
		require.Equal(t, c.want, endStatus(&c.turn), "%+v", c.turn)
	}
}

// TestStoredCallsAreReadNearestFirst: of a chain of calls, what is nearer to the one that
// is asked for is newer and wins, and each thing is taken from one call whole.
func TestStoredCallsAreReadNearestFirst(t *testing.T) {
	t.Parallel()
	generated := func(n string, verified bool) *text2sqlv1.GenerateResult {
		r := &text2sqlv1.GenerateResult{Metrics: []string{"m" + n}, Confidence: 0.5, Changes: []string{"changed " + n},
			Candidates: []*commonv1.SqlStatement{{Sql: "SELECT " + n, Reason: "verified " + n, Assumptions: []string{"assumed " + n}, Labels: []*commonv1.ColumnLabel{{Column: n}}}}}
		if verified {
			r.Verified = &text2sqlv1.Verified{}
		}
		return r
	}
	chain := []link{
		{output: &chatbiv1.ExecuteResult{Error: &commonv1.SqlDiagnostic{Code: "NEW", Message: "new"}}},
		{output: &chatbiv1.ExecuteResult{Error: &commonv1.SqlDiagnostic{Code: "OLD", Message: "old"}}},
		{output: &text2sqlv1.GenerateResult{}}, // without a SQL it says nothing
		{output: generated("2", true)}, {output: generated("1", false)},
		{output: &findatav1.DiscoverResult{RelatedTables: []*findatav1.TableCandidate{candidate("payroll", true), candidate("new", false)}, GlossaryTerms: []*commonv1.GlossaryTerm{{Term: "new"}}, Rules: []*commonv1.BusinessRule{{Id: "new"}}}},
		{output: &findatav1.DiscoverResult{RelatedTables: []*findatav1.TableCandidate{candidate("old", false)}, GlossaryTerms: []*commonv1.GlossaryTerm{{Term: "old"}}}},
	}
	var k known
	for _, l := range chain {
		k.take(l)
	}
	require.Equal(t, "NEW: new", k.failure)
	require.Equal(t, []string{"m2"}, k.metrics)
	require.Equal(t, []string{"verified 2", "changed 2", "assumed 2"}, k.assumptions)
	require.Equal(t, "2", k.labels[0].GetColumn())
	require.InDelta(t, 0.5, k.confidence, 1e-9)
	require.Len(t, k.tables, 1)
	require.Equal(t, "new", k.tables[0].GetRef().GetTable())
	require.Equal(t, []string{"new", "new"}, []string{k.terms[0].GetTerm(), k.rules[0].GetId()})
	require.Equal(t, "SELECT 2", newestSQL(chain))

	// A statement of the message stands in the arguments of a call that builds on none.
	own := link{call: store.ToolCall{Arguments: []byte(`{"sql":"SELECT 7"}`)}}
	require.Equal(t, "SELECT 7", own.sql())
	own.output = &fixsqlv1.FixSQLResponse{}
	require.Equal(t, "SELECT 7", own.sql(), "a repair that brought none")
	own.call.SourceID = "call_1"
	require.Empty(t, own.sql(), "beside a source they repeat what the source holds")
	require.Empty(t, (link{call: store.ToolCall{Arguments: []byte(`nonsense`)}}).sql())
}

// TestFencesHoldWhatIsInThem: no SQL ends its fence.
func TestFencesHoldWhatIsInThem(t *testing.T) {
	t.Parallel()
	for sql, fence := range map[string]string{"SELECT 1": "```", "SELECT '```'": "````", "SELECT '`````'": "``````", "SELECT '``'": "```"} {
		require.Equal(t, fence+"sql\n"+sql+"\n"+fence, fenced(sql))
	}
}

// TestLogsAreToldOnce: numbers of a metric stand in the text with their labels, unless they
// are a table beside it; lines and numbers are bounded.
func TestLogsAreToldOnce(t *testing.T) {
	t.Parallel()
	book, err := words.Open()
	require.NoError(t, err)
	s := &Service{words: book}
	o := &logifyv1.GenerateLogQLResponse{Answer: "Some.", Logql: "rate(x)", Explanation: "It counts.", Assumptions: []string{"of today"}}
	for i := range maxTablesNamed + 2 {
		o.Samples = append(o.Samples, &logifyv1.LogSample{Labels: map[string]string{"b": fmt.Sprint(i), "a": "x"}, Value: 0.5})
		o.Lines = append(o.Lines, &logifyv1.LogLine{Line: fmt.Sprint("line ", i)})
	}
	text := s.plainText(&turn{}, made("1", tools.SearchLog, o))
	require.Contains(t, text, "Some.")
	require.Contains(t, text, "rate(x)")
	require.Contains(t, text, "It counts.\nof today\na=x b=0 0.5\n")
	require.Equal(t, maxTablesNamed, strings.Count(text, "a=x"))
	require.Equal(t, maxTablesNamed, strings.Count(text, "line "))
	o.Page = &commonv1.ResultPage{}
	require.NotContains(t, s.plainText(&turn{}, made("1", tools.SearchLog, o)), "a=x", "they are a table beside the text")
}
