package scope

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
)

// span is a place of the question with the marts that it speaks for.
type span struct {
	start, end int
	surface    string
	claims     map[string]float64 // by mart
	term       map[string]bool    // marts of which it is a business word
	called     bool               // a mart calls itself by it, or people call such marts so
	own        bool               // a mart calls itself by it
	role       float64
}

// weighed is a mart with its evidence.
type weighed struct {
	mart   string
	score  float64
	words  []string // of the question that speak for it
	called bool     // the question has a word of the mart's own
	and    bool     // asked for together with others
	tie    string   // the tie-breaker that decided for it: a key of the messages
}

// weigh adds up the evidence for each visible mart, best first.
func (c *Clarifier) weigh(r Request, spans []*span, marts map[string]catalog.Mart) []weighed {
	by := make(map[string]*weighed)
	add := func(mart string, score float64, word string) {
		if _, visible := marts[mart]; !visible || score == 0 {
			return
		}
		if by[mart] == nil {
			by[mart] = &weighed{mart: mart}
		}
		w := by[mart]
		w.score += score
		if word != "" && !slices.Contains(w.words, word) {
			w.words = append(w.words, word)
		}
	}
	for _, phrase := range c.phrases(r.Question.Text, spans) {
		given := make(map[string]float64)
		for _, s := range phrase {
			for mart, share := range s.shares() {
				// Of one phrase the best word counts whole, the others less.
				have := given[mart]
				given[mart] = max(have, share) + c.file.Weights.Phrase*min(have, share)
				add(mart, given[mart]-have, s.surface)
				if w := by[mart]; w != nil && (s.called || s.term[mart]) {
					w.called = true
				}
			}
		}
	}
	for mart, share := range c.tableShares(r) {
		add(mart, c.file.Weights.Tables*share, "")
	}
	together := c.together(r.Question.Text, spans)
	out := make([]weighed, 0, len(by))
	for _, w := range by {
		w.and = together[w.mart]
		out = append(out, *w)
	}
	slices.SortFunc(out, func(a, b weighed) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.mart, b.mart)) })
	return out
}

