package sqlgen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

func TestTablesAreAggregatedApart(t *testing.T) {
	t.Parallel()
	of := func(agg intent.Agg, id string) intent.Output { return intent.Output{Agg: agg, Field: column(id).Field} }
	rows := func(table string) intent.Output {
		return intent.Output{Agg: intent.AggCount, Field: intent.Field{Kind: intent.KindEntity, ID: table}}
	}
	ratio := func(left, right intent.Output) intent.Output {
		return intent.Output{Calc: &intent.Calc{Op: intent.Over, Left: left, Right: right}}
	}
	age, days, town := of(intent.AggSum, "readers.age"), of(intent.AggSum, "loans.days"), column("branches.town")
	adults := intent.Cond{Op: intent.Ge, Left: &intent.Output{Field: column("readers.age").Field}, Values: []intent.Literal{{Text: "18", Number: true}}}
	long := intent.Cond{Op: intent.Ge, Left: &intent.Output{Field: column("loans.days").Field}, Values: []intent.Literal{{Text: "30", Number: true}}}
	const (
		readers = "(SELECT t2.town AS group1, sum(t1.age) AS value1 FROM readers AS t1 JOIN branches AS t2 ON t1.branch_id = t2.branch_id GROUP BY t2.town)"
		loans   = "(SELECT t3.town AS group1, sum(t1.days) AS value1 FROM loans AS t1 JOIN readers AS t2 ON t1.reader_id = t2.reader_id JOIN branches AS t3 ON t2.branch_id = t3.branch_id GROUP BY t3.town)"
	)
	cases := []struct {
		name string
		in   intent.Intent
		want string // empty: refused
	}{
		{
			"a ratio of all", intent.Intent{Entity: "loans", Select: []intent.Output{ratio(days, age)}},
			"SELECT CAST(part2.value1 AS double) / nullif(part1.value1, 0) AS ratio FROM (SELECT sum(age) AS value1 FROM readers) AS part1 CROSS JOIN (SELECT sum(days) AS value1 FROM loans) AS part2",
		},
		{
			"a ratio of groups", intent.Intent{Entity: "loans", Select: []intent.Output{town, ratio(days, age)}, GroupBy: []intent.Field{town.Field}, OrderBy: []intent.Order{{By: town}}},
			"SELECT part1.group1 AS town, CAST(part2.value1 AS double) / nullif(part1.value1, 0) AS ratio FROM " + readers + " AS part1 JOIN " + loans + " AS part2 ON part1.group1 = part2.group1 ORDER BY part1.group1",
		},
		{
			"two sums of groups", intent.Intent{Entity: "loans", Select: []intent.Output{town, age, days}, GroupBy: []intent.Field{town.Field}},
			"SELECT coalesce(part1.group1, part2.group1) AS town, part2.value1 AS total_age, part1.value1 AS total_days FROM " + loans + " AS part1 FULL JOIN " + readers + " AS part2 ON part1.group1 = part2.group1",
		},
		{
			"a condition on both", intent.Intent{Entity: "loans", Select: []intent.Output{ratio(days, age)}, Filters: []intent.Cond{adults}},
			"SELECT CAST(part2.value1 AS double) / nullif(part1.value1, 0) AS ratio FROM (SELECT sum(age) AS value1 FROM readers WHERE age >= 18) AS part1" +
				" CROSS JOIN (SELECT sum(t1.days) AS value1 FROM loans AS t1 JOIN readers AS t2 ON t1.reader_id = t2.reader_id WHERE t2.age >= 18) AS part2",
		},
		{
			"a count that a condition says nothing of", intent.Intent{Entity: "loans", Select: []intent.Output{ratio(days, rows("readers"))}, Filters: []intent.Cond{long}},
			"SELECT CAST(part2.value1 AS double) / nullif(part1.value1, 0) AS ratio FROM (SELECT count(*) AS value1 FROM readers) AS part1 CROSS JOIN (SELECT sum(days) AS value1 FROM loans WHERE days >= 30) AS part2",
		},
		{"a sum that a condition says nothing of", intent.Intent{Entity: "loans", Select: []intent.Output{ratio(days, age)}, Filters: []intent.Cond{long}}, ""},
		{"groups of which a row has several", intent.Intent{Entity: "loans", Select: []intent.Output{column("loans.days"), age}, GroupBy: []intent.Field{column("loans.days").Field}}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			stmt, err := library().Statement(&c.in)
			if c.want == "" {
				require.ErrorIs(t, err, sqlgen.ErrFanOut)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, printer.Print(stmt))
		})
	}
}
