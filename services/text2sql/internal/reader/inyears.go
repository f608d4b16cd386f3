package reader

import (
	"slices"
	"strconv"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// Tables of offices keep the same of each year in a column of its own: members_2023, members_2024. A year
// that is said names one of these columns, and is no condition on when rows are.

// year is the year that a token is, of those that columns are of; 0: none.
func (l *lattice) year(i int, v *schema.View) int {
	if l.tokens[i].Kind != language.Number || len(l.tokens[i].Text) != 4 {
		return 0
	}
	n, err := strconv.Atoi(l.tokens[i].Text)
	if err != nil || !v.Years()[n] {
		return 0
	}
	return n
}

// yearsOfColumns adds the years of columns that stand in no expression of time: "by 2021 turnover".
func (l *lattice) yearsOfColumns(v *schema.View) {
	for i := range l.tokens {
		n := l.year(i, v)
		if n == 0 || l.inPeriod(i, i+1) {
			continue
		}
		l.addYear(i, n, costItem)
	}
}

// ofYears leaves, of columns that are called the same but for the year, those of the years that the question
// says: their names are said as a whole then, though not in one piece.
func (l *lattice) ofYears(hits []schema.Hit, from, to int, v *schema.View) []schema.Hit {
	if len(v.Years()) == 0 {
		return hits
	}
	said := map[int]bool{}
	for i := range l.tokens {
		if n := l.year(i, v); n > 0 && (i < from || i >= to) {
			said[n] = true
		}
	}
	if len(said) == 0 || !slices.ContainsFunc(hits, func(h schema.Hit) bool { return h.Column != nil && said[h.Column.Year] }) {
		return hits
	}
	var out []schema.Hit
	for _, h := range hits {
		switch {
		case h.Column == nil || h.Column.Year == 0:
		case !said[h.Column.Year]:
			continue
		case h.Score < exactName:
			h.Score = min(h.Score+yearSaid, exactName)
		}
		out = append(out, h)
	}
	return merge(out, nil)
}

// yearSaid is how much better a name fits whose year is said elsewhere in the question.
const yearSaid = 0.1

// yearly reports whether the numbers that are asked for are of a year by their names, so that it is no
// condition.
func (b *composer) yearly(f dates.Found) bool {
	if f.From.IsZero() || !f.To.Equal(f.From.AddDate(1, 0, 0)) || !newYear(f.From) {
		return false
	}
	asked := b.d.columnsAsked()
	for _, x := range b.d.compared {
		if x.column != nil {
			asked = append(asked, x.column)
		}
	}
	found, other := false, false
	for _, c := range asked {
		found = found || c.Year == f.From.Year()
		other = other || c.Year > 0 && c.Year != f.From.Year()
	}
	if other && !found {
		b.fail("numbers of another year")
	}
	return found
}
