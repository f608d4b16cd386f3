package ingest

import (
	"fmt"
	"strings"
)

// withoutMark takes off what programs put around a value to keep spreadsheets from reading
// it: '00123, `00123, ="00123". A value between apostrophes loses both.
func withoutMark(text string) (bare string, marked bool) {
	for range 2 { // one in the other
		if len(text) < 2 {
			break
		}
		switch text[0] {
		case '`':
			text, marked = text[1:], true
		case '\'':
			text, marked = text[1:], true
			if len(text) > 1 {
				text = strings.TrimSuffix(text, "'")
			}
		case '=':
			inner, cut := formulaText([]byte(text))
			text, marked = string(inner), marked || cut
		}
	}
	return text, marked
}

// runs follow where a column of a file has a value and where it has none, as in tables with
// merged cells, of which only the first row of each group has the value.
type runs struct {
	last    string
	values  int64 // rows that have one
	gaps    int64 // rows that have none
	broken  bool  // a value comes twice in a row, or the first row has none
	differ  map[string]bool
	various bool // there are more different ones than are kept
}

const (
	// differentRuns is how many different values of a column are told apart.
	differentRuns = 200
	// surelyRuns: if a column's gaps had no meaning, its values would come twice in a row
	// about so many times or more.
	surelyRuns = 6
)

func (r *runs) gap() {
	r.gaps++
	r.broken = r.broken || r.values == 0
}

// unknown is a row of which it is not known what the column has.
func (r *runs) unknown() { r.last = "" }

func (r *runs) see(text string) {
	if r.broken {
		return
	}
	if r.broken = r.values > 0 && text == r.last; r.broken {
		r.differ = nil
		return
	}
	r.values++
	r.last = text
	switch {
	case r.differ == nil:
		r.differ = map[string]bool{strings.Clone(text): true} // a value alone, not the line that it is of
	case len(r.differ) < differentRuns:
		r.differ[strings.Clone(text)] = true
	case !r.differ[text]:
		r.various = true
	}
}

// merged reports values that hold for the gaps below them: they come again and again, and
// never twice in a row.
func (r *runs) merged() bool {
	return !r.broken && !r.various && r.gaps > 0 && len(r.differ) > 1 && r.values-1 >= surelyRuns*int64(len(r.differ))
}

// maybeMerged reports values that may do so: each comes once, and most rows have none.
func (r *runs) maybeMerged() bool {
	return !r.broken && !r.various && r.gaps > r.values && r.values > 1 && int64(len(r.differ)) == r.values
}

// settleMarks decides what stands around the column's values and in its gaps; first is the leftmost column, where
// tables with merged cells have their groups.
func (c *column) settleMarks(first bool) {
	if c.habit == nil {
		return
	}
	c.marked = c.habit.marks == c.seen && c.seen > 0
	if c.declared != nil {
		return
	}
	switch r := &c.habit.runs; {
	case r.merged():
		c.fills = true
		c.written = strings.TrimPrefix(c.written+fmt.Sprintf("; the value holds for the rows below it that have none (%d), because it never comes twice in a row", r.gaps), "; ")
	case first && r.maybeMerged():
		c.written = strings.TrimPrefix(c.written+fmt.Sprintf("; %d rows have no value, and each value comes once: if it holds for the rows below it, write it in each of them", r.gaps), "; ")
	}
}
