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
	"strconv"
	"strings"
)

//go:embed words.tsv
var table string

// Words are the words of files in several languages. They are read-only and may be
// shared.
type Words struct {
	nulls    map[string]bool
	flags    map[string]Flag
	totals   map[string]bool
	months   map[string]int
	weekdays map[string]bool
	units    map[string]string
	measures map[string]bool // that stand in headers; codes begin with such letters
}

// Flag is a word that stands for yes or no in some languages, a bit each.
type Flag struct{ Yes, No uint64 }

// NewWords reads the table of words.
func NewWords() *Words {
	w := &Words{
		nulls: map[string]bool{}, flags: map[string]Flag{}, totals: map[string]bool{}, months: map[string]int{},
		weekdays: map[string]bool{}, units: map[string]string{}, measures: map[string]bool{},
	}
	language := 0
	for line := range strings.Lines(table) {
		fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		kind, rest := fields[0], fields[1:]
		switch kind {
		case "null":
			add(w.nulls, rest)
		case "total":
			add(w.totals, rest)
		case "measure":
			add(w.measures, rest)
		case "weekday":
			add(w.weekdays, rest)
		case "flag":
			yes := w.flags[rest[0]]
			yes.Yes |= 1 << language
			w.flags[rest[0]] = yes
			no := w.flags[rest[1]]
			no.No |= 1 << language
			w.flags[rest[1]] = no
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
	return len(text) <= maxWord && w.nulls[strings.ToLower(strings.TrimSpace(text))]
}

// ReadFlag returns in which languages a text means yes or no; ok is false for
// other texts.
func (w *Words) ReadFlag(text string) (f Flag, ok bool) {
	if len(text) > maxWord {
		return f, false
	}
	f, ok = w.flags[strings.ToLower(strings.TrimSpace(text))]
	return f, ok
}

// IsTotal reports a text that names a sum of other lines, such as "Grand Total:" or
// "Total 2023".
func (w *Words) IsTotal(text string) bool {
	text = strings.ToLower(strings.Trim(text, " \t:.*=-"))
	if len(text) > maxWord || text == "" {
		return false
	}
	return w.totals[text] || w.totals[strings.Trim(text, "0123456789 :/-")]
}

// IsUnit reports the name of a currency or of a measure, such as "EUR" and "kg".
func (w *Words) IsUnit(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return w.units[text] != "" || w.measures[text]
}
