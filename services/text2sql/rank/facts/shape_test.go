package facts_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/rank"
	"github.com/dibrain/dibrain/services/text2sql/rank/facts"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// fleet is two tables that join and one flag.
func fleet() *bind.Layer {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	layer := semantic.Derive([]catalog.Table{
		{Name: name("boat"), Columns: []catalog.Column{
			{Name: "boat_id", Type: "integer", PrimaryKey: true}, {Name: "harbour", Type: "varchar"}, {Name: "length", Type: "double"},
			{Name: "sold", Type: "boolean", Distinct: 2, Samples: []string{"true", "false"}},
		}},
		{Name: name("trip"), Columns: []catalog.Column{
			{Name: "trip_id", Type: "integer", PrimaryKey: true}, {Name: "boat_id", Type: "integer"}, {Name: "fare", Type: "double"},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"boat_id"}, RefTable: name("boat"), RefColumns: []string{"boat_id"}}}},
	})
	return bind.NewLayer(layer, plan.New([]string{"boat", "trip"}, layer.Joins))
}

func of(id string, agg intent.Agg) intent.Output {
	return intent.Output{Agg: agg, Field: intent.Field{Kind: intent.KindDimension, ID: id}}
}

func cond(op intent.Op, id string, values ...string) intent.Cond {
	left := of(id, "")
	c := intent.Cond{Op: op, Left: &left}
	for _, v := range values {
		c.Values = append(c.Values, intent.Literal{Text: v})
	}
	return c
}

func described(t *testing.T, items []*link.Item, r bind.Reading) rank.Features {
	t.Helper()
	d, err := facts.New()
	require.NoError(t, err)
	if r.Draft == nil {
		r.Draft = &parse.Draft{}
	}
	return d.Of(items, &r, fleet())
}

