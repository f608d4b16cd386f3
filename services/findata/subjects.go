package findata

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/retrieval"
)

// keepSubjects leaves of the content of a question for data as such what can name a subject.
// A word that is hardly ever a noun, and a Chinese character by itself, name one only where a
// table, a column, a business word or a value is called so: "ready" and 取 are said around any
// subject, "paid" may be the name of a column.
func (w *search) keepSubjects() {
	if !w.asksForDataAsSuch() {
		return
	}
	var called map[retrieval.Span]bool
	all := slices.Clone(w.question.Content)
	w.question.Content = slices.DeleteFunc(w.question.Content, func(c retrieval.Concept) bool {
		if len(c.Glossary) > 0 || !standsAlone(c, all) && !w.about.isNotNoun(c.Surface) {
			return false
		}
		if called == nil {
			called = w.calledSo()
		}
		return !called[c.Span]
	})
}

// asksForDataAsSuch reports a question that asks for data as such, of a source whose business
// words tell what it is about.
func (w *search) asksForDataAsSuch() bool {
	return len(w.question.Bare) > 0 && len(w.question.Named) == 0 && !w.isSmall() && w.hasBusinessWords()
}

// standsAlone reports whether a concept is one Chinese character that no other one touches: two
// that do are a name that no dictionary has.
func standsAlone(c retrieval.Concept, all []retrieval.Concept) bool {
	return isOneHan(c.Surface) && !slices.ContainsFunc(all, func(o retrieval.Concept) bool {
		return o.Span.End == c.Span.Start || c.Span.End == o.Span.Start
	})
}

// calledSo are the places of the question by whose own words the best tables, or something
// in them, are called; what is said of them in sentences does not count.
func (w *search) calledSo() map[retrieval.Span]bool {
	called := make(map[retrieval.Span]bool)
	for _, r := range w.ranked[:min(len(w.ranked), looked)] {
		for _, e := range w.desk.volume.Corpus.Why(w.question.Query, r.Table) {
			called[e.Concept.Span] = called[e.Concept.Span] || e.Meaning != nil || e.Entry == "" && slices.Contains(callingFields, e.Field)
		}
	}
	return called
}

// callingFields are the fields of a table that hold what something is called.
var callingFields = []string{retrieval.FieldName, retrieval.FieldColumn, retrieval.FieldValue, retrieval.FieldMart, retrieval.FieldGlossary}

// namesNoSubject reports whether the question asks for data as such ("the figures", "something",
// 数据) and no word of it says of what: those that a table knows only say what they are split
// by, and the others where they are from, or by when.
func (w *search) namesNoSubject() bool {
	if !w.asksForDataAsSuch() {
		return w.namesValuesAlone()
	}
	known, called := w.knownSubjects(), w.martsCalled()
	return w.namesValuesAlone() || !slices.ContainsFunc(w.question.Content, func(c retrieval.Concept) bool {
		before := w.question.Text[:c.Span.Start]
		if known[c.Span] || len(c.Glossary) > 0 || c.Within(called) {
			return !splits(before) || rowBefore.MatchString(before)
		}
		return !asideBefore.MatchString(before)
	})
}

// namesValuesAlone reports whether all that the tables know of the question are values that those
// of several marts store ("ios vs android", "came by search ads"): they say of what figures are a part, and
// not what they are of.
func (w *search) namesValuesAlone() bool {
	if len(w.question.Content) == 0 || len(w.question.Named) > 0 || w.isSmall() || !w.hasBusinessWords() || w.callsMart() {
		return false
	}
	marts := make(map[string]bool)
	for _, r := range w.ranked[:min(len(w.ranked), looked)] {
		stored := make(map[retrieval.Span]bool)
		for _, e := range w.desk.volume.Corpus.Why(w.question.Query, r.Table) {
			if !slices.ContainsFunc(w.question.Content, func(c retrieval.Concept) bool { return c.Span == e.Concept.Span }) {
				continue
			}
			if e.Field != retrieval.FieldValue || e.Meaning != nil {
				if e.Share > bySynonym {
					return false
				}
				continue
			}
			stored[e.Concept.Span] = stored[e.Concept.Span] || e.Share > bySynonym && e.Entry == ""
		}
		if len(stored) == len(w.question.Content) {
			marts[martOf(r.Table)] = true
		}
	}
	return len(marts) > 1
}

// splits reports whether what is named behind a text is what figures are split by: "by day and" country. Behind
// another preposition it is of what they are: "by channel of" the sales.
func splits(before string) bool {
	m := splitBefore.FindStringSubmatch(before)
	return m != nil && !slices.ContainsFunc(strings.Fields(strings.ToLower(m[splitWords])), func(w string) bool {
		return slices.Contains([]string{"of", "for", "on", "in", "at", "from", "with", "the"}, strings.TrimSuffix(w, ","))
	})
}

// knownSubjects are the subjects of the question that one of the best tables knows by more
// than half.
func (w *search) knownSubjects() map[retrieval.Span]bool {
	known := make(map[retrieval.Span]bool)
	for _, r := range w.ranked[:min(len(w.ranked), looked)] {
		for _, e := range w.desk.volume.Corpus.Why(w.question.Query, r.Table) {
			known[e.Concept.Span] = known[e.Concept.Span] || e.Share > bySynonym
		}
	}
	return known
}

// splitWords is the group of splitBefore for what stands between.
const splitWords = 5

// What stands before a word that figures are split by (but for "one row per order", which says
// of what the rows are), and before one of where they are from or by when they are wanted.
var (
	splitBefore = regexp.MustCompile(`(?i)(\b(by|per|across|(for|of|in)\s+(each|every))\s+((?:[a-z]+(?:,|\s+and)?\s+){0,3})|按照?|分)$`)
	rowBefore   = regexp.MustCompile(`(?i)\brows?\s+(per|for\s+(each|every))\s+([a-z]+\s+)?$`)
	asideBefore = regexp.MustCompile(`(?i)\b(from|by|before|until|after|since)\s+((the|our|a|an|my|their|this|that)\s+)?$`)
)
