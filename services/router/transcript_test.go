package router_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/services/router/tools"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// talk is a conversation with the services as they are set up.
type talk struct {
	setup    func(*team)
	settings []setting
	turns    []*routerv1.Turn
}

func say(words ...string) (turns []*routerv1.Turn) {
	for _, w := range words {
		turns = append(turns, &routerv1.Turn{Question: w})
	}
	return turns
}

func discovers(r *findatav1.DiscoverResult) func(*team) {
	return func(f *team) {
		f.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
			return proto.CloneOf(r), nil
		}
	}
}

// generates and executes give one result after another; the last is given again.
func generates(all ...*text2sqlv1.GenerateResult) func(*team) {
	return func(f *team) {
		n := 0
		f.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
			n++
			return proto.CloneOf(all[min(n, len(all))-1]), nil
		}
	}
}

func executes(all ...*chatbiv1.ExecuteResult) func(*team) {
	return func(f *team) {
		n := 0
		f.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
			n++
			return proto.CloneOf(all[min(n, len(all))-1]), nil
		}
	}
}

func which(labels ...string) *commonv1.Question {
	q := &commonv1.Question{Text: "Which one is meant?"}
	for i, l := range labels {
		q.Options = append(q.Options, &commonv1.Option{Id: fmt.Sprint("o", i+1), Label: l})
	}
	return q
}

func candidates(n int, locked bool) (out []*findatav1.TableCandidate) {
	for i := range n {
		out = append(out, &findatav1.TableCandidate{Locked: locked, Reasons: []string{fmt.Sprint("reason ", i)},
			Table: &commonv1.TableDetail{Ref: &commonv1.TableRef{IdcRegion: "sg", Schema: "shop", Table: fmt.Sprint("t", i)}}})
	}
	return out
}

