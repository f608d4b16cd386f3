package logql

import (
	"slices"
	"strconv"
	"time"
)

// Parse reads a query. The error is an *Error.
func Parse(text string) (Expr, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{text: text, tokens: tokens}
	e, err := p.query()
	if err != nil {
		return nil, err
	}
	return e, nil
}

// parser descends recursively. Errors travel as values; depth bounds the recursion.
type parser struct {
	text   string
	tokens []token
	at     int
	depth  int
}

func (p *parser) query() (Expr, *Error) {
	e, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != tokEnd {
		return nil, p.unexpected("the end of the query")
	}
	return e, nil
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) ahead(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != tokEnd {
		p.at++
	}
	return t
}

func (p *parser) is(op string) bool {
	t := p.peek()
	return t.kind == tokOperator && t.text == op
}

func (p *parser) isWord(words ...string) bool {
	t := p.peek()
	return t.kind == tokWord && slices.Contains(words, t.text)
}

func (p *parser) take(op string) bool {
	if p.is(op) {
		p.at++
		return true
	}
	return false
}

func (p *parser) want(op, why string) *Error {
	if p.take(op) {
		return nil
	}
	return p.unexpected(op + why)
}

func (p *parser) unexpected(wanted string) *Error {
	t := p.peek()
	if t.kind == tokEnd {
		return errorAt(p.text, t.pos, "the query ends where %s is expected", wanted)
	}
	return errorAt(p.text, t.pos, "%s is expected before %s", wanted, strconv.Quote(p.text[t.pos:t.end]))
}

func (p *parser) notSupported(t token, name string) *Error {
	e := errorAt(p.text, t.pos, "%s is LogQL that is not supported here", name)
	e.NotSupported = name
	return e
}

// label reads the name of a label.
func (p *parser) label(wanted string) (token, *Error) {
	t := p.peek()
	if t.kind != tokWord {
		return t, p.unexpected(wanted)
	}
	if Reserved(t.text) {
		return t, errorAt(p.text, t.pos, "%s is a word of LogQL: no label can be named so", t.text)
	}
	p.next()
	return t, nil
}

// Reserved reports the words of LogQL that Loki takes for nothing else, so that a query
// cannot name a label which is called so.
func Reserved(word string) bool {
	switch word {
	case "by", "without", "on", "ignoring", "bool", "and", "or", "unless", "offset", "group_left", "group_right",
		"json", "logfmt", "regexp", "pattern", "unpack", "line_format", "label_format", "decolorize", "drop", "keep", "unwrap":
		return true
	}
	return false
}

