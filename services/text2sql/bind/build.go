package bind

import (
	"fmt"
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
)

// builder turns a decided draft into an intent.
type builder struct {
	layer *Layer
	draft *parse.Draft
	slots []slot
	state state

	exprs  map[*parse.Expr]choice
	preds  map[*parse.Pred]choice
	tables map[*link.Item]choice
	in     intent.Intent
	doubts []string
	grave  string // the first that is
	facts  map[string]float64
	inner  map[*parse.Pred]bool          // conditions that went into a not-exists
	within map[*parse.Pred][]*parse.Pred // not-exists and the conditions that went into it
}

// doubt notes a reason why the reading may be wrong: its name counts as a
// feature, the sentence is for logs.
func (b *builder) doubt(name, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	b.facts["doubt/"+name]++
	b.doubts = append(b.doubts, text)
	if b.grave == "" && slices.Contains(grave, name) {
		b.grave = text
	}
}

func (b *builder) build() (Reading, bool) {
	b.exprs, b.preds, b.tables = map[*parse.Expr]choice{}, map[*parse.Pred]choice{}, map[*link.Item]choice{}
	b.inner, b.within, b.facts = map[*parse.Pred]bool{}, map[*parse.Pred][]*parse.Pred{}, map[string]float64{}
	whole := b.draft
	own := *b.draft // readings of one draft leave it as it is
	b.draft = &own
	used := map[*link.Item]string{}
	for i, s := range b.slots {
		c := b.state.picks[i]
		switch {
		case s.table != nil:
			b.tables[s.table] = c
			used[s.table] = c.entity.ID
		case s.expr != nil:
			b.exprs[s.expr] = c
			if s.expr.Item != nil {
				used[s.expr.Item] = c.id()
			}
		}
		if s.pred != nil {
			b.preds[s.pred] = c
			for _, v := range s.pred.Values {
				if v.Item != nil {
					used[v.Item] = c.id()
				}
			}
		}
	}
	b.in.Distinct = b.draft.Distinct
	b.implied()
	b.impliedTotals()
	b.tallies()
	b.ambiguities()
	b.entity()
	b.outputs()
	b.relations()
	b.filters()
	b.groups()
	b.order()
	b.arrange()
	b.misuses(&b.in, whole.Superlative)
	if !b.related() {
		return Reading{}, false
	}
	b.classify()
	b.certainty()
	r := Reading{Intent: b.in, Draft: whole, Rank: b.state.score, Doubts: b.doubts, grave: b.grave, Used: used, Facts: b.facts}
	return r, len(b.in.Select) > 0
}

// certainty notes how well the names fit what was picked for them.
func (b *builder) certainty() {
	n := float64(len(b.slots))
	b.facts["slot/number"] = n
	b.facts["slot/least"], b.facts["slot/mean"], b.facts["slot/rank"] = 1, 1, 1
	if n == 0 {
		return
	}
	for _, c := range b.state.picks {
		b.facts["slot/least"] = min(b.facts["slot/least"], c.score)
	}
	b.facts["slot/mean"] = min(1, b.state.certs/n)
	b.facts["slot/rank"] = min(1, b.state.score/n)
}

// ambiguities doubts decisions that another column could have won as well.
func (b *builder) ambiguities() {
	const margin = 0.02
	for i, s := range b.slots {
		picked := b.state.picks[i]
		if picked.dim == nil {
			continue
		}
		for _, c := range s.choices {
			if c.dim != nil && c.dim != picked.dim && c.dim.Table == picked.dim.Table && c.score >= picked.score-margin {
				b.doubt("column_unclear", "%s or %s", picked.dim.ID, c.dim.ID)
				break
			}
		}
	}
}

func (c choice) id() string {
	if c.dim != nil {
		return c.dim.ID
	}
	if c.entity != nil {
		return c.entity.ID
	}
	return ""
}

