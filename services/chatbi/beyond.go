package chatbi

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Bounds of looking at what a LIMIT cuts off.
const (
	// maxRanked is the longest ranking that is looked at: a longer one is a list.
	maxRanked = 20
	// rowsBeyond is how many rows behind the limit are asked for.
	rowsBeyond = 5
)

// beyond asks the engine, through the guard and under the cost gate, for a few more rows
// of a ranking than its LIMIT lets through, and returns those that it cuts off: rows equal
// to the last one, or the first one that has a name. It returns none where the second run
// does not have all rows of the first: the data or the order are others. What stands in the
// way of that costs no answer.
func (s *Service) beyond(ctx context.Context, p run.Principal, q Query, x *engine, facts described, read *fetched) [][]any {
	if facts.order == nil || facts.limit < 1 || facts.limit > maxRanked || read.rows != facts.limit || int64(len(read.head.Rows)) != facts.limit {
		return nil
	}
	stmt, err := parser.Parse(q.SQL)
	if err != nil {
		return nil
	}
	query := outermost(stmt.Query)
	if query == nil || query.Limit == nil || query.Limit.WithTies {
		return nil
	}
	query.Limit.Count = &tree.Number{Text: strconv.FormatInt(facts.limit+rowsBeyond, 10)}
	ctx, step := run.Start(ctx, "chatbi.beyond")
	defer step.End(nil)
	// Format writes the tree; Print would keep the text as it was asked, with its limit.
	table, ok := s.aside(ctx, p, Query{Source: q.Source, SQL: printer.Format(stmt), Now: q.Now}, x)
	if !ok || len(table.Columns) != len(read.head.Columns) {
		return nil
	}
	rows := table.Rows
	for _, shown := range read.head.Rows { // which of equal rows come first an engine may decide anew
		at := slices.IndexFunc(rows, func(row []any) bool { return slices.EqualFunc(row, shown, sameValue) })
		if at < 0 { // then any of the others may be this one
			return nil
		}
		rows = slices.Delete(rows, at, at+1)
	}
	return rows[:min(len(rows), rowsBeyond)]
}

// sameDouble is how far, relatively, two runs of a statement may be apart in a double: they
// add its parts up in other orders.
const sameDouble = 1e-9

// sameValue reports whether a value of one run of a statement is that of another.
func sameValue(a, b any) bool {
	x, ok := a.(float64)
	y, ok2 := b.(float64)
	switch {
	case !ok || !ok2:
		return reflect.DeepEqual(a, b)
	case x == y, math.IsNaN(x) && math.IsNaN(y):
		return true
	}
	return math.Abs(x-y) <= sameDouble*max(math.Abs(x), math.Abs(y))
}
