package parse

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// order takes "sorted by age in descending order", "in alphabetical order of
// name", "in descending order of age".
func (r *reader) order() {
	desc, alpha := false, false
	var (
		aggs   []intent.Agg
		owner  *link.Item
		orders []Order
		done   int // orders whose direction was said
	)
	set := func(it *link.Item) {
		arg, _ := it.Tag("order")
		alpha = alpha || arg == "alpha" || arg == "alphadesc"
		if arg == "" {
			return
		}
		// "price decreasing and name ascending": a direction is that of what was
		// read since the last one.
		d := arg == "desc" || arg == "alphadesc"
		for ; done < len(orders); done++ {
			orders[done].Desc = d
		}
		desc = d
	}
	start := len(r.draft.Orders)
	set(r.cur())
	r.pos++
loop:
	for it := r.cur(); it != nil; it = r.cur() {
		switch {
		case it.Is("order"):
			set(it)
			r.pos++
		case it.Is("agg"):
			a, _ := it.Tag("agg")
			aggs = append(aggs, intent.Agg(a))
			r.pos++
		case it.Is("count") && (len(it.Columns) == 0 || it.Columns[0].Score < 0.95):
			aggs = append(aggs, intent.AggCount)
			r.pos++
		case it.Is("adjective") && len(orders) == 0:
			adj, _ := r.lex.Adjective(lower(it))
			orders = append(orders, Order{By: &Expr{Adj: adj, Near: r.table}})
			desc = adj != nil && adj.Desc
			r.pos++
			r.skipRange()
		case it.Is("adjective"): // "from youngest to oldest"
			if adj, ok := r.lex.Adjective(lower(it)); ok {
				desc = adj.Desc
			}
			r.pos++
			r.skipRange()
		case len(it.Tables) > 0 && r.asTableAt(it):
			if len(aggs) > 0 {
				orders = append(orders, Order{By: &Expr{Item: it, Table: true, Agg: aggs[0]}})
				aggs = nil
				r.mention(it)
			} else {
				owner = it
				if !r.compoundAt(0) && !it.Possessive() {
					if len(orders) > 0 {
						orders[len(orders)-1].By.Owner = it
					}
				}
			}
			r.pos++
		case len(it.Columns) > 0:
			e := &Expr{Item: it, Near: r.table, Owner: owner}
			if len(aggs) > 0 {
				e.Agg = aggs[0]
				aggs = nil
			}
			owner = nil
			orders = append(orders, Order{By: e})
			r.pos++
		case it.Is("of") || isFiller(it) || it.Is("and") && len(orders) > 0 && r.sortFollows():
			r.pos++
		case it.Is("super"): // "from highest to lowest"
			arg, _ := it.Tag("super")
			desc = arg == "max"
			r.pos++
			r.skipRange()
		default:
			break loop
		}
	}
	if len(aggs) > 0 && len(orders) == 0 { // "ordered by the count"
		orders = append(orders, Order{By: &Expr{Agg: aggs[0]}})
	}
	for ; done < len(orders); done++ {
		orders[done].Desc = desc
	}
	if len(orders) == 0 && start > 0 && !alpha && !r.draft.Superlative { // "pets by weight, highest first"
		for i := range r.draft.Orders {
			r.draft.Orders[i].Desc = desc
		}
		return
	}
	if len(orders) == 0 && (alpha || len(r.draft.Outputs) > 0) {
		orders = []Order{{By: nil, Desc: desc, Alpha: alpha}} // by the aggregate, else by the first output
		if !alpha && !slices.ContainsFunc(r.draft.Outputs, func(e *Expr) bool { return e.Agg != "" }) && len(r.draft.Groups) == 0 {
			r.draft.doubt(0.8, "order without a column")
		}
	}
	r.draft.Orders = append(r.draft.Orders[:start], orders...)
}

// skipRange passes over "to oldest" of "from youngest to oldest".
func (r *reader) skipRange() {
	n := r.skip(0)
	if it := r.peek(n); it == nil || !it.Is("of") {
		return
	}
	m := r.skip(n + 1)
	if it := r.peek(m); it != nil && (it.Is("adjective") || it.Is("super")) {
		r.pos += m + 1
	}
}

func (r *reader) sortFollows() bool {
	it := r.peek(r.skip(1))
	return it != nil && len(it.Columns) > 0
}

func lower(it *link.Item) string {
	s := ""
	for i, t := range it.Tokens {
		if i > 0 {
			s += " "
		}
		s += t.Lower
	}
	return s
}

