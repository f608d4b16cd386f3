// Package study plans looks at one table that are no question about a figure: checks of its
// quality, cohorts that come back, and funnels.
//
// study.go says what is planned and fills in what all plans have; target.go finds the table
// and its columns by the words of the question and by what the catalog knows; quality.go and
// course.go write the statements; words.yaml has what is said.
package study

import (
	_ "embed" // words.yaml
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Kind is what is looked at.
type Kind string

// Kinds of studies; the columns of their results are those of the contract's StudyKind.
const (
	Rows      Kind = "rows"
	Nulls     Kind = "nulls"
	Ranges    Kind = "ranges"
	Dates     Kind = "dates"
	Freshness Kind = "freshness"
	Values    Kind = "values"
	Cohort    Kind = "cohort"
	Funnel    Kind = "funnel"
)

// Input is a question about a table.
type Input struct {
	Kind     Kind
	Question string
	Tables   []catalog.Table // that the asker may read
	Now      time.Time
	Language lang.Language
	// MaxColumns bounds the columns that a check looks at.
	MaxColumns int
}

// Label is how a column of the result is called. Unit "fraction" is a part of one.
type Label struct{ Column, Label, Unit string }

// Plan is the statement of a study.
type Plan struct {
	Statement *tree.Statement
	Table     catalog.Name
	Labels    []Label
	// Taken says how the study was taken, a sentence each.
	Taken []string
}

// CannotError says in the asker's language why there is no plan.
type CannotError struct{ Reason string }

// Error implements error.
func (e *CannotError) Error() string { return e.Reason }

//go:embed words.yaml
var wordsFile []byte

// Planner plans studies. It never changes and may be used concurrently.
type Planner struct {
	words map[string]map[lang.Language]string
}

// New reads words.yaml.
func New() (*Planner, error) {
	p := &Planner{}
	if err := yaml.Unmarshal(wordsFile, &p.words); err != nil {
		return nil, fmt.Errorf("words of studies: %w", err)
	}
	for key, text := range p.words {
		if text[lang.English] == "" || text[lang.Chinese] == "" {
			return nil, fmt.Errorf("words of studies: %s needs en and zh", key)
		}
	}
	return p, nil
}

// Make plans a study. Its error is a *CannotError where the table or its columns do not
// allow it.
func (p *Planner) Make(in Input) (Plan, error) {
	t, err := p.table(in)
	if err != nil {
		return Plan{}, err
	}
	w := &work{planner: p, in: in, table: t}
	write := map[Kind]func() (*tree.Query, error){
		Rows: w.rows, Nulls: w.nulls, Ranges: w.ranges, Dates: w.dates, Freshness: w.freshness, Values: w.values,
		Cohort: w.cohort, Funnel: w.funnel,
	}[in.Kind]
	if write == nil {
		return Plan{}, fmt.Errorf("plan a study: there is no kind %q", in.Kind)
	}
	q, err := write()
	if err != nil {
		return Plan{}, err
	}
	return Plan{Statement: tree.StatementOf(q), Table: t.Name, Labels: w.labels, Taken: w.taken}, nil
}

// work is a study while it is planned.
type work struct {
	planner *Planner
	in      Input
	table   *catalog.Table
	labels  []Label
	taken   []string
}

func (p *Planner) say(l lang.Language, key string, args ...string) string {
	text := l.Pick(p.words[key][lang.English], p.words[key][lang.Chinese])
	pairs := make([]string, 0, len(args))
	for i := 0; i+1 < len(args); i += 2 {
		pairs = append(pairs, "{"+args[i]+"}", args[i+1])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (p *Planner) cannot(l lang.Language, key string, args ...string) error {
	return &CannotError{Reason: p.say(l, key, args...)}
}

func (w *work) cannot(key string, args ...string) error {
	return w.planner.cannot(w.in.Language, key, append(args, "table", w.table.Name.String())...)
}

func (w *work) take(key string, args ...string) {
	w.taken = append(w.taken, w.planner.say(w.in.Language, key, args...))
}

// label names columns of the result, those of shares as parts of one.
func (w *work) label(columns ...string) {
	for _, c := range columns {
		l := Label{Column: c, Label: w.planner.say(w.in.Language, "column_"+c)}
		switch c {
		case "missing_share", "share", "retention", "share_of_first", "share_of_previous":
			l.Unit = "fraction"
		}
		w.labels = append(w.labels, l)
	}
}

// names lists columns for a sentence.
func (w *work) names(columns []catalog.Column) string {
	names := make([]string, 0, len(columns))
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, w.in.Language.Pick(", ", "、"))
}

func (w *work) from() []tree.Relation {
	n := w.table.Name
	return []tree.Relation{tree.TableOf(n.Region, n.Schema, n.Table)}
}

func (w *work) today() tree.Expr { return tree.Date(w.in.Now) }
