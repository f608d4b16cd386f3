package repair

import (
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// unitEdits are for numbers that stand for points in time: 19950101 beside a date is the
// first of January, a column of milliseconds beside a timestamp is counted from 1970. The
// unit is told by the name of the column or by its stored values, which agree; where
// neither tells it, nothing is changed.
func unitEdits(now *reading) []edit {
	var edits []edit
	pair := func(number, moment tree.Expr) {
		t := now.resolution.TypeOf(moment)
		date := t.Base == "date"
		if !date && !strings.HasPrefix(t.Base, "timestamp") || !now.resolution.TypeOf(number).IsInteger() || !now.isWrong(number, moment) {
			return
		}
		if n, ok := number.(*tree.Number); ok {
			if day, err := time.Parse("20060102", n.Text); err == nil {
				edits = append(edits, edit{start: n.Span().Start, end: n.Span().End, text: "DATE '" + day.Format(time.DateOnly) + "'", class: "date_number", certainty: 0.95})
			}
			return
		}
		ref, ok := number.(*tree.ColumnRef)
		if !ok {
			return
		}
		if e, ok := now.unitEdit(ref, date); ok {
			edits = append(edits, e)
		}
	}
	tree.Walk(now.stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Binary:
			if isComparison(n.Op) {
				pair(bare(n.Left), bare(n.Right))
				pair(bare(n.Right), bare(n.Left))
			}
		case *tree.Between:
			if x := bare(n.X); now.resolution.TypeOf(x).IsInteger() {
				pair(x, bare(n.Low))
			} else {
				pair(bare(n.Low), x)
				pair(bare(n.High), x)
			}
		}
		return true
	})
	return edits
}

// isWrong reports whether the resolver finds a mismatch of types around two expressions.
func (now *reading) isWrong(a, b tree.Expr) bool {
	for _, d := range now.diagnostics {
		span := d.Node.Span()
		if d.Code == resolve.TypeMismatch && span.Start <= min(a.Span().Start, b.Span().Start) && max(a.Span().End, b.Span().End) <= span.End {
			return true
		}
	}
	return false
}

// Divisors that make seconds of a count since 1970, and the least and the greatest count
// of the years 1990 to 2100.
var units = []struct {
	names   []string
	divisor string
	low     int64
	high    int64
}{
	{[]string{"s", "sec", "secs", "second", "seconds", "unix", "epoch"}, "", 631_152_000, 4_102_444_800},
	{[]string{"ms", "msec", "millis", "millisecond", "milliseconds"}, " / 1e3", 631_152_000_000, 4_102_444_800_000},
	{[]string{"us", "usec", "micros", "microsecond", "microseconds"}, " / 1e6", 631_152_000_000_000, 4_102_444_800_000_000},
}

func (now *reading) unitEdit(ref *tree.ColumnRef, date bool) (edit, bool) {
	origins := now.resolution.Origins(ref)
	if len(origins) != 1 {
		return edit{}, false
	}
	table, ok := now.scope.Catalog.Lookup(origins[0].Table)
	if !ok {
		return edit{}, false
	}
	column, _ := table.Column(origins[0].Column)
	span := ref.Span()
	text := span.Text()
	words := smallParts(column.Name)
	for _, u := range units {
		named := false
		for _, w := range words {
			named = named || containsFold(u.names, w)
		}
		stored := storedBetween(column.Samples, u.low, u.high)
		if !named && !stored || named && len(column.Samples) > 0 && !stored {
			continue
		}
		certainty := 0.85
		if named && stored {
			certainty = 0.93
		}
		out := "from_unixtime(" + text + u.divisor + ")"
		if date {
			out = "CAST(" + out + " AS date)"
		}
		return edit{start: span.Start, end: span.End, text: out, class: "time_unit", certainty: certainty}, true
	}
	return edit{}, false
}

// storedBetween reports whether there are values and all of them are in a range.
func storedBetween(values []string, low, high int64) bool {
	for _, v := range values {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < low || n > high {
			return false
		}
	}
	return len(values) > 0
}
