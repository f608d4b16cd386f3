package result

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Units of a Column that change how its values are read, as the contract writes them.
const (
	// UnitPercent is that of fractions of 1, which people read as percent.
	UnitPercent = "%"
	// UnitPoints is that of differences of such fractions: 0.02 is two percentage points.
	UnitPoints = "pp"
)

// periods are the grains that a Column can tell, by their names in the contract.
var periods = map[string]Grain{"week": GrainWeek, "month": GrainMonth, "quarter": GrainQuarter, "year": GrainYear}

// PeriodOf is the name of a grain in a Column; empty where values stand for themselves.
func PeriodOf(g Grain) string {
	for name, grain := range periods {
		if grain == g {
			return name
		}
	}
	return ""
}

// PeriodText writes a period by its first day, short and in an order that sorts: "2026",
// "2026 Q1", "2026-01"; of other grains the day.
func PeriodText(t time.Time, g Grain) string {
	switch g {
	case GrainYear:
		return t.Format("2006")
	case GrainQuarter:
		return t.Format("2006") + " Q" + strconv.Itoa((int(t.Month())+2)/3)
	case GrainMonth:
		return t.Format("2006-01")
	}
	return t.Format(time.DateOnly)
}

// Shown writes a value for a person where its column tells more than the type does:
// fractions as percent ("93.74%"), and the first moments of periods as periods
// ("2026-01"). False where the column tells nothing that changes how the value is read.
// Files for programs write values as they are.
func (c Column) Shown(v any) (string, bool) {
	if c.Unit == UnitPercent || c.Unit == UnitPoints {
		n, ok := NumberOf(v, c)
		if !ok {
			return "", false
		}
		if f := n.Float64(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			unit := UnitPercent
			if c.Unit == UnitPoints {
				unit = " " + UnitPoints
			}
			return hundredths(100*f) + unit, true
		}
		return "", false
	}
	if g, ok := periods[c.Period]; ok {
		text, _ := v.(string)
		if at, _, ok := ParseMoment(text, time.UTC); ok {
			return PeriodText(at, g), true
		}
	}
	return "", false
}

// hundredths writes a number with at most two digits after the point; of one that is
// smaller, its first two digits.
func hundredths(p float64) string {
	const least = 0.01
	if a := math.Abs(p); a < least && a > 0 {
		short, _ := strconv.ParseFloat(strconv.FormatFloat(p, 'g', 2, 64), 64) // its own text
		return strconv.FormatFloat(short, 'f', -1, 64)
	}
	text := strings.TrimRight(strings.TrimRight(strconv.FormatFloat(p, 'f', 2, 64), "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}
