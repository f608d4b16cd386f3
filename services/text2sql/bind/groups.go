package bind

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/parse"
)

// groups decides GROUP BY: what was named after "each", and what aggregates in
// the order or in conditions on counts imply.
func (b *builder) groups() {
	var plain []intent.Field
	agg := false
	for _, o := range b.in.Select {
		switch {
		case o.Aggregates():
			agg = true
		case o.Calc == nil:
			plain = append(plain, o.Field)
		}
	}
	explicit := b.explicitGroups()
	b.having()
	counting := len(b.in.Having) > 0
	for _, o := range b.draft.Orders {
		counting = counting || b.totals(o.By) || o.By != nil && o.By.Calc != nil && o.By.Aggregates() || o.By != nil && o.By.Agg != "" && !(o.By.Agg == intent.AggCount && b.measure(o.By))
	}
	switch {
	case b.draft.Superlative && len(explicit) > 0 && !agg && len(b.draft.Orders) == 1 && slices.ContainsFunc(plain, func(f intent.Field) bool { return !slices.Contains(explicit, f) }):
		b.firstOfEach(explicit, plain, counting)
	case len(explicit) > 0 && (agg || counting || len(b.in.Select) == 0):
		for _, f := range explicit {
			b.add(intent.Output{Field: f})
		}
		b.in.GroupBy = union(b.keyOf(explicit), explicit, plain)
		if !agg && !counting {
			b.doubt("groups_alone", "groups without an aggregate")
		}
	case len(explicit) > 0:
		// "the name of each singer": every row, nothing to aggregate.
		if len(plain) == 0 {
			for _, f := range explicit {
				b.add(intent.Output{Field: f})
			}
		}
		if slices.ContainsFunc(explicit, func(f intent.Field) bool { return !slices.Contains(plain, f) }) && !b.labelsOnly(explicit) {
			b.doubt("groups_alone", "groups without an aggregate")
		}
	case agg && len(plain) > 0:
		b.in.GroupBy = union(b.keyOf(plain), plain)
		b.doubt("groups_implied", "groups were not named")
	case counting && len(plain) > 0:
		b.in.GroupBy = union(b.countKey(plain), plain)
		if slices.ContainsFunc(b.draft.Orders, func(o parse.Order) bool { return b.totals(o.By) }) {
			b.in.GroupBy = union(b.labelKey(plain), plain)
		}
	case counting && agg:
		b.countGroups()
	}
}

// firstOfEach is "the oldest student of each class": the first rows of every group.
func (b *builder) firstOfEach(groups, plain []intent.Field, counting bool) {
	for _, f := range groups {
		b.add(intent.Output{Field: f})
	}
	b.in.LimitPer = groups
	if counting {
		b.in.GroupBy = union(b.keyOf(plain), groups, plain)
	}
}

// labelsOnly reports whether groups came from tables: "each singer".
func (b *builder) labelsOnly(fields []intent.Field) bool {
	for _, e := range b.draft.Groups {
		if !e.Table {
			return false
		}
	}
	return len(fields) > 0
}

func (b *builder) explicitGroups() []intent.Field {
	var out []intent.Field
	for _, e := range b.draft.Groups {
		if e.Table {
			entity := b.tables[e.Item].entity
			// Outputs of that table already name it.
			if b.namesEntity(entity) {
				continue
			}
			for _, d := range b.labels(entity) {
				out = append(out, dimField(d))
			}
			continue
		}
		if c := b.exprs[e]; c.dim != nil {
			f := dimField(c.dim)
			f.Grain = e.Grain
			out = append(out, f)
		} else if c.entity != nil {
			for _, d := range b.labels(c.entity) {
				out = append(out, dimField(d))
			}
		}
	}
	if len(out) == 0 && len(b.draft.Groups) > 0 {
		for _, o := range b.in.Select {
			if o.Agg == "" {
				out = append(out, o.Field)
			}
		}
	}
	return out
}

func (b *builder) namesEntity(e *semantic.Entity) bool {
	for _, o := range b.in.Select {
		if d, ok := b.layer.byID[o.ID]; ok && o.Agg == "" && d.Table == e.Table {
			return true
		}
	}
	return false
}

