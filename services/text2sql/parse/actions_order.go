package parse

import (
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// order sorts by the keys, in the direction that a word of order says.
func order(_ *builder, kids []fragment) fragment {
	f := together(kids)
	desc, alpha, said := false, false, false
	for _, it := range items(kids) {
		switch arg, _ := it.Tag("order"); arg {
		case "desc", "alphadesc":
			desc, said = true, true
			alpha = alpha || arg == "alphadesc"
		case "asc", "alpha":
			desc, said = false, true
			alpha = alpha || arg == "alpha"
		}
	}
	if len(f.Orders) == 0 {
		f.Orders = []Order{{Desc: desc, Alpha: alpha}}
		return f
	}
	for i := range f.Orders {
		if said {
			f.Orders[i].Desc = desc
		}
	}
	return f
}

// orderBy is "vets by number of visits": the number is shown as well, the highest
// first where nothing else is said.
func orderBy(b *builder, kids []fragment) fragment {
	f := order(b, kids)
	said := false
	for _, it := range items(kids) {
		arg, ok := it.Tag("order")
		said = said || ok && arg != ""
	}
	if first := &f.Orders[0]; first.By != nil && first.By.Agg != "" {
		first.Desc = first.Desc || !said
		f.shown = first.By
	}
	return f
}

// sortColumn is "most docks first".
func sortColumn(_ *builder, kids []fragment) fragment {
	f := together(kids)
	_, arg := find(kids, "super")
	f.Orders, f.exprs = append(f.Orders, Order{By: f.exprs[0], Desc: arg == "max"}), nil
	return f
}

func sortCount(b *builder, kids []fragment) fragment {
	for _, k := range kids {
		for _, e := range k.exprs {
			e.Agg = intent.AggCount
		}
	}
	return sortColumn(b, kids)
}

// sortRows is "newest members first".
func sortRows(b *builder, kids []fragment) fragment {
	f := keyAdj(b, kids)
	f.Outputs, f.exprs = append(f.Outputs, f.exprs...), nil
	return f
}

// topBy is "top 5 members by points".
func topBy(b *builder, kids []fragment) fragment {
	f := limitRows(b, kids)
	_, arg := find(kids, "super")
	for i := range f.Orders {
		f.Orders[i].Desc = arg == "max"
	}
	f.Superlative = true
	return f
}

// sortFrom is "by age from oldest to youngest".
func sortFrom(b *builder, kids []fragment) fragment {
	f := keyAdj(b, kids)
	if len(f.Orders) > 0 && len(f.exprs) > 0 {
		f.Orders[len(f.Orders)-1].By, f.exprs = f.exprs[0], nil
	}
	return f
}

// key is what is sorted by.
func key(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.Orders = append(f.Orders, Order{By: f.exprs[0]})
	f.exprs = nil
	return f
}

func keyCount(_ *builder, kids []fragment) fragment {
	f := together(kids)
	e := &Expr{Agg: intent.AggCount}
	if len(f.exprs) > 0 {
		e = f.exprs[0]
		e.Agg = intent.AggCount
	}
	f.Orders, f.exprs = append(f.Orders, Order{By: e}), nil
	return f
}

func keyAgg(_ *builder, kids []fragment) fragment {
	f := together(kids)
	e := f.exprs[0]
	e.Agg = f.aggs[0]
	f.Orders, f.exprs, f.aggs = append(f.Orders, Order{By: e}), nil, nil
	return f
}

func keyAdj(b *builder, kids []fragment) fragment {
	it, _ := find(kids, "adjective")
	f := together(kids)
	adj, ok := b.lex.Adjective(lower(it))
	if !ok {
		f.doubt(0.3, it.Text)
		return f
	}
	for i := range f.Orders { // "by weight, heaviest first"
		f.Orders[i].Desc = adj.Desc
	}
	if len(f.Orders) == 0 {
		f.Orders = []Order{{By: &Expr{Adj: adj}, Desc: adj.Desc}}
	}
	return f
}

// picked keeps the first rows of an order.
func (f *fragment) picked(e *Expr, desc bool, n *link.Item) {
	f.Orders = append([]Order{{By: e, Desc: desc}}, f.Orders...)
	f.Superlative, f.exprs = true, nil
	if f.Limit == 0 {
		f.Limit = 1
	}
	if n != nil {
		f.Limit = parseLimit(n.Number)
	}
}

// count is the number among the items of a rule.
func countOf(kids []fragment) *link.Item {
	for _, it := range items(kids) {
		if it.Number != "" {
			return it
		}
	}
	return nil
}

func pick(_ *builder, kids []fragment) fragment {
	f := together(kids)
	it, arg := find(kids, "super")
	e := f.exprs[0]
	e.Total = isMost(it.Text)
	f.picked(e, arg == "max", countOf(kids))
	return f
}

func pickCount(_ *builder, kids []fragment) fragment {
	f := together(kids)
	_, arg := find(kids, "super")
	e := &Expr{Agg: intent.AggCount}
	if len(f.exprs) > 0 {
		e = f.exprs[0]
		e.Agg = intent.AggCount
	}
	f.picked(e, arg == "max", countOf(kids))
	return f
}

func pickAgg(_ *builder, kids []fragment) fragment {
	f := together(kids)
	_, arg := find(kids, "super")
	e := f.exprs[0]
	e.Agg = f.aggs[0]
	f.aggs = nil
	f.picked(e, arg == "max", countOf(kids))
	return f
}

// pickAdj is "oldest", "3 youngest", or "longest duration" where the column is
// named as well.
func pickAdj(b *builder, kids []fragment) fragment {
	f := together(kids)
	var it *link.Item
	for _, x := range items(kids) {
		if x.Is("adjective") {
			it = x
		} else if x.Is("super") && it == nil {
			it = x
		}
	}
	adj, ok := b.lex.Adjective(lower(it))
	if !ok {
		f.doubt(0.3, it.Text)
		return f
	}
	e := &Expr{Adj: adj}
	if len(f.exprs) > 0 {
		e = f.exprs[0]
	}
	f.picked(e, adj.Desc, countOf(kids))
	return f
}

// common is "the most common": the largest group.
func common(_ *builder, kids []fragment) fragment {
	f := together(kids)
	_, arg := find(kids, "common")
	rest := f.exprs
	f.picked(&Expr{Agg: intent.AggCount}, arg == "max", countOf(kids))
	f.exprs = rest
	return f
}

// commonShow is "the most common nationality", which is what is asked for.
func commonShow(b *builder, kids []fragment) fragment {
	f := common(b, kids)
	f.Outputs = append(f.Outputs, f.exprs...)
	f.exprs = nil
	return f
}

// limit is "top 3" where an order says by what.
func limit(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.Superlative = true
	if n := countOf(kids); n != nil {
		f.Limit = parseLimit(n.Number)
	}
	return f
}

// limitRows is "3 shops" where a superlative later says which.
func limitRows(b *builder, kids []fragment) fragment {
	f := show(b, kids)
	f.Limit = parseLimit(countOf(kids).Number)
	return f
}
