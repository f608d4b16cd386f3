package workflow

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/series"
	"github.com/dibrain/dibrain/services/analysis/statistics"
)

// maxUnusual bounds the rows of what a sweep found over all its series.
const maxUnusual = 50

// compute does a step over the results of others in this service.
func (w *Workflow) compute(ctx context.Context, s *State, step plan.Step) (*Result, error) {
	switch step.Kind {
	case plan.Forecast:
		return w.forecast(ctx, s, step)
	case plan.Segments:
		return w.segments(ctx, s, step)
	case plan.Relation:
		return w.relation(ctx, s, step)
	}
	return w.sweep(ctx, s, step)
}

// figures are those of a step by day, with the column that holds them.
func (w *Workflow) figures(ctx context.Context, s *State, id string) ([]series.Point, Column, error) {
	t, err := w.table(ctx, s, id)
	if err != nil {
		return nil, Column{}, err
	}
	kind := func(c Column) result.Kind { return result.Column{Type: c.Type}.Kind() }
	day := slices.IndexFunc(t.Columns, func(c Column) bool { return kind(c) == result.KindDate || kind(c) == result.KindTimestamp })
	figure := slices.IndexFunc(t.Columns, func(c Column) bool { return kind(c).Numeric() })
	if day < 0 || figure < 0 {
		return nil, Column{}, w.cannot(s, "no_series", "step", id)
	}
	today := s.Query.Now.Format(time.DateOnly)
	seen := make(map[time.Time]bool, len(t.Rows))
	var points []series.Point
	for _, row := range t.Rows {
		text, _ := row[day].(string)
		at, err := time.Parse(time.DateOnly, text[:min(len(text), len(time.DateOnly))])
		n, ok := result.NumberOf(row[figure], result.Column{Type: t.Columns[figure].Type})
		if err != nil || !ok || at.Format(time.DateOnly) >= today { // a day that is not over is no figure of a day
			continue
		}
		if seen[at] {
			return nil, Column{}, w.cannot(s, "no_series", "step", id)
		}
		seen[at] = true
		points = append(points, series.Point{Day: at, Value: n.Float64()})
	}
	return points, t.Columns[figure], nil
}

func (w *Workflow) cannot(s *State, key string, args ...string) error {
	return &CannotError{Reason: w.say(s, key, args...)}
}

// explained is an error of a computation in words for the asker.
func (w *Workflow) explained(s *State, err error) error {
	if few := (*series.TooFewError)(nil); errors.As(err, &few) {
		return w.cannot(s, "series_few", "have", strconv.Itoa(few.Have), "need", strconv.Itoa(few.Need))
	}
	if gaps := (*series.GapsError)(nil); errors.As(err, &gaps) {
		return w.cannot(s, "series_gaps", "missing", strconv.Itoa(gaps.Missing), "days", strconv.Itoa(gaps.Days))
	}
	if few := (*statistics.TooFewError)(nil); errors.As(err, &few) {
		return w.cannot(s, "rows_few", "have", strconv.Itoa(few.Have), "need", strconv.Itoa(few.Need))
	}
	if many := (*statistics.TooManyError)(nil); errors.As(err, &many) {
		return w.cannot(s, "rows_many", "have", strconv.Itoa(many.Have), "most", strconv.Itoa(many.Most))
	}
	if constant := (*statistics.ConstantError)(nil); errors.As(err, &constant) {
		return w.cannot(s, "rows_alike")
	}
	return err
}

// settled leaves out the digits that a figure does not have.
func settled(v float64) float64 {
	if math.Abs(v) >= 100 {
		return math.Round(v*100) / 100
	}
	return math.Round(v*1e4) / 1e4
}

// defaultDays is how far a forecast reaches whose step does not say.
const defaultDays = 14

func (w *Workflow) forecast(ctx context.Context, s *State, step plan.Step) (*Result, error) {
	points, figure, err := w.figures(ctx, s, step.Inputs[0])
	if err != nil {
		return nil, err
	}
	p, err := series.Forecast(points, reach(points, cmp.Or(step.Days, defaultDays), s.Query.Now))
	if err != nil {
		return nil, w.explained(s, err)
	}
	column := func(name, typ, unit string) Column {
		return Column{Name: name, Type: typ, Unit: unit, Label: w.say(s, "column_"+name)}
	}
	days := Table{Name: TableForecast, Columns: []Column{
		column("day", "date", ""), column("forecast", "double", figure.Unit), column("low", "double", figure.Unit), column("high", "double", figure.Unit),
	}}
	written := settled
	if (result.Column{Type: figure.Type}).Kind() == result.KindInteger { // of what is counted there are no parts
		written = math.Round
	}
	for _, d := range p.Days {
		days.Rows = append(days.Rows, []any{d.Day.Format(time.DateOnly), written(d.Value), written(d.Low), written(d.Top)})
	}
	tried := Table{Name: TableMethods, Columns: []Column{
		column("method", "varchar", ""), column("error", "double", figure.Unit), column("error_share", "double", "%"), column("origins", "bigint", ""),
	}}
	slices.SortStableFunc(p.Tried, func(a, b series.Tried) int { // the one that was taken first
		return cmp.Compare(rank(a.Method != p.Method), rank(b.Method != p.Method))
	})
	for _, m := range p.Tried {
		var share any
		if !math.IsNaN(m.Share) {
			share = settled(m.Share)
		}
		tried.Rows = append(tried.Rows, []any{w.say(s, "method_"+string(m.Method)), settled(m.Error), share, int64(p.Origins)})
	}
	out := &Result{Tables: []Table{days, tried}}
	if p.Filled > 0 {
		out.Warnings = append(out.Warnings, Warning{Code: "DAYS_FILLED", Text: w.say(s, "days_filled", "n", strconv.Itoa(p.Filled))})
	}
	return out, nil
}

