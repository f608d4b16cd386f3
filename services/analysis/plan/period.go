package plan

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dibrain/dibrain/pkg/lang"
)

// Periods are the two periods of a comparison as text to SQL reads them.
type Periods struct {
	// After is the period that is asked about, Before the one that it is compared with.
	After, Before string
	// Assumed says that the request names none.
	Assumed bool
}

// pairPattern finds a pair of periods, or one, of one unit in a text.
type pairPattern struct {
	like          *regexp.Regexp
	after, before string
}

// pairPatterns are the ways in which people name two periods of one unit, and one:
// "this month and last", "last week and the week before", "本月和上月".
func pairPatterns(units map[string]unit, l lang.Language) []pairPattern {
	names := make([]string, 0, len(units))
	for name := range units {
		names = append(names, name)
	}
	slices.Sort(names)
	var pairs, singles []pairPattern
	for _, name := range names {
		u := units[name].in(l)
		add := func(list *[]pairPattern, expression, after, before string) {
			*list = append(*list, pairPattern{like: regexp.MustCompile("(?i)" + expression), after: after, before: before})
		}
		if l == lang.Chinese {
			ge, between := `个?`, `(?:和|与|跟|同|及|以及|、|对比|比较|相比|比|vs|的?环比)`
			this, last := `(?:本|这`+ge+`|当)(?:`+u.Unit+`)`, `上`+ge+`(?:`+u.Unit+`)`
			earlier := `(?:上上` + ge + `(?:` + u.Unit + `)|再?前(?:一|两)?` + ge + `(?:` + u.Unit + `))`
			switch name {
			case "day":
				this, last, earlier = `(?:今天|今日)`, `(?:昨天|昨日)`, `(?:前天|前日)`
			case "year":
				this, last, earlier = `(?:今年|本年)`, `(?:去年|上年)`, `(?:前年)`
			}
			add(&pairs, last+between+`?`+earlier, u.Last, u.Earlier)
			add(&pairs, this+between+`?`+last, u.This, u.Last)
			add(&pairs, last+between+`?`+this, u.This, u.Last)
			add(&singles, this, u.This, u.Last)
			add(&singles, last, u.Last, u.Earlier)
			continue
		}
		unitName := regexp.QuoteMeta(u.Unit)
		between := `(?:'s)?\s*,?\s*(?:and|with|to|vs\.?|versus|against|compared?\s+(?:to|with|against)|over|than)?\s*`
		this, last := `\b(?:this|the current)\s+`+unitName+`\b`, `\b(?:the\s+)?(?:last|previous|prior)\s+`+unitName+`\b`
		if name == "day" {
			this, last = `\btoday\b`, `\byesterday\b`
		}
		before := `(?:the\s+)?(?:` + unitName + `|one)\s+before(?:\s+(?:last|that|it))?\b|the\s+(?:previous|prior|preceding)\s+(?:one|` + unitName + `)\b|the\s+day\s+before\s+yesterday\b`
		lastOrShort := `(?:` + last + `|\b(?:the\s+)?(?:last|previous|prior)(?:\s+one)?\b|` + before + `)`
		add(&pairs, last+between+`(?:`+before+`)`, u.Last, u.Earlier)
		add(&pairs, this+between+lastOrShort, u.This, u.Last)
		add(&pairs, last+between+this, u.This, u.Last)
		if name != "day" { // "this and last month"
			add(&pairs, `\b(?:this|the current)\s+(?:and|vs\.?|versus)\s+(?:the\s+)?(?:last|previous|prior)\s+`+unitName+`s?\b`, u.This, u.Last)
			add(&pairs, unitName+`\s*(?:-|\s)?(?:over|on)(?:-|\s)?\s*`+unitName+`\b`, u.This, u.Last)
		}
		add(&singles, this, u.This, u.Last)
		add(&singles, last, u.Last, u.Earlier)
	}
	return append(pairs, singles...)
}

// dates finds days in a text: 2026-11-04, 2026年11月4日.
var dates = regexp.MustCompile(`(\d{4})(?:-|/|年)(\d{1,2})(?:-|/|月)(\d{1,2})日?`)

// dateRanges finds two days with a word between them.
var dateRanges = regexp.MustCompile(`(?i)(?:\b(?:from|between)\s+)?(` + dates.String() + `)\s*(?:to|until|till|through|and|-|–|~|至|到)\s*(` + dates.String() + `)`)

func readDate(text string) (time.Time, bool) {
	m := dates.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, false
	}
	day, err := time.Parse("2006-1-2", fmt.Sprintf("%s-%s-%s", m[1], m[2], m[3]))
	return day, err == nil
}

