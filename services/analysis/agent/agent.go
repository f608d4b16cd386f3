// Package agent reads the agents that an operator sets up for analyses: what one of them
// knows beside the source, how it is to go about its work, and plans that it has for
// questions that come again. An analysis names one by its id; who may, the file says.
package agent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/plan"
)

// Bounds of the file of agents, and of what an analysis is given of one.
const (
	maxFileBytes    = 4 << 20
	maxAgents       = 200
	maxInstructions = 4000 // characters
	maxDocuments    = 20   // knowledge bases, as find data takes them
	maxExamples     = 200
	maxQuestion     = 1000 // characters
	maxChosen       = 5    // examples that an analysis is given
)

// Agent is one of them.
type Agent struct {
	ID string `yaml:"id"`
	// Source is asked where a request names none; empty: the server's default.
	Source string `yaml:"source"`
	// Groups may use it; empty: everybody.
	Groups []string `yaml:"groups"`
	// Instructions are told to whoever plans, in words.
	Instructions string `yaml:"instructions"`
	// Documents are the knowledge bases that find data looks into, by their names; empty: all.
	Documents []string `yaml:"documents"`
	// Examples are questions with the steps that answer them.
	Examples []Example `yaml:"examples"`
}

// Example is a question with its plan, without the report.
type Example struct {
	Question string `yaml:"question"`
	Steps    []Step `yaml:"steps"`
}

// Step is one of an example.
type Step struct {
	ID          string    `yaml:"id"`
	Kind        plan.Kind `yaml:"kind"`
	Title       string    `yaml:"title"`
	Instruction string    `yaml:"instruction"`
	Inputs      []string  `yaml:"inputs"`
	Study       string    `yaml:"study"`
	Days        int       `yaml:"days"`
}

// Agents are those of a file. They never change and may be used concurrently; the zero value
// has none.
type Agents struct{ list []Agent }