// reach is how many days a forecast has to go on to reach as many days from today on as are
// asked for, where the newest days are not there yet. Figures that end longer ago than that
// are forecast from their own end.
func reach(points []series.Point, days int, now time.Time) int {
	if len(points) == 0 {
		return days
	}
	last := slices.MaxFunc(points, func(a, b series.Point) int { return a.Day.Compare(b.Day) }).Day
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	if late := int(today.Sub(last)/(24*time.Hour)) - 1; late > 0 && late <= days {
		return min(days+late, series.MaxDays)
	}
	return days
}

func rank(last bool) int {
	if last {
		return 1
	}
	return 0
}

// shown is a figure of one of several series with its unit, as people read it.
func shown(v float64, unit string) string {
	n, ok := result.Float(settled(v))
	switch {
	case !ok:
		return strconv.FormatFloat(v, 'g', 6, 64)
	case unit == "%" || unit == "fraction":
		return result.Percent(v)
	case unit == "":
		return n.String()
	}
	return n.String() + " " + unit
}

// daysTold are the first and the last day of a series of which is told what is unusual; newest as
// of series.Anomalies.
func daysTold(points []series.Point, newest int) []any {
	if len(points) == 0 {
		return []any{nil, nil}
	}
	earlier := func(a, b series.Point) int { return a.Day.Compare(b.Day) }
	first, last := slices.MinFunc(points, earlier).Day, slices.MaxFunc(points, earlier).Day
	if since := last.AddDate(0, 0, 1-newest); newest > 0 && since.After(first) {
		first = since
	}
	return []any{first.Format(time.DateOnly), last.Format(time.DateOnly)}
}

// sweep looks over all series of its inputs. One that cannot be looked at is told beside the
// others.
func (w *Workflow) sweep(ctx context.Context, s *State, step plan.Step) (*Result, error) {
	column := func(name, typ string) Column { return Column{Name: name, Type: typ, Label: w.say(s, "column_"+name)} }
	unusual := Table{Name: TableUnusual, Columns: []Column{
		column("figure", "varchar"), column("kind", "varchar"), column("day", "date"), column("value", "varchar"), column("usual", "varchar"),
		column("difference", "varchar"), column("score", "double"),
	}}
	swept := Table{Name: TableSwept, Columns: []Column{
		column("figure", "varchar"), column("first_day", "date"), column("last_day", "date"), column("days", "bigint"), column("problem", "varchar"),
	}}
	looked := false
	for _, id := range step.Inputs {
		points, figure, err := w.figures(ctx, s, id)
		var found []series.Anomaly
		if err == nil {
			found, err = series.Anomalies(points, step.Days)
			err = w.explained(s, err)
		}
		name := cmp.Or(figure.Label, figure.Name)
		if input, ok := s.Plan.Step(id); ok && name == "" {
			name = input.Title
		}
		problem := ""
		if cannot := (*CannotError)(nil); errors.As(err, &cannot) {
			problem = cannot.Reason
		} else if err != nil {
			return nil, err
		}
		looked = looked || err == nil
		swept.Rows = append(swept.Rows, append(append([]any{name}, daysTold(points, step.Days)...), int64(len(points)), problem))
		for _, a := range found {
			unusual.Rows = append(unusual.Rows, []any{
				name, w.say(s, "kind_"+string(a.Kind)), a.Day.Format(time.DateOnly), shown(a.Value, figure.Unit), shown(a.Usual, figure.Unit), shown(a.Value-a.Usual, figure.Unit), math.Round(10*a.Score) / 10,
			})
		}
	}
	if !looked {
		reason, _ := swept.Rows[0][len(swept.Columns)-1].(string)
		return nil, &CannotError{Reason: reason}
	}
	slices.SortStableFunc(unusual.Rows, func(a, b []any) int {
		x, _ := a[len(a)-1].(float64)
		y, _ := b[len(b)-1].(float64)
		return cmp.Compare(y, x)
	})
	unusual.Total = int64(len(unusual.Rows))
	unusual.Rows = unusual.Rows[:min(len(unusual.Rows), maxUnusual)]
	return &Result{Tables: []Table{unusual, swept}}, nil
}
