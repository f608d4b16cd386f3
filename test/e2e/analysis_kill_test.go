package e2e

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the store of analyses

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

// held is the store of analyses, whose file holds a process at the end of a node: a trigger
// of the test's own makes the write of that node last for ever. The program knows nothing
// of it.
type held struct {
	t  *testing.T
	db *sql.DB
}

func hold(t *testing.T, dataDir string) *held {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dataDir, "analysis", "analyses.db")+"?_pragma=busy_timeout(0)")
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	h := &held{t: t, db: db}
	h.do("CREATE TABLE IF NOT EXISTS test_numbers (n INTEGER)")
	h.do("INSERT INTO test_numbers SELECT value FROM json_each('[0" + strings.Repeat(",1", 1999) + "]')")
	return h
}

// do runs a statement, as soon as no process writes.
func (h *held) do(statement string) {
	h.t.Helper()
	var err error
	require.Eventually(h.t, func() bool {
		_, err = h.db.ExecContext(context.Background(), statement)
		return err == nil
	}, 30*time.Second, 10*time.Millisecond, "%s: %v", statement, err)
}

// at holds whoever stores the end of a node.
func (h *held) at(node string) {
	h.do("DROP TRIGGER IF EXISTS test_hold")
	h.do(`CREATE TRIGGER test_hold BEFORE UPDATE OF state ON analyses WHEN json_extract(CAST(NEW.state AS TEXT), '$.node') = '` + node + `'
		AND json_extract(CAST(OLD.state AS TEXT), '$.node') IS NOT '` + node + `'
		BEGIN SELECT count(*) FROM test_numbers a, test_numbers b, test_numbers c, test_numbers d, test_numbers e; END`)
}

// waitHeld waits until a process is held: it writes, and goes on writing.
func (h *held) waitHeld(node string) {
	h.t.Helper()
	const times = 25
	busy := 0
	require.Eventually(h.t, func() bool {
		tx, err := h.db.BeginTx(context.Background(), nil)
		if err == nil {
			_, err = tx.ExecContext(context.Background(), "DELETE FROM test_numbers WHERE n < 0")
			_ = tx.Rollback()
		}
		if err == nil {
			busy = 0
			return false
		}
		busy++
		return busy >= times
	}, time.Minute, 20*time.Millisecond, "no process came to the end of %s", node)
}

// node is where an analysis stands in the store.
func (h *held) node(id string) (node string) {
	h.t.Helper()
	require.NoError(h.t, h.db.QueryRowContext(context.Background(),
		"SELECT coalesce(json_extract(CAST(state AS TEXT), '$.node'), '') FROM analyses WHERE id = ?", id).Scan(&node))
	return node
}

// TestAKillAtEachNode: one analysis whose process is killed at each of the sixteen nodes,
// after the node's work and before it is stored, and taken up by another process each time.
// What was stored is not run again, and the report is written in the end.
func TestAKillAtEachNode(t *testing.T) {
	t.Parallel()
	dir := freshDemo(t)
	env := []string{"DIBRAIN_ANALYSIS_LEASE=400ms", "DIBRAIN_ANALYSIS_POLL=100ms"}
	c := monolith(t, dir, env...)
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	client := analysisv1.NewAnalysisServiceClient(dial(t, c.router))
	_, err := client.StartAnalysisUnary(ctx, &analysisv1.StartAnalysisUnaryRequest{Query: &analysisv1.AnalysisQuery{Question: "good morning"}})
	require.NoError(t, err, "it makes the store's file")
	store := hold(t, dir)
	nodes := []string{
		"intent_recognition", "evidence_recall", "query_enhance", "schema_recall", "table_relation", "feasibility_assessment", "planner",
		"plan_executor", "human_feedback", "sql_generate", "semantic_consistency", "sql_execute", "python_generate", "python_execute",
		"python_analyze", "report_generator",
	}
	get := func(id string) *analysisv1.Analysis {
		r, err := client.GetAnalysis(ctx, &analysisv1.GetAnalysisRequest{AnalysisId: id})
		require.NoError(t, err)
		return r.GetAnalysis()
	}
	id, ran := "", ""
	for _, node := range nodes {
		store.at(node)
		stretch, stop := context.WithCancel(ctx)
		switch {
		case id == "":
			stream, err := client.StartAnalysis(stretch, &analysisv1.StartAnalysisRequest{Query: &analysisv1.AnalysisQuery{
				Question: "forecast GMV for the next 7 days", Review: analysisv1.Review_REVIEW_WAIT,
			}})
			require.NoError(t, err)
			first, err := stream.Recv()
			require.NoError(t, err)
			id = first.GetAnalysis().GetAnalysisId()
		case node == "sql_generate": // the plan waits for its person
			_, err := client.ResumeAnalysisUnary(stretch, &analysisv1.ResumeAnalysisUnaryRequest{Decision: &analysisv1.ResumeDecision{
				AnalysisId: id, Decision: analysisv1.Decision_DECISION_CONTINUE,
			}})
			require.NoError(t, err)
			waiting := get(id)
			require.Equal(t, commonv1.RunStatus_RUN_STATUS_WAITING, waiting.GetStatus())
			require.NotEmpty(t, waiting.GetPlan().GetCosts())
			_, err = client.ResumeAnalysis(stretch, &analysisv1.ResumeAnalysisRequest{Decision: &analysisv1.ResumeDecision{
				AnalysisId: id, Decision: analysisv1.Decision_DECISION_APPROVE, PlanVersion: waiting.GetPlan().GetVersion(),
			}})
			require.NoError(t, err)
		default:
			_, err := client.ResumeAnalysis(stretch, &analysisv1.ResumeAnalysisRequest{Decision: &analysisv1.ResumeDecision{
				AnalysisId: id, Decision: analysisv1.Decision_DECISION_CONTINUE,
			}})
			require.NoError(t, err)
		}
		store.waitHeld(node)
		require.NotEqual(t, node, store.node(id), "its end is not stored yet")
		c.kill(c.processes["all"])
		stop()
		store.do("DROP TRIGGER test_hold")
		require.NotEqual(t, node, store.node(id), "nothing half is left behind")
		c.start("all", c.router, env...)
		require.Eventually(t, func() bool {
			return get(id).GetStatus() == commonv1.RunStatus_RUN_STATUS_INTERRUPTED
		}, 20*time.Second, 20*time.Millisecond, "%s", node)
		for _, r := range get(id).GetResults() {
			if r.GetStepId() != "s1" || r.GetStatus() != analysisv1.StepStatus_STEP_STATUS_DONE {
				continue
			}
			result := r.GetTables()[0].GetPage().GetResultId()
			require.NotEmpty(t, result)
			if ran == "" {
				ran = result
			}
			require.Equal(t, ran, result, "a finished step does not run again")
		}
	}
	last, err := client.ResumeAnalysisUnary(ctx, &analysisv1.ResumeAnalysisUnaryRequest{Decision: &analysisv1.ResumeDecision{
		AnalysisId: id, Decision: analysisv1.Decision_DECISION_CONTINUE,
	}})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, last.GetAnalysis().GetStatus(), last.GetAnalysis().GetError())
	require.NotEmpty(t, ran)
	done := get(id)
	require.Equal(t, ran, done.GetResults()[0].GetTables()[0].GetPage().GetResultId())
	require.Len(t, table(t, done, 1, "forecast"), 7)
	cellsOnly(t, done)
}
