package chatbi

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/explain"
)

// changeRead is what the rows of a plan's statements say.
type changeRead struct {
	input explain.Input
	gaps  changeGaps
	// perDay says that values are means over the days: of a level, and where days are
	// missing, so that unequal numbers of days are compared like for like.
	perDay bool
	// matched is how many days of each period are compared, each with its counterpart; 0: all
	// that are there. Cells and factors are of all days and are left out then.
	matched int
	// overlapping are the dimensions of which too many things have several values for their
	// number to be split so.
	overlapping []string
}

// changeGaps are days of the two periods without any row of the table.
type changeGaps struct {
	table         string
	before, after []time.Time // missing days, ascending
	// late says that the days missing are the last ones that there could be.
	late bool
	last time.Time // newest day that is there
}

func (g changeGaps) any() bool { return len(g.before)+len(g.after) > 0 }

// empty reports that a period has no day at all.
func (g changeGaps) empty(p explain.Period, missing []time.Time) bool {
	return len(missing) == daysIn(p)
}

// daysIn counts the days of a period by the calendar: where the clocks change, a day has 23
// or 25 hours.
func daysIn(p explain.Period) int {
	day := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return int(day(p.To).Sub(day(p.From)) / (24 * time.Hour))
}

// read reads the rows of all statements.
func (c *changeRun) read(ctx context.Context) (changeRead, error) {
	plan := c.query.Plan
	read := changeRead{input: explain.Input{Kind: plan.Kind, Before: plan.Before, After: plan.After, Seed: seedOf(plan)}}
	in := &read.input
	for _, d := range plan.Dimensions {
		in.Dimensions = append(in.Dimensions, d.ID)
	}
	var present []time.Time
	counted := false
	var whole *changeRows
	var several []explain.Pair
	for i := range c.steps {
		step := &c.steps[i]
		rows := changeRows{table: step.table}
		switch step.Role {
		case RoleCells:
			var err error
			if several, err = rows.cells(in); err != nil {
				return read, err
			}
			if step.table.Truncated { // what is cut off is in neither period, not zero in one
				in.Truncated = true
				in.Cells = slices.DeleteFunc(in.Cells, func(c explain.Cell) bool { return c.Value.Before == 0 || c.Value.After == 0 })
			}
		case RoleDaily:
			in.Daily = rows.daily()
			if !counted {
				present = datesOf(in.Daily)
				read.gaps.table = firstTable(step)
			}
		case RoleDays:
			present, counted = datesOf(rows.daily()), true
			read.gaps.table = firstTable(step)
		case RoleFactors:
			in.Factors = rows.factors(plan.Factors)
		case RoleEvents:
			whole = &rows
		}
	}
	if whole != nil {
		whole.events(in)
	}
	read.alone(plan, several)
	if len(present) > 0 || counted {
		read.gaps.find(plan, present)
	}
	if counted && plan.Kind == explain.Additive {
		in.Daily = zeros(in.Daily, present)
	}
	if !read.match(plan) {
		read.level(plan)
	}
	return read, ctx.Err()
}

func firstTable(step *changeStep) string {
	if tables := step.approved.Tables(); len(tables) > 0 {
		return tables[0].String()
	}
	return ""
}

// seedOf makes the same plan have the same seed.
func seedOf(plan ChangePlan) uint64 {
	h := fnv.New64a()
	for _, st := range plan.Statements {
		_, _ = h.Write([]byte(st.SQL)) // a hash takes all
	}
	return h.Sum64()
}

// match compares sums over the days that both periods have where days are missing: each with
// the day of the other period in the same place, so that five working days are not set
// against a whole week. It is false where nothing is missing or the periods have no such
// places.
func (r *changeRead) match(plan ChangePlan) bool {
	days := daysIn(plan.Before)
	if plan.Kind != explain.Additive || !r.gaps.any() || days != daysIn(plan.After) {
		return false
	}
	gone := map[int64]bool{}
	for _, d := range slices.Concat(r.gaps.before, r.gaps.after) {
		gone[d.Unix()] = true
	}
	at := make(map[int64]float64, len(r.input.Daily))
	for _, d := range r.input.Daily {
		at[d.Date.Unix()] = d.Value
	}
	var sum explain.Pair
	n := 0
	for i := range days {
		before, after := plan.Before.From.AddDate(0, 0, i).Unix(), plan.After.From.AddDate(0, 0, i).Unix()
		if gone[before] || gone[after] {
			continue
		}
		sum.Before, sum.After, n = sum.Before+at[before], sum.After+at[after], n+1
	}
	if n == 0 {
		return false
	}
	r.perDay, r.matched = true, n
	r.input.Total.Value = explain.Pair{Before: sum.Before / float64(n), After: sum.After / float64(n)}
	r.input.Cells, r.input.Factors = nil, nil
	return true
}

