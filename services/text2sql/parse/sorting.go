package parse

import (
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
	if len(orders) == 0 && (alpha || len(r.draft.Outputs) > 0) {
		orders = []Order{{By: nil, Desc: desc}} // by the first output
		if !alpha {
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
// flag is meant to be true, of others something was missed.
func (r *reader) dropSubject() {
	s := r.subject
	r.subject = nil
	if s == nil || s.Agg != "" || s.Table || s.Item == nil {
		return
	}
	if len(s.Item.Columns) > 0 && len(truths(s.Item.Columns[0].Dim)) > 0 {
		dim := s.Item.Columns[0].Dim
		r.addPred(&Pred{Left: s, Op: intent.Eq, Values: []Value{{Item: &link.Item{
			Text: truths(dim)[0], Values: []link.ValueMatch{{Dim: dim, Value: truths(dim)[0], Score: 1}},
		}, Text: truths(dim)[0]}}})
		return
	}
	r.draft.doubt(0.5, s.Item.Text)
}

// truths are the stored values of a flag that mean yes; none for other columns.
func truths(d *semantic.Dimension) []string {
	if len(d.Values) == 0 || len(d.Values) > 2 || !d.Complete {
		return nil
	}
	var yes []string
	for _, v := range d.Values {
		switch semantic.Fold(v.Value) {
		case "y", "yes", "t", "true", "1":
			yes = append(yes, v.Value)
		case "n", "no", "f", "false", "0":
		default:
			return nil
		}
	}
	return yes
}

// finish closes what was left open.
func (r *reader) finish() {
	d := r.draft
	if len(r.aggs) > 0 && len(d.Outputs) == 0 {
		for _, a := range r.aggs {
			if a == intent.AggCount {
				d.Outputs = append(d.Outputs, &Expr{Agg: a})
			}
		}
	}
	r.dropSubject()
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
	if len(d.Outputs) == 0 && len(d.Tables) > 0 {
		d.Outputs = append(d.Outputs, &Expr{Item: d.Tables[0], Table: true})
	}
	if d.Superlative && len(d.Orders) == 0 {
		d.doubt(0.4, "a superlative without an order")
	}
}
