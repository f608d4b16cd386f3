package metric

import (
	"cmp"
	_ "embed" // amounts.yaml
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/services/text2sql/token"
)

//go:embed amounts.yaml
var amountFile []byte

// amount is a number that a result is compared with.
type amount struct {
	start, end int
	value      *big.Rat
	percent    bool
}

// text is the number as SQL writes it, a percentage as a part of one.
func (a amount) text() string { return decimal(a.value, a.percent) }

func decimal(v *big.Rat, percent bool) string {
	if percent {
		v = new(big.Rat).Quo(v, big.NewRat(100, 1))
	}
	if v.IsInt() {
		return v.Num().String()
	}
	const digits = 10
	return strings.TrimRight(v.FloatString(digits), "0")
}

// amounts reads numbers with scales, in digits and in words; read-only.
type amounts struct {
	re     *regexp.Regexp
	scales map[string]*big.Rat
	digits map[rune]int64
	steps  map[rune]int64 // 十 百 千
	groups map[rune]int64 // 万 亿
}

func loadAmounts() (*amounts, error) {
	var data struct {
		Scales     map[string][]string `yaml:"scales"`
		Percent    []string            `yaml:"percent"`
		Currencies []string            `yaml:"currencies"`
		Digits     map[string]int64    `yaml:"digits"`
		Steps      map[string]int64    `yaml:"steps"`
		Groups     map[string]int64    `yaml:"groups"`
	}
	if err := yaml.Unmarshal(amountFile, &data); err != nil {
		return nil, fmt.Errorf("amounts: %w", err)
	}
	a := &amounts{scales: map[string]*big.Rat{}, digits: runes(data.Digits), steps: runes(data.Steps), groups: runes(data.Groups)}
	var words []string
	for n, list := range data.Scales {
		v, ok := new(big.Rat).SetString(n)
		if !ok {
			return nil, fmt.Errorf("amounts: scale %q is no number", n)
		}
		for _, w := range list {
			a.scales[w] = v
			words = append(words, w)
		}
	}
	han := ""
	for _, m := range []map[rune]int64{a.digits, a.steps, a.groups} {
		for r := range m {
			han += string(r)
		}
	}
	expr := `(?:(?P<money>` + longestFirst(data.Currencies) + `) ?)?(?:(?P<number>\d[\d,]*(?:\.\d+)?)(?:[ -]?(?P<scale>` + longestFirst(words) + `))?|(?P<words>[` + han + `]+))(?P<percent> ?(?:` + longestFirst(data.Percent) + `))?`
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("amounts: %w", err)
	}
	a.re = re
	return a, nil
}

// longestFirst is a pattern of words, longer ones before their beginnings.
func longestFirst(words []string) string {
	sorted := slices.SortedFunc(slices.Values(words), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	for i, w := range sorted {
		sorted[i] = regexp.QuoteMeta(w)
	}
	return strings.Join(sorted, "|")
}

func runes(m map[string]int64) map[rune]int64 {
	out := map[rune]int64{}
	for s, n := range m {
		for _, r := range s {
			out[r] = n
		}
	}
	return out
}

// find returns the amounts of a text, in order. Those that begin or end inside a
// token are none: 3rd, 2x4.
func (a *amounts) find(text string, tokens []token.Token) []amount {
	starts, ends := map[int]bool{}, map[int]bool{}
	for _, t := range tokens {
		starts[t.Start], ends[t.End] = true, true
	}
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		lower = text
	}
	var out []amount
	for _, m := range a.re.FindAllStringSubmatchIndex(lower, -1) {
		group := func(name string) string {
			i := 2 * a.re.SubexpIndex(name)
			if m[i] < 0 {
				return ""
			}
			return lower[m[i]:m[i+1]]
		}
		number, scale, end, percent := group("number"), group("scale"), m[1], group("percent") != ""
		if bare := m[2*a.re.SubexpIndex("number")+1]; !ends[end] && bare > 0 {
			scale, end, percent = "", bare, false // the scale was the first letter of a word
		}
		if v := a.number(number, scale, group("words")); v != nil && starts[m[0]] && ends[end] {
			out = append(out, amount{start: m[0], end: end, value: v, percent: percent})
		}
	}
	return out
}

func (a *amounts) number(digits, scale, words string) *big.Rat {
	if words != "" {
		return a.han(words)
	}
	v, ok := new(big.Rat).SetString(strings.ReplaceAll(strings.TrimRight(digits, ","), ",", ""))
	if !ok {
		return nil
	}
	if by, ok := a.scales[scale]; ok {
		v.Mul(v, by)
	}
	return v
}

// han reads numbers such as 两百五十万; nil where it is none.
func (a *amounts) han(words string) *big.Rat {
	var total, group, digit int64
	stepped := false
	for _, r := range words {
		if d, ok := a.digits[r]; ok {
			digit = d
		} else if s, ok := a.steps[r]; ok {
			group += max(digit, 1) * s
			digit, stepped = 0, true
		} else {
			total = max(total+group+digit, 1) * a.groups[r]
			group, digit, stepped = 0, 0, true
		}
	}
	if !stepped {
		return nil
	}
	return new(big.Rat).SetInt64(total + group + digit)
}
