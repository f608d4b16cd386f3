package pipeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
)

// restater says an intent in words, from the intent alone: what is counted or listed, by
// what, under which conditions, in which order. It says all of an intent or nothing: a
// person who chooses by these words has to know what will be answered.
type restater struct {
	language lang.Language
	texts    messages
	figures  followup.Texts
	name     followup.NameOf
	schema   *Schema
	labels   func(o intent.Output) string // of metrics of a written layer
	failed   bool                         // a part has no words
}

// restate says an intent over the layers of a schema in words, such as "number of loans
// by branch; where loan date 2024-01-01 to 2024-12-31". ok is false where a part of it
// cannot be said.
func (p *Pipeline) restate(in Input, i *intent.Intent) (text string, ok bool) {
	r := p.restater(in, i)
	if text = r.whole(i); r.failed {
		return "", false
	}
	return text, text != ""
}

// restater says an intent, or parts of it.
func (p *Pipeline) restater(in Input, i *intent.Intent) *restater {
	r := &restater{language: in.Language, texts: p.offers, figures: p.followUps.texts, schema: in.Schema}
	r.name = r.named(in.Schema.nameOf(in), i)
	if in.Schema.written != nil {
		r.labels = func(o intent.Output) string {
			list := p.labels(in, i, o)
			if len(list) == 0 {
				return ""
			}
			return list[len(list)-1].Label
		}
	}
	return r
}

func (r *restater) say(id string, args ...any) string { return r.texts.text(r.language, id, args...) }

func (r *restater) join(list []string) string {
	return strings.Join(list, r.language.Pick(", ", "、"))
}

// whole says all of an intent.
func (r *restater) whole(i *intent.Intent) string {
	if i.Set != nil || len(i.Segments) > 0 || len(i.ShareOf) > 0 && !i.HasAggregate() {
		r.failed = true
		return ""
	}
	parts := []string{r.shown(i)}
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if len(i.Country) > 0 {
		add(r.say("countries", r.join(r.names(i.Country))))
	}
	if overMetrics(i) { // else the days are a condition like others
		add(r.period(i.Time))
	}
	if i.ComparesPeriods() {
		add(r.comparison(i.Time))
	}
	if conditions := r.conditions(i); len(conditions) > 0 {
		add(r.say("where", strings.Join(conditions, r.language.Pick(" and ", "，且"))))
	}
	for _, text := range r.relations(i) {
		add(text)
	}
	add(r.order(i))
	text := strings.Join(parts, r.language.Pick("; ", "；"))
	if i.Counted {
		return r.say("counted", text)
	}
	return text
}

func overMetrics(i *intent.Intent) bool {
	return slices.ContainsFunc(i.Select, func(o intent.Output) bool { return o.Kind == intent.KindMetric })
}

// named says with its table what is called as a column of another table that the intent
// could be about.
func (r *restater) named(name followup.NameOf, i *intent.Intent) followup.NameOf {
	return func(id string) string {
		d := r.schema.dim(id)
		if d == nil || r.schema.layer.Entity(d.Table).ID == i.Entity && saysEntity(i) || !r.schema.shares(d.Names.EN, d.Table) {
			return name(id)
		}
		return r.schema.meaning(id, r.language)
	}
}

// saysEntity reports whether the words of an intent name the things that it is about: a list says
// whose columns it shows, a number what is counted; a total says its column alone.
func saysEntity(i *intent.Intent) bool {
	return i.Entity != "" && (!i.HasAggregate() || slices.ContainsFunc(i.Select, func(o intent.Output) bool { return o.Kind == intent.KindEntity }))
}

// shares reports whether a column of another table is called the same.
func (s *Schema) shares(columnName, table string) bool {
	return slices.ContainsFunc(s.gen.Layer.Dimensions, func(d semantic.Dimension) bool { return d.Table != table && strings.EqualFold(d.Names.EN, columnName) })
}

// keyOnly reports whether a field only tells the rows of its table apart, where others say
// which they are.
func (r *restater) keyOnly(f intent.Field, among []intent.Field) bool {
	d := r.schema.layer.Dim(f.ID)
	if d == nil || f.Grain != "" || !slices.Contains(r.schema.layer.Entity(d.Table).Key, d.Expr) {
		return false
	}
	return slices.ContainsFunc(among, func(o intent.Field) bool {
		other := r.schema.layer.Dim(o.ID)
		return other != nil && o.ID != f.ID && other.Table == d.Table
	})
}

func (r *restater) names(ids []string) []string {
	out := make([]string, len(ids))
	for k, id := range ids {
		out[k] = r.name(id)
	}
	return out
}

