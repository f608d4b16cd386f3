package findata

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/services/findata/answer"
	"github.com/dibrain/dibrain/services/findata/filter"
	"github.com/dibrain/dibrain/services/findata/rank"
)

// excluded says what keeps a table out of a list.
type excluded int

const (
	listed excluded = iota
	excludedUnknown
	excludedRegion
	excludedFamily
	excludedMart
	excludedNoMatch
	excludedRank
)

// explanation says why a table is where it is in a ranking.
type explanation struct {
	Table    string // as written
	Found    bool
	Rank     int // from 1; 0: not ranked
	Score    float64
	Features map[string]float64
	Reasons  []string
	Missing  []string // words of the question that it does not know
	Excluded excluded
	Message  string
	Instead  string // the table that stands in its place
	Near     []catalog.Name
}

// explainTable says why a table is in the list or is not: list is all that is
// shown, over all pages, first is how many of them the asker sees. A table that the
// asker may not see is explained as one that does not exist.
func (w *search) explainTable(written, mart string, list []filter.Chosen, first int) explanation {
	e := explanation{Table: written}
	name, err := catalog.ParseName(written)
	if err != nil {
		e.Excluded, e.Message = excludedUnknown, w.say("unknown_table", "name", written)
		return e
	}
	t, ok := lookup(w.desk.view, name)
	if !ok {
		e.Excluded, e.Near = excludedUnknown, w.desk.view.Near(name, w.config().MaxNear)
		e.Message = w.unknownName(written, e.Near)
		return e
	}
	e.Found = true
	w.weighTable(&e, t)
	e.Rank = 1 + slices.IndexFunc(list, func(c filter.Chosen) bool { return c.Table.Name == t.Name })
	w.findExclusion(&e, t, mart, list, first)
	return e
}

// weighTable tells what speaks for a table.
func (w *search) weighTable(e *explanation, t *catalog.Table) {
	clean := w.desk.table(t)
	evidence := w.desk.volume.Corpus.Why(w.question.Query, t)
	chosen := filter.Chosen{Ranked: rank.Ranked{Table: &clean}}
	for _, n := range w.question.Named {
		chosen.Named = chosen.Named || slices.Contains(n.Tables, t)
	}
	e.Reasons = w.writer.Reasons(w.question.Language, chosen, w.telling(evidence), w.now)
	e.Missing = missing(w.question.Content, evidence)
	e.Features = make(map[string]float64)
	for i, v := range w.features[t] {
		if v != 0 {
			e.Features[retrieval.FeatureNames()[i]] = v
		}
	}
	if i := slices.IndexFunc(w.ranked, func(r rank.Ranked) bool { return r.Table == t }); i >= 0 {
		e.Score = w.ranked[i].Score
		for list, v := range w.ranked[i].Parts.All() {
			e.Features["list."+list] = v
		}
	}
}

// missing are the subjects of a question that the evidence for a table lacks.
func missing(content []retrieval.Concept, evidence []retrieval.Evidence) []string {
	var words []string
	for _, c := range content {
		known := slices.ContainsFunc(evidence, func(e retrieval.Evidence) bool { return e.Concept.Span == c.Span })
		if !known && !slices.Contains(words, c.Surface) {
			words = append(words, c.Surface)
		}
	}
	return words
}

// findExclusion says what keeps a table from being shown.
func (w *search) findExclusion(e *explanation, t *catalog.Table, mart string, list []filter.Chosen, first int) {
	family := w.desk.view.Family(t)
	inFamily := slices.IndexFunc(list, func(c filter.Chosen) bool {
		return slices.ContainsFunc(family, func(f *catalog.Table) bool { return f.Name == c.Table.Name })
	})
	switch {
	case e.Rank > 0 && e.Rank <= first:
		e.Message = w.say("why_listed", "rank", fmt.Sprint(e.Rank))
	case mart != "" && !strings.EqualFold(t.Mart, mart):
		e.Excluded, e.Message = excludedMart, w.say("why_mart", "mart", mart)
	case !w.folder.Keep(t):
		e.Excluded, e.Message = excludedRegion, w.say("why_region", "country", strings.Join(w.question.Countries, ", "))
	case inFamily >= 0 && e.Rank == 0:
		e.Excluded, e.Instead = excludedFamily, list[inFamily].Table.Name.String()
		e.Message = w.say("why_family", "table", e.Instead, "rank", fmt.Sprint(inFamily+1))
	case len(w.desk.volume.Corpus.Why(w.question.Query, t)) == 0:
		e.Excluded, e.Message = excludedNoMatch, w.say("why_no_match")
	case e.Rank > 0 && len(list) > 0:
		e.Excluded, e.Instead = excludedRank, list[0].Table.Name.String()
		e.Message = w.say("why_rank", "rank", fmt.Sprint(e.Rank), "table", e.Instead)
	default:
		e.Excluded, e.Message = excludedRank, w.say("why_far")
	}
}

// unknownName says that there is no such table.
func (w *search) unknownName(name string, near []catalog.Name) string {
	if len(near) == 0 {
		return w.say("unknown_table", "name", name)
	}
	names := make([]string, 0, len(near))
	for _, n := range near {
		names = append(names, n.String())
	}
	return w.say("unknown_near", "name", name, "near", strings.Join(names, ", "))
}

// show is a chosen table as the asker sees it.
func (w *search) show(c filter.Chosen) answer.Shown {
	evidence := w.desk.volume.Corpus.Why(w.question.Query, c.Table)
	clean := w.desk.table(c.Table)
	c.Table = &clean
	return answer.Shown{Chosen: c, Reasons: w.writer.Reasons(w.question.Language, c, w.telling(evidence), w.now)}
}
