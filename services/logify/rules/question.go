package rules

import (
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"

	"github.com/dibrain/dibrain/pkg/logql"
)

// Kinds of questions.
const (
	kindList  = "list"
	kindCount = "count"
	kindFold  = "fold" // an average, a maximum, ... of a number in the line
)

// beginning is the part of a question, in bytes, in which what is asked for stands.
const beginning = 36

// few is how many of the most frequent are meant where no number is said, maxTop the
// most that may be asked for.
const (
	few    = 10
	maxTop = 1000
)

// slots are what a question says.
type slots struct {
	kind    string
	measure string  // avg, max, min, sum, quantile
	q       float64 // of quantile
	unique  bool
	rate    bool
	// every is the span for each of which a number is asked for; 0: one number for all
	// of the time. averaged says that it is the average of such spans.
	every    time.Duration
	averaged bool
	latest   bool
	sorts    bool
	howLong  bool
	// numbersOf says that a number is asked for by that word.
	numbersOf bool
	// entities are the words that name things of which it is asked how many there are
	// now, unlike how often something happened.
	entities string
	top      int // 0: none
	bottom   bool
	group    string // words to group by
	above    float64
	orEqual  bool
	limited  bool          // above is set
	unit     time.Duration // of above; 0: a number of occurrences

	from, to  time.Time
	length    time.Duration
	offset    time.Duration
	timeGiven bool

	quoted   []string
	literals []string
	content  []string // words that none of the above took

	// asked are the places after "how many" and the like, valuesAt those at which
	// values begin that are written as they are.
	asked, valuesAt []int
	// listed is the place after "show" and the like; 0: there is none.
	listed int
}

// reading is a question with the places that are understood.
type reading struct {
	*slots
	text  string // as asked
	lower string // the same bytes in lower case
	taken []bool
	// mentions are values of labels, by label.
	mentions map[string][]string
}

func newReading(question string) *reading {
	lower := strings.ToLower(question)
	if len(lower) != len(question) { // some letters change their length: keep bytes in step
		lower = strings.Map(func(r rune) rune {
			if r < utf8.RuneSelf {
				return unicode.ToLower(r)
			}
			return r
		}, question)
	}
	return &reading{slots: &slots{}, text: question, lower: lower, taken: make([]bool, len(question)), mentions: map[string][]string{}}
}

func (r *reading) take(from, to int) {
	for i := from; i < to; i++ {
		r.taken[i] = true
	}
}

func (r *reading) free(from, to int) bool {
	for i := from; i < to; i++ {
		if r.taken[i] {
			return false
		}
	}
	return true
}

// find returns the first match of an expression in what nothing else took, by the names
// of its groups, and takes it.
func (r *reading) find(re *regexp.Regexp) (map[string]string, bool) {
	// What is taken ends a match, and one may begin right behind it.
	left := []byte(r.lower)
	for i := range left {
		if r.taken[i] {
			left[i] = 0
		}
	}
	for _, m := range re.FindAllSubmatchIndex(left, -1) {
		if m[0] == m[1] || !r.free(m[0], m[1]) {
			continue
		}
		r.take(m[0], m[1])
		groups := map[string]string{}
		for i, name := range re.SubexpNames() {
			if name != "" && m[2*i] >= 0 && m[2*i+1] > m[2*i] {
				groups[name] = r.lower[m[2*i]:m[2*i+1]]
			}
		}
		return groups, true
	}
	return nil, false
}

var (
	quotes   = regexp.MustCompile(`"([^"]{1,300})"|“([^”]{1,300})”|‘([^’]{1,300})’|「([^」]{1,300})」|(?:^|[\s(:,，：])'([^']{1,300})'(?:[\s).,;:?!，。]|$)|` + "`([^`]{1,300})`")
	literals = regexp.MustCompile(`[A-Za-z0-9_./:*{}\[\]@%#$-]*[0-9/_.:*][A-Za-z0-9_./:*{}\[\]@%#$-]*`)
	holes    = regexp.MustCompile(`\{[^}]*\}|<[^>]*>|\*`)
)

// readTime reads when; without a word of it the window ends now and is otherwise long.
func (r *reading) readTime(l *lexicon, now time.Time, otherwise time.Duration) {
	r.to, r.length = now, otherwise
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	r.timeGiven = true
	if g, ok := r.find(l.last); ok {
		unit, _ := l.unit(g["unit"])
		n := 1.0
		if g["n"] != "" {
			n, _ = l.number(g["n"])
		}
		r.length = time.Duration(n * float64(unit))
	} else if _, ok := r.find(l.yesterday); ok {
		r.to = midnight
		r.offset = now.Sub(midnight).Truncate(time.Second)
		r.length = midnight.Sub(midnight.AddDate(0, 0, -1))
	} else if _, ok := r.find(l.today); ok {
		r.length = max(now.Sub(midnight).Truncate(time.Second), time.Second)
	} else if g, ok := r.find(l.since); ok {
		r.length = sinceClock(g["clock"], now)
	} else {
		r.timeGiven = false
	}
	if r.length <= 0 {
		r.length = otherwise
	}
	r.from = r.to.Add(-r.length)
}

