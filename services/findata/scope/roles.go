package scope

import (
	"regexp"
	"slices"
	"strings"
)

// weighRoles sets how much each span counts by what it does in the question. The
// spans are in the text's order and do not overlap.
func (c *Clarifier) weighRoles(text string, spans []*span) {
	f := c.file.Roles
	isRanking := false  // something before the span is ranked by it
	isMeasured := false // something before the span is what is measured
	for i, s := range spans {
		before, after := text[:s.start], text[s.end:]
		s.role = 1
		switch {
		case i > 0 && matches(c.patterns.rankedBy, before):
			isRanking = true
		case matches(c.patterns.measured, before):
			isMeasured = true // "the share of GMV from": no object of it
		case i > 0 && matches(c.patterns.rankedAfter, before):
			s.role = f.Ranked
		case i > 0 && spans[i-1].role < 1 && matches(c.patterns.both, gap(text, spans[i-1], s)):
			s.role = spans[i-1].role // "by seller and buyer"
		case i > 0 && spans[i-1].role < 1 && s.sharesMart(spans[i-1]) && matches(c.patterns.joins, gap(text, spans[i-1], s)):
			s.role = spans[i-1].role // one phrase: "from cross-border sellers"
		case matches(c.patterns.dimensionBefore, before), matches(c.patterns.dimensionAfter, after):
			s.role = f.Dimension
		case i > 0 && matches(c.patterns.objectBefore, before):
			s.role = f.Object
			if isMeasured {
				s.role = f.Dimension
			}
		}
		if i+1 < len(spans) && matches(c.patterns.joins, gap(text, s, spans[i+1])) && !s.sharesMart(spans[i+1]) {
			s.role *= f.Modifier
		}
		if isRanking {
			for _, ranked := range spans[:i] {
				ranked.role = min(ranked.role, f.Ranked)
			}
		}
	}
	c.setAside(text, spans)
}

// setAside weakens what stands in sentences beside the one that asks: those with a
// question mark, else the last.
func (c *Clarifier) setAside(text string, spans []*span) {
	ends := sentenceEnd.FindAllStringIndex(text, maxSentences)
	type sentence struct {
		end  int
		asks bool
	}
	var sentences []sentence
	anyAsks := false
	for _, at := range ends {
		asks := strings.ContainsAny(text[at[0]:at[1]], "?？")
		sentences, anyAsks = append(sentences, sentence{at[0], asks}), anyAsks || asks
	}
	if len(ends) == 0 || ends[len(ends)-1][1] < len(strings.TrimRight(text, " ")) {
		sentences = append(sentences, sentence{len(text), !anyAsks})
	} else if !anyAsks {
		sentences[len(sentences)-1].asks = true
	}
	for _, s := range spans {
		i := slices.IndexFunc(sentences, func(o sentence) bool { return s.end <= o.end })
		if i >= 0 && !sentences[i].asks {
			s.role *= c.file.Aside
		}
	}
}

// sentenceEnd is the mark at the end of a sentence; a full stop only where another
// sentence begins.
var sentenceEnd = regexp.MustCompile(`[?!。？！\n]+|\.\s+[A-Z\p{Han}]|\.\s*$`)

// maxSentences bounds how many are told apart.
const maxSentences = 20

// together returns the marts of which the question asks for each: they are joined
// by "and", or the question is how they hang together.
func (c *Clarifier) together(text string, spans []*span) map[string]bool {
	marts := make(map[string]bool)
	related, lacking := matches(c.patterns.related, text), matches(c.patterns.lacking, text)
	actors := c.actors
	if lacking {
		actors = nil // who lacks something is asked for, people too
	}
	for i, s := range spans {
		for _, o := range spans[i+1:] {
			if !s.tells(actors) || !o.tells(actors) || s.sharesMart(o) {
				continue
			}
			joined := s.role == 1 && o.role == 1 && matches(c.patterns.both, gap(text, s, o))
			if joined || related || lacking {
				marts[s.best()], marts[o.best()] = true, true
			}
		}
	}
	return marts
}

// tells reports whether a span speaks for one mart, and is more than the people of
// another word.
func (s *span) tells(actors map[string]bool) bool {
	return s.called && len(s.claims) == 1 && !actors[strings.ToLower(s.surface)]
}

// best is the mart that a span speaks for most.
func (s *span) best() string {
	best := ""
	for mart, claim := range s.claims {
		if best == "" || claim > s.claims[best] || claim == s.claims[best] && mart < best {
			best = mart
		}
	}
	return best
}

// gap is what stands between two spans; "," where they overlap.
func gap(text string, a, b *span) string {
	if b.start < a.end {
		return ","
	}
	return text[a.end:b.start]
}

// sharesMart reports whether two spans speak for one mart: then neither is the
// other's modifier.
func (s *span) sharesMart(o *span) bool {
	for mart := range s.claims {
		if _, ok := o.claims[mart]; ok {
			return true
		}
	}
	return false
}

func matches(patterns []*regexp.Regexp, text string) bool {
	return slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.MatchString(text) })
}
