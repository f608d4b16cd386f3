package sqlgen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

// TestAnUnknownColumnAnywhereIsRefused: an id that the layer does not have is an error
// wherever it stands, and never left out of the statement; in its place a known one is none.
func TestAnUnknownColumnAnywhereIsRefused(t *testing.T) {
	t.Parallel()
	state, crew := column("ships.flag_state"), agg(intent.AggSum, "ships.crew")
	list := func(change func(*intent.Intent)) intent.Intent {
		in := intent.Intent{Entity: "ships", Select: []intent.Output{state}}
		change(&in)
		return in
	}
	grouped := func(change func(*intent.Intent)) intent.Intent {
		in := intent.Intent{Entity: "ships", Select: []intent.Output{state, crew}, GroupBy: []intent.Field{state.Field}}
		change(&in)
		return in
	}
	for name, place := range map[string]func(id string) intent.Intent{
		"shown": func(id string) intent.Intent {
			return list(func(in *intent.Intent) { in.Select = append(in.Select, column(id)) })
		},
		"aggregated": func(id string) intent.Intent {
			return grouped(func(in *intent.Intent) { in.Select[1] = agg(intent.AggAvg, id) })
		},
		"on the left of arithmetic": func(id string) intent.Intent {
			return list(func(in *intent.Intent) {
				in.Select = []intent.Output{{Calc: &intent.Calc{Op: intent.Minus, Left: column(id), Right: column("ships.crew")}}}
			})
		},
		"on its right": func(id string) intent.Intent {
			return list(func(in *intent.Intent) {
				in.Select = []intent.Output{{Calc: &intent.Calc{Op: intent.Minus, Left: column("ships.crew"), Right: column(id)}}}
			})
		},
		"a filter": func(id string) intent.Intent {
			return list(func(in *intent.Intent) { in.Filters = []intent.Cond{where(id, intent.Gt, number("3"))} })
		},
		"the other side of a filter": func(id string) intent.Intent {
			return list(func(in *intent.Intent) {
				left, right := column("ships.crew"), column(id)
				in.Filters = []intent.Cond{{Op: intent.Gt, Left: &left, Right: &right}}
			})
		},
		"one of two filters": func(id string) intent.Intent {
			return list(func(in *intent.Intent) {
				in.Filters = []intent.Cond{{Op: intent.Or, Args: []intent.Cond{where("ships.crew", intent.Gt, number("3")), where(id, intent.Gt, number("3"))}}}
			})
		},
		"what a filter compares with": func(id string) intent.Intent {
			return list(func(in *intent.Intent) {
				left := column("ships.crew")
				in.Filters = []intent.Cond{{Op: intent.Gt, Left: &left, Sub: &intent.Intent{Entity: "ships", Select: []intent.Output{agg(intent.AggAvg, id)}}}}
			})
		},
		"a filter of related rows": func(id string) intent.Intent {
			return list(func(in *intent.Intent) {
				in.Filters = []intent.Cond{{Op: intent.Exists, Sub: &intent.Intent{Entity: "ships", Filters: []intent.Cond{where(id, intent.Gt, number("3"))}}}}
				in.Entity, in.Select = "calls", []intent.Output{column("calls.fee")}
			})
		},
		"the condition of a count": func(id string) intent.Intent {
			return grouped(func(in *intent.Intent) {
				when := where(id, intent.Gt, number("3"))
				in.Select[1] = rowsOf("ships")
				in.Select[1].When = &when
			})
		},
		"the condition of a sum": func(id string) intent.Intent {
			return grouped(func(in *intent.Intent) {
				when := where(id, intent.Gt, number("3"))
				in.Select[1].When = &when
			})
		},
		"a sum under a condition": func(id string) intent.Intent {
			return grouped(func(in *intent.Intent) {
				when := where("ships.crew", intent.Gt, number("3"))
				in.Select[1] = agg(intent.AggSum, id)
				in.Select[1].When = &when
			})
		},
		"a group": func(id string) intent.Intent {
			return grouped(func(in *intent.Intent) { in.Select[0], in.GroupBy = crew, []intent.Field{column(id).Field} })
		},
		"a condition of groups": func(id string) intent.Intent {
			return grouped(func(in *intent.Intent) {
				of := agg(intent.AggSum, id)
				in.Having = []intent.Cond{{Op: intent.Gt, Left: &of, Values: []intent.Literal{number("3")}}}
			})
		},
		"an order of rows": func(id string) intent.Intent {
			return list(func(in *intent.Intent) { in.OrderBy = []intent.Order{{By: column(id)}} })
		},
		"an order of groups": func(id string) intent.Intent {
			return grouped(func(in *intent.Intent) { in.OrderBy = []intent.Order{{By: agg(intent.AggMax, id)}} })
		},
		"groups of which some rows are kept": func(id string) intent.Intent {
			return list(func(in *intent.Intent) {
				in.OrderBy, in.Limit, in.LimitPer = []intent.Order{{By: column("ships.crew")}}, 2, []intent.Field{column(id).Field}
			})
		},
		"the other half of a set": func(id string) intent.Intent {
			return list(func(in *intent.Intent) {
				in.Set = &intent.Set{Op: "union", Right: intent.Intent{Entity: "ships", Select: []intent.Output{column(id)}}}
			})
		},
		"what is averaged of groups": func(id string) intent.Intent {
			o := agg(intent.AggAvg, id)
			o.Base, o.Per = intent.AggSum, state.Field
			return intent.Intent{Entity: "ships", Select: []intent.Output{o}}
		},
		"the groups of an average": func(id string) intent.Intent {
			o := agg(intent.AggAvg, "ships.length_m")
			o.Base, o.Per = intent.AggSum, column(id).Field
			return intent.Intent{Entity: "ships", Select: []intent.Output{o}}
		},
		"rows that are counted": func(id string) intent.Intent {
			return list(func(in *intent.Intent) {
				in.Counted, in.Filters = true, []intent.Cond{where(id, intent.Gt, number("3"))}
			})
		},
		"a filter of tables that are aggregated apart": func(id string) intent.Intent {
			return intent.Intent{Entity: "calls", Filters: []intent.Cond{where(id, intent.Gt, number("3"))}, Select: []intent.Output{
				{Calc: &intent.Calc{Op: intent.Over, Left: agg(intent.AggSum, "calls.fee"), Right: crew}},
			}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := place("ships.tonnage")
			_, err := harbour().Statement(&in)
			require.NoError(t, err)
			in = place("ships.gone")
			_, err = harbour().Statement(&in)
			require.Error(t, err)
		})
	}
}