// keyOf adds the key of a table whose name is grouped by, so that two things of
// the same name stay two.
func (b *builder) keyOf(fields []intent.Field) []intent.Field {
	var out []intent.Field
	for _, f := range fields {
		d, ok := b.layer.byID[f.ID]
		if !ok || d.Role != semantic.RoleLabel {
			continue
		}
		if b.countsOther(d.Table) {
			out = append(out, b.tableKey(d.Table)...)
		}
	}
	return out
}

// tableKey is the key of a table's rows; empty where it has none.
func (b *builder) tableKey(table string) []intent.Field {
	e, ok := b.layer.entities[table]
	if !ok {
		return nil
	}
	var out []intent.Field
	for _, k := range e.Key {
		if kd := b.column(e.Table, k); kd != nil {
			out = append(out, dimField(kd))
		}
	}
	return out
}

// labelKey are the keys of the tables whose names are shown, so that two of one
// name stay two.
func (b *builder) labelKey(fields []intent.Field) []intent.Field {
	var out []intent.Field
	for _, f := range fields {
		if d, ok := b.layer.byID[f.ID]; ok && d.Role != semantic.RoleCategory {
			out = append(out, b.tableKey(d.Table)...)
		}
	}
	return out
}

// countsOther reports whether what is aggregated is rows of another table.
func (b *builder) countsOther(table string) bool {
	for _, o := range b.in.Select {
		if !o.Aggregates() {
			continue
		}
		if slices.ContainsFunc(o.Leaves(), func(l intent.Output) bool { return b.tableOf(l.Field) != table }) {
			return true
		}
	}
	for _, c := range b.in.Having {
		if b.tableOf(c.Left.Field) != table {
			return true
		}
	}
	for _, o := range b.draft.Orders {
		if o.By != nil && o.By.Agg != "" && o.By.Item != nil {
			if c, ok := b.exprs[o.By]; ok && c.table() != table {
				return true
			}
			if c, ok := b.tables[o.By.Item]; ok && c.table() != table {
				return true
			}
		}
	}
	return false
}

func (b *builder) tableOf(f intent.Field) string {
	if f.Kind == intent.KindEntity {
		return f.ID
	}
	if d, ok := b.layer.byID[f.ID]; ok {
		return d.Table
	}
	return ""
}

// countKey is keyOf for things picked by how many rows they have: the key stands
// in where the outputs are any columns of another table than the counted one.
func (b *builder) countKey(plain []intent.Field) []intent.Field {
	var out []intent.Field
	for _, f := range plain {
		d, ok := b.layer.byID[f.ID]
		if !ok || !b.countsOther(d.Table) || b.categoriesOnly(plain) {
			continue
		}
		out = append(out, b.tableKey(d.Table)...)
	}
	return out
}

// categoriesOnly reports whether fields are properties that many rows share, so
// that the groups are those of the property, not of the rows.
func (b *builder) categoriesOnly(fields []intent.Field) bool {
	return !slices.ContainsFunc(fields, func(f intent.Field) bool {
		d, ok := b.layer.byID[f.ID]
		return !ok || d.Role != semantic.RoleCategory
	})
}

// countGroups is "how many X have more than 2 Y", which counts groups.
func (b *builder) countGroups() {
	key := b.tableKey(b.in.Entity)
	if len(key) != 1 || len(b.in.Select) != 1 || b.in.Select[0].Kind != intent.KindEntity || b.in.Select[0].ID != b.in.Entity || len(b.draft.Orders) > 0 ||
		slices.ContainsFunc(b.in.Having, func(c intent.Cond) bool { return b.tableOf(c.Left.Field) == b.in.Entity }) {
		b.doubt("counts_groups", "counting groups")
		return
	}
	b.in.Select, b.in.GroupBy, b.in.Counted = []intent.Output{{Field: key[0]}}, key, true
}

func (b *builder) having() {
	for i, p := range b.draft.Having {
		if i > 0 || p.OrPrev {
			b.doubt("having_several", "more than one condition on groups")
		}
		left, ok := b.aggregate(p.Left)
		if !ok {
			b.doubt("condition_unread", "a condition that could not be read")
			continue
		}
		values := make([]intent.Literal, 0, len(p.Values))
		for _, v := range p.Values {
			values = append(values, intent.Literal{Text: v.Text, Number: v.Number})
		}
		if len(values) == 0 {
			b.doubt("condition_empty", "a condition without a value")
			continue
		}
		b.in.Having = append(b.in.Having, intent.Cond{Op: p.Op, Left: &left, Values: values})
	}
}

