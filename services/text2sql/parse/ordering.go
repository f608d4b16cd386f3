package parse

import (
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// pick orders by e and keeps the first rows.
func (r *reader) pick(e *Expr, desc bool) {
	if r.sortsOnly() {
		r.draft.Orders = append(r.draft.Orders, Order{By: e, Desc: desc})
		return
	}
	if r.draft.Superlative {
		r.draft.doubt(0.4, "two superlatives")
		return
	}
	r.draft.Orders = append([]Order{{By: e, Desc: desc}}, r.draft.Orders...)
	r.draft.Superlative = true
	if r.draft.Limit == 0 {
		r.draft.Limit = 1
	}
}

// sortsOnly reports whether a superlative sorts and does not pick: "cheapest
// first", "newest members first", "from oldest to youngest".
func (r *reader) sortsOnly() bool {
	end := len(r.items) - 1
	for end >= 0 && r.items[end].Is("mark") {
		end--
	}
	if end >= r.pos && lower(r.items[end]) == "first" && end-r.pos <= 2 && !r.draft.Superlative {
		r.items = append(r.items[:end:end], r.items[end+1:]...)
		return true
	}
	if from := r.peek(-2); from == nil || lower(from) != "from" || r.peek(0) == nil || lower(r.peek(0)) != "to" {
		return false
	}
	at := r.pos
	r.skipRange()
	return r.pos > at
}

// adjective takes "oldest", "older than 20", "the 3 youngest".
func (r *reader) adjective() {
	it := r.cur()
	words := strings.ToLower(it.Text)
	adj, ok := r.lex.Adjective(words)
	arg, _ := it.Tag("adjective")
	if !ok {
		r.pos++
		return
	}
	if len(it.Columns) > 0 && it.Columns[0].Score > 0.95 || r.isNameWord(it) {
		r.column()
		return
	}
	r.pos++
	if arg == "superlative" {
		if len(r.draft.Orders) > 0 && r.lastIsOrder() {
			return
		}
		if next := r.peek(r.skip(0)); next != nil && len(next.Columns) > 0 && !r.asTableAt(next) {
			// "the longest duration" names the attribute itself.
			r.superlativeColumn(next, adj.Desc)
			return
		}
		r.pick(&Expr{Adj: adj, Near: r.table}, adj.Desc)
		return
	}
	op := intent.Lt
	if adj.Desc {
		op = intent.Gt
	}
	r.filter = r.filter || len(r.draft.Outputs) > 0 || len(r.draft.Tables) > 0
	if r.subject == nil && !r.unitFollows() {
		r.subject = &Expr{Adj: adj, Near: r.table}
	}
	r.operand(op, it)
}

// unitFollows reports whether the column follows the number: "longer than 30
// minutes" where minutes are a column.
func (r *reader) unitFollows() bool {
	n := r.skip(0)
	it, unit := r.peek(n), r.peek(n+1)
	return it != nil && it.Number != "" && unit != nil && len(unit.Columns) > 0 && unit.Columns[0].Score >= 0.95 &&
		isMeasureItem(unit) && !r.asTableAt(unit) && unit.Tokens[0].Stem != "year"
}

// isNameWord reports whether "first" or "last" belongs to a name.
func (r *reader) isNameWord(it *link.Item) bool { return len(it.Columns) > 0 && it.To-it.From > 1 }

// superlative takes "most", "highest" and what they are of.
func (r *reader) superlative() {
	it := r.cur()
	arg, _ := it.Tag("super")
	desc := arg == "max"
	r.pos++
	if strings.EqualFold(it.Text, "top") {
		if n := r.peek(0); n != nil && n.Number != "" {
			r.draft.Limit = parseLimit(n.Number)
			r.pos++
			if nn := r.peek(r.skip(0)); nn != nil && (nn.Is("super") || nn.Is("adjective") || nn.Is("common")) {
				return
			}
			r.topOf()
			return
		}
	}
	n := r.skip(0)
	if c := r.peek(n); c != nil && (c.Is("and") || c.Text == ",") && !r.filter && r.onlyAggregates() {
		if d := r.peek(r.skip(n + 1)); d != nil && (d.Is("super") || d.Is("agg")) { // "highest and lowest price"
			r.aggs = append(r.aggs, extreme(desc))
			r.pos += n + 1
			return
		}
	}
	if c := r.peek(n); c != nil && (c.Is("count") || isTotal(c)) {
		if c.Is("count") && len(c.Columns) == 0 {
			r.pos += n + 1
			r.superlativeCount(desc)
			return
		}
		if isTotal(c) {
			m := r.skip(n + 1)
			if x := r.peek(m); x != nil && len(x.Columns) > 0 {
				a, _ := c.Tag("agg")
				r.pos += m + 1
				r.pick(&Expr{Item: x, Near: r.table, Agg: intent.Agg(a)}, desc)
				return
			}
		}
	}
	if d := r.peek(n); d != nil && d.Is("distinct") {
		n = r.skip(n + 1)
	}
	next := r.peek(n)
	switch {
	case next == nil:
		r.draft.Unread = append(r.draft.Unread, it)
	case len(next.Columns) > 0 && !r.asTableAt(next) && isMost(it.Text) && !isNumber(next):
		r.pos += n
		r.superlativeCount(desc) // "most languages": texts are counted
	case len(next.Columns) > 0 && !r.asTableAt(next) && isMost(it.Text) && !r.onlyAggregates():
		r.pos += n + 1 // "earns the most fees": of all its rows together
		r.pick(&Expr{Item: next, Near: r.table, Owner: r.owner, Total: true}, desc)
		r.owner, r.prep, r.filter = nil, "", true
	case len(next.Columns) > 0 && !r.asTableAt(next):
		r.pos += n
		r.superlativeColumn(next, desc)
	case len(next.Tables) > 0 && isMost(it.Text):
		r.pos += n
		if owner := r.peek(1); owner != nil && len(owner.Columns) > 0 && !r.asTableAt(owner) {
			r.mention(next)
			r.pos++
			r.superlativeColumn(owner, desc)
			return
		}
		r.superlativeCount(desc)
	case len(next.Tables) > 0:
		if adj, ok := r.lex.Adjective(strings.ToLower(it.Text)); ok {
			r.pick(&Expr{Adj: adj, Near: next}, desc)
			return
		}
		r.draft.Unread = append(r.draft.Unread, it)
		r.draft.doubt(0.5, it.Text)
	default:
		r.draft.Unread = append(r.draft.Unread, it)
	}
}

func isTotal(it *link.Item) bool {
	a, ok := it.Tag("agg")
	return ok && (a == "sum" || a == "avg")
}

func isMost(s string) bool {
	switch strings.ToLower(s) {
	case "most", "fewest", "least", "max number of", "maximum number of", "minimum number of":
		return true
	}
	return false
}

// topOf is "top 3 singers by age": the order follows later.
func (r *reader) topOf() {
	r.draft.Superlative = true
}

// superlativeColumn is at a column that is the highest or lowest: an aggregate
// where it is what was asked for, else an order.
func (r *reader) superlativeColumn(it *link.Item, desc bool) {
	if r.cur() != it {
		r.pos += r.skip(0)
	}
	r.pos++
	asked := !r.filter && r.onlyAggregates() && r.table == nil && !r.draft.Superlative
	if asked {
		r.aggs = append(r.aggs, extreme(desc))
		e := &Expr{Item: it, Owner: r.owner}
		r.owner = nil
		r.output(e)
		return
	}
	r.pick(&Expr{Item: it, Near: r.table, Owner: r.owner}, desc)
	r.owner = nil
	r.prep = ""
	r.filter = true
}

func extreme(desc bool) intent.Agg {
	if desc {
		return intent.AggMax
	}
	return intent.AggMin
}

// onlyAggregates reports whether no plain column was asked for yet.
func (r *reader) onlyAggregates() bool {
	for _, o := range r.draft.Outputs {
		if o.Agg == "" || o.Table {
			return false
		}
	}
	return true
}

// superlativeCount is at the table whose rows are counted.
func (r *reader) superlativeCount(desc bool) {
	n := r.skip(0)
	d := false
	if it := r.peek(n); it != nil && it.Is("distinct") {
		d = true
		n = r.skip(n + 1)
	}
	it := r.peek(n)
	if it == nil {
		r.draft.doubt(0.4, "nothing to count")
		return
	}
	r.pos += n + 1
	r.filter = r.filter || len(r.draft.Outputs) > 0
	if len(it.Tables) > 0 && (r.asTableAt(it) || it.Tables[0].Score >= 0.7 && it.Columns[0].Score < 0.9) {
		r.mention(it)
		r.pick(&Expr{Item: it, Table: true, Agg: intent.AggCount, Distinct: d}, desc)
		return
	}
	if len(it.Columns) > 0 {
		r.pick(&Expr{Item: it, Agg: intent.AggCount, Distinct: d, Near: r.table}, desc)
		return
	}
	r.pos -= n + 1
	r.draft.doubt(0.4, "nothing to count")
}

// common takes "the most common nationality": rows grouped and counted.
func (r *reader) common() {
	arg, _ := r.cur().Tag("common")
	r.pos++
	r.pick(&Expr{Agg: intent.AggCount}, arg == "max")
}

// group takes "for each X", "per X".
func (r *reader) group() {
	word := lower(r.cur())
	from := len(r.draft.Groups)
	defer func() {
		for _, g := range r.draft.Groups[min(from, len(r.draft.Groups)):] {
			g.Prep = word
		}
	}()
	r.pos++
	r.prep = ""
	n := r.skip(0)
	if it := r.peek(n); it != nil && it.Is("distinct") {
		n = r.skip(n + 1)
	}
	it := r.peek(n)
	if it == nil {
		return
	}
	switch {
	case len(it.Tables) > 0 && r.asTableAt(it) && !it.Possessive() && !r.compoundAt(n):
		r.pos += n + 1
		r.mention(it)
		r.draft.Groups = append(r.draft.Groups, &Expr{Item: it, Table: true})
	case len(it.Tables) > 0 && r.compoundAt(n):
		r.pos += n + 2
		r.mention(it)
		r.draft.Groups = append(r.draft.Groups, &Expr{Item: r.items[r.pos-1], Owner: it})
	case len(it.Columns) > 0:
		r.pos += n + 1
		r.draft.Groups = append(r.draft.Groups, &Expr{Item: it, Near: r.table})
	default:
		r.draft.doubt(0.6, it.Text)
		return
	}
	r.lastGroup = true
	r.moreGroups()
	if len(r.draft.Outputs) == 0 && len(r.aggs) == 0 {
		return // "For each X, ...": the select list follows
	}
	r.giveOwner(r.table)
}

// moreGroups takes the second of "for each city and year".
func (r *reader) moreGroups() {
	n := r.skip(0)
	a := r.peek(n)
	if a == nil || !a.Is("and") {
		return
	}
	m := r.skip(n + 1)
	it := r.peek(m)
	if it == nil || len(it.Columns) == 0 || r.asTableAt(it) || len(r.draft.Outputs) == 0 {
		return
	}
	if after := r.peek(m + 1); after != nil && !after.Is("mark") && !after.Is("order") && after.Period == nil {
		return
	}
	r.pos += m + 1
	r.draft.Groups = append(r.draft.Groups, &Expr{Item: it, Near: r.table})
}

func (r *reader) compoundAt(n int) bool {
	next := r.peek(n + 1)
	return next != nil && len(next.Columns) > 0 && !r.asTableAt(next)
}

func (r *reader) lastIsOrder() bool {
	for i := r.pos - 1; i >= max(0, r.pos-4); i-- {
		if r.items[i].Is("order") {
			return true
		}
	}
	return false
}