// TestShapes: what an intent does is told by marks, with all that is nested in it.
func TestShapes(t *testing.T) {
	t.Parallel()
	length, harbour := of("boat.length", ""), of("boat.harbour", "")
	basic := func(change func(*intent.Intent)) intent.Intent {
		in := intent.Intent{Entity: "boat", Select: []intent.Output{length}}
		change(&in)
		return in
	}
	where := func(c intent.Cond) intent.Intent {
		return basic(func(in *intent.Intent) { in.Filters = []intent.Cond{c} })
	}
	show := func(list ...intent.Output) intent.Intent {
		return basic(func(in *intent.Intent) { in.Select = list })
	}
	long := cond(intent.Gt, "boat.length", "9")
	price := intent.Output{Agg: intent.AggSum, Calc: &intent.Calc{Op: intent.Minus, Left: length, Right: of("trip.fare", "")}}
	counted := of("boat.boat_id", intent.AggCount)
	counted.When = &long
	perBoat := of("trip.fare", intent.AggAvg)
	perBoat.Per, perBoat.Base = intent.Field{Kind: intent.KindDimension, ID: "boat.boat_id"}, intent.AggSum
	other := basic(func(in *intent.Intent) { in.Filters = []intent.Cond{long} })
	for name, c := range map[string]struct {
		in    intent.Intent
		marks string
	}{
		"a list":              {basic(func(*intent.Intent) {}), ""},
		"three columns":       {show(length, harbour, length), ""},
		"four columns":        {show(length, harbour, length, harbour), "wide"},
		"count":               {show(of("boat.length", intent.AggCount)), "count"},
		"count of kinds":      {show(of("boat.length", intent.AggCountDistinct)), "count distinct"},
		"sum":                 {show(of("boat.length", intent.AggSum)), "sum"},
		"average":             {show(of("boat.length", intent.AggAvg)), "avg"},
		"least":               {show(of("boat.length", intent.AggMin)), "min"},
		"most":                {show(of("boat.length", intent.AggMax)), "max"},
		"rate":                {show(of("boat.length", intent.AggRate)), "rate"},
		"share":               {show(of("boat.length", intent.AggShare)), "rate"},
		"arithmetic":          {show(price), "calc sum"},
		"count of some":       {show(counted), "count more"},
		"aggregate per group": {show(perBoat), "avg group nested sum"},
		"distinct":            {basic(func(in *intent.Intent) { in.Distinct = true }), "distinct"},
		"groups":              {basic(func(in *intent.Intent) { in.GroupBy = []intent.Field{harbour.Field} }), "group"},
		"groups of time": {basic(func(in *intent.Intent) {
			in.GroupBy = []intent.Field{{Kind: intent.KindDimension, ID: "boat.harbour", Grain: "month"}}
		}), "grain group"},
		"of groups":          {basic(func(in *intent.Intent) { in.Having = []intent.Cond{long} }), "having more"},
		"order":              {basic(func(in *intent.Intent) { in.OrderBy = []intent.Order{{By: length}} }), "order"},
		"first of an order":  {basic(func(in *intent.Intent) { in.OrderBy, in.Limit = []intent.Order{{By: length}}, 1 }), "pick"},
		"both":               {basic(func(in *intent.Intent) { in.Set = &intent.Set{Op: "intersect", Right: other} }), "meet more nested"},
		"either":             {basic(func(in *intent.Intent) { in.Set = &intent.Set{Op: "union", Right: other} }), "more nested or"},
		"but not":            {basic(func(in *intent.Intent) { in.Set = &intent.Set{Op: "except", Right: other} }), "deny more nested"},
		"more":               {where(long), "more"},
		"at least":           {where(cond(intent.Ge, "boat.length", "9")), "more"},
		"less":               {where(cond(intent.Lt, "boat.length", "9")), "less"},
		"at most":            {where(cond(intent.Le, "boat.length", "9")), "less"},
		"equal":              {where(cond(intent.Eq, "boat.length", "9")), "equal"},
		"a flag that is":     {where(cond(intent.Eq, "boat.sold", "true")), "equal"},
		"a flag that is not": {where(cond(intent.Eq, "boat.sold", "false")), "deny equal"},
		"one of":             {where(cond(intent.In, "boat.length", "1", "2")), "or"},
		"not":                {where(cond(intent.Ne, "boat.length", "9")), "deny"},
		"none of":            {where(cond(intent.NotIn, "boat.length", "1", "2")), "deny"},
		"between":            {where(cond(intent.Between, "boat.length", "1", "2")), "between"},
		"like":               {where(cond(intent.Contains, "boat.harbour", "x")), "like"},
		"begins":             {where(cond(intent.StartsWith, "boat.harbour", "x")), "like"},
		"empty":              {where(cond(intent.IsNull, "boat.harbour")), "empty"},
		"there":              {where(cond(intent.NotNull, "boat.harbour")), "empty"},
		"or":                 {where(intent.Cond{Op: intent.Or, Args: []intent.Cond{long, cond(intent.Lt, "boat.length", "1")}}), "less more or"},
		"no rows":            {where(intent.Cond{Op: intent.NotExists, Sub: &intent.Intent{Entity: "trip"}}), "deny nested"},
		"two columns":        {where(intent.Cond{Op: intent.Gt, Left: &length, Right: &length}), "calc more"},
	} {
		f := described(t, nil, bind.Reading{Intent: c.in})
		var marks []string
		for name := range maps.Keys(f) {
			if m, ok := strings.CutPrefix(name, "mark/"); ok {
				marks = append(marks, m)
			}
		}
		slices.Sort(marks)
		require.Equal(t, c.marks, strings.Join(marks, " "), name)
		for _, m := range marks {
			require.InDelta(t, f["mark/"+m], f["unasked/"+m], 0, "no word asks for it: %s", name)
		}
	}
}

// TestWhatIsRead: tables, columns, joins and conditions of the SQL are counted.
func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	in := intent.Intent{Entity: "trip", With: []string{"boat"}, Select: []intent.Output{of("trip.fare", intent.AggSum)},
		GroupBy: []intent.Field{of("boat.harbour", "").Field}, Filters: []intent.Cond{cond(intent.Gt, "boat.length", "9")},
		OrderBy: []intent.Order{{By: of("boat.harbour", "")}}}
	f := described(t, nil, bind.Reading{Intent: in, Draft: &parse.Draft{
		Doubts:   []parse.Doubt{{Factor: 0.3}, {Factor: 0.8}},
		Features: map[string]float64{"shape/groups": 1, "rule/x": 1, "a|b": 1},
	}})
	for name, want := range map[string]float64{
		"sql/tables": 2, "sql/columns": 3, "sql/outputs": 1, "sql/filters": 1, "sql/joins": 1, "sql/cost": 1, "sql/between": 0,
		"sql/show_sum_measure": 1, "sql/filter_measure": 1, "sql/order_by_text": 1,
		"draft/doubts": 2, "draft/doubt": 0.9, "draft/shape/groups": 1, "draft/rule/x": 0, "draft/a|b": 0,
	} {
		require.InDelta(t, want, f[name], 1e-9, name)
	}
}

