package answer

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/services/findata/filter"
)

// maxMatches bounds the words named in one reason.
const maxMatches = 4

// Reasons says why a table is shown, a clause each, most important first.
func (w *Writer) Reasons(l lang.Language, c filter.Chosen, evidence []retrieval.Evidence, now time.Time) []string {
	t := c.Table
	var reasons []string
	say := func(key string, kv ...string) { reasons = append(reasons, w.Say(l, key, kv...)) }
	switch {
	case c.Named:
		say("named")
	case c.JoinedBy > 0 && c.Key == "":
		say("together", "table", c.JoinedWith.String(), "n", count(c.JoinedBy))
	case c.JoinedBy > 0:
		say("joined_by", "table", c.JoinedWith.String(), "key", c.Key, "n", count(c.JoinedBy))
	case c.JoinedWith.Table != "":
		say("joined", "table", c.JoinedWith.String(), "key", c.Key)
	case c.Instead.Table != "":
		say("instead", "table", c.Instead.String())
	case c.Replaces.Table != "":
		say("replaces", "table", c.Replaces.String())
	}
	reasons = append(reasons, w.meanings(l, evidence)...)
	if matches := w.matches(l, t.Mart, evidence); matches != "" {
		reasons = append(reasons, matches)
	}
	if c.Country != "" {
		if c.ByUser {
			say("country_user", "country", c.Country)
		} else {
			say("country", "country", c.Country)
		}
	}
	for _, f := range c.Facets {
		if what := w.facets[f.Facet.String()][f.Value].in(l); what != "" {
			say("facet", "what", what)
		}
	}
	if t.Successor != "" {
		say("deprecated", "table", t.Successor)
	}
	if t.QueryCount30d > 0 {
		say("queries", "n", count(t.QueryCount30d))
	}
	if p := t.PartitionColumns(); len(p) > 0 {
		say("partitioned", "columns", strings.Join(p, ", "))
	}
	if !t.UpdatedAt.IsZero() {
		say("refreshed", "ago", w.Ago(l, now.Sub(t.UpdatedAt)))
	}
	if len(reasons) == 0 {
		say("whole_source")
	}
	return reasons
}

// meanings names what of the semantic layer the question asks for: "has the metric
// GMV (revenue)".
func (w *Writer) meanings(l lang.Language, evidence []retrieval.Evidence) []string {
	var reasons []string
	var told []*retrieval.Meaning
	for _, e := range evidence {
		if e.Meaning == nil || slices.Contains(told, e.Meaning) || len(told) == maxMatches {
			continue
		}
		told = append(told, e.Meaning)
		var words []string
		for _, other := range evidence {
			if other.Meaning == e.Meaning {
				words = append(words, other.Concept.Surface)
			}
		}
		word := strings.Join(words, l.Pick(" ", ""))
		name := cmp.Or(e.Meaning.Names[l], e.Meaning.Names[lang.English], e.Meaning.Names[lang.Chinese], word)
		if !strings.EqualFold(name, word) {
			name = w.Say(l, "called", "name", name, "word", word)
		}
		key := "has_dimension"
		switch {
		case e.Meaning.Metric:
			key = "has_metric"
		case e.Meaning.Queried:
			key = "queries_call"
		}
		reasons = append(reasons, w.Say(l, key, "name", name))
	}
	return reasons
}

// matches names the words that were found in a table of a mart: "matches GMV by
// synonym 销售额, seller". A business word of another mart and a translation are not
// what the table has: the word alone is named.
func (w *Writer) matches(l lang.Language, mart string, evidence []retrieval.Evidence) string {
	var parts []string
	for _, e := range evidence {
		if len(parts) == maxMatches {
			break
		}
		if e.Meaning != nil {
			continue // told by itself
		}
		surface := e.Concept.Surface
		var part string
		switch {
		case term(e, mart) != "":
			if part = w.Say(l, "match_word", "word", surface); !strings.EqualFold(term(e, mart), surface) {
				part = w.Say(l, "match_synonym", "term", term(e, mart), "word", surface)
			}
		case e.Entry != "" && !strings.EqualFold(e.Entry, surface) && lang.Detect(e.Entry) == l:
			part = w.Say(l, "match_synonym", "term", e.Entry, "word", surface)
		default:
			part = w.Say(l, "match_word", "word", surface)
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return w.Say(l, "matches", "words", strings.Join(parts, l.Pick(", ", "、")))
}

// term is the business word that a word of the question stands for in a mart; "" for
// none.
func term(e retrieval.Evidence, mart string) string {
	for _, t := range e.Concept.Glossary {
		if t.Mart == "" || t.Mart == mart {
			return t.Term
		}
	}
	return ""
}

// maxAbout is how many characters of a description a line has at most.
const maxAbout = 300

// About is a line on a table for lists: what it is, in l.
func About(t *catalog.Table, l lang.Language) string {
	return lang.Shorten(lang.OneLine(firstSentence(InLanguage(t.Description, l))), maxAbout)
}
