package ddl

import (
	"slices"
	"strings"
)

// createView keeps name and query of CREATE VIEW.
func (p *parser) createView() error {
	line := p.last.Line
	if _, err := p.accept("if", "not", "exists"); err != nil {
		return err
	}
	name, err := p.name()
	if err != nil {
		return err
	}
	view := &View{Name: name, Line: line}
	if t, err := p.peek(0); err != nil {
		return err
	} else if t.Is("(") {
		if view.Columns, err = p.columnList(); err != nil {
			return err
		}
	}
	for { // options, such as WITH (security_barrier='true')
		t, err := p.next()
		if err != nil {
			return err
		}
		if t.Kind == EOF || t.Is(";") {
			return unexpected(t, "AS and a query")
		}
		if t.Is("as") {
			break
		}
		if t.Is("(") {
			if err := p.skipGroup(); err != nil {
				return err
			}
		}
	}
	if view.Query, err = p.query(); err != nil {
		return err
	}
	p.schema.addView(view, p.config.MaxTables)
	return nil
}

// query writes the tokens up to the semicolon as text, without what makes no part of
// the query: WITH NO DATA, WITH CHECK OPTION. It is empty where it is too long.
func (p *parser) query() (string, error) {
	var tokens []Token
	size := 0
	for {
		t, err := p.next()
		if err != nil {
			return "", err
		}
		if t.Kind == EOF || t.Is(";") {
			break
		}
		if size += len(t.Text) + 1; size <= p.config.MaxViewBytes {
			tokens = append(tokens, t)
		}
	}
	if size > p.config.MaxViewBytes {
		return "", nil
	}
	return written(withoutOptions(tokens)), nil
}

// withoutOptions takes WITH [words] DATA and WITH [words] CHECK OPTION off the end.
func withoutOptions(tokens []Token) []Token {
	const most = 4 // WITH LOCAL CHECK OPTION
	n := len(tokens)
	if n == 0 || !tokens[n-1].Is("data") && !tokens[n-1].Is("option") {
		return tokens
	}
	for i := n - 1; i >= max(0, n-most); i-- {
		if tokens[i].Is("with") {
			return tokens[:i]
		}
	}
	return tokens
}

// written is the text of tokens. Signs that stood together do so again, as they may be
// one operator; names and texts are quoted in the standard's way.
func written(tokens []Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 {
			before := tokens[i-1]
			together := before.Kind == Symbol && t.Kind == Symbol && before.Line == t.Line && before.Column+len(before.Text) == t.Column
			if !together {
				b.WriteByte(' ')
			}
		}
		switch t.Kind {
		case QuotedName:
			b.WriteString(`"` + strings.ReplaceAll(t.Text, `"`, `""`) + `"`)
		case String:
			b.WriteString(`'` + strings.ReplaceAll(t.Text, `'`, `''`) + `'`)
		case HexString:
			b.WriteString(`X'` + t.Text + `'`)
		default:
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// addView keeps a view in the place of an earlier one of its name, and in that of a
// table that stood in for it.
func (s *Schema) addView(v *View, most int) {
	if t := s.byKey[v.Name.Key()]; t != nil {
		s.Tables = slices.DeleteFunc(s.Tables, func(other *Table) bool { return other == t })
		delete(s.byKey, t.Name.Key())
		if bare := strings.ToLower(t.Name.Table); s.byName[bare] == t {
			delete(s.byName, bare)
			if next := slices.IndexFunc(s.Tables, func(other *Table) bool { return strings.EqualFold(other.Name.Table, t.Name.Table) }); next >= 0 {
				s.byName[bare] = s.Tables[next]
			}
		}
	}
	at := slices.IndexFunc(s.Views, func(other *View) bool { return other.Name.Key() == v.Name.Key() })
	switch {
	case at >= 0:
		s.Views[at] = v
	case len(s.Views) < most:
		s.Views = append(s.Views, v)
	}
}