// sinceClock is how long ago a time of day was last.
func sinceClock(clock string, now time.Time) time.Duration {
	hour, minute := 12, 0
	if clock != "noon" && clock != "中午" {
		digits := strings.TrimFunc(clock, func(r rune) bool { return !unicode.IsDigit(r) })
		h, m, _ := strings.Cut(digits, ":")
		hour, _ = strconv.Atoi(h)
		minute, _ = strconv.Atoi(m)
		if strings.HasSuffix(clock, "pm") && hour < 12 {
			hour += 12
		}
	}
	if hour > 23 || minute > 59 {
		return 0
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location())
	if at.After(now) {
		at = at.AddDate(0, 0, -1)
	}
	return now.Sub(at).Truncate(time.Second)
}

// readQuoted takes quoted texts: they are what lines say, or values.
func (r *reading) readQuoted(k *Known) {
	for _, m := range quotes.FindAllStringSubmatchIndex(r.text, -1) {
		for g := 1; g < len(m)/2; g++ {
			if m[2*g] < 0 || !r.free(m[2*g], m[2*g+1]) {
				continue
			}
			phrase := r.text[m[2*g]:m[2*g+1]]
			if k.isValue(phrase) { // a stream is named in quotes
				continue
			}
			r.quoted = append(r.quoted, phrase)
			r.valuesAt = append(r.valuesAt, m[2*g])
			r.take(m[2*g], m[2*g+1])
		}
	}
}

// readMentions takes values of labels that stand in the question, the longest first.
func (r *reading) readMentions(k *Known, levels []string) {
	type mention struct {
		label, value string
		at           int
	}
	var all []mention
	for _, label := range k.Labels {
		if slices.Contains(levels, strings.ToLower(label.Name)) {
			continue // words of levels are read when nothing else tells the lines
		}
		for _, value := range label.Values {
			if utf8.RuneCountInString(value) < 2 {
				continue
			}
			for _, at := range occurrences(r.lower, strings.ToLower(value)) {
				all = append(all, mention{label.Name, value, at})
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return len(all[i].value) > len(all[j].value) })
	for _, m := range all {
		if !r.free(m.at, m.at+len(m.value)) {
			continue
		}
		label := m.label
		for _, other := range all {
			// The same text is a value of several labels: the one that is named beside it.
			if other.at == m.at && other.value == m.value && other.label != label && r.namedBefore(other.label, m.at) {
				label = other.label
			}
		}
		r.take(m.at, m.at+len(m.value))
		r.mentions[label] = append(r.mentions[label], m.value)
	}
}

// namedBefore reports a label's name within the words before a place.
func (r *reading) namedBefore(label string, at int) bool {
	before := r.lower[max(0, at-40):at]
	return strings.Contains(strings.ToLower(before), strings.ToLower(label))
}

// occurrences returns where a text stands as a whole name.
func occurrences(text, name string) []int {
	var out []int
	inName := func(c byte) bool { return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' }
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return out
		}
		at, end := from+i, from+i+len(name)
		from = at + 1
		before := at == 0 || !inName(text[at-1]) && text[at-1] != '.' && text[at-1] != '/'
		after := end == len(text) || !inName(text[end]) && (text[end] != '.' && text[end] != '/' || end+1 == len(text) || text[end+1] == ' ')
		if before && after {
			out = append(out, at)
		}
	}
}

// present finds what is counted as it is: "how many pods are there".
var present = regexp.MustCompile(`\bhow many ([a-z][a-z -]*?) (?:are|is) (?:there|currently|now|still)\b`)

// readKind reads what is asked.
func (r *reading) readKind(l *lexicon) {
	if g, ok := r.find(l.least); ok {
		r.readThreshold(l, g, true)
	} else if g, ok := r.find(l.above); ok {
		r.readThreshold(l, g, false)
	}
	_, r.sorts = r.find(l.sorts)
	_, r.howLong = r.find(l.howLong)
	_, r.latest = r.find(l.latest)
	if g, ok := r.find(l.top); ok {
		r.top = few
		if n, ok := l.number(g["n"]); ok && n >= 1 {
			r.top = int(min(n, maxTop))
		}
	} else if _, ok := r.find(l.most); ok {
		r.top = 1
	} else if _, ok := r.find(l.bottom); ok {
		r.top, r.bottom = 1, true
	}
	r.readEvery(l)
	_, r.unique = r.find(l.unique)
	if m := present.FindStringSubmatch(r.lower); m != nil && !r.unique {
		r.entities = m[1]
	}
	if r.entities == "" && !r.unique {
		r.entities = l.translate.Replace(l.howManyHan(r.lower))
	}
	for _, re := range l.groups {
		if g, ok := r.find(re); ok && r.group == "" {
			r.group = l.nounOf(g["words"])
		}
	}
	_, r.rate = r.find(l.rates)
	for _, re := range []*regexp.Regexp{l.counts, l.numbersOf} {
		if at := re.FindStringIndex(r.lower); at != nil {
			r.asked = append(r.asked, at[1])
		}
	}
	if at := l.lists.FindStringIndex(r.lower); at != nil {
		r.listed = at[1]
	}
	if at := l.numbersOf.FindStringIndex(r.lower); at != nil && at[0] < beginning {
		r.numbersOf = true
		r.kind = kindCount
	}
	for {
		if _, ok := r.find(l.counts); !ok {
			break
		}
		r.kind = kindCount
	}
	if r.top == 0 && !r.latest {
		r.readMeasure(l)
	}
	r.find(l.lists)
	r.find(l.numbersOf)
	switch {
	case r.kind == kindCount, r.top > 0, r.rate, r.sorts, r.limited && r.unit == 0:
		r.kind, r.measure = kindCount, ""
	case r.measure != "":
		r.kind = kindFold
	case r.group != "", r.every > 0:
		r.kind = kindCount
	case r.kind != kindCount:
		r.kind = kindList
	}
}

