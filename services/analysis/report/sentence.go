// Package report writes the report of an analysis. A sentence is made of three things:
// words of this package, which hold no digit; references to cells of the steps' results,
// which are the only numbers; and quotations of what the state has verbatim, such as the
// name of a category or a warning of a service. A report is checked before it goes out:
// each reference has to resolve to the text that stands in its place.
package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// Ref names a cell of a step's result.
type Ref struct {
	Step, Table string
	Row         int
	Column      string
}

// piece is a part of a sentence: exactly one of the three.
type piece struct {
	words string
	ref   *Ref
	quote string
	shown string // of a reference: the text in its place
}

type sentence []piece

// String is the sentence as people read it.
func (s sentence) String() string {
	var b strings.Builder
	for _, p := range s {
		b.WriteString(p.words + p.shown + p.quote)
	}
	return b.String()
}

// cells are the results that references point into.
type cells struct {
	tables map[[2]string]workflow.Table
	texts  []string // what may be quoted
}

func cellsOf(s *workflow.State) cells {
	c := cells{tables: make(map[[2]string]workflow.Table)}
	quote := func(texts ...string) { c.texts = append(c.texts, texts...) }
	quote(s.Query.Question, s.Canonical, s.Query.Source)
	quote(s.Plan.Assumptions...)
	for _, p := range s.Plan.Unanswered {
		quote(p.Text, p.Reason)
	}
	for _, step := range s.Plan.Steps {
		quote(step.Title, step.Instruction)
	}
	for _, r := range s.Results {
		quote(r.Problem)
		quote(r.Evidence.Assumptions...)
		for _, w := range r.Warnings {
			quote(w.Text)
		}
		for _, t := range r.Tables {
			c.tables[[2]string{r.Step, t.Name}] = t
			for _, column := range t.Columns {
				quote(column.Name, column.Label)
			}
		}
	}
	return c
}

// show is the text of a cell; an error says why there is none.
func (c cells) show(r Ref) (string, error) {
	t, known := c.tables[[2]string{r.Step, r.Table}]
	if !known {
		return "", fmt.Errorf("step %s has no table %q", r.Step, r.Table)
	}
	at := slices.IndexFunc(t.Columns, func(column workflow.Column) bool { return column.Name == r.Column })
	if at < 0 || r.Row < 0 || r.Row >= len(t.Rows) || at >= len(t.Rows[r.Row]) {
		return "", fmt.Errorf("table %q of step %s has no cell %q in row %d", r.Table, r.Step, r.Column, r.Row)
	}
	return textOf(t.Rows[r.Row][at], t.Columns[at]), nil
}

// textOf is a value as people read it, with its unit.
func textOf(value any, column workflow.Column) string {
	plain := result.Column{Name: column.Name, Type: column.Type}
	n, is := result.NumberOf(value, plain)
	if !is || !plain.Kind().Numeric() {
		text, _ := result.Text(value, plain)
		return text
	}
	switch column.Unit {
	case "%", "fraction":
		return result.Percent(n.Float64())
	case "pp":
		return strings.TrimSuffix(result.Percent(n.Float64()), "%") + " pp"
	case "":
		return n.String()
	}
	return pence(n.String(), column.Unit) + " " + column.Unit
}

// pence gives an amount of money that has one digit behind the point the other one: 0.50.
func pence(text, unit string) string {
	if !workflow.IsCurrency(unit) || !strings.Contains(text, ".") || strings.Contains(text, "e") {
		return text
	}
	if at := strings.IndexByte(text, '.'); at == len(text)-2 {
		return text + "0"
	}
	return text
}

// check says what of a sentence is not as it must be.
func (c cells) check(s sentence) error {
	for _, p := range s {
		switch {
		case p.ref != nil:
			text, err := c.show(*p.ref)
			if err != nil {
				return err
			}
			if text != p.shown {
				return fmt.Errorf("%q stands where the cell %q of step %s has %q", p.shown, p.ref.Column, p.ref.Step, text)
			}
		case p.quote != "":
			if !slices.Contains(c.texts, p.quote) {
				return fmt.Errorf("%q is quoted and nothing of the analysis says it", p.quote)
			}
		case strings.ContainsFunc(p.words, unicode.IsDigit):
			return fmt.Errorf("%q has a number that is no cell of a result", p.words)
		}
	}
	return nil
}
