// Package dates finds expressions of time in a question and turns them into
// half-open ranges of days in the asker's time zone. "Past 30 days" are the 30
// full days before today: today is not over, and its number would mislead.
package dates

import (
	_ "embed" // patterns.yaml
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

//go:embed patterns.yaml
var patterns []byte

// Found is an expression of time in a text.
type Found struct {
	Start, End int // bytes of the text
	Text       string
	// From and To are midnights in the location of now; To is exclusive. Zero:
	// open on that side.
	From, To time.Time
	// Grain is set for expressions such as "by week", which have no range.
	Grain string
	// Comparison marks "year over year" and the like, which no range stands for.
	Comparison bool
	// Between marks a comparison that may also be one of things, such as "versus".
	Between bool
	// Today marks a range that takes in the current day.
	Today bool
	// Period is the calendar unit that the range is one of, whole or so far: "this
	// month", "Q3 2026"; empty for other ranges.
	Period string
	// Unit and N are set for "past 8 weeks": where the answer is cut by the same
	// unit, Calendar gives the full periods that are meant. Full marks that the
	// text says so itself, and that the range is theirs already.
	Unit string
	N    int
	Full bool
}

// Calendar returns the range of the last N full calendar periods before now for
// an expression with a Unit; weeks are from Monday to Sunday.
func (f Found) Calendar(now time.Time) (from, to time.Time) {
	to = truncate(midnight(now), f.Unit)
	return shift(to, f.Unit, -f.N), to
}

// Reader finds expressions; read-only after New.
type Reader struct {
	units       map[string]string
	numbers     map[string]int
	months      map[string]time.Month
	weekdays    map[string]int // days after Monday
	ordinals    map[string]int
	ranges      []pattern
	grains      []pattern
	comparisons *regexp.Regexp
	between     *regexp.Regexp
}

type pattern struct {
	Kind  string `yaml:"kind"`
	Grain string `yaml:"grain"`
	N     *int   `yaml:"n"`
	Unit  string `yaml:"unit"`
	Text  string `yaml:"text"`
	re    *regexp.Regexp
}

// New compiles the patterns.
func New() (*Reader, error) {
	var data struct {
		Units       map[string][]string `yaml:"units"`
		Numbers     map[string]int      `yaml:"numbers"`
		Ordinals    map[string]int      `yaml:"ordinals"`
		Months      [][]string          `yaml:"months"`
		Weekdays    [][]string          `yaml:"weekdays"`
		Ranges      []pattern           `yaml:"ranges"`
		Grains      []pattern           `yaml:"grains"`
		Comparisons string              `yaml:"comparisons"`
		Between     string              `yaml:"between"`
	}
	if err := yaml.Unmarshal(patterns, &data); err != nil {
		return nil, fmt.Errorf("date patterns: %w", err)
	}
	r := &Reader{units: map[string]string{}, numbers: data.Numbers, ordinals: data.Ordinals, months: map[string]time.Month{}, weekdays: map[string]int{}, ranges: data.Ranges, grains: data.Grains}
	var unitWords, numberWords, monthWords, clearMonths []string
	for unit, words := range data.Units {
		for _, w := range words {
			r.units[w] = unit
			unitWords = append(unitWords, w)
		}
	}
	for w := range data.Numbers {
		numberWords = append(numberWords, w)
	}
	for i, words := range data.Months {
		for _, w := range words {
			r.months[w] = time.Month(i + 1)
			monthWords = append(monthWords, w)
			if len(w) > 5 || w == "april" || w == "june" || w == "july" {
				clearMonths = append(clearMonths, w) // no other English word
			}
		}
	}
	var english, chinese []string
	for i, words := range data.Weekdays {
		for _, w := range words {
			r.weekdays[w] = i
			if w[0] < utf8.RuneSelf {
				english = append(english, w)
			} else {
				chinese = append(chinese, w)
			}
		}
	}
	month := alternatives(monthWords)
	day := `(?:\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|(?:\d{4}年)?\d{1,2}月\d{1,2}[日号]|\d{1,2}(?:st|nd|rd|th)? (?:of )?` + month + `(?:,? \d{4})?|` + month + ` \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?)`
	replace := strings.NewReplacer(
		"{weekday}", `(?P<weekday>`+alternatives(english)+`)`, "{zhweekday}", `(?P<weekday>`+alternatives(chinese)+`)`,
		"{ordinal}", `(?P<ordinal>`+alternatives(slices.Collect(maps.Keys(data.Ordinals)))+`)`, "{d1}", `(?P<d1>[0-3]?\d)`, "{d2}", `(?P<d2>[0-3]?\d)`,
		"{n}", `(?P<n>\d+|`+alternatives(numberWords)+`)`,
		"{unit}", `(?P<unit>`+alternatives(unitWords)+`)`,
		"{date}", `(?P<date>`+day+`)`, "{md}", `(?P<md>\d{1,2}[./]\d{1,2})`, "{double}", `(?P<double>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])`,
		"{lastyear}", `(?P<lastyear>last year(?:['’]s)? |去年的?)?`, "{after}", `(?P<lastyear>,? (?:of )?last year)?`,
		"{month}", `(?P<month>`+month+`)`, "{clearmonth}", `(?P<month>`+alternatives(clearMonths)+`)`,
		"{zhmonth}", `(?P<zhmonth>\d{1,2}|十[一二]?|[一二三四五六七八九])`,
		"{year}", `(?P<year>(?:19|20)\d\d)`, "{q}", `(?P<q>[1-4一二三四])`)
	for _, list := range [][]pattern{r.ranges, r.grains} {
		for i := range list {
			re, err := regexp.Compile(`(?:` + replace.Replace(list[i].Text) + `)`)
			if err != nil {
				return nil, fmt.Errorf("date pattern %q: %w", list[i].Text, err)
			}
			list[i].re = re
		}
	}
	var err error
	if r.comparisons, err = regexp.Compile(data.Comparisons); err != nil {
		return nil, fmt.Errorf("date comparisons: %w", err)
	}
	if r.between, err = regexp.Compile(data.Between); err != nil {
		return nil, fmt.Errorf("date comparisons: %w", err)
	}
	return r, nil
}

// alternatives is a pattern of words, longer ones first.
func alternatives(words []string) string {
	sort.Slice(words, func(i, j int) bool {
		if len(words[i]) != len(words[j]) {
			return len(words[i]) > len(words[j])
		}
		return words[i] < words[j]
	})
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = regexp.QuoteMeta(w)
	}
	return `(?:` + strings.Join(quoted, "|") + `)`
}