// dropSubject gives up a column in the filter part that no condition followed: a
// flag is meant to be true, something that rows have is not empty, of others
// something was missed.
func (r *reader) dropSubject() {
	s := r.subject
	r.subject = nil
	if s == nil || s.Agg != "" || s.Table || s.Item == nil {
		return
	}
	switch {
	case isFlagItem(s.Item):
		r.addPred(truth(s))
	case r.has:
		r.addPred(&Pred{Left: s, Op: intent.NotNull})
	default:
		r.draft.doubt(0.5, s.Item.Text)
	}
	r.has = false
}

// lacks reports whether the column just read is something that rows do not have:
// a negation stands before it and no condition follows. It notes as well where
// rows have it.
func (r *reader) lacks(it *link.Item) bool {
	r.has = false
	if len(it.Columns) == 0 || it.Columns[0].Score < 0.85 || r.operatorFollows() || it.Columns[0].Dim.Role == semantic.RoleMeasure && r.peek(0) != nil && r.peek(0).Unknown() {
		return false
	}
	if next := r.peek(r.skip(0)); it.Is("light") || next != nil && next.Is("of") && !r.elsewhere(it) {
		return false // "not located in", "allergy to": a condition follows
	}
	indefinite := false
	for i := r.pos - 2; i >= 0 && i >= r.pos-4; i-- {
		w := lower(r.items[i])
		switch {
		case w == "a" || w == "an" || w == "any":
			indefinite = true
		case r.items[i].Is("stop") || r.items[i].Is("light"):
		case r.items[i].Is("not"):
			if r.neg && (indefinite || slices.Contains(lackWords, w) || i == r.pos-2 && w != "not" && w != "non") {
				r.filter = true
				return r.negate()
			}
			return false
		case slices.Contains(haveWords, w):
			if r.neg { // "do not have a phone"
				r.filter = true
				return r.negate()
			}
			r.has = indefinite
			return false
		default:
			return false
		}
	}
	return false
}

// elsewhere reports whether the words after a column say where the rows are, and
// nothing of the column.
func (r *reader) elsewhere(it *link.Item) bool {
	n := r.skip(0)
	if w := lower(r.peek(n)); w != "in" && w != "from" && w != "at" {
		return false
	}
	v := r.peek(r.skip(n + 1))
	return v != nil && len(v.Values) > 0 && !v.Quoted && !sharesColumn(it, v)
}

func (r *reader) negate() bool {
	r.neg = false
	return true
}

var (
	lackWords = []string{"no", "without", "lack", "lacks", "lacking", "do not have", "does not have", "没有"}
	haveWords = []string{"with", "has", "have", "having", "had"}
)

// finish closes what was left open.
func (r *reader) finish() {
	d := r.draft
	r.dropSubject()
	r.finishRate()
	if len(r.aggs) > 0 && len(d.Outputs) == 0 {
		for _, a := range r.aggs {
			if a == intent.AggCount {
				d.Outputs = append(d.Outputs, &Expr{Agg: a})
			}
		}
		if len(d.Outputs) == len(r.aggs) {
			r.aggs = nil
		}
	}
	switch {
	case len(d.Outputs) == 0 || len(r.aggs) == 0:
	case len(r.aggs) == 1 && r.aggs[0] == intent.AggCount && !r.filter:
		d.Outputs = append(d.Outputs, &Expr{Agg: intent.AggCount})
	default:
		d.doubt(0.3, "an aggregate of nothing")
	}
	if len(d.Orders) == 0 && r.lead != "" {
		d.Orders = append(d.Orders, Order{Desc: r.lead == "alphadesc" || r.lead == "desc"})
	}
	if r.neg {
		d.doubt(0.2, "a negation of nothing")
	}
	if len(d.Outputs) == 0 && len(d.Tables) > 0 && !(d.Superlative && len(d.Groups) > 0) { // "which month had the most visits" shows the month
		d.Outputs = append(d.Outputs, &Expr{Item: d.Tables[0], Table: true})
	}
	if len(d.Outputs)+len(d.Groups) == 0 && len(d.Preds) > 0 && len(r.aggs) == 0 && !r.rate {
		d.Outputs = append(d.Outputs, &Expr{Rows: true}) // "the heaviest dog"
	}
	if d.Superlative && len(d.Orders) == 0 {
		d.doubt(0.4, "a superlative without an order")
	}
}
