package metric

import (
	_ "embed" // grammar.yaml
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed grammar.yaml
var grammarFile []byte

// pattern is a sequence of units that says something together.
type pattern struct {
	Says  string   `yaml:"says"`
	Units []string `yaml:"units"`
}

// loadGrammar reads the patterns, longest first.
func loadGrammar() ([]pattern, error) {
	var out []pattern
	if err := yaml.Unmarshal(grammarFile, &out); err != nil {
		return nil, fmt.Errorf("grammar of metrics: %w", err)
	}
	for _, p := range out {
		if _, ok := sayings[p.Says]; !ok || len(p.Units) == 0 {
			return nil, fmt.Errorf("grammar of metrics: nothing says %q", p.Says)
		}
	}
	slices.SortStableFunc(out, func(a, b pattern) int { return len(b.Units) - len(a.Units) })
	return out, nil
}

// sayings do what the patterns of grammar.yaml say.
var sayings = map[string]func(*reader, []*unit){
	"threshold": (*reader).threshold,
	"against":   (*reader).against,
	"alike":     (*reader).alike,
	"ends":      (*reader).twoEnds,
	"per":       (*reader).per,
	"prior":     (*reader).prior,
	"rolling":   (*reader).rolling,
	"moved":     (*reader).moved,
}

// fits reports whether a unit is what a pattern names.
func (u *unit) fits(names string) bool {
	for name := range strings.SplitSeq(names, "|") {
		tag, arg, _ := strings.Cut(name, ":")
		switch {
		case name == "amount":
			if u.amount != nil {
				return true
			}
		case name == "range":
			if u.date != nil && u.date.Grain == "" {
				return true
			}
		case name == "recent":
			if u.date != nil && u.date.Unit != "" {
				return true
			}
		case u.date != nil || len(u.meanings) > 0:
		case arg != "" && u.is(tag) && u.arg(tag) == arg, arg == "" && u.is(tag):
			return true
		}
	}
	return false
}

// idle reports whether a unit may stand within a pattern.
func (u *unit) idle() bool {
	return len(u.meanings) == 0 && u.date == nil && u.amount == nil && (u.is("stop") || u.is("filler") || u.is("stands_for") || u.is("request") || u.is("of") && !u.is("cmp"))
}

// match finds the longest pattern at a place, and how many units it takes.
func (r *reader) match(at int) (p *pattern, found []*unit, taken int) {
	for i := range r.names.words.grammar {
		p := &r.names.words.grammar[i]
		if found, taken := matchUnits(p, r.units[at:]); taken > 0 {
			return p, found, taken
		}
	}
	return nil, nil, 0
}

func matchUnits(p *pattern, units []unit) (found []*unit, taken int) {
	for i := range units {
		if len(found) == len(p.Units) {
			break
		}
		switch u := &units[i]; {
		case u.fits(p.Units[len(found)]):
			found = append(found, u)
			taken = i + 1
		case len(found) > 0 && u.idle():
		default:
			return nil, 0
		}
	}
	if len(found) < len(p.Units) {
		return nil, 0
	}
	return found, taken
}