// pointsOfTrend is about how many numbers a trend has for which no span is said.
const pointsOfTrend = 24

// readEvery reads the span for each of which a number is asked for. Where nothing is
// said of when, enough of the spans are looked at to see how they differ.
func (r *reading) readEvery(l *lexicon) {
	for _, m := range l.intervals {
		if _, ok := r.find(m.re); ok {
			r.every = lengthOf(m.name)
			break
		}
	}
	_, trend := r.find(l.overTime)
	for _, m := range l.measures {
		r.averaged = r.averaged || m.name == "avg" && m.re.MatchString(r.lower)
	}
	if r.every > 0 && !r.timeGiven && r.length < few*r.every {
		r.length = few * r.every
		r.from = r.to.Add(-r.length)
	}
	if trend && r.every == 0 {
		for _, step := range []time.Duration{time.Second, 10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour, day, 7 * day} {
			if r.every = step; r.length <= step*2*pointsOfTrend {
				break
			}
		}
	}
	if r.every >= r.length {
		r.every = 0 // the time is one such span
	}
}

// readMeasure reads an average and the like near the beginning; further on such words
// describe: "exceeded the maximum".
func (r *reading) readMeasure(l *lexicon) {
	for _, m := range l.measures {
		at := m.re.FindStringIndex(r.lower)
		// What a Chinese question asks for stands at its end.
		if at == nil || at[0] > beginning && !(hasHan(r.lower) && len(r.lower)-at[1] <= beginning) {
			continue
		}
		if g, ok := r.find(m.re); ok {
			r.measure, r.q = m.name, 0.5
			if n, ok := l.number(g["n"]); ok && n > 0 && n < 100 {
				r.q = n / 100
			}
			return
		}
	}
}

func (r *reading) readThreshold(l *lexicon, g map[string]string, orEqual bool) {
	n, ok := l.number(g["n"])
	if !ok {
		return
	}
	r.limited, r.above, r.orEqual = true, n, orEqual
	if g["unit"] != "" {
		r.unit, _ = l.unit(g["unit"])
	}
}

// readLiterals takes ids, paths, addresses and numbers: what lines hold as written.
func (r *reading) readLiterals() {
	for _, m := range literals.FindAllStringIndex(r.text, -1) {
		text := strings.TrimRight(r.text[m[0]:m[1]], ".,:;?!")
		text = strings.TrimLeft(text, ".,:;")
		if !strings.ContainsAny(text, "0123456789/_.:*") { // a word before a colon, or at the end of a sentence
			continue
		}
		if !r.free(m[0], m[0]+len(text)) || len(text) < 2 || !strings.ContainsFunc(text, func(c rune) bool { return isLetter(c) || unicode.IsDigit(c) }) {
			continue
		}
		r.take(m[0], m[1])
		r.valuesAt = append(r.valuesAt, m[0])
		for _, part := range holes.Split(text, -1) {
			if len(part) > 1 {
				r.literals = append(r.literals, part)
			}
		}
	}
}

// readContent collects the words that are left.
func (r *reading) readContent(l *lexicon) {
	rest := []byte(r.text)
	for i := range rest {
		if r.taken[i] {
			rest[i] = ' '
		}
	}
	text := string(rest)
	words := wordsOf(l.translate.Replace(text))
	for i := 0; i < len(words); i++ {
		w := words[i]
		if i+1 < len(words) && l.phrasal(w, words[i+1]) {
			r.content = append(r.content, stem(stem(w)+words[i+1]))
			i++
			continue
		}
		if s := stem(w); len(w) > 2 && !english.IsStopWord(w) && !l.empty[s] {
			r.content = append(r.content, s)
		}
	}
}

func matcherFor(label string, values []string) logql.Matcher {
	if len(values) == 1 {
		return logql.Matcher{Label: label, Op: logql.Equal, Value: values[0]}
	}
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = regexp.QuoteMeta(v)
	}
	return logql.Matcher{Label: label, Op: logql.Match, Value: strings.Join(quoted, "|")}
}