// entity decides whose rows the question is about: the counted table, else that
// of the first output.
func (b *builder) entity() {
	for _, e := range b.draft.Outputs {
		if e.Rate == nil {
			continue
		}
		b.in.Entity = b.preds[e.Rate].table()
		if len(b.draft.Tables) > 0 && !b.groupsBy(b.draft.Tables[0]) && b.tables[b.draft.Tables[0]].table() != b.in.Entity {
			b.doubt("share_elsewhere", "a share of %s by a column of %s", b.draft.Tables[0].Text, b.in.Entity)
		}
		return
	}
	for _, e := range b.draft.Outputs {
		if e.Calc != nil {
			if b.in.Entity = b.calcEntity(e); b.in.Entity != "" {
				return
			}
		}
	}
	for _, e := range b.draft.Outputs {
		if e.Table {
			b.in.Entity = b.tables[e.Item].table()
			return
		}
	}
	for _, e := range b.draft.Outputs {
		if c, ok := b.exprs[e]; ok && c.table() != "" {
			b.in.Entity = c.table()
			return
		}
	}
	if len(b.draft.Tables) > 0 {
		b.in.Entity = b.tables[b.draft.Tables[0]].table()
		return
	}
	for _, c := range b.state.picks {
		if c.table() != "" {
			b.in.Entity = c.table()
			return
		}
	}
}

func dimField(d *semantic.Dimension) intent.Field {
	return intent.Field{Kind: intent.KindDimension, ID: d.ID}
}

func (b *builder) outputs() {
	if b.draft.Star {
		for _, d := range b.layer.columns[b.in.Entity] {
			b.add(intent.Output{Field: dimField(d)})
		}
		b.doubt("all_columns", "all columns")
		return
	}
	for _, e := range b.draft.Outputs {
		switch {
		case e.Rate != nil:
			b.rate(e)
		case e.Calc != nil:
			b.calculate(e)
		case e.Per != nil:
			b.perGroup(e)
		case e.Agg == intent.AggShare:
			b.shareTotal(e)
		case e.Rows:
			if entity, ok := b.layer.entities[b.in.Entity]; ok {
				for _, d := range b.labels(entity) {
					b.add(intent.Output{Field: dimField(d)})
				}
			}
		case e.Table && e.Agg == intent.AggCount:
			b.in.Select = append(b.in.Select, b.count(b.tables[e.Item].entity, e.Distinct))
		case e.Table && e.Agg != "":
			b.doubt("aggregate_of_table", "%s of a table", e.Agg)
		case e.Table:
			for _, d := range b.labels(b.tables[e.Item].entity) {
				b.add(intent.Output{Field: dimField(d)})
			}
		case e.Item == nil && e.Adj == nil:
			b.in.Select = append(b.in.Select, intent.Output{Agg: intent.AggCount, Field: intent.Field{Kind: intent.KindEntity, ID: b.in.Entity}})
		default:
			b.outputColumn(e)
		}
	}
}

func (b *builder) outputColumn(e *parse.Expr) {
	c := b.exprs[e]
	if c.dim == nil {
		if c.entity == nil {
			return
		}
		if e.Agg == intent.AggCount || e.Agg == intent.AggCountDistinct {
			b.in.Select = append(b.in.Select, b.count(c.entity, e.Distinct))
			return
		}
		for _, d := range b.labels(c.entity) {
			b.add(intent.Output{Field: dimField(d)})
		}
		return
	}
	agg := e.Agg
	if agg == intent.AggCount && !e.Distinct && b.quantity(c.dim) {
		// "the number of floors" where floors is a number: the number itself, or,
		// asked alone, their sum.
		agg = intent.AggNone
		b.doubt("number_is_measure", "number of %s", c.dim.ID)
		if len(b.draft.Outputs) == 1 && len(b.draft.Groups) > 0 {
			agg = intent.AggSum
			b.doubt("number_is_sum", "sum of %s", c.dim.ID)
		}
	}
	if agg == intent.AggCount && (e.Distinct || b.draft.Distinct || b.kinds(c.dim)) {
		agg = intent.AggCountDistinct
	}
	if agg == intent.AggCountDistinct {
		b.in.Distinct = false
	}
	if agg == intent.AggSum && !numeric(c.dim) {
		agg = intent.AggCount
		b.doubt("total_of_text", "total of a text")
	}
	b.add(intent.Output{Agg: agg, Field: dimField(c.dim)})
}

