package ddl

import (
	"errors"
	"fmt"
	"strings"
)

// insert reads INSERT [words] INTO t [(columns)] VALUES (…), (…).
func (p *parser) insert() error {
	for {
		t, err := p.peek(0)
		if err != nil {
			return err
		}
		if t.Kind != Word {
			return p.skipStatement()
		}
		if _, err := p.next(); err != nil {
			return err
		}
		if t.Is("into") {
			break
		}
	}
	row, err := p.target()
	if err != nil {
		return err
	}
	t, err := p.next()
	if err != nil {
		return err
	}
	if !t.Is("values") && !t.Is("value") {
		return &Problem{t.Line, t.Column, fmt.Sprintf("INSERT INTO %q without VALUES is passed over", row.Table.Table)}
	}
	return p.tuples(row)
}

// target reads where rows go: a table and its columns, by default the declared
// ones.
func (p *parser) target() (Row, error) {
	name, err := p.name()
	if err != nil {
		return Row{}, err
	}
	t, err := p.peek(0)
	if err != nil {
		return Row{}, err
	}
	row := Row{Table: name}
	if !t.Is("(") {
		row.Columns = p.declaredColumns(name)
		return row, nil
	}
	row.Columns, err = p.columnList()
	return row, err
}

func (p *parser) declaredColumns(name Name) []string {
	table, ok := p.schema.Table(name)
	if !ok {
		return nil
	}
	columns := make([]string, len(table.Columns))
	for i := range table.Columns {
		columns[i] = table.Columns[i].Name
	}
	return columns
}

func (p *parser) tuples(row Row) error {
	var values []Value
	for {
		if err := p.expect("("); err != nil {
			return err
		}
		row.Line, row.Column = p.last.Line, p.last.Column
		values = values[:0]
		for {
			value, end, err := p.value()
			if err != nil {
				return err
			}
			if values = append(values, value); len(values) > p.config.MaxColumns {
				return &Problem{row.Line, row.Column, fmt.Sprintf("a row of more than %d values", p.config.MaxColumns)}
			}
			if end {
				break
			}
		}
		row.Values = values
		if err := p.emit(row); err != nil {
			return err
		}
		if more, err := p.accept(","); err != nil {
			return err
		} else if !more {
			return p.skipStatement()
		}
	}
}

func (p *parser) emit(row Row) error {
	if row.Columns != nil && len(row.Values) != len(row.Columns) {
		p.report(Problem{row.Line, row.Column, fmt.Sprintf("a row of %d values for the %d columns of %q is left out", len(row.Values), len(row.Columns), row.Table.Table)})
		return nil
	}
	if p.config.Rows == nil {
		return nil
	}
	return p.config.Rows(row)
}

// value reads one value and the comma or parenthesis behind it.
func (p *parser) value() (v Value, end bool, err error) {
	const maxTokens = 1000 // of one value; an expression in a dump has a handful
	var tokens []Token
	for depth := 0; ; {
		t, err := p.next()
		switch {
		case err != nil:
			return v, false, err
		case t.Kind == EOF, t.Is(";"):
			return v, false, unexpected(t, ", or )")
		case depth == 0 && (t.Is(",") || t.Is(")")):
			if len(tokens) == 0 {
				return v, false, unexpected(t, "a value")
			}
			return classify(tokens), t.Is(")"), nil
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		}
		if tokens = append(tokens, t); len(tokens) > maxTokens {
			return v, false, &Problem{t.Line, t.Column, "a value of more than 1,000 words"}
		}
	}
}

// classify says what a value's tokens mean, where that needs no arithmetic.
func classify(tokens []Token) Value {
	first := tokens[0]
	rest := tokens[1:]
	if len(rest) > 0 && (first.Kind == String || first.Kind == NumberToken) && rest[0].Is("::") { // 'x'::text
		rest = nil
	}
	if len(rest) == 1 && first.Kind == Word && strings.HasPrefix(first.Text, "_") && (rest[0].Kind == String || rest[0].Kind == HexString) {
		first, rest = rest[0], nil // _utf8'x'
	}
	if len(rest) == 1 && rest[0].Kind == NumberToken && (first.Is("-") || first.Is("+")) {
		return Value{Kind: Number, Text: strings.TrimPrefix(first.Text, "+") + rest[0].Text}
	}
	if len(rest) == 1 && first.Is("date") || first.Is("timestamp") && len(rest) == 1 {
		first, rest = rest[0], nil // DATE '2024-01-01'
	}
	if len(rest) > 0 {
		return Value{Kind: Expression, Tokens: tokens}
	}
	switch {
	case first.Kind == String, first.Kind == QuotedName:
		return Value{Kind: Text, Text: first.Text}
	case first.Kind == HexString:
		return Value{Kind: Blob, Text: first.Text}
	case first.Kind == NumberToken && strings.HasPrefix(first.Text, "0x"):
		return Value{Kind: Blob, Text: first.Text[2:]}
	case first.Kind == NumberToken:
		return Value{Kind: Number, Text: first.Text}
	case first.Is("null"), first.Is("default"):
		return Value{}
	case first.Is("true"), first.Is("false"):
		return Value{Kind: Bool, Text: strings.ToLower(first.Text)}
	}
	return Value{Kind: Expression, Tokens: tokens}
}

// copy reads COPY t (columns) FROM stdin; and the lines after it, up to "\.".
func (p *parser) copy() error {
	t, err := p.peek(0)
	if err != nil || t.Is("(") {
		return orSkip(err, p)
	}
	row, err := p.target()
	if err != nil {
		return err
	}
	stdin, csv := false, false
	for {
		if t, err = p.next(); err != nil {
			return err
		}
		if t.Kind == EOF || t.Is(";") {
			break
		}
		stdin = stdin || t.Is("stdin")
		csv = csv || t.Is("csv") || t.Is("binary")
	}
	if !stdin {
		return nil
	}
	if csv {
		p.report(Problem{t.Line, t.Column, fmt.Sprintf("COPY %q with CSV or binary data is passed over: dump it in the default format", row.Table.Table)})
	}
	return p.copyLines(row, csv)
}

func (p *parser) copyLines(row Row, skip bool) error {
	if _, _, err := p.lex.restOfLine(); err != nil { // behind the semicolon
		return err
	}
	for {
		row.Line, row.Column = p.lex.line, 1
		text, whole, err := p.lex.rawLine()
		if tooLong := (*Problem)(nil); whole && errors.As(err, &tooLong) { // those behind it are lines of data still
			p.report(*tooLong)
			continue
		}
		if err != nil {
			return err
		}
		if text == `\.` {
			return nil
		}
		if !whole { // who knows what the last value would have been
			left := ""
			if text != "" {
				left = ", and this line is left out"
			}
			return &Problem{row.Line, 1, fmt.Sprintf("the data of COPY %q have no end mark \\.: the dump was cut here%s", row.Table.Table, left)}
		}
		if skip {
			continue
		}
		row.Values = row.Values[:0]
		for field := range strings.SplitSeq(text, "\t") {
			row.Values = append(row.Values, copyValue(field))
		}
		if err := p.emit(row); err != nil {
			return err
		}
	}
}

func copyValue(field string) Value {
	if field == `\N` {
		return Value{}
	}
	if !strings.Contains(field, `\`) {
		return Value{Kind: Text, Text: field}
	}
	var b strings.Builder
	escaped := false
	for _, c := range field {
		switch {
		case escaped:
			b.WriteRune(unescape(c))
			escaped = false
		case c == '\\':
			escaped = true
		default:
			b.WriteRune(c)
		}
	}
	return Value{Kind: Text, Text: b.String()}
}
