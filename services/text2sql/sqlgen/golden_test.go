package sqlgen_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// harbour is a schema with a column of each type: ships call at piers, calls have
// crates, and their keys are partly texts. Nothing joins weather.
func harbour() *sqlgen.Generator {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	key := func(c, kind string) catalog.Column {
		return catalog.Column{Name: c, Type: kind, PrimaryKey: true, NotNull: true, Distinct: 90}
	}
	text := func(c string, values ...string) catalog.Column {
		return catalog.Column{Name: c, Type: "varchar", Samples: values, Distinct: int64(len(values))}
	}
	tables := []catalog.Table{
		{Name: name("ships"), RowCount: 90, Columns: []catalog.Column{
			key("ship_id", "bigint"), text("flag_state", "Malta", "Panama"), text("grade", "1", "2", "3.5"), text("launched", "2001-02-03", "2004-05-06"), text("seen_at", "2030-01-01 10:00:00", "2030-02-01 11:30:00"),
			{Name: "tonnage", Type: "decimal(12,2)"}, {Name: "crew", Type: "bigint"}, {Name: "length_m", Type: "double"}, {Name: "insured", Type: "boolean"}, {Name: "built", Type: "date"}, {Name: "inspected", Type: "timestamp(6)"},
		}},
		{Name: name("piers"), RowCount: 9, Columns: []catalog.Column{key("pier_id", "varchar"), text("side", "North", "South"), {Name: "depth", Type: "double"}}},
		{Name: name("calls"), RowCount: 900, Columns: []catalog.Column{
			key("call_id", "bigint"), {Name: "ship_id", Type: "bigint"}, {Name: "pier_id", Type: "bigint"}, {Name: "arrived", Type: "timestamp"}, {Name: "left_at", Type: "timestamp"}, {Name: "fee", Type: "double"}, {Name: "paid", Type: "double"},
		}, ForeignKeys: []catalog.ForeignKey{
			{Columns: []string{"ship_id"}, RefTable: name("ships"), RefColumns: []string{"ship_id"}}, {Columns: []string{"pier_id"}, RefTable: name("piers"), RefColumns: []string{"pier_id"}},
		}},
		{Name: name("crates"), RowCount: 9000, Columns: []catalog.Column{{Name: "call_id", Type: "bigint"}, {Name: "weight", Type: "double"}, text("goods", "tea", "it's_100%")}, ForeignKeys: []catalog.ForeignKey{
			{Columns: []string{"call_id"}, RefTable: name("calls"), RefColumns: []string{"call_id"}},
		}},
		{Name: name("weather"), RowCount: 300, Columns: []catalog.Column{{Name: "wind", Type: "double"}}},
	}
	layer := semantic.Derive(tables)
	names := make([]string, len(layer.Entities))
	for i, e := range layer.Entities {
		names[i] = e.Table
	}
	return sqlgen.New(layer, plan.New(names, layer.Joins), tables)
}

func number(s string) intent.Literal { return intent.Literal{Text: s, Number: true} }
func date(s string) intent.Literal   { return intent.Literal{Text: s, Date: true} }
func word(s string) intent.Literal   { return intent.Literal{Text: s} }

func rowsOf(table string) intent.Output {
	return intent.Output{Agg: intent.AggCount, Field: intent.Field{Kind: intent.KindEntity, ID: table}}
}

func agg(a intent.Agg, id string) intent.Output {
	return intent.Output{Agg: a, Field: column(id).Field}
}

func where(id string, op intent.Op, values ...intent.Literal) intent.Cond {
	left := column(id)
	return intent.Cond{Op: op, Left: &left, Values: values}
}

