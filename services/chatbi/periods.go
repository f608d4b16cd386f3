package chatbi

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogrpc"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/lineage"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
	"github.com/dibrain/dibrain/services/chatbi/explain"
)

// Bounds of looking which days of two compared periods the data have.
const (
	// dayTables is how many tables of one statement are looked at.
	dayTables = 2
	// maxDaysOfPeriods is how many days both periods may have together.
	maxDaysOfPeriods = 1500
	// asideTimeout bounds a statement that only serves to say an answer well.
	asideTimeout = 10 * time.Second
)

// chanceOfGap is how likely days without rows may be by chance before they are taken to
// be missing: a shop that sells something every third day has many such days.
const chanceOfGap = 0.01

// comparedPeriods are two periods that a statement sets beside each other.
type comparedPeriods struct {
	own, base analyse.Range
	column    string // that the conditions are about
	// references are where the conditions name it: in each, it may be another table's.
	references []*tree.ColumnRef
}

// periodsOf reads off the conditions of a statement which two periods it compares: one
// column is held to two ranges of whole days in different places, which are WHERE of
// selects and FILTER of aggregates. The first in the text is that of the own figures.
func periodsOf(stmt *tree.Statement, now time.Time) (comparedPeriods, bool) {
	var order []string
	found := map[string][]analyse.Range{}
	references := map[string][]*tree.ColumnRef{}
	take := func(x tree.Expr) {
		c := newConditions(now)
		c.add(x)
		for _, key := range c.order {
			r := *c.ranges[key]
			if r.From.IsZero() || r.To.IsZero() || !r.From.Before(r.To) || !wholeDay(r.From) || !wholeDay(r.To) {
				continue
			}
			if !slices.Contains(order, key) {
				order = append(order, key)
			}
			references[key] = append(references[key], c.references[key]...)
			if !slices.ContainsFunc(found[key], func(have analyse.Range) bool { return have.From.Equal(r.From) && have.To.Equal(r.To) }) {
				found[key] = append(found[key], r)
			}
		}
	}
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Select:
			if n.Where != nil {
				take(n.Where)
			}
		case *tree.Call:
			if n.Filter != nil {
				take(n.Filter)
			}
		}
		return true
	})
	for _, key := range order {
		if r := found[key]; len(r) == 2 && (!r[0].To.After(r[1].From) || !r[1].To.After(r[0].From)) {
			return comparedPeriods{own: r[0], base: r[1], column: key, references: references[key]}, true
		}
	}
	return comparedPeriods{}, false
}

func wholeDay(t time.Time) bool {
	y, m, d := t.Date()
	return t.Equal(time.Date(y, m, d, 0, 0, 0, 0, t.Location()))
}

// compares reports whether a result has a figure of two periods: x beside previous_x.
func compares(columns []result.Column) bool {
	return slices.ContainsFunc(columns, func(c result.Column) bool {
		of, ok := strings.CutPrefix(strings.ToLower(c.Name), "previous_")
		return ok && slices.ContainsFunc(columns, func(o result.Column) bool { return strings.ToLower(o.Name) == of })
	})
}

// compared tells the analysis which periods a result compares, of what, and which of their
// days are not in the data; nil: it compares none, or they cannot be read off it.
func (s *Service) compared(ctx context.Context, p run.Principal, q Query, x *engine, approved guard.Approved, known *catalogrpc.Excerpt, columns []result.Column) *analyse.Compared {
	if !compares(columns) {
		return nil
	}
	periods, ok := periodsOf(approved.Asked().Statement(), q.Now)
	if !ok {
		return nil
	}
	out := &analyse.Compared{Own: periods.own, Base: periods.base, Adds: addsByDay(approved.Asked().Statement())}
	var countries []string
	if countries, out.Filters = s.scopeOf(approved, known, q.Language, periods.column, columns); len(countries) == 1 {
		out.Country = countries[0]
	}
	out.OwnDays, out.BaseDays = daysIn(explain.Period(periods.own)), daysIn(explain.Period(periods.base))
	if approved.Protected() || out.OwnDays+out.BaseDays > maxDaysOfPeriods { // days of rows that not everybody sees are not everybody's
		return out
	}
	days := daysColumns(approved.Asked(), periods)
	out.Adds = out.Adds && len(days) == 1 && oneHasDays(approved, known, periods.column)
	for _, of := range days[:min(len(days), dayTables)] {
		t, ok := known.Lookup(of.Table)
		if !ok {
			continue
		}
		column, ok := t.Column(of.Column)
		if !ok {
			continue
		}
		if there, ok := s.daysThere(ctx, p, q, x, of.Table, column, periods); ok {
			s.missingDays(q, of.Table, periods, there, out)
		}
	}
	return out
}

