// Package personal tells which columns hold data of persons: by their names, and by
// values that can be nothing else. The rules are data (rules.yaml), each with a
// reason that people are told.
package personal

import (
	_ "embed"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"

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

// maxRules is how many rules a sign has bits for.
const maxRules = 64

// Rules tell what columns hold. They are read-only, and may be used concurrently.
type Rules struct {
	rules   []rule
	lexicon lexicon
	of      map[string]uint64 // by a whole name, its words apart: the rules that it fits in tables of persons
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
	if len(f.Rules) > maxRules {
		panic(fmt.Errorf("the embedded rules for data of persons: there are %d: at most %d", len(f.Rules), maxRules)) // a test reads them
	}
	r := Rules{rules: f.Rules, lexicon: lexicon{first: make(map[string][]phrase)}, of: make(map[string]uint64)}
	for _, word := range further {
		r.lexicon.add(word, sign{further: true})
	}
	for _, word := range f.Persons {
		r.lexicon.add(word, sign{person: true})
	}
	for i := range r.rules {
		x := &r.rules[i]
		for _, word := range x.Words {
			r.lexicon.add(word, sign{named: 1 << i})
		}
		for _, word := range x.Not {
			r.lexicon.add(word, sign{not: 1 << i})
		}
		for _, word := range x.Of {
			r.of[strings.ToLower(word)] |= 1 << i
		}
		if x.Values != "" {
			x.form = regexp.MustCompile(`^(?:` + x.Values + `)$`)
			if x.Share == 0 {
				x.Share = 0.9
			}
		}
	}
	return r
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

// OfPersons tells by its name whether a table is one of persons.
func (r Rules) OfPersons(table string) bool {
	words := wordsOf(table)
	return r.lexicon.of(table, words).person || r.lexicon.of("", singular(words)).person
}

// ByName tells by the name of a column, and by whether its table is one of persons,
// whether it holds data of persons; nil: they do not say so. keep reports whether the
// catalog may keep values.
func (r Rules) ByName(ofPersons bool, column string) (mark *catalog.Personal, keep bool) {
	words := wordsOf(column)
	says := r.lexicon.of(column, words)
	if says.further {
		return &catalog.Personal{Kind: Other, Reason: "it was named as personal when the data were brought in"}, false
	}
	if ofPersons {
		says.named |= r.of[strings.Join(words, " ")]
	}
	if named := says.named &^ says.not; named != 0 {
		x := &r.rules[bits.TrailingZeros64(named)] // the first that fits
		return &catalog.Personal{Kind: x.Kind, Reason: "its name says that it holds " + x.Why}, x.Asked
	}
	return nil, true
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
