package analyse

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/result"
)

//go:embed lexicon.yaml
var lexiconYAML []byte

// wordList is a list of words in both languages.
type wordList struct {
	En []string `yaml:"en"`
	Zh []string `yaml:"zh"`
}

type lexicon struct {
	NotAdditive  wordList `yaml:"not_additive"`
	Compared     wordList `yaml:"compared"`
	Identifier   wordList `yaml:"identifier"`
	Year         wordList `yaml:"year"`
	Quarter      wordList `yaml:"quarter"`
	Month        wordList `yaml:"month"`
	Week         wordList `yaml:"week"`
	Day          wordList `yaml:"day"`
	Averaged     wordList `yaml:"averaged"`
	CalendarPart wordList `yaml:"calendar_part"`
	Geography    wordList `yaml:"geography"`
	Country      wordList `yaml:"country"`
	Nameless     wordList `yaml:"nameless"`
	Abbreviation wordList `yaml:"abbreviation"`
	Currency     wordList `yaml:"currency"`
}

func loadLexicon() (lexicon, error) {
	var l lexicon
	if err := yaml.Unmarshal(lexiconYAML, &l); err != nil {
		return l, fmt.Errorf("read lexicon.yaml: %w", err)
	}
	return l, nil
}

// in reports whether a column's name has one of the words.
func (l wordList) in(name string) bool {
	for _, part := range nameParts(name) {
		for _, word := range l.En {
			if part == word {
				return true
			}
		}
	}
	for _, word := range l.Zh {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// nameParts cuts total_gmvUSD into total, gmv, usd.
func nameParts(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		if lower && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// nameless reports whether a name says nothing, such as _col0.
func (l lexicon) nameless(name string) bool {
	name = strings.TrimRight(strings.ToLower(name), "0123456789")
	if name == "" {
		return true
	}
	for _, words := range [][]string{l.Nameless.En, l.Nameless.Zh} {
		for _, word := range words {
			if name == word {
				return true
			}
		}
	}
	return false
}

// readable writes a column's name as people do: blanks for underscores, capitals
// for abbreviations.
func (l lexicon) readable(name string) string {
	words := strings.Fields(strings.ReplaceAll(name, "_", " "))
	for i, word := range words {
		if slices.Contains(l.Abbreviation.En, strings.ToLower(word)) {
			words[i] = strings.ToUpper(word)
		}
	}
	return strings.Join(words, " ")
}

// grainNamed is the period that a column of points in time is named by, such as the
// quarter of order_quarter; the finest where it has several, GrainNone where it has none.
func (l lexicon) grainNamed(column string) result.Grain {
	for _, g := range [...]struct {
		words wordList
		grain result.Grain
	}{
		{l.Week, result.GrainWeek}, {l.Month, result.GrainMonth}, {l.Quarter, result.GrainQuarter},
		{l.Year, result.GrainYear}, {l.Day, result.GrainDay},
	} {
		if g.words.in(column) {
			return g.grain
		}
	}
	return result.GrainNone
}

// Readable writes the name of a stored column as people do.
func (a *Analyst) Readable(column string) string {
	return prose.Safe(prose.Line(a.words.readable(column)))
}

// NamesCountries reports whether a column is named after countries.
func (a *Analyst) NamesCountries(column string) bool { return a.words.Country.in(column) }

// CurrencyOf returns the currency that the name of a stored column tells, such as
// USD for gmv_usd; empty where it tells none.
func (a *Analyst) CurrencyOf(name string) string {
	parts := nameParts(name)
	if len(parts) < 2 || !slices.Contains(a.words.Currency.En, parts[len(parts)-1]) {
		return ""
	}
	return strings.ToUpper(parts[len(parts)-1])
}
