package llm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/team"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// TestConfidence: what agrees with an answer of a model makes it surer, what differs or
// looks wrong less so; that of rules stays as it was fitted.
func TestConfidence(t *testing.T) {
	t.Parallel()
	one, two := &tools.Rows{Columns: []string{"n"}, Rows: [][]any{{1}}}, &tools.Rows{Columns: []string{"n"}, Rows: [][]any{{2}}}
	by := func(who team.Strategy, r *tools.Rows, doubts ...string) team.Candidate {
		c := team.Candidate{SQL: "SELECT 1", Canonical: "SELECT 1", By: who, Confidence: confidenceWritten, Result: r}
		for _, d := range doubts {
			c.Doubts = append(c.Doubts, team.Finding{Class: d})
		}
		return c
	}
	broken := by(team.ByRules, one)
	broken.Problem = &team.Finding{}
	another := by(team.ByRules, nil)
	another.Canonical = "SELECT 2"
	model, rules := team.ByModel, team.ByRules
	for name, c := range map[string]struct {
		all     []team.Candidate
		verdict team.Verdict
		want    float64
	}{
		"written":                     {[]team.Candidate{by(model, nil)}, team.Verdict{Agreed: 1}, .75},
		"it ran":                      {[]team.Candidate{by(model, one)}, team.Verdict{Agreed: 1}, .80},
		"two agree":                   {[]team.Candidate{by(model, nil), by(model, nil)}, team.Verdict{Agreed: 2}, .85},
		"two agree and ran":           {[]team.Candidate{by(model, one), by(model, one)}, team.Verdict{Agreed: 2}, .90},
		"the rules agree":             {[]team.Candidate{by(model, nil), by(rules, nil)}, team.Verdict{Agreed: 1}, .95},
		"the rules agree, and ran":    {[]team.Candidate{by(model, one), by(rules, one)}, team.Verdict{Agreed: 1}, .95},
		"the rules differ":            {[]team.Candidate{by(model, one), by(rules, two)}, team.Verdict{Agreed: 1}, .80},
		"the rules write another":     {[]team.Candidate{by(model, nil), another}, team.Verdict{Agreed: 1}, .75},
		"the rules' was broken":       {[]team.Candidate{by(model, one), broken}, team.Verdict{Agreed: 1}, .80},
		"the best is not the first":   {[]team.Candidate{by(rules, one), by(model, one)}, team.Verdict{Best: 1, Agreed: 1}, .95},
		"only itself agrees":          {[]team.Candidate{by(rules, one), by(rules, one)}, team.Verdict{Best: 1, Agreed: 2}, .75},
		"another result":              {[]team.Candidate{by(model, one), by(model, two)}, team.Verdict{Agreed: 1, Apart: []int{1}}, .80 * .85},
		"another text, not run":       {[]team.Candidate{by(model, nil), another}, team.Verdict{Agreed: 1, Apart: []int{1}}, .75},
		"a figure of 0":               {[]team.Candidate{by(model, nil, team.ClassZero)}, team.Verdict{}, .75 * .85},
		"rows beyond the limit":       {[]team.Candidate{by(model, nil, team.ClassTies)}, team.Verdict{}, .75 * .9},
		"numbers as text":             {[]team.Candidate{by(model, nil, team.ClassTextOrder)}, team.Verdict{}, .75 * .6},
		"values lost in a cast":       {[]team.Candidate{by(model, nil, team.ClassCastLoss)}, team.Verdict{}, .75 * .6},
		"no rows":                     {[]team.Candidate{by(model, nil, team.ClassEmpty)}, team.Verdict{}, .75 * .85},
		"a value that no row has":     {[]team.Candidate{by(model, nil, team.ClassValueUnknown)}, team.Verdict{}, .75 * .7},
		"rows that are repeated":      {[]team.Candidate{by(model, nil, team.ClassFanOut)}, team.Verdict{}, .75 * .7},
		"nothing in the rows":         {[]team.Candidate{by(model, nil, team.ClassAllNull)}, team.Verdict{}, .75 * .6},
		"two doubts":                  {[]team.Candidate{by(model, nil, team.ClassAllNull, team.ClassEmpty)}, team.Verdict{}, .75 * .6 * .85},
		"a doubt about rules' answer": {[]team.Candidate{by(rules, nil, team.ClassEmpty)}, team.Verdict{}, .75 * .85},
	} {
		b := &team.Board{Draft: &team.Draft{Candidates: c.all}}
		require.InDelta(t, c.want, confidence(b, &c.verdict), 1e-9, name)
	}
}