// talks are the conversations whose transcripts are kept in testdata/transcripts.
func talks() map[string]talk {
	const count, find, write = "how many orders yesterday?", "which tables have orders?", "write the SQL for orders by city"
	asks := &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK, Question: which("paid orders", "all orders", "refunds")}
	abstains := &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, AbstainedReason: "nothing has a moon phase",
		NotUnderstood: []string{"moon phase", "tide"}, Warnings: []*commonv1.Warning{{Code: "W1", Message: "one"}, {Code: "W1", Message: "one"}}}
	changed := sqlResult(theSQL)
	changed.Changes, changed.Candidates[0].Reason = []string{"only paid ones now"}, "it counts the orders"
	confirm := &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK, Question: &commonv1.Question{Text: "It reads 2 TB. Run it?",
		Options: []*commonv1.Option{{Id: "yes", Label: "Yes"}, {Id: "no", Label: "No"}}}}
	refused := &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED, Error: &commonv1.SqlDiagnostic{Code: "DENIED", Message: "you may not read it"}}
	none := &findatav1.DiscoverResult{Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND, UnknownTables: []*findatav1.UnknownTable{{Name: "ordrs", Near: []string{"orders", "order_items"}}}}
	broken := &fixsqlv1.FixSQLResponse{Fixed: &commonv1.SqlStatement{Sql: "SELECT 2"}, Changed: true, Diagnosis: "two typos",
		Changes: []*fixsqlv1.SqlChange{{Message: "a became b"}}, Remaining: []*commonv1.SqlDiagnostic{{Code: "SYNTAX_ERROR", Message: "line 1: still wrong"}}}
	fixes := func(r *fixsqlv1.FixSQLResponse) func(*team) {
		return func(f *team) {
			f.fix = func(context.Context, *fixsqlv1.FixSQLRequest) (*fixsqlv1.FixSQLResponse, error) {
				return proto.CloneOf(r), nil
			}
		}
	}
	both := func(all ...func(*team)) func(*team) {
		return func(f *team) {
			for _, set := range all {
				set(f)
			}
		}
	}
	direct := func(agent string, t *routerv1.Turn) []*routerv1.Turn {
		t.AgentName = agent
		return []*routerv1.Turn{t}
	}
	stepwise := func(words ...string) []*routerv1.Turn {
		turns := say(words...)
		for _, t := range turns {
			t.DispatchStrategy = routerv1.DispatchStrategy_DISPATCH_STRATEGY_CONFIRM_EACH_STEP
		}
		return turns
	}
	unavailable := status.Error(codes.Unavailable, "the service is away")
	return map[string]talk{
		"a number":                    {turns: say(count, "and last week?", "thanks")},
		"a number in Chinese":         {turns: say("昨天有多少订单？", "按城市分呢？", "谢谢")},
		"small talk":                  {turns: say("hello", "what can you do?", "write me a poem about the sea")},
		"tables, then their SQL":      {turns: say(find, "yes", "run it")},
		"tables, and no":              {turns: say(find, "no")},
		"SQL only":                    {setup: generates(changed), turns: say(write, "no, only paid ones", "execute it", "explain the SQL")},
		"SQL only in Chinese":         {turns: say("写一条统计各城市订单数的SQL", "执行")},
		"no SQL":                      {setup: generates(abstains), turns: say(count)},
		"many tables":                 {setup: discovers(&findatav1.DiscoverResult{Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, RelatedTables: candidates(12, false)}), turns: say(find)},
		"many tables and no SQL":      {setup: both(discovers(&findatav1.DiscoverResult{Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, RelatedTables: candidates(12, false)}), generates(abstains)), turns: say(count)},
		"locked tables":               {setup: discovers(&findatav1.DiscoverResult{Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, RelatedTables: candidates(2, true)}), turns: say(find, count)},
		"no tables":                   {setup: discovers(none), turns: say(find, count)},
		"an answer about tables":      {setup: discovers(&findatav1.DiscoverResult{Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, Answer: "orders has 12 columns", RelatedTables: candidates(1, false)}), turns: say("how many columns does orders have?")},
		"tables that are asked about": {setup: discovers(&findatav1.DiscoverResult{Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK, Question: which("retail", "wholesale")}), turns: say(count, "wholesale")},
		"a question without words":    {setup: discovers(&findatav1.DiscoverResult{Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK}), turns: say(count)},
		"a choice by number":          {setup: generates(asks, sqlResult(theSQL)), turns: say(count, "2")},
		"a choice by its words":       {setup: generates(asks, sqlResult(theSQL)), turns: say(count, "the second one")},
		"a choice by its id":          {setup: generates(asks, sqlResult(theSQL)), turns: []*routerv1.Turn{{Question: count}, {Question: "x", ChosenOptionId: "o3"}}},
		"no choice of these":          {setup: generates(asks, sqlResult(theSQL)), turns: say(count, "cancelled orders")},
		"another question instead":    {setup: generates(asks, sqlResult(theSQL)), turns: say(count, "which tables have refunds?")},
		"a dear statement, yes":       {setup: executes(confirm, doneResult()), turns: say(count, "yes")},
		"a dear statement, no":        {setup: executes(confirm, doneResult()), turns: say(count, "no")},
		"a dear statement, something": {setup: executes(confirm, doneResult()), turns: say(count, "perhaps tomorrow")},
		"a dear statement by its id":  {setup: executes(confirm, doneResult()), turns: []*routerv1.Turn{{Question: count}, {Question: "ok", ChosenOptionId: "yes"}}},
		"refused":                     {setup: executes(refused), turns: say(count)},
		"failed":                      {setup: executes(failedResult("EXCEEDED_TIME_LIMIT")), turns: say(count)},
		"repaired":                    {setup: executes(failedResult("COLUMN_NOT_FOUND"), doneResult()), turns: say(count)},
		"repaired twice":              {setup: executes(failedResult("COLUMN_NOT_FOUND"), failedResult("TABLE_NOT_FOUND"), doneResult()), turns: say(count)},
		"repaired in vain":            {setup: both(executes(failedResult("COLUMN_NOT_FOUND")), fixes(broken)), turns: say(count)},
		"the same fault again":        {setup: executes(failedResult("COLUMN_NOT_FOUND")), turns: say(count)},
		"rows and no sentence":        {setup: executes(&chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Page: &commonv1.ResultPage{TotalRows: 7}}), turns: say(count)},
		"step by step":                {turns: stepwise(count, "yes", "yes")},
		"step by step, no":            {turns: stepwise(count, "yes", "no")},
		"step by step without tables": {setup: discovers(none), turns: stepwise(count)},
		"few calls":                   {settings: []setting{func(c *routerConfig, _ *routerDeps) { c.MaxToolCalls = 2 }}, turns: say(count)},
		"no repairs":                  {settings: []setting{func(c *routerConfig, _ *routerDeps) { c.RepairBudget = -1 }}, setup: executes(failedResult("COLUMN_NOT_FOUND")), turns: say(count)},
		"a goal that is given":        {turns: []*routerv1.Turn{{Question: count, FinalIntent: routerv1.FinalIntent_FINAL_INTENT_GENERATE_SQL}}},
		"tables that are given":       {turns: []*routerv1.Turn{{Question: count, SelectedTables: []string{"sg.shop.orders"}, SelectedTableGroups: []string{"sales"}, PageSize: 5, MaxExecuteSecond: 9, Execution: text2sqlv1.Execution_EXECUTION_VALIDATE}}},
		"about an asker":              {turns: []*routerv1.Turn{{Question: count, Source: "demo", UserContext: &commonv1.UserContext{Department: "sales", Region: "SG", TimeZone: "Asia/Singapore", Language: commonv1.Language_LANGUAGE_ZH}}, {Question: "and by city?"}}},
		"a statement to mend":         {turns: say("fix this: SELECT * FORM orders")},
		"a statement with its error":  {turns: []*routerv1.Turn{{Question: "what is wrong?", OriginalSql: "SELECT * FORM orders", ErrorMessage: "mismatched input 'FORM'", SqlDialect: "MySQL"}}},
		"a statement that is whole":   {setup: fixes(&fixsqlv1.FixSQLResponse{Fixed: &commonv1.SqlStatement{Sql: "SELECT 1"}, Diagnosis: "nothing is wrong"}), turns: say("fix this: SELECT 1")},
		"a statement with a danger":   {setup: fixes(&fixsqlv1.FixSQLResponse{Fixed: &commonv1.SqlStatement{Sql: "SELECT 1"}, Diagnosis: "nothing is wrong", Dangers: []*commonv1.SqlDiagnostic{{Code: "NULL_COMPARISON", Message: "a = NULL is never true"}}}), turns: say("fix this: SELECT 1")},
		"a statement beyond mending":  {setup: fixes(broken), turns: say("fix this: SELECT 1 FORM a", "run it")},
		"a statement to explain":      {turns: say("explain SELECT count(*) FROM sg.shop.orders")},
		"the finder alone":            {turns: direct("Data Discovery", &routerv1.Turn{Question: count, SelectedTables: []string{"a.b"}, SelectedTableGroups: []string{"g"}})},
		"the mender alone":            {turns: direct("Fix SQL Agent", &routerv1.Turn{Question: "mend SELECT * FORM a", ErrorMessage: "no"})},
		"the mender with a statement": {turns: direct("Fix SQL Agent", &routerv1.Turn{Question: "mend it", OriginalSql: "SELECT 1 FORM a", SqlDialect: "Spark"})},
		"the explainer alone":         {turns: direct("Explain SQL Agent", &routerv1.Turn{Question: "SELECT 1"})},
		"the expert alone": {setup: func(f *team) {
			f.know = known(&knowledgev1.KnowledgeAnswer{Answered: true, Text: "Press the button.", Citations: []*knowledgev1.Citation{{Document: "manual", Section: "3", Url: "https://docs.example/3"}}})
		}, turns: direct("Data Suite Expert", &routerv1.Turn{Question: "how do I publish?", ProductName: "studio"})},
		"the logs alone": {setup: func(f *team) {
			f.logs = func(*logifyv1.GenerateLogQLRequest) (*logifyv1.GenerateLogQLResponse, error) {
				return &logifyv1.GenerateLogQLResponse{Logql: `{app="x"}`, Explanation: "errors of x", Lines: []*logifyv1.LogLine{{Line: "first"}, {Line: "second"}}}, nil
			}
		}, turns: direct("Logify Agent", &routerv1.Turn{Question: "errors of x"})},
		"an agent that nobody knows": {turns: direct("Nobody", &routerv1.Turn{Question: count})},
		"help with the product": {setup: func(f *team) {
			f.know = known(&knowledgev1.KnowledgeAnswer{Answered: true, Text: "Press the button.", Citations: []*knowledgev1.Citation{{Document: "faq", Section: "1"}}})
		}, settings: []setting{withStrategy(scripted(wants(tools.DatasuiteFAQ, tools.DatasuiteFAQ, tools.FAQArgs{UserQuestion: "how?"})))}, turns: say("how?")},
		"no help with the product": {setup: func(f *team) {
			f.know = known(&knowledgev1.KnowledgeAnswer{Text: "Not in the documents.", NearestHeadings: []*knowledgev1.NearestHeading{{Document: "guide", Section: "Publish"}, {Document: "guide", Section: "Share"}}})
		}, settings: []setting{withStrategy(scripted(wants(tools.DatasuiteFAQ, tools.DatasuiteFAQ, tools.FAQArgs{UserQuestion: "how?"})))}, turns: say("how?")},
		"an analysis": {setup: func(f *team) {
			f.analyse = []*analysisv1.Analysis{{Message: "began"}, {AnalysisId: "ana_1", Message: "done", HasReport: true, Summary: []string{"GMV rose.", "Sports account for it."}}}
		}, settings: []setting{withStrategy(scripted(wants(tools.Analyze, tools.Analyze, tools.AnalyzeArgs{Question: "why?"})))}, turns: say("why?")},
		"an analysis without an end": {setup: func(f *team) { f.analyse = []*analysisv1.Analysis{} }, settings: []setting{withStrategy(scripted(wants(tools.Analyze, tools.Analyze, tools.AnalyzeArgs{Question: "why?"})))}, turns: say("why?")},
		"the finder is away": {setup: func(f *team) {
			f.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
				return nil, unavailable
			}
		}, turns: say(count)},
		"the writer is away": {setup: func(f *team) {
			f.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
				return nil, unavailable
			}
		}, turns: say(count)},
		"the engine's service is away": {setup: func(f *team) {
			f.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
				return nil, unavailable
			}
		}, turns: say(count)},
		"the mender is away": {setup: both(executes(failedResult("COLUMN_NOT_FOUND")), func(f *team) {
			f.fix = func(context.Context, *fixsqlv1.FixSQLRequest) (*fixsqlv1.FixSQLResponse, error) {
				return nil, unavailable
			}
		}), turns: say(count)},
	}
}

