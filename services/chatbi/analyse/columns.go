package analyse

import (
	"math"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
)

// columnRead is a column as far as it was read: each part is made where it is asked for
// first, and the findings and the chart's adviser share it.
type columnRead struct {
	floats  []float64
	moments []moment
	values  *values
	// fractions says whether some number is no whole one, countries whether the values are
	// codes of countries; nil: nobody asked.
	fractions, countries *bool
}

// moment is a value of a time column that was read; ok is false where it is none.
type moment struct {
	at    time.Time
	grain result.Grain
	ok    bool
}

// values tells which rows of a column have the same value, as it is written: values count
// from 0 in order of appearance.
type values struct {
	first []int // row of each value in which it is first
	of    []int // by row
}

// floats are a column's numbers by row; NaN where there is none.
func (w *work) floats(column int) []float64 {
	c := &w.columns[column]
	if c.floats == nil {
		c.floats = make([]float64, len(w.Table.Rows))
		for r, row := range w.Table.Rows {
			v, ok := result.FloatOf(row[column], w.Table.Columns[column])
			if c.floats[r] = v; !ok {
				c.floats[r] = math.NaN()
			}
		}
	}
	return c.floats
}

// moments are the points of time of a column, by row.
func (w *work) moments(column int) []moment {
	c := &w.columns[column]
	if c.moments == nil {
		c.moments = make([]moment, len(w.Table.Rows))
		for r, row := range w.Table.Rows {
			m := &c.moments[r]
			m.at, m.grain, m.ok = w.moment(row[column])
		}
	}
	return c.moments
}

// values reads a column of scalars. Two moments that are one, two numbers that are one
// double, and two texts that are cut to the same one, are one value.
func (w *work) values(column int) values {
	c := &w.columns[column]
	if c.values != nil {
		return *c.values
	}
	v := values{of: make([]int, len(w.Table.Rows))}
	texts, written := map[string]int{}, map[string]int{} // as stored, and as written
	numbers, moments, floats := map[int64]int{}, map[int64]int{}, map[float64]int{}
	for r, row := range w.Table.Rows {
		next := len(v.first)
		var i int
		if m := w.momentIn(column, r); m.ok {
			i = placed(moments, m.at.UnixNano(), next)
		} else if f := w.numberIn(column, r); !math.IsNaN(f) {
			i = placed(floats, f, next)
		} else if n, ok := row[column].(int64); ok {
			i = placed(numbers, n, next)
		} else if text, ok := row[column].(string); ok {
			at, known := texts[text]
			if !known {
				at = placed(written, w.value(text, column), next)
				texts[text] = at
			}
			i = at
		} else {
			i = placed(written, w.value(row[column], column), next)
		}
		if i == next {
			v.first = append(v.first, r)
		}
		v.of[r] = i
	}
	c.values = &v
	return v
}

// placed is the place of a key; one that is new gets the next.
func placed[K comparable](at map[K]int, key K, next int) int {
	i, known := at[key]
	if !known {
		at[key], i = next, next
	}
	return i
}

// momentIn is the point of time in a row of a time column.
func (w *work) momentIn(column, row int) moment {
	if w.roles[column] != roleTime {
		return moment{}
	}
	return w.moments(column)[row]
}

// numberIn is the number in a row of a measure; NaN in any other column.
func (w *work) numberIn(column, row int) float64 {
	if !w.roleIsNumber(column) {
		return math.NaN()
	}
	return w.floats(column)[row]
}

// names are the different values of a column as they are written.
func (w *work) names(column int) []string {
	first := w.values(column).first
	out := make([]string, len(first))
	for i, r := range first {
		out[i] = result.Alike(w.value(w.Table.Rows[r][column], column))
	}
	return out
}

// unique reports whether the values of one column or two are together there once at
// most, as they are written.
func (w *work) unique(columns ...int) bool {
	a := w.values(columns[0])
	rows := len(w.Table.Rows)
	if len(columns) == 1 {
		return len(a.first) == rows
	}
	b := w.values(columns[1])
	switch {
	case len(a.first) == rows || len(b.first) == rows:
		return true
	case len(a.first)*len(b.first) < rows:
		return false
	}
	key := [2]int{min(columns[0], columns[1]), max(columns[0], columns[1])}
	once, known := w.pairs[key]
	if !known {
		once = w.once(a, b)
		if w.pairs == nil {
			w.pairs = map[[2]int]bool{}
		}
		w.pairs[key] = once
	}
	return once
}

// once reports whether no two rows have the same value of both columns: the rows of each
// value of one are looked through for two of the other.
func (w *work) once(a, b values) bool {
	ends := make([]int, len(a.first)+1) // where the rows of a value begin, then where they end
	for _, v := range a.of {
		ends[v+1]++
	}
	for v := range a.first {
		ends[v+1] += ends[v]
	}
	rows := make([]int, len(a.of))
	for r, v := range a.of {
		rows[ends[v]] = r
		ends[v]++
	}
	from, seen := 0, make([]int, len(b.first)) // one more than the value of a that the value was seen with last
	for v := range a.first {
		for _, r := range rows[from:ends[v]] {
			if seen[b.of[r]] == v+1 {
				return false
			}
			seen[b.of[r]] = v + 1
		}
		from = ends[v]
	}
	return true
}