// TestSamples: of a column's values those that the question names are told, the others as
// far as there is room, in stored order; all is told only where no value is left out.
func TestSamples(t *testing.T) {
	t.Parallel()
	values := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprint("v", i))
		}
		return out
	}
	quoted := func(in []string) (out []string) {
		for _, s := range in {
			out = append(out, "'"+s+"'")
		}
		return out
	}
	long := strings.Repeat("x", maxSample+1)
	for name, c := range map[string]struct {
		column catalog.Column
		most   int
		asked  string
		want   []string
		all    bool
	}{
		"none wanted":                 {catalog.Column{Samples: values(3), Distinct: 3}, 0, "", nil, false},
		"none there":                  {catalog.Column{Distinct: 3}, 5, "", nil, false},
		"all of few":                  {catalog.Column{Samples: values(5), Distinct: 5}, 5, "", quoted(values(5)), true},
		"all of twice as many":        {catalog.Column{Samples: values(10), Distinct: 10}, 5, "", quoted(values(10)), true},
		"more than that":              {catalog.Column{Samples: values(11), Distinct: 11}, 5, "", quoted(values(5)), false},
		"there are others":            {catalog.Column{Samples: values(4), Distinct: 9}, 5, "", quoted(values(4)), false},
		"their number is not known":   {catalog.Column{Samples: values(4)}, 5, "", quoted(values(4)), false},
		"of many a few":               {catalog.Column{Samples: values(8), Distinct: manyValues + 1}, 5, "", quoted(values(fewOfMany)), false},
		"of a hundred more":           {catalog.Column{Samples: values(8), Distinct: manyValues}, 5, "", quoted(values(5)), false},
		"the named, in order":         {catalog.Column{Samples: []string{"Bern", "New York", "Oslo"}, Distinct: 9}, 2, "york new", []string{"'Bern'", "'New York'"}, false},
		"half of a name is none":      {catalog.Column{Samples: []string{"Bern", "New York"}, Distinct: 9}, 1, "york", []string{"'Bern'"}, false},
		"named ones beyond the room":  {catalog.Column{Samples: []string{"Bern", "Oslo", "Rome"}, Distinct: 900}, 1, "bern oslo rome", []string{"'Bern'", "'Oslo'", "'Rome'"}, false},
		"long ones only when named":   {catalog.Column{Samples: []string{long, "a"}, Distinct: 2}, 5, "", []string{"'a'"}, false},
		"long ones that are named":    {catalog.Column{Samples: []string{long, "b"}, Distinct: 2}, 5, long, []string{"'" + long + "'", "'b'"}, true},
		"as long as may be":           {catalog.Column{Samples: []string{long[1:]}, Distinct: 1}, 5, "", []string{"'" + long[1:] + "'"}, true},
		"numbers have no quotes":      {catalog.Column{Type: "bigint", Samples: []string{"1", "2"}, Distinct: 2}, 5, "", []string{"1", "2"}, true},
		"quotes and lines are fenced": {catalog.Column{Type: "varchar", Samples: []string{"it's\nso"}, Distinct: 1}, 5, "", []string{"'it''s so'"}, true},
	} {
		asked := map[string]bool{}
		for _, w := range strings.Fields(c.asked) {
			asked[w] = true
		}
		got, all := samples(&c.column, c.most, asked)
		require.Equal(t, c.want, got, name)
		require.Equal(t, c.all, all, name)
	}
}
