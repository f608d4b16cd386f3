package repair

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/spelling"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// What cannot be read is corrected word by word: a search for the cheapest edits of
// words after which the parser reads the whole. It is the repair of errors by minimum
// cost that is known of compilers (Corchuelo et al., "Repairing syntax errors in LR
// parsers", 2002; Diekmann and Tratt, "Don't Panic!", 2020), tried on the text rather
// than on a parser's stack, because the reader takes only microseconds a statement.
//
// A step tries each edit of edits.tsv near the word that does not fit. One that lets
// the reader get further is tried on; one that lets it read all is a solution. The
// resolver then tells solutions of about the same cost apart.

// Bounds of the search.
const (
	maxEdits       = 8       // of one text
	maxCost        = 8.0     // of all of them
	cheap          = 1.0     // edits up to this cost are tried first
	perWord        = 0.15    // what a word is worth that is not read yet
	slack          = 0.5     // solutions that cost this much more are weighed too
	maxSteps       = 60      // texts that are tried on
	maxProbes      = 500     // texts that are read
	maxProbedWords = 400_000 // words of all of them
	maxWeighed     = 12      // solutions that are resolved
	near           = 3       // words before the one that does not fit where something may be missing or too much
	wrongName      = 0.9     // what a mistake costs that the resolver finds in a solution
	alike          = 0.35    // solutions whose costs differ by less are as likely
)

// attempt is a text on the way to a solution.
type attempt struct {
	draft *draft
	cost  float64
	left  int // words from the one that does not fit
	edits int
	// rewrites are the edits that are no misspelt words.
	rewrites int
	tried    float64 // edits up to this cost were tried
}

// least is what a solution by way of an attempt costs at least.
func (a attempt) least() float64 { return a.cost + a.tried }

// rank orders attempts: one that costs more comes first where it got that much further.
// Without it a text with several mistakes would be tried in all mixtures of worse edits
// of its first ones.
func (a attempt) rank() float64 { return a.least() + perWord*float64(a.left) }

// correct makes an unreadable text readable and reports whether it could.
func (e *engine) correct(ctx context.Context) (bool, error) {
	if e.corrected {
		return false, nil
	}
	e.corrected = true
	s := &search{}
	s.run(e.draft)
	return e.choose(ctx, s.solutions)
}

// search holds what a search has tried.
type search struct {
	probes, words int
	queue         []attempt
	seen          map[string]bool
	solutions     []attempt
	best          float64
}

func (s *search) run(d *draft) {
	s.seen, s.best = map[string]bool{d.text: true}, maxCost
	left, _ := s.probe(d.text)
	s.queue = []attempt{{draft: d, left: left}}
	for step := 0; step < maxSteps && len(s.queue) > 0; step++ {
		at := 0 // the most hopeful
		for i, a := range s.queue {
			if a.rank() < s.queue[at].rank() {
				at = i
			}
		}
		a := s.queue[at]
		s.queue = slices.Delete(s.queue, at, at+1)
		if a.least() > s.best+slack || a.edits >= maxEdits {
			continue
		}
		s.step(a)
		if a.tried == 0 {
			a.tried = cheap
			s.queue = append(s.queue, a)
		}
	}
}

// probe reads a text, within the bounds.
func (s *search) probe(text string) (left int, ok bool) {
	s.probes++
	s.words += len(text) / 4
	return parser.Probe(text)
}

// step tries the edits of one text.
func (s *search) step(a attempt) {
	words := parser.Words(a.draft.text)
	for _, p := range proposals(a.draft.text, words, len(words)-a.left) {
		if (a.tried > 0) != (p.cost > cheap) {
			continue // its turn is another time
		}
		cost := a.cost + p.cost
		if cost > min(s.best+slack, maxCost) {
			continue
		}
		if s.probes >= maxProbes || s.words >= maxProbedWords {
			return
		}
		text := a.draft.text[:p.start] + p.text + a.draft.text[p.end:]
		if s.seen[text] {
			continue
		}
		s.seen[text] = true
		left, ok := s.probe(text)
		if most := a.left - p.removed; !ok && (p.behind == 0 && left >= most || p.behind > 0 && left >= p.behind-1) {
			continue // it got no further
		}
		d := a.draft.clone()
		d.apply([]edit{p.edit})
		next := attempt{draft: d, cost: cost, left: left, edits: a.edits + 1, rewrites: a.rewrites}
		if p.class != "keyword" {
			next.rewrites++
		}
		if ok {
			s.best = min(s.best, cost)
			s.solutions = append(s.solutions, next)
			continue
		}
		s.queue = append(s.queue, next)
	}
}