// spanText is a range of whole days as text to SQL reads it.
func spanText(from, to time.Time, l lang.Language) string {
	if l == lang.Chinese {
		return from.Format("2006年1月2日") + "至" + to.Format("2006年1月2日")
	}
	return "from " + from.Format(time.DateOnly) + " to " + to.Format(time.DateOnly)
}

// periods finds the periods of a request and returns the text without them.
func (r *Rules) periods(text string, l lang.Language) (Periods, string, bool) {
	if found := dateRanges.FindAllString(text, -1); len(found) > 0 {
		var spans [][2]time.Time
		for _, f := range found {
			ends := dates.FindAllString(f, 2)
			from, ok := readDate(ends[0])
			to, also := readDate(ends[1])
			if ok && also && !to.Before(from) {
				spans = append(spans, [2]time.Time{from, to})
			}
		}
		rest := dateRanges.ReplaceAllString(text, " , ")
		switch {
		case len(spans) >= 2:
			after, before := spans[0], spans[1]
			if before[0].After(after[0]) {
				after, before = before, after
			}
			return Periods{After: spanText(after[0], after[1], l), Before: spanText(before[0], before[1], l)}, rest, true
		case len(spans) == 1:
			days := int(spans[0][1].Sub(spans[0][0])/(24*time.Hour)) + 1
			return Periods{
				After:  spanText(spans[0][0], spans[0][1], l),
				Before: spanText(spans[0][0].AddDate(0, 0, -days), spans[0][0].AddDate(0, 0, -1), l),
			}, rest, true
		}
	}
	if found, rest, ok := namedMonths(text, l); ok {
		return found, rest, true
	}
	for _, p := range r.pairs[l] {
		if at := p.like.FindStringIndex(text); at != nil {
			return Periods{After: p.after, Before: p.before}, text[:at[0]] + " , " + text[at[1]:], true
		}
	}
	return namedMonth(text, l)
}

// monthPairs find two months of the calendar with a word between them, "December 2025 and
// November 2025" or "2025年12月和11月"; one year may stand for both.
var monthPairs = func() map[lang.Language]*regexp.Regexp {
	en, zh := `\b(`+monthName+`)(?:,?\s+(?:of\s+)?(\d{4}))?`, `(?:(\d{4})年)?(\d{1,2})月份?`
	return map[lang.Language]*regexp.Regexp{
		lang.English: regexp.MustCompile(`(?i)` + en + `\s+(?:and|with|to|vs\.?|versus|against|over|than|compared?\s+(?:to|with|against))\s+` + en + `\b`),
		lang.Chinese: regexp.MustCompile(zh + `\s*(?:和|与|跟|同|及|以及|、|对比|比较|相比|比|vs)\s*` + zh),
	}
}()

// months find one month of the calendar with its year.
var months = map[lang.Language]*regexp.Regexp{
	lang.English: regexp.MustCompile(`(?i)\b(?:(?:in|of|for|during)\s+)?(` + monthName + `),?\s+(?:of\s+)?(\d{4})\b`),
	lang.Chinese: regexp.MustCompile(`(?:在)?(\d{4})年(\d{1,2})月份?`),
}

