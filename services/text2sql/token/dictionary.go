package token

import "unicode"

// Dictionary is a set of Chinese words for maximum matching.
type Dictionary struct {
	words  map[string]struct{}
	maxLen int // in characters
}

// NewDictionary returns a dictionary of words; words without a Han character are
// left out.
func NewDictionary(words ...string) *Dictionary {
	d := &Dictionary{words: make(map[string]struct{}, len(words))}
	d.Add(words...)
	return d
}

// Add adds words.
func (d *Dictionary) Add(words ...string) {
	for _, w := range words {
		n, han := 0, false
		for _, r := range w {
			n++
			han = han || unicode.Is(unicode.Han, r)
		}
		if !han || n > 20 {
			continue
		}
		d.words[w] = struct{}{}
		d.maxLen = max(d.maxLen, n)
	}
}

// Clone returns a copy that can be added to.
func (d *Dictionary) Clone() *Dictionary {
	c := &Dictionary{words: make(map[string]struct{}, len(d.words)), maxLen: d.maxLen}
	for w := range d.words {
		c.words[w] = struct{}{}
	}
	return c
}

// han takes the longest word of the dictionary at the position, else one
// character.
func (s *splitter) han() {
	ends := make([]int, 0, 8)
	n := 0
	for i, r := range s.text[s.pos:] {
		if i > 0 {
			ends = append(ends, s.pos+i)
		}
		if s.words == nil || n >= s.words.maxLen || unicode.IsSpace(r) {
			break
		}
		n++
		if s.pos+i+len(string(r)) == len(s.text) {
			ends = append(ends, len(s.text))
		}
	}
	for k := len(ends) - 1; k > 0; k-- {
		if _, ok := s.words.words[s.text[s.pos:ends[k]]]; ok {
			s.add(Han, s.pos, ends[k])
			return
		}
	}
	end := s.pos + 3
	if len(ends) > 0 {
		end = ends[0]
	}
	s.add(Han, s.pos, min(end, len(s.text)))
}
