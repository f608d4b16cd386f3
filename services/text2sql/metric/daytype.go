package metric

import (
	"fmt"
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
)

// dayTypeID is a dimension that every table with days has, also where the layer
// does not say so.
const dayTypeID = "day_type"

// dayType tells weekends, Saturday and Sunday, from the other days.
func dayType() semantic.Dimension {
	return semantic.Dimension{
		ID:    dayTypeID,
		Names: semantic.Text{EN: "weekday or weekend", ZH: "工作日或周末"},
		Synonyms: []string{
			"weekday/weekend", "day type", "type of day", "weekdays and weekends", "weekends and weekdays", "weekdays vs weekends", "weekday vs weekend", "weekdays versus weekends", "weekday versus weekend",
			"周末与平日", "平日与周末", "工作日与周末", "周末与工作日",
		},
		Values: []semantic.Value{
			{Value: "weekday", Synonyms: []string{"weekdays", "workdays", "工作日", "平日", "周一到周五", "周一至周五"}},
			{Value: "weekend", Synonyms: []string{"weekends", "the weekend", "the weekends", "周末", "双休日", "周六日", "周六周日"}},
		},
	}
}

// dayTypes doubts weekdays and weekends that are no kind of day: "by weekday" is by
// Monday, Tuesday and so on, "last weekend" and one without a period are two days.
func (r *reader) dayTypes(grouped bool) {
	prev := r.around(-1)
	dated := slices.ContainsFunc(r.units, func(u unit) bool { return u.date != nil && u.date.Grain == "" })
	if grouped || !dated || prev != nil && prev.is("deictic") {
		r.doubt("which days: all weekdays or weekends of a period, or some of them")
	}
}

// sayDayTypes tells what weekdays and weekends are where an answer has them.
func (r *reader) sayDayTypes() {
	if slices.Contains(needs(&r.out.Intent), dayTypeID) {
		r.assume(dayTypeID)
	}
}

// dayTypeOf is that dimension in the table of a metric: by its time, which has to
// tell days apart.
func dayTypeOf(m semantic.Metric) (semantic.Dimension, bool) {
	d := dayType()
	if m.Time == "" || m.Grain != "day" && m.Grain != "hour" {
		return d, false
	}
	d.Table = m.TimeOf()
	d.Expr = fmt.Sprintf("CASE WHEN day_of_week(CAST(%s AS date)) >= 6 THEN 'weekend' ELSE 'weekday' END", m.Time)
	return d, true
}
