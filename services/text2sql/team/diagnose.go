package team

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/spelling"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// spell writes constants as the stored values are written that they are meant
// for: those that differ in case, accents or width alone.
func (b *Board) spell(c *Candidate) (text string, changed bool) {
	text = c.SQL
	constants := slices.Clone(c.Constants)
	slices.SortFunc(constants, func(x, y tools.Constant) int { return y.Span.Start - x.Span.Start }) // from the end
	for _, k := range constants {
		column, ok := b.column(k)
		if !ok || slices.Contains(column.Samples, k.Value) {
			continue
		}
		stored := b.folded(column, k.Value)
		if len(stored) != 1 || k.Span.End > len(text) || k.Span.Start >= k.Span.End {
			continue
		}
		text, changed = text[:k.Span.Start]+printer.String(stored[0])+text[k.Span.End:], true
	}
	return text, changed
}

// column is the stored column of a constant, where it is known.
func (b *Board) column(k tools.Constant) (catalog.Column, bool) {
	for i := range b.Task.Tables {
		t := &b.Task.Tables[i]
		if strings.EqualFold(t.Name.String(), k.Table) {
			return t.Column(k.Column)
		}
	}
	return catalog.Column{}, false
}

// folded are the stored values that are a text but for case, accents and width.
func (b *Board) folded(column catalog.Column, value string) []string {
	want := semantic.Fold(value)
	var out []string
	for _, s := range column.Samples {
		if semantic.Fold(s) == want {
			out = append(out, s)
		}
	}
	return out
}

// diagnose looks for what is odd in the result of a candidate that ran.
func (b *Board) diagnose(c *Candidate) []Finding {
	var out []Finding
	unknown := b.unknownValues(c)
	switch {
	case len(c.Result.Rows) == 0:
		out = append(out, Finding{Class: ClassEmpty, Message: b.say("empty"), SQL: c.SQL})
	case allNull(c.Result):
		out = append(out, Finding{Class: ClassAllNull, Message: b.say("all_null"), SQL: c.SQL})
	case c.By == ByModel && isZero(c.Result):
		out = append(out, Finding{Class: ClassZero, Message: b.say("zero"), SQL: c.SQL})
	}
	return append(out, unknown...)
}

// unknownValues are the constants that no row has, as far as all values of their
// columns are known.
func (b *Board) unknownValues(c *Candidate) []Finding {
	var out []Finding
	for _, k := range c.Constants {
		column, ok := b.column(k)
		if !ok || k.Not || !complete(column) || slices.Contains(column.Samples, k.Value) {
			continue
		}
		f := Finding{Class: ClassValueUnknown, SQL: c.SQL}
		if column.Personal == nil || b.Task.Strategy != ByModel { // a model is told what is found
			f.Near = nearValues(column.Samples, k.Value)
		}
		f.Message = b.say("value_unknown", k.Table, k.Column, k.Value)
		if len(f.Near) > 0 {
			f.Message += b.Task.Language.Pick(" ", "") + b.say("value_near", strings.Join(f.Near, ", "))
		}
		out = append(out, f)
	}
	return out
}

// complete reports that the samples of a column are all of its values.
func complete(c catalog.Column) bool { return c.Distinct > 0 && int64(len(c.Samples)) >= c.Distinct }

// Bounds of the search for near values.
const (
	maxNear     = 3
	maxCompared = 2000
)

// nearValues are the stored values nearest to a text: those that hold it or are
// held by it, then those a few letters away.
func nearValues(stored []string, value string) []string {
	want := semantic.Fold(value)
	if want == "" {
		return nil
	}
	type scored struct {
		text string
		far  int
	}
	var found []scored
	for _, s := range stored[:min(len(stored), maxCompared)] {
		have := semantic.Fold(s)
		far := 0
		if have == "" {
			continue
		}
		if !strings.Contains(have, want) && !strings.Contains(want, have) {
			if far = spelling.Distance(have, want); far > max(1, len([]rune(want))/3) {
				continue
			}
		}
		found = append(found, scored{s, far})
	}
	slices.SortStableFunc(found, func(a, b scored) int { return a.far - b.far })
	var out []string
	for _, f := range found[:min(len(found), maxNear)] {
		out = append(out, f.text)
	}
	return out
}
