package sqlgen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

// TestNamesOfResults: a column of a result is called by what it is: which rows a rate counts,
// and what arithmetic was done.
func TestNamesOfResults(t *testing.T) {
	t.Parallel()
	rate := func(id, value, times string) intent.Output {
		o := agg(intent.AggRate, id)
		o.Value, o.Times = value, times
		return o
	}
	share := func(times string) intent.Output {
		o := agg(intent.AggShare, "ships.crew")
		o.Times = times
		return o
	}
	calc := func(a intent.Agg, op intent.CalcOp) intent.Output {
		return intent.Output{Agg: a, Calc: &intent.Calc{Op: op, Left: column("ships.crew"), Right: column("ships.length_m")}}
	}
	for want, o := range map[string]intent.Output{
		"malta_share": rate("ships.flag_state", "Malta", ""), "malta_percentage": rate("ships.flag_state", "Malta", "100"),
		"not_flag_state_share": rate("ships.flag_state", "No", ""), "not_grade_share": rate("ships.grade", "0", ""), "not_insured_share": rate("ships.insured", "FALSE", ""), "insured_rate": rate("ships.insured", "true", ""), "flag_state_rate": rate("ships.flag_state", "yes", ""),
		"crew_share_of_total": share(""), "crew_percentage_of_total": share("100"),
		"difference": calc("", intent.Minus), "sum": calc("", intent.Plus), "product": calc("", intent.Product), "ratio": calc("", intent.Over), "percentage": calc("", intent.Percent), "days": calc("", intent.Days), "hours": calc("", intent.Hours), "minutes": calc("", intent.Minutes),
		"average_difference": calc(intent.AggAvg, intent.Minus), "highest_sum": calc(intent.AggMax, intent.Plus),
		"number_of_ships": rowsOf("ships"), "number_of_flag_states": agg(intent.AggCountDistinct, "ships.flag_state"), "total_crew": agg(intent.AggSum, "ships.crew"), "lowest_built": agg(intent.AggMin, "ships.built"), "flag_state": column("ships.flag_state"),
	} {
		require.Equal(t, []string{want}, harbour().Columns(&intent.Intent{Entity: "ships", Select: []intent.Output{o}}))
	}
}

// TestOrdersByRepeatedRows: what orders groups is refused over rows that a join repeats, as
// what is shown is, and so is a condition of groups.
func TestOrdersByRepeatedRows(t *testing.T) {
	t.Parallel()
	goods, crew, weight := column("crates.goods"), agg(intent.AggSum, "ships.crew"), agg(intent.AggSum, "crates.weight")
	more := intent.Cond{Op: intent.Gt, Left: &crew, Values: []intent.Literal{number("3")}}
	for name, change := range map[string]func(*intent.Intent){
		"an order":      func(in *intent.Intent) { in.OrderBy = []intent.Order{{By: weight}, {By: crew}} },
		"a condition":   func(in *intent.Intent) { in.Having = []intent.Cond{more} },
		"what is shown": func(in *intent.Intent) { in.Select = append(in.Select, crew) },
	} {
		in := intent.Intent{Entity: "crates", Select: []intent.Output{goods, weight}, GroupBy: []intent.Field{goods.Field}}
		_, err := harbour().Statement(&in)
		require.NoError(t, err)
		change(&in)
		_, err = harbour().Statement(&in)
		require.ErrorIs(t, err, sqlgen.ErrFanOut, name)
	}
}

// TestNamesDoNotSayTwice: what the name of a column says already is not said again.
func TestNamesDoNotSayTwice(t *testing.T) {
	t.Parallel()
	tables := []catalog.Table{{Name: catalog.Name{Table: "games"}, RowCount: 9, Columns: []catalog.Column{{Name: "total_attendance", Type: "double"}, {Name: "average_age", Type: "double"}}}}
	layer := semantic.Derive(tables)
	g := sqlgen.New(layer, plan.New([]string{layer.Entities[0].Table}, layer.Joins), tables)
	for want, o := range map[string]intent.Output{
		"total_attendance": agg(intent.AggSum, "games.total_attendance"), "average_total_attendance": agg(intent.AggAvg, "games.total_attendance"),
		"average_age": agg(intent.AggAvg, "games.average_age"), "total_average_age": agg(intent.AggSum, "games.average_age"),
	} {
		require.Equal(t, []string{want}, g.Columns(&intent.Intent{Entity: "games", Select: []intent.Output{o}}))
	}
}