// level makes the values of a level, and of what is compared over unequal numbers of
// days, means over the days that are there.
func (r *changeRead) level(plan ChangePlan) {
	adds := plan.Kind == explain.Additive
	if plan.Kind != explain.SemiAdditive && (!adds || !r.gaps.any() && daysIn(plan.Before) == daysIn(plan.After)) {
		return
	}
	before := float64(daysIn(plan.Before) - len(r.gaps.before))
	after := float64(daysIn(plan.After) - len(r.gaps.after))
	if before < 1 || after < 1 {
		return
	}
	r.perDay = true
	over := func(a *explain.Amount) { a.Value.Before, a.Value.After = a.Value.Before/before, a.Value.After/after }
	over(&r.input.Total)
	for i := range r.input.Cells {
		over(&r.input.Cells[i].Amount)
	}
	if len(r.input.Factors) > 0 { // the first is what is counted, the others are rates
		f := &r.input.Factors[0]
		f.Before, f.After = f.Before/before, f.After/after
	}
}

// find looks for days of the periods that have no rows.
func (g *changeGaps) find(plan ChangePlan, present []time.Time) {
	there := make(map[int64]bool, len(present))
	for _, d := range present {
		there[d.Unix()] = true
		if d.After(g.last) {
			g.last = d
		}
	}
	missing := func(p explain.Period) (out []time.Time) {
		for d := p.From; d.Before(p.To); d = d.AddDate(0, 0, 1) {
			if !there[d.Unix()] {
				out = append(out, d)
			}
		}
		return out
	}
	g.before, g.after = missing(plan.Before), missing(plan.After)
	later := func(days []time.Time) bool {
		return !slices.ContainsFunc(days, func(d time.Time) bool { return d.Before(g.last) })
	}
	g.late = g.any() && later(g.before) && later(g.after)
}

func datesOf(course []explain.Day) []time.Time {
	out := make([]time.Time, len(course))
	for i, d := range course {
		out[i] = d.Date
	}
	return out
}

// zeros puts a zero where the table has rows of a day and none that count.
func zeros(course []explain.Day, present []time.Time) []explain.Day {
	have := make(map[int64]bool, len(course))
	for _, d := range course {
		have[d.Date.Unix()] = true
	}
	for _, d := range present {
		if !have[d.Unix()] {
			course = append(course, explain.Day{Date: d})
		}
	}
	slices.SortFunc(course, func(a, b explain.Day) int { return a.Date.Compare(b.Date) })
	return course
}

// changeRows reads the rows of one statement by the place of their columns.
type changeRows struct{ table result.Table }

func (r changeRows) number(row []any, at int) float64 {
	if at >= len(row) {
		return 0
	}
	n, ok := result.NumberOf(row[at], r.table.Columns[at])
	if !ok {
		return 0
	}
	return n.Float64()
}

func (r changeRows) text(row []any, at int) string {
	if at >= len(row) || row[at] == nil {
		return explain.ValueNull
	}
	return fmt.Sprint(row[at])
}

// cells reads both periods as a whole and their cells, and for each dimension how many
// things have several values of it.
func (r changeRows) cells(in *explain.Input) (several []explain.Pair, err error) {
	const first = 5 // column of the first dimension
	dims := len(in.Dimensions)
	if n := len(r.table.Columns) - first; n != dims && n != 2*dims {
		return nil, fault.Invalid("plan", "CHANGE_PLAN_INVALID",
			"the statement of the cells has %d columns, and a plan with %d dimensions needs %d: take the plan as PlanChange of text2sql wrote it",
			len(r.table.Columns), dims, first+dims)
	}
	cells := newCells()
	several = make([]explain.Pair, dims)
	for _, row := range r.table.Rows {
		var amount *explain.Amount
		if r.number(row, 0) == 1 {
			amount = &in.Total
			for i := range several {
				n := r.number(row, first+dims+i)
				if r.text(row, 1) == "before" {
					several[i].Before += n
				} else {
					several[i].After += n
				}
			}
		} else {
			keys := make([]string, len(in.Dimensions))
			for i := range keys {
				keys[i] = r.text(row, first+i)
			}
			amount = cells.of(keys)
		}
		value, base := r.number(row, 2), r.number(row, 3)
		switch r.text(row, 1) {
		case "before":
			amount.Value.Before += value
			amount.Base.Before += base
		case "after":
			amount.Value.After += value
			amount.Base.After += base
		default:
			return nil, fault.New(codes.InvalidArgument, "CHANGE_PLAN_INVALID", "the second column of the cells has to be before or after: take the plan as PlanChange of text2sql wrote it")
		}
	}
	in.Cells = cells.list
	return several, nil
}

