package reader_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestAmountsThatAreNotNamed: a unit, a wish for money, or a place in an order stands for the one
// amount that there is; the time of what happened is its own; and words that only file a table
// are no part of its name.
func TestAmountsThatAreNotNamed(t *testing.T) {
	t.Parallel()
	farms := catalog.Table{Name: catalog.Name{Table: "farms"}, RowCount: 300, Columns: []catalog.Column{
		{Name: "Farm No", Type: "varchar", PrimaryKey: true, Distinct: 300},
		{Name: "Valley", Type: "varchar", Distinct: 4, Samples: []string{"Upper", "Lower"}},
		{Name: "Hives", Type: "bigint", Distinct: 12},
		{Name: "Joined", Type: "date", Distinct: 200},
	}}
	deliveries := catalog.Table{Name: catalog.Name{Table: "deliveries_export_2030"}, RowCount: 9000, Columns: []catalog.Column{
		{Name: "farm_no", Type: "varchar", Distinct: 280},
		{Name: "Brought on", Type: "date", Distinct: 300},
		{Name: "Honey (kg)", Type: "double", Distinct: 800},
		{Name: "Paid", Type: "double", Unit: "EUR", Distinct: 700},
		{Name: "Grade", Type: "varchar", Distinct: 3, Samples: []string{"Clear", "Set"}},
		{Name: "Shop", Type: "varchar", Distinct: 40, Samples: []string{"Mill Lane", "Station"}},
	}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"farm_no"}, RefTable: catalog.Name{Table: "farms"}, RefColumns: []string{"Farm No"}}}}
	s := open(t, farms, deliveries)
	for question, want := range map[string]string{
		"How many kilos did each valley get in 2030?": `SELECT t2.Valley, sum(t1."Honey (kg)") AS total_honey_kg FROM deliveries_export_2030 AS t1 JOIN farms AS t2 ON t1.farm_no = t2."Farm No" WHERE t1."Brought on" >= DATE '2030-01-01' AND t1."Brought on" < DATE '2031-01-01' GROUP BY t2.Valley ORDER BY total_honey_kg DESC, t2.Valley`,
		"kilos per valley":                            `SELECT t2.Valley, sum(t1."Honey (kg)") AS total_honey_kg FROM deliveries_export_2030 AS t1 JOIN farms AS t2 ON t1.farm_no = t2."Farm No" GROUP BY t2.Valley ORDER BY total_honey_kg DESC, t2.Valley`,
		"How many tonnes did each valley bring?":      "refused", // nothing is in tonnes
		"Total Set deliveries in 2030":                "refused", // kilos, or money
		"How much did we pay for Set deliveries?":     `SELECT sum(Paid) AS total_paid FROM deliveries_export_2030 WHERE Grade = 'Set'`,
		"How many deliveries over €1,000 were there?": `SELECT count(*) AS number_of_deliveries FROM deliveries_export_2030 WHERE Paid > 1000`,
		"Top 3 shops": `SELECT Shop, sum(Paid) AS total_paid FROM deliveries_export_2030 WHERE Shop IS NOT NULL GROUP BY Shop ORDER BY total_paid DESC LIMIT 3`,
		"How many farms had no deliveries in 2030?":         `SELECT count(*) AS number_of_farms FROM farms AS t1 WHERE NOT EXISTS (SELECT 1 FROM deliveries_export_2030 AS t2 WHERE t1."Farm No" = t2.farm_no AND t2."Brought on" >= DATE '2030-01-01' AND t2."Brought on" < DATE '2031-01-01')`,
		"How many farms in 2030 had no deliveries?":         `SELECT count(*) AS number_of_farms FROM farms AS t1 WHERE NOT EXISTS (SELECT 1 FROM deliveries_export_2030 AS t2 WHERE t1."Farm No" = t2.farm_no) AND t1.Joined >= DATE '2030-01-01' AND t1.Joined < DATE '2031-01-01'`,
		"How many farms that joined in 2030 have no hives?": `SELECT count(*) AS number_of_farms FROM farms WHERE (Hives IS NULL OR Hives = 0) AND Joined >= DATE '2030-01-01' AND Joined < DATE '2031-01-01'`,
		"Which month had the most deliveries?":              `SELECT date_trunc('month', "Brought on") AS month FROM deliveries_export_2030 GROUP BY date_trunc('month', "Brought on") ORDER BY count(*) DESC LIMIT 1`,
		"哪年的Paid总额最高？":                                      `SELECT date_trunc('year', "Brought on") AS year FROM deliveries_export_2030 GROUP BY date_trunc('year', "Brought on") ORDER BY sum(Paid) DESC LIMIT 1`,
		"哪个月的Paid总额最高？":                                     `SELECT date_trunc('month', "Brought on") AS month FROM deliveries_export_2030 GROUP BY date_trunc('month', "Brought on") ORDER BY sum(Paid) DESC LIMIT 1`,
		"Which year had the highest paid amount?":           `SELECT date_trunc('year', "Brought on") AS year FROM deliveries_export_2030 GROUP BY date_trunc('year', "Brought on") ORDER BY sum(Paid) DESC LIMIT 1`,
		"In what year were the most deliveries brought on?": `SELECT date_trunc('year', "Brought on") AS year FROM deliveries_export_2030 GROUP BY date_trunc('year', "Brought on") ORDER BY count(*) DESC LIMIT 1`,
		"Which hour had the most deliveries?":               "refused",                                                                                                     // days have none
		"Which shop delivered the most?":                    `SELECT Shop FROM deliveries_export_2030 WHERE Shop IS NOT NULL GROUP BY Shop ORDER BY count(*) DESC LIMIT 1`, // kilos, or money: demands refuse it
		"How many farms have hives?":                        `SELECT count(*) AS number_of_farms FROM farms WHERE Hives > 0`,
	} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			sql, read := s.ask(t, question)
			if want == "refused" {
				require.True(t, read.Intent.Entity == "" || len(read.Unread) > 0, sql)
				return
			}
			require.Equal(t, want, sql, "%+v", read.Notes)
			require.Empty(t, read.Unread)
		})
	}
	readings, _ := s.reader.Question("How many farms had no deliveries in 2030?", s.view, today).Readings()
	prev := readings[0].Intent
	require.Equal(t, `SELECT count(*) AS number_of_farms FROM farms AS t1 WHERE NOT EXISTS (SELECT 1 FROM deliveries_export_2030 AS t2 WHERE t1."Farm No" = t2.farm_no AND t2."Brought on" >= DATE '2029-01-01' AND t2."Brought on" < DATE '2030-01-01')`, s.change(t, &prev, "and in 2029?"))
	require.Len(t, prev.Filters[0].Sub.Filters, 2)
	require.Equal(t, "2030-01-01", prev.Filters[0].Sub.Filters[0].Values[0].Text, "the question before stays as it was")
}