var name = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,63}$`)

// Open reads a file of agents; an empty path is none.
func Open(path string) (*Agents, error) {
	a := &Agents{}
	if path == "" {
		return a, nil
	}
	fail := func(err error) (*Agents, error) { return nil, fmt.Errorf("analysis.agents_file %s: %w", path, err) }
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return fail(err)
	}
	defer func() { _ = f.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return fail(err)
	}
	if len(text) > maxFileBytes {
		return fail(fmt.Errorf("it has more than %d bytes, which is the most", maxFileBytes))
	}
	var file struct {
		Agents []Agent `yaml:"agents"`
	}
	d := yaml.NewDecoder(strings.NewReader(string(text)))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return fail(err)
	}
	if len(file.Agents) > maxAgents {
		return fail(fmt.Errorf("it has %d agents, and the most is %d", len(file.Agents), maxAgents))
	}
	for i, one := range file.Agents {
		if err := one.check(); err != nil {
			return fail(fmt.Errorf("agent %d, %q: %w", i+1, lang.Shorten(one.ID, 64), err))
		}
		if slices.ContainsFunc(a.list, func(b Agent) bool { return b.ID == one.ID }) {
			return fail(fmt.Errorf("agent %q is there twice", one.ID))
		}
		a.list = append(a.list, one)
	}
	slices.SortFunc(a.list, func(a, b Agent) int { return strings.Compare(a.ID, b.ID) })
	return a, nil
}

// check says what is wrong with an agent.
func (a Agent) check() error {
	switch {
	case !name.MatchString(a.ID):
		return errors.New("its id has to be letters, digits, dots, dashes and underscores, 64 at most")
	case len([]rune(a.Instructions)) > maxInstructions:
		return fmt.Errorf("its instructions have more than %d characters", maxInstructions)
	case len(a.Documents) > maxDocuments:
		return fmt.Errorf("it names %d knowledge bases, and the most is %d", len(a.Documents), maxDocuments)
	case len(a.Examples) > maxExamples:
		return fmt.Errorf("it has %d examples, and the most is %d", len(a.Examples), maxExamples)
	}
	seen := make(map[string]bool)
	for i, e := range a.Examples {
		q := alike(e.Question)
		if q == "" || len([]rune(e.Question)) > maxQuestion {
			return fmt.Errorf("example %d has no question of 1 to %d characters", i+1, maxQuestion)
		}
		if seen[q] {
			return fmt.Errorf("example %d, %q, is there twice", i+1, lang.Shorten(e.Question, 80))
		}
		seen[q] = true
		p := plan.Plan{Steps: e.steps()}
		report := plan.Step{ID: "report", Kind: plan.Report, Instruction: "report"}
		for _, s := range p.Steps {
			report.Inputs = append(report.Inputs, s.ID)
		}
		p.Steps = append(p.Steps, report)
		if problems := plan.Check(p); len(problems) > 0 {
			return fmt.Errorf("example %d, %q: its plan does not hold together: %s", i+1, lang.Shorten(e.Question, 80), problems[0].Text)
		}
	}
	return nil
}

func (e Example) steps() []plan.Step {
	var out []plan.Step
	for _, s := range e.Steps {
		out = append(out, plan.Step{ID: s.ID, Kind: s.Kind, Title: s.Title, Instruction: s.Instruction, Inputs: s.Inputs, Study: s.Study, Days: s.Days})
	}
	return out
}

// Chosen is what an analysis is given of an agent, once, when it begins.
type Chosen struct {
	ID           string   `json:"id"`
	Source       string   `json:"-"`
	Instructions string   `json:"instructions,omitempty"`
	Documents    []string `json:"documents,omitempty"`
	// Examples are those nearest to the question, nearest first.
	Examples []Plan `json:"examples,omitempty"`
	// Plan is the example that asks the same question; nil where none does.
	Plan *Plan `json:"plan,omitempty"`
}

// Plan is an example as an analysis is given it.
type Plan struct {
	Question string      `json:"question"`
	Steps    []plan.Step `json:"steps"`
}

// For returns what an analysis of a question is given of an agent; false where there is none of
// that id that the person may use.
func (a *Agents) For(p run.Principal, id, question string) (Chosen, bool) {
	i := slices.IndexFunc(a.list, func(one Agent) bool { return one.ID == id && one.allows(p) })
	if i < 0 {
		return Chosen{}, false
	}
	one := a.list[i]
	out := Chosen{ID: one.ID, Source: one.Source, Instructions: one.Instructions, Documents: one.Documents}
	asked, words := alike(question), wordsOf(question)
	type near struct {
		example Example
		score   float64
	}
	var found []near
	for _, e := range one.Examples {
		if alike(e.Question) == asked {
			out.Plan = &Plan{Question: e.Question, Steps: e.steps()}
		}
		if score := overlap(words, wordsOf(e.Question)); score > 0 {
			found = append(found, near{e, score})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	for _, n := range found[:min(len(found), maxChosen)] {
		out.Examples = append(out.Examples, Plan{Question: n.example.Question, Steps: n.example.steps()})
	}
	return out, true
}

// Names are the ids that a person may use.
func (a *Agents) Names(p run.Principal) []string {
	var out []string
	for _, one := range a.list {
		if one.allows(p) {
			out = append(out, one.ID)
		}
	}
	return out
}

func (a Agent) allows(p run.Principal) bool {
	return len(a.Groups) == 0 || p.InAny(a.Groups)
}

// alike is a question without case, blanks and signs: two that are alike ask the same.
func alike(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, text)
}

// wordsOf are the words of a text; of Chinese its pairs of characters.
func wordsOf(text string) map[string]bool {
	out := make(map[string]bool)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		letters := []rune(word)
		if !unicode.Is(unicode.Han, letters[0]) {
			out[word] = true
			continue
		}
		for i := range len(letters) - 1 {
			out[string(letters[i:i+2])] = true
		}
	}
	return out
}

// overlap is the share of the words of two texts that both have.
func overlap(a, b map[string]bool) float64 {
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