// shown says what is listed or computed, and by what it is split.
func (r *restater) shown(i *intent.Intent) string {
	var figures, listed, groups []string
	fields := slices.Clone(i.GroupBy)
	for _, o := range i.Select {
		if o.Agg == intent.AggNone && o.Calc == nil {
			fields = append(fields, o.Field)
		}
	}
	for _, f := range i.GroupBy {
		if f.Grain != intent.WeekdayNumber && !r.keyOnly(f, fields) {
			groups = appendNew(groups, r.field(f))
		}
	}
	for _, o := range i.Select {
		if i.ComparesPeriods() && o.OfComparison() {
			continue // said of the periods
		}
		text := r.output(o)
		switch {
		case o.Agg == intent.AggNone && o.Calc == nil && slices.Contains(i.GroupBy, o.Field) && r.keyOnly(o.Field, fields):
		case o.Aggregates() || o.Kind == intent.KindMetric:
			figures = appendNew(figures, text)
		case !slices.Contains(groups, text):
			listed = appendNew(listed, text)
		}
	}
	if len(figures) == 0 {
		return r.listed(i, append(groups, listed...))
	}
	groups = append(groups, listed...)
	text := r.join(figures)
	if i.Time != nil && i.Time.Grain != "" {
		groups = appendNew(groups, r.figures.Say(r.language, "unit_"+i.Time.Grain))
	}
	if len(groups) > 0 {
		by := r.say("by", r.join(groups))
		return r.language.Pick(text+" "+by, by+text)
	}
	return text
}

// listed says what is listed where nothing is computed.
func (r *restater) listed(i *intent.Intent, columns []string) string {
	switch {
	case len(columns) == 0 && i.Entity != "":
		return r.say("rows", r.name(i.Entity))
	case len(columns) == 0:
		r.failed = true
		return ""
	case i.Distinct && i.Entity == "":
		return r.say("different", r.join(columns))
	case i.Entity == "":
		return r.join(columns)
	}
	return r.say("list", r.join(columns), r.name(i.Entity))
}

// field says a thing that rows are put together by.
func (r *restater) field(f intent.Field) string {
	switch {
	case f.Kind == intent.KindTime:
		return r.figures.Say(r.language, "unit_"+f.Grain)
	case f.Grain != "":
		return r.name(f.ID) + r.language.Pick(" ", "") + r.language.Pick("(", "（") + r.figures.Say(r.language, "unit_"+f.Grain) + r.language.Pick(")", "）")
	}
	return r.name(f.ID)
}

// output says a value.
func (r *restater) output(o intent.Output) string {
	text := r.value(o)
	if o.When != nil && o.Agg != intent.AggRate {
		text = r.say("among", text, r.condition(*o.When))
	}
	if o.Times != "" && o.Times != "1" && o.Agg != intent.AggRate {
		text += " × " + o.Times
	}
	return text
}

func (r *restater) value(o intent.Output) string {
	switch {
	case o.Kind == intent.KindMetric && r.labels != nil:
		if text := r.labels(o); text != "" {
			return text
		}
		r.failed = true
	case o.Calc != nil:
		return r.calc(o)
	case o.Agg == intent.AggRate && o.When != nil:
		return r.say("part_of_rows", r.condition(*o.When))
	case o.Agg == intent.AggRate:
		return r.say("part_of_rows", r.name(o.ID)+" = "+o.Value)
	case o.Agg != intent.AggNone && o.Per.ID != "":
		inner := o
		inner.Agg, inner.Base, inner.Per, inner.When = o.Base, "", intent.Field{}, nil
		if o.Agg != intent.AggAvg {
			r.failed = true
		}
		return r.say("mean_per_group", r.value(inner), r.field(o.Per))
	case o.Agg == intent.AggNone:
		return r.field(o.Field)
	case o.Agg == intent.AggCount && o.Kind == intent.KindEntity, o.Agg == intent.AggCountDistinct && o.Kind == intent.KindEntity:
		return r.figures.Figure(r.language, o, func(id string) string { return r.plural(id) })
	case o.Base != "" || r.figures.Say(r.language, "figure_"+string(o.Agg)) == "":
		r.failed = true
	}
	return r.figures.Figure(r.language, intent.Output{Agg: o.Agg, Field: o.Field}, r.name)
}

func (r *restater) plural(id string) string {
	return r.language.Pick(lexicon.Plural(r.name(id)), r.name(id))
}

func (r *restater) calc(o intent.Output) string {
	text := r.say(string(o.Calc.Op), r.output(o.Calc.Left), r.output(o.Calc.Right))
	if text == "" {
		r.failed = true
		return ""
	}
	if o.Agg == intent.AggNone {
		return text
	}
	frame := r.figures.Say(r.language, "figure_"+string(o.Agg))
	if !strings.Contains(frame, "%s") {
		r.failed = true
		return text
	}
	return strings.Replace(frame, "%s", r.language.Pick("(", "（")+text+r.language.Pick(")", "）"), 1)
}

