package metric

import (
	"time"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/followup"
)

// Pieces links the names and times of a text that is no whole question, as those of
// questions are linked: for follow-ups.
func (n *Names) Pieces(text string, dr *dates.Reader, now time.Time) []followup.Piece {
	var out []followup.Piece
	units := n.link(text, dr.Find(text, now))
	for i := range units {
		u := &units[i]
		p := followup.Piece{Start: u.start(), End: u.end(), Date: u.date}
		if u.date == nil {
			for _, m := range u.meanings {
				p.Names = append(p.Names, followup.Name{Kind: followup.NameKind(m.kind), ID: m.id, Value: m.value})
			}
		}
		if p.Date != nil || len(p.Names) > 0 {
			out = append(out, p)
		}
	}
	return out
}
