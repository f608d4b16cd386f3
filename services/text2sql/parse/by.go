package parse

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// by takes "by" where it groups or orders: "fee by vet", "pets by number of
// visits", "pets by weight, highest first". After a verb it says who did
// something, and is left to the others.
func (r *reader) by() bool {
	if lower(r.cur()) != "by" {
		return false
	}
	counting := r.rate || len(r.aggs) > 0 && r.aggs[len(r.aggs)-1] == intent.AggCount // "share of cats by city"
	if len(r.draft.Outputs) == 0 && !(counting && len(r.draft.Preds) > 0) || r.subject != nil {
		return false
	}
	prev := r.peek(-1)
	if prev == nil || prev.Unknown() || prev.Is("order") || prev.Is("not") {
		return false
	}
	if w := lower(prev); prev.Is("light") && (strings.HasSuffix(w, "ed") || len(prev.Columns)+len(prev.Tables) == 0) {
		return false
	}
	next := r.peek(r.skip(1))
	last := &Expr{Agg: intent.AggCount}
	if n := len(r.draft.Outputs); n > 0 {
		last = r.draft.Outputs[n-1]
	}
	after := r.peek(r.skip(1) + 1)
	switch {
	case next == nil || after != nil && (after.Quoted || after.Number != "" || len(after.Values) > 0 && len(after.Columns)+len(after.Tables) == 0):
		return false // "by the artist Queen"
	case last.Agg != "" || last.Rate != nil || r.rate:
		if len(next.Columns)+len(next.Tables) == 0 {
			return false
		}
		r.group()
		return true
	case r.filter:
		return false
	case last.Table && len(r.draft.Outputs) == 1 && (next.Is("count") || next.Is("agg") || next.Is("distinct")) && len(next.Columns) == 0:
		return r.byAggregate()
	case len(next.Columns) > 0 && !r.asTableAt(next) && isNumber(next) && r.orderFollows():
		r.order()
		return true
	case last.Table && len(r.draft.Outputs) == 1 || isMeasure(last):
		if len(next.Tables)+len(next.Columns) == 0 || len(next.Columns) > 0 && !r.asTableAt(next) && isMeasureItem(next) || r.listing() {
			return false
		}
		r.group()
		return true
	}
	return false
}

// byAggregate takes "vets by number of visits": all of them with their number,
// highest first where nothing else is said.
func (r *reader) byAggregate() bool {
	before := len(r.draft.Orders)
	r.order()
	if len(r.draft.Orders) == before {
		return true
	}
	o := &r.draft.Orders[before]
	o.Desc = true
	if o.By != nil && o.By.Agg != "" && !r.draft.Superlative {
		shown := *o.By
		o.By = &shown
		r.draft.Outputs = append(r.draft.Outputs, &shown)
		r.draft.Groups = append(r.draft.Groups, &Expr{Item: r.draft.Outputs[0].Item, Table: true, Prep: "by"})
		r.lastGroup = true
	}
	return true
}

// orderFollows reports whether the question says further on how rows are sorted.
func (r *reader) orderFollows() bool {
	for i := 1; r.peek(i) != nil; i++ {
		if _, ok := r.peek(i).Tag("order"); ok {
			return true
		}
	}
	return false
}

// listing reports whether the question begins with a wish for a list of rows.
func (r *reader) listing() bool {
	switch lower(r.items[0]) {
	case "list", "name", "names", "which", "who", "find":
		return true
	}
	return false
}

func isMeasure(e *Expr) bool {
	return e.Item != nil && !e.Table && e.Agg == "" && isMeasureItem(e.Item)
}

func isMeasureItem(it *link.Item) bool {
	return len(it.Columns) > 0 && it.Columns[0].Dim.Role == semantic.RoleMeasure && semantic.IsNumber(it.Columns[0].Dim.Type)
}

// rateWord takes "share of", "percentage", and the "rate" of a flag.
func (r *reader) rateWord(it *link.Item) bool {
	if !it.Is("rate") || len(it.Columns) > 0 && it.Columns[0].Score >= 0.9 {
		return false
	}
	if lower(it) == "rate" || lower(it) == "rates" || lower(it) == "率" { // "no-show rate": of the flag before it
		n := len(r.draft.Outputs)
		if n == 0 || r.draft.Outputs[n-1].Agg != "" || !isFlagItem(r.draft.Outputs[n-1].Item) {
			p := r.lastPred()
			if p == nil || r.peek(-1) == nil || len(p.Values) == 0 || p.Op != intent.Eq {
				return false
			}
			r.rate, r.filter = true, false
			r.pos++
			return true
		}
		e := r.draft.Outputs[n-1]
		e.Agg, e.Rate = intent.AggRate, truth(e)
		r.pos++
		return true
	}
	r.rate = true
	r.pos++
	return true
}

