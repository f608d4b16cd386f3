package dates

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// New compiles the patterns.
func New() (*Reader, error) {
	var data struct {
		Units       map[string][]string `yaml:"units"`
		Short       map[string][]string `yaml:"short"`
		Numbers     map[string]int      `yaml:"numbers"`
		Ordinals    map[string]int      `yaml:"ordinals"`
		Parts       map[string][2]int   `yaml:"parts"`
		Months      [][]string          `yaml:"months"`
		Weekdays    [][]string          `yaml:"weekdays"`
		Ranges      []pattern           `yaml:"ranges"`
		Grains      []pattern           `yaml:"grains"`
		Recurring   []pattern           `yaml:"recurring"`
		Comparisons string              `yaml:"comparisons"`
		Between     string              `yaml:"between"`
		Elliptic    string              `yaml:"elliptic"`
		Current     string              `yaml:"current"`
	}
	if err := yaml.Unmarshal(patterns, &data); err != nil {
		return nil, fmt.Errorf("date patterns: %w", err)
	}
	r := &Reader{units: map[string]string{}, numbers: data.Numbers, ordinals: data.Ordinals, parts: data.Parts, months: map[string]time.Month{}, weekdays: map[string]int{}, ranges: data.Ranges, grains: data.Grains, recurring: data.Recurring}
	var unitWords, numberWords, monthWords, clearMonths []string
	for unit, words := range data.Units {
		for _, w := range words {
			r.units[w] = unit
			unitWords = append(unitWords, w)
		}
	}
	var short, numerals []string
	for unit, words := range data.Short {
		for _, w := range words {
			r.units[w] = unit
			short = append(short, w)
		}
	}
	for w := range data.Numbers {
		numberWords = append(numberWords, w)
		if w[0] >= utf8.RuneSelf {
			numerals = append(numerals, w)
		}
	}
	ordinalWord := alternatives(slices.Collect(maps.Keys(data.Ordinals)))
	ordinal := `(?:[0-3]?\d(?:st|nd|rd|th)|` + ordinalWord + `)`
	zhDay := `(?:[0-3]?\d|` + alternatives(numerals) + `)`
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
	clear := alternatives(clearMonths)
	day := `(?:\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|(?:\d{4}年)?\d{1,2}月\d{1,2}[日号]` +
		`|(?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:day )?(?:of )?` + month + `|` + ordinalWord + ` (?:day )?of ` + month + `)(?:,? \d{4})?` +
		`|(?:` + month + ` (?:the )?\d{1,2}(?:st|nd|rd|th)?|` + month + ` the ` + ordinalWord + `|` + clear + ` ` + ordinalWord + `)(?:,? \d{4})?)`
	replace := strings.NewReplacer(
		"{weekday}", `(?P<weekday>`+alternatives(english)+`)`, "{zhweekday}", `(?P<weekday>`+alternatives(chinese)+`)`,
		"{ordinal}", `(?P<ordinal>`+ordinalWord+`)`, "{d1}", `(?P<d1>[0-3]?\d|`+ordinal+`)`, "{d2}", `(?P<d2>[0-3]?\d|`+ordinal+`)`,
		"{o1}", `(?P<d1>`+ordinal+`)`, "{o2}", `(?P<d2>`+ordinal+`)`, "{zd1}", `(?P<d1>`+zhDay+`)`, "{zd2}", `(?P<d2>`+zhDay+`)`,
		"{short}", `(?P<unit>`+alternatives(short)+`)`,
		"{n}", `(?P<n>\d+|`+alternatives(numberWords)+`)`,
		"{unit}", `(?P<unit>`+alternatives(unitWords)+`)`,
		"{date}", `(?P<date>`+day+`)`, "{md}", `(?P<md>\d{1,2}[./]\d{1,2})`, "{double}", `(?P<double>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])`,
		"{lastyear}", `(?P<lastyear>last year(?:['’]s)? |去年的?)?`, "{after}", `(?P<lastyear>,? (?:of )?last year)?`,
		"{month}", `(?P<month>`+month+`)`, "{clearmonth}", `(?P<month>`+clear+`)`,
		"{zhmonth}", `(?P<zhmonth>\d{1,2}|十[一二]?|[一二三四五六七八九])`,
		"{year}", `(?P<year>(?:1[789]|20)\d\d)`, "{q}", `(?P<q>[1-4一二三四])`,
		"{clock}", `(?P<clock>\d{1,2}(?::00)? ?(?:am|pm|a\.m\.|p\.m\.|o['’]clock)|\d{1,2}:00|noon|midnight)`,
		"{zhclock}", `(?P<clock>(?:凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|晚)?(?:\d{1,2}|`+alternatives(numerals)+`)(?:点整|点钟|点|时整|:00))`)
	for _, list := range [][]pattern{r.ranges, r.grains, r.recurring} {
		for i := range list {
			re, err := compileExpression(`(?:` + replace.Replace(list[i].Text) + `)`)
			if err != nil {
				return nil, fmt.Errorf("date pattern %q: %w", list[i].Text, err)
			}
			list[i].re = re
		}
	}
	var err error
	if r.comparisons, err = compileExpression(data.Comparisons); err != nil {
		return nil, fmt.Errorf("date comparisons: %w", err)
	}
	if r.between, err = compileExpression(data.Between); err != nil {
		return nil, fmt.Errorf("date comparisons: %w", err)
	}
	if r.elliptic, err = compileExpression(data.Elliptic); err != nil {
		return nil, fmt.Errorf("date ellipsis: %w", err)
	}
	if r.current, err = compileExpression(data.Current); err != nil {
		return nil, fmt.Errorf("dates of today: %w", err)
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