// TestWhatIsLeft: a word that the reading has no use for counts by what it might be; one
// that the SQL does in another way does not.
func TestWhatIsLeft(t *testing.T) {
	t.Parallel()
	entity := func(table string) []link.TableMatch {
		return []link.TableMatch{{Entity: &semantic.Entity{Table: table, ID: table}, Score: 1}}
	}
	column := func(id string) []link.ColumnMatch {
		return []link.ColumnMatch{{Dim: &semantic.Dimension{ID: id}, Score: 1}}
	}
	month := of("boat.harbour", "")
	month.Grain = "month"
	in := intent.Intent{Entity: "boat", Select: []intent.Output{of("boat.length", "")}, Limit: 3,
		GroupBy: []intent.Field{month.Field}, Filters: []intent.Cond{cond(intent.Ge, "boat.length", "2025-01-01")}}
	one := func(it link.Item) *link.Item {
		it.From, it.To = 1, 2
		return &it
	}
	for name, c := range map[string]struct {
		item *link.Item
		kind string
	}{
		"the limit":             {one(link.Item{Text: "3", Number: "3"}), ""},
		"another number":        {one(link.Item{Text: "4", Number: "4"}), "number"},
		"quoted":                {one(link.Item{Text: "x", Quoted: true}), "value"},
		"a day that is asked":   {one(link.Item{Period: &token.Period{First: "2025-01-01"}}), ""},
		"its last day":          {one(link.Item{Period: &token.Period{First: "2024-01-01", Last: "2025-01-01"}}), ""},
		"another day":           {one(link.Item{Period: &token.Period{First: "2024-01-01", Last: "2024-02-01"}}), "period"},
		"steps":                 {one(link.Item{Period: &token.Period{Grain: "month"}}), ""},
		"a table that is read":  {one(link.Item{Tables: entity("boat")}), ""},
		"another table":         {one(link.Item{Tables: entity("trip")}), "table"},
		"a column that is read": {one(link.Item{Columns: column("boat.length")}), ""},
		"another column":        {one(link.Item{Columns: column("trip.fare")}), "column"},
		"a stored value":        {one(link.Item{Values: []link.ValueMatch{{Value: "x"}}}), "value"},
		"what a word does":      {one(link.Item{Text: "per", Tags: []lexicon.Tag{{Name: "group"}}, Columns: column("trip.fare")}), ""},
		"a light word":          {one(link.Item{Text: "has", Tags: []lexicon.Tag{{Name: "light"}}, Columns: column("trip.fare")}), "column"},
		"a length of nothing":   {one(link.Item{Text: "duration", Tags: []lexicon.Tag{{Name: "lasting"}}}), "word"},
		"a stop word":           {one(link.Item{Text: "the", Tags: []lexicon.Tag{{Name: "stop"}}}), ""},
	} {
		f := described(t, []*link.Item{c.item}, bind.Reading{Intent: in})
		want := 0.0
		if c.kind != "" {
			want = 1
			require.InDelta(t, 1, f["left/"+c.kind], 0, "%s: %v", name, f)
			require.InDelta(t, 1, f["left/last"], 0, name)
		}
		require.InDelta(t, want, f["left/all"], 0, "%s: %v", name, f)
		require.InDelta(t, want, f["left/share"], 0, "%s: %v", name, f)
	}
}

// TestWordsBesideNames: an unknown word before a table picks its rows, one far from all
// names is something else, and one beside a name is most often a part of it.
func TestWordsBesideNames(t *testing.T) {
	t.Parallel()
	unknown := &link.Item{From: 1, To: 2, Text: "overdue"}
	boat, length, nine := &link.Item{Text: "boats", From: 2, To: 3}, &link.Item{Text: "length", From: 0, To: 1}, &link.Item{Text: "9", Number: "9"}
	r := bind.Reading{Intent: intent.Intent{Entity: "boat"}, Used: map[*link.Item]string{boat: "boat", length: "boat.length", nine: "boat.length"}}
	for name, c := range map[string]struct {
		items []*link.Item
		where string
	}{
		"before a table":  {[]*link.Item{unknown, boat}, "left/modifier"},
		"alone":           {[]*link.Item{unknown}, "left/alone"},
		"beside a number": {[]*link.Item{nine, unknown}, "left/alone"},
		"after a column":  {[]*link.Item{length, unknown}, ""},
		"before a column": {[]*link.Item{unknown, length}, ""},
	} {
		f := described(t, c.items, r)
		for _, where := range []string{"left/modifier", "left/alone"} {
			want := 0.0
			if where == c.where {
				want = 1
			}
			require.InDelta(t, want, f[where], 0, "%s: %s", name, where)
		}
	}
}