// Find returns the expressions of a text in order, none overlapping.
func (r *Reader) Find(text string, now time.Time) []Found { return r.find(text, now, true) }

// Periods returns the ranges and grains of a text alone: for a caller that has
// its own words for comparisons, which may take in a part of a range's.
func (r *Reader) Periods(text string, now time.Time) []Found { return r.find(text, now, false) }

func (r *Reader) find(text string, now time.Time, comparisons bool) []Found {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		lower = text // letters whose case changes their length: offsets would shift
	}
	var out []Found
	free := func(start, end int) bool {
		for _, f := range out {
			if start < f.End && f.Start < end {
				return false
			}
		}
		return bounded(lower, start, end)
	}
	if comparisons {
		for _, between := range []bool{false, true} {
			re := map[bool]*regexp.Regexp{false: r.comparisons, true: r.between}[between]
			for _, m := range re.FindAllStringIndex(lower, -1) {
				if free(m[0], m[1]) {
					out = append(out, Found{Start: m[0], End: m[1], Text: text[m[0]:m[1]], Comparison: true, Between: between})
				}
			}
		}
	}
	for _, p := range r.grains {
		for _, m := range p.re.FindAllStringIndex(lower, -1) {
			if free(m[0], m[1]) {
				out = append(out, Found{Start: m[0], End: m[1], Text: text[m[0]:m[1]], Grain: p.Grain})
			}
		}
	}
	for _, p := range r.ranges {
		for _, m := range p.re.FindAllStringSubmatchIndex(lower, -1) {
			if !free(m[0], m[1]) {
				continue
			}
			f := Found{Start: m[0], End: m[1], Text: text[m[0]:m[1]]}
			if r.resolve(&f, p, groups(p.re, lower, m), now) {
				out = append(out, f)
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Start < out[j].Start })
	return out
}

