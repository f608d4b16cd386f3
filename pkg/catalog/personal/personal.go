// Package personal tells which columns hold data of persons: by their names, and by
// values that can be nothing else. The rules are data (rules.yaml), each with a
// reason that people are told.
package personal

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
)

//go:embed rules.yaml
var ruleList []byte

// Other is the kind of what a person named without saying what it is.
const Other = "other"

// Rule is an entry of rules.yaml, which tells what its fields mean.
type rule struct {
	Kind    string
	Why     string
	Asked   bool
	Words   []string
	Not     []string
	Of      []string
	Values  string
	Share   float64
	Sure    bool
	Numbers bool
	Check   string

	form *regexp.Regexp
}

// Rules tell what columns hold. They are read-only, and may be used concurrently.
type Rules struct {
	persons []string
	rules   []rule
	further []string
}

// New returns the rules, with further names of columns that hold data of persons.
func New(further []string) Rules {
	var f struct {
		Persons []string
		Rules   []rule
	}
	if err := yaml.Unmarshal(ruleList, &f); err != nil {
		panic(fmt.Errorf("the embedded rules for data of persons: %w", err)) // a test reads them
	}
	for i := range f.Rules {
		if r := &f.Rules[i]; r.Values != "" {
			r.form = regexp.MustCompile(`^(?:` + r.Values + `)$`)
			if r.Share == 0 {
				r.Share = 0.9
			}
		}
	}
	return Rules{persons: f.Persons, rules: f.Rules, further: further}
}

// Kinds are the kinds that there are.
func Kinds() []string {
	return []string{"name", "email", "phone", "address", "birth_date", "person_id", "account", "network", "secret", Other}
}

// IsKind reports whether there is such a kind.
func IsKind(kind string) bool { return slices.Contains(Kinds(), kind) }

// Asked reports whether people ask by values of a kind, so that the catalog keeps
// some for the rules.
func Asked(kind string) bool { return kind == "name" || kind == "address" }

// ByName tells by the names of a column and its table whether it holds data of
// persons; nil: they do not say so. keep reports whether the catalog may keep values.
func (r Rules) ByName(table, column string) (mark *catalog.Personal, keep bool) {
	for _, word := range r.further {
		if says(column, word) {
			return &catalog.Personal{Kind: Other, Reason: "it was named as personal when the data were brought in"}, false
		}
	}
	ofPersons := slices.ContainsFunc(r.persons, func(p string) bool { return says(singular(table), p) || says(table, p) })
	for i := range r.rules {
		x := &r.rules[i]
		named := slices.ContainsFunc(x.Words, func(w string) bool { return says(column, w) })
		if !named && ofPersons {
			named = slices.ContainsFunc(x.Of, func(w string) bool { return strings.EqualFold(strings.TrimSpace(spaced(column)), w) })
		}
		if named && !slices.ContainsFunc(x.Not, func(w string) bool { return says(column, w) }) {
			return &catalog.Personal{Kind: x.Kind, Reason: "its name says that it holds " + x.Why}, x.Asked
		}
	}
	return nil, true
}

// singular takes the s off each word of a table's name.
func singular(table string) string {
	words := strings.Fields(spaced(table))
	for i := range words {
		words[i] = strings.TrimSuffix(words[i], "s")
	}
	return strings.Join(words, " ")
}

// minValues are how many different values have to be there for values to tell, of forms
// that other texts may have by chance.
const minValues = 8

// ByValues tells by different values of a column whether they are data of persons.
// numbers: they are whole numbers. keep is as for ByName.
func (r Rules) ByValues(values []string, numbers bool) (mark *catalog.Personal, keep bool) {
	for i := range r.rules {
		x := &r.rules[i]
		if x.form == nil || numbers && !x.Numbers || len(values) == 0 || len(values) < minValues && !x.Sure {
			continue
		}
		fit := 0
		for _, v := range values {
			if v = strings.TrimSpace(v); x.form.MatchString(v) && (x.Check == "" || checksCN(v)) {
				fit++
			}
		}
		if float64(fit) >= x.Share*float64(len(values)) {
			return &catalog.Personal{Kind: x.Kind, Reason: fmt.Sprintf("%d of %d different values look like %s", fit, len(values), x.Why)}, x.Asked
		}
	}
	return nil, true
}

// checksCN reports whether 18 characters end with the check digit of GB 11643-1999.
func checksCN(v string) bool {
	weights := [17]int{7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2}
	if len(v) != len(weights)+1 {
		return false
	}
	sum := 0
	for i, w := range weights {
		sum += int(v[i]-'0') * w
	}
	return "10X98765432"[sum%11] == strings.ToUpper(v)[len(weights)]
}

// says reports whether a name has a word, or several one after another; a Chinese one
// anywhere in it.
func says(name, word string) bool {
	if utf8.RuneCountInString(word) != len(word) {
		return strings.Contains(strings.ToLower(name), strings.ToLower(word))
	}
	return strings.Contains(spaced(name), spaced(word))
}

// spaced turns customerEmail and customer_email into " customer email ".
func spaced(name string) string {
	var b strings.Builder
	b.WriteByte(' ')
	var previous rune
	runes := []rune(name)
	for i, c := range runes {
		switch {
		case !unicode.IsLetter(c):
			c = ' ' // digits too: phone1 is a phone
		case unicode.IsUpper(c) && (unicode.IsLower(previous) || unicode.IsUpper(previous) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			b.WriteByte(' ')
		}
		if c != ' ' || previous != ' ' {
			b.WriteRune(unicode.ToLower(c))
		}
		previous = c
	}
	b.WriteByte(' ')
	return " " + strings.Join(strings.Fields(b.String()), " ") + " "
}
