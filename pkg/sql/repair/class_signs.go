package repair

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/parser"
)

// comments ends a comment that took the rest of the text along, as it does where lines
// were lost: before a word in it that may begin a clause.
func (p *proposer) comments() {
	for i := 0; i <= len(p.words); i++ {
		from, to := 0, len(p.text)
		if i > 0 {
			from = p.words[i-1].End
		}
		if i < len(p.words) {
			to = p.words[i].Start
		}
		at := strings.Index(p.text[from:to], "--")
		if at < 0 {
			continue
		}
		line, _, _ := strings.Cut(p.text[from+at:to], "\n")
		inside := parser.Words(line[2:])
		for j, w := range inside[:min(len(inside), maxCommentWords)] {
			word := line[2+w.Start : 2+w.End]
			if j == 0 || w.Kind != parser.WordKey && word != ")" && word != "," {
				continue
			}
			place := from + at + 2 + w.Start
			e := edit{start: place, end: place, text: "\n", class: "comment", certainty: 0.85}
			p.out = append(p.out, proposal{edit: e, cost: 1.2 + 0.01*float64(j), behind: len(inside) - j})
		}
	}
}

// maxCommentWords is how many words of a comment are looked at.
const maxCommentWords = 60

// typographic are the signs that word processors and Chinese keyboards put in the place
// of ASCII's. In texts and names in quotes they stay.
func typographic(text string) []edit {
	var edits []edit
	if !strings.ContainsFunc(text, func(r rune) bool { return r > 0x7f }) {
		return nil
	}
	for _, w := range parser.Words(text) {
		if plain, ok := plainSigns[text[w.Start:w.End]]; ok && w.Kind == parser.WordSign {
			edits = append(edits, edit{start: w.Start, end: w.End, text: plain, class: "typographic", certainty: 0.95})
		}
	}
	return edits
}

var plainSigns = map[string]string{
	"“": `"`, "”": `"`, "„": `"`, "‘": "'", "’": "'", "（": "(", "）": ")", "，": ",", "；": ";", "＝": "=", "＞": ">", "＜": "<",
	"＊": "*", "＋": "+", "－": "-", "／": "/", "。": ".", "．": ".", "　": " ", "\u00a0": " ", "≥": ">=", "≤": "<=", "≠": "<>",
}
