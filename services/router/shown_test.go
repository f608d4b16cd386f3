package router_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

// TestWhatOthersWroteIsTextInAnAnswer: the answer is drawn as Markdown by many who
// call; descriptions of tables, errors of engines and reasons do nothing there. The
// SQL between the fences stays as it is, and nothing in it ends its fence.
func TestWhatOthersWroteIsTextInAnAnswer(t *testing.T) {
	t.Parallel()
	const hostile, shown = "![x](https://evil.example) <img src=x>\u202e\x1b[2J", "x (https://evil.example) ‹img src=x>"
	const sql = "SELECT a[1], '![x](y) <b>', '```' FROM t WHERE a<b"
	w := newWorld(t)
	w.team.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
		r := tablesResult()
		r.RelatedTables[0].Table.Description = hostile
		return r, nil
	}
	w.team.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		r := sqlResult(sql)
		r.Candidates[0].Assumptions = []string{hostile}
		return r, nil
	}
	w.team.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		return &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED,
			Error: &commonv1.SqlDiagnostic{Code: "COST_LIMIT", Message: hostile}}, nil
	}
	for question, part := range map[string]string{
		"which tables hold orders?":            "orders: " + shown,
		"write the SQL for orders by day":      "- " + shown,
		"how many orders were there yesterday": shown,
	} {
		text := w.ask(t, &routerv1.Turn{Question: question}).GetText()
		require.Contains(t, text, part, question)
		require.NotContains(t, text, "\x1b", question)
	}
	text := w.ask(t, &routerv1.Turn{Question: "write the SQL for orders by day"}).GetText()
	require.Contains(t, text, "````sql\n"+sql+"\n````")
}

// TestTablesOfAnAnswerAreBounded holds that a question that finds very many tables
// is answered with the first ones, in their order.
func TestTablesOfAnAnswerAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
		r := tablesResult()
		for i := range 30 {
			r.RelatedTables = append(r.RelatedTables, &findatav1.TableCandidate{Table: &commonv1.TableDetail{
				Ref: &commonv1.TableRef{IdcRegion: "sg", Schema: "shop", Table: fmt.Sprintf("parcels_%02d", i)}}})
		}
		return r, nil
	}
	text := w.ask(t, &routerv1.Turn{Question: "which tables describe orders?"}).GetText()
	require.Contains(t, text, "shop.orders")
	require.Contains(t, text, "shop.parcels_08")
	require.NotContains(t, text, "shop.parcels_09", "ten tables are named")
}