// TestFiguresOfTablesSideBySide: each figure is of its own table's rows, with the conditions
// that tell of them; the order and the limit are those of the whole, and a group that has no
// rows of one table has none, not nothing.
func TestFiguresOfTablesSideBySide(t *testing.T) {
	t.Parallel()
	rows := func(table string) intent.Output {
		return intent.Output{Agg: intent.AggCount, Field: intent.Field{Kind: intent.KindEntity, ID: table}}
	}
	sum := func(id string) intent.Output { return intent.Output{Agg: intent.AggSum, Field: column(id).Field} }
	ratio := func(left, right intent.Output) intent.Output {
		return intent.Output{Calc: &intent.Calc{Op: intent.Over, Left: left, Right: right}}
	}
	town := column("branches.town")
	by := func(in intent.Intent) intent.Intent { in.GroupBy = []intent.Field{town.Field}; return in }
	const (
		readers = "(SELECT t2.town AS group1, count(*) AS value1 FROM readers AS t1 JOIN branches AS t2 ON t1.branch_id = t2.branch_id GROUP BY t2.town)"
		loans   = "(SELECT t3.town AS group1, sum(t1.days) AS value1 FROM loans AS t1 JOIN readers AS t2 ON t1.reader_id = t2.reader_id JOIN branches AS t3 ON t2.branch_id = t3.branch_id GROUP BY t3.town)"
	)
	for name, c := range map[string]struct {
		in   intent.Intent
		want string // empty: refused
	}{
		"a number and a sum, ordered and cut": {
			by(intent.Intent{Entity: "loans", Select: []intent.Output{town, rows("readers"), sum("loans.days")}, OrderBy: []intent.Order{{By: sum("loans.days"), Desc: true}, {By: town}}, Limit: 3}),
			"SELECT coalesce(part1.group1, part2.group1) AS town, coalesce(part2.value1, 0) AS number_of_readers, part1.value1 AS total_days FROM " + loans + " AS part1 FULL JOIN " + readers + " AS part2 ON part1.group1 = part2.group1 ORDER BY total_days DESC, coalesce(part1.group1, part2.group1) LIMIT 3",
		},
		"a number for each": {
			by(intent.Intent{Entity: "loans", Select: []intent.Output{town, ratio(sum("loans.days"), rows("readers"))}, OrderBy: []intent.Order{{By: ratio(sum("loans.days"), rows("readers")), Desc: true}}, Limit: 1}),
			"SELECT part1.group1 AS town, CAST(part2.value1 AS double) / nullif(part1.value1, 0) AS ratio FROM " + readers + " AS part1 JOIN " + loans + " AS part2 ON part1.group1 = part2.group1 ORDER BY CAST(part2.value1 AS double) / nullif(part1.value1, 0) DESC LIMIT 1",
		},
		"numbers of both for each": {
			by(intent.Intent{Entity: "loans", Select: []intent.Output{town, ratio(rows("loans"), sum("readers.age"))}}),
			"SELECT part1.group1 AS town, CAST(coalesce(part2.value1, 0) AS double) / nullif(part1.value1, 0) AS ratio FROM (SELECT t2.town AS group1, sum(t1.age) AS value1 FROM readers AS t1 JOIN branches AS t2 ON t1.branch_id = t2.branch_id GROUP BY t2.town) AS part1 LEFT JOIN (SELECT t3.town AS group1, count(*) AS value1 FROM loans AS t1 JOIN readers AS t2 ON t1.reader_id = t2.reader_id JOIN branches AS t3 ON t2.branch_id = t3.branch_id GROUP BY t3.town) AS part2 ON part1.group1 = part2.group1",
		},
		"two sums of one table beside another's": {
			intent.Intent{Entity: "loans", Select: []intent.Output{sum("readers.age"), {Agg: intent.AggMax, Field: column("readers.age").Field}, sum("loans.days")}},
			"SELECT part2.value1 AS total_age, part2.value2 AS highest_age, part1.value1 AS total_days FROM (SELECT sum(days) AS value1 FROM loans) AS part1 CROSS JOIN (SELECT sum(age) AS value1, max(age) AS value2 FROM readers) AS part2",
		},
		"of groups that have more than so many": {in: by(intent.Intent{Entity: "loans", Select: []intent.Output{town, sum("readers.age"), sum("loans.days")}, Having: []intent.Cond{{Op: intent.Gt, Left: &intent.Output{Agg: intent.AggSum, Field: column("loans.days").Field}, Values: []intent.Literal{{Text: "3", Number: true}}}}})},
		"with a set":                            {in: by(intent.Intent{Entity: "loans", Select: []intent.Output{town, sum("readers.age"), sum("loans.days")}, Set: &intent.Set{Op: "union", Right: intent.Intent{Entity: "readers", Select: []intent.Output{town, sum("readers.age"), sum("readers.age")}}}})},
		"each once":                             {in: by(intent.Intent{Entity: "loans", Select: []intent.Output{town, sum("readers.age"), sum("loans.days")}, Distinct: true})},
		"counted":                               {in: by(intent.Intent{Entity: "loans", Select: []intent.Output{town, sum("readers.age"), sum("loans.days")}, Counted: true})},
		"with what is not grouped":              {in: by(intent.Intent{Entity: "loans", Select: []intent.Output{column("readers.name"), sum("readers.age"), sum("loans.days")}})},
		"with a nested condition":               {in: by(intent.Intent{Entity: "loans", Select: []intent.Output{town, sum("readers.age"), sum("loans.days")}, Filters: []intent.Cond{{Op: intent.Or, Args: []intent.Cond{where("readers.age", intent.Gt, number("3")), where("readers.age", intent.Lt, number("1"))}}}})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stmt, err := library().Statement(&c.in)
			if c.want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, printer.Print(stmt))
		})
	}
	_, err := library().Statement(&intent.Intent{Entity: "loans", GroupBy: []intent.Field{town.Field}, Select: []intent.Output{town, sum("readers.age")}, OrderBy: []intent.Order{{By: sum("loans.days")}}, Having: []intent.Cond{{Op: intent.Gt, Left: &intent.Output{Agg: intent.AggSum, Field: column("readers.age").Field}, Values: []intent.Literal{{Text: "3", Number: true}}}}})
	require.ErrorIs(t, err, sqlgen.ErrFanOut, "an order by what repeats the rows that are added up")
}

