package parser

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// named reads an operand that begins with a name: a column, a call, a literal
// with its type's name, a lambda. Many key words are names too.
func (p *reader) named() tree.Expr {
	from := p.at
	switch p.peek() {
	case tInterval:
		if p.intervalFollows() {
			return p.interval()
		}
	case tDouble:
		if p.ahead(1) == tPrecision && (p.ahead(2) == tString || p.ahead(2) == tUnicodeString) {
			p.at += 2
			t := &tree.Typed{Type: "double precision", Value: p.str().Value}
			t.Meta = p.since(from)
			return t
		}
	case tArray:
		if p.ahead(1) == tLSquare {
			p.at++
			return p.array(from)
		}
	case tPosition:
		if p.ahead(1) == tLParen {
			if x := p.position(); x != nil {
				return x
			}
		}
	case tRunning, tFinal:
		if p.isName(1) && p.callFollows(1) {
			return p.call()
		}
	}
	switch p.ahead(1) {
	case tString, tUnicodeString:
		name := p.name()
		if strings.EqualFold(name.Name, "x") && !name.Quoted {
			p.wrong(from, "no blank may stand between X and the quote of a binary literal")
		}
		t := &tree.Typed{Type: strings.ToLower(name.Name), Value: p.str().Value}
		t.Meta = p.since(from)
		return t
	case tArrow:
		return p.lambda()
	case tOver:
		if p.overFollows(1) {
			m := &tree.WindowMeasure{Name: p.name(), Over: p.over()}
			m.Meta = p.since(from)
			return m
		}
	}
	if p.callFollows(0) {
		return p.call()
	}
	ref := &p.columns.take()[0]
	ref.Parts = p.onePart()
	ref.Meta = ref.Parts[0].Meta
	return ref
}

// callFollows reports whether a dotted name and a parenthesis begin n ahead.
func (p *reader) callFollows(n int) bool {
	for n++; p.ahead(n) == tDot && p.isName(n+1); {
		n += 2
	}
	return p.ahead(n) == tLParen
}

// overFollows reports whether a window begins n ahead; OVER is a name too.
func (p *reader) overFollows(n int) bool {
	return p.ahead(n) == tOver && (p.ahead(n+1) == tLParen || p.isName(n+1))
}

// call reads the call of a function. ROW(...) with nothing but values is a row,
// TRY_CAST(x AS type) a cast, SUBSTRING(x FROM ...) a substring.
func (p *reader) call() tree.Expr {
	from := p.at
	c := &tree.Call{}
	if (p.peek() == tRunning || p.peek() == tFinal) && p.isName(1) {
		c.Mode = p.word()
	}
	word := p.peek()
	c.Name = p.qualified()
	if len(c.Name.Parts) > 1 {
		word = tIdentifier
	}
	p.expect(tLParen)
	if p.star(c) {
		c.Filter = p.filter()
		if p.overFollows(0) {
			c.Over = p.over()
		}
		c.Meta = p.since(from)
		p.checkForm(from, c)
		return c
	}
	c.Quantifier = p.quantifier()
	if c.Quantifier != "" || p.peek() != tRParen && !p.follows(tOrder, tBy) {
		first := p.expr()
		if special := p.callWithWords(from, word, c, first); special != nil {
			return special
		}
		c.Args = append(c.Args, first)
		for p.accept(tComma) {
			c.Args = append(c.Args, p.expr())
		}
	}
	if p.accept(tOrder) {
		p.expect(tBy)
		c.OrderBy = p.sortItems()
	}
	p.expect(tRParen)
	c.Filter = p.filter()
	if (p.peek() == tIgnore || p.peek() == tRespect) && p.ahead(1) == tNulls {
		c.Nulls = p.word()
		p.at++
		if !p.overFollows(0) {
			p.fail()
		}
	}
	if p.overFollows(0) {
		c.Over = p.over()
	}
	c.Meta = p.since(from)
	if word == tRow && isPlainRow(c) {
		return &tree.Row{Meta: c.Meta, Items: c.Args, Keyword: true}
	}
	p.checkForm(from, c)
	return c
}

// forms are the functions that Trino reads as expressions of their own: how many
// arguments they take, most 0 for any number.
var forms = map[string]struct{ least, most int }{
	"if": {2, 3}, "nullif": {2, 2}, "coalesce": {2, 0}, "try": {1, 1}, "format": {2, 0},
}