// conditions are each operator on a column of each type.
func conditions() []intent.Cond {
	literals := map[string][]intent.Literal{
		"ships.flag_state": {word("Malta"), word("malta"), number("3"), word("50%_\\")},
		"ships.grade":      {number("2"), word("2"), word("x")},
		"ships.launched":   {date("2003-01-31"), number("2003"), word("2003")},
		"ships.seen_at":    {date("2030-01-31"), number("2030")},
		"ships.crew":       {number("20"), word("many")},
		"ships.insured":    {word("TRUE"), word("false"), word("perhaps")},
		"ships.built":      {date("2004-02-29"), number("1999"), date("2004-02-30"), number("19990"), word("soon")},
		"ships.inspected":  {date("2030-12-31"), number("2030")},
	}
	ops := []intent.Op{intent.Eq, intent.Ne, intent.Lt, intent.Le, intent.Gt, intent.Ge, intent.In, intent.NotIn, intent.Contains, intent.StartsWith, intent.EndsWith}
	var out []intent.Cond
	for _, id := range []string{"ships.flag_state", "ships.grade", "ships.launched", "ships.seen_at", "ships.crew", "ships.insured", "ships.built", "ships.inspected"} {
		for _, v := range literals[id] {
			for _, op := range ops {
				out = append(out, where(id, op, v))
			}
		}
		first := literals[id][0]
		second := literals[id][1]
		out = append(out, where(id, intent.Between, first, second), where(id, intent.In, first, second), where(id, intent.Eq, first, second), where(id, intent.Between, first),
			where(id, intent.IsNull), where(id, intent.NotNull), where(id, intent.Eq), where(id, intent.Contains, first, second))
	}
	return out
}

// combined are conditions of conditions, of columns and of other rows.
func combined() []intent.Cond {
	malta, big, old := where("ships.flag_state", intent.Eq, word("Malta")), where("ships.crew", intent.Gt, number("20")), where("ships.built", intent.Lt, number("2000"))
	north, tea := where("piers.side", intent.Eq, word("North")), where("crates.goods", intent.Eq, word("tea"))
	columns := func(left string, op intent.Op, right, times string) intent.Cond {
		l, r := column(left), column(right)
		r.Times = times
		return intent.Cond{Op: op, Left: &l, Right: &r}
	}
	mean := func(id string, filters ...intent.Cond) *intent.Intent {
		return &intent.Intent{Entity: strings.Split(id, ".")[0], Select: []intent.Output{agg(intent.AggAvg, id)}, Filters: filters}
	}
	against := func(id string, op intent.Op, sub *intent.Intent) intent.Cond {
		left := column(id)
		return intent.Cond{Op: op, Left: &left, Sub: sub}
	}
	out := []intent.Cond{
		{Op: intent.Or, Args: []intent.Cond{malta, big}}, {Op: intent.And, Args: []intent.Cond{malta, {Op: intent.Or, Args: []intent.Cond{big, old}}}},
		{Op: intent.Not, Args: []intent.Cond{malta}}, {Op: intent.Not, Args: []intent.Cond{malta, big}}, {Op: intent.Or, Args: []intent.Cond{malta, where("ships.crew", intent.Eq, word("x"))}}, {Op: intent.Eq},
		north, tea, {Op: intent.Or, Args: []intent.Cond{malta, north}},
		{Op: intent.Exists, Sub: &intent.Intent{Entity: "calls"}}, {Op: intent.NotExists, Sub: &intent.Intent{Entity: "calls", Filters: []intent.Cond{where("calls.fee", intent.Gt, number("5")), north}}},
		{Op: intent.NotExists, Sub: &intent.Intent{Entity: "crates", Filters: []intent.Cond{tea}}}, {Op: intent.Exists, Sub: &intent.Intent{Entity: "weather"}},
		columns("ships.crew", intent.Gt, "ships.length_m", ""), columns("ships.crew", intent.Eq, "ships.tonnage", "2"), columns("ships.crew", intent.Eq, "ships.tonnage", "two"), columns("ships.crew", intent.Gt, "ships.built", ""),
		columns("ships.built", intent.Le, "ships.inspected", ""), columns("ships.crew", intent.In, "ships.length_m", ""), columns("calls.fee", intent.Ne, "calls.paid", ""),
		against("ships.crew", intent.Gt, mean("ships.crew")), against("ships.crew", intent.Gt, mean("ships.crew", malta)), against("ships.grade", intent.Ge, mean("ships.tonnage")), against("ships.crew", intent.In, mean("ships.crew")),
		against("ships.crew", intent.Gt, mean("ships.flag_state")), where("ships.gone", intent.Eq, word("x")), where("weather.wind", intent.Gt, number("3")),
	}
	return out
}

