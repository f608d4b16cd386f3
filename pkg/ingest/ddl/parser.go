package ddl

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
)

// parser reads statement by statement, with as much lookahead as a decision needs.
type parser struct {
	lex      *lexer
	ahead    []Token
	config   Config
	schema   *Schema
	comments []Token // since the CREATE TABLE that is being read
	last     Token
}

// Read reads a script to its end. The error is one of the stream or of
// Config.Rows; what is wrong with the script is in the schema's Problems.
func Read(r io.Reader, config Config) (*Schema, error) {
	config = config.complete()
	p := &parser{lex: newLexer(r, config.Dialect, config.MaxTokenBytes), config: config, schema: &Schema{}}
	for {
		t, err := p.peek(0)
		if err == nil && t.Kind == EOF {
			return p.schema, nil
		}
		if err == nil {
			err = p.statement()
		}
		var problem *Problem
		if errors.As(err, &problem) {
			p.report(*problem)
			if p.last.Is(";") { // the statement ended too early: the next one is whole
				continue
			}
			err = p.skipStatement()
			if errors.As(err, &problem) { // an open quote: nothing after it can be trusted
				if len(p.schema.Problems) == 0 || p.schema.Problems[len(p.schema.Problems)-1] != *problem {
					p.report(*problem)
				}
				continue
			}
		}
		if err != nil {
			return p.schema, err
		}
	}
}

func (p *parser) report(problem Problem) {
	if len(p.schema.Problems) >= p.config.MaxProblems {
		p.schema.Dropped++
		return
	}
	p.schema.Problems = append(p.schema.Problems, problem)
}

func (p *parser) peek(n int) (Token, error) {
	for len(p.ahead) <= n {
		t, err := p.lex.next()
		if err != nil {
			return t, err
		}
		if t.Kind == comment {
			if len(p.comments) < 2*p.config.MaxColumns {
				p.comments = append(p.comments, t)
			}
			continue
		}
		p.ahead = append(p.ahead, t)
	}
	return p.ahead[n], nil
}

func (p *parser) next() (Token, error) {
	t, err := p.peek(0)
	if err == nil && t.Kind != EOF {
		p.ahead = append(p.ahead[:0], p.ahead[1:]...)
		p.last = t
	}
	return t, err
}

// accept takes the words if they come next, all or none.
func (p *parser) accept(words ...string) (bool, error) {
	for i, w := range words {
		t, err := p.peek(i)
		if err != nil || !t.Is(w) {
			return false, err
		}
	}
	for range words {
		if _, err := p.next(); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (p *parser) expect(symbol string) error {
	t, err := p.next()
	if err != nil {
		return err
	}
	if !t.Is(symbol) {
		return unexpected(t, symbol)
	}
	return nil
}

func unexpected(t Token, want string) error {
	got := fmt.Sprintf("%q", lang.Shorten(t.Text, 40))
	if t.Kind == EOF {
		got = "the end of the file"
	}
	return &Problem{t.Line, t.Column, "found " + got + " where " + want + " was expected"}
}

// skipStatement passes over everything up to the next semicolon.
func (p *parser) skipStatement() error {
	for {
		t, err := p.next()
		if err != nil || t.Kind == EOF || t.Is(";") {
			return err
		}
	}
}

// skipGroup passes over a balanced ( … ); the opening one has been taken.
func (p *parser) skipGroup() error {
	for depth := 1; depth > 0; {
		t, err := p.next()
		switch {
		case err != nil:
			return err
		case t.Kind == EOF:
			return unexpected(t, ")")
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		}
	}
	return nil
}

func (p *parser) statement() error {
	t, err := p.next()
	if err != nil {
		return err
	}
	switch {
	case t.Is(";"):
		return nil
	case t.Is("create"):
		return p.create()
	case t.Is("alter"):
		return p.alter()
	case t.Is("comment"):
		return p.commentOn()
	case t.Is("insert"), t.Is("replace"):
		return p.insert()
	case t.Is("copy"):
		return p.copy()
	case t.Is("delimiter"):
		return p.delimited()
	case t.Is("\\"): // a command of psql: it ends with its line
		if len(p.ahead) == 0 {
			_, _, err = p.lex.restOfLine()
		}
		return err
	}
	return p.skipStatement()
}

// delimited passes over the procedures of a MySQL dump, up to "DELIMITER ;".
func (p *parser) delimited() error {
	begin := p.last
	text, whole, err := p.lex.restOfLine()
	for err == nil && strings.TrimSpace(text) != ";" {
		if !whole {
			return &Problem{begin.Line, begin.Column, "DELIMITER is not set back to ; to the end of the file: all behind it is passed over"}
		}
		if text, whole, err = p.lex.restOfLine(); err != nil {
			return err
		}
		if words := strings.Fields(text); len(words) == 2 && strings.EqualFold(words[0], "delimiter") {
			text = words[1]
		} else {
			text = ""
		}
	}
	return err
}

// name reads a name of one to three parts; of three the first is left out.
func (p *parser) name() (Name, error) {
	var parts []string
	for {
		part, err := p.identifier()
		if err != nil {
			return Name{}, err
		}
		parts = append(parts, part)
		more, err := p.accept(".")
		if err != nil {
			return Name{}, err
		}
		if !more {
			break
		}
		if len(parts) == 3 {
			return Name{}, unexpected(p.last, "a name of at most three parts")
		}
	}
	n := Name{Table: parts[len(parts)-1]}
	if len(parts) > 1 {
		n.Schema = parts[len(parts)-2]
	}
	return n, nil
}

func (p *parser) identifier() (string, error) {
	t, err := p.next()
	if err != nil {
		return "", err
	}
	// SQLite takes 'x' for a name too.
	if t.Kind != Word && t.Kind != QuotedName && t.Kind != String || t.Text == "" {
		return "", unexpected(t, "a name")
	}
	return t.Text, nil
}

// columnList reads ( a, b DESC, c(10) ); the opening parenthesis has not been taken.
func (p *parser) columnList() ([]string, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	var columns []string
	for {
		name, err := p.identifier()
		if err != nil {
			return nil, err
		}
		if columns = append(columns, name); len(columns) > p.config.MaxColumns {
			return nil, &Problem{p.last.Line, p.last.Column, fmt.Sprintf("more than %d columns", p.config.MaxColumns)}
		}
		for { // a length or an order after the name means nothing here
			t, err := p.next()
			if err != nil {
				return nil, err
			}
			if t.Is(")") {
				return columns, nil
			}
			if t.Is(",") {
				break
			}
			if t.Is("(") {
				if err := p.skipGroup(); err != nil {
					return nil, err
				}
			} else if t.Kind != Word {
				return nil, unexpected(t, "a comma or )")
			}
		}
	}
}