// checkForm refuses the calls of these functions that Trino does not read.
func (p *reader) checkForm(from int, c *tree.Call) {
	if len(c.Name.Parts) != 1 || c.Name.Parts[0] == nil {
		return
	}
	name := c.Name.Parts[0].Name
	if len(name) > len("coalesce") {
		return
	}
	name = strings.ToLower(name)
	form, ok := forms[name]
	switch n := len(c.Args); {
	case !ok:
	case n < form.least || form.most > 0 && n > form.most:
		p.wrong(from, fmt.Sprintf("%s takes another number of arguments than %d", name, n))
	case c.Quantifier == tree.QuantifierDistinct || c.Over != nil || c.Filter != nil || c.Mode != "":
		p.wrong(from, name+" is no aggregate: it takes no DISTINCT, FILTER or OVER")
	}
}

func isPlainRow(c *tree.Call) bool {
	return len(c.Args) > 0 && c.Mode == "" && c.Quantifier == "" && c.OrderBy == nil && c.Filter == nil && c.Over == nil
}

// star reads *) or A.*) of count(*).
func (p *reader) star(c *tree.Call) bool {
	switch {
	case p.follows(tAsterisk, tRParen):
	case p.isName(0) && p.ahead(1) == tDot && p.ahead(2) == tAsterisk:
		c.Label = p.name()
		p.at++
	default:
		return false
	}
	p.expect(tAsterisk, tRParen)
	c.Star = true
	return true
}

// callWithWords reads on where words, not commas, follow the first argument.
func (p *reader) callWithWords(from int, word kind, c *tree.Call, first tree.Expr) tree.Expr {
	if c.Mode != "" || c.Quantifier != "" {
		return nil
	}
	switch {
	case word == tTryCast && p.accept(tAs):
		x := &tree.Cast{X: first, Type: p.typeName(), Try: true}
		p.expect(tRParen)
		x.Meta = p.since(from)
		return x
	case word == tSubstring && p.peek() == tFrom && isValue(first):
		p.at++
		x := &tree.Substring{X: first, From: p.value()}
		if p.accept(tFor) {
			x.For = p.value()
		}
		p.expect(tRParen)
		x.Meta = p.since(from)
		return x
	}
	return nil
}

// isValue reports whether an expression can stand where no condition can.
func isValue(x tree.Expr) bool {
	switch x := x.(type) {
	case *tree.Not, *tree.IsNull, *tree.Between, *tree.InList, *tree.InQuery, *tree.Like, *tree.Quantified:
		return false
	case *tree.Binary:
		switch x.Op {
		case tree.OpAdd, tree.OpSub, tree.OpMul, tree.OpDiv, tree.OpMod, tree.OpConcat:
			return true
		}
		return false
	}
	return true
}

func (p *reader) filter() tree.Expr {
	if !p.follows(tFilter, tLParen) {
		return nil
	}
	p.at += 2
	p.expect(tWhere)
	x := p.expr()
	p.expect(tRParen)
	return x
}

func (p *reader) over() *tree.Over {
	from := p.at
	p.expect(tOver)
	o := &tree.Over{}
	if p.accept(tLParen) {
		o.Spec = p.window()
		p.expect(tRParen)
	} else {
		o.Name = p.name()
	}
	o.Meta = p.since(from)
	return o
}

// position reads POSITION(a IN b), nil where it is a call of that name.
func (p *reader) position() tree.Expr {
	from := p.at
	x := &tree.Position{}
	if !p.retry(func() {
		p.at += 2
		x.Sub = p.value()
		p.expect(tIn)
		x.X = p.value()
		p.expect(tRParen)
	}) {
		return nil
	}
	x.Meta = p.since(from)
	return x
}

// special reads the functions whose names are no names.
func (p *reader) special() tree.Expr {
	from := p.at
	switch p.peek() {
	case tCurrentDate, tCurrentUser, tCurrentCatalog, tCurrentSchema, tCurrentPath:
		s := &tree.Special{Name: p.word()}
		s.Meta = p.since(from)
		return s
	case tCurrentTime, tCurrentTimestamp, tLocaltime, tLocaltimestamp:
		s := &tree.Special{Name: p.word()}
		if p.accept(tLParen) {
			if p.peek() != tIntegerValue {
				p.fail()
				return s
			}
			s.Precision = p.number()
			p.expect(tRParen)
		}
		s.Meta = p.since(from)
		return s
	case tExtract:
		return p.extract()
	case tTrim:
		return p.trim()
	case tNormalize:
		n := &tree.Normalize{Form: "NFC"}
		p.at++
		p.expect(tLParen)
		n.X = p.value()
		if p.accept(tComma) {
			n.Form = p.oneOf(tNFD, tNFC, tNFKD, tNFKC)
		}
		p.expect(tRParen)
		n.Meta = p.since(from)
		return n
	case tGrouping:
		return p.grouping()
	case tListagg:
		return p.listAgg()
	}
	return p.jsonFunction()
}

