// Package advise decides how a result is drawn. It proposes every chart that the
// columns could make, and scores each with a table of rules (rules.yaml), as Draco does
// (Moritz et al., "Formalizing Visualization Design Knowledge as Constraints", 2019): a
// hard rule forbids what would mislead or cannot be read, a soft one adds its weight.
// The reasons that people read are those of the rules that decided.
package advise

import (
	"cmp"
	"slices"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/lang"
)

// Role of a column in a result.
type Role int

// Roles. A column that is Other, such as an array, is drawn nowhere.
const (
	Other Role = iota
	// Time is an axis of days, months or moments.
	Time
	// Category names one of several things.
	Category
	// Geography is a category of places.
	Geography
	// Measure is a number that is read as an amount.
	Measure
	// Identifier is a number or text that names one thing and measures none.
	Identifier
)

// Field is what is known of a column.
type Field struct {
	Name string
	Role Role
	// Distinct is how many different values it has; null is one of them.
	Distinct int
	// Nulls is how many rows have no value.
	Nulls int
	// Numeric says that its values are numbers, whatever its role.
	Numeric bool
	// Ordered says that the values of a category follow each other, as the hours of a day.
	Ordered bool
	// Unit of a measure; empty: none, or not known.
	Unit string
	// Additive says that the sum of a measure's values means something.
	Additive bool
	// Negative says that a measure has values below zero.
	Negative bool
	// Numbers is how many finite numbers a measure has, Peak the greatest of them
	// without its sign.
	Numbers int
	Peak    float64
}

// Data is a result as far as a chart is decided by it.
type Data struct {
	Fields []Field
	Rows   int
	// Partial says that there may be more rows than these.
	Partial bool
	// SortedBy is the measure by which the statement sorts; -1: none.
	SortedBy int
	// Unique reports whether the values of these columns, as they are written, are
	// together there once at most.
	Unique func(columns ...int) bool
}

// Choice is one way to draw a result. Columns count from 0; -1 is none.
type Choice struct {
	Kind   chart.Kind
	X      int
	Y      []int
	Series int
	// Score is the sum of the weights of the rules that hold; only its order means
	// something.
	Score float64
	rules []*rule // that hold and add weight, the heaviest first
}

// Reason says why the choice was made; empty where no rule speaks for it.
func (c Choice) Reason(l lang.Language) string {
	for _, r := range c.rules {
		if r.Weight > 0 && r.Because.En != "" {
			return l.Pick(r.Because.En, r.Because.Zh)
		}
	}
	return ""
}

// Advice is the decision: one choice of each kind that the result can be drawn as.
type Advice struct {
	// Choices begin with the one to draw. At most three of different kinds; there is
	// always one, since everything can be a table.
	Choices []Choice
	// Declined is why the kind that was wished is not the first choice; nil where it
	// is, or none was wished.
	Declined *Declined
}

// Declined is a wish that is not followed.
type Declined struct {
	Kind    chart.Kind
	name    text // of a kind that is not drawn here
	because text
}

// Title is what people call what was wished.
func (d Declined) Title(l lang.Language) string {
	if d.name.En != "" {
		return l.Pick(d.name.En, d.name.Zh)
	}
	return d.Kind.Title(l)
}

// Reason says why not.
func (d Declined) Reason(l lang.Language) string { return l.Pick(d.because.En, d.because.Zh) }

// maxChoices is the first choice and the next two.
const maxChoices = 3

// Adviser decides by its rules. It is safe for concurrent use.
type Adviser struct {
	rules []rule
	words words
}

// New reads the embedded rules and words. An error means that they are broken.
func New() (*Adviser, error) {
	rules, err := readRules(rulesYAML)
	if err != nil {
		return nil, err
	}
	w, err := readWords(wordsYAML)
	if err != nil {
		return nil, err
	}
	return &Adviser{rules: rules, words: w}, nil
}

// Advise decides how data is drawn for a wish.
func (a *Adviser) Advise(d Data, w Wish) Advice {
	var choices []Choice
	forbidden := map[chart.Kind]*rule{}
	for _, c := range candidates(d) {
		f := factsOf(d, c, w)
		if by := a.forbids(c.Kind, f); by != nil {
			// The rule that the best try of a kind fails on is the one to tell; tries come
			// with the plainest first.
			if forbidden[c.Kind] == nil {
				forbidden[c.Kind] = by
			}
			continue
		}
		a.score(&c, f)
		choices = append(choices, c)
	}
	slices.SortStableFunc(choices, func(x, y Choice) int { return cmp.Compare(y.Score, x.Score) })
	best := map[chart.Kind]bool{}
	choices = slices.DeleteFunc(choices, func(c Choice) bool {
		again := best[c.Kind]
		best[c.Kind] = true
		return again
	})
	advice := Advice{}
	if w.Kind.Name() != "" {
		at := slices.IndexFunc(choices, func(c Choice) bool { return c.Kind == w.Kind })
		switch {
		case at >= 0:
			wished := choices[at]
			choices = slices.Insert(slices.Delete(choices, at, at+1), 0, wished)
		case forbidden[w.Kind] != nil:
			advice.Declined = &Declined{Kind: w.Kind, because: forbidden[w.Kind].Because}
		default:
			advice.Declined = &Declined{Kind: w.Kind, because: a.words.Lacking[w.Kind.Name()]}
		}
	}
	if o := w.Other; o != nil {
		advice.Declined = &Declined{Kind: w.Kind, name: o.Name, because: a.words.NotDrawn}
	}
	advice.Choices = choices[:min(len(choices), maxChoices)]
	return advice
}

func (a *Adviser) forbids(kind chart.Kind, f facts) *rule {
	for i := range a.rules {
		if r := &a.rules[i]; r.Forbids && r.holds(kind, f) {
			return r
		}
	}
	return nil
}

func (a *Adviser) score(c *Choice, f facts) {
	for i := range a.rules {
		if r := &a.rules[i]; !r.Forbids && r.holds(c.Kind, f) {
			c.Score += r.Weight
			c.rules = append(c.rules, r)
		}
	}
	slices.SortStableFunc(c.rules, func(x, y *rule) int { return cmp.Compare(y.Weight, x.Weight) })
}
