package parse

import (
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

func (r *reader) addPred(p *Pred) {
	r.postfix(p)
	p.Neg, r.neg = r.neg, false
	p.OrPrev, r.or = r.or && len(r.draft.Preds) > 0, false
	p.Both, p.Prep = r.both, r.prep
	if p.Left != nil && (p.Left.Agg != "" || p.Left.Table) {
		r.draft.Having = append(r.draft.Having, p)
	} else {
		r.draft.Preds = append(r.draft.Preds, p)
	}
	r.prep = ""
}

// postfix takes "or more", "or older" after a number.
func (r *reader) postfix(p *Pred) {
	if len(p.Values) != 1 || !p.Values[0].Number {
		return
	}
	for n := 0; n <= 2; n++ {
		it := r.peek(n)
		if it == nil {
			return
		}
		if arg, ok := it.Tag("post"); ok {
			p.Op = intent.Op(arg)
			r.pos += n + 1
			return
		}
		if !isFiller(it) && len(it.Columns) == 0 {
			return
		}
	}
}

// compare closes the condition whose column was read before.
func (r *reader) compare(op intent.Op, v Value) {
	r.addPred(&Pred{Left: r.subject, Op: op, Values: []Value{v}})
	r.subject = nil
}

// compareAt closes a condition whose subject comes after the number: "more than
// 2 concerts", "over 1000 points", "older than 20 years".
func (r *reader) compareAt(op intent.Op, v Value) {
	n := r.skip(0)
	d := false
	if it := r.peek(n); it != nil && it.Is("distinct") {
		d = true
		n = r.skip(n + 1)
	}
	it := r.peek(n)
	if it == nil {
		r.draft.Unread = append(r.draft.Unread, v.Item)
		return
	}
	switch {
	case len(it.Columns) > 0 && !r.asTableAt(it):
		r.pos += n + 1
		r.addPred(&Pred{Left: &Expr{Item: it, Near: r.table, Distinct: d}, Op: op, Values: []Value{v}})
	case len(it.Tables) > 0:
		r.pos += n + 1
		r.mention(it)
		r.addPred(&Pred{Left: &Expr{Item: it, Table: true, Agg: intent.AggCount, Distinct: d}, Op: op, Values: []Value{v}})
	default:
		r.draft.Unread = append(r.draft.Unread, v.Item)
	}
	r.subject = nil
}

// comparison takes "more than 20", "at least two concerts", "above the average".
func (r *reader) comparison() {
	it := r.cur()
	var op intent.Op
	if arg, ok := it.Tag("cmp"); ok {
		op = intent.Op(arg)
	} else if it.Is("after") {
		op = intent.Gt
	} else {
		op = intent.Lt
	}
	r.pos++
	if r.neg {
		op = negated(op)
		r.neg = false
	}
	r.filter = r.filter || len(r.draft.Outputs) > 0 || len(r.draft.Tables) > 0
	r.operand(op, it)
}

// operand reads what is compared with.
func (r *reader) operand(op intent.Op, at *link.Item) {
	n := r.skip(0)
	it := r.peek(n)
	switch {
	case it == nil:
		r.draft.Unread = append(r.draft.Unread, at)
	case it.Is("agg"):
		r.pos += n
		r.aggregateOperand(op)
	case it.Period != nil && it.Period.Grain == "":
		r.pos += n + 1
		r.periodOperand(op, it)
	case it.Number != "":
		r.pos += n + 1
		v := numberOf(it)
		if at.Is("after") || at.Is("before") {
			if r.subject == nil {
				r.subject = &Expr{Adj: YearColumn}
			}
		}
		if r.subject != nil && !r.countsRows() {
			r.compare(op, v)
			return
		}
		r.compareAt(op, v)
	case it.Quoted || len(it.Values) > 0:
		r.pos += n + 1
		op2 := op
		r.addPred(&Pred{Left: r.subject, Op: op2, Values: []Value{{Item: it, Text: it.Text}}})
		r.subject = nil
		r.filter = true
		r.moreValues()
	default:
		r.draft.Unread = append(r.draft.Unread, at)
		r.draft.doubt(0.5, at.Text)
	}
}

// countsRows reports whether the number just read counts rows of the table that
// follows, so that a column before it is not what is compared.
func (r *reader) countsRows() bool {
	it := r.peek(r.skip(0))
	if it == nil || len(it.Tables) == 0 || !r.asTableAt(it) || it.Tables[0].Score < 0.9 {
		return false
	}
	s := r.subject
	return s.Agg == "" && !s.Table && s.Item != nil && (len(s.Item.Columns) == 0 || s.Item.Columns[0].Score < 0.95 || !isNumber(s.Item))
}

// aggregateOperand reads "the average", "the average age of students".
func (r *reader) aggregateOperand(op intent.Op) {
	arg, _ := r.cur().Tag("agg")
	r.pos++
	p := &Pred{Left: r.subject, Op: op, SubAgg: intent.Agg(arg)}
	n := r.skip(0)
	if it := r.peek(n); it != nil && len(it.Columns) > 0 && !r.asTableAt(it) {
		r.pos += n + 1
		p.SubOf = &Expr{Item: it, Near: r.table}
	}
	if p.Left == nil {
		p.Left = p.SubOf
	}
	if p.SubOf == nil {
		p.SubOf = p.Left
	}
	if p.Left == nil {
		r.draft.doubt(0.3, "comparison without a column")
		return
	}
	// "of all students", "across all bridges" repeat the entity.
	if o := r.peek(r.skip(0)); o != nil && o.Is("of") {
		n := r.skip(r.skip(0) + 1)
		if t := r.peek(n); t != nil && len(t.Tables) > 0 {
			r.pos += n + 1
			if f := r.peek(r.skip(0)); f != nil && (f.Is("rel") || f.Is("of")) {
				r.draft.doubt(0.4, "condition inside a comparison")
			}
		}
	}
	r.addPred(p)
	r.subject = nil
}

func numberOf(it *link.Item) Value {
	return Value{Item: it, Text: it.Number, Number: true}
}

func negated(op intent.Op) intent.Op {
	switch op {
	case intent.Gt:
		return intent.Le
	case intent.Ge:
		return intent.Lt
	case intent.Lt:
		return intent.Ge
	case intent.Le:
		return intent.Gt
	case intent.Eq:
		return intent.Ne
	case intent.Ne:
		return intent.Eq
	}
	return op
}

func (r *reader) between() {
	at := r.cur()
	r.pos++
	n := r.skip(0)
	low := r.peek(n)
	m := r.skip(n + 1)
	if a := r.peek(m); a != nil && (a.Is("and") || a.Is("of")) {
		m = r.skip(m + 1)
	}
	high := r.peek(m)
	if low == nil || high == nil || low.Number == "" || high.Number == "" {
		r.draft.Unread = append(r.draft.Unread, at)
		return
	}
	if r.subject == nil {
		r.subject = &Expr{Adj: YearColumn}
	}
	r.pos += m + 1
	r.filter = true
	r.addPred(&Pred{Left: r.subject, Op: intent.Between, Values: []Value{numberOf(low), numberOf(high)}})
	r.subject = nil
}

func (r *reader) like() {
	at := r.cur()
	op := intent.Contains
	switch {
	case at.Is("starts"):
		op = intent.StartsWith
	case at.Is("ends"):
		op = intent.EndsWith
	}
	r.pos++
	n := r.skip(0)
	if it := r.peek(0); it != nil && len(it.Text) == 1 && it.Tokens[0].Capital() {
		n = 0 // a letter, though it may also be an article
	}
	for it := r.peek(n); it != nil && !it.Quoted && it.Unknown() && len([]rune(it.Text)) > 1 && n < 4; it = r.peek(n) {
		n++
	}
	it := r.peek(n)
	if it == nil || !it.Quoted && len(it.Values) == 0 && len([]rune(it.Text)) > 3 && r.subject == nil {
		r.filter = true // "that contain": a relation, not a text
		return
	}
	r.pos += n + 1
	r.filter = true
	r.addPred(&Pred{Left: r.subject, Op: op, Values: []Value{{Item: it, Text: it.Text}}})
	r.subject = nil
}

func (r *reader) null() {
	op := intent.IsNull
	if r.cur().Is("notnull") {
		op = intent.NotNull
	}
	r.pos++
	if r.subject == nil {
		r.draft.doubt(0.4, "null without a column")
		return
	}
	r.addPred(&Pred{Left: r.subject, Op: op})
	r.subject = nil
}

func (r *reader) quoted() {
	it := r.cur()
	r.pos++
	r.filter = r.filter || len(r.draft.Outputs) > 0 || len(r.aggs) > 0
	r.addPred(&Pred{Left: r.subject, Op: intent.Eq, Values: []Value{{Item: it, Text: it.Text}}})
	r.subject = nil
	r.moreValues()
}

// value takes a span that is a stored value.
func (r *reader) value() {
	it := r.cur()
	r.pos++
	left := r.subject
	if left != nil && !sharesColumn(left.Item, it) {
		left = nil
	}
	r.addPred(&Pred{Left: left, Op: intent.Eq, Values: []Value{{Item: it, Text: it.Text}}})
	if left != nil {
		r.subject = nil
	}
	r.moreValues()
}

func sharesColumn(name, value *link.Item) bool {
	if name == nil {
		return false
	}
	for _, c := range name.Columns {
		for _, v := range value.Values {
			if v.Dim == c.Dim {
				return true
			}
		}
	}
	return false
}

// moreValues takes the rest of "A or B", "A and B", "A, B or C" where they are
// values of the same column.
func (r *reader) moreValues() {
	p := r.lastPred()
	if p == nil || p.Op != intent.Eq && p.Op != intent.Ne {
		return
	}
	for {
		n := r.skip(0)
		conj := r.peek(n)
		if conj == nil {
			return
		}
		mark, isMark := conj.Tag("mark")
		if !conj.Is("or") && !conj.Is("and") && !(isMark && mark == ",") {
			return
		}
		m := r.skip(n + 1)
		if c := r.peek(m); c != nil && (c.Is("or") || c.Is("and")) {
			conj = c
			m = r.skip(m + 1)
		}
		it := r.peek(m)
		if it == nil || !it.Quoted && !sameColumnValues(p, it) {
			return
		}
		if it.Quoted && len(it.Values) == 0 && (isMark && !conj.Is("or")) {
			return
		}
		r.pos += m + 1
		v := Value{Item: it, Text: it.Text}
		if conj.Is("and") && r.both && !p.Neg {
			p.Both = true
			q := &Pred{Left: p.Left, Op: p.Op, Values: []Value{v}, Both: true}
			r.draft.Preds = append(r.draft.Preds, q)
			return
		}
		p.Values = append(p.Values, v)
	}
}

func (r *reader) lastPred() *Pred {
	if n := len(r.draft.Preds); n > 0 {
		return r.draft.Preds[n-1]
	}
	return nil
}

func sameColumnValues(p *Pred, it *link.Item) bool {
	if len(p.Values) == 0 || len(it.Values) == 0 {
		return false
	}
	for _, a := range p.Values[0].Item.Values {
		for _, b := range it.Values {
			if a.Dim == b.Dim {
				return true
			}
		}
	}
	return false
}
