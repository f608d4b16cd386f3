package metric_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/metric"
)

// ledger is a layer of two tables with metrics made of others.
func ledger() *semantic.Layer {
	return &semantic.Layer{
		Dimensions: []semantic.Dimension{
			{ID: "branch", Table: "bank.loans", Expr: "branch"},
			{ID: "branch__payments", Table: "bank.payments", Expr: "branch_name"},
		},
		Metrics: []semantic.Metric{
			{ID: "lent", Table: "bank.loans", Expr: "SUM(amount)", Time: "lent_on", Grain: "day"},
			{ID: "loans", Table: "bank.loans", Expr: "COUNT(DISTINCT loan_id)", Time: "lent_on", Grain: "day", Additivity: semantic.NonAdditive},
			{ID: "repaid", Table: "bank.payments", Expr: "SUM(amount)", Time: "paid_on", Grain: "day"},
			{ID: "repayment_rate", Type: semantic.Ratio, Numerator: "repaid", Denominator: "lent", Additivity: semantic.NonAdditive},
			{ID: "outstanding", Type: semantic.Derived, Expr: "lent - COALESCE(repaid, 0)", Additivity: semantic.NonAdditive},
		},
	}
}

func ledgerTables() []catalog.Table {
	table := func(name string, columns ...string) catalog.Table {
		t := catalog.Table{Name: catalog.Name{Region: "eu", Schema: "bank", Table: name}}
		for _, c := range columns {
			t.Columns = append(t.Columns, catalog.Column{Name: c, Type: map[bool]string{true: "date", false: "bigint"}[strings.HasSuffix(c, "_on")]})
		}
		return t
	}
	return []catalog.Table{table("loans", "loan_id", "amount", "branch", "lent_on"), table("payments", "amount", "branch_name", "paid_on")}
}

func measure(id string) intent.Output {
	return intent.Output{Field: intent.Field{Kind: intent.KindMetric, ID: id}}
}