// aggregate is an expression with an aggregate, as an output.
func (b *builder) aggregate(e *parse.Expr) (intent.Output, bool) {
	if e.Table {
		c := b.tables[e.Item]
		if c.entity == nil {
			return intent.Output{}, false
		}
		o := intent.Output{Agg: e.Agg, Field: intent.Field{Kind: intent.KindEntity, ID: c.entity.ID}}
		if e.Distinct {
			o.Agg = intent.AggCountDistinct
		}
		return o, true
	}
	if e.Item == nil {
		for _, s := range b.in.Select {
			if d, ok := b.layer.byID[s.ID]; ok && s.Agg == "" && b.unique(d) {
				b.doubt("counts_unique", "counting rows by %s, which tells them apart", d.ID)
			}
		}
		return intent.Output{Agg: e.Agg, Field: intent.Field{Kind: intent.KindEntity, ID: b.in.Entity}}, true
	}
	c, ok := b.exprs[e]
	if !ok {
		return intent.Output{}, false
	}
	if c.dim == nil {
		return intent.Output{Agg: e.Agg, Field: intent.Field{Kind: intent.KindEntity, ID: c.entity.ID}}, true
	}
	o := intent.Output{Agg: e.Agg, Field: dimField(c.dim)}
	if e.Agg == intent.AggCount {
		if e.Distinct {
			o.Agg = intent.AggCountDistinct
		}
		if numeric(c.dim) && c.dim.Role == semantic.RoleMeasure && !e.Distinct && !b.draft.Superlative {
			b.doubt("counts_number", "counting a number")
		}
	}
	return o, true
}

