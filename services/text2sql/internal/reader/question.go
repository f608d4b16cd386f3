package reader

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// Question is a question over a schema on a day. What it may mean piece by piece is worked
// out once, when it is first wanted. It is for one goroutine.
type Question struct {
	reader *Reader
	text   string
	view   *schema.View
	now    time.Time

	pieces   *lattice
	demands  *Demands
	read     bool
	readings []Reading
	refused  []string
}

// Question prepares a question.
func (r *Reader) Question(text string, v *schema.View, now time.Time) *Question {
	return &Question{reader: r, text: text, view: v, now: now}
}

func (q *Question) lattice() *lattice {
	if q.pieces == nil {
		q.pieces = q.reader.lattice(q.text, q.view, q.now)
	}
	return q.pieces
}

// Demands are those of the question.
func (q *Question) Demands() Demands {
	if q.demands == nil {
		d := q.reader.demands(q.text)
		if q.view != nil {
			q.lattice().general(q.reader, &d)
		}
		q.demands = &d
	}
	return *q.demands
}

// Readings are those of the question, likeliest first, those that mean the same once.
// Refused says why covers made no reading.
func (q *Question) Readings() (list []Reading, refused []string) {
	if !q.read {
		q.read = true
		q.readings, q.refused = q.reader.read(q.lattice(), q.view, q.now)
	}
	return q.readings, q.refused
}

// Records reports whether the rows of a table are said to be meant, whatever they are of.
func (q *Question) Records() bool {
	return slices.ContainsFunc(slices.Concat(q.lattice().at...), func(it *item) bool { return it.tag.Name == recordTag })
}

// Unknown are the words of the question that neither the data nor the general words know,
// in order.
func (q *Question) Unknown() []string {
	l := q.lattice()
	known := make([]bool, len(l.tokens))
	for _, it := range slices.Concat(l.at...) {
		if it.class == classUnknown {
			continue
		}
		for at := it.from; at < it.to; at++ {
			known[at] = true
		}
	}
	var out []string
	for from := 0; from < len(known); from++ {
		to := from
		for to < len(known) && !known[to] && l.tokens[to].Kind != language.Mark && (to == from || l.tokens[to].Kind == language.Han && l.tokens[from].Kind == language.Han) {
			to++
		}
		if to > from {
			out = append(out, l.span(from, to))
			from = to - 1
		}
	}
	return out
}
