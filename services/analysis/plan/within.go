package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
)

// Days are whole days in a row, both ends among them.
type Days struct {
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
}

// Bounds of a sweep that is asked about a period.
const (
	beforeWithin = 8 * week // days before the period that say what is usual
	maxWithin    = MaxDays  // days of a longer period say it themselves
)

// Known reports whether there are such days.
func (d Days) Known() bool { return !d.First.IsZero() }

// count is how many days there are.
func (d Days) count() int { return int(d.Last.Sub(d.First)/(24*time.Hour)) + 1 }

// told is how many days at the end of the series are told; 0: all of them.
func (d Days) told() int {
	if !d.Known() || d.count() > maxWithin {
		return 0
	}
	return d.count()
}

// text says the days behind what is done.
func (d Days) text(l lang.Language) string {
	if !d.Known() {
		return ""
	}
	if l == lang.Chinese {
		return "（" + spanText(d.First, d.Last, l) + "）"
	}
	return " " + spanText(d.First, d.Last, l)
}

// window is the time of a series as text to SQL reads it: the last days, or those of the
// period that is asked about and enough before it to know what is usual.
func (req Request) window(l lang.Language) string {
	if !req.Within.Known() {
		return fmt.Sprintf(l.Pick("last %d days", "过去%d天"), req.Span)
	}
	first := req.Within.First
	if req.Within.told() > 0 {
		first = first.AddDate(0, 0, -beforeWithin)
	}
	return spanText(first, req.Within.Last, l)
}

// takeDays takes the days that a question over a course names: of a sweep those that it is
// about, of a forecast those to come. What is neither is told as not answered.
func (req *Request) takeDays(parsed Parsed, now time.Time, l lang.Language) {
	if req.Kind != "anomalies" && req.Kind != "forecast" {
		return
	}
	yesterday := time.Date(now.Year(), now.Month(), now.Day()-1, 0, 0, 0, 0, time.UTC)
	for _, s := range parsed.Spans {
		if s.Kind != "time" {
			continue
		}
		req.Rest = strings.TrimSpace(strings.Replace(req.Rest, s.Text, " ", 1))
		days := s.Days
		switch {
		case req.Kind == "anomalies" && days.Known() && !days.First.After(yesterday):
			if days.Last.After(yesterday) {
				days.Last = yesterday
			}
			req.Within = days
		case req.Kind == "forecast" && days.Known() && days.Last.After(yesterday) && req.Horizon == 0:
			req.Horizon = min(int(days.Last.Sub(yesterday)/(24*time.Hour)), MaxDays)
		default:
			req.Unanswered = append(req.Unanswered, Part{Text: s.Text, Reason: l.Pick(
				"a sweep looks at days that are over, a forecast at days to come", "异常检测看已结束的日期，预测看未来的日期")})
		}
	}
	req.Unanswered = slices.Compact(req.Unanswered)
}
