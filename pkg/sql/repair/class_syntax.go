package repair

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/parser"
)

// proposal is an edit with its cost. removed is how many words it takes away, which is
// no progress by itself.
type proposal struct {
	edit
	cost    float64
	removed int
	behind  int // words behind a comment that is ended; 0: another edit
}

// proposals are the edits of a text whose word at index stuck does not fit.
func proposals(text string, words []parser.Word, stuck int) []proposal {
	p := proposer{text: text, words: words, stuck: min(max(stuck, 0), len(words))}
	p.respelt()
	p.doubled()
	p.swapped()
	p.parentheses()
	p.missing()
	p.stray()
	p.quotes()
	p.comments()
	slices.SortStableFunc(p.out, func(a, b proposal) int { return cmp.Compare(a.cost, b.cost) })
	return p.out
}

type proposer struct {
	text  string
	words []parser.Word
	stuck int
	out   []proposal
}

func (p *proposer) add(class string, start, end int, text string, cost, certainty float64, removed int) {
	name := strings.TrimSpace(text)
	after := byte(' ')
	if end < len(p.text) {
		after = p.text[end]
	}
	if first := (text + string(after))[0]; start > 0 && wordByte(p.text[start-1]) && wordByte(first) {
		text = " " + text // two words stay two
	}
	if text != "" && wordByte(text[len(text)-1]) && wordByte(after) {
		text += " "
	}
	if name == "" {
		name = strings.TrimSpace(p.text[start:end])
	}
	e := edit{start: start, end: end, text: text, class: class, certainty: certainty, args: map[string]string{"name": name}}
	p.out = append(p.out, proposal{edit: e, cost: cost, removed: removed})
}

// word is the text of a word in upper case, empty outside of the text.
func (p *proposer) word(i int) string {
	if i < 0 || i >= len(p.words) {
		return ""
	}
	return strings.ToUpper(p.text[p.words[i].Start:p.words[i].End])
}

// insert puts a word before the word at i.
func (p *proposer) insert(class string, i int, text string, cost, certainty float64) {
	at := len(strings.TrimRight(p.text, " \t\r\n;"))
	if i > 0 {
		at = p.words[i-1].End
	} else if len(p.words) > 0 {
		at = p.words[0].Start
	}
	switch {
	case i == 0:
		text += " "
	case text == ")" || text == ",":
	default:
		text = " " + text
		if i < len(p.words) && p.words[i].Start == at && text != " (" {
			text += " "
		}
	}
	p.add(class, at, at, text, cost, certainty, 0)
}