// alone leaves only the dimensions of which things have one value each; several is how
// many have more than one, by the dimensions of the plan.
func (r *changeRead) alone(plan ChangePlan, several []explain.Pair) {
	in := &r.input
	var kept []int
	for k, id := range in.Dimensions {
		n := several[slices.IndexFunc(plan.Dimensions, func(d ChangeItem) bool { return d.ID == id })]
		of := in.Total.Value
		if in.Kind == explain.Ratio { // what the things add to a ratio, and not how many they are
			n, of = baseOfSeveral(in, k), in.Total.Base
		}
		if n.Before <= maySeveral*of.Before && n.After <= maySeveral*of.After {
			kept = append(kept, k)
			continue
		}
		r.overlapping = append(r.overlapping, id)
	}
	keep(in, kept)
}

// baseOfSeveral is the part of a ratio's base that belongs to things with several values of
// a dimension.
func baseOfSeveral(in *explain.Input, dimension int) (sum explain.Pair) {
	for _, c := range in.Cells {
		if c.Keys[dimension] == explain.ValueSeveral {
			sum.Before += c.Base.Before
			sum.After += c.Base.After
		}
	}
	return sum
}

// maySeveral is which part of the things may have several values of a dimension by which
// their number is split: with more, what a value lost cannot be told from what moved to
// or from things with several.
const maySeveral = 0.1

// keep leaves only some of the dimensions, by their places, and adds up the cells that are
// alike then.
func keep(in *explain.Input, kept []int) {
	if len(kept) == len(in.Dimensions) {
		return
	}
	cells := newCells()
	for _, c := range in.Cells {
		keys := make([]string, len(kept))
		for i, k := range kept {
			keys[i] = c.Keys[k]
		}
		sum := cells.of(keys)
		sum.Value.Before += c.Value.Before
		sum.Value.After += c.Value.After
		sum.Base.Before += c.Base.Before
		sum.Base.After += c.Base.After
	}
	dims := make([]string, len(kept))
	for i, k := range kept {
		dims[i] = in.Dimensions[k]
	}
	in.Dimensions, in.Cells = dims, cells.list
	if len(kept) == 0 {
		in.Cells = nil
	}
}

// cellsByKeys are cells, each once for its keys.
type cellsByKeys struct {
	list []explain.Cell
	at   map[string]int
}

func newCells() *cellsByKeys { return &cellsByKeys{at: map[string]int{}} }

// of is the amount of the cell with some keys, which is added where it is not there; the
// next call may move it.
func (c *cellsByKeys) of(keys []string) *explain.Amount {
	key := strings.Join(keys, "\x00")
	at, known := c.at[key]
	if !known {
		at = len(c.list)
		c.at[key] = at
		c.list = append(c.list, explain.Cell{Keys: keys})
	}
	return &c.list[at].Amount
}

// daily reads a course by days; what is no day is left out.
func (r changeRows) daily() []explain.Day {
	var out []explain.Day
	for _, row := range r.table.Rows {
		if d, ok := r.day(row); ok {
			out = append(out, explain.Day{Date: d, Value: r.number(row, 1), Base: r.number(row, 2)})
		}
	}
	slices.SortFunc(out, func(a, b explain.Day) int { return a.Date.Compare(b.Date) })
	return slices.CompactFunc(out, func(a, b explain.Day) bool { return a.Date.Equal(b.Date) })
}

func (r changeRows) day(row []any) (time.Time, bool) {
	text := r.text(row, 0)
	if len(text) > len(time.DateOnly) {
		text = text[:len(time.DateOnly)]
	}
	d, err := time.Parse(time.DateOnly, text)
	return d, err == nil
}

// factors reads both periods by factor.
func (r changeRows) factors(items []ChangeItem) []explain.Factor {
	out := make([]explain.Factor, len(items))
	for i := range items {
		out[i].ID = items[i].ID
	}
	for _, row := range r.table.Rows {
		for i := range out {
			if r.text(row, 0) == "after" {
				out[i].After = r.number(row, i+1)
			} else {
				out[i].Before = r.number(row, i+1)
			}
		}
	}
	return out
}

// events takes the dimensions that are the same all day long out of the cells, and makes
// events of their values.
func (r changeRows) events(in *explain.Input) {
	var kept []int
	for k := range in.Dimensions {
		values := map[string]bool{}
		same := len(r.table.Rows) > 0
		for _, row := range r.table.Rows {
			same = same && k+1 < len(row) && row[k+1] != nil
			values[r.text(row, k+1)] = true
		}
		if !same || len(values) < 2 {
			kept = append(kept, k)
			continue
		}
		in.Events = append(in.Events, r.eventsOf(k+1)...)
	}
	keep(in, kept)
}

// eventsOf makes an event of each run of days with one value.
func (r changeRows) eventsOf(column int) []explain.Event {
	var out []explain.Event
	for _, row := range r.table.Rows {
		d, ok := r.day(row)
		name := r.text(row, column)
		if !ok || name == "" {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Name == name && out[n-1].To.Equal(d) {
			out[n-1].To = d.AddDate(0, 0, 1)
			continue
		}
		out = append(out, explain.Event{Name: name, Period: explain.Period{From: d, To: d.AddDate(0, 0, 1)}})
	}
	return out
}
