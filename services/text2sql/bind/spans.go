package bind

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// span is how long the rows of a table last: the columns that hold when they begin
// and when they end.
type span struct {
	begin, end *semantic.Dimension
	score      float64
}

// Words of the names of days and times on which something begins, on which it ends,
// and on which it does neither.
var (
	beginWords = []string{
		"start", "begin", "began", "open", "opened", "create", "created", "order", "ordered", "place", "placed", "submit", "submitted", "file", "filed",
		"apply", "applied", "request", "requested", "ship", "shipped", "send", "sent", "admit", "admitted", "admission", "hire", "hired", "join", "joined",
		"activate", "activated", "issue", "issued", "borrow", "borrowed", "loan", "depart", "departure", "first", "from", "report", "reported", "receive", "received",
		"effective", "in", "checkin", "pickup", "signup", "launch", "launched", "enroll", "enrolled", "enrollment", "onset", "initiated",
	}
	endWords = []string{
		"end", "ended", "finish", "finished", "close", "closed", "complete", "completed", "settle", "settled", "resolve", "resolved", "decide", "decided",
		"deliver", "delivered", "delivery", "discharge", "discharged", "leave", "left", "exit", "terminate", "terminated", "termination", "return", "returned",
		"paid", "churn", "churned", "cancel", "cancelled", "canceled", "expire", "expired", "expiry", "expiration", "last", "to", "until", "arrive", "arrived", "arrival",
		"checkout", "out", "dropoff", "departed", "graduated", "graduation", "retired", "answered", "responded",
	}
	neitherWords = []string{"birth", "dob", "due", "expected", "planned", "scheduled", "update", "updated", "modified", "changed", "next", "quote", "estimated", "as"}
)

// Scores of a pair whose names say that it is one, and of the only two days of a table.
const (
	namedSpan = 0.95
	onlySpan  = 0.75
)

// spans finds how long the rows of each table last; none of a table of which that is
// not plain.
func (l *Layer) spans() []span {
	var out []span
	for _, e := range l.Entities {
		if s, ok := l.spanOf(e.Table); ok {
			out = append(out, s)
		}
	}
	return out
}

func (l *Layer) spanOf(table string) (span, bool) {
	var begins, ends, all []*semantic.Dimension
	for _, d := range l.columns[table] {
		if !l.dated[d.ID] || l.says(d, neitherWords) {
			continue
		}
		all = append(all, d)
		switch begin, end := l.says(d, beginWords), l.says(d, endWords); {
		case begin && !end:
			begins = append(begins, d)
		case end && !begin:
			ends = append(ends, d)
		}
	}
	switch {
	case len(begins) == 1 && len(ends) == 1:
		return span{begin: begins[0], end: ends[0], score: namedSpan}, true
	case len(all) == 2 && len(begins) <= 1 && len(ends) <= 1 && !slices.Contains(begins, all[1]) && !slices.Contains(ends, all[0]) && len(begins)+len(ends) > 0:
		return span{begin: all[0], end: all[1], score: onlySpan}, true
	}
	return span{}, false
}

// says reports whether a column's name has one of the words.
func (l *Layer) says(d *semantic.Dimension, words []string) bool {
	return slices.ContainsFunc(l.words[d.ID], func(stem string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return token.Stem(w) == stem })
	})
}

// spanChoices are the columns on which rows begin, or end.
func (l *Layer) spanChoices(end bool) []choice {
	var out []choice
	for _, s := range l.lasting {
		c := choice{dim: s.begin, score: s.score}
		if end {
			c.dim = s.end
		}
		out = append(out, c)
	}
	return out[:min(len(out), beamWidth)]
}

// How much better or worse a day dates the rows of its table than any other.
const (
	ownDay   = 0.03  // it is called as the rows are: order_date of orders
	otherDay = -0.03 // it says when something ended, or what is to come
)

// dating is how well a day or a time dates the rows of its table, by its name.
func (l *Layer) dating(d *semantic.Dimension) float64 {
	e := l.entities[d.Table]
	if e == nil {
		return 0
	}
	for _, w := range semantic.Words(e.Names.EN) {
		if slices.Contains(l.words[d.ID], token.Stem(w)) {
			return ownDay
		}
	}
	if l.says(d, endWords) || l.says(d, neitherWords) {
		return otherDay
	}
	return 0
}