// outputs are aggregates of each column, and arithmetic.
func outputs() []intent.Output {
	var out []intent.Output
	for _, id := range []string{"ships.flag_state", "ships.grade", "ships.tonnage", "ships.crew", "ships.insured", "ships.built", "ships.inspected", "ships.launched", "ships.gone"} {
		for _, a := range []intent.Agg{intent.AggNone, intent.AggCount, intent.AggCountDistinct, intent.AggSum, intent.AggAvg, intent.AggMin, intent.AggMax, intent.AggShare, "median"} {
			out = append(out, agg(a, id))
		}
	}
	rate := func(id, value, times string) intent.Output {
		o := agg(intent.AggRate, id)
		o.Value, o.Times = value, times
		return o
	}
	share, rounded, badRound := agg(intent.AggShare, "ships.crew"), agg(intent.AggAvg, "ships.crew"), agg(intent.AggAvg, "ships.crew")
	share.Times, rounded.Round, badRound.Round = "100", "2", "two"
	month := column("ships.built")
	month.Grain = "month"
	year := column("ships.launched")
	year.Grain = "year"
	north := where("ships.flag_state", intent.Eq, word("Malta"))
	countWhen, sumWhen, rateWhen, wrongWhen := rowsOf("ships"), agg(intent.AggSum, "ships.crew"), rowsOf("ships"), rowsOf("ships")
	countWhen.When, sumWhen.When, rateWhen.When = &north, &north, &north
	rateWhen.Agg, rateWhen.Times = intent.AggRate, "100"
	bad := where("ships.crew", intent.Eq, word("x"))
	wrongWhen.When = &bad
	out = append(out, rowsOf("ships"), rowsOf("nothing"), rate("ships.flag_state", "Malta", ""), rate("ships.crew", "3", "100"), rate("ships.crew", "three", ""), rate("ships.insured", "True", ""), rate("ships.insured", "so", ""), rate("ships.crew", "3", "x"),
		share, rounded, badRound, month, year, countWhen, sumWhen, rateWhen, wrongWhen)
	calc := func(a intent.Agg, left string, op intent.CalcOp, right string) intent.Output {
		return intent.Output{Agg: a, Calc: &intent.Calc{Op: op, Left: column(left), Right: column(right)}}
	}
	for _, op := range []intent.CalcOp{intent.Minus, intent.Plus, intent.Product, intent.Over, intent.Percent, intent.Days, intent.Hours, intent.Minutes, "power"} {
		out = append(out, calc("", "ships.crew", op, "ships.length_m"), calc("", "ships.built", op, "ships.inspected"), calc("", "ships.launched", op, "ships.built"), calc(intent.AggAvg, "ships.crew", op, "ships.length_m"))
	}
	out = append(out, calc(intent.AggSum, "ships.crew", intent.Minus, "ships.gone"), calc(intent.AggCount, "ships.crew", intent.Plus, "ships.length_m"), calc(intent.AggSum, "ships.gone", intent.Minus, "ships.crew"))
	return out
}

