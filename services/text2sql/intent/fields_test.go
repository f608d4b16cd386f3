package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

func field(id string) intent.Field { return intent.Field{Kind: intent.KindDimension, ID: id} }

func value(id string) intent.Output { return intent.Output{Field: field(id)} }

// TestFieldsOfAnIntent: each place that names a field is seen, in order; what a query inside
// names is that query's own.
func TestFieldsOfAnIntent(t *testing.T) {
	t.Parallel()
	left, right, when, deep := value("left"), value("right"), value("when"), value("deep")
	total := value("total")
	total.Agg = intent.AggSum
	counted := value("counted")
	counted.When = &intent.Cond{Op: intent.Eq, Left: &when}
	in := intent.Intent{
		Select: []intent.Output{value("shown"), counted, {Calc: &intent.Calc{Op: intent.Minus, Left: value("minuend"), Right: intent.Output{Calc: &intent.Calc{Op: intent.Plus, Left: value("one"), Right: value("two")}}}}},
		Filters: []intent.Cond{
			{Op: intent.Gt, Left: &left, Right: &right},
			{Op: intent.Or, Args: []intent.Cond{{Op: intent.Not, Args: []intent.Cond{{Op: intent.Eq, Left: &deep}}}}},
			{Op: intent.Exists, Sub: &intent.Intent{Select: []intent.Output{value("inside")}}},
		},
		GroupBy: []intent.Field{field("grouped")},
		Having:  []intent.Cond{{Op: intent.Gt, Left: &total}},
		OrderBy: []intent.Order{{By: value("ordered")}},
	}
	var ids []string
	for _, f := range in.Fields() {
		ids = append(ids, f.ID)
	}
	require.Equal(t, []string{"shown", "counted", "when", "minuend", "one", "two", "left", "right", "deep", "grouped", "total", "ordered"}, ids)
	require.Empty(t, (&intent.Intent{}).Fields())
}

// TestWhatAggregates: an aggregate, or arithmetic on one; of an intent a metric too.
func TestWhatAggregates(t *testing.T) {
	t.Parallel()
	plain, sum := value("a"), value("a")
	sum.Agg = intent.AggSum
	metric := intent.Output{Field: intent.Field{Kind: intent.KindMetric, ID: "gmv"}}
	of := func(left, right intent.Output) intent.Output {
		return intent.Output{Calc: &intent.Calc{Op: intent.Over, Left: left, Right: right}}
	}
	average := of(plain, plain)
	average.Agg = intent.AggAvg
	for name, c := range map[string]struct {
		o       intent.Output
		itself  bool
		intents bool
	}{
		"a column": {plain, false, false}, "a sum": {sum, true, true}, "a metric": {metric, false, true}, "arithmetic of rows": {of(plain, plain), false, false},
		"of sums": {of(sum, sum), true, true}, "with a sum within": {of(plain, of(plain, sum)), true, true}, "an average of arithmetic": {average, true, true},
	} {
		require.Equal(t, c.itself, c.o.Aggregates(), name)
		require.Equal(t, c.intents, (&intent.Intent{Select: []intent.Output{plain, c.o}}).HasAggregate(), name)
	}
	require.False(t, (&intent.Intent{}).HasAggregate())
}

// TestWhichConditionsExcludeEachOther: two conditions on one column as it is stored, for each
// pair of operators, against what numbers do.
func TestWhichConditionsExcludeEachOther(t *testing.T) {
	t.Parallel()
	holds := map[intent.Op]func(x, n float64) bool{
		intent.Eq: func(x, n float64) bool { return x == n }, intent.Ne: func(x, n float64) bool { return x != n },
		intent.Lt: func(x, n float64) bool { return x < n }, intent.Le: func(x, n float64) bool { return x <= n },
		intent.Gt: func(x, n float64) bool { return x > n }, intent.Ge: func(x, n float64) bool { return x >= n },
		intent.In: func(x, n float64) bool { return x == n }, intent.NotIn: func(x, n float64) bool { return x != n },
	}
	texts := map[float64]string{1: "1", 2: "2.0"}
	on := func(op intent.Op, n float64) intent.Cond {
		left := value("price")
		return intent.Cond{Op: op, Left: &left, Values: []intent.Literal{{Text: texts[n], Number: true}}}
	}
	for a := range holds {
		for b := range holds {
			for _, n := range []float64{1, 2} {
				for _, m := range []float64{1, 2} {
					possible := false
					for x := 0.5; x <= 2.5; x += 0.5 {
						possible = possible || holds[a](x, n) && holds[b](x, m)
					}
					require.Equal(t, !possible, intent.Impossible([]intent.Cond{on(a, n), on(b, m)}) != nil, "%s %v and %s %v", a, n, b, m)
				}
			}
		}
	}
	for name, change := range map[string]func(*intent.Cond){
		"another column":           func(c *intent.Cond) { other := value("cost"); c.Left = &other },
		"no column":                func(c *intent.Cond) { c.Left = nil },
		"a column of a query":      func(c *intent.Cond) { c.Sub = &intent.Intent{} },
		"two columns":              func(c *intent.Cond) { other := value("cost"); c.Right = &other },
		"several numbers":          func(c *intent.Cond) { c.Values = append(c.Values, intent.Literal{Text: "9", Number: true}) },
		"texts":                    func(c *intent.Cond) { c.Values[0].Number = false },
		"of rows with a condition": func(c *intent.Cond) { left := *c.Left; left.When = &intent.Cond{}; c.Left = &left },
	} {
		above, below := on(intent.Gt, 2), on(intent.Lt, 1)
		require.NotNil(t, intent.Impossible([]intent.Cond{above, below}))
		change(&below)
		require.Nil(t, intent.Impossible([]intent.Cond{above, below}), name)
	}
	left := value("price")
	unknown := intent.Cond{Op: intent.Eq, Left: &left, Values: []intent.Literal{{Text: "soon"}}}
	require.Nil(t, intent.Impossible([]intent.Cond{unknown, on(intent.Gt, 1)}), "it is not known how a text compares with a number")
	none, some := on(intent.IsNull, 1), on(intent.NotNull, 1)
	require.NotNil(t, intent.Impossible([]intent.Cond{none, some}))
	require.Nil(t, intent.Impossible([]intent.Cond{none, none}))
	require.Equal(t, "price", intent.Impossible([]intent.Cond{none, some}).ID, "the column is told")
	require.Nil(t, intent.Impossible([]intent.Cond{{Op: intent.Exists, Sub: &intent.Intent{Filters: []intent.Cond{none}}}, some}), "a query inside has its own rows")
}

// TestShapeOfAnIntent: a grain comes before groups, and groups before a second period.
func TestShapeOfAnIntent(t *testing.T) {
	t.Parallel()
	grain, beside := &intent.Time{Grain: "day"}, &intent.Time{Compare: &intent.Compare{Unit: "year", N: 1}}
	groups := []intent.Field{field("grouped")}
	for want, all := range map[intent.Type][]intent.Intent{
		intent.Basic:     {{}, {Time: &intent.Time{}}},
		intent.Trend:     {{Time: grain}, {Time: grain, GroupBy: groups}, {Time: beside}},
		intent.Dimension: {{GroupBy: groups}, {GroupBy: groups, Time: beside}},
	} {
		for _, in := range all {
			require.Equal(t, want, in.Shape(), "%+v", in)
		}
	}
}
