package joni

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// node is a part of a pattern. match tries it at a byte and calls then with where
// it ends; then says whether the rest matches there.
type node interface {
	match(m *matcher, at int, then func(at int) bool) bool
}

// one matches one character of a set.
type one struct{ has set }

func (n *one) match(m *matcher, at int, then func(int) bool) bool {
	if !m.step() || at >= len(m.text) {
		return false
	}
	r, size := utf8.DecodeRuneInString(m.text[at:])
	return n.has(r) && then(at+size)
}

// sequence matches its parts one after another.
type sequence []node

func (n sequence) match(m *matcher, at int, then func(int) bool) bool {
	if !m.step() {
		return false
	}
	if len(n) == 0 {
		return then(at)
	}
	return n[0].match(m, at, func(next int) bool { return n[1:].match(m, next, then) })
}

// choice matches the first of its parts after which the rest matches.
type choice []node

func (n choice) match(m *matcher, at int, then func(int) bool) bool {
	for _, part := range n {
		if part.match(m, at, then) {
			return true
		}
		if m.err != nil {
			return false
		}
	}
	return false
}

// capture notes where its part matched.
type capture struct {
	part  node
	group int
}

func (n *capture) match(m *matcher, at int, then func(int) bool) bool {
	return n.part.match(m, at, func(end int) bool {
		b, e := m.groups[2*n.group], m.groups[2*n.group+1]
		m.groups[2*n.group], m.groups[2*n.group+1] = at, end
		if then(end) {
			return true
		}
		m.groups[2*n.group], m.groups[2*n.group+1] = b, e
		return false
	})
}

// repeat matches its part least to most times; most is -1 for any number.
type repeat struct {
	part        node
	least, most int
	lazy        bool
}

func (n *repeat) match(m *matcher, at int, then func(int) bool) bool {
	if single, ok := n.part.(*one); ok {
		return n.characters(m, single, at, then)
	}
	return n.again(m, at, -1, 0, then)
}

// characters is match for parts of one character: no recursion.
func (n *repeat) characters(m *matcher, single *one, at int, then func(int) bool) bool {
	ends := []int{at}
	grow := func() bool {
		last := ends[len(ends)-1]
		if last >= len(m.text) || !m.step() || n.most >= 0 && len(ends) > n.most {
			return false
		}
		r, size := utf8.DecodeRuneInString(m.text[last:])
		if !single.has(r) {
			return false
		}
		ends = append(ends, last+size)
		return true
	}
	for len(ends) <= n.least {
		if !grow() {
			return false
		}
	}
	if n.lazy {
		for {
			if then(ends[len(ends)-1]) {
				return true
			}
			if m.err != nil || !grow() {
				return false
			}
		}
	}
	for grow() {
	}
	for i := len(ends) - 1; i >= n.least && m.err == nil; i-- {
		if then(ends[i]) {
			return true
		}
	}
	return false
}

// again tries one more time, or what comes after. A time that matches nothing ends
// the repetition.
func (n *repeat) again(m *matcher, at, before, count int, then func(int) bool) bool {
	if !m.step() {
		return false
	}
	m.depth++
	defer func() { m.depth-- }()
	if count >= n.least && at == before {
		return then(at)
	}
	more := func() bool {
		if n.most >= 0 && count >= n.most {
			return false
		}
		return n.part.match(m, at, func(next int) bool { return n.again(m, next, at, count+1, then) })
	}
	switch {
	case count < n.least:
		return more()
	case n.lazy:
		return then(at) || m.err == nil && more()
	}
	return more() || m.err == nil && then(at)
}

// atomic takes the first way in which its part matches, and no other.
type atomic struct{ part node }

func (n *atomic) match(m *matcher, at int, then func(int) bool) bool {
	end := -1
	if !n.part.match(m, at, func(next int) bool { end = next; return true }) || m.err != nil {
		return false
	}
	return then(end)
}

// look matches where its part matches, or does not, without taking anything.
// Behind, the part has to end here.
type look struct {
	part           node
	behind, negate bool
	widths         []int // in characters, of what is behind
}

func (n *look) match(m *matcher, at int, then func(int) bool) bool {
	saved := append([]int(nil), m.groups...)
	found := n.found(m, at)
	if m.err != nil {
		return false
	}
	if found == n.negate {
		copy(m.groups, saved)
		return false
	}
	if n.negate {
		copy(m.groups, saved)
	}
	if then(at) {
		return true
	}
	copy(m.groups, saved)
	return false
}

func (n *look) found(m *matcher, at int) bool {
	if !n.behind {
		return n.part.match(m, at, func(int) bool { return true })
	}
	for _, width := range n.widths {
		start, ok := back(m.text, at, width)
		if ok && n.part.match(m, start, func(end int) bool { return end == at }) {
			return true
		}
	}
	return false
}

// back returns where a number of characters before a byte is.
func back(text string, at, characters int) (int, bool) {
	for range characters {
		if at == 0 {
			return 0, false
		}
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at, true
}

// reference matches what a group has matched.
type reference struct {
	group int
	fold  bool
}

func (n *reference) match(m *matcher, at int, then func(int) bool) bool {
	b, e := m.groups[2*n.group], m.groups[2*n.group+1]
	if !m.step() || b < 0 {
		return false
	}
	want := m.text[b:e]
	if rest := m.text[at:]; n.fold {
		if len(rest) < len(want) || !strings.EqualFold(rest[:len(want)], want) {
			return false
		}
	} else if !strings.HasPrefix(rest, want) {
		return false
	}
	return then(at + len(want))
}

// place matches at some places of the text, without taking anything.
type place func(text string, at int) bool

func (n place) match(m *matcher, at int, then func(int) bool) bool {
	return m.step() && n(m.text, at) && then(at)
}

func textBegin(_ string, at int) bool { return at == 0 }

func textEnd(text string, at int) bool { return at == len(text) }

// lastLineEnd is the end, or before the line feed that ends the text.
func lastLineEnd(text string, at int) bool { return at == len(text) || text[at:] == "\n" }

func lineBegin(text string, at int) bool {
	return at == 0 || text[at-1] == '\n' && at < len(text)
}

func lineEnd(text string, at int) bool { return at == len(text) || text[at] == '\n' }

func wordEdge(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return (at > 0 && wide(before)) != (at < len(text) && wide(after))
}

// wide reports a character of a word in any script, which is what edges of words
// look at; \w is of ASCII alone.
func wide(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || unicode.Is(unicode.Pc, r)
}
