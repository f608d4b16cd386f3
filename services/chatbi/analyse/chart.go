package analyse

import (
	"math"
	"slices"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/chart/advise"
	"github.com/dibrain/dibrain/pkg/result"
)

// Chart is advice on how to draw a result.
type Chart struct {
	Kind   chart.Kind
	Title  string
	X      string
	Y      []string
	Series string
	// Option is the ECharts option as JSON; empty for a table and for one number.
	Option string
	// Alt says in words what the chart shows, with its extremes; empty where there is
	// none.
	Alt string
	// Reason says why it is drawn so.
	Reason string
	// Others are the next best ways to draw it, at most two.
	Others []Alternative
}

// Alternative is another way to draw a result.
type Alternative struct {
	Kind   chart.Kind
	Reason string
}

// Codes of warnings about charts.
const (
	WarnDeclined  = "CHART_DECLINED"
	WarnChartPart = "CHART_PARTIAL"
)

// chart draws the first choice of the adviser. A wish that the caller gives counts
// before one that the question has in words.
func (w *work) chart() Chart {
	wish := w.adviser.Read(w.Question)
	if w.Wanted != chart.None {
		wish.Kind, wish.Other = w.Wanted, nil
	}
	advice := w.adviser.Advise(w.data(), wish)
	c := w.draw(advice.Choices[0])
	c.Reason = advice.Choices[0].Reason(w.Language)
	for _, other := range advice.Choices[1:] {
		c.Others = append(c.Others, Alternative{other.Kind, other.Reason(w.Language)})
	}
	if d := advice.Declined; d != nil && len(w.Table.Rows) > 0 {
		w.warn(WarnDeclined, "warn_declined", args{"kind": d.Title(w.Language), "why": d.Reason(w.Language), "instead": c.Kind.Title(w.Language)})
	}
	return c
}

// data is the result as the adviser sees it.
func (w *work) data() advise.Data {
	d := advise.Data{Rows: len(w.Table.Rows), Partial: w.partial(), SortedBy: -1, Unique: w.unique}
	for i := range w.Table.Columns {
		f := w.field(i)
		if w.told != nil && i != w.told.change && slices.Contains(w.told.columns(), i) && w.Wanted == chart.None {
			f.Numbers = 0 // the change is drawn, as the answer leads with it
		}
		d.Fields = append(d.Fields, f)
	}
	if w.Order != nil && slices.Contains(w.shape.measures, w.Order.Column) {
		d.SortedBy = w.Order.Column
	}
	return d
}

func (w *work) field(i int) advise.Field {
	column := w.Table.Columns[i]
	f := advise.Field{Name: column.Name, Unit: w.Columns[i].Unit, Numeric: column.Kind().Numeric()}
	switch w.roles[i] {
	case roleTime:
		f.Role = advise.Time
		if w.shape.kind == shapeRanking && w.shape.category == i {
			f.Role = advise.Category // the best days are no course of time
		}
	case roleCategory:
		switch f.Role = advise.Category; {
		case w.words.CalendarPart.in(column.Name):
			f.Ordered = f.Numeric
		case w.words.Identifier.in(column.Name):
			f.Role = advise.Identifier
		case w.words.Geography.in(column.Name):
			f.Role = advise.Geography
		}
	case roleMeasure:
		f.Role, f.Additive = advise.Measure, w.additive(i)
		for _, v := range w.floats(i) {
			if math.IsNaN(v) {
				continue
			}
			f.Numbers++
			f.Negative = f.Negative || v < 0
			f.Peak = max(f.Peak, math.Abs(v))
		}
		return f
	case roleOther:
		return f
	}
	for _, row := range w.Table.Rows {
		if row[i] == nil {
			f.Nulls++
		}
	}
	f.Distinct = len(w.values(i).first)
	return f
}

// float is a number of a column as a chart has it: of fractions the percent. NaN where
// there is none.
func (w *work) float(v any, column int) float64 {
	n, ok := result.FloatOf(v, w.Table.Columns[column])
	if !ok {
		return math.NaN()
	}
	if unit := w.Columns[column].Unit; unit == UnitFraction || unit == UnitPoints {
		return 100 * n
	}
	return n
}

// chartUnit is the unit that float's numbers are in.
func (w *work) chartUnit(column int) string {
	switch unit := w.Columns[column].Unit; unit {
	case UnitFraction, "%", "％":
		return chart.Percent
	case UnitPoints:
		return w.Language.Pick("percentage points", "个百分点")
	default:
		return unit
	}
}

// measured is a measure's label with its unit, for where no axis tells it.
func (w *work) labelled(column int) string {
	if unit := w.chartUnit(column); unit != "" {
		return w.label(column) + " (" + unit + ")"
	}
	return w.label(column)
}