// TestAConditionThatCannotBeWrittenIsRefused: wherever it stands, a comparison of a number
// with a word is an error, and never left out of the statement.
func TestAConditionThatCannotBeWrittenIsRefused(t *testing.T) {
	t.Parallel()
	state, crew := column("ships.flag_state"), agg(intent.AggSum, "ships.crew")
	good, bad := where("ships.crew", intent.Gt, number("20")), where("ships.crew", intent.Gt, word("many"))
	under := func(o intent.Output, when intent.Cond) intent.Output { o.When = &when; return o }
	rate := rowsOf("ships")
	rate.Agg = intent.AggRate
	one := func(o intent.Output) intent.Intent { return intent.Intent{Entity: "ships", Select: []intent.Output{o}} }
	filtered := func(c intent.Cond) intent.Intent {
		return intent.Intent{Entity: "ships", Select: []intent.Output{state}, Filters: []intent.Cond{c}}
	}
	for name, place := range map[string]func(c intent.Cond) intent.Intent{
		"a filter": filtered,
		"a denied one": func(c intent.Cond) intent.Intent {
			return filtered(intent.Cond{Op: intent.Not, Args: []intent.Cond{c}})
		},
		"one of two": func(c intent.Cond) intent.Intent {
			return filtered(intent.Cond{Op: intent.Or, Args: []intent.Cond{good, c}})
		},
		"both of two": func(c intent.Cond) intent.Intent {
			return filtered(intent.Cond{Op: intent.And, Args: []intent.Cond{good, c}})
		},
		"a count": func(c intent.Cond) intent.Intent { return one(under(rowsOf("ships"), c)) },
		"a rate":  func(c intent.Cond) intent.Intent { return one(under(rate, c)) },
		"a sum":   func(c intent.Cond) intent.Intent { return one(under(crew, c)) },
		"an average that a filter compares with": func(c intent.Cond) intent.Intent {
			left := column("ships.length_m")
			return filtered(intent.Cond{Op: intent.Gt, Left: &left, Sub: &intent.Intent{Entity: "ships", Select: []intent.Output{agg(intent.AggAvg, "ships.length_m")}, Filters: []intent.Cond{c}}})
		},
		"related rows": func(c intent.Cond) intent.Intent {
			return intent.Intent{Entity: "calls", Select: []intent.Output{column("calls.fee")}, Filters: []intent.Cond{{Op: intent.Exists, Sub: &intent.Intent{Entity: "ships", Filters: []intent.Cond{c}}}}}
		},
		"rows that only filter": func(c intent.Cond) intent.Intent {
			low := where("calls.fee", intent.Gt, number("3"))
			if c.Values[0].Text == "many" {
				low = where("calls.fee", intent.Gt, word("many"))
			}
			return filtered(low)
		},
		"groups": func(c intent.Cond) intent.Intent {
			return intent.Intent{Entity: "ships", Select: []intent.Output{state, crew}, GroupBy: []intent.Field{state.Field}, Having: []intent.Cond{{Op: intent.Gt, Left: &crew, Values: c.Values}}}
		},
		"the other half of a set": func(c intent.Cond) intent.Intent {
			in := one(state)
			in.Set = &intent.Set{Op: "union", Right: filtered(c)}
			return in
		},
		"rows that are counted": func(c intent.Cond) intent.Intent { in := filtered(c); in.Counted = true; return in },
		"groups that are averaged": func(c intent.Cond) intent.Intent {
			o := crew
			o.Agg, o.Base, o.Per = intent.AggAvg, intent.AggSum, state.Field
			in := one(o)
			in.Filters = []intent.Cond{c}
			return in
		},
		"first rows of each group": func(c intent.Cond) intent.Intent {
			in := filtered(c)
			in.OrderBy, in.Limit, in.LimitPer = []intent.Order{{By: column("ships.length_m")}}, 2, []intent.Field{state.Field}
			return in
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := place(good)
			_, err := harbour().Statement(&in)
			require.NoError(t, err)
			in = place(bad)
			_, err = harbour().Statement(&in)
			require.Error(t, err)
		})
	}
}
