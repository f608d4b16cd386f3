package advise

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/chart"
)

//go:embed rules.yaml
var rulesYAML []byte

// text is a sentence in both languages.
type text struct {
	En string `yaml:"en"`
	Zh string `yaml:"zh"`
}

// rule is a line of rules.yaml, where its form is told.
type rule struct {
	ID    string   `yaml:"id"`
	Kinds []string `yaml:"kinds"`
	// When are facts that have to hold; one after "not" must not.
	When []string `yaml:"when"`
	// Of are numbers that have to lie between two bounds, both included.
	Of      map[string][2]int `yaml:"of"`
	Forbids bool              `yaml:"forbids"`
	Weight  float64           `yaml:"weight"`
	Because text              `yaml:"because"`
}

func readRules(source []byte) ([]rule, error) {
	var rules []rule
	d := yaml.NewDecoder(strings.NewReader(string(source)))
	d.KnownFields(true)
	if err := d.Decode(&rules); err != nil {
		return nil, fmt.Errorf("read the rules of charts: %w", err)
	}
	seen := map[string]bool{}
	for _, r := range rules {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("rule %q of charts: %w", r.ID, err)
		}
		if seen[r.ID] {
			return nil, fmt.Errorf("rule %q of charts is there twice", r.ID)
		}
		seen[r.ID] = true
	}
	return rules, nil
}

func (r rule) check() error {
	for _, kind := range r.Kinds {
		if chart.KindNamed(kind) == chart.None {
			return fmt.Errorf("there is no kind %q", kind)
		}
	}
	for _, name := range r.When {
		if !slices.Contains(factNames, strings.TrimPrefix(name, "not ")) {
			return fmt.Errorf("there is no fact %q", name)
		}
	}
	for name, bounds := range r.Of {
		if !slices.Contains(numberNames, name) || bounds[0] > bounds[1] {
			return fmt.Errorf("%s from %d to %d cannot be", name, bounds[0], bounds[1])
		}
	}
	switch {
	case r.ID == "" || len(r.Kinds) == 0:
		return fmt.Errorf("it needs an id and kinds")
	case r.Forbids && (r.Weight != 0 || r.Because.En == ""):
		return fmt.Errorf("one that forbids says why, and has no weight")
	case !r.Forbids && r.Weight == 0:
		return fmt.Errorf("it has no weight")
	case (r.Because.En == "") != (r.Because.Zh == ""):
		return fmt.Errorf("its reason is needed in both languages")
	}
	return nil
}

func (r rule) holds(kind chart.Kind, f facts) bool {
	if !slices.Contains(r.Kinds, kind.Name()) {
		return false
	}
	for _, name := range r.When {
		bare, negated := strings.CutPrefix(name, "not ")
		if f.is[bare] == negated {
			return false
		}
	}
	for name, bounds := range r.Of {
		if n := f.of[name]; n < bounds[0] || n > bounds[1] {
			return false
		}
	}
	return true
}

// facts are what rules ask of a candidate.
type facts struct {
	is map[string]bool
	of map[string]int
}

// factNames are the facts, numberNames the numbers that rules.yaml may name.
var (
	factNames = []string{
		"x_time", "x_category", "x_geography", "x_identifier", "x_ordered", "x_gaps", "y_identifier", "series", "series_identifier", "repeated", "additive", "negative", "partial",
		"sorted", "grid", "attribute", "time_left", "other_left", "category_left", "trend", "share", "comparison", "ranking", "distribution", "relation", "grouped",
	}
	numberNames = []string{"x_values", "series_values", "rows", "numbers", "measures"}
)

// leastFilled is the share of the places of a grid that have to have a value: 1 in 3.
const leastFilled = 3

func factsOf(d Data, c Choice, w Wish) facts {
	f := facts{is: map[string]bool{}, of: map[string]int{"rows": d.Rows, "measures": len(c.Y)}}
	f.is["partial"], f.is["sorted"] = d.Partial, d.SortedBy >= 0
	for task, name := range taskNames {
		f.is[name] = w.Tasks[Task(task)]
	}
	f.is["grouped"] = w.Grouped
	if len(c.Y) > 0 {
		y := d.Fields[c.Y[0]]
		f.is["additive"], f.is["negative"], f.is["y_identifier"] = y.Additive, y.Negative, y.Role == Identifier
		f.of["numbers"] = y.Numbers
		if y.Role == Identifier {
			f.of["numbers"] = d.Rows - y.Nulls
		}
	}
	var keys []int
	if c.X >= 0 {
		x := d.Fields[c.X]
		keys = append(keys, c.X)
		f.of["x_values"] = x.Distinct
		f.is["x_time"], f.is["x_identifier"] = x.Role == Time, x.Role == Identifier
		f.is["x_category"] = x.Role == Category || x.Role == Geography
		f.is["x_geography"] = x.Role == Geography
		f.is["x_ordered"], f.is["x_gaps"] = x.Ordered || x.Role == Time, x.Nulls > 0
	}
	if c.Series >= 0 {
		keys = append(keys, c.Series)
		f.is["series"], f.of["series_values"] = true, d.Fields[c.Series].Distinct
		f.is["series_identifier"] = d.Fields[c.Series].Role == Identifier
	}
	if c.Kind != chart.Scatter && len(keys) > 0 {
		f.is["repeated"] = !d.Unique(keys...)
	}
	if c.X >= 0 && c.Series >= 0 {
		f.is["attribute"] = d.Unique(c.X) || d.Unique(c.Series)
		f.is["grid"] = d.Rows*leastFilled >= d.Fields[c.X].Distinct*d.Fields[c.Series].Distinct
	}
	for i, field := range d.Fields {
		if len(c.Y) == 0 || slices.Contains(keys, i) || slices.Contains(c.Y, i) {
			continue
		}
		if field.Role != Other && field.Distinct == 1 {
			continue // it is the same for all rows
		}
		switch field.Role {
		case Time:
			f.is["time_left"] = true
		case Other:
			f.is["other_left"] = true
		case Category, Geography, Identifier:
			f.is["category_left"] = true
		}
	}
	return f
}
