// Package dates finds expressions of time in a question and turns them into
// half-open ranges of days in the asker's time zone. "Past 30 days" are the 30
// full days before today: today is not over, and its number would mislead.
package dates

import (
	_ "embed" // patterns.yaml
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

//go:embed patterns.yaml
var patterns []byte

// Found is an expression of time in a text.
type Found struct {
	Start, End int // bytes of the text
	Text       string
	// From and To are days, as midnights in UTC; To is exclusive. Zero: open on that
	// side. Which day it is now, the clock of now's own location says.
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
	// Ends is the calendar unit that a range of several is named by, by its first and its
	// last one: "month" of "from September to October". Empty for other ranges.
	Ends string
	// GoesOn marks a range without an end that is said: "since Monday", "past 8 weeks", "this
	// month". Its To is today, and what is dated later belongs to it; "on" or "before" a
	// day that ends there is over.
	GoesOn bool
	// Anchor is what the range is counted from.
	Anchor Anchor
	// Recurs is set instead of a range for what comes again every week or day.
	Recurs Recurrence

	ends   bool // is the end of a range that may be said before it: "until now"
	unread bool // has no range, and keeps a part of it from being read alone
}

// Calendar returns the range of the last N full calendar periods before now for
// an expression with a Unit; weeks are from Monday to Sunday.
func (f Found) Calendar(now time.Time) (from, to time.Time) {
	to = truncate(Today(now), f.Unit)
	return shift(to, f.Unit, -f.N), to
}

// Reader finds expressions; read-only after New.
type Reader struct {
	units       map[string]string
	numbers     map[string]int
	months      map[string]time.Month
	weekdays    map[string]int // days after Monday
	ordinals    map[string]int
	parts       map[string][2]int // days after a month's first; an end of 0 is its end
	ranges      []pattern
	grains      []pattern
	recurring   []pattern
	comparisons expression
	between     expression
	elliptic    expression
	current     expression // words that tie a part of the calendar to today
}

type pattern struct {
	Kind  string `yaml:"kind"`
	Grain string `yaml:"grain"`
	N     *int   `yaml:"n"`
	Unit  string `yaml:"unit"`
	Text  string `yaml:"text"`
	// Plain marks words that are numbers elsewhere, such as "from 2023 to 2025":
	// only Periods reads them.
	Plain bool `yaml:"plain"`
	// Recurs marks steps that come again every week or day: only Recurring reads them.
	Recurs bool `yaml:"recurs"`
	// Ends marks what is the end of a range that is said right before it, where one is.
	Ends bool `yaml:"ends"`
	re   expression
}

// Anchor is what an expression of time is counted from.
type Anchor string

// Anchors. Where the data of a question end before today, the first two are meant as the
// data have them.
const (
	Absolute Anchor = ""      // nothing: it says its year, or is no range
	Yearless Anchor = "year"  // a part of the calendar without its year, as "in July" is: the last one
	OfData   Anchor = "data"  // the end of the data: "the last month of the data"
	Current  Anchor = "today" // today: "last month"
)

// anchor tells what a range is counted from that was found at now: it is not absolute where
// it is another one a year before.
func (r *Reader) anchor(f Found, p pattern, g map[string][]string, now time.Time) Anchor {
	if p.Kind == "of_data" {
		return OfData
	}
	before := Found{Text: f.Text}
	if !r.resolve(&before, p, g, now.AddDate(-1, 0, 0)) {
		return Current
	}
	if f.From.Equal(before.From) && (!f.From.IsZero() || f.To.Equal(before.To)) {
		return Absolute
	}
	part := slices.ContainsFunc([]string{"month", "zhmonth", "q", "ordinal", "half", "double", "md", "date"}, func(name string) bool { return first(g[name]) != "" })
	if part && first(g["lastyear"]) == "" && !r.current.MatchString(strings.ToLower(f.Text)) {
		return Yearless
	}
	return Current
}

// Find returns the expressions of a text in order, none overlapping.
func (r *Reader) Find(text string, now time.Time) []Found {
	return r.find(text, now, reads{comparisons: true})
}

// Periods returns the ranges and grains of a text alone: for a caller that has
// its own words for comparisons, which may take in a part of a range's.
func (r *Reader) Periods(text string, now time.Time) []Found { return r.find(text, now, reads{}) }

// Recurring returns what Periods does, and what comes again: days of the week and hours of the
// day, as steps and as times ("on Saturdays", "after 8 pm").
func (r *Reader) Recurring(text string, now time.Time) []Found {
	return r.find(text, now, reads{recurring: true})
}

// reads says what is read beside ranges and steps of time that goes on.
type reads struct{ comparisons, recurring bool }

// find reads a text without the blanks that Chinese does not need, and tells where in the
// text itself an expression stands.
func (r *Reader) find(text string, now time.Time, what reads) []Found {
	tight, at := tightened(text)
	found := r.findTight(tight, now, what)
	if len(tight) < len(text) {
		for i := range found {
			f := &found[i]
			f.Start, f.End = at[f.Start], at[f.End-1]+1
			f.Text = text[f.Start:f.End]
		}
	}
	return found
}

// tightened is a text without blanks between Chinese characters, and between those and
// figures: "最近 7 天" is 最近7天. at are the places of its bytes in the text; nil where
// it is the text.
func tightened(text string) (tight string, at []int) {
	if !strings.ContainsFunc(text, isHan) {
		return text, nil
	}
	var b strings.Builder
	before := rune(0) // that is no blank
	for i := 0; i < len(text); {
		letter, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(letter) {
			rest := strings.TrimLeftFunc(text[i:], unicode.IsSpace)
			after, _ := utf8.DecodeRuneInString(rest)
			if size = len(text) - i - len(rest); isHan(before) && (isHan(after) || unicode.IsDigit(after)) || unicode.IsDigit(before) && isHan(after) {
				i += size
				continue
			}
		}
		b.WriteString(text[i : i+size])
		for k := range size {
			at = append(at, i+k)
		}
		i, before = i+size, letter
	}
	return b.String(), at
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// withEnds puts a range and the end that is said behind it together: "from July until now" is more
// than July, and so is "from Q1 until 3 May". found are in order of the text.
func withEnds(found []Found, text string) []Found {
	var out []Found
	for _, f := range found {
		last := len(out) - 1
		if last < 0 || out[last].From.IsZero() || !f.ends && !reaches(text, out[last], f) || !out[last].From.Before(f.To) || strings.Trim(text[out[last].End:f.Start], " ") != "" {
			out = append(out, f)
			continue
		}
		begun := out[last]
		whole := Found{Start: begun.Start, End: f.End, Text: text[begun.Start:f.End], From: begun.From, To: f.To, Anchor: begun.Anchor}
		if begun.GoesOn && begun.To.Equal(f.To) { // "the past 8 weeks until now" says it twice
			whole.Unit, whole.N, whole.Full, whole.GoesOn = begun.Unit, begun.N, begun.Full, true
		}
		out[last] = whole
	}
	return out
}

// reaches reports whether a range that begins with "from" goes on to what is said behind it with "to".
func reaches(text string, begun, end Found) bool {
	from := strings.TrimSpace(strings.ToLower(text[:begun.Start])) + " " + strings.ToLower(begun.Text)
	return end.From.IsZero() && strings.HasPrefix(strings.ToLower(end.Text), "to ") && (strings.HasPrefix(from, "from ") || strings.Contains(from, " from "))
}

func (r *Reader) findTight(text string, now time.Time, what reads) []Found {
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
	if what.comparisons {
		for _, between := range []bool{false, true} {
			re := map[bool]expression{false: r.comparisons, true: r.between}[between]
			for _, m := range re.find(lower) {
				if free(m[0], m[1]) {
					out = append(out, Found{Start: m[0], End: m[1], Text: text[m[0]:m[1]], Comparison: true, Between: between})
				}
			}
		}
	}
	steps := func(recurring bool) {
		for _, p := range r.grains {
			if p.Recurs != recurring {
				continue
			}
			for _, m := range p.re.find(lower) {
				if free(m[0], m[1]) {
					out = append(out, Found{Start: m[0], End: m[1], Text: text[m[0]:m[1]], Grain: p.Grain, unread: p.Recurs && !what.recurring})
				}
			}
		}
	}
	steps(true)
	if what.recurring { // 每周六 is no 每周
		for _, f := range r.again(text, lower) {
			if free(f.Start, f.End) {
				out = append(out, f)
			}
		}
	}
	steps(false)
	for _, p := range r.ranges {
		if p.Plain && what.comparisons {
			continue
		}
		for _, m := range p.re.find(lower) {
			start, end := p.place(m)
			if !free(start, end) {
				continue
			}
			f := Found{Start: start, End: end, Text: text[start:end]}
			switch {
			case r.resolve(&f, p, groups(p.re, lower, m), now):
				f.GoesOn, f.ends = f.GoesOn || goesOn[p.Kind], p.Ends
				f.Anchor = r.anchor(f, p, groups(p.re, lower, m), now)
				out = append(out, f)
			case p.whole():
				f.unread = true
				out = append(out, f)
			}
		}
	}
	out = append(out, r.shortened(text, lower, now, free)...)
	out = slices.DeleteFunc(out, func(f Found) bool { return f.unread })
	sort.Slice(out, func(i, j int) bool { return out[i].Start < out[j].Start })
	return withEnds(out, text)
}

// shortened are periods that are named by the side of another, without their unit: "this
// month against last".
func (r *Reader) shortened(text, lower string, now time.Time, free func(start, end int) bool) []Found {
	var out []Found
	for _, m := range r.elliptic.find(lower) {
		start, end := pattern{re: r.elliptic}.place(m)
		rest := strings.Fields(lower[end:])
		if !free(start, end) || len(rest) > 0 && (r.units[strings.TrimRight(rest[0], ",.?!")] != "" || rest[0][0] >= '0' && rest[0][0] <= '9') {
			continue // "and last year", "and the last 3 days"
		}
		whole := r.Periods("last "+first(groups(r.elliptic, lower, m)["unit"]), now)
		if len(whole) == 1 {
			f := whole[0]
			f.Start, f.End, f.Text = start, end, text[start:end]
			out = append(out, f)
		}
	}
	return out
}

// place is where an expression stands: its group "at", where the words around it
// only tell what it is, or all of a match.
func (p pattern) place(m []int) (start, end int) {
	for i, name := range p.re.SubexpNames() {
		if name == "at" && m[2*i] >= 0 {
			return m[2*i], m[2*i+1]
		}
	}
	return m[0], m[1]
}

// whole reports whether no part of an expression may be read where the whole has
// no range: "the last day of November" on the 20th is not "November".
func (p pattern) whole() bool {
	return slices.Contains([]string{"unread", "part", "day", "days", "weekend", "weekdays"}, p.Kind)
}

// beforeHan are the characters that 前 ends a word with. They are a closed class.
var beforeHan = []string{"目", "之", "以", "当", "此", "先", "从", "眼"}

// bounded reports whether a match does not cut a Latin word, a number, or a date
// written with signs: the year of a day that does not exist is no year.
func bounded(s string, start, end int) bool {
	digit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	sign := func(i int) bool { return i >= 0 && i < len(s) && strings.IndexByte("-/.", s[i]) >= 0 }
	if digit(end-1) && sign(end) && digit(end+1) || digit(start) && sign(start-1) && digit(start-2) {
		return false
	}
	if strings.HasPrefix(s[start:], "前") && slices.ContainsFunc(beforeHan, func(w string) bool { return strings.HasSuffix(s[:start], w) }) {
		return false // 目前天河店 is no 前天
	}
	word := func(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }
	return (start == 0 || !word(s[start-1]) || !word(s[start])) && (end == len(s) || !word(s[end]) || !word(s[end-1]))
}

func groups(re expression, s string, m []int) map[string][]string {
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
