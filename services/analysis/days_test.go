package analysis

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// TestDaysOfAPeriod: text to SQL says the first day of a period and the one after its last.
func TestDaysOfAPeriod(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2026, 10, d, 0, 0, 0, 0, time.UTC) }
	require.Equal(t, plan.Days{First: day(1), Last: day(7)}, daysOf("2026-10-01 to 2026-10-08"))
	require.Equal(t, plan.Days{First: day(1), Last: day(1)}, daysOf("2026-10-01 to 2026-10-02"))
	for _, meaning := range []string{"", "by month", "2026-10-01", "2026-10-01 to 2026-13-08", "2026-10-01 to 2026-10-01"} {
		require.False(t, daysOf(meaning).Known(), meaning)
	}
}

// TestWhoStandsAtOneStageWentThroughNone: a column that says where each stands now makes no
// funnel; one in which most of those at later stages were at another one does.
func TestWhoStandsAtOneStageWentThroughNone(t *testing.T) {
	t.Parallel()
	of := func(rows ...[]any) workflow.Table {
		return workflow.Table{Columns: []workflow.Column{{Name: "stage", Type: "varchar"}, {Name: "reached", Type: "bigint"}, {Name: "elsewhere", Type: "bigint"}}, Rows: rows}
	}
	require.False(t, passed(of([]any{"done", "20008", "40"}, []any{"paid", "50", "30"}, []any{"sent", "115", "20"})))
	require.True(t, passed(of([]any{"tour", "1000", "90"}, []any{"trial", "90", "90"}, []any{"signup", "10", "10"})), "most never come back")
	require.True(t, passed(of([]any{"tour", "10", "0"})))
	require.True(t, passed(workflow.Table{Columns: []workflow.Column{{Name: "stage"}, {Name: "reached"}}}), "a funnel of days does not tell")
}

// TestTablesOfAChange: a group is called as chat BI says, without the cells that are another's,
// and money has its pence.
func TestTablesOfAChange(t *testing.T) {
	t.Parallel()
	const name = "country: Thailand without Toys (category)"
	tables := changeTables(
		&commonv1.ChangePlan{Metric: &commonv1.ChangeMetric{Name: "GMV", Unit: "USD"}},
		&chatbiv1.ExplainResult{
			Figures:  &chatbiv1.ChangePair{Before: 10.1, After: 12},
			Elements: []*chatbiv1.ChangeElement{{Name: name, Figures: &chatbiv1.ChangePair{Before: 1, After: 2.5}, Accounts: 1.5, Share: .75}},
		}, lang.English)
	require.Equal(t, []any{"10.10", "12.00", "1.90"}, []any{tables[0].Rows[0][2], tables[0].Rows[0][4], tables[0].Rows[0][5]})
	require.Equal(t, []any{name, "1.00", "2.50", "1.50", .75}, tables[1].Rows[0])
	require.Equal(t, "decimal(38,2)", tables[1].Columns[1].Type)
}