func (p *proposer) remove(class string, i int, cost, certainty float64) {
	start, end := p.words[i].Start, p.words[i].End
	if i > 0 && strings.TrimSpace(p.text[p.words[i-1].End:start]) == "" && (i+1 < len(p.words) || p.words[i].Kind != parser.WordSign) {
		if i+1 >= len(p.words) || p.words[i+1].Start > end {
			start = p.words[i-1].End // one of the blanks around it
		}
	}
	p.add(class, start, end, "", cost, certainty, 1)
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// respelt are words that are nearly key words, up to the one behind the stuck one: a
// misspelt key word is read as a name, so that the reader gets stuck behind it.
func (p *proposer) respelt() {
	for i := max(0, p.stuck-12); i < min(p.stuck+2, len(p.words)); i++ {
		w := p.words[i]
		if w.Kind != parser.WordName && w.Kind != parser.WordKey {
			continue
		}
		word := p.text[w.Start:w.End]
		for _, key := range keysNear(word) {
			cost := key.cost
			if w.Kind == parser.WordKey {
				cost += 0.6 // a key word for another one
			}
			p.add("keyword", w.Start, w.End, key.text(word), cost, 0.95, 0)
		}
		for _, joined := range []string{"GROUP", "ORDER", "PARTITION"} {
			if strings.EqualFold(word, joined+"BY") {
				p.add("keyword", w.Start, w.End, word[:len(joined)]+" "+word[len(joined):], 0.9, 0.97, 0)
			}
		}
	}
}

// doubled are words that stand twice.
func (p *proposer) doubled() {
	for i := max(1, p.stuck-near); i < min(p.stuck+2, len(p.words)); i++ {
		if w := p.word(i); w == p.word(i-1) && w != "(" && w != ")" {
			certainty := 0.95
			if w == "," {
				certainty = 0.85 // what stood between may be missing
			}
			p.remove("repeated_word", i, 0.8, certainty)
		}
	}
}

// swapped are neighbours in the wrong order.
func (p *proposer) swapped() {
	for i := max(0, p.stuck-near); i < min(p.stuck+1, len(p.words)-1); i++ {
		a, b := p.words[i], p.words[i+1]
		if p.word(i) == p.word(i+1) {
			continue
		}
		between := p.text[a.End:b.Start]
		if between == "" && a.Kind != parser.WordSign && b.Kind != parser.WordSign {
			between = " "
		}
		certainty := 0.92
		if p.word(i) == "(" || p.word(i+1) == "(" {
			certainty = 0.85 // the name of a function may be missing instead
		}
		p.add("word_order", a.Start, b.End, p.text[b.Start:b.End]+between+p.text[a.Start:a.End], 1.3, certainty, 0)
	}
}

// parentheses are those that are missing, anywhere since the one that is open, or are
// too many.
func (p *proposer) parentheses() {
	var open []int
	for i := range p.words[:p.stuck] {
		switch p.word(i) {
		case "(":
			open = append(open, i)
		case ")":
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	if len(open) > 0 {
		last := open[len(open)-1]
		for i := min(p.stuck+2, len(p.words)); i > last+1 && i > p.stuck-40; i-- {
			p.insert("parenthesis", i, ")", 1.2, 0.93)
		}
		p.remove("parenthesis", last, 1.3, 0.9)
	}
	for i := p.stuck; i >= max(0, p.stuck-12); i-- {
		if p.word(i) == ")" {
			p.remove("parenthesis", i, 1.2, 0.93)
		}
	}
	for i := p.stuck; i > max(0, p.stuck-near); i-- {
		p.insert("parenthesis", i, "(", 1.4, 0.9)
	}
}

// absent are words that may be missing: before and after are what stands around, each
// empty for anything, # for a literal.
var absent = []struct {
	word, before, after string
	cost, certainty     float64
}{
	{word: "BY", before: "GROUP", cost: 0.8, certainty: 0.97},
	{word: "BY", before: "ORDER", cost: 0.8, certainty: 0.97},
	{word: "BY", before: "PARTITION", cost: 0.8, certainty: 0.97},
	{word: "GROUP", after: "BY", cost: 1.2, certainty: 0.93},
	{word: "ORDER", after: "BY", cost: 1.2, certainty: 0.93},
	{word: "PARTITION", after: "BY", cost: 1.2, certainty: 0.93},
	{word: ",", cost: 1.2, certainty: 0.92},
	{word: "LIMIT", after: "#", cost: 1.3, certainty: 0.85},
	{word: "FROM", cost: 1.5, certainty: 0.92},
	{word: "AS", after: "(", cost: 1.3, certainty: 0.93},
	{word: "AS", cost: 1.6, certainty: 0.9},
	{word: "END", cost: 1.3, certainty: 0.92},
	{word: "THEN", cost: 1.3, certainty: 0.92},
	{word: "WHEN", after: "", before: "CASE", cost: 1.3, certainty: 0.9},
	{word: "ON", cost: 1.5, certainty: 0.92},
	{word: "JOIN", before: "LEFT", cost: 1.2, certainty: 0.93},
	{word: "JOIN", before: "INNER", cost: 1.2, certainty: 0.93},
	{word: "JOIN", before: "RIGHT", cost: 1.2, certainty: 0.93},
	{word: "JOIN", before: "FULL", cost: 1.2, certainty: 0.93},
	{word: "JOIN", before: "CROSS", cost: 1.2, certainty: 0.93},
	{word: "JOIN", before: "OUTER", cost: 1.2, certainty: 0.93},
	{word: "IS", after: "NULL", cost: 1.3, certainty: 0.93},
	{word: "IS", after: "NOT", cost: 1.5, certainty: 0.9},
	{word: "IN", after: "(", cost: 1.7, certainty: 0.8},
	{word: "WHERE", cost: 1.7, certainty: 0.85},
	{word: "AND", cost: 1.8, certainty: 0.6},
	{word: "=", cost: 2.2, certainty: 0.5},
	{word: ".", cost: 1.9, certainty: 0.6},
}

// missing are words that may be missing near the stuck one.
func (p *proposer) missing() {
	for i := max(0, p.stuck-near); i <= min(p.stuck+1, len(p.words)); i++ {
		if i == 0 {
			p.insert("missing_word", 0, "SELECT", 1.6, 0.85)
			continue
		}
		for _, a := range absent {
			literal := i < len(p.words) && p.words[i].Kind == parser.WordLiteral
			if a.before != "" && p.word(i-1) != a.before || a.after != "" && p.word(i) != a.after && (a.after != "#" || !literal) {
				continue
			}
			class := "missing_word"
			if a.word == "," {
				class = "missing_comma"
			}
			p.insert(class, i, a.word, a.cost, a.certainty)
		}
	}
}

// stray are words that may be too much near the stuck one. What carries meaning is not
// thrown away with certainty.
func (p *proposer) stray() {
	for i := max(0, p.stuck-near); i < min(p.stuck+1, len(p.words)); i++ {
		switch w := p.words[i]; {
		case p.word(i) == ",":
			p.remove("comma", i, 1.1, 0.85)
		case w.Kind == parser.WordSign && p.word(i) != "(" && p.word(i) != ")":
			p.remove("stray_word", i, 1.9, 0.6)
		case w.Kind == parser.WordKey:
			p.remove("stray_word", i, 2.0, 0.6)
		case w.Kind == parser.WordName || w.Kind == parser.WordQuoted || w.Kind == parser.WordLiteral:
			p.remove("stray_word", i, 2.6, 0.5)
		}
	}
}

// quotes closes a text that nothing closes, behind one of the words after it.
func (p *proposer) quotes() {
	i := openQuote(p.text)
	if i < 0 {
		return
	}
	q := p.text[p.words[i].Start:p.words[i].End]
	for j := i + 1; j < min(i+8, len(p.words)); j++ {
		p.add("quote", p.words[j].End, p.words[j].End, q, 1.2+0.05*float64(j-i), 0.92, 0)
	}
}

// openQuote is the index of the word of a text that is a quote which nothing closes, -1
// for none.
func openQuote(text string) int {
	if strings.Count(text, "'")%2 == 0 && strings.Count(text, `"`)%2 == 0 {
		return -1
	}
	return slices.IndexFunc(parser.Words(text), func(w parser.Word) bool {
		return w.Kind == parser.WordSign && (text[w.Start:w.End] == "'" || text[w.Start:w.End] == `"`)
	})
}
