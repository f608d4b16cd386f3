package advise

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/chart"
)

//go:embed words.yaml
var wordsYAML []byte

// Task is what a question is about.
type Task int

// Tasks.
const (
	NoTask Task = iota
	Trend
	Share
	Comparison
	Ranking
	Distribution
	Relation
)

// taskNames are the tasks as the rules and words call them.
var taskNames = [...]string{Trend: "trend", Share: "share", Comparison: "comparison", Ranking: "ranking", Distribution: "distribution", Relation: "relation"}

// Wish is what a person wants of a chart.
type Wish struct {
	// Kind that is asked for by name; None: any.
	Kind chart.Kind
	// Other is a kind that is asked for and not drawn here, of which Kind is what it is like;
	// nil: none is.
	Other *other
	// Tasks that the question is about.
	Tasks map[Task]bool
	// Grouped says that it asks for groups: "for each", "grouped by".
	Grouped bool
}

// phrases are words in both languages.
type phrases struct {
	En []string `yaml:"en"`
	Zh []string `yaml:"zh"`
}

// other is a kind of chart that is not drawn.
type other struct {
	Name    text   `yaml:"name"`
	Like    string `yaml:"like"`
	phrases `yaml:",inline"`
}

// words are what words.yaml has.
type words struct {
	Kinds   map[string]phrases `yaml:"kinds"`
	Others  []other            `yaml:"others"`
	Tasks   map[string]phrases `yaml:"tasks"`
	Grouped phrases            `yaml:"grouped"`
	Frames  frames             `yaml:"frames"`
	// NotDrawn is why the others are declined.
	NotDrawn text `yaml:"not_drawn"`
	// Lacking is what a result has to have for a kind, told where it has not.
	Lacking map[string]text `yaml:"lacking"`
}

func readWords(source []byte) (words, error) {
	var w words
	d := yaml.NewDecoder(strings.NewReader(string(source)))
	d.KnownFields(true)
	if err := d.Decode(&w); err != nil {
		return w, fmt.Errorf("read the words of charts: %w", err)
	}
	for name := range w.Kinds {
		if chart.KindNamed(name) == chart.None {
			return w, fmt.Errorf("words of charts: there is no kind %q", name)
		}
	}
	for _, o := range w.Others {
		if o.Name.En == "" || o.Name.Zh == "" || o.Like != "" && chart.KindNamed(o.Like) == chart.None {
			return w, fmt.Errorf("words of charts: %+v has no name in both languages, or is like no kind", o)
		}
	}
	for name := range w.Tasks {
		if !slices.Contains(taskNames[1:], name) {
			return w, fmt.Errorf("words of charts: there is no task %q", name)
		}
	}
	for kind := chart.Line; kind < chart.Table; kind++ {
		if w.Lacking[kind.Name()].En == "" || w.Lacking[kind.Name()].Zh == "" {
			return w, fmt.Errorf("words of charts: what a %s needs is not told in both languages", kind.Name())
		}
	}
	return w, w.Frames.compile(w.names())
}

// names are what charts are called, one for each kind and each of the others.
func (w *words) names() []phrases {
	var all []phrases
	for kind := chart.Line; kind <= chart.Table; kind++ {
		all = append(all, w.Kinds[kind.Name()])
	}
	for _, o := range w.Others {
		all = append(all, o.phrases)
	}
	return all
}

// maxQuestion is how much of a question is read, in bytes.
const maxQuestion = 16 << 10

// Read finds in a question which chart it asks for and what it is about. Where it names
// several kinds, the longest name counts, then the last one: "a stacked bar chart" is
// no bar chart, and who corrects himself says the right word last.
func (a *Adviser) Read(question string) Wish {
	said := spoken(question[:min(len(question), maxQuestion)])
	w := Wish{Tasks: map[Task]bool{}}
	longest, latest := 0, -1
	for i, called := range a.words.names() {
		size, at := called.in(said)
		if size == 0 || latest >= 0 && at+size <= latest+longest && (at+size < latest+longest || size <= longest) {
			continue
		}
		w.Kind, w.Other, longest, latest = chart.Line+chart.Kind(i), nil, size, at
		if w.Kind > chart.Table {
			w.Other = &a.words.Others[w.Kind-chart.Table-1]
			w.Kind = chart.KindNamed(w.Other.Like)
		}
	}
	for task, name := range taskNames {
		if size, _ := a.words.Tasks[name].in(said); size > 0 {
			w.Tasks[Task(task)] = true
		}
	}
	size, _ := a.words.Grouped.in(said)
	w.Grouped = size > 0
	return w
}

// spoken is a text in lower case, each run of letters and digits with blanks around it.
func spoken(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	blank := true
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(unicode.ToLower(r))
			blank = false
		case !blank:
			b.WriteByte(' ')
			blank = true
		}
	}
	b.WriteByte(' ')
	return b.String()
}

// in returns the length and the place of the last phrase that is said, the longer one of
// two at one end; a length of 0: none is. English phrases are whole words.
func (p phrases) in(said string) (size, at int) {
	take := func(n, i int) {
		if i >= 0 && (size == 0 || i+n > at+size || i+n == at+size && n > size) {
			size, at = n, i
		}
	}
	for _, phrase := range p.En {
		if i := strings.LastIndex(said, " "+phrase+" "); i >= 0 {
			take(len(phrase), i+1)
		}
	}
	for _, phrase := range p.Zh {
		take(len(phrase), strings.LastIndex(said, phrase))
	}
	return size, at
}