// TestWordsThatAreNoAmountAndNoNumber: a year is no number of firsts, what is done is no column that
// means something like it, a visit is not the day of it, and honey is no number of its deliveries.
func TestWordsThatAreNoAmountAndNoNumber(t *testing.T) {
	t.Parallel()
	visits := catalog.Table{Name: catalog.Name{Table: "hive_checks"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "Checked", Type: "date", Distinct: 300},
		{Name: "Inspector", Type: "varchar", Distinct: 4, Samples: []string{"Bo", "Kim"}},
		{Name: "Mites", Type: "bigint", Distinct: 40, Missing: 7},
		{Name: "Paid out", Type: "double", Unit: "EUR", Distinct: 300},
	}}
	s := open(t, visits)
	for question, want := range map[string]string{
		"Which month in 2030 had the most hive checks?":     `SELECT date_trunc('month', Checked) AS month FROM hive_checks WHERE Checked >= DATE '2030-01-01' AND Checked < DATE '2031-01-01' GROUP BY date_trunc('month', Checked) ORDER BY count(*) DESC LIMIT 1`,
		"Which inspector of 2030 had the most hive checks?": "refused",
		"Which 3 inspectors had the most hive checks?":      `SELECT Inspector FROM hive_checks WHERE Inspector IS NOT NULL GROUP BY Inspector ORDER BY count(*) DESC LIMIT 3`,
		"How much honey did we take in altogether in 2030?": "refused",
		"average mites per check for each inspector":        `SELECT Inspector, avg(Mites) AS average_mites FROM hive_checks GROUP BY Inspector ORDER BY average_mites DESC, Inspector`,
		"hive by inspector":              "refused",
		"checks by inspector":            `SELECT Inspector, count(*) AS number_of_hive_checks FROM hive_checks GROUP BY Inspector ORDER BY number_of_hive_checks DESC, Inspector`,
		"Compare hive in 2030 with 2029": "refused",
	} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			sql, read := s.ask(t, question)
			if want == "refused" {
				require.True(t, read.Intent.Entity == "" || len(read.Unread) > 0, sql)
				return
			}
			require.Equal(t, want, sql, "%+v", read.Notes)
			require.Empty(t, read.Unread)
		})
	}
	_, read := s.ask(t, "How many hive checks had no mites?")
	require.Contains(t, fmt.Sprint(read.Notes), "{none_or_missing [7 Mites]}")
}