// enter bounds the nesting; the caller calls leave.
func (p *parser) enter() *Error {
	p.depth++
	if p.depth > MaxDepth {
		return errorAt(p.text, p.peek().pos, "the query nests deeper than %d", MaxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// precedence of the binary operators, as in PromQL; 0: none.
func precedence(op string) int {
	switch op {
	case "or":
		return 1
	case "and", "unless":
		return 2
	case "==", "!=", ">", ">=", "<", "<=":
		return 3
	case "+", "-":
		return 4
	case "*", "/", "%":
		return 5
	case "^":
		return 6
	}
	return 0
}

func isComparison(op string) bool { return precedence(op) == 3 }

func isSetOperation(op string) bool { return op == "or" || op == "and" || op == "unless" }

func (p *parser) binary(least int) (Expr, *Error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	left, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		t := p.peek()
		rank := 0
		if t.kind == tokOperator || t.kind == tokWord {
			rank = precedence(t.text)
		}
		if rank == 0 || rank < least {
			return left, nil
		}
		p.next()
		b := &Binary{Pos: t.pos, Op: t.text, Left: left}
		if err := p.modifiers(b); err != nil {
			return nil, err
		}
		above := rank + 1
		if t.text == "^" { // binds to the right
			above = rank
		}
		if b.Right, err = p.binary(above); err != nil {
			return nil, err
		}
		left = b
	}
}

// modifiers reads bool, on(...), ignoring(...), group_left(...), group_right(...).
func (p *parser) modifiers(b *Binary) *Error {
	if p.isWord("bool") {
		t := p.next()
		if !isComparison(b.Op) {
			return errorAt(p.text, t.pos, "bool goes with comparisons, not with %s", b.Op)
		}
		b.Bool = true
	}
	if !p.isWord("on", "ignoring") {
		return nil
	}
	m := &Matching{On: p.next().text == "on"}
	var err *Error
	if m.Labels, err = p.labels(); err != nil {
		return err
	}
	if p.isWord("group_left", "group_right") {
		m.Group = p.next().text[len("group_"):]
		if p.is("(") && p.labelsAhead() {
			if m.Include, err = p.labels(); err != nil {
				return err
			}
		}
	}
	b.Matching = m
	return nil
}

// labelsAhead tells (a, b) from an operand in parentheses.
func (p *parser) labelsAhead() bool {
	for n := 1; ; n++ {
		switch t := p.ahead(n); {
		case t.kind == tokOperator && t.text == ")":
			return true
		case t.kind == tokWord, t.kind == tokOperator && t.text == ",":
		default:
			return false
		}
	}
}

func (p *parser) labels() ([]string, *Error) {
	if err := p.want("(", " and labels"); err != nil {
		return nil, err
	}
	labels := []string{}
	for !p.take(")") {
		if len(labels) > 0 {
			if err := p.want(",", " or )"); err != nil {
				return nil, err
			}
		}
		t, err := p.label("a label")
		if err != nil {
			return nil, err
		}
		labels = append(labels, t.text)
	}
	return labels, nil
}

func (p *parser) unary() (Expr, *Error) {
	t := p.peek()
	if t.kind != tokOperator || t.text != "-" && t.text != "+" {
		return p.primary()
	}
	p.next()
	n := p.peek()
	if n.kind != tokNumber {
		return nil, p.unexpected("a number after the sign")
	}
	v, err := p.number()
	if err != nil {
		return nil, err
	}
	if t.text == "-" {
		v = -v
	}
	return &Number{Pos: t.pos, Value: v}, nil
}

func (p *parser) number() (float64, *Error) {
	sign := 1.0
	if p.is("-") {
		p.next()
		sign = -1
	}
	t := p.peek()
	if t.kind != tokNumber {
		return 0, p.unexpected("a number")
	}
	p.next()
	v, err := strconv.ParseFloat(t.text, 64)
	if err != nil {
		return 0, errorAt(p.text, t.pos, "%s is no number", t.text)
	}
	return sign * v, nil
}

// rangeOps are the range aggregations; true: they work on an unwrapped number.
func rangeOp(name string) (unwrapped, known bool) {
	switch name {
	case "count_over_time", "rate", "bytes_over_time", "bytes_rate", "absent_over_time":
		return false, true
	case "sum_over_time", "avg_over_time", "max_over_time", "min_over_time", "first_over_time", "last_over_time",
		"stdvar_over_time", "stddev_over_time", "quantile_over_time", "rate_counter":
		return true, true
	}
	return false, false
}

// vectorOp reports the vector aggregations; takes: they have a number before the
// vector.
func vectorOp(name string) (takes, known bool) {
	switch name {
	case "topk", "bottomk", "approx_topk":
		return true, true
	case "sum", "avg", "max", "min", "count", "stddev", "stdvar", "sort", "sort_desc":
		return false, true
	}
	return false, false
}

func (p *parser) primary() (Expr, *Error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	t := p.peek()
	switch {
	case t.kind == tokNumber:
		v, err := p.number()
		return &Number{Pos: t.pos, Value: v}, err
	case p.is("{"):
		return p.log()
	case p.is("("):
		p.next()
		e, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		if err := p.want(")", " or an operator"); err != nil {
			return nil, err
		}
		return e, nil
	case t.kind == tokWord:
		return p.call()
	}
	return nil, p.unexpected("a stream selector such as {app=\"web\"}, a number or a function")
}

func (p *parser) call() (Expr, *Error) {
	t := p.peek()
	if _, known := rangeOp(t.text); known {
		return p.rangeAgg()
	}
	if _, known := vectorOp(t.text); known {
		return p.vectorAgg()
	}
	switch t.text {
	case "vector":
		p.next()
		if err := p.want("(", " after vector"); err != nil {
			return nil, err
		}
		if p.is("-") { // Loki takes no sign here
			return nil, p.unexpected("a number without a sign")
		}
		v, err := p.number()
		if err != nil {
			return nil, err
		}
		return &VectorFunc{Pos: t.pos, Value: v}, p.want(")", "")
	case "label_replace":
		return p.labelReplace()
	case "variants":
		return nil, p.notSupported(t, "variants")
	}
	return nil, errorAt(p.text, t.pos, "%s is no function of LogQL", t.text)
}

func (p *parser) labelReplace() (Expr, *Error) {
	e := &LabelReplace{Pos: p.next().pos}
	if err := p.want("(", " after label_replace"); err != nil {
		return nil, err
	}
	var err *Error
	if e.Inner, err = p.binary(0); err != nil {
		return nil, err
	}
	for _, into := range []*string{&e.Dst, &e.Replacement, &e.Source, &e.Regex} {
		if err := p.want(",", " and the strings of label_replace"); err != nil {
			return nil, err
		}
		if *into, err = p.str("a string"); err != nil {
			return nil, err
		}
	}
	return e, p.want(")", "")
}

func (p *parser) str(what string) (string, *Error) {
	if p.peek().kind != tokText {
		return "", p.unexpected(what)
	}
	return p.next().text, nil
}

func (p *parser) grouping() (*Grouping, *Error) {
	if !p.isWord("by", "without") {
		return nil, nil
	}
	g := &Grouping{Without: p.next().text == "without"}
	var err *Error
	g.Labels, err = p.labels()
	return g, err
}

func (p *parser) vectorAgg() (Expr, *Error) {
	t := p.next()
	e := &VectorAgg{Pos: t.pos, Op: t.text}
	var err *Error
	if e.By, err = p.grouping(); err != nil {
		return nil, err
	}
	if err := p.want("(", " after "+t.text); err != nil {
		return nil, err
	}
	if takes, _ := vectorOp(t.text); takes {
		v, err := p.number()
		if err != nil {
			return nil, err
		}
		e.Param = &v
		if err := p.want(",", " and a vector"); err != nil {
			return nil, err
		}
	}
	if e.Inner, err = p.binary(0); err != nil {
		return nil, err
	}
	if err := p.want(")", " or an operator"); err != nil {
		return nil, err
	}
	return e, p.groupAfter(&e.By)
}

// groupAfter reads a grouping that follows the call.
func (p *parser) groupAfter(into **Grouping) *Error {
	if !p.isWord("by", "without") {
		return nil
	}
	if *into != nil {
		return errorAt(p.text, p.peek().pos, "the aggregation is grouped twice")
	}
	var err *Error
	*into, err = p.grouping()
	return err
}

func (p *parser) rangeAgg() (Expr, *Error) {
	t := p.next()
	e := &RangeAgg{Pos: t.pos, Op: t.text}
	if err := p.want("(", " after "+t.text); err != nil {
		return nil, err
	}
	if t.text == "quantile_over_time" {
		v, err := p.number()
		if err != nil {
			return nil, err
		}
		e.Param = &v
		if err := p.want(",", " and a range of logs"); err != nil {
			return nil, err
		}
	}
	if err := p.logRange(e); err != nil {
		return nil, err
	}
	if e.Range == 0 {
		return nil, p.unexpected("a range such as [5m]")
	}
	if err := p.want(")", " or a stage"); err != nil {
		return nil, err
	}
	return e, p.groupAfter(&e.By)
}

// logRange reads a pipeline with its range, which may stand after the selector,
// after the pipeline, or after both in parentheses.
func (p *parser) logRange(e *RangeAgg) *Error {
	if err := p.enter(); err != nil {
		return err
	}
	defer p.leave()
	if p.is("(") {
		p.next()
		if err := p.logRange(e); err != nil {
			return err
		}
		if err := p.want(")", " or a stage"); err != nil {
			return err
		}
	} else {
		if !p.is("{") {
			return p.unexpected("a stream selector such as {app=\"web\"}")
		}
		e.Log = &LogExpr{Pos: p.peek().pos}
		if err := p.selector(e.Log); err != nil {
			return err
		}
	}
	for {
		switch {
		case p.is("["):
			if e.Range != 0 {
				return errorAt(p.text, p.peek().pos, "the range is given twice")
			}
			if err := p.rangeOf(e); err != nil {
				return err
			}
		case p.isStage():
			if err := p.stage(e.Log); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func (p *parser) rangeOf(e *RangeAgg) *Error {
	p.next()
	var err *Error
	if e.Range, err = p.duration("a duration such as 5m"); err != nil {
		return err
	}
	if e.Range <= 0 {
		return errorAt(p.text, p.tokens[p.at-1].pos, "the range has to be above zero")
	}
	if err := p.want("]", ""); err != nil {
		return err
	}
	if p.isWord("offset") {
		p.next()
		e.Offset, err = p.duration("a duration after offset")
	}
	return err
}

func (p *parser) duration(what string) (time.Duration, *Error) {
	sign := time.Duration(1)
	if p.is("-") {
		p.next()
		sign = -1
	}
	t := p.peek()
	if t.kind != tokAmount {
		return 0, p.unexpected(what)
	}
	d, ok := ParseDuration(t.text)
	if !ok {
		return 0, errorAt(p.text, t.pos, "%s is no duration: write it like 5m, 1h30m or 7d", t.text)
	}
	p.next()
	return sign * d, nil
}

func (p *parser) log() (Expr, *Error) {
	l := &LogExpr{Pos: p.peek().pos}
	if err := p.selector(l); err != nil {
		return nil, err
	}
	if p.is("[") {
		return nil, errorAt(p.text, p.peek().pos, "a range stands within a function such as count_over_time")
	}
	if err := p.stages(l); err != nil {
		return nil, err
	}
	return l, nil
}

func (p *parser) selector(l *LogExpr) *Error {
	p.next() // {
	for !p.take("}") {
		if len(l.Matchers) > 0 {
			if err := p.want(",", " or }"); err != nil {
				return err
			}
		}
		m, err := p.matcher()
		if err != nil {
			return err
		}
		l.Matchers = append(l.Matchers, m)
	}
	return nil
}

func (p *parser) matcher() (Matcher, *Error) {
	t, err := p.label("a label")
	if err != nil {
		return Matcher{}, err
	}
	op := p.peek()
	if op.kind != tokOperator || !slices.Contains([]MatchOp{Equal, NotEqual, Match, NotMatch}, MatchOp(op.text)) {
		return Matcher{}, p.unexpected("one of = != =~ !~")
	}
	p.next()
	value, err := p.str("a string in quotes")
	return Matcher{Pos: t.pos, Label: t.text, Op: MatchOp(op.text), Value: value}, err
}
