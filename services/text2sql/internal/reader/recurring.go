package reader

import (
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// timesAgain keeps the rows of times that come again, "on Saturdays", "after 8 pm": days of the week
// that stand beside each other are any of them.
func (b *composer) timesAgain() {
	if len(b.d.again) == 0 {
		return
	}
	if b.d.compares || b.d.against {
		b.fail("times that come again beside each other")
		return
	}
	sub, c := b.happening()
	if sub == nil {
		c = b.day()
	}
	if c == nil {
		b.fail("nothing is dated")
		return
	}
	var days []intent.Literal
	hours := dates.Recurrence{}
	for _, f := range b.d.again {
		for _, d := range f.Recurs.Weekdays() {
			days = append(days, intent.Literal{Text: d.String()})
		}
		if f.Recurs.Before == 0 {
			continue
		}
		if hours.Before > 0 {
			b.fail("two times of the day")
			return
		}
		hours = f.Recurs
	}
	conds := onWeekdays(c, days)
	if hours.Before > 0 {
		if strings.EqualFold(c.Type, "date") {
			b.fail("an hour of what has days alone")
			return
		}
		conds = append(conds, atHours(c, hours)...)
	}
	if sub != nil {
		sub.Filters = append(sub.Filters, conds...)
		return
	}
	for _, cond := range conds {
		b.filter(cond)
	}
}

// cut is a column of days or times cut to steps that come again.
func cut(c *schema.Column, grain string) *intent.Output {
	return &intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: c.ID, Grain: grain}}
}

func onWeekdays(c *schema.Column, days []intent.Literal) []intent.Cond {
	switch len(days) {
	case 0:
		return nil
	case 1:
		return []intent.Cond{{Op: intent.Eq, Left: cut(c, intent.Weekday), Values: days}}
	}
	return []intent.Cond{{Op: intent.In, Left: cut(c, intent.Weekday), Values: days}}
}

// hoursOfDay is where a day ends.
const hoursOfDay = 24

func atHours(c *schema.Column, x dates.Recurrence) []intent.Cond {
	var out []intent.Cond
	if x.From > 0 {
		out = append(out, intent.Cond{Op: intent.Ge, Left: cut(c, intent.HourOfDay), Values: []intent.Literal{number(itoa(int64(x.From)))}})
	}
	if x.Before < hoursOfDay {
		out = append(out, intent.Cond{Op: intent.Lt, Left: cut(c, intent.HourOfDay), Values: []intent.Literal{number(itoa(int64(x.Before)))}})
	}
	return out
}