// TestWrite writes intents as SQL.
func TestWrite(t *testing.T) {
	t.Parallel()
	byBranch := []intent.Field{{Kind: intent.KindDimension, ID: "branch"}}
	june := intent.Time{From: "2026-06-01", To: "2026-07-01"}
	monthly := june
	monthly.Grain, monthly.Compare = "month", &intent.Compare{Unit: "year", N: 1}
	change, rolling, total := measure("lent"), measure("lent"), measure("loans")
	change.Agg = intent.AggChange
	rolling.Agg, rolling.Window = intent.AggWindow, intent.Window{Agg: intent.AggSum, Unit: "month", N: 3}
	total.Agg, total.Window = intent.AggWindow, intent.Window{Agg: intent.AggSum, Unit: "day", N: 7}
	loans, payments := "SELECT branch, SUM(amount) AS lent, NULL AS repaid FROM eu.bank.loans WHERE lent_on >= DATE '2026-06-01' AND lent_on < DATE '2026-07-01' GROUP BY branch",
		"SELECT branch_name AS branch, NULL, SUM(amount) FROM eu.bank.payments WHERE paid_on >= DATE '2026-06-01' AND paid_on < DATE '2026-07-01' GROUP BY branch_name"
	swapped := strings.NewReplacer("SUM(amount) AS lent, NULL AS repaid", "NULL, SUM(amount)").Replace(loans)
	first := strings.NewReplacer("branch, NULL, SUM(amount)", "branch, SUM(amount) AS repaid, NULL AS lent").Replace(payments)
	byDays := func(from, to, apart, base, baseTo string) string {
		return "SELECT day, lent, lent - previous_lent AS lent_change FROM (SELECT day, max(lent) AS lent, max(previous_lent) AS previous_lent FROM (" +
			"SELECT lent_on AS day, SUM(amount) AS lent, NULL AS previous_lent FROM eu.bank.loans WHERE lent_on >= DATE '" + from + "' AND lent_on < DATE '" + to + "' GROUP BY lent_on" +
			" UNION ALL SELECT date_add('day', " + apart + ", lent_on) AS day, NULL, SUM(amount) FROM eu.bank.loans WHERE lent_on >= DATE '" + base + "' AND lent_on < DATE '" + baseTo + "' GROUP BY date_add('day', " + apart + ", lent_on)" +
			") AS parts GROUP BY day) AS grouped WHERE lent IS NOT NULL"
	}
	for name, c := range map[string]struct {
		in   intent.Intent
		want string // SQL, or the code of the problem
	}{
		"a ratio over two tables": {
			intent.Intent{Select: []intent.Output{measure("repayment_rate")}, GroupBy: byBranch, Time: &june},
			"SELECT branch, CAST(repaid AS double) / nullif(lent, 0) AS repayment_rate FROM (SELECT branch, max(repaid) AS repaid, max(lent) AS lent FROM (" + first + " UNION ALL " + swapped + ") AS parts GROUP BY branch) AS grouped",
		},
		"a formula over two tables": {
			intent.Intent{Select: []intent.Output{measure("outstanding")}, GroupBy: byBranch, Time: &june},
			"SELECT branch, lent - COALESCE(repaid, 0) AS outstanding FROM (SELECT branch, max(lent) AS lent, max(repaid) AS repaid FROM (" + loans + " UNION ALL " + payments + ") AS parts GROUP BY branch) AS grouped",
		},
		"each month with that of the year before": {
			intent.Intent{Select: []intent.Output{measure("lent"), change}, Time: &monthly},
			"SELECT month, lent, lent - previous_lent AS lent_change FROM (SELECT month, max(lent) AS lent, max(previous_lent) AS previous_lent FROM (" +
				"SELECT date_trunc('month', lent_on) AS month, SUM(amount) AS lent, NULL AS previous_lent FROM eu.bank.loans WHERE lent_on >= DATE '2026-06-01' AND lent_on < DATE '2026-07-01' GROUP BY date_trunc('month', lent_on)" +
				" UNION ALL SELECT date_add('year', 1, date_trunc('month', lent_on)) AS month, NULL, SUM(amount) FROM eu.bank.loans WHERE lent_on >= DATE '2025-06-01' AND lent_on < DATE '2025-07-01' GROUP BY date_add('year', 1, date_trunc('month', lent_on))" +
				") AS parts GROUP BY month) AS grouped WHERE lent IS NOT NULL",
		},
		"a window reaches back": {
			intent.Intent{Select: []intent.Output{rolling}, Time: &intent.Time{From: "2026-06-01", To: "2026-07-01", Grain: "month"}},
			"SELECT month, lent_3_month_total FROM (SELECT date_trunc('month', lent_on) AS month, sum(SUM(amount)) OVER (ORDER BY date_trunc('month', lent_on) RANGE BETWEEN INTERVAL '2' MONTH PRECEDING AND CURRENT ROW) AS lent_3_month_total FROM eu.bank.loans WHERE lent_on >= DATE '2026-04-01' AND lent_on < DATE '2026-07-01' GROUP BY date_trunc('month', lent_on)) AS grouped WHERE month >= DATE '2026-06-01'",
		},
		"different things are not added up": {intent.Intent{Select: []intent.Output{total}, Time: &intent.Time{From: "2026-06-01", Grain: "day"}}, "NO_SUM"},
		"a window without steps":            {intent.Intent{Select: []intent.Output{rolling}, Time: &june}, "NO_GRAIN"},
		"days against those of a month": {
			intent.Intent{Select: []intent.Output{measure("lent"), change}, Time: &intent.Time{From: "2026-06-01", To: "2026-07-01", Grain: "day", Compare: &intent.Compare{Unit: "month", N: 1}}},
			byDays("2026-06-01", "2026-07-01", "31", "2026-05-01", "2026-05-31"),
		},
		"days against those of a shorter month": {
			intent.Intent{Select: []intent.Output{measure("lent"), change}, Time: &intent.Time{From: "2026-05-01", To: "2026-06-01", Grain: "day", Compare: &intent.Compare{From: "2026-04-01", To: "2026-05-01"}}},
			byDays("2026-05-01", "2026-06-01", "30", "2026-04-01", "2026-05-01"),
		},
		"days against those of a later month": {intent.Intent{Select: []intent.Output{measure("lent"), change}, Time: &intent.Time{From: "2026-05-01", To: "2026-06-01", Grain: "day", Compare: &intent.Compare{From: "2026-06-01", To: "2026-07-01"}}}, "COMBINATION"},
		"weeks against a month":               {intent.Intent{Select: []intent.Output{measure("lent"), change}, Time: &intent.Time{From: "2026-06-01", To: "2026-07-01", Grain: "week", Compare: &intent.Compare{Unit: "month", N: 1}}}, "COMBINATION"},
		"days against a month without an end": {intent.Intent{Select: []intent.Output{measure("lent"), change}, Time: &intent.Time{From: "2026-06-01", Grain: "day", Compare: &intent.Compare{Unit: "month", N: 1}}}, "COMBINATION"},
		"no beginning":                        {intent.Intent{Select: []intent.Output{measure("lent"), change}, Time: &intent.Time{To: "2026-07-01", Compare: &intent.Compare{Unit: "month", N: 1}}}, "NO_PERIOD"},
		"an unknown metric":                   {intent.Intent{Select: []intent.Output{measure("profit")}}, "INVALID"},
		"having no number":                    {intent.Intent{Select: []intent.Output{measure("lent")}, GroupBy: byBranch, Having: []intent.Cond{{Op: intent.Gt, Left: &change}}}, "INVALID"},
		"having no such number":               {intent.Intent{Select: []intent.Output{measure("lent")}, GroupBy: byBranch, Having: []intent.Cond{{Op: intent.Gt, Left: &intent.Output{Field: intent.Field{Kind: intent.KindMetric, ID: "lent"}}, Values: []intent.Literal{{Text: "1 OR TRUE", Number: true}}}}}, "INVALID"},
		"no such day":                         {intent.Intent{Select: []intent.Output{measure("lent")}, Time: &intent.Time{From: "yesterday"}}, "INVALID"},
		"no such unit":                        {intent.Intent{Select: []intent.Output{measure("lent")}, Time: &intent.Time{From: "2026-06-01", Grain: "fortnight"}}, "INVALID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := metric.Choose(ledger(), &c.in)
			var w metric.Written
			if err == nil {
				w, err = metric.Write(ledger(), &c.in, plan, ledgerTables())
			}
			var p *metric.Problem
			if errors.As(err, &p) {
				require.Equal(t, c.want, p.Code, p.Error())
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, strings.Join(strings.Fields(printer.Print(w.Statement)), " "))
		})
	}
}