// shapes are whole intents: groups, orders, limits, sets, several tables.
func shapes() []intent.Intent {
	state, side, crew, fee, weight := column("ships.flag_state"), column("piers.side"), agg(intent.AggSum, "ships.crew"), agg(intent.AggSum, "calls.fee"), agg(intent.AggSum, "crates.weight")
	malta, north, tea := where("ships.flag_state", intent.Eq, word("Malta")), where("piers.side", intent.Eq, word("North")), where("crates.goods", intent.Eq, word("it's_100%"))
	many := func(o intent.Output, n string) intent.Cond {
		return intent.Cond{Op: intent.Gt, Left: &o, Values: []intent.Literal{number(n)}}
	}
	by := func(o intent.Output, desc bool) intent.Order { return intent.Order{By: o, Desc: desc} }
	group := func(in intent.Intent, fields ...intent.Output) intent.Intent {
		for _, f := range fields {
			in.GroupBy = append(in.GroupBy, f.Field)
		}
		return in
	}
	month := column("calls.arrived")
	month.Grain = "month"
	per := func(a, base intent.Agg, id, of string) intent.Output {
		o := agg(a, id)
		o.Base, o.Per = base, column(of).Field
		return o
	}
	perRows := rowsOf("calls")
	perRows.Agg, perRows.Base, perRows.Per = intent.AggAvg, intent.AggCount, column("ships.flag_state").Field
	rounded := per(intent.AggMax, intent.AggSum, "calls.fee", "calls.ship_id")
	rounded.Round = "1"
	calls := intent.Intent{Entity: "calls", Select: []intent.Output{rowsOf("calls")}}
	names := intent.Intent{Entity: "ships", Select: []intent.Output{state}}
	with := func(in intent.Intent, change func(*intent.Intent)) intent.Intent {
		change(&in)
		return in
	}
	set := func(op string, right intent.Intent) func(*intent.Intent) {
		return func(in *intent.Intent) { in.Set = &intent.Set{Op: op, Right: right} }
	}
	return []intent.Intent{
		calls, names, {}, {Entity: "ships"}, {Entity: "nothing"},
		with(calls, func(in *intent.Intent) { in.Filters = []intent.Cond{malta, north} }),
		with(calls, func(in *intent.Intent) { in.Filters = []intent.Cond{tea} }),
		with(calls, func(in *intent.Intent) { in.With = []string{"crates", "piers"} }),
		with(names, func(in *intent.Intent) { in.With = []string{"calls"} }),
		with(names, func(in *intent.Intent) { in.With = []string{"weather"} }),
		with(names, func(in *intent.Intent) { in.Filters = []intent.Cond{north, tea} }),
		with(names, func(in *intent.Intent) { in.Filters = []intent.Cond{tea}; in.Distinct = true }),
		with(names, func(in *intent.Intent) {
			in.OrderBy, in.Limit = []intent.Order{by(column("ships.crew"), true), by(state, false)}, 3
		}),
		with(names, func(in *intent.Intent) { in.Distinct, in.OrderBy = true, []intent.Order{by(state, false)} }),
		with(names, func(in *intent.Intent) {
			in.Distinct, in.OrderBy = true, []intent.Order{by(column("ships.crew"), false)}
		}),
		with(names, func(in *intent.Intent) { in.Counted = true }),
		with(names, func(in *intent.Intent) { in.Counted, in.Distinct = true, true }),
		with(names, func(in *intent.Intent) { in.Counted, in.Limit = true, 3 }),
		with(names, set("intersect", with(names, func(in *intent.Intent) { in.Filters = []intent.Cond{malta} }))),
		with(names, set("except", with(names, func(in *intent.Intent) { in.Filters = []intent.Cond{north} }))),
		with(with(names, set("union", names)), func(in *intent.Intent) { in.Limit = 2 }),
		with(names, set("union", intent.Intent{Entity: "ships", Select: []intent.Output{column("ships.gone")}})),
		with(names, func(in *intent.Intent) { in.OrderBy = []intent.Order{by(rowsOf("calls"), true)} }),
		group(intent.Intent{Entity: "ships", Select: []intent.Output{state, crew}, OrderBy: []intent.Order{by(crew, true)}, Limit: 5}, state),
		group(intent.Intent{Entity: "ships", Select: []intent.Output{state}, OrderBy: []intent.Order{by(crew, true)}, Having: []intent.Cond{many(crew, "9"), many(rowsOf("ships"), "2")}}, state),
		group(intent.Intent{Entity: "calls", Select: []intent.Output{state, side, fee}}, state, side),
		group(intent.Intent{Entity: "calls", Select: []intent.Output{month, fee, rowsOf("calls")}, OrderBy: []intent.Order{by(month, false)}}, month),
		group(intent.Intent{Entity: "calls", Select: []intent.Output{state, rowsOf("ships"), rowsOf("calls")}}, state),
		group(intent.Intent{Entity: "calls", Select: []intent.Output{side, rowsOf("ships")}, Filters: []intent.Cond{tea}}, side),
		group(intent.Intent{Entity: "ships", Select: []intent.Output{state, fee, crew}}, state),
		group(intent.Intent{Entity: "ships", Select: []intent.Output{side, crew}}, side),
		group(intent.Intent{Entity: "crates", Select: []intent.Output{state, weight, fee}, Filters: []intent.Cond{malta}}, state),
		group(intent.Intent{Entity: "crates", Select: []intent.Output{side, weight}, Having: []intent.Cond{many(fee, "2")}}, side),
		group(intent.Intent{Entity: "crates", Select: []intent.Output{rowsOf("crates"), rowsOf("ships")}}),
		group(intent.Intent{Entity: "ships", Select: []intent.Output{column("weather.wind"), crew}}),
		{Entity: "ships", Select: []intent.Output{crew}, OrderBy: []intent.Order{by(state, false)}},
		{Entity: "calls", Select: []intent.Output{per(intent.AggAvg, intent.AggSum, "calls.fee", "ships.flag_state")}},
		{Entity: "calls", Select: []intent.Output{rounded}, Filters: []intent.Cond{north}, Limit: 1},
		{Entity: "calls", Select: []intent.Output{perRows}},
		{Entity: "calls", Select: []intent.Output{perRows}, OrderBy: []intent.Order{by(state, false)}},
		{Entity: "calls", Select: []intent.Output{state, side}, OrderBy: []intent.Order{by(column("calls.fee"), true)}, Limit: 2, LimitPer: []intent.Field{state.Field}},
		group(intent.Intent{Entity: "calls", Select: []intent.Output{state, side, fee}, OrderBy: []intent.Order{by(fee, true)}, Limit: 1, LimitPer: []intent.Field{state.Field}}, state, side),
		{Entity: "calls", Select: []intent.Output{state}, Limit: 2, LimitPer: []intent.Field{state.Field}},
		{Entity: "calls", Select: []intent.Output{side}, OrderBy: []intent.Order{by(column("calls.fee"), false)}, Limit: 2, LimitPer: []intent.Field{state.Field}, Counted: true},
		{Entity: "calls", Select: []intent.Output{side}, OrderBy: []intent.Order{by(column("calls.fee"), false)}, Limit: 2, LimitPer: []intent.Field{state.Field}},
	}
}

