package parse

import (
	_ "embed" // grammar.yaml, weights.yaml
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed grammar.yaml
var grammarFile []byte

//go:embed weights.yaml
var weightsFile []byte

// Grammar is what questions are read by: rules over categories of items, and how
// much each use of a rule, each sense of an item and each item passed over counts.
// It is read-only after NewGrammar.
type Grammar struct {
	rules     []rule
	terminals []terminal
	names     []string // of symbols, terminals first
	starting  [][]int  // symbol -> rules that begin with it
	start     int
	weights   map[string]float64
	ruleCost  []contextual
	senseCost []contextual
	skipCost  []float64 // by class
	says      map[string]bool
}

// rule makes its left side of one to five symbols.
type rule struct {
	name string
	left int
	body []int
	head int // index into body: whose item stands for the whole
	do   action
	when []guard
}

// contextual is a weight of its own, and more by the class of the item before
// and after the span.
type contextual struct {
	base          float64
	before, after []float64
}

func (c *contextual) at(before, after class) float64 {
	return c.base + c.before[before] + c.after[after]
}

// ruleText is a rule in grammar.yaml.
type ruleText struct {
	Name string `yaml:"name"`
	Rule string `yaml:"rule"` // "Left -> symbol symbol"
	Head int    `yaml:"head"` // 1 is the first symbol; 0: the last
	Do   string `yaml:"do"`   // an action; empty: the parts side by side
	When string `yaml:"when"` // names of guards
}

// maxBody bounds the symbols of a rule.
const maxBody = 5

// NewGrammar reads the embedded rules and weights.
func NewGrammar() (*Grammar, error) {
	weights := map[string]float64{}
	if err := yaml.Unmarshal(weightsFile, &weights); err != nil {
		return nil, fmt.Errorf("weights of the grammar: %w", err)
	}
	return newGrammar(grammarFile, weights)
}

// WithWeights returns the grammar with other weights, for fitting them.
func WithWeights(weights map[string]float64) (*Grammar, error) {
	return newGrammar(grammarFile, weights)
}

func newGrammar(text []byte, weights map[string]float64) (*Grammar, error) {
	var data struct {
		Start string     `yaml:"start"`
		Says  []string   `yaml:"says"`
		Rules []ruleText `yaml:"rules"`
	}
	if err := yaml.Unmarshal(text, &data); err != nil {
		return nil, fmt.Errorf("grammar: %w", err)
	}
	g := &Grammar{weights: weights, says: map[string]bool{}}
	for _, w := range data.Says {
		g.says[w] = true
	}
	symbols, err := g.symbols(data.Rules)
	if err != nil {
		return nil, err
	}
	g.starting = make([][]int, len(g.names))
	for _, t := range data.Rules {
		r, err := compile(t, symbols)
		if err != nil {
			return nil, err
		}
		g.starting[r.body[0]] = append(g.starting[r.body[0]], len(g.rules))
		g.rules = append(g.rules, r)
		g.ruleCost = append(g.ruleCost, g.contextual("rule/"+r.name))
	}
	for _, t := range g.terminals {
		g.senseCost = append(g.senseCost, g.contextual("as/"+t.name))
	}
	for c := range classes() {
		g.skipCost = append(g.skipCost, g.weights["skip/"+class(c).String()])
	}
	start, ok := symbols[data.Start]
	if !ok {
		return nil, fmt.Errorf("grammar: no rule makes the start %q", data.Start)
	}
	g.start = start
	return g, nil
}

// symbols numbers what rules name: what no rule makes is a terminal.
func (g *Grammar) symbols(rules []ruleText) (map[string]int, error) {
	made, names := map[string]bool{}, map[string]bool{}
	for _, r := range rules {
		if names[r.Name] {
			return nil, fmt.Errorf("grammar: rule %s is there twice", r.Name)
		}
		names[r.Name] = true
		left, _, ok := strings.Cut(r.Rule, " -> ")
		if !ok {
			return nil, fmt.Errorf("grammar: rule %s: %q has no arrow", r.Name, r.Rule)
		}
		made[left] = true
	}
	out := map[string]int{}
	for _, r := range rules {
		_, body, _ := strings.Cut(r.Rule, " -> ")
		for _, s := range strings.Fields(body) {
			if _, ok := out[s]; ok || made[s] {
				continue
			}
			t, err := newTerminal(s)
			if err != nil {
				return nil, fmt.Errorf("grammar: rule %s: %w", r.Name, err)
			}
			out[s] = len(g.terminals)
			g.terminals = append(g.terminals, t)
			g.names = append(g.names, s)
		}
	}
	for _, r := range rules {
		left, _, _ := strings.Cut(r.Rule, " -> ")
		if _, ok := out[left]; !ok {
			out[left] = len(g.names)
			g.names = append(g.names, left)
		}
	}
	return out, nil
}

func compile(t ruleText, symbols map[string]int) (rule, error) {
	left, body, _ := strings.Cut(t.Rule, " -> ")
	r := rule{name: t.Name, left: symbols[left]}
	for _, s := range strings.Fields(body) {
		r.body = append(r.body, symbols[s])
	}
	if len(r.body) == 0 || len(r.body) > maxBody || t.Head < 0 || t.Head > len(r.body) {
		return r, fmt.Errorf("grammar: rule %s has %d symbols and head %d: at most %d, head one of them", t.Name, len(r.body), t.Head, maxBody)
	}
	r.head = t.Head - 1
	if t.Head == 0 {
		r.head = len(r.body) - 1
	}
	var ok bool
	if r.do, ok = actions()[t.Do]; !ok {
		return r, fmt.Errorf("grammar: rule %s: no action %q", t.Name, t.Do)
	}
	for _, name := range strings.Fields(t.When) {
		w, ok := guards()[name]
		if !ok {
			return r, fmt.Errorf("grammar: rule %s: no guard %q", t.Name, name)
		}
		r.when = append(r.when, w)
	}
	return r, nil
}

func (g *Grammar) contextual(name string) contextual {
	c := contextual{base: g.weights[name], before: make([]float64, len(classes())), after: make([]float64, len(classes()))}
	for i := range classes() {
		c.before[i] = g.weights[name+"|<"+class(i).String()]
		c.after[i] = g.weights[name+"|>"+class(i).String()]
	}
	return c
}