func (p *reader) grouping() tree.Expr {
	from := p.at
	p.expect(tGrouping, tLParen)
	g := &tree.Grouping{}
	for first := true; p.peek() != tRParen && (first || p.accept(tComma)); first = false {
		n := p.qualified()
		g.Columns = append(g.Columns, &tree.ColumnRef{Meta: n.Meta, Parts: n.Parts})
	}
	p.expect(tRParen)
	g.Meta = p.since(from)
	if len(g.Columns) == 0 {
		p.wrong(from, "GROUPING needs a column")
	}
	return g
}

func (p *reader) extract() tree.Expr {
	from := p.at
	p.expect(tExtract, tLParen)
	e := &tree.Extract{}
	if field := p.name(); field != nil {
		e.Field = strings.ToUpper(field.Name)
		if field.Quoted || !isExtractField(e.Field) {
			p.wrong(from, "EXTRACT has no field "+e.Field+": use one of "+strings.Join(extractFields(), ", "))
		}
	}
	p.expect(tFrom)
	e.X = p.value()
	p.expect(tRParen)
	e.Meta = p.since(from)
	return e
}

// trim reads TRIM(x), TRIM(x, chars) and TRIM([side] [chars] FROM x).
func (p *reader) trim() tree.Expr {
	from := p.at
	p.expect(tTrim, tLParen)
	t := &tree.Trim{}
	if k := p.peek(); k == tBoth || k == tLeading || k == tTrailing {
		// A side is a name too: where no FROM comes, it was a column.
		if p.retry(func() { p.trimFrom(from, t, true) }) {
			t.Meta = p.since(from)
			return t
		}
		*t = tree.Trim{}
	}
	p.trimFrom(from, t, false)
	t.Meta = p.since(from)
	return t
}

// trimFrom reads what stands in the parentheses of TRIM, and the closing one.
func (p *reader) trimFrom(from int, t *tree.Trim, side bool) {
	if side {
		t.Side = p.word()
	}
	var first tree.Expr
	if p.peek() != tFrom {
		first = p.value()
	}
	switch {
	case p.accept(tFrom):
		if !side && first == nil {
			p.wrong(from, "TRIM with FROM needs a side or what to trim")
		}
		t.Chars, t.X = first, p.value()
	case side:
		p.fail()
	case p.accept(tComma):
		t.X, t.Chars = first, p.value()
	default:
		t.X = first
	}
	p.expect(tRParen)
}

func (p *reader) listAgg() tree.Expr {
	from := p.at
	p.expect(tListagg, tLParen)
	l := &tree.ListAgg{Quantifier: p.quantifier(), X: p.expr()}
	if p.accept(tComma) {
		l.Separator = p.str()
	}
	if p.accept(tOn) {
		p.expect(tOverflow)
		overflow := p.at
		if !p.accept(tError) {
			p.expect(tTruncate)
			if p.peek() == tString || p.peek() == tUnicodeString {
				p.str()
			}
			p.oneOf(tWith, tWithout)
			p.expect(tCount)
		}
		l.Overflow = p.textSince(overflow)
	}
	p.expect(tRParen, tWithin, tGroup, tLParen, tOrder, tBy)
	l.OrderBy = p.sortItems()
	p.expect(tRParen)
	l.Filter = p.filter()
	if p.overFollows(0) {
		p.beyond = true
		l.Over = p.over()
	}
	l.Meta = p.since(from)
	return l
}

func isExtractField(field string) bool {
	for _, f := range extractFields() {
		if f == field {
			return true
		}
	}
	return false
}

func extractFields() []string {
	return []string{
		"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAY_OF_MONTH", "DAY_OF_WEEK", "DOW", "DAY_OF_YEAR", "DOY",
		"YEAR_OF_WEEK", "YOW", "HOUR", "MINUTE", "SECOND", "TIMEZONE_MINUTE", "TIMEZONE_HOUR",
	}
}
