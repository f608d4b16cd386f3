// Package written reads what people and programs write into files: numbers with
// thousands signs, currencies and percents, days and times in the forms of many
// countries, yes and no, and the words that stand for no value.
//
// One text often allows two readings: "1,234" may be a thousand or one and a bit,
// "03/04/2024" March or April. Both are returned; the values of a whole column
// decide.
package written

import (
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed words.tsv
var table string

// Words are the words of files in several languages. They are read-only and may be
// shared.
type Words struct {
	nulls     map[string]bool
	absent    map[string]bool // of nulls, as they are written
	begins    [256]bool       // first bytes of nulls, so that most texts need no look-up
	clock     map[string]bool
	flags     map[string]Flag
	totals    map[string]bool
	months    map[string]int
	weekdays  map[string]bool
	halves    map[string]string // of the day: "am" or "pm"
	atClock   map[string]bool   // words beside a time of day that say nothing
	zones     map[string]bool   // of clocks, by their usual short names
	summaries map[string]bool
	particles map[string]bool
	scales    map[string]int    // powers of ten
	signs     map[string]string // by currency, the sign that it shares with others
	units     map[string]string
	measures  map[string]bool   // that stand in headers; codes begin with such letters
	measured  map[string]string // measures as they are kept, by how they are written
	spans     map[string]int64  // units of time, in seconds; 0: of no one length
	lengths   map[string]bool   // words of names of columns that hold lengths of time
	moneyOf   map[string]bool   // words of names of columns that hold currencies
}

// Flag is a word that stands for yes or no in some languages, a bit each.
type Flag struct{ Yes, No uint64 }

// NewWords reads the table of words.
func NewWords() *Words {
	w := &Words{
		nulls: map[string]bool{}, absent: map[string]bool{}, clock: map[string]bool{}, flags: map[string]Flag{}, totals: map[string]bool{}, months: map[string]int{},
		weekdays: map[string]bool{}, halves: map[string]string{}, atClock: map[string]bool{}, zones: map[string]bool{}, units: map[string]string{}, measures: map[string]bool{},
		summaries: map[string]bool{}, particles: map[string]bool{}, scales: map[string]int{}, signs: map[string]string{}, measured: map[string]string{}, spans: map[string]int64{}, lengths: map[string]bool{}, moneyOf: map[string]bool{},
	}
	language := 0
	for line := range strings.Lines(table) {
		fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		kind, rest := fields[0], fields[1:]
		switch kind {
		case "null":
			add(w.nulls, rest)
		case "absent":
			add(w.absent, rest)
		case "clock":
			add(w.clock, rest)
		case "total":
			add(w.totals, rest)
		case "summary":
			add(w.summaries, rest)
		case "particle":
			add(w.particles, rest)
		case "scale":
			n, _ := strconv.Atoi(rest[0]) // a test reads them
			for _, name := range rest[1:] {
				w.scales[name] = n
			}
		case "sign":
			for _, code := range rest[1:] {
				w.signs[code] = rest[0]
			}
		case "measure":
			add(w.measures, rest)
		case "measured":
			for _, text := range rest[1:] {
				w.measured[text] = rest[0]
			}
		case "span":
			n, _ := strconv.ParseInt(rest[0], 10, 64) // a test reads them
			for _, name := range rest[1:] {
				w.spans[name] = n
			}
		case "length":
			add(w.lengths, rest)
		case "currency":
			add(w.moneyOf, rest)
		case "half":
			for _, name := range rest[1:] {
				w.halves[name] = rest[0]
			}
		case "atclock":
			add(w.atClock, rest)
		case "zone":
			add(w.zones, rest)
		case "weekday":
			add(w.weekdays, rest)
		case "flag":
			for i := 0; i+1 < len(rest); i += 2 {
				yes := w.flags[rest[i]]
				yes.Yes |= 1 << language
				w.flags[rest[i]] = yes
				no := w.flags[rest[i+1]]
				no.No |= 1 << language
				w.flags[rest[i+1]] = no
			}
			language++
		case "month":
			n, _ := strconv.Atoi(rest[0]) // a test reads all months
			for _, name := range rest[1:] {
				w.months[name] = n
			}
		case "unit":
			for _, text := range rest[1:] {
				w.units[text] = rest[0]
			}
		}
	}
	for word := range w.nulls {
		w.begins[word[0]], w.begins[strings.ToUpper(word)[0]] = true, true
	}
	return w
}

func add(set map[string]bool, words []string) {
	for _, word := range words {
		set[word] = true
	}
}

// maxWord is the longest word that is looked up, in bytes.
const maxWord = 40

// IsNull reports a word that stands for no value, such as "N/A" or "-".
func (w *Words) IsNull(text string) bool {
	return len(text) <= maxWord && w.nulls[strings.ToLower(strings.TrimSpace(narrow(text)))]
}

// SureAbsences are the texts that stand for no value in any column, sorted.
func (w *Words) SureAbsences() []string { return slices.Sorted(maps.Keys(w.absent)) }

// Absence is how surely a text stands for no value.
type Absence uint8

// Texts that stand for no value, from none to those that are nothing else. In a column of
// numbers or days all of them do; in one of texts the column decides.
const (
	NotAbsent  Absence = iota
	AbsentWord         // "none", "unknown": a category may be called so
	AbsentCode         // "NA": of codes of letters it is one, as of countries
	AbsentSign         // "-", "?": among signs it is one
	AbsentSure         // "N/A", "#REF!", "NaN"
)

// NamesTime reports a word, in lower case, that names times in the names of columns. In
// Chinese it stands at the end of one.
func (w *Words) NamesTime(word string) bool { return ends(w.clock, word) }

// NamesLength is NamesTime for names of lengths of time, such as a duration.
func (w *Words) NamesLength(word string) bool { return ends(w.lengths, word) }

// ends reports a word of a set, or one that ends with a Chinese word of it.
func ends(set map[string]bool, word string) bool {
	if set[word] {
		return true
	}
	for name := range set {
		if name[0] >= utf8.RuneSelf && strings.HasSuffix(word, name) {
			return true
		}
	}
	return false
}

// maxAbsent is the longest word for no value, in bytes.
const maxAbsent = 32

// Absence tells what a text is as a word for no value.
func (w *Words) Absence(text string) Absence {
	if len(text) > maxAbsent {
		return NotAbsent
	}
	text = strings.TrimSpace(text)
	if text == "" || !w.begins[text[0]] {
		return NotAbsent
	}
	switch {
	case w.absent[text]:
		return AbsentSure
	case !w.IsNull(text):
		return NotAbsent
	case strings.IndexFunc(text, isLetterOrDigit) < 0:
		return AbsentSign
	case strings.EqualFold(text, "na"):
		return AbsentCode
	}
	return AbsentWord
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// ReadFlag returns in which languages a text means yes or no; ok is false for
// other texts.
func (w *Words) ReadFlag(text string) (f Flag, ok bool) {
	if len(text) > maxWord {
		return f, false
	}
	f, ok = w.flags[strings.ToLower(strings.TrimSpace(text))]
	return f, ok
}

// IsTotal reports a text that names a line made of other lines: their sum, such as "Grand
// Total:" or "Total 2023", or their average.
func (w *Words) IsTotal(text string) bool {
	if stars := strings.TrimSpace(text); stars != "" && strings.Trim(stars, "*") == "" { // lists of SAP
		return true
	}
	text = strings.Trim(text, " \t:.*=-")
	if len(text) > maxWord {
		return false
	}
	bare := strings.ToLower(strings.Trim(text, "0123456789 :/-"))
	if bare == "" {
		return false // digits alone, as most rows begin with
	}
	text = strings.ToLower(text)
	return w.totals[text] || w.totals[bare] || w.summaries[text] || w.summaries[bare]
}

// IsSum reports a text that names a line made by adding up others, in whatever column it stands.
func (w *Words) IsSum(text string) bool {
	text = strings.ToLower(strings.Trim(text, " \t:.*=-"))
	return text != "" && len(text) <= maxWord && w.totals[text]
}

// IsUnit reports the name of a currency or of a measure, such as "EUR" and "kg".
func (w *Words) IsUnit(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return w.units[text] != "" || w.measures[text]
}
