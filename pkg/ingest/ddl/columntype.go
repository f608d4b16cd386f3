package ddl

import (
	"slices"
	"strconv"
	"strings"
)

// endsType are the words after which no more of a type follows.
func endsType(t Token) bool {
	return t.Kind != Word || slices.Contains([]string{
		"not", "null", "default", "primary", "unique", "references", "check", "comment", "constraint", "key",
		"auto_increment", "autoincrement", "identity", "collate", "generated", "on", "as", "encode", "sortkey",
		"distkey", "charset", "visible", "invisible", "stored", "virtual", "options", "set",
	}, strings.ToLower(t.Text))
}

func (p *parser) columnType(c *Column) error {
	var words []string
	for {
		t, err := p.peek(0)
		if err != nil {
			return err
		}
		second := Token{}
		if t.Is("character") {
			if second, err = p.peek(1); err != nil {
				return err
			}
		}
		first := len(words) == 0
		switch {
		case t.Is("(") && !first:
			if err := p.typeArgs(c); err != nil {
				return err
			}
		case t.Is("<") && !first:
			if err := p.skipAngles(); err != nil {
				return err
			}
		case t.Is("[") && !first: // an array of PostgreSQL
			for !t.Is("]") && t.Kind != EOF {
				if t, err = p.next(); err != nil {
					return err
				}
			}
			words = append(words, "array")
		case t.Is(".") && !first: // schema.type
			words = words[:len(words)-1]
			if _, err := p.next(); err != nil {
				return err
			}
		case first && t.Kind == QuotedName, !endsType(t) && !second.Is("set"), first && t.Is("set"):
			words = append(words, strings.ToLower(t.Text))
			if _, err := p.next(); err != nil {
				return err
			}
		default:
			c.Type = strings.Join(words, " ")
			return nil
		}
	}
}

// typeArgs reads (10,2), ('a','b') or (max) and keeps the numbers.
func (p *parser) typeArgs(c *Column) error {
	if err := p.expect("("); err != nil {
		return err
	}
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
		case t.Kind == NumberToken && len(c.Args) < 2:
			if n, err := strconv.Atoi(t.Text); err == nil {
				c.Args = append(c.Args, n)
			}
		}
	}
	return nil
}

func (p *parser) skipAngles() error {
	for depth := 0; ; {
		t, err := p.next()
		switch {
		case err != nil:
			return err
		case t.Kind == EOF, t.Is(";"):
			return unexpected(t, ">")
		case t.Is("<"):
			depth++
		case t.Is(">"):
			if depth--; depth == 0 {
				return nil
			}
		}
	}
}
