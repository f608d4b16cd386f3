package metric

import (
	"fmt"
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// moved reads "lost the most", which is about how much, not about the rate.
func (r *reader) moved(found []*unit) {
	change := unit{tokens: found[0].tokens, tags: []lexicon.Tag{{Name: "growth", Arg: found[0].arg("moves")}}}
	r.grows(&change)
	r.phrase(found[1])
	r.absolute = true
}

// prior reads "the 30 days before": as much time as is asked for, right before it.
func (r *reader) prior(found []*unit) {
	n, unit := found[1].amount.value, found[2].arg("unit")
	r.priorText = n.RatString() + " " + unit
	if r.back == "" {
		r.back = "previous"
	}
	r.versus = true
	r.span(found[1], "comparison", "against the "+r.priorText+" before")
}

// priorFits reports whether the time before is as long as the question's.
func (r *reader) priorFits() bool {
	if r.priorText == "" {
		return true
	}
	if r.dated == nil {
		return false
	}
	f := *r.dated
	units := []string{fmt.Sprint(length(f), " day")}
	if f.Unit != "" {
		units = append(units, fmt.Sprint(f.N, " ", f.Unit))
	}
	if own := spanUnit(f); own != "" {
		units = append(units, "1 "+own)
	}
	return slices.Contains(units, r.priorText)
}

// ofOther reports whether a share is that of the figure in the other period, not of
// the whole: 去年同期的百分之几, "as a percentage of last year's".
func (r *reader) ofOther() bool {
	other := func(u *unit) bool { return u.is("back") || u.is("same") || u.date != nil && u.date == r.base }
	for i := r.share; i < len(r.units); i++ {
		if u := &r.units[i]; !u.idle() {
			if other(u) {
				return true
			}
			break
		}
	}
	for i := r.share - 2; i >= 0; i-- {
		if u := &r.units[i]; !u.idle() && !u.is("zh-de") {
			return u.tokens[0].Kind == token.Han && other(u)
		}
	}
	return false
}

// metricsOf are the metrics of some outputs, each once.
func (n *Names) metricsOf(outputs []intent.Output) []string {
	var ids []string
	for _, o := range outputs {
		if !slices.Contains(ids, o.ID) {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// towards turns "better" and "worse" of the first metric into up and down.
func (r *reader) towards(way string) string {
	if way != "better" && way != "worse" {
		return way
	}
	desc, known := r.descending(map[string]string{"better": "best", "worse": "worst"}[way], r.out.Intent.Select[0].ID)
	switch {
	case !known:
		r.doubt("better or worse of a metric without a good direction")
		return ""
	case desc:
		return "up"
	}
	return "down"
}
