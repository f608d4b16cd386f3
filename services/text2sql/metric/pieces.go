package metric

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Pieces links the names and times of a text that is no whole question, as those of
// questions are linked: for follow-ups. Of what a name may stand for comes first what
// is nearest to the metrics of the intent before.
func (n *Names) Pieces(text string, prev *intent.Intent, dr *dates.Reader, now time.Time) []followup.Piece {
	r := reader{names: n, text: text, now: now, units: n.link(text, dr.Find(bare(text), now)), out: Reading{Intent: *prev}}
	var out []followup.Piece
	for i := range r.units {
		u := &r.units[i]
		p := followup.Piece{Start: u.start(), End: u.end(), Date: u.date}
		if u.date == nil {
			for _, m := range u.meanings {
				p.Names = append(p.Names, followup.Name{Kind: followup.NameKind(m.kind), ID: m.id, Value: m.value})
			}
			slices.SortStableFunc(p.Names, func(a, b followup.Name) int { return r.near(b) - r.near(a) })
		}
		if p.Date != nil || len(p.Names) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// near says how close a name is to the metrics, as where questions are split by it.
func (r *reader) near(n followup.Name) int {
	switch n.Kind {
	case followup.Entity:
		return 4*r.reach(n.ID) - 2
	case followup.Dimension, followup.Value:
		near := 4 * r.nearness(n.ID)
		if r.akin(n.ID) {
			near++
		}
		if r.labels(n.ID) {
			near -= 4
		}
		return near
	}
	return 0
}
