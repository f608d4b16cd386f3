package mark

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"
)

//go:embed marks.yaml
var data []byte

// need is how much a catalog has to show before a mark is believed.
type need uint8

const (
	needNothing need = iota
	needConvention
	needTwin
)

// mark is one reading of a part of a name.
type mark struct {
	facet Facet
	value string
	needs need
}

// lexicon holds the marks by part.
type lexicon struct {
	prefix, suffix map[string][]mark
	cautious       map[string]bool // countries' codes that are words too
	states         map[string]bool // two-letter parts that show that codes are states'
}

type group struct {
	Value string   `yaml:"value"`
	Needs string   `yaml:"needs"`
	Marks []string `yaml:"marks"`
}

func load() (*lexicon, error) {
	var f struct {
		Prefixes map[string][]group `yaml:"prefixes"`
		Suffixes map[string][]group `yaml:"suffixes"`
		Cautious []string           `yaml:"cautious_countries"`
		States   []string           `yaml:"states"`
		Windows  []string           `yaml:"windows"`
	}
	if err := yaml.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("read the embedded marks: %w", err)
	}
	l := &lexicon{prefix: map[string][]mark{}, suffix: map[string][]mark{}, cautious: setOf(f.Cautious), states: setOf(f.States)}
	if err := errors.Join(fill(l.prefix, f.Prefixes), fill(l.suffix, f.Suffixes)); err != nil {
		return nil, err
	}
	for _, w := range f.Windows {
		l.suffix[w] = append(l.suffix[w], mark{Window, w, needConvention})
	}
	for _, code := range countryCodes() {
		needs := needConvention
		if l.cautious[code] {
			needs = needTwin
		}
		m := mark{Country, canonical(code), needs}
		l.suffix[code] = append(l.suffix[code], m)
		m.needs = needTwin // in front of a name a code is rarer
		l.prefix[code] = append(l.prefix[code], m)
	}
	return l, nil
}

// fill adds groups of marks, facet by facet: of two readings of one part the
// earlier facet's is tried first.
func fill(marks map[string][]mark, groups map[string][]group) error {
	needs := map[string]need{"nothing": needNothing, "convention": needConvention, "twin": needTwin}
	for _, facet := range []Facet{Snapshot, Copy, Layer} {
		for _, g := range groups[facet.String()] {
			n, ok := needs[g.Needs]
			if !ok {
				return fmt.Errorf("embedded marks: %s %s needs %q", facet, g.Value, g.Needs)
			}
			for _, part := range g.Marks {
				marks[part] = append(marks[part], mark{facet, g.Value, n})
			}
		}
	}
	return nil
}

// countryCodes are the ISO 3166 codes in lower case, and UK, which people write.
func countryCodes() []string {
	codes := []string{"uk"}
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			code := string(a) + string(b)
			r, err := language.ParseRegion(code)
			if err == nil && r.IsCountry() && r.ISO3() != "ZZZ" && r.Canonicalize() == r && strings.EqualFold(r.String(), code) {
				codes = append(codes, code)
			}
		}
	}
	return codes
}

// canonical returns the code of a country in upper case; UK is GB.
func canonical(code string) string {
	if strings.EqualFold(code, "uk") {
		return "GB"
	}
	return strings.ToUpper(code)
}

func setOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}
