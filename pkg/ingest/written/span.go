package written

import (
	"strconv"
	"strings"
	"unicode"
)

// IsSpan reports a text that is a time of day without a day, or a length of time: "07:30", "1:02:30.5",
// "9:15 pm", "10h02", "1h 20m", "45s", "2 days 3 hours", "1小时20分".
func (w *Words) IsSpan(text string) bool {
	if len(text) > maxNumber {
		return false
	}
	s := strings.TrimPrefix(strings.TrimSpace(narrow(text)), "-")
	return w.isClock(strings.ToLower(s)) || w.isLength(s)
}

// isClock reports hours and minutes, or minutes and seconds, with a colon between them.
func (w *Words) isClock(s string) bool {
	end := strings.LastIndexFunc(s, unicode.IsDigit) + 1
	if half := strings.Trim(strings.ReplaceAll(s[end:], ".", ""), " "); half != "" && w.halves[half] == "" && half != "h" && half != "uhr" {
		return false
	}
	parts := strings.Split(s[:end], ":")
	if len(parts) < 2 || len(parts) > 3 || len(parts[0]) > 3 || !digits(parts[0]) {
		return false
	}
	last := len(parts) - 1
	if whole, fraction, pointed := strings.Cut(strings.Replace(parts[last], ",", ".", 1), "."); pointed && digits(fraction) {
		parts[last] = whole
	}
	for _, p := range parts[1:] {
		if len(p) != 2 || !digits(p) || p[0] > '5' {
			return false
		}
	}
	return true
}

// isLength reports numbers with a unit of time right behind each, but for a last one: "10h02".
func (w *Words) isLength(s string) bool {
	units, numbers := 0, 0
	for s != "" {
		end := strings.IndexFunc(s, func(r rune) bool { return !isCore(r) })
		if end < 0 { // minutes behind hours
			return units == 1 && numbers == 1 && len(s) == 2 && digits(s) && s[0] <= '5'
		}
		if end == 0 || core(s[:end], '.', ',') == "" && !digits(s[:end]) && core(s[:end], ',', '.') == "" {
			return false
		}
		numbers++
		s = strings.TrimLeft(s[end:], " ")
		end = strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
		if end < 0 {
			end = len(s)
		}
		if _, known := w.spanUnit(s[:end]); !known {
			return false
		}
		units++
		s = strings.TrimLeft(s[end:], " .,")
		for _, and := range spanAnds {
			s = strings.TrimPrefix(s, and)
		}
	}
	return units > 0
}

// IsSpanUnit reports the name of a unit of time, such as "min" and "hours".
func (w *Words) IsSpanUnit(text string) bool {
	_, known := w.spans[strings.ToLower(text)]
	return known
}

// spanUnit is a unit of time in seconds, 0 where it has no one length. A lone letter counts only as it is kept: "60W" is
// no week.
func (w *Words) spanUnit(text string) (seconds int64, known bool) {
	seconds, known = w.spans[text]
	if !known && len(text) > 1 {
		seconds, known = w.spans[strings.ToLower(text)]
	}
	return seconds, known
}

// ReadLength reads a text that is a length of time, in seconds: numbers with a unit behind each ("1h 20m", "45s"), or
// hours, minutes and seconds with colons between them ("26:15:00"), which may be a time of day as well (clock). ok is
// false for all else, as "07:30", of which nobody knows whether it has hours or minutes first.
func (w *Words) ReadLength(text string) (seconds float64, clock, ok bool) {
	if len(text) > maxNumber {
		return 0, false, false
	}
	s := strings.TrimSpace(narrow(text))
	sign := 1.0
	if rest, minus := strings.CutPrefix(s, "-"); minus {
		s, sign = rest, -1
	}
	if parts := strings.Split(strings.Replace(s, ",", ".", 1), ":"); len(parts) == 3 && w.isClock(s) {
		for _, p := range parts {
			n, err := strconv.ParseFloat(p, 64)
			if err != nil { // "1:02:30 pm"
				return 0, false, false
			}
			seconds = seconds*60 + n
		}
		return sign * seconds, true, true
	}
	if !w.isLength(s) {
		return 0, false, false
	}
	for s != "" {
		end := strings.IndexFunc(s, func(r rune) bool { return !isCore(r) })
		if end < 0 { // "10h02" may be a time of day
			return 0, false, false
		}
		n, err := strconv.ParseFloat(strings.Replace(s[:end], ",", ".", 1), 64)
		s = strings.TrimLeft(s[end:], " ")
		if end = strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); end < 0 {
			end = len(s)
		}
		unit, _ := w.spanUnit(s[:end])
		if err != nil || unit == 0 {
			return 0, false, false
		}
		seconds += n * float64(unit)
		s = strings.TrimLeftFunc(s[end:], func(r rune) bool { return r == ' ' || r == '.' || r == ',' })
		for _, and := range spanAnds {
			s = strings.TrimPrefix(s, and)
		}
	}
	return sign * seconds, false, true
}

// spanAnds stand between the parts of a length of time.
var spanAnds = []string{"and ", "und ", "et ", "y "}

// HoldsRatio reports two numbers that make one value together: "3/5", "4.5/10", "4 of 5", `5'11"`.
func (w *Words) HoldsRatio(text string) bool {
	s := strings.TrimSpace(narrow(text))
	if len(s) > 16 || s == "" || !isDigit(s[0]) {
		return false
	}
	if feet, inches, cut := strings.Cut(strings.NewReplacer("′", "'", "’", "'", "″", `"`, "”", `"`, "''", `"`).Replace(s), "'"); cut {
		inches, closed := strings.CutSuffix(strings.TrimSpace(inches), `"`)
		return few(feet) && (inches == "" && !closed || few(inches))
	}
	for _, mark := range []string{"/", " out of ", " of "} {
		if a, b, cut := strings.Cut(s, mark); cut {
			return few(strings.TrimSpace(a)) && few(strings.TrimSpace(b))
		}
	}
	return false
}

// few reports a number of at most two digits before its point.
func few(s string) bool {
	whole, fraction, pointed := strings.Cut(s, ".")
	return digits(whole) && len(whole) <= 2 && (len(whole) == 1 || whole[0] != '0') && (!pointed || digits(fraction))
}

// Suffix is what letters or signs stand right behind the digits that a text begins with: "W" of "60W", "℥" of
// "5℥"; empty where anything else is there.
func Suffix(text string) string {
	at := strings.LastIndexFunc(text, isCore) + 1
	if at == 0 || at == len(text) || len(text)-at > 8 || core(text[:at], '.', ',') == "" {
		return ""
	}
	if strings.IndexFunc(text[at:], func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.S, unicode.No) }) >= 0 {
		return ""
	}
	return text[at:]
}
