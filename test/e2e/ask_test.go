package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2" // the hand-written SQL runs outside the product
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// handWritten runs a SQL on the demo's files with DuckDB alone.
func handWritten(t *testing.T, dataDir, query string) [][]any {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, region := range []string{"sg", "useast"} {
		files, err := filepath.Glob(filepath.Join(dataDir, "sources", "demo", "*", region+".duckdb"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		_, err = db.Exec(fmt.Sprintf("ATTACH '%s' AS %s (READ_ONLY)", files[0], region))
		require.NoError(t, err)
	}
	rows, err := db.Query(query)
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	var all [][]any
	for rows.Next() {
		values := make([]any, len(columns))
		targets := make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		require.NoError(t, rows.Scan(targets...))
		all = append(all, values)
	}
	require.NoError(t, rows.Err())
	return all
}

// number reads a value of a result page as a number.
func number(t *testing.T, v *structpb.Value) float64 {
	t.Helper()
	if s, ok := v.GetKind().(*structpb.Value_StringValue); ok {
		f, err := strconv.ParseFloat(s.StringValue, 64)
		require.NoError(t, err, "%q is no number", s.StringValue)
		return f
	}
	return v.GetNumberValue()
}

// day reads a value of a result page as a day.
func day(v *structpb.Value) string { return strings.SplitN(v.GetStringValue(), " ", 2)[0] }

// executed returns the output of the last execution of an answer.
func executed(t *testing.T, a *routerv1.Answer) *chatbiv1.ExecuteResult {
	t.Helper()
	for i := len(a.GetToolCalls()) - 1; i >= 0; i-- {
		if e := a.GetToolCalls()[i].GetExecute(); e != nil {
			require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, e.GetOutcome(), "%v", e.GetError())
			return e
		}
	}
	require.Fail(t, "nothing was executed", "answer: %s", a.GetText())
	return nil
}

func (c *cluster) client() routerv1.RouterServiceClient {
	return routerv1.NewRouterServiceClient(dial(c.t, c.router))
}

func (c *cluster) ask(turn *routerv1.Turn) *routerv1.Answer {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	response, err := c.client().Ask(ctx, &routerv1.AskRequest{Turn: turn})
	require.NoError(c.t, err)
	return response.GetAnswer()
}

func TestAsk(t *testing.T) {
	t.Parallel()
	topologies(t, func(t *testing.T, start func(*testing.T, string, ...string) *cluster) {
		dir := freshDemo(t)
		got := command(t, "", nil, "ingest", "csv", "testdata/bikes", "--name", "bikes", "--data-dir", dir)
		require.Zero(t, got.code, got.err)
		c := start(t, dir)
		t.Run("daily GMV", func(t *testing.T) { dailyGMV(t, c) })
		t.Run("SQL only", func(t *testing.T) { sqlOnly(t, c) })
		t.Run("own data", func(t *testing.T) { ownData(t, c) })
		t.Run("cannot know", func(t *testing.T) { cannotKnow(t, c) })
		t.Run("run tree", func(t *testing.T) { runTree(t, c) })
		t.Run("session", func(t *testing.T) { sessionGoesOn(t, c) })
		t.Run("from outside", func(t *testing.T) { outsideRuns(t, c) })
		t.Run("outcomes", func(t *testing.T) { outcomes(t, c) })
	})
}

// dailyGMVBySQL sums the order items, with the day twice.
const dailyGMVBySQL = `
	SELECT grass_date, CAST(sum(gmv_usd) AS DOUBLE)
	FROM sg.mp_order.dwd_order_item_di__sg_s0_live
	WHERE grass_date >= DATE '%s' - 30 AND grass_date < DATE '%s'
	GROUP BY grass_date ORDER BY grass_date`

// dailyGMV compares the answers in both languages with a SQL written by hand
// over the order items, the lowest layer there is.
func dailyGMV(t *testing.T, c *cluster) {
	today := time.Now().UTC().Format(time.DateOnly)
	want := handWritten(t, c.dataDir, fmt.Sprintf(dailyGMVBySQL, today, today))
	require.Len(t, want, 30)
	for _, question := range []string{
		"What was the daily GMV in Singapore over the past 30 days?",
		"过去30天新加坡每天的GMV是多少？",
	} {
		a := c.ask(&routerv1.Turn{Question: question})
		page := executed(t, a).GetPage()
		require.Len(t, page.GetRows(), 30, "%s: %s", question, a.GetText())
		for i, row := range page.GetRows() {
			require.Equal(t, want[i][0].(time.Time).Format(time.DateOnly), day(row.GetValues()[0]))
			require.InEpsilon(t, want[i][1], number(t, row.GetValues()[1]), 1e-6, "%s, day %d", question, i)
		}
		require.NotEmpty(t, executed(t, a).GetCertificate().GetTables())
		require.NotEmpty(t, a.GetRunId())
	}
}

func sqlOnly(t *testing.T, c *cluster) {
	for _, turn := range []*routerv1.Turn{
		{Question: "Write a SQL for the daily GMV in Singapore over the past 30 days"},
		{Question: "写一个SQL查询过去30天新加坡每天的GMV"},
		{Question: "daily GMV in Singapore over the past 30 days", FinalIntent: routerv1.FinalIntent_FINAL_INTENT_GENERATE_SQL},
	} {
		a := c.ask(turn)
		require.Equal(t, routerv1.FinalIntent_FINAL_INTENT_GENERATE_SQL, a.GetFinalIntent(), turn.GetQuestion())
		written := ""
		for _, call := range a.GetToolCalls() {
			require.NotEqual(t, "execute_sql_and_analyze_result", call.GetToolName(), turn.GetQuestion())
			if candidates := call.GetGenerateSql().GetCandidates(); len(candidates) > 0 {
				written = candidates[0].GetSql()
			}
		}
		require.Contains(t, strings.ToUpper(written), "SELECT", turn.GetQuestion())
	}
}

func ownData(t *testing.T, c *cluster) {
	for _, q := range []struct {
		question string
		want     [][]string // rows as text; nil leaves the rows to rows
		rows     int
	}{
		{question: "How many stations are there?", want: [][]string{{"6"}}},
		{question: "有多少个stations？", want: [][]string{{"6"}}},
		{question: "List the names of stations in the Centre district", want: [][]string{{"Clock Square"}, {"Library"}}},
		{question: "How many members are there for each plan?", rows: 3},
		{question: "What is the name of the station with the most docks?", want: [][]string{{"Clock Square", "30"}}},
		{question: "Show the total docks of stations in district North", want: [][]string{{"32"}}},
	} {
		a := c.ask(&routerv1.Turn{Question: q.question, Source: "bikes"})
		page := executed(t, a).GetPage()
		if q.want == nil {
			require.Len(t, page.GetRows(), q.rows, q.question)
			continue
		}
		var got [][]string
		for _, row := range page.GetRows() {
			var texts []string
			for _, v := range row.GetValues() {
				if s, ok := v.GetKind().(*structpb.Value_StringValue); ok {
					texts = append(texts, s.StringValue)
				} else {
					texts = append(texts, strconv.FormatFloat(v.GetNumberValue(), 'f', -1, 64))
				}
			}
			got = append(got, texts)
		}
		require.ElementsMatch(t, q.want, got, "%s\n%s", q.question, executed(t, a).GetExecutedSql())
	}
}

// cannotKnow asks what the data cannot tell: no number may come back.
func cannotKnow(t *testing.T, c *cluster) {
	for _, turn := range []*routerv1.Turn{
		{Question: "What will the weather be tomorrow in Paris?"},
		{Question: "How many helmets were stolen last year?", Source: "bikes"},
		{Question: "每个骑手的血型是什么？", Source: "bikes"},
	} {
		a := c.ask(turn)
		for _, call := range a.GetToolCalls() {
			require.Empty(t, call.GetExecute().GetPage().GetRows(), "%s was answered: %s", turn.GetQuestion(), a.GetText())
		}
		require.NotEmpty(t, a.GetText(), turn.GetQuestion())
	}
}

// runTree checks the parent-child edges of a stored run across the services.
func runTree(t *testing.T, c *cluster) {
	a := c.ask(&routerv1.Turn{Question: "What was the daily GMV in Singapore over the past 30 days?"})
	response, err := c.client().GetRun(t.Context(), &routerv1.GetRunRequest{RunId: a.GetRunId()})
	require.NoError(t, err)
	byID := make(map[string]*commonv1.RunRecord)
	for _, r := range response.GetRecords() {
		byID[r.GetRunId()] = r
	}
	roots := 0
	for _, r := range response.GetRecords() {
		require.NotEqual(t, commonv1.RunStatus_RUN_STATUS_RUNNING, r.GetStatus(), "%s is still at work", r.GetName())
		if r.GetParentRunId() == "" {
			roots++
			require.Equal(t, a.GetRunId(), r.GetRunId())
			continue
		}
		require.Contains(t, byID, r.GetParentRunId(), "the parent of %s is unknown", r.GetName())
	}
	require.Equal(t, 1, roots)
	// Every call of a service hangs below the record of its tool call, and that
	// below the root.
	for _, service := range []string{"findata", "text2sql", "chatbi"} {
		found := false
		for _, r := range response.GetRecords() {
			if r.GetService() != service {
				continue
			}
			found = true
			reached := false
			for up := r; up != nil; up = byID[up.GetParentRunId()] {
				if up.GetService() == "router" && up.GetToolCallId() != "" {
					reached = true
				}
			}
			require.True(t, reached, "%s of %s hangs below no tool call", r.GetName(), service)
		}
		require.True(t, found, "there is no record of %s", service)
	}
}

func sessionGoesOn(t *testing.T, c *cluster) {
	first := c.ask(&routerv1.Turn{Question: "Write a SQL for the GMV in Singapore yesterday"})
	second := c.ask(&routerv1.Turn{Question: "执行吧", SessionId: first.GetSessionId()})
	require.Equal(t, first.GetSessionId(), second.GetSessionId())
	require.Len(t, executed(t, second).GetPage().GetRows(), 1)
	session, err := c.client().GetSession(t.Context(), &routerv1.GetSessionRequest{SessionId: first.GetSessionId()})
	require.NoError(t, err)
	require.Len(t, session.GetMessages(), 4)
}
