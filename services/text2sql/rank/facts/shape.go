package facts

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/rank"
)

// shape is what an intent does, with all that is nested in it.
type shape struct {
	layer     *bind.Layer
	marks     map[string]int  // count sum avg max min rate pick order group having distinct more less equal deny between like empty or meet nested grain wide
	tables    map[string]bool // read
	columns   map[string]bool // read, by dimension
	constants map[string]bool // compared with
	outputs   int
	filters   int
	roles     map[string]int // of columns, by what is done with them
}

func shapeOf(in *intent.Intent, l *bind.Layer) *shape {
	s := &shape{layer: l, marks: map[string]int{}, tables: map[string]bool{}, columns: map[string]bool{}, constants: map[string]bool{}, roles: map[string]int{}}
	s.intent(in, 0)
	return s
}

// wide is from how many columns on a list shows "all of it".
const wide = 4

var aggregateMarks = map[intent.Agg]string{
	intent.AggCount: "count", intent.AggCountDistinct: "count", intent.AggSum: "sum", intent.AggAvg: "avg",
	intent.AggMin: "min", intent.AggMax: "max", intent.AggRate: "rate", intent.AggShare: "rate",
}

func (s *shape) intent(in *intent.Intent, depth int) {
	if depth == 0 {
		s.outputs = len(in.Select)
		if len(in.Select) >= wide {
			s.marks["wide"]++
		}
	} else {
		s.marks["nested"]++
	}
	s.tables[s.layer.Table(intent.Field{Kind: intent.KindEntity, ID: in.Entity})] = true
	for _, id := range in.With {
		s.tables[s.layer.Table(intent.Field{Kind: intent.KindEntity, ID: id})] = true
	}
	for _, o := range in.Select {
		s.output(o, "show")
	}
	if in.Distinct {
		s.marks["distinct"]++
	}
	for _, c := range in.Filters {
		s.cond(c, depth)
	}
	for _, f := range in.GroupBy {
		s.field(f, "group")
	}
	if len(in.GroupBy) > 0 {
		s.marks["group"]++
	}
	for _, c := range in.Having {
		s.marks["having"]++
		s.cond(c, depth)
	}
	for _, o := range in.OrderBy {
		s.output(o.By, "order")
	}
	switch {
	case in.Limit > 0:
		s.marks["pick"]++
	case len(in.OrderBy) > 0:
		s.marks["order"]++
	}
	if in.Set != nil {
		s.marks[map[string]string{"intersect": "meet", "union": "or", "except": "deny"}[in.Set.Op]]++
		s.intent(&in.Set.Right, depth+1)
	}
}

func (s *shape) output(o intent.Output, use string) {
	if o.Calc != nil {
		s.marks["calc"]++
		if m := aggregateMarks[o.Agg]; m != "" {
			s.marks[m]++
		}
		for _, l := range o.Leaves() {
			s.output(l, use)
		}
		return
	}
	if o.When != nil {
		s.cond(*o.When, 1)
	}
	if o.Per.ID != "" {
		s.marks["group"]++
		s.marks["nested"]++
		if m := aggregateMarks[o.Base]; m != "" {
			s.marks[m]++
		}
		s.field(o.Per, "group")
	}
	if m := aggregateMarks[o.Agg]; m != "" {
		s.marks[m]++
		if o.Agg == intent.AggCountDistinct {
			s.marks["distinct"]++
		}
		use += "_" + m
	}
	s.field(o.Field, use)
}

func (s *shape) field(f intent.Field, use string) {
	s.tables[s.layer.Table(f)] = true
	if f.Grain != "" {
		s.marks["grain"]++
	}
	d := s.layer.Dim(f.ID)
	if f.Kind == intent.KindEntity || d == nil {
		return
	}
	s.columns[f.ID] = true
	s.roles[use+"_"+string(d.Role)]++
	if use == "order" && semantic.IsText(d.Type) {
		s.roles["order_by_text"]++
	}
}

var conditionMarks = map[intent.Op]string{
	intent.Gt: "more", intent.Ge: "more", intent.Lt: "less", intent.Le: "less", intent.Eq: "equal", intent.In: "or", intent.Ne: "deny",
	intent.NotIn: "deny", intent.NotExists: "deny", intent.Not: "deny", intent.Between: "between", intent.Contains: "like",
	intent.StartsWith: "like", intent.EndsWith: "like", intent.IsNull: "empty", intent.NotNull: "empty", intent.Or: "or",
}

func (s *shape) cond(c intent.Cond, depth int) {
	if m := conditionMarks[c.Op]; m != "" {
		s.marks[m]++
	}
	if c.Left != nil {
		s.filters++
		if d := s.layer.Dim(c.Left.ID); d != nil && c.Op == intent.Eq && len(c.Values) == 1 && slices.Contains(link.Falsehoods(d), c.Values[0].Text) {
			s.marks["deny"]++
		}
		s.output(*c.Left, "filter")
	}
	if c.Right != nil {
		s.marks["calc"]++
		s.output(*c.Right, "filter")
	}
	for _, v := range c.Values {
		s.constants[v.Text] = true
	}
	for _, a := range c.Args {
		s.cond(a, depth)
	}
	if c.Sub != nil {
		s.intent(c.Sub, depth+1)
	}
}

// describe adds what is read and shown.
func (s *shape) describe(f rank.Features) {
	delete(s.tables, "")
	f["sql/tables"] = float64(len(s.tables))
	f["sql/columns"] = float64(len(s.columns))
	f["sql/outputs"] = float64(s.outputs)
	f["sql/filters"] = float64(s.filters)
	for role, n := range s.roles {
		f["sql/"+role] = float64(n)
	}
	var names []string
	for t := range s.tables {
		names = append(names, t)
	}
	slices.Sort(names)
	cost, joins := s.layer.Joined(names)
	f["sql/joins"], f["sql/cost"] = float64(joins), cost
	f["sql/between"] = float64(max(0, joins+1-len(names))) // tables that only lie between
}
