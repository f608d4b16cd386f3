package logql

import (
	"slices"
	"strconv"
)

var filterOps = [...]string{"|=", "|~", "|>", "!=", "!~", "!>"}

func (p *parser) isStage() bool {
	t := p.peek()
	return t.kind == tokOperator && (t.text == "|" || slices.Contains(filterOps[:], t.text))
}

func (p *parser) stages(l *LogExpr) *Error {
	for p.isStage() {
		// After a pipeline in parentheses != compares, when no string follows it.
		if p.is("!=") && p.ahead(1).kind != tokText && p.ahead(1).text != "ip" {
			return nil
		}
		if err := p.stage(l); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) stage(l *LogExpr) *Error {
	t := p.peek()
	if t.text != "|" {
		s, err := p.lineFilter()
		l.Stages = append(l.Stages, s)
		return err
	}
	p.next()
	s, err := p.pipeStage(t.pos)
	if err != nil {
		return err
	}
	l.Stages = append(l.Stages, s)
	return nil
}

func (p *parser) pipeStage(at Pos) (Stage, *Error) {
	t := p.peek()
	if t.kind == tokWord && !p.comparesNext() {
		switch t.text {
		case "json", "logfmt":
			p.next()
			return p.fieldParser(&Parser{Pos: at, Kind: t.text})
		case "regexp", "pattern":
			p.next()
			pattern, err := p.str("a string after " + t.text)
			return &Parser{Pos: at, Kind: t.text, Pattern: pattern}, err
		case "unpack":
			p.next()
			return &Parser{Pos: at, Kind: t.text}, nil
		case "line_format":
			p.next()
			template, err := p.str("a template after line_format")
			return &LineFormat{Pos: at, Template: template}, err
		case "label_format":
			p.next()
			return p.labelFormat(at)
		case "decolorize":
			p.next()
			return &Decolorize{Pos: at}, nil
		case "drop", "keep":
			p.next()
			return p.labelList(at, t.text == "keep")
		case "unwrap":
			p.next()
			return p.unwrap(at)
		case "distinct", "sample":
			return nil, p.notSupported(t, t.text)
		}
	}
	c, err := p.condition(0)
	if err != nil {
		return nil, err
	}
	return &LabelFilter{Pos: at, Cond: c}, nil
}

func (p *parser) comparesNext() bool {
	n := p.ahead(1)
	return n.kind == tokOperator && slices.Contains([]string{"=", "==", "=~", ">", ">=", "<", "<="}, n.text)
}

func (p *parser) lineFilter() (Stage, *Error) {
	t := p.next()
	f := &LineFilter{Pos: t.pos, Op: FilterOp(t.text)}
	for {
		if p.isWord("ip") {
			if f.Op != Contains && f.Op != ContainsNot {
				return nil, errorAt(p.text, p.peek().pos, "ip(...) goes with |= and != alone")
			}
			p.next()
			text, err := p.ip()
			if err != nil {
				return nil, err
			}
			f.Values = append(f.Values, LineValue{Text: text, IP: true})
		} else {
			text, err := p.str("a string to look for")
			if err != nil {
				return nil, err
			}
			f.Values = append(f.Values, LineValue{Text: text})
		}
		if n := p.ahead(1); !p.isWord("or") || n.kind != tokText && n.text != "ip" {
			return f, nil
		}
		p.next()
	}
}

// ip reads ("ADDRESS").
func (p *parser) ip() (string, *Error) {
	if err := p.want("(", " after ip"); err != nil {
		return "", err
	}
	text, err := p.str("an address, a range or a CIDR in quotes")
	if err != nil {
		return "", err
	}
	return text, p.want(")", "")
}

func (p *parser) fieldParser(s *Parser) (Stage, *Error) {
	for p.peek().kind == tokFlag {
		t := p.next()
		switch {
		case s.Kind == "logfmt" && t.text == "--strict":
			s.Strict = true
		case s.Kind == "logfmt" && t.text == "--keep-empty":
			s.KeepEmpty = true
		default:
			return nil, errorAt(p.text, t.pos, "%s has no flag %s", s.Kind, t.text)
		}
	}
	for p.peek().kind == tokWord {
		t, err := p.label("a label")
		if err != nil {
			return nil, err
		}
		f := Field{Label: t.text, Path: t.text}
		if p.take("=") {
			if f.Path, err = p.str("a path in quotes"); err != nil {
				return nil, err
			}
		}
		s.Fields = append(s.Fields, f)
		if !p.take(",") {
			return s, nil
		}
		if p.peek().kind != tokWord {
			return nil, p.unexpected("a label")
		}
	}
	return s, nil
}

func (p *parser) labelFormat(at Pos) (Stage, *Error) {
	s := &LabelFormat{Pos: at}
	for {
		t, err := p.label("a label")
		if err != nil {
			return nil, err
		}
		if err := p.want("=", " after the label"); err != nil {
			return nil, err
		}
		switch v := p.peek(); v.kind {
		case tokText:
			p.next()
			s.Items = append(s.Items, FormatItem{To: t.text, From: v.text, Template: true})
		default:
			if _, err := p.label("a label or a template"); err != nil {
				return nil, err
			}
			s.Items = append(s.Items, FormatItem{To: t.text, From: v.text})
		}
		if !p.take(",") {
			return s, nil
		}
	}
}

func (p *parser) labelList(at Pos, keep bool) (Stage, *Error) {
	s := &LabelList{Pos: at, Keep: keep}
	for {
		t := p.peek()
		if t.kind != tokWord {
			return nil, p.unexpected("a label")
		}
		item := ListItem{Label: t.text}
		if op := p.ahead(1); op.kind == tokOperator && slices.Contains([]MatchOp{Equal, NotEqual, Match, NotMatch}, MatchOp(op.text)) {
			m, err := p.matcher()
			if err != nil {
				return nil, err
			}
			item.Op, item.Value = m.Op, m.Value
		} else if _, err := p.label("a label"); err != nil {
			return nil, err
		}
		s.Items = append(s.Items, item)
		if !p.take(",") {
			return s, nil
		}
	}
}

func (p *parser) unwrap(at Pos) (Stage, *Error) {
	t, err := p.label("a label")
	if err != nil {
		return nil, err
	}
	if !p.is("(") {
		return &Unwrap{Pos: at, Label: t.text}, nil
	}
	if !slices.Contains([]string{"duration", "duration_seconds", "bytes"}, t.text) {
		return nil, errorAt(p.text, t.pos, "unwrap converts by duration, duration_seconds or bytes, not by %s", t.text)
	}
	p.next()
	l, err := p.label("a label")
	if err != nil {
		return nil, err
	}
	return &Unwrap{Pos: at, Label: l.text, Convert: t.text}, p.want(")", "")
}

// condition reads a label filter: comparisons joined by and, a comma or nothing,
// which bind alike, and or, which binds less.
func (p *parser) condition(least int) (Cond, *Error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	var left Cond
	var err *Error
	if p.take("(") {
		if left, err = p.condition(0); err == nil {
			err = p.want(")", " or another condition")
		}
	} else {
		left, err = p.compare()
	}
	if err != nil {
		return nil, err
	}
	for {
		t := p.peek()
		op, explicit := "", true
		switch {
		case p.isWord("or"):
			op = "or"
		case p.isWord("and"), p.is(","):
			op = "and"
		case t.kind == tokWord && p.comparesOp(p.ahead(1)):
			op, explicit = "and", false
		}
		rank := map[string]int{"or": 1, "and": 2}[op]
		if rank == 0 || rank < least {
			return left, nil
		}
		if explicit {
			p.next()
		}
		right, err := p.condition(rank + 1)
		if err != nil {
			return nil, err
		}
		left = &Both{Pos: t.pos, Op: op, Left: left, Right: right}
	}
}

func (p *parser) comparesOp(t token) bool {
	return t.kind == tokOperator && slices.Contains([]string{"=", "==", "!=", "=~", "!~", ">", ">=", "<", "<="}, t.text)
}

func (p *parser) compare() (Cond, *Error) {
	t := p.peek()
	if t.kind != tokWord {
		return nil, p.unexpected("a stage or a label")
	}
	if !p.comparesOp(p.ahead(1)) {
		return nil, errorAt(p.text, t.pos, "%s is no stage, and as a label it wants a comparison, such as %s=\"x\"", t.text, t.text)
	}
	if _, err := p.label("a label"); err != nil {
		return nil, err
	}
	c := &Compare{Pos: t.pos, Label: t.text, Op: p.next().text}
	if c.Op == "==" {
		c.Op = "="
	}
	return c, p.compareValue(c)
}

func (p *parser) compareValue(c *Compare) *Error {
	v := p.peek()
	texts := slices.Contains([]string{"=", "!=", "=~", "!~"}, c.Op)
	switch {
	case v.kind == tokText:
		if !texts {
			return errorAt(p.text, v.pos, "%s compares with a number, a duration or an amount of bytes, not with a string", c.Op)
		}
		c.Kind, c.Text = TextValue, v.text
		p.next()
		return nil
	case v.kind == tokWord && v.text == "ip":
		if c.Op != "=" && c.Op != "!=" {
			return errorAt(p.text, v.pos, "ip(...) goes with = and != alone")
		}
		p.next()
		var err *Error
		c.Kind = IPValue
		c.Text, err = p.ip()
		return err
	case c.Op == "=~" || c.Op == "!~":
		return p.unexpected("a regular expression in quotes")
	case v.kind == tokAmount:
		p.next()
		c.Raw = v.text
		if d, ok := ParseDuration(v.text); ok {
			c.Kind, c.Number = DurationValue, d.Seconds()
			return nil
		}
		if b, ok := ParseBytes(v.text); ok {
			c.Kind, c.Number = BytesValue, b
			return nil
		}
		return errorAt(p.text, v.pos, "%s is neither a duration nor an amount of bytes", strconv.Quote(v.text))
	}
	n, err := p.number()
	c.Kind, c.Number = NumberValue, n
	return err
}
