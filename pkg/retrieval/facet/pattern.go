package facet

import (
	"fmt"
	"strings"

	"github.com/kljensen/snowball/english"
)

// mostBetween is how many words ".." may stand for.
const mostBetween = 2

// element is one place of a pattern.
type element struct {
	kind     elementKind
	word     string          // for exact and stem
	class    map[string]bool // stems, or words with a leading apostrophe
	optional bool
}

type elementKind uint8

const (
	elementStem elementKind = iota
	elementExact
	elementClass
	elementGap
	elementEnd
)

// pattern is a wording in letters.
type pattern []element

// compile reads a pattern as lexicon.yaml describes it.
func compile(text string, classes map[string]map[string]bool) (pattern, error) {
	var p pattern
	for _, field := range strings.Fields(text) {
		var e element
		if strings.HasSuffix(field, "~") {
			e.optional = true
			field = strings.TrimSuffix(field, "~")
		}
		switch {
		case field == "..":
			e.kind = elementGap
		case field == "$":
			e.kind = elementEnd
		case strings.HasPrefix(field, "<"):
			e.kind, e.class = elementClass, classes[strings.Trim(field, "<>")]
			if e.class == nil {
				return nil, fmt.Errorf("wording %q: there is no class %s", text, field)
			}
		case strings.HasPrefix(field, "'"):
			e.kind, e.word = elementExact, field[1:]
		default:
			e.kind, e.word = elementStem, english.Stem(field, true)
		}
		p = append(p, e)
	}
	if len(p) == 0 || p[0].optional || p[0].kind == elementGap || p[0].kind == elementEnd {
		return nil, fmt.Errorf("wording %q begins with nothing certain", text)
	}
	return p, nil
}

// classOf compiles the words of a class.
func classOf(words []string) map[string]bool {
	class := make(map[string]bool, len(words))
	for _, w := range words {
		if strings.HasPrefix(w, "'") {
			class[w] = true
		} else {
			class[english.Stem(w, true)] = true
		}
	}
	return class
}

// first returns the words that may begin a pattern, as keys of an index.
func (p pattern) first() []string {
	switch p[0].kind {
	case elementExact:
		return []string{"'" + p[0].word}
	case elementClass:
		var keys []string
		for w := range p[0].class {
			keys = append(keys, w)
		}
		return keys
	}
	return []string{p[0].word}
}

// match returns how many tokens from the beginning a pattern takes, 0 for none.
func (p pattern) match(tokens []token) int {
	n, ok := p.from(tokens, 0)
	if !ok {
		return 0
	}
	return n
}

func (p pattern) from(tokens []token, at int) (int, bool) {
	if len(p) == 0 {
		return at, true
	}
	e, rest := p[0], p[1:]
	switch e.kind {
	case elementEnd:
		if at > 0 && (tokens[at-1].after != together || at >= len(tokens) || tokens[at].function) {
			return rest.from(tokens, at)
		}
		return 0, false
	case elementGap:
		for skip := 0; skip <= mostBetween && at+skip < len(tokens); skip++ {
			if n, ok := rest.from(tokens, at+skip); ok {
				return n, true
			}
			if tokens[at+skip].after != together || tokens[at+skip].joins {
				break
			}
		}
		return 0, false
	}
	if at < len(tokens) && !tokens[at].quoted && e.is(tokens[at]) {
		// A clause ends within a wording only where "$" says so.
		if tokens[at].after != apart || len(rest) == 0 || rest[0].kind == elementEnd {
			if n, ok := rest.from(tokens, at+1); ok {
				return n, true
			}
		}
	}
	if e.optional {
		return rest.from(tokens, at)
	}
	return 0, false
}

func (e element) is(t token) bool {
	switch e.kind {
	case elementExact:
		return t.word == e.word
	case elementClass:
		return e.class[t.stem] || e.class["'"+t.word]
	}
	return t.stem == e.word
}
