package facet

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog/mark"
)

const (
	// mostBytes bounds the part of a question that is read.
	mostBytes = 4096
	// mostThrough is how many words may stand between a negation and its object.
	mostThrough = 4
)

// Reader reads the facets of questions. It never changes and may be used
// concurrently.
type Reader struct {
	lexicon   *lexicon
	countries *Countries
}

// NewReader returns a reader of the embedded wordings.
func NewReader() (*Reader, error) {
	l, err := loadLexicon()
	if err != nil {
		return nil, err
	}
	c, err := NewCountries()
	if err != nil {
		return nil, err
	}
	return &Reader{lexicon: l, countries: c}, nil
}

// Read reads a question in English, Chinese or both. has says for which facets
// the catalog has tables, known for which countries; nil: for all.
func (r *Reader) Read(question string, has func(mark.Facet) bool, known func(code string) bool) Asked {
	question = head(question)
	tokens := r.lexicon.tokens(question)
	mentions := append(r.lexicon.find(tokens), r.lexicon.findChinese(question)...)
	for i := range mentions {
		mentions[i].Strength = 1
	}
	mentions = append(mentions, r.countries.find(question, tokens, known)...)
	mentions = slices.DeleteFunc(mentions, func(m Mention) bool { return m.Value == "" || has != nil && !has(m.Facet) })
	slices.SortStableFunc(mentions, func(a, b Mention) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Facet, b.Facet)) })
	r.negate(question, tokens, mentions)
	mentions = r.countries.narrow(question, tokens, mentions)
	a := Asked{Mentions: mentions, periods: periodsOf(tokens)}
	a.collect()
	return a
}

// Countries reads only the countries of a question, and the words for all of them.
func (r *Reader) Countries(question string, known func(code string) bool) []Mention {
	question = head(question)
	tokens := r.lexicon.tokens(question)
	mentions := r.countries.find(question, tokens, known)
	slices.SortStableFunc(mentions, func(a, b Mention) int { return cmp.Compare(a.Start, b.Start) })
	r.negate(question, tokens, mentions)
	return r.countries.narrow(question, tokens, mentions)
}

// head cuts a question that is too long, at the end of a character.
func head(question string) string {
	if len(question) <= mostBytes {
		return question
	}
	return strings.ToValidUTF8(question[:mostBytes], "")
}

// negate marks the mentions that follow a negation, and those that are listed
// with one that does ("without temporary or staging tables").
func (r *Reader) negate(question string, tokens []token, mentions []Mention) {
	for i := range mentions {
		m := &mentions[i]
		if m.first < 0 {
			m.Not = r.lexicon.isNegatedChinese(question[:m.Start])
		} else {
			m.Not = r.lexicon.isNegated(tokens, m.first)
		}
		if i > 0 && !m.Not && mentions[i-1].Not && mentions[i-1].End <= m.Start && !r.lexicon.isPrefixed(tokens, mentions[i-1].first) {
			m.Not = r.lexicon.isListed(strings.ToLower(question[mentions[i-1].End:m.Start]))
		}
	}
}

// isNegated looks back from a token for a negation with nothing of weight between.
func (l *lexicon) isNegated(tokens []token, at int) bool {
	for i, passed := at-1, 0; i >= 0 && passed <= mostThrough; i, passed = i-1, passed+1 {
		if tokens[i].after == apart {
			return false
		}
		if l.negation[tokens[i].word] {
			return true
		}
		for _, p := range l.phrases {
			if start := i + 1 - len(p); start >= 0 && p.match(tokens[start:]) == len(p) {
				return true
			}
		}
		if !l.through[tokens[i].word] {
			return false
		}
	}
	return false
}

// isPrefixed reports whether a word bears its negation itself, as "non-incremental"
// does, so that it does not reach to what is listed after it.
func (l *lexicon) isPrefixed(tokens []token, at int) bool {
	return at > 0 && tokens[at].start-tokens[at-1].end == 1 && l.prefixes[tokens[at-1].word]
}

func (l *lexicon) isNegatedChinese(before string) bool {
	const farthest = 24 // bytes: a negation and a verb
	before = strings.ToValidUTF8(before[max(0, len(before)-farthest):], "")
	return l.chineseNegations.MatchString(before)
}

// isListed reports whether what stands between two mentions joins them.
func (l *lexicon) isListed(between string) bool {
	for _, w := range strings.FieldsFunc(between, func(r rune) bool { return r == ' ' || r == ',' || r == '、' || r == '/' }) {
		if !l.joins[w] {
			return false
		}
	}
	return true
}

// longest keeps of overlapping mentions of one facet the longest; of equally long
// ones that which says that the words are a subject.
func longest(found []Mention) []Mention {
	slices.SortFunc(found, func(a, b Mention) int {
		return cmp.Or(
			cmp.Compare(b.End-b.Start, a.End-a.Start), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Facet, b.Facet), cmp.Compare(a.Value, b.Value),
		)
	})
	var kept []Mention
	for _, m := range found {
		if !slices.ContainsFunc(kept, func(k Mention) bool { return k.Facet == m.Facet && k.Start < m.End && m.Start < k.End }) {
			kept = append(kept, m)
		}
	}
	return kept
}

// periodsOf returns the years and dates among the tokens: "2016", "2016-08" as
// "201608", "2016-08-01" as "20160801".
func periodsOf(tokens []token) []string {
	var out []string
	for i := 0; i < len(tokens); i++ {
		if !isYear(tokens[i].word) && !isLongDate(tokens[i].word) {
			continue
		}
		out = append(out, tokens[i].word)
		date := tokens[i].word
		for j := i + 1; j < len(tokens) && j <= i+2 && len(date) < 8 && isTwoDigits(tokens[j].word); j++ {
			date += tokens[j].word
			out = append(out, date)
		}
	}
	return out
}

func isLongDate(s string) bool {
	return (len(s) == 6 || len(s) == 8) && isDigits(s) && isYear(s[:4])
}

func isYear(s string) bool {
	return len(s) == 4 && isDigits(s) && (s[:2] == "19" || s[:2] == "20" || s[:2] == "18")
}

func isTwoDigits(s string) bool { return len(s) == 2 && isDigits(s) }

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