// daysColumns are the stored columns that the conditions on the periods are about. A column
// of that name in another table says nothing of them. None: they are not known of each
// condition, since one is about what a statement computes.
func daysColumns(r *resolve.Resolution, periods comparedPeriods) []resolve.Origin {
	var out []resolve.Origin
	for _, x := range periods.references {
		stored, ok := storedAt(r, r.Places(x))
		if !ok {
			return nil
		}
		for _, o := range stored {
			if !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}
	return out
}

// storedAt follows a column through queries in FROM that pass it on unchanged to where it is
// stored; that is several columns below a set operation. It is false where it is computed.
func storedAt(r *resolve.Resolution, places []resolve.Place) (out []resolve.Origin, ok bool) {
	for _, p := range places {
		var stored []resolve.Origin
		switch relation := p.Relation.(type) {
		case *tree.Table:
			t, known := r.Stored(relation)
			if !known || p.Index >= len(t.Columns) {
				return nil, false
			}
			stored = []resolve.Origin{{Table: t.Name, Column: t.Columns[p.Index].Name}}
		case *tree.Derived:
			if stored, ok = storedIn(r, relation.Query.Body, p.Index); !ok {
				return nil, false
			}
		default:
			return nil, false
		}
		out = append(out, stored...)
	}
	return out, len(out) > 0
}

// storedIn is where a result column of the body of a query is stored.
func storedIn(r *resolve.Resolution, body tree.QueryBody, index int) ([]resolve.Origin, bool) {
	switch body := body.(type) {
	case *tree.ParenQuery:
		return storedIn(r, body.Query.Body, index)
	case *tree.Select:
		if passed := r.Passed(body); index < len(passed) {
			return storedAt(r, passed[index])
		}
	case *tree.SetOp:
		if body.Corresponding { // the sides have their columns in orders of their own
			return nil, false
		}
		left, ok := storedIn(r, body.Left, index)
		right, ok2 := storedIn(r, body.Right, index)
		return append(left, right...), ok && ok2
	}
	return nil, false
}

// oneHasDays reports whether the days of a statement's figures are those of one table: only
// one that it reads has a column of that name, and it sets no rows of queries together, of
// which each has days of its own.
func oneHasDays(approved guard.Approved, known *catalogrpc.Excerpt, column string) bool {
	have := 0
	for _, name := range approved.Tables() {
		t, ok := known.Lookup(name)
		if !ok {
			return false
		}
		if _, ok := t.Column(column); ok {
			have++
		}
	}
	sets := false
	tree.Walk(approved.Asked().Statement(), func(n tree.Node) bool {
		_, is := n.(*tree.SetOp)
		sets = sets || is
		return !sets
	})
	return have == 1 && !sets
}

// addsByDay reports whether the figures of a statement are sums and counts of rows, of which
// the days' come to the period's: those of the queries that read tables. Of different things
// counted and of means they do not.
func addsByDay(stmt *tree.Statement) bool {
	if stmt.Query == nil {
		return false
	}
	named := tablesWithin(stmt.Query)
	some, all := false, true
	tree.Walk(stmt, func(n tree.Node) bool {
		sel, ok := n.(*tree.Select)
		if !ok || len(sel.From) == 0 || slices.ContainsFunc(sel.From, func(r tree.Relation) bool { return isDerived(r, named) }) {
			return true
		}
		for _, item := range sel.Items {
			x, ok := item.(*tree.SelectExpr)
			if !ok {
				all = false
				continue
			}
			switch aggregateOf(x.Expr) {
			case "":
			case analyse.AggregateSum, analyse.AggregateCount:
				some = true
			default:
				all = false
			}
		}
		return true
	})
	return some && all
}

// about reports whether a condition is about one column alone.
func about(f lineage.Filter, column string) bool {
	for _, c := range f.Columns {
		if !strings.EqualFold(c.Column, column) {
			return false
		}
	}
	return len(f.Columns) > 0
}

// daysThere asks the engine, through the guard and under the cost gate, on which days of
// two periods a table has rows. What stands in the way of that costs no answer.
func (s *Service) daysThere(ctx context.Context, p run.Principal, q Query, x *engine, name catalog.Name, column catalog.Column, periods comparedPeriods) (there map[string]bool, ok bool) {
	ctx, step := run.Start(ctx, "chatbi.days")
	defer step.End(nil)
	sql, ok := daysSQL(name, column, periods)
	if !ok {
		return nil, false
	}
	table, ok := s.aside(ctx, p, Query{Source: q.Source, SQL: sql, Now: q.Now}, x)
	if !ok {
		return nil, false
	}
	return daysTold(table.Rows)
}

// daysTold are the days that rows of daysSQL tell, as 2026-09-01. It is false where these are
// not all, or not days.
func daysTold(rows [][]any) (there map[string]bool, ok bool) {
	if len(rows) == 0 || len(rows) > maxDaysOfPeriods { // more: the limit cut days off
		return nil, false
	}
	there = make(map[string]bool, len(rows))
	for _, row := range rows {
		text, _ := row[0].(string)
		if _, err := time.Parse(time.DateOnly, text); err != nil { // a day that is written otherwise might be any
			return nil, false
		}
		there[text] = true
	}
	return there, true
}

// aside runs a statement that the answer to another one needs, through the guard and under
// the cost gate. It is false where that is not to be had in time, or not as a whole.
func (s *Service) aside(ctx context.Context, p run.Principal, q Query, x *engine) (result.Table, bool) {
	ctx, cancel := context.WithTimeout(ctx, asideTimeout)
	defer cancel()
	approved, _, err := s.approve(ctx, p, q, x)
	if err != nil {
		return result.Table{}, false
	}
	estimate, err := s.estimateOf(ctx, p, x, approved, q.Now)
	if err != nil || s.gate(estimate, x.Kind(), false) != CostAllow {
		return result.Table{}, false
	}
	held := s.memory.part()
	defer held.release()
	read := &all{held: held, progress: func(Progress) {}}
	stats, err := s.fetch(ctx, p, x, approved, s.config().Limits, read, func(Progress) {})
	return read.head, err == nil && !stats.Truncated
}

// daysSQL is the statement of the days of a table in two periods. It is false for a column
// that does not keep days or times.
func daysSQL(name catalog.Name, column catalog.Column, periods comparedPeriods) (string, bool) {
	id := printer.Ident(column.Name)
	day, literal := id, "DATE '%s'"
	switch kind := (result.Column{Type: column.Type}).Kind(); kind {
	case result.KindDate:
	case result.KindTimestamp:
		day, literal = "CAST("+id+" AS date)", "TIMESTAMP '%s 00:00:00'"
	case result.KindText: // may have the time of day behind the day
		day, literal = "substr("+id+", 1, "+strconv.Itoa(len(time.DateOnly))+")", "'%s'"
	default:
		return "", false
	}
	within := func(r analyse.Range) string {
		return fmt.Sprintf("%s >= "+literal+" AND %s < "+literal, id, r.From.Format(time.DateOnly), id, r.To.Format(time.DateOnly))
	}
	var table []string
	for _, part := range []string{name.Region, name.Schema, name.Table} {
		if part != "" {
			table = append(table, printer.Ident(part))
		}
	}
	return fmt.Sprintf("SELECT DISTINCT %s AS day FROM %s WHERE %s OR %s LIMIT %d", day, strings.Join(table, "."), within(periods.own), within(periods.base), maxDaysOfPeriods+1), true
}

// missingDays adds what is missing of the days of one table.
func (s *Service) missingDays(q Query, name catalog.Name, periods comparedPeriods, there map[string]bool, out *analyse.Compared) {
	y, m, d := q.Now.Date()
	today := time.Date(y, m, d, 0, 0, 0, 0, q.Now.Location())
	gaps := gapsOf(periods, there, today)
	for _, period := range []struct {
		analyse.Range

		days *int
	}{{periods.own, &out.OwnDays}, {periods.base, &out.BaseDays}} {
		whole := daysIn(explain.Period(period.Range))
		var days []time.Time
		for _, day := range gaps {
			if !day.Before(period.From) && day.Before(period.To) {
				days = append(days, day)
			}
		}
		*period.days = min(*period.days, whole-len(days))
		text := map[string]string{
			"table": name.String(), "period": periodText(explain.Period(period.Range), q.Language), "n": result.Int(int64(len(days))).String(),
			"all": result.Int(int64(whole)).String(), "days": dayList(days, q.Language),
		}
		tell := func(key string) {
			if sentence := s.analyst.Sentence(q.Language, key, text); !slices.Contains(out.Missing, sentence) { // two tables run as long
				out.Missing = append(out.Missing, sentence)
			}
		}
		if len(days) > 0 {
			tell("period_misses")
		}
		if period.To.After(today) {
			*period.days = 0 // how much of today there is nobody knows
			tell("period_runs")
		}
	}
}

// gapsOf are the days of two periods, those before today, that a table should have rows of
// and has none. A run of k such days is one where it comes by chance in less than one of a
// hundred tables that have rows on as many of the other days: (1-p)^k times the days that
// it may begin on. Where every other day is there, one is enough.
func gapsOf(periods comparedPeriods, there map[string]bool, today time.Time) []time.Time {
	var days []time.Time
	ranges := []analyse.Range{periods.own, periods.base}
	slices.SortFunc(ranges, func(a, b analyse.Range) int { return a.From.Compare(b.From) })
	present := 0
	for _, r := range ranges {
		for day := r.From; day.Before(r.To) && day.Before(today); day = day.AddDate(0, 0, 1) {
			days = append(days, day)
			if there[day.Format(time.DateOnly)] {
				present++
			}
		}
	}
	var out []time.Time
	for i := 0; i < len(days); {
		k := i
		for k < len(days) && !there[days[k].Format(time.DateOnly)] && (k == i || days[k].Equal(days[k-1].AddDate(0, 0, 1))) {
			k++
		}
		if k == i {
			i++
			continue
		}
		run, others := k-i, len(days)-(k-i)
		if others > 0 && float64(len(days))*math.Pow(1-float64(present)/float64(others), float64(run)) < chanceOfGap {
			out = append(out, days[i:k]...)
		}
		i = k
	}
	return out
}
