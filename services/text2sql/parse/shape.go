package parse

import (
	"fmt"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// shape adds what can only be seen of a whole draft to its features.
func shape(d *Draft, out map[string]float64) {
	count := func(name string, n int) {
		if n > 0 {
			out["shape/"+name] += float64(n)
		}
	}
	aggregates, plain := 0, 0
	seen := map[string]bool{}
	for _, e := range d.Outputs {
		if e.Aggregates() {
			aggregates++
		} else {
			plain++
		}
		if seen[e.String()] {
			count("repeated_output", 1)
		}
		seen[e.String()] = true
		if e.Owner == nil && !e.Table && len(d.Tables) > 1 {
			count("output_of_any_table", 1)
		}
	}
	count(fmt.Sprintf("outputs_%d", min(len(d.Outputs), 4)), 1)
	if aggregates > 0 && plain > 0 {
		count("mixed", 1)
		if len(d.Groups) == 0 {
			count("mixed_without_group", 1)
		}
	}
	if len(d.Groups) > 0 && aggregates == 0 && !d.Superlative && len(d.Having) == 0 {
		count("group_of_nothing", 1)
	}
	if aggregates > 0 && plain == 0 && len(d.Groups) == 0 && !d.Superlative {
		for _, o := range d.Orders {
			if o.By != nil && o.By.Agg == "" {
				count("one_row_ordered", 1)
			}
		}
	}
	if d.Superlative && len(d.Orders) > 1 {
		count("picked_and_ordered", 1)
	}
	if len(d.Outputs) > 0 && d.Outputs[0].Rows {
		count("nothing_asked", 1)
	}
	count("groups", len(d.Groups))
	count("tables", len(d.Tables))
	count("doubts", len(d.Doubts))
	count("having", len(d.Having))
	count("contradictions", contradictions(d.Preds))
	for _, p := range d.Preds {
		if p.Left != nil && seen[p.Left.String()] && p.Op == intent.Eq && !p.Neg && len(p.Values) == 1 {
			count("shows_what_is_fixed", 1)
		}
	}
}

// contradictions counts pairs of values that one column would have at once.
func contradictions(preds []*Pred) int {
	n := 0
	for i, p := range preds {
		for _, q := range preds[:i] {
			if p.Op != intent.Eq || q.Op != intent.Eq || p.Both || p.OrPrev || p.Neg || q.Neg || len(p.Values) == 0 || len(q.Values) == 0 {
				continue
			}
			named := p.Left != nil && q.Left != nil && p.Left.Item != nil && q.Left.Item != nil && lower(p.Left.Item) == lower(q.Left.Item)
			if named || p.Values[0].Item != nil && sameColumnValues(q, p.Values[0].Item) {
				n++
			}
		}
	}
	return n
}
