package parser

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func (p *reader) typeName() *tree.TypeName {
	from := p.at
	t := &tree.TypeName{Text: p.typeText()}
	t.Meta = p.since(from)
	return t
}

// typeText reads a type and returns Presto's canonical text of it.
func (p *reader) typeText() string {
	text := p.simpleType()
	for p.accept(tArray) {
		text = "array(" + text + ")"
		if p.accept(tLSquare) {
			p.wrong(p.at-1, "the size of an array is no part of its type: leave it out")
			p.expect(tIntegerValue, tRSquare)
		}
	}
	return text
}

func (p *reader) simpleType() string {
	next := p.ahead(1)
	switch p.peek() {
	case tRow:
		if next == tLParen {
			return p.rowType()
		}
	case tInterval:
		if isIntervalField(next) {
			p.at++
			if from, _ := p.intervalFields(); from == "YEAR" || from == "MONTH" {
				return "interval year to month"
			}
			return "interval day to second"
		}
	case tTimestamp, tTime:
		return p.timeType()
	case tDouble:
		if next == tPrecision {
			p.at += 2
			return "double"
		}
	case tArray:
		if next == tLt {
			p.at += 2
			item := p.typeText()
			p.expect(tGt)
			return "array(" + item + ")"
		}
	case tMap:
		if next == tLt {
			p.at += 2
			key := p.typeText()
			p.expect(tComma)
			value := p.typeText()
			p.expect(tGt)
			return "map(" + key + "," + value + ")"
		}
	}
	return p.genericType()
}

func (p *reader) timeType() string {
	text := strings.ToLower(p.word())
	if p.accept(tLParen) {
		text += "(" + p.typeParameter() + ")"
		p.expect(tRParen)
	}
	switch {
	case p.follows(tWith, tTime, tZone):
		p.at += 3
		text += " with time zone"
	case p.follows(tWithout, tTime, tZone):
		p.at += 3
	}
	return text
}

func (p *reader) genericType() string {
	name := p.name()
	if name == nil {
		return ""
	}
	text := strings.ToLower(name.Name)
	switch text {
	case "int":
		text = "integer"
	case "dec":
		text = "decimal"
	}
	if !p.accept(tLParen) {
		return text
	}
	args := []string{p.typeParameter()}
	for p.accept(tComma) {
		args = append(args, p.typeParameter())
	}
	p.expect(tRParen)
	return text + "(" + strings.Join(args, ",") + ")"
}

func (p *reader) typeParameter() string {
	from := p.at
	if p.accept(tIntegerValue) {
		return p.textSince(from)
	}
	return p.typeText()
}

func (p *reader) rowType() string {
	p.expect(tRow, tLParen)
	fields := []string{p.rowField()}
	for p.accept(tComma) {
		fields = append(fields, p.rowField())
	}
	p.expect(tRParen)
	return "row(" + strings.Join(fields, ", ") + ")"
}

// rowField reads a type, or a name and a type: a type where both would do.
func (p *reader) rowField() string {
	if !p.fieldNameFollows() {
		return p.typeText()
	}
	name := p.name()
	label := name.Name
	if name.Quoted {
		label = printer.Quote(label)
	}
	return label + " " + p.typeText()
}

// fieldNameFollows tells the name of a field from a type of several words.
func (p *reader) fieldNameFollows() bool {
	if !p.isName(0) || !p.isName(1) {
		return false
	}
	switch next := p.ahead(1); next {
	case tPrecision:
		return p.peek() != tDouble
	case tWithout:
		return p.peek() != tTimestamp && p.peek() != tTime || p.ahead(2) != tTime
	case tArray:
		after := p.ahead(2)
		return after == tLParen || after == tLt
	default:
		return p.peek() != tInterval || !isIntervalField(next)
	}
}