// bounded reports whether a match does not cut a Latin word, a number, or a date
// written with signs: the year of a day that does not exist is no year.
func bounded(s string, start, end int) bool {
	digit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	sign := func(i int) bool { return i >= 0 && i < len(s) && strings.IndexByte("-/.", s[i]) >= 0 }
	if digit(end-1) && sign(end) && digit(end+1) || digit(start) && sign(start-1) && digit(start-2) {
		return false
	}
	word := func(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }
	return (start == 0 || !word(s[start-1]) || !word(s[start])) && (end == len(s) || !word(s[end]) || !word(s[end-1]))
}

func groups(re *regexp.Regexp, s string, m []int) map[string][]string {
	out := map[string][]string{}
	for i, name := range re.SubexpNames() {
		if name != "" && m[2*i] >= 0 {
			out[name] = append(out[name], s[m[2*i]:m[2*i+1]])
		}
	}
	return out
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// resolve gives an expression its range; false where it is no date after all.
func (r *Reader) resolve(f *Found, p pattern, g map[string][]string, now time.Time) bool {
	today := midnight(now)
	switch p.Kind {
	case "last", "full":
		return r.last(f, p, g, today)
	case "offset":
		f.From = shift(truncate(today, p.Unit), p.Unit, *p.N)
		f.To, f.Period = shift(f.From, p.Unit, 1), p.Unit
		if *p.N == 0 {
			f.soFar(today)
		}
	case "before_today":
		f.To = today
	case "between":
		if len(g["date"]) != 2 {
			return false
		}
		from, ok1 := r.day(g["date"][0], today)
		to, ok2 := r.day(g["date"][1], today)
		if !year.MatchString(g["date"][0]) && ok1 && ok2 && to.Before(from) {
			from = from.AddDate(-1, 0, 0) // from December to January
		}
		f.From, f.To = from, to.AddDate(0, 0, 1)
		return ok1 && ok2 && f.From.Before(f.To)
	case "since", "after", "until", "before", "day":
		return r.oneDay(f, p.Kind, g, today)
	case "weekday":
		f.From = truncate(today, "week").AddDate(0, 0, r.weekdays[first(g["weekday"])])
		if p.N != nil {
			f.From = f.From.AddDate(0, 0, 7**p.N)
		} else if !f.From.Before(today) {
			f.From = f.From.AddDate(0, 0, -7) // the last one that is over
		}
		f.To = f.From.AddDate(0, 0, 1)
		return f.From.Before(today)
	case "double", "md":
		return r.monthAndDay(f, p.Kind, g, today)
	case "quarter", "month", "year", "half":
		return r.period(f, p.Kind, g, today)
	case "since_month":
		ok := r.period(f, "month", g, today)
		f.To, f.Period = today, ""
		return ok && f.From.Before(f.To)
	case "months":
		return r.months2(f, g, today)
	case "days":
		return r.days(f, g, today)
	}
	return true
}

// soFar ends a current period with yesterday, the last day that is over; on its
// first day it is that day.
func (f *Found) soFar(today time.Time) {
	if f.From.Before(today) && today.Before(f.To) {
		f.To = today
	}
	f.Today = true
}

func (r *Reader) last(f *Found, p pattern, g map[string][]string, today time.Time) bool {
	n := r.number(first(g["n"]), p.N)
	unit := r.units[first(g["unit"])]
	if unit == "" {
		unit = p.Unit
	}
	if n < 1 || n > 10_000 {
		return false
	}
	f.Unit, f.N, f.Full = unit, n, p.Kind == "full"
	if f.Full {
		f.From, f.To = f.Calendar(today)
		return true
	}
	f.From, f.To = shift(today, unit, -n), today
	return true
}

func (r *Reader) oneDay(f *Found, kind string, g map[string][]string, today time.Time) bool {
	d, ok := r.day(first(g["date"]), today)
	if !ok {
		return false
	}
	switch kind {
	case "since":
		f.From, f.To = d, today
		return d.Before(today)
	case "after":
		f.From, f.To = d.AddDate(0, 0, 1), today
		return f.From.Before(today)
	case "until":
		f.To = d.AddDate(0, 0, 1)
	case "before":
		f.To = d
	default:
		f.From, f.To = d, d.AddDate(0, 0, 1)
		f.Today = d.Equal(today)
	}
	return true
}

// monthAndDay reads 11.11 and "double 11".
func (r *Reader) monthAndDay(f *Found, kind string, g map[string][]string, today time.Time) bool {
	var m, d int
	if kind == "double" {
		m = r.number(first(g["double"]), nil)
		d = m
	} else {
		nums := digits.FindAllString(first(g["md"]), -1)
		m, _ = strconv.Atoi(nums[0])
		d, _ = strconv.Atoi(nums[1])
		if first(g["on"]) == "" && m != d {
			return false // 2.5 is a number
		}
	}
	day, ok := r.day(fmt.Sprintf("%d月%d日", m, d), today)
	if !ok {
		return false
	}
	if first(g["lastyear"]) != "" {
		day = time.Date(today.Year()-1, day.Month(), day.Day(), 0, 0, 0, 0, today.Location())
	}
	f.From, f.To = day, day.AddDate(0, 0, 1)
	f.Today = day.Equal(today)
	return true
}

// days reads "November 1 to 19"; a range that goes on ends with yesterday.
func (r *Reader) days(f *Found, g map[string][]string, today time.Time) bool {
	month := int(r.months[first(g["month"])])
	if zh := first(g["zhmonth"]); zh != "" {
		month = r.number(zh, nil)
	}
	year := ""
	if y := first(g["year"]); y != "" {
		year = y + "年"
	}
	from, ok1 := r.day(fmt.Sprintf("%s%d月%s日", year, month, first(g["d1"])), today)
	to, ok2 := r.day(fmt.Sprintf("%d年%d月%s日", from.Year(), month, first(g["d2"])), today)
	if !ok1 || !ok2 || to.Before(from) {
		return false
	}
	f.From, f.To = from, to.AddDate(0, 0, 1)
	return true
}

// months2 reads a range of months; without a year it is the last one that has
// begun.
func (r *Reader) months2(f *Found, g map[string][]string, today time.Time) bool {
	var ms []int
	for _, w := range append(append([]string{}, g["month"]...), g["zhmonth"]...) {
		m := int(r.months[w])
		if m == 0 {
			m = r.number(w, nil)
		}
		if m < 1 || m > 12 {
			return false
		}
		ms = append(ms, m)
	}
	if len(ms) != 2 {
		return false
	}
	year, _ := strconv.Atoi(first(g["year"])) // digits only
	if year == 0 {
		year = today.Year()
		if time.Date(year, time.Month(ms[1]), 1, 0, 0, 0, 0, today.Location()).After(today) {
			year--
		}
	}
	f.From = time.Date(year, time.Month(ms[0]), 1, 0, 0, 0, 0, today.Location())
	f.To = time.Date(year, time.Month(ms[1])+1, 1, 0, 0, 0, 0, today.Location())
	if ms[0] > ms[1] {
		f.From = f.From.AddDate(-1, 0, 0)
	}
	if today.Before(f.To) {
		f.soFar(today)
	}
	return true
}

func (r *Reader) period(f *Found, kind string, g map[string][]string, today time.Time) bool {
	year, _ := strconv.Atoi(first(g["year"])) // digits only; 0 where there is none
	m := time.January
	switch kind {
	case "quarter":
		q := r.number(first(g["q"]), nil)
		if word := first(g["ordinal"]); word != "" {
			q = r.ordinals[word]
		}
		m = time.Month(3*q - 2)
	case "half":
		if h := first(g["half"]); h == "2" || h == "下" || h == "second" {
			m = time.July
		}
	case "month":
		m = r.months[first(g["month"])]
		if zh := first(g["zhmonth"]); zh != "" {
			m = time.Month(r.number(zh, nil))
		}
		if m < 1 || m > 12 {
			return false
		}
	}
	guess := year == 0
	if guess {
		year = today.Year()
	}
	if first(g["lastyear"]) != "" {
		year, guess = today.Year()-1, false
	}
	f.From = time.Date(year, m, 1, 0, 0, 0, 0, today.Location())
	if guess && f.From.After(today) { // a month without a year is the last one
		f.From = f.From.AddDate(-1, 0, 0)
	}
	if kind == "half" {
		f.To = shift(f.From, "month", 6)
	} else {
		f.To, f.Period = shift(f.From, kind, 1), kind
	}
	if !f.From.After(today) && today.Before(f.To) {
		f.soFar(today)
	}
	return true
}

func (r *Reader) number(s string, otherwise *int) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if n, ok := r.numbers[s]; ok {
		return n
	}
	if otherwise != nil {
		return *otherwise
	}
	return 0
}

