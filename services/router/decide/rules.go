package decide

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/services/router/tools"
)

//go:embed rules.yaml
var rulesYAML []byte

type rule struct {
	Kind   string   `yaml:"kind"`
	When   []string `yaml:"when"`
	Any    []string `yaml:"any"`
	Unless []string `yaml:"unless"`
}

type kind struct {
	Goal string   `yaml:"goal"`
	Plan []string `yaml:"plan"`
}

type ruleSet struct {
	Rules     []rule          `yaml:"rules"`
	Kinds     map[string]kind `yaml:"kinds"`
	Otherwise string          `yaml:"otherwise"`
	// Sure is the kind of which a first message may be sure, and when it is.
	Sure rule `yaml:"sure"`
}

// facts are the signals that no word gives.
var facts = []string{"has_sql", "write_sql", "has_error", "names_table", "selected", "source", "bare", "subjectless", "only_social", "about_data"}

// readRules reads the rules and refuses what names an unknown signal, kind or
// tool.
func readRules(raw []byte, l *lexicon) (*ruleSet, error) {
	var rs ruleSet
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	if err := dec.Decode(&rs); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	known := map[string]bool{}
	for _, f := range facts {
		known[f] = true
	}
	for name := range l.byName {
		known[name] = true
	}
	var problems []error
	check := func(r rule, name string) {
		if _, ok := rs.Kinds[r.Kind]; !ok {
			problems = append(problems, fmt.Errorf("%s: unknown kind %q", name, r.Kind))
		}
		for _, n := range slices.Concat(r.When, r.Any, r.Unless) {
			if !known[n] {
				problems = append(problems, fmt.Errorf("%s: unknown signal %q", name, n))
			}
		}
	}
	for i, r := range rs.Rules {
		check(r, fmt.Sprintf("rule %d", i+1))
	}
	if rs.Sure.Kind != "" {
		check(rs.Sure, "sure")
	}
	for name, k := range rs.Kinds {
		for _, tool := range k.Plan {
			if _, ok := tools.Own(tool); !ok {
				problems = append(problems, fmt.Errorf("kind %s: unknown tool %q", name, tool))
			}
		}
	}
	if _, ok := rs.Kinds[rs.Otherwise]; !ok {
		problems = append(problems, fmt.Errorf("otherwise: unknown kind %q", rs.Otherwise))
	}
	return &rs, errors.Join(problems...)
}

// kindOf returns the kind of the first rule that fits.
func (rs *ruleSet) kindOf(on func(signal string) bool) string {
	for _, r := range rs.Rules {
		if r.fits(on) {
			return r.Kind
		}
	}
	return rs.Otherwise
}

func (r rule) fits(on func(string) bool) bool {
	for _, n := range r.When {
		if !on(n) {
			return false
		}
	}
	for _, n := range r.Unless {
		if on(n) {
			return false
		}
	}
	if len(r.Any) == 0 {
		return true
	}
	for _, n := range r.Any {
		if on(n) {
			return true
		}
	}
	return false
}