// period says the days that count over metrics.
func (r *restater) period(t *intent.Time) string {
	if t == nil {
		return ""
	}
	if t.Compare != nil {
		r.failed = true
	}
	last := t.To
	if d, err := time.Parse(time.DateOnly, t.To); err == nil {
		last = d.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	switch {
	case t.From == "" && t.To == "":
		return ""
	case t.From == "":
		return r.say("until", last)
	case t.To == "":
		return r.say("since", t.From)
	}
	return r.say("period", t.From, last)
}

// comparison says both periods of figures over tables, by the days that they are dated by.
func (r *restater) comparison(t *intent.Time) string {
	days := func(from, to string) string { return r.period(&intent.Time{From: from, To: to}) }
	return r.say("against", r.name(t.By), days(t.From, t.To), days(t.Compare.From, t.Compare.To))
}

// conditions says what rows and groups have to fulfil, what is related to them aside.
func (r *restater) conditions(i *intent.Intent) []string {
	var out []string
	list := slices.Concat(i.Filters, i.Having)
	for k := 0; k < len(list); k++ {
		if text, ok := r.figures.Days(r.language, list, k, r.name); ok {
			out = append(out, text)
			k++
			continue
		}
		if list[k].Op != intent.Exists && list[k].Op != intent.NotExists {
			out = append(out, r.condition(list[k]))
		}
	}
	return out
}

// relations says what has to be related to the rows, or must not be.
func (r *restater) relations(i *intent.Intent) (out []string) {
	for _, c := range i.Filters {
		if c.Op == intent.Exists || c.Op == intent.NotExists {
			out = append(out, r.relation(c))
		}
	}
	for _, id := range i.With {
		out = append(out, r.say("related", r.plural(id)))
	}
	return out
}

// condition says one condition.
func (r *restater) condition(c intent.Cond) string {
	switch c.Op {
	case intent.Exists, intent.NotExists:
		return r.relation(c)
	case intent.Or, intent.And:
		return r.several(c)
	case intent.Not:
		if len(c.Args) == 1 {
			return r.say("neither", r.condition(c.Args[0]))
		}
	case intent.Named:
		return r.name(c.ID)
	}
	if c.Left != nil && c.Right != nil && c.Sub == nil {
		if sign := r.figures.Sign(c.Op); sign != "" {
			return r.output(*c.Left) + " " + sign + " " + r.output(*c.Right)
		}
	}
	if c.Left != nil && (c.Left.Calc != nil || c.Left.When != nil || c.Left.Per.ID != "") && len(c.Values) == 1 && r.figures.Sign(c.Op) != "" {
		return r.output(*c.Left) + " " + r.figures.Sign(c.Op) + " " + c.Values[0].Text
	}
	text := r.figures.Condition(r.language, c, r.name)
	if text == "" || c.Left != nil && c.Left.Calc != nil {
		r.failed = true
	}
	return text
}

// several says conditions of which all, or one, have to hold.
func (r *restater) several(c intent.Cond) string {
	var list []string
	for _, a := range c.Args {
		list = append(list, r.condition(a))
	}
	if c.Op == intent.And {
		return strings.Join(list, r.language.Pick(" and ", "，且"))
	}
	text := list[0]
	for _, next := range list[1:] {
		text = r.say("either", text, next)
	}
	return text
}

// relation says that related rows are there, or are not.
func (r *restater) relation(c intent.Cond) string {
	if c.Sub == nil || c.Sub.Entity == "" || c.Sub.Set != nil || len(c.Sub.Having) > 0 {
		r.failed = true
		return ""
	}
	what := r.plural(c.Sub.Entity)
	if conditions := append(r.conditions(c.Sub), r.relations(c.Sub)...); len(conditions) > 0 {
		what = r.say("related_where", what, r.join(conditions))
	}
	if c.Op == intent.NotExists {
		return r.say("unrelated", what)
	}
	return r.say("related", what)
}

// order says which rows come first, where that is part of what is asked for.
func (r *restater) order(i *intent.Intent) string {
	if len(i.OrderBy) == 0 {
		if i.Limit > 0 {
			return r.say("first", strconv.FormatInt(i.Limit, 10))
		}
		return ""
	}
	o := i.OrderBy[0]
	if i.Limit == 0 && i.HasAggregate() && (o.Desc || !o.By.Aggregates()) {
		return "" // as figures are always shown
	}
	by, way := r.output(o.By), r.say(map[bool]string{true: "high", false: "low"}[o.Desc])
	if i.Limit == 0 {
		return r.say("sorted", by, way)
	}
	n := strconv.FormatInt(i.Limit, 10)
	text := r.language.Pick(r.say("first_by", n, by, way), r.say("first_by", by, n, way))
	if len(i.LimitPer) == 0 {
		return text
	}
	var per []string
	for _, f := range i.LimitPer {
		per = append(per, r.field(f))
	}
	each := r.say("first_per", r.join(per))
	return r.language.Pick(text+" "+each, each+text)
}

func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// quoteEach puts words into quotes, as what a person said.
func (r *restater) quoteEach(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, fmt.Sprintf(r.language.Pick("%q", "“%s”"), w))
	}
	return r.join(out)
}