// TestTranscripts holds whole conversations: what people are answered, what the
// services are asked for, and what is kept. Only ids, times and signatures are left
// out. Run it with -update after a change that is meant, and read the difference.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	all := talks()
	kept, err := os.ReadDir(filepath.Join("testdata", "transcripts"))
	if !*update {
		require.NoError(t, err)
		require.Len(t, kept, len(all), "a transcript of no conversation")
	}
	for name, conversation := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, conversation.settings...)
			if conversation.setup != nil {
				conversation.setup(w.team)
			}
			got := transcript(t, w, conversation.turns)
			path := filepath.Join("testdata", "transcripts", strings.NewReplacer(" ", "-", ",", "", "'", "").Replace(name)+".txt")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
				return
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

func transcript(t *testing.T, w *world, turns []*routerv1.Turn) string {
	t.Helper()
	var b strings.Builder
	ctx := as(t.Context(), "alice")
	session, calls := "", map[string]bool{}
	for _, turn := range turns {
		turn = proto.CloneOf(turn)
		turn.SessionId = session
		fmt.Fprintf(&b, "> %s\n", turn.GetQuestion())
		resp, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: turn})
		if err != nil {
			fmt.Fprintf(&b, "error: %v\n", err)
			continue
		}
		session = resp.GetAnswer().GetSessionId()
		a := resp.GetAnswer()
		fmt.Fprintf(&b, "%s\n", a.GetText())
		for i, c := range a.GetToolCalls() { // they follow below
			calls[c.GetToolCallId()] = true
			a.ToolCalls[i] = &routerv1.ToolCall{ToolCallId: c.GetToolCallId(), ToolName: c.GetToolName()}
		}
		a.Text, a.Usage.Milliseconds = "", 0
		fmt.Fprintf(&b, "answer %s\n", inJSON(t, a))
	}
	b.WriteString("\nthe services were asked:\n")
	for i := range w.team.tools() {
		seen := w.team.call(i)
		fmt.Fprintf(&b, "%s as %s in %s %s %s %s\n", seen.tool, seen.context.Principal.ID, seen.context.SessionID, seen.context.ToolCallID, seen.context.ToolName, inJSON(t, seen.request.(proto.Message)))
	}
	if session == "" {
		return scrubbed(b.String())
	}
	b.WriteString("\nkept:\n")
	kept, err := w.client.GetSession(ctx, &routerv1.GetSessionRequest{SessionId: session, PageSize: 100})
	require.NoError(t, err)
	fmt.Fprintf(&b, "%s\n", inJSON(t, kept))
	runs, err := w.client.ListRuns(ctx, &routerv1.ListRunsRequest{SessionId: session, PageSize: 100})
	require.NoError(t, err)
	for _, r := range runs.GetRuns() {
		u, err := w.client.GetRun(ctx, &routerv1.GetRunRequest{RunId: r.GetRecord().GetRunId()})
		require.NoError(t, err)
		fmt.Fprintf(&b, "run %q\n", u.GetQuestion())
		for _, record := range u.GetRecords() {
			record.StartedAt, record.EndedAt = nil, nil
			fmt.Fprintf(&b, "  %s\n", inJSON(t, record))
		}
	}
	for _, seen := range regexp.MustCompile(`call_[0-9a-f]{24}`).FindAllString(b.String(), -1) {
		if calls[seen] {
			delete(calls, seen)
			c, err := w.client.GetToolCall(ctx, &routerv1.GetToolCallRequest{ToolCallId: seen})
			require.NoError(t, err)
			fmt.Fprintf(&b, "call %s\n", inJSON(t, c.GetToolCall()))
		}
	}
	return scrubbed(b.String())
}