const monthName = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`

// monthStems are what the names of months begin with, in the order of the year.
const monthStems = "janfebmaraprmayjunjulaugsepoctnovdec"

// namedMonths are two months that a text names by their numbers or names, of which at least
// one has its year. A day of a month is none.
func namedMonths(text string, l lang.Language) (Periods, string, bool) {
	if l != lang.Chinese {
		l = lang.English
	}
	at := monthPairs[l].FindStringSubmatchIndex(text)
	if at == nil || strings.IndexFunc(text[at[1]:], unicode.IsDigit) == 0 {
		return Periods{}, text, false
	}
	group := func(i int) string {
		if at[2*i] < 0 {
			return ""
		}
		return text[at[2*i]:at[2*i+1]]
	}
	names, years := [2]string{group(1), group(3)}, [2]string{group(2), group(4)}
	if l == lang.Chinese {
		names, years = years, names
	}
	var first [2]time.Time
	for i := range names {
		var ok bool
		if first[i], ok = monthOf(names[i], cmp.Or(years[i], years[1-i])); !ok {
			return Periods{}, text, false
		}
	}
	after, before := first[0], first[1]
	if before.After(after) {
		after, before = before, after
	}
	return Periods{After: wholeMonth(after, l), Before: wholeMonth(before, l)}, text[:at[0]] + " , " + text[at[1]:], !after.Equal(before)
}

// namedMonth is one month that a text names with its year, beside the one before it.
func namedMonth(text string, l lang.Language) (Periods, string, bool) {
	if l != lang.Chinese {
		l = lang.English
	}
	at := months[l].FindStringSubmatchIndex(text)
	if at == nil || strings.IndexFunc(text[at[1]:], unicode.IsDigit) == 0 {
		return Periods{}, text, false
	}
	name, year := text[at[2]:at[3]], text[at[4]:at[5]]
	if l == lang.Chinese {
		name, year = year, name
	}
	month, ok := monthOf(name, year)
	if !ok {
		return Periods{}, text, false
	}
	return Periods{After: wholeMonth(month, l), Before: wholeMonth(month.AddDate(0, -1, 0), l)}, text[:at[0]] + " , " + text[at[1]:], true
}

// monthOf is the first day of a month that is given by its name or its number.
func monthOf(name, year string) (time.Time, bool) {
	y, _ := strconv.Atoi(year)
	month, err := strconv.Atoi(name)
	if err != nil && len(name) >= 3 {
		month = strings.Index(monthStems, strings.ToLower(name[:3]))/3 + 1
	}
	return time.Date(y, time.Month(month), 1, 0, 0, 0, 0, time.UTC), y > 0 && month >= 1 && month <= 12
}

func wholeMonth(first time.Time, l lang.Language) string {
	return spanText(first, first.AddDate(0, 1, -1), l)
}

// eventDays is how long before and after an event is looked.
const eventDays = 7

// around are the days from an event on and as many before it. Of an event whose days are
// not over, those up to yesterday count.
func around(text string, now time.Time, l lang.Language) (Periods, string, bool) {
	at := dates.FindString(text)
	day, ok := readDate(at)
	yesterday := time.Date(now.Year(), now.Month(), now.Day()-1, 0, 0, 0, 0, time.UTC)
	if !ok || day.After(yesterday) {
		return Periods{}, text, false
	}
	last := day.AddDate(0, 0, eventDays-1)
	if last.After(yesterday) {
		last = yesterday
	}
	days := int(last.Sub(day)/(24*time.Hour)) + 1
	return Periods{After: spanText(day, last, l), Before: spanText(day.AddDate(0, 0, -days), day.AddDate(0, 0, -1), l)},
		strings.Replace(text, at, " , ", 1), true
}

// numeral is a number of days, weeks or months, in digits or in words.
const numeral = `\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[一二两三四五六七八九十]`

var (
	pastDays = regexp.MustCompile(`(?i)\b(?:over|in|of|for|during)?\s*(?:the\s+)?(?:last|past|previous)\s+(` + numeral + `)\s+(days?|weeks?|months?)\b|(?:在)?(?:过去|最近|近)的?(` + numeral + `)个?(天|日|周|星期|月)的?`)
	nextDays = regexp.MustCompile(`(?i)\b(?:over|in|of|for|during)?\s*(?:the\s+)?(?:next|coming|following)\s+(?:(` + numeral + `)\s+)?(days?|weeks?|months?)\b|(?:未来|接下来|今后|后续|下)的?(?:(` + numeral + `)?个?)(天|日|周|星期|月)的?`)
)

// numerals are the numbers that are written as words.
var numerals = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
}

// reach finds how many days a text looks back and ahead; 0: it does not say. "Next week" and
// "next month" are those of the calendar and end with them. rest is the text without that.
func reach(text string, now time.Time) (span, horizon int, rest string) {
	span, _, rest = daysOf(pastDays, text)
	horizon, unit, rest := daysOf(nextDays, rest)
	if horizon == 0 && unit != "" {
		horizon = daysLeft(unit, now)
	}
	return min(span, maxSpan), min(horizon, MaxDays), rest
}

// daysLeft is how many days there are from yesterday, the newest day of whole figures, to the
// end of the next week or month.
func daysLeft(unit string, now time.Time) int {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	var end time.Time
	switch unit {
	case "week":
		end = today.AddDate(0, 0, week-(int(today.Weekday())+week-1)%week+week-1)
	case "month":
		end = time.Date(now.Year(), now.Month()+2, 0, 0, 0, 0, 0, time.UTC)
	default: // "the next days" says no number
		return 0
	}
	return int(end.Sub(today)/(24*time.Hour)) + 1
}

// week is how many days one has.
const week = 7

// daysOf finds a number of days; 0 where the text names a unit alone, and no unit where it
// names nothing.
func daysOf(like *regexp.Regexp, text string) (days int, unit, rest string) {
	m := like.FindStringSubmatch(text)
	if m == nil {
		return 0, "", text
	}
	digits := strings.ToLower(m[1] + m[3])
	n := numerals[digits]
	if read, err := strconv.Atoi(digits); err == nil && read > 0 {
		n = read
	}
	switch unit = strings.ToLower(m[2] + m[4]); {
	case strings.HasPrefix(unit, "week") || unit == "周" || unit == "星期":
		unit, n = "week", week*n
	case strings.HasPrefix(unit, "month") || unit == "月":
		unit, n = "month", 30*n
	default:
		unit = "day"
	}
	return n, unit, strings.Replace(text, m[0], " , ", 1)
}