// choose takes the solution that costs least with the mistakes that the resolver finds
// in it. Others that are as likely, and mean something else, are candidates, and then
// nothing is certain.
func (e *engine) choose(ctx context.Context, solutions []attempt) (bool, error) {
	slices.SortStableFunc(solutions, func(a, b attempt) int { return cmp.Compare(a.cost, b.cost) })
	type weighed struct {
		attempt
		meaning string
	}
	var all []weighed
	for _, a := range solutions[:min(len(solutions), maxWeighed)] {
		now, err := e.read(ctx, a.draft.text)
		if err != nil {
			return false, err
		}
		if now == nil {
			continue
		}
		if now.found > 0 && throwsAway(a.draft) {
			continue // throwing words away has to make a statement valid at least
		}
		a.cost += wrongName * float64(now.found)
		all = append(all, weighed{a, Meaning(now.stmt, now.resolution)})
	}
	if len(all) == 0 {
		return false, nil
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(a.cost, b.cost) })
	best := all[0]
	if best.rewrites > 2 {
		best.draft.doubt(0.85) // a text that far from any statement may be another one
	}
	for _, other := range all[1:] {
		if other.meaning == best.meaning || other.cost-best.cost > alike {
			continue
		}
		best.draft.doubt(likely)
		if len(e.candidates) < e.MaxCandidates {
			e.candidates = append(e.candidates, Candidate{Text: other.draft.text, Changes: other.draft.sorted()})
		}
	}
	e.draft = best.draft
	return true, nil
}

func throwsAway(d *draft) bool {
	return slices.ContainsFunc(d.changes, func(c Change) bool { return c.Class.ID == "stray_word" })
}

// likely is the confidence of what has rivals.
const likely = 0.6

// doubt lowers the confidence of all changes.
func (d *draft) doubt(most float64) {
	for i := range d.changes {
		d.changes[i].Confidence = min(d.changes[i].Confidence, most)
	}
}

// rearrange is for words that are wrong and yet can be read: a misspelt key word that
// was taken for the name of a column or table, as INNR in FROM a INNR JOIN b, and
// neighbours in the wrong order near what the resolver finds, as in avg() x for avg(x).
// It is one where nothing is wrong afterwards.
func (e *engine) rearrange(ctx context.Context, now *reading) (bool, error) {
	e.corrected = true
	text := e.draft.text
	words := parser.Words(text)
	if len(words) > maxProbes {
		return false, nil
	}
	p := proposer{text: text, words: words}
	for _, d := range now.diagnostics[:min(len(now.diagnostics), near)] {
		if d.Code != resolve.FunctionNotFound {
			continue // elsewhere another order means another thing
		}
		span := d.Node.Span()
		for i, w := range words {
			if w.Start >= span.Start {
				p.stuck = i + 2
				p.swapped()
				break
			}
		}
	}
	p.stuck = len(words)
	for i, w := range words {
		if w.Kind == parser.WordName && i > 0 {
			for _, key := range keysNear(text[w.Start:w.End]) {
				p.add("keyword", w.Start, w.End, key.text(text[w.Start:w.End]), key.cost, 0.93, 0)
			}
		}
	}
	var solutions []attempt
	for _, proposal := range p.out[:min(len(p.out), maxProbes)] {
		d := e.draft.clone()
		d.apply([]edit{proposal.edit})
		if _, ok := parser.Probe(d.text); !ok {
			continue
		}
		read, err := e.read(ctx, d.text)
		if err != nil {
			return false, err
		}
		if read != nil && len(read.diagnostics) == 0 {
			solutions = append(solutions, attempt{draft: d, cost: proposal.cost})
		}
		if len(solutions) >= maxWeighed {
			break
		}
	}
	return e.choose(ctx, solutions)
}

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
			p.remove("repeated_word", i, 0.8, 0.95)
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
		p.add("word_order", a.Start, b.End, p.text[b.Start:b.End]+between+p.text[a.Start:a.End], 1.3, 0.92, 0)
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

// keyWords are the key words of queries that are misspelt.
var keyWords = strings.Fields(`SELECT FROM WHERE GROUP BY ORDER HAVING LIMIT OFFSET JOIN LEFT RIGHT INNER OUTER FULL CROSS ON USING
	AND OR NOT IN BETWEEN LIKE IS NULL AS DISTINCT CASE WHEN THEN ELSE END UNION ALL INTERSECT EXCEPT WITH EXISTS ASC DESC CAST TRY_CAST
	OVER PARTITION INTERVAL DATE TIMESTAMP VALUES UNNEST FETCH FIRST ROWS ROW ONLY TRUE FALSE EXTRACT FILTER NULLS LAST RECURSIVE
	PRECEDING FOLLOWING UNBOUNDED CURRENT RANGE ESCAPE LATERAL TABLESAMPLE ROLLUP CUBE GROUPING SETS WITHIN`)

// keyWord is a key word that a word is nearly.
type keyWord struct {
	word string
	cost float64
}

// text is the key word in the case of what was written.
func (k keyWord) text(written string) string {
	if written == strings.ToLower(written) {
		return strings.ToLower(k.word)
	}
	return k.word
}

// keysNear are the key words that a word is one or two letters away from. A swap of
// neighbours counts as one.
func keysNear(word string) []keyWord {
	word = strings.ToUpper(word)
	var out []keyWord
	for _, k := range keyWords {
		if word == k || len(word) > len(k)+2 || len(k) > len(word)+2 || len(word) < 2 && len(k) > 2 {
			continue
		}
		d := spelling.Distance(word, k)
		switch {
		case d == 1 && len(k) > 3:
			out = append(out, keyWord{k, 0.9})
		case d == 1:
			out = append(out, keyWord{k, 1.1})
		case d == 2 && len(k) > 4:
			out = append(out, keyWord{k, 1.4})
		}
	}
	return out
}