// inJSON writes a message in one stable form: protojson varies its blanks on purpose.
func inJSON(t *testing.T, m proto.Message) string {
	t.Helper()
	raw, err := protojson.Marshal(m)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, raw))
	return b.String()
}

var (
	idPattern    = regexp.MustCompile(`\b[a-z]+_[0-9a-f]{24}\b`)
	statePattern = regexp.MustCompile(`"midState":"[^"]+"`)
	timePattern  = regexp.MustCompile(`"20\d\d-[^"]+Z"`)
)

// scrubbed numbers ids in the order in which they come.
func scrubbed(text string) string {
	text = statePattern.ReplaceAllString(text, `"midState":"signed"`)
	text = timePattern.ReplaceAllString(text, `"time"`)
	seen := map[string]string{}
	return idPattern.ReplaceAllStringFunc(text, func(id string) string {
		if seen[id] == "" {
			kind, _, _ := strings.Cut(id, "_")
			seen[id] = fmt.Sprintf("%s_%d", kind, len(seen)+1)
		}
		return seen[id]
	})
}

// known answers every question with one answer, a copy each time.
func known(a *knowledgev1.KnowledgeAnswer) func(context.Context, *knowledgev1.FAQQuery) (*knowledgev1.KnowledgeAnswer, error) {
	return func(context.Context, *knowledgev1.FAQQuery) (*knowledgev1.KnowledgeAnswer, error) {
		return proto.CloneOf(a), nil
	}
}
