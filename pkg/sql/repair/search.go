package repair

import (
	"cmp"
	"context"
	"slices"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// What cannot be read is corrected word by word: a search for the cheapest edits of
// words after which the parser reads the whole. It is the repair of errors by minimum
// cost that is known of compilers (Corchuelo et al., "Repairing syntax errors in LR
// parsers", 2002; Diekmann and Tratt, "Don't Panic!", 2020), tried on the text rather
// than on a parser's stack, because the reader takes only microseconds a statement.
//
// A step tries each edit (proposals) near the word that does not fit. One that lets
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
