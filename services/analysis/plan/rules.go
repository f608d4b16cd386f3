package plan

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
)

//go:embed kinds.yaml
var kindsYAML []byte

// texts is a text in both languages.
type texts struct {
	EN string `yaml:"en"`
	ZH string `yaml:"zh"`
}

func (t texts) in(l lang.Language) string { return l.Pick(t.EN, t.ZH) }

// signalTexts are the expressions of a signal.
type signalTexts struct {
	EN   []string `yaml:"en"`
	ZH   []string `yaml:"zh"`
	Keep bool     `yaml:"keep"`
}

// unitTexts are the names of a unit of time and of its periods.
type unitTexts struct {
	Unit    string `yaml:"unit"`
	This    string `yaml:"this"`
	Last    string `yaml:"last"`
	Earlier string `yaml:"earlier"`
}

type unit struct {
	EN unitTexts `yaml:"en"`
	ZH unitTexts `yaml:"zh"`
}

func (u unit) in(l lang.Language) unitTexts {
	if l == lang.Chinese {
		return u.ZH
	}
	return u.EN
}

// stepTemplate is a step of a kind of request, to be filled in.
type stepTemplate struct {
	ID      string   `yaml:"id"`
	Kind    Kind     `yaml:"kind"`
	Expects Shape    `yaml:"expects"`
	If      string   `yaml:"if"`
	Each    string   `yaml:"each"`
	Inputs  []string `yaml:"inputs"`
	EN      string   `yaml:"en"`
	ZH      string   `yaml:"zh"`
	Title   texts    `yaml:"title"`
	Study   string   `yaml:"study"`
}

type requestKind struct {
	When  []string       `yaml:"when"`
	Needs []string       `yaml:"needs"`
	Steps []stepTemplate `yaml:"steps"`
}

// Rules make plans of requests. They never change and may be used concurrently.
type Rules struct {
	signals map[string]signal
	units   map[string]unit
	kinds   map[string]requestKind
	order   []string
	filler  map[lang.Language]*regexp.Regexp
	report  map[lang.Language]Step
	pairs   map[lang.Language][]pairPattern
	named   map[string][]*regexp.Regexp // by kind of request
	columns map[columnsKey][]*regexp.Regexp
}

// columnsKey names how a request over columns is taken apart.
type columnsKey struct {
	ranked   bool
	language lang.Language
}

type signal struct {
	keep bool
	like []*regexp.Regexp
}

// NewRules reads kinds.yaml.
func NewRules() (*Rules, error) {
	var file struct {
		Signals map[string]signalTexts `yaml:"signals"`
		Filler  texts                  `yaml:"filler"`
		Units   map[string]unit        `yaml:"units"`
		Kinds   map[string]requestKind `yaml:"kinds"`
		Named   map[string]signalTexts `yaml:"named"`
		Columns map[string]signalTexts `yaml:"columns"`
		Order   []string               `yaml:"order"`
		Report  map[lang.Language]struct {
			Title       string `yaml:"title"`
			Instruction string `yaml:"instruction"`
		} `yaml:"report"`
	}
	if err := yaml.Unmarshal(kindsYAML, &file); err != nil {
		return nil, fmt.Errorf("read kinds.yaml: %w", err)
	}
	r := &Rules{
		signals: make(map[string]signal), units: file.Units, kinds: file.Kinds, order: file.Order,
		filler: make(map[lang.Language]*regexp.Regexp), report: make(map[lang.Language]Step), pairs: make(map[lang.Language][]pairPattern),
		named: make(map[string][]*regexp.Regexp), columns: make(map[columnsKey][]*regexp.Regexp),
	}
	for name, c := range file.Columns {
		for l, list := range map[lang.Language][]string{lang.English: c.EN, lang.Chinese: c.ZH} {
			key := columnsKey{name == "ranked", l}
			for _, expression := range list {
				like, err := regexp.Compile("(?i)" + expression)
				if err != nil {
					return nil, fmt.Errorf("read kinds.yaml: columns %s: %w", name, err)
				}
				r.columns[key] = append(r.columns[key], like)
			}
		}
	}
	for name, s := range file.Named {
		s.Keep = true
		file.Signals[name] = s
	}
	for name, s := range file.Signals {
		compiled := signal{keep: s.Keep}
		for _, expression := range slices.Concat(s.EN, s.ZH) {
			like, err := regexp.Compile("(?i)" + expression)
			if err != nil {
				return nil, fmt.Errorf("read kinds.yaml: signal %s: %w", name, err)
			}
			compiled.like = append(compiled.like, like)
		}
		r.signals[name] = compiled
		if _, places := file.Named[name]; places {
			r.named[name] = compiled.like
		}
	}
	for name, k := range r.kinds {
		for _, s := range k.When {
			if _, known := r.signals[s]; !known {
				return nil, fmt.Errorf("read kinds.yaml: kind %s: there is no signal %q", name, s)
			}
		}
	}
	for _, name := range r.order {
		if _, known := r.kinds[name]; !known {
			return nil, fmt.Errorf("read kinds.yaml: order: there is no kind %q", name)
		}
	}
	for _, l := range []lang.Language{lang.English, lang.Chinese} {
		filler, err := regexp.Compile("(?i)" + file.Filler.in(l))
		if err != nil {
			return nil, fmt.Errorf("read kinds.yaml: filler: %w", err)
		}
		r.filler[l] = filler
		r.report[l] = Step{ID: "report", Kind: Report, Expects: Document, Title: file.Report[l].Title, Instruction: file.Report[l].Instruction}
		r.pairs[l] = pairPatterns(r.units, l)
	}
	return r, nil
}

// ReportStep is the last step of every plan, without inputs.
func (r *Rules) ReportStep(l lang.Language) Step { return r.report[l] }

// hits returns the signals that hold in a text, and the text without what they match.
func (r *Rules) hits(text string) (map[string]bool, string) {
	found, rest := make(map[string]bool), text
	names := make([]string, 0, len(r.signals))
	for name := range r.signals {
		names = append(names, name)
	}
	slices.Sort(names) // what one takes out, another cannot find: the same every time
	for _, name := range names {
		for _, like := range r.signals[name].like {
			if !like.MatchString(text) {
				continue
			}
			found[name] = true
			if !r.signals[name].keep {
				rest = like.ReplaceAllString(rest, " , ")
			}
		}
	}
	return found, strings.TrimSpace(rest)
}

// without is a text without what one signal matches.
func (r *Rules) without(text, name string) string {
	for _, like := range r.signals[name].like {
		text = like.ReplaceAllString(text, " , ")
	}
	return text
}

// uses reports whether a step of a kind has a place in its text.
func (k requestKind) uses(place string) bool {
	return slices.ContainsFunc(k.Steps, func(t stepTemplate) bool { return strings.Contains(t.EN, place) })
}

// ofDays reports whether a kind looks at a course by day.
func (k requestKind) ofDays() bool { return k.uses("{span}") || k.uses("{window}") }

// studies reports whether a kind looks at one table.
func (k requestKind) studies() bool {
	return slices.ContainsFunc(k.Steps, func(t stepTemplate) bool { return t.Kind == Study })
}

// withoutActs is a text without the acts that are taken out.
func (r *Rules) withoutActs(text string) string {
	_, rest := r.hits(text)
	return rest
}