// kinds reports whether "how many plans" asks for the different values of a
// column: of one that sorts rows into kinds, and where no group or condition says
// which kind.
func (b *builder) kinds(d *semantic.Dimension) bool {
	if slices.ContainsFunc(b.draft.Preds, func(p *parse.Pred) bool { return b.preds[p].dim == d }) {
		return false
	}
	return d.Role == semantic.RoleCategory && semantic.IsText(d.Type) && len(b.draft.Groups) == 0
}

// add appends an output that is not there yet.
func (b *builder) add(o intent.Output) {
	if !slices.Contains(b.in.Select, o) {
		b.in.Select = append(b.in.Select, o)
	}
}

func (b *builder) count(e *semantic.Entity, distinct bool) intent.Output {
	o := intent.Output{Agg: intent.AggCount, Field: intent.Field{Kind: intent.KindEntity, ID: e.ID}}
	if distinct {
		o.Agg = intent.AggCountDistinct
		b.in.Distinct = false
	}
	return o
}

// labels are the columns that name an entity, or its key where none does: a key that
// is but a number leaves a doubt.
func (b *builder) labels(e *semantic.Entity) []*semantic.Dimension {
	var names, first []*semantic.Dimension
	for _, d := range b.layer.columns[e.Table] {
		words := b.layer.words[d.ID]
		if d.Role != semantic.RoleLabel {
			continue
		}
		if contains(words, "first") || contains(words, "last") {
			first = append(first, d)
			continue
		}
		names = append(names, d)
	}
	switch {
	case len(names) > 0:
		if len(names) > 1 {
			b.doubt("names_several", "which name of %s", e.Names.EN)
		}
		return names[:1]
	case len(first) >= 2:
		b.doubt("name_in_parts", "name of %s", e.Names.EN)
		return first[:2]
	}
	if len(e.Key) == 1 {
		if d := b.column(e.Table, e.Key[0]); d != nil && semantic.IsText(d.Type) {
			return []*semantic.Dimension{d} // a key in letters is what people call it by
		}
	}
	b.doubt("no_name", "%s has no name", e.Names.EN)
	for _, k := range e.Key {
		if d := b.column(e.Table, k); d != nil {
			return []*semantic.Dimension{d}
		}
	}
	if cols := b.layer.columns[e.Table]; len(cols) > 0 {
		return cols[:1]
	}
	return nil
}

func (b *builder) column(table, name string) *semantic.Dimension {
	for _, d := range b.layer.columns[table] {
		if d.Expr == name {
			return d
		}
	}
	return nil
}

// relations notes the tables that were named, so that they are joined.
func (b *builder) relations() {
	for _, it := range b.draft.Tables {
		e := b.tables[it].entity
		if e.Table != b.in.Entity && !slices.Contains(b.in.With, e.ID) {
			b.in.With = append(b.in.With, e.ID)
		}
	}
}

// related reports whether all tables of the intent can be joined.
func (b *builder) related() bool {
	tables := append([]string{b.in.Entity}, b.in.With...)
	for _, f := range b.in.Fields() {
		if d, ok := b.layer.byID[f.ID]; ok {
			tables = append(tables, d.Table)
		}
	}
	var unique []string
	for _, t := range tables {
		if t != "" && !contains(unique, t) {
			unique = append(unique, t)
		}
	}
	tree, ok := b.layer.graph.Join(unique)
	if !ok {
		return false
	}
	for _, e := range tree.Edges {
		if b.layer.graph.Choices(e.From, e.To) > 1 {
			b.doubt("joins_several", "%s and %s meet in more than one way", e.From, e.To)
		}
	}
	return true
}

// classify names the type of the question.
func (b *builder) classify() {
	b.in.Type = intent.Basic
	if len(b.in.GroupBy) > 0 {
		b.in.Type = intent.Dimension
	}
	nested := slices.ContainsFunc(b.in.Filters, func(c intent.Cond) bool { return c.Sub != nil })
	if nested || b.in.Set != nil {
		b.in.Type = intent.Complex
	}
}
