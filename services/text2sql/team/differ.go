package team

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// CodeRulesDiffer tells that the rules, which would have answered by themselves, come to other
// figures than the model's statement. Of the two one is wrong: the reader is to know it.
const CodeRulesDiffer = "RULES_DIFFER"

// rulesDiffer reports whether the best candidate, a model's, tells something else than what
// the rules would have answered. Where either was not run nothing is known. It is a warning
// alone: what the model is asked, and which answer stands, does not change with the rules.
func (b *Board) rulesDiffer(best *Candidate) bool {
	if best.By != ByModel || best.Result == nil || b.Reading == nil || b.Reading.Outcome != pipeline.Answered {
		return false
	}
	return slices.ContainsFunc(b.Draft.Candidates, func(c Candidate) bool {
		return c.By == ByRules && c.SQL == b.Reading.SQL && c.holds() && len(c.Doubts) == 0 && c.Result != nil && !tellsTheSame(best.Result, c.Result)
	})
}

// tellsTheSame reports whether one of two results holds what the other one does: as many
// rows, and for each column of the narrower one a column of the wider one with the same
// values. An order, a key or a figure beside them makes no other answer. Of results that
// were cut nobody saw the whole: they are not told apart.
func tellsTheSame(a, b *tools.Rows) bool {
	if a.Truncated || b.Truncated {
		return true
	}
	if len(a.Rows) != len(b.Rows) {
		return false
	}
	if len(a.Columns) > len(b.Columns) {
		a, b = b, a
	}
	wide := columns(b)
	for _, narrow := range columns(a) {
		at := slices.IndexFunc(wide, func(c []string) bool { return slices.Equal(c, narrow) })
		if at < 0 {
			return false
		}
		wide = slices.Delete(wide, at, at+1)
	}
	return true
}

// columns are the values of each column as sorted texts.
func columns(r *tools.Rows) [][]string {
	out := make([][]string, len(r.Columns))
	for _, row := range r.Rows {
		for i := range out {
			out[i] = append(out[i], cell(row[i]))
		}
	}
	for _, values := range out {
		slices.Sort(values)
	}
	return out
}