func isFlagItem(it *link.Item) bool {
	return it != nil && len(it.Columns) > 0 && link.Flag(it.Columns[0].Dim)
}

// truth is the condition that a flag holds; of a word that denies one, that it
// does not.
func truth(e *Expr) *Pred {
	dim := e.Item.Columns[0].Dim
	stored := link.Truths(dim)
	if e.Item.Not {
		stored = link.Falsehoods(dim)
	}
	v := Value{Text: "true"}
	if len(stored) > 0 {
		v.Text = stored[0]
	}
	v.Item = &link.Item{Text: e.Item.Text, Values: []link.ValueMatch{{Dim: dim, Value: v.Text, Score: 1}}}
	return &Pred{Left: &Expr{Item: e.Item, Owner: e.Owner, Near: e.Near}, Op: intent.Eq, Values: []Value{v}}
}

// finishRate turns one of the conditions into what the share counts: the one
// that is said of the things, else the only one.
func (r *reader) finishRate() {
	d := r.draft
	if !r.rate {
		return
	}
	at := -1
	for i, p := range d.Preds {
		said := p.Prep == "" || p.Prep == "that" || p.Prep == "who" || p.Prep == "which"
		if p.Op == intent.Eq && len(p.Values) == 1 && !p.Values[0].Number && !p.Values[0].Date && (at < 0 || said) {
			at = i
		}
	}
	if at < 0 || d.Preds[at].OrPrev || d.Preds[at].Both || len(d.Having) > 0 || d.Superlative {
		d.doubt(0.2, "a share of nothing")
		return
	}
	p := d.Preds[at]
	d.Preds = append(d.Preds[:at:at], d.Preds[at+1:]...)
	var kept []*Expr
	for _, e := range d.Outputs {
		if e.Table || e.Agg == intent.AggCount {
			continue // whose share it is
		}
		kept = append(kept, e)
		if e.Agg == "" && len(d.Groups) == 0 {
			d.doubt(0.5, "a share beside a column")
		}
	}
	r.aggs = nil
	kept = append(kept, &Expr{Agg: intent.AggRate, Rate: p})
	d.Outputs = kept
}

// flag takes a column that says yes or no as a condition where it says something
// of what is asked for: "active members", "who get the newsletter". It is shown
// where it is listed among columns.
func (r *reader) flag(it *link.Item) bool {
	if !isFlagItem(it) || it.Columns[0].Score < 0.75 || it.Columns[0].Dim.Type != "boolean" && !it.Not && it.Columns[0].Score < 0.9 {
		return false
	}
	if r.valueFollows() || len(r.aggs) > 0 && r.aggs[len(r.aggs)-1] != intent.AggCount {
		return false
	}
	next := r.peek(r.skip(0))
	if next != nil && (next.Is("rate") || lower(next) == "status" || lower(next) == "flag") {
		return false
	}
	beforeTable := next != nil && len(next.Tables) > 0 && r.asTableAt(next) && r.peek(0) == next
	onlyRows := len(r.draft.Tables) > 0 && (len(r.draft.Outputs) == 0 || r.draft.Outputs[len(r.draft.Outputs)-1].Table)
	said := r.peek(-2) != nil && (r.peek(-2).Is("stop") || r.peek(-2).Is("light") || r.peek(-2).Is("rel") || r.peek(-2).Is("not"))
	switch {
	case r.neg, it.Not, r.filter, r.rate, beforeTable && !r.afterAnd:
	case (r.prep == "of" || r.prep == "for") && len(r.draft.Outputs) > 0 && !r.afterAnd: // "fee of no-shows"
	case onlyRows && !r.afterAnd:
	case len(r.aggs) > 0 && len(r.draft.Outputs) == 0:
	case said && r.rel != "" && !r.afterAnd:
	default:
		return false
	}
	e := &Expr{Item: it, Owner: r.owner, Near: r.table}
	r.owner = nil
	if beforeTable && e.Owner == nil {
		e.Owner = next
	}
	if next != nil && (lower(next) == "true" || lower(next) == "yes" || lower(next) == "false" || lower(next) == "no") {
		r.pos += r.skip(0) + 1
		r.neg = r.neg != (lower(next) == "false" || lower(next) == "no")
	}
	r.addPred(truth(e))
	r.filter = r.filter || len(r.draft.Outputs) > 0 && !beforeTable
	return true
}