// TestTheMostMoney: where rows have one amount, and that is money, who gave the most gave most of it.
func TestTheMostMoney(t *testing.T) {
	t.Parallel()
	gifts := open(t, catalog.Table{Name: catalog.Name{Table: "gifts"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "giver", Type: "varchar", Distinct: 40}, {Name: "sum_eur", Type: "double", Unit: "EUR", Distinct: 300},
	}})
	sql, _ := gifts.ask(t, "Which giver made the gifts the most?")
	require.Equal(t, "SELECT giver FROM gifts WHERE giver IS NOT NULL GROUP BY giver ORDER BY sum(sum_eur) DESC LIMIT 1", sql)
}

// TestGeneralDemands: words of a stored value or of a whole name deny nothing, ask for no order
// and for no size.
func TestGeneralDemands(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "loads"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "load_id", Type: "bigint", PrimaryKey: true, Distinct: 900},
		{Name: "Truck No", Type: "varchar", Distinct: 30},
		{Name: "state", Type: "varchar", Distinct: 3, Samples: []string{"Not sent", "Sent", "Top 5 list"}},
		{Name: "weight_kg", Type: "double", Distinct: 300},
	}})
	for question, want := range map[string][3]string{
		"How many loads per truck no?":                {},
		"How many loads are not sent?":                {}, // as it is stored
		"How many loads have no weight?":              {0: "no"},
		"Which trucks have loads without a weight":    {0: "without"},
		"有多少没有重量的装载？":                                 {0: "没有"},
		"有没有超重的装载？":                                   {},
		"Was the load sent or not?":                   {},
		"Top 5 trucks":                                {1: "Top"},
		"first 5 trucks":                              {},
		"前3名卡车":                                       {1: "前"},
		"loads in the Top 5 list":                     {},
		"How many kilos did each truck carry?":        {2: "How many kilos"},
		"kilograms by truck":                          {2: "kilograms"},
		"How many loads of more than 30 kilos?":       {},
		"How many minutes did it take?":               {},
		"loads that weigh no more than 30 kilograms?": {},
	} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			d := s.reader.Question(question, s.view, today).Demands()
			require.Equal(t, want, [3]string{d.Deny, d.Utmost, d.Measure})
		})
	}
}

// TestValuesBesideTheirNames: a value behind the name of its column is said, however short.
func TestValuesBesideTheirNames(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "loans"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "loan_id", Type: "bigint", PrimaryKey: true, Distinct: 900},
		{Name: "risk_grade", Type: "varchar", Distinct: 3, Samples: []string{"A", "B", "C"}},
	}})
	for question, want := range map[string]int{"How many loans have risk grade A?": 1, "How many loans have a risk grade?": 0, "a loan of grade B": 0, "loans with risk grade c": 0} {
		require.Len(t, s.reader.Question(question, s.view, today).Said(), want, question)
	}
}

// Money that is asked for, and not of which column, is the one amount of money of the rows or of what
// happens to them: what was paid, and not the tips. What an amount was, and nothing else, is its total.
func TestMoneyOfNoColumn(t *testing.T) {
	t.Parallel()
	stylists := catalog.Table{Name: catalog.Name{Table: "stylists"}, RowCount: 9, Columns: []catalog.Column{key("stylist_id"), {Name: "name", Type: "varchar", Distinct: 9}, texts("branch", "Harbour", "Station")}}
	visits := catalog.Table{Name: catalog.Name{Table: "visits"}, RowCount: 900, Columns: []catalog.Column{
		key("visit_id"), col("stylist_id", "bigint"), col("made_at", "timestamp"), col("paid", "double"), col("tip", "double"), texts("method", "card", "cash"),
	}, ForeignKeys: []catalog.ForeignKey{to("stylist_id", "stylists")}}
	s := open(t, stylists, visits)
	for question, want := range map[string]string{
		"Which branch makes the most money?":      "SELECT t2.branch FROM visits AS t1 JOIN stylists AS t2 ON t1.stylist_id = t2.stylist_id GROUP BY t2.branch ORDER BY sum(t1.paid) DESC LIMIT 1",
		"What did we take in cash in March 2030?": "SELECT sum(paid) AS total_paid FROM visits WHERE method = 'cash' AND made_at >= DATE '2030-03-01' AND made_at < DATE '2030-04-01'",
	} {
		got, reading := s.ask(t, question)
		require.Equal(t, want, got, question)
		require.Contains(t, notesOf(reading.Notes), "{summed [paid]}", question)
	}
	visits.Columns[4].Name = "deposit_paid"
	got, _ := open(t, stylists, visits).ask(t, "Which branch makes the most money?")
	require.NotContains(t, got, "sum(", "which of two is meant nobody said: %s", got)
}