// TestEachIntentAsSQL compares the SQL of intents of each kind with the golden file, and
// reads it again: what is written is SQL.
func TestEachIntentAsSQL(t *testing.T) {
	t.Parallel()
	g := harbour()
	var all strings.Builder
	put := func(in intent.Intent) {
		label, err := json.Marshal(in)
		require.NoError(t, err)
		var text string
		stmt, err := g.Statement(&in)
		if err != nil {
			text = "error: " + err.Error()
		} else {
			text = printer.Print(stmt)
			again, err := parser.Parse(text)
			require.NoError(t, err, text)
			require.Equal(t, text, printer.Print(again))
		}
		fmt.Fprintf(&all, "%s\n\t%s\n\tcolumns: %s\n", label, text, strings.Join(g.Columns(&in), ", "))
	}
	for _, c := range append(conditions(), combined()...) {
		put(intent.Intent{Entity: "ships", Select: []intent.Output{column("ships.ship_id")}, Filters: []intent.Cond{c}})
	}
	for _, o := range outputs() {
		put(intent.Intent{Entity: "ships", Select: []intent.Output{o}})
	}
	for _, in := range shapes() {
		put(in)
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/intents.txt", []byte(all.String()), 0o600))
		return
	}
	want, err := os.ReadFile("testdata/intents.txt")
	require.NoError(t, err)
	lines, wanted := strings.Split(all.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(lines), len(wanted)) {
		require.Equal(t, wanted[i], lines[i], "line %d, of %s", i+1, lines[i/3*3])
	}
	require.Len(t, lines, len(wanted))
}
