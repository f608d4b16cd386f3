package parse

import (
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// fragment is what a part of a question contributes: finished parts of a draft,
// and what still waits for its place in one.
type fragment struct {
	Draft
	item    *link.Item // of a terminal
	exprs   []*Expr
	aggs    []intent.Agg
	values  []Value
	op      intent.Op
	rate    bool
	percent bool         // of the rate: of a hundred
	not     bool         // the values are denied
	times   []*link.Item // periods
	shown   *Expr        // an order's count that is shown as well
}

// action makes the fragment of a rule from those of its symbols.
type action func(b *builder, kids []fragment) fragment

// builder turns a derivation into a draft.
type builder struct {
	g   *Grammar
	lex *lexicon.Lexicon
}

// together puts fragments side by side, in the order of the question.
func together(kids []fragment) fragment {
	var out fragment
	for _, k := range kids {
		out.Outputs = append(out.Outputs, k.Outputs...)
		out.Distinct = out.Distinct || k.Distinct
		out.Tables = append(out.Tables, k.Tables...)
		out.Preds = append(out.Preds, k.Preds...)
		out.Groups = append(out.Groups, k.Groups...)
		out.Having = append(out.Having, k.Having...)
		out.Star = out.Star || k.Star
		out.Doubts = append(out.Doubts, k.Doubts...)
		out.join(k)
		out.exprs = append(out.exprs, k.exprs...)
		out.aggs = append(out.aggs, k.aggs...)
		out.values = append(out.values, k.values...)
		out.rate = out.rate || k.rate
		out.percent = out.percent || k.percent
		out.not = out.not || k.not
		if k.op != "" {
			out.op = k.op
		}
		out.times = append(out.times, k.times...)
		if k.shown != nil {
			out.shown = k.shown
		}
	}
	return out
}

// join puts orders together: those that pick rows come first.
func (f *fragment) join(k fragment) {
	if k.Superlative && f.Superlative && len(k.Orders) > 0 && len(f.Orders) > 0 {
		f.doubt(0.4, "two superlatives")
	}
	if k.Superlative && !f.Superlative {
		f.Orders = append(append([]Order(nil), k.Orders...), f.Orders...)
	} else {
		f.Orders = append(f.Orders, k.Orders...)
	}
	f.Superlative = f.Superlative || k.Superlative
	if k.Limit > 0 && (f.Limit == 0 || f.Limit == 1) {
		f.Limit = k.Limit
	}
}

// build evaluates a derivation from its leaves.
func (b *builder) build(e *edge) fragment {
	if e.rule < 0 {
		return fragment{item: e.head}
	}
	r := &b.g.rules[e.rule]
	kids := make([]fragment, len(r.body))
	for i := range kids {
		kids[i] = b.build(e.kids[i])
	}
	return r.do(b, kids)
}

// find returns the first terminal's item among fragments that has a tag.
func find(kids []fragment, tag string) (it *link.Item, arg string) {
	for _, k := range kids {
		if k.item == nil {
			continue
		}
		if arg, ok := k.item.Tag(tag); ok {
			return k.item, arg
		}
	}
	return nil, ""
}

// named returns the items of terminals among fragments.
func items(kids []fragment) []*link.Item {
	var out []*link.Item
	for _, k := range kids {
		if k.item != nil {
			out = append(out, k.item)
		}
	}
	return out
}
