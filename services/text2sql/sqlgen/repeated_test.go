package sqlgen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

// TestRepeatedRowsAreNeverAddedUp: arithmetic and counts under a condition are refused over
// rows that a join repeats, and written where one of their tables has every row once.
func TestRepeatedRowsAreNeverAddedUp(t *testing.T) {
	t.Parallel()
	goods, state := column("crates.goods"), column("ships.flag_state")
	product := func(a intent.Agg, left, right string) intent.Output {
		return intent.Output{Agg: a, Calc: &intent.Calc{Op: intent.Product, Left: column(left), Right: column(right)}}
	}
	counted := func(table string, a intent.Agg, when intent.Cond) intent.Output {
		o := rowsOf(table)
		o.Agg, o.When = a, &when
		return o
	}
	big, dear, heavy := where("ships.crew", intent.Gt, number("20")), where("calls.fee", intent.Gt, number("5")), where("crates.weight", intent.Gt, number("9"))
	for name, c := range map[string]struct {
		by   intent.Output
		of   intent.Output
		want string // empty: refused
	}{
		"two tables that are both repeated": {goods, product(intent.AggSum, "ships.crew", "calls.fee"), ""},
		"an average of them":                {goods, product(intent.AggAvg, "ships.crew", "calls.fee"), ""},
		"one that is not":                   {goods, product(intent.AggSum, "calls.fee", "crates.weight"), "SELECT t1.goods, sum(t2.fee * t1.weight) AS total_product FROM crates AS t1 JOIN calls AS t2 ON t1.call_id = t2.call_id GROUP BY t1.goods"},
		"ships of kinds of goods":           {goods, counted("ships", intent.AggCount, big), ""},
		"a part of them":                    {goods, counted("ships", intent.AggRate, big), ""},
		"calls of kinds of goods":           {goods, counted("calls", intent.AggCount, dear), ""},
		"calls of states":                   {state, counted("calls", intent.AggCount, dear), "SELECT t2.flag_state, count_if(t1.fee > 5) AS number_of_calls FROM calls AS t1 JOIN ships AS t2 ON t1.ship_id = t2.ship_id GROUP BY t2.flag_state"},
		"crates of states":                  {state, counted("crates", intent.AggCount, heavy), "SELECT t3.flag_state, count_if(t1.weight > 9) AS number_of_crates FROM crates AS t1 JOIN calls AS t2 ON t1.call_id = t2.call_id JOIN ships AS t3 ON t2.ship_id = t3.ship_id GROUP BY t3.flag_state"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entity := c.of.ID
			if entity == "" {
				entity = "crates"
			}
			stmt, err := harbour().Statement(&intent.Intent{Entity: entity, Select: []intent.Output{c.by, c.of}, GroupBy: []intent.Field{c.by.Field}})
			if c.want == "" {
				require.ErrorIs(t, err, sqlgen.ErrFanOut)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, printer.Print(stmt))
		})
	}
}

// TestAnAggregateOfAnAggregateStandsAlone: what else an intent asks for would be lost in the
// query around it, and is refused instead.
func TestAnAggregateOfAnAggregateStandsAlone(t *testing.T) {
	t.Parallel()
	state, fee := column("ships.flag_state"), agg(intent.AggSum, "calls.fee")
	figure := agg(intent.AggAvg, "calls.fee")
	figure.Base, figure.Per = intent.AggSum, state.Field
	base := intent.Intent{Entity: "calls", Select: []intent.Output{figure}}
	_, err := harbour().Statement(&base)
	require.NoError(t, err)
	filtered := base
	filtered.Filters = []intent.Cond{where("ships.crew", intent.Gt, number("20"))}
	stmt, err := harbour().Statement(&filtered)
	require.NoError(t, err)
	require.Contains(t, printer.Print(stmt), "crew > 20")
	for name, change := range map[string]func(*intent.Intent){
		"groups": func(in *intent.Intent) { in.GroupBy = []intent.Field{column("piers.side").Field} },
		"having": func(in *intent.Intent) {
			in.Having = []intent.Cond{{Op: intent.Gt, Left: &fee, Values: []intent.Literal{number("2")}}}
		},
		"order":   func(in *intent.Intent) { in.OrderBy = []intent.Order{{By: state}} },
		"a set":   func(in *intent.Intent) { in.Set = &intent.Set{Op: "union", Right: base} },
		"a range": func(in *intent.Intent) { in.Select[0].Agg = "range" },
	} {
		in := base
		in.Select = []intent.Output{figure}
		change(&in)
		_, err := harbour().Statement(&in)
		require.ErrorIs(t, err, sqlgen.ErrShape, name)
	}
}