var (
	digits = regexp.MustCompile(`\d+`)
	year   = regexp.MustCompile(`\d{4}`)
)

// day reads one day. A day without a year is the last such day.
func (r *Reader) day(s string, today time.Time) (time.Time, bool) {
	var nums []int
	for _, d := range digits.FindAllString(s, -1) {
		n, _ := strconv.Atoi(d)
		nums = append(nums, n)
	}
	var y, m, d int
	for w, month := range r.months {
		if strings.Contains(s, w) {
			m = int(month)
		}
	}
	switch {
	case m > 0 && len(nums) >= 1:
		d = nums[0]
		if len(nums) > 1 {
			y = nums[1]
		}
	case len(nums) == 3:
		y, m, d = nums[0], nums[1], nums[2]
	case len(nums) == 2:
		m, d = nums[0], nums[1]
	default:
		return time.Time{}, false
	}
	guess := y == 0
	if guess {
		y = today.Year()
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, today.Location())
	if t.Day() != d || int(t.Month()) != m {
		return time.Time{}, false
	}
	if guess && t.After(today) {
		t = t.AddDate(-1, 0, 0)
	}
	return t, true
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// truncate is the first day of the period; weeks start on Monday.
func truncate(t time.Time, unit string) time.Time {
	switch unit {
	case "week":
		return t.AddDate(0, 0, -(int(t.Weekday())+6)%7)
	case "month":
		return t.AddDate(0, 0, 1-t.Day())
	case "quarter":
		return time.Date(t.Year(), (t.Month()-1)/3*3+1, 1, 0, 0, 0, 0, t.Location())
	case "year":
		return time.Date(t.Year(), 1, 1, 0, 0, 0, 0, t.Location())
	}
	return t
}

func shift(t time.Time, unit string, n int) time.Time {
	switch unit {
	case "week":
		return t.AddDate(0, 0, 7*n)
	case "month":
		return t.AddDate(0, n, 0)
	case "quarter":
		return t.AddDate(0, 3*n, 0)
	case "year":
		return t.AddDate(n, 0, 0)
	}
	return t.AddDate(0, 0, n)
}
