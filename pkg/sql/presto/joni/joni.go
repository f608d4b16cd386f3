// Package joni matches regular expressions as Trino does: in Java's syntax, by
// backtracking, with look-around, back references, possessive and atomic groups.
// What it does not know is ErrUnsupported; a search that takes too many steps is
// ErrTooLong instead of never ending.
package joni

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Errors of patterns and of searches.
var (
	// ErrPattern is wrapped by what is wrong with a pattern.
	ErrPattern = errors.New("invalid regular expression")
	// ErrUnsupported is wrapped by what is right in Trino and not known here.
	ErrUnsupported = errors.New("the regular expression is not supported on the embedded engine")
	// ErrTooLong ends a search of more than MaxSteps steps.
	ErrTooLong = errors.New("the regular expression needs too many steps for this text")
)

const (
	// MaxSteps bounds a search.
	MaxSteps = 2_000_000
	// MaxPattern is the longest pattern, in bytes.
	MaxPattern = 10_000
	maxDepth   = 200
	maxRepeat  = 1000
	// maxBacktrack bounds how deep a search goes, and so its memory.
	maxBacktrack = 200_000
)

// Regexp is a compiled pattern. It is safe for concurrent use.
type Regexp struct {
	root   node
	groups int            // capturing ones, without the whole match
	names  map[string]int // of groups
	folds  bool           // somewhere without case
}

// expands reports a letter that is more than one where case does not count: ß is ss.
func expands(r rune) bool {
	switch {
	case r < 0xDF:
		return false
	case r == 0xDF || r == 0x130 || r == 0x149 || r == 0x1F0 || r == 0x390 || r == 0x3B0 || r == 0x587:
		return true
	}
	return r >= 0x1E96 && r <= 0x1E9E || r >= 0x1F50 && r <= 0x1FFF || r >= 0xFB00 && r <= 0xFB17
}

// Compile reads a pattern.
func Compile(pattern string) (*Regexp, error) {
	if len(pattern) > MaxPattern {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrUnsupported, MaxPattern)
	}
	if !utf8.ValidString(pattern) {
		return nil, fmt.Errorf("%w: it is not UTF-8", ErrPattern)
	}
	p := &parser{rest: []rune(pattern), names: map[string]int{}}
	root, err := p.alternation(0)
	if err != nil {
		return nil, err
	}
	if p.more() {
		return nil, fmt.Errorf("%w: unmatched close parenthesis", ErrPattern)
	}
	if p.highest > p.groups {
		return nil, fmt.Errorf("%w: a reference to a group that is not there", ErrPattern)
	}
	if p.folds && strings.ContainsFunc(pattern, expands) {
		return nil, fmt.Errorf("%w: letters that are two without case", ErrUnsupported)
	}
	return &Regexp{root: root, groups: p.groups, names: p.names, folds: p.folds}, nil
}

// Groups is how many groups capture.
func (re *Regexp) Groups() int { return re.groups }

// Group returns a group's number by its name.
func (re *Regexp) Group(name string) (int, bool) {
	n, ok := re.names[name]
	return n, ok
}

// Find returns the first match at or after a byte: begin and end of the whole and
// of each group, -1 where a group took no part; nil where there is no match.
func (re *Regexp) Find(text string, from int) ([]int, error) {
	if re.folds && strings.ContainsFunc(text, expands) {
		return nil, fmt.Errorf("%w: letters that are two without case", ErrUnsupported)
	}
	m := &matcher{text: text, groups: make([]int, 2*(re.groups+1))}
	for start := from; start <= len(text); {
		for i := range m.groups {
			m.groups[i] = -1
		}
		end := -1
		ok := re.root.match(m, start, func(at int) bool {
			end = at
			return true
		})
		if m.err != nil {
			return nil, m.err
		}
		if ok {
			m.groups[0], m.groups[1] = start, end
			return m.groups, nil
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		start += max(size, 1)
	}
	return nil, nil
}

// matcher is the state of a search.
type matcher struct {
	text   string
	groups []int
	steps  int
	depth  int
	err    error
}

// step counts; false ends the search.
func (m *matcher) step() bool {
	m.steps++
	if m.steps > MaxSteps || m.depth > maxBacktrack {
		m.err = ErrTooLong
	}
	return m.err == nil
}