func union(lists ...[]intent.Field) []intent.Field {
	var out []intent.Field
	for _, list := range lists {
		for _, f := range list {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// totals reports whether "the most fees" are to be summed: what is shown has
// several rows of them.
func (b *builder) totals(e *parse.Expr) bool {
	if e == nil || !e.Total {
		return false
	}
	c := b.exprs[e]
	if c.dim == nil || !numeric(c.dim) || !b.layer.may(c.dim, implied, false) {
		return false
	}
	return slices.ContainsFunc(b.in.Select, func(o intent.Output) bool {
		d := b.layer.byID[o.ID]
		return o.Agg == "" && d != nil && (d.Role == semantic.RoleCategory || d.Table != c.dim.Table)
	})
}

// order decides ORDER BY and LIMIT.
func (b *builder) order() {
	for _, o := range b.draft.Orders {
		switch {
		case o.By == nil && len(b.in.Select) > 0:
			by := b.in.Select[0]
			if i := slices.IndexFunc(b.in.Select, intent.Output.Aggregates); i >= 0 && len(b.in.GroupBy) > 0 && !o.Alpha {
				by = b.in.Select[i] // "fee per vet, highest first"
			}
			b.in.OrderBy = append(b.in.OrderBy, intent.Order{By: by, Desc: o.Desc})
		case o.By == nil:
		case o.By.Calc != nil:
			b.orderColumn(o)
		case o.By.Agg == intent.AggCount && !o.By.Distinct && b.measure(o.By):
			b.orderColumn(o)
		case b.totals(o.By):
			b.in.OrderBy = append(b.in.OrderBy, intent.Order{By: intent.Output{Agg: intent.AggSum, Field: dimField(b.exprs[o.By].dim)}, Desc: o.Desc})
		case o.By.Agg != "" || o.By.Table:
			of := o.By
			if of.Agg == "" {
				of = &parse.Expr{Agg: intent.AggCount, Item: of.Item, Table: true, Distinct: of.Distinct}
			}
			if by, ok := b.aggregate(of); ok {
				b.in.OrderBy = append(b.in.OrderBy, intent.Order{By: by, Desc: o.Desc})
			}
		default:
			b.orderColumn(o)
		}
	}
	b.in.Limit = b.draft.Limit
	if b.draft.Superlative && len(b.in.OrderBy) == 0 {
		if total := b.onlyTotal(); total != nil { // "total amount by city, top 2"
			b.in.OrderBy = []intent.Order{{By: *total, Desc: true}}
			return
		}
		b.doubt("order_missing", "nothing to order by")
	}
}

// onlyTotal is the one figure that is shown of groups, by which the first of them come
// first; nil where there is none, or more than one.
func (b *builder) onlyTotal() *intent.Output {
	if len(b.in.GroupBy) == 0 || len(b.draft.Orders) > 0 {
		return nil
	}
	var total *intent.Output
	for i := range b.in.Select {
		if o := &b.in.Select[i]; o.Aggregates() {
			if total != nil {
				return nil
			}
			total = o
		}
	}
	return total
}

func (b *builder) orderColumn(o parse.Order) {
	if o.By.Calc != nil {
		by, ok := b.expression(o.By)
		if !ok {
			b.doubt("calc_unread", "arithmetic that could not be read")
			return
		}
		for _, s := range b.in.Select { // what is shown is ordered by its name
			if s.Calc != nil && s.Agg == by.Agg && *s.Calc == *by.Calc {
				by = s
			}
		}
		b.in.OrderBy = append(b.in.OrderBy, intent.Order{By: by, Desc: o.Desc})
		return
	}
	c := b.exprs[o.By]
	if c.dim == nil {
		if c.entity == nil {
			return
		}
		for _, d := range b.labels(c.entity)[:1] {
			b.in.OrderBy = append(b.in.OrderBy, intent.Order{By: intent.Output{Field: dimField(d)}, Desc: o.Desc})
		}
		return
	}
	if b.draft.Superlative && semantic.IsText(c.dim.Type) && !allNumbers(c.dim) {
		b.doubt("text_order", "%s is text: its order is that of the alphabet", c.dim.ID)
	}
	if b.draft.Superlative && b.in.HasAggregate() && len(b.in.GroupBy) == 0 {
		b.pickRow(c, o.Desc != c.inverse)
		return
	}
	out := intent.Output{Field: dimField(c.dim)}
	if len(b.in.GroupBy) > 0 && !slices.Contains(b.in.GroupBy, out.Field) {
		// Rows are gone after grouping: an aggregate that is shown stands in.
		for _, s := range b.in.Select {
			if s.Agg != "" && s.ID == out.ID {
				out = s
				break
			}
		}
		if out.Agg == "" {
			out.Agg = intent.AggSum
			b.doubt("order_ungrouped", "ordered by a column that is not grouped")
			if !numeric(c.dim) {
				out.Agg = intent.AggMax
				b.doubt("order_no_sum", "%s cannot be summed", c.dim.ID)
			}
		}
	}
	desc := o.Desc
	if c.inverse {
		desc = !desc
	}
	b.in.OrderBy = append(b.in.OrderBy, intent.Order{By: out, Desc: desc})
}

// pickRow is "how many loans of the branch with the most shelves": the
// rows of one thing are aggregated, and that thing is the first of an order.
func (b *builder) pickRow(c choice, desc bool) {
	b.in.Limit = 0
	b.draft.Limit, b.draft.Superlative = 0, false
	e, ok := b.layer.entities[c.dim.Table]
	if !ok || len(e.Key) != 1 || c.dim.Table == b.in.Entity {
		b.doubt("picks_unclear", "an aggregate over picked rows")
		return
	}
	key := b.column(e.Table, e.Key[0])
	if key == nil {
		b.doubt("picks_unclear", "an aggregate over picked rows")
		return
	}
	sub := &intent.Intent{
		Type: intent.Basic, Entity: e.Table, Select: []intent.Output{{Field: dimField(key)}},
		OrderBy: []intent.Order{{By: intent.Output{Field: dimField(c.dim)}, Desc: desc}}, Limit: 1,
	}
	b.in.Filters = append(b.in.Filters, intent.Cond{Op: intent.Eq, Left: &intent.Output{Field: dimField(key)}, Sub: sub})
}

// unique reports whether a column tells the rows of its table apart: its key, or
// the name of things that have one.
func (b *builder) unique(d *semantic.Dimension) bool {
	e, ok := b.layer.entities[d.Table]
	return ok && len(e.Key) == 1 && (e.Key[0] == d.Expr || len(e.Label) == 1 && e.Label[0] == d.Expr && d.Table == b.in.Entity)
}

// measure reports whether an expression is a column that holds amounts, so that
// "the most points" orders by it and does not count rows.
func (b *builder) measure(e *parse.Expr) bool {
	c, ok := b.exprs[e]
	return ok && !e.Table && c.dim != nil && b.quantity(c.dim)
}

// quantity reports whether a column says how much or how many.
func (b *builder) quantity(d *semantic.Dimension) bool {
	return d.Role == semantic.RoleMeasure && b.layer.may(d, picked, false)
}
