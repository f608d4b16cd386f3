package reader

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// Piece is a span of a question in one of its meanings.
type Piece struct {
	Text    string
	Kind    string // name, value, number, unit, period, grain, word, unknown
	Meaning string // what it may stand for, best first; empty for unknown ones
	Cost    float64
}

// Row is a way in which parts of the grammar cover a question.
type Row struct {
	Parts []string // each with the words that it covers: count [how many], name [finds]
	Cost  float64
}

// Bounds of what is shown of a question's way.
const (
	maxTracedHits = 3
	maxTracedRows = 3
)

// Pieces are what spans of the question may be, in its order. A word is unknown where
// nothing that is known stands in its place.
func (q *Question) Pieces() []Piece {
	l := q.lattice()
	known := make([]bool, len(l.tokens))
	for _, items := range l.at {
		for _, it := range items {
			for i := it.from; i < it.to && it.class != classUnknown; i++ {
				known[i] = true
			}
		}
	}
	var out []Piece
	for _, items := range l.at {
		at := slices.Clone(items)
		slices.SortStableFunc(at, func(a, b *item) int {
			return cmp.Or(cmp.Compare(b.to, a.to), cmp.Compare(a.cost, b.cost), cmp.Compare(a.class, b.class), cmp.Compare(a.meaning(), b.meaning()))
		})
		for _, it := range at {
			if it.class == classIgnored || it.class == classUnknown && slices.Contains(known[it.from:it.to], true) {
				continue
			}
			out = append(out, Piece{Text: it.text, Kind: string(it.class), Meaning: it.meaning(), Cost: it.cost})
		}
	}
	return out
}

// Rows are the likeliest ways in which the grammar covers the question.
func (q *Question) Rows() []Row {
	l := q.lattice()
	var out []Row
	for _, c := range q.reader.covers(l) {
		if len(out) == maxTracedRows {
			break
		}
		r := Row{Cost: c.cost}
		for _, p := range c.parts {
			r.Parts = append(r.Parts, fmt.Sprintf("%s [%s]", p.make, l.text[l.tokens[p.from].Start:l.tokens[p.to-1].End]))
		}
		out = append(out, r)
	}
	return out
}

// meaning is what an item may stand for.
func (it *item) meaning() string {
	var out []string
	switch it.class {
	case className:
		for _, h := range it.hits[:min(len(it.hits), maxTracedHits)] {
			out = append(out, fmt.Sprintf("%s %.2f", labelOf(h), h.Score))
		}
	case classValue:
		for _, v := range it.values[:min(len(it.values), maxTracedHits)] {
			out = append(out, fmt.Sprintf("%s = %s %.2f", v.Column.Expr, v.Stored[0], v.Score))
		}
	case classWord:
		out = append(out, strings.TrimSuffix(it.tag.Name+":"+it.tag.Arg, ":"))
	case classNumber:
		out = append(out, it.number)
	case classUnit:
		out = append(out, it.unit.Quantity)
	case classPeriod:
		out = append(out, onDay(it.period.From)+" to before "+onDay(it.period.To))
	case classGrain:
		out = append(out, it.period.Grain)
	case classUnknown, classIgnored:
	}
	return strings.Join(out, "; ")
}

func labelOf(h schema.Hit) string {
	if h.Column != nil {
		return h.Column.Expr
	}
	return h.Table.Names.EN + " (rows)"
}

func onDay(t time.Time) string {
	if t.IsZero() {
		return "open"
	}
	return t.Format(time.DateOnly)
}