// allSpans are the places of the question that speak for marts, in its order, with
// their roles.
func (c *Clarifier) allSpans(r Request, marts map[string]catalog.Mart) []*span {
	spans := c.spans(r, marts)
	spans = append(spans, c.columnSpans(r, marts, spans)...)
	slices.SortFunc(spans, func(a, b *span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	c.weighRoles(r.Question.Text, spans)
	return spans
}

// shares divides what a span is worth among the marts that claim it, most to those
// that claim it most.
func (s *span) shares() map[string]float64 {
	var all, most float64
	for _, claim := range s.claims {
		all += claim * claim
		most = max(most, claim)
	}
	shares := make(map[string]float64, len(s.claims))
	for mart, claim := range s.claims {
		shares[mart] = s.role * most * claim * claim / all
	}
	return shares
}

// phrases puts together the spans that nothing stands between.
func (c *Clarifier) phrases(text string, spans []*span) [][]*span {
	var phrases [][]*span
	for i, s := range spans {
		if i > 0 && matches(c.patterns.joins, gap(text, spans[i-1], s)) {
			last := len(phrases) - 1
			phrases[last] = append(phrases[last], s)
			continue
		}
		phrases = append(phrases, []*span{s})
	}
	return phrases
}

// longest leaves out the spans inside of others. What they say for a mart that the
// longer one speaks for makes that surer.
func (c *Clarifier) longest(spans []*span) []*span {
	var out []*span
	for _, s := range spans {
		i := slices.IndexFunc(spans, func(o *span) bool {
			return o.start <= s.start && s.end <= o.end && o.end-o.start > s.end-s.start
		})
		if i < 0 {
			out = append(out, s)
			continue
		}
		for mart := range s.claims {
			if spans[i].claims[mart] > 0 {
				spans[i].claims[mart] += c.file.Weights.Both
			}
		}
	}
	return out
}

// columnSpans are the subjects that no mart calls its own but that tables found
// know: the better a mart's best table knows one, the more it speaks for the mart.
// A business word of one mart that tables of others know is shared with these.
func (c *Clarifier) columnSpans(r Request, marts map[string]catalog.Mart, taken []*span) []*span {
	worth := make(map[retrieval.Span]map[string]float64)
	surface := make(map[retrieval.Span]string)
	isValue := make(map[retrieval.Span]bool)
	for _, found := range r.Ranked[:min(len(r.Ranked), c.file.Looked)] {
		mart := found.Table.Mart
		if _, visible := marts[mart]; !visible {
			continue
		}
		for _, e := range r.Volume.Corpus.Why(r.Question.Query, found.Table) {
			at := e.Concept.Span
			if e.Field == retrieval.FieldLayer {
				continue // no mart is told by the code of a layer
			}
			isSubject := slices.ContainsFunc(r.Question.Content, func(s retrieval.Concept) bool { return s.Span == at })
			if !isSubject || slices.ContainsFunc(taken, func(s *span) bool {
				return s.start < at.End && at.Start < s.end && (s.called || s.start != at.Start || s.end != at.End)
			}) {
				continue
			}
			if worth[at] == nil {
				worth[at], surface[at] = make(map[string]float64), e.Concept.Surface
			}
			if e.Worth > worth[at][mart] {
				worth[at][mart], isValue[at] = e.Worth, e.Field == retrieval.FieldValue
			}
		}
	}
	var spans []*span
	for at, of := range worth {
		most := slices.Max(slices.Collect(maps.Values(of)))
		s := &span{start: at.Start, end: at.End, surface: surface[at], claims: make(map[string]float64), term: make(map[string]bool)}
		for mart, w := range of {
			// Squared: a mart that knows a word half as well is hardly meant.
			s.claims[mart] = c.file.Weights.Columns * (w / most) * (w / most)
			if isValue[at] { // a value is what figures are of, not which figures
				s.claims[mart] *= c.file.Roles.Dimension
			}
		}
		if i := slices.IndexFunc(taken, func(t *span) bool { return t.start == s.start && t.end == s.end }); i >= 0 {
			for mart, claim := range s.claims {
				taken[i].claims[mart] = max(taken[i].claims[mart], c.file.Weights.Others*claim)
			}
			continue
		}
		spans = append(spans, s)
	}
	return joined(r.Question.Text, spans)
}

// joined makes one span of those that overlap, as pairs of Chinese characters do.
func joined(text string, spans []*span) []*span {
	slices.SortFunc(spans, func(a, b *span) int { return cmp.Compare(a.start, b.start) })
	var out []*span
	for _, s := range spans {
		if n := len(out); n > 0 && s.start < out[n-1].end {
			last := out[n-1]
			last.end = max(last.end, s.end)
			last.surface = text[last.start:last.end]
			for mart, claim := range s.claims {
				last.claims[mart] = max(last.claims[mart], claim)
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// tableShares is the share of each mart in the best tables found: by rank and by
// how much of the question they know. Of a family the first counts.
func (c *Clarifier) tableShares(r Request) map[string]float64 {
	shares := make(map[string]float64)
	families := make(map[string]bool)
	var best, sum float64
	for _, t := range r.Ranked[:min(len(r.Ranked), c.file.Looked)] {
		best = max(best, t.Coverage)
	}
	for _, t := range r.Ranked[:min(len(r.Ranked), c.file.Looked)] {
		family := strings.ToLower(cmp.Or(t.Table.Manifest, t.Table.Name.Table))
		if families[family] || best == 0 {
			continue
		}
		families[family] = true
		worth := t.Coverage / best * t.Coverage / best / float64(len(families))
		shares[t.Table.Mart] += worth
		sum += worth
		if len(families) == c.file.TopTables {
			break
		}
	}
	for mart := range shares {
		shares[mart] /= sum
	}
	return shares
}
