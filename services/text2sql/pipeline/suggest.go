package pipeline

import (
	"cmp"
	_ "embed" // suggestions.yaml
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/metric"
)

//go:embed suggestions.yaml
var suggestionFile []byte

func loadSuggestions() (messages, error) {
	var m messages
	if err := yaml.Unmarshal(suggestionFile, &m); err != nil {
		return nil, fmt.Errorf("words of suggestions: %w", err)
	}
	return m, nil
}

// Bounds of what is suggested.
const (
	maxDimensions     = 2  // that one answer is suggested to be grouped by
	maxTriedGroupings = 4  // of which those are the first that can be
	minSuggestedKinds = 2  // values of a column that groups
	maxSuggestedKinds = 40 // more make a list that nobody reads
)

// Suggestion is a change of an answered question that the reader of changes reads as it is
// meant, with all conditions of the question kept.
type Suggestion struct {
	// Text is what a person may type next.
	Text string
	// SQL is what comes of it; empty where what comes of it is no single statement, as of
	// the question why.
	SQL string
}

// wish is a change that may be suggested, and what has to come of it.
type wish struct {
	text   string
	comes  func(i *intent.Intent) bool
	why    bool
	groups bool // by what tells rows apart
}

// Suggestions are up to limit changes of the question that asked was answered to: those
// that the shape of its answer gives reason to, each read as a change of it is read, in the
// language of the question. Those that would be asked back, refused or read otherwise are
// left out.
func (p *Pipeline) Suggestions(in Input, answered *intent.Intent, limit int) []Suggestion {
	var out []Suggestion
	grouped := 0
	if answered == nil || answered.Set != nil {
		return nil
	}
	in.Previous, in.Chosen, in.Alone = answered, "", false
	for _, w := range p.wishes(in, answered) {
		if len(out) == limit {
			break
		}
		if w.groups && grouped == maxDimensions || slices.ContainsFunc(out, func(s Suggestion) bool { return s.Text == w.text }) {
			continue
		}
		next := in
		next.Question, next.FollowUp = w.text, w.text
		if w.why {
			if p.ReadWhy(next).Outcome == Answered {
				out = append(out, Suggestion{Text: w.text})
			}
			continue
		}
		res := p.Answer(next)
		if res.Outcome != Answered || res.Intent == nil || !w.comes(res.Intent) || !keepsConditions(answered, res.Intent) {
			continue
		}
		if !slices.ContainsFunc(out, func(s Suggestion) bool { return s.SQL == res.SQL }) {
			out = append(out, Suggestion{Text: w.text, SQL: res.SQL})
			if w.groups {
				grouped++
			}
		}
	}
	return out
}

// wishes are the changes that an answer gives reason to, the likeliest first.
func (p *Pipeline) wishes(in Input, i *intent.Intent) []wish {
	say := func(id string, args ...any) string { return p.suggestions.text(in.Language, id, args...) }
	var list []wish
	if i.Time != nil && i.Time.Compare != nil {
		list = append(list, wish{text: say("why"), why: true})
	}
	figures := i.HasAggregate() || i.Counted || slices.ContainsFunc(i.OrderBy, func(o intent.Order) bool { return o.By.Aggregates() })
	over := grainOf(i)
	switch {
	case !figures:
		return list
	case over != "":
		if !overSteps(i) {
			list = append(list, p.byGrains(in, i, coarser(over))...)
		}
		list = append(list, p.byDimensions(in, i)...)
	case len(i.GroupBy) > 0:
		if n := len(i.OrderBy); n > 0 {
			desc := i.OrderBy[0].Desc
			list = append(list, wish{text: say(map[bool]string{true: "lowest", false: "highest"}[desc]), comes: func(next *intent.Intent) bool {
				return len(next.OrderBy) > 0 && next.OrderBy[0].Desc != desc && len(next.GroupBy) == len(i.GroupBy)
			}})
		}
		if i.Limit == 0 {
			list = append(list, wish{text: say("share"), comes: func(next *intent.Intent) bool {
				return slices.ContainsFunc(next.Select, func(o intent.Output) bool { return o.Agg == intent.AggShare })
			}})
			list = append(list, p.byDimensions(in, i)...)
			list = append(list, p.byGrains(in, i, "month", "year")...)
		}
	default:
		list = append(list, p.byDimensions(in, i)...)
		list = append(list, p.byGrains(in, i, "month", "year")...)
		if i.Time != nil && i.Time.Compare == nil {
			list = append(list, wish{text: say("before"), comes: func(next *intent.Intent) bool { return next.Time != nil && next.Time.Compare != nil }})
		}
		if counts(i) && len(i.Filters) > 0 {
			list = append(list, wish{text: say("rows"), comes: func(next *intent.Intent) bool { return !next.HasAggregate() && !next.Counted }})
		}
	}
	return list
}

// byGrains groups by units of time of which an answer has more than one.
func (p *Pipeline) byGrains(in Input, i *intent.Intent, grains ...string) []wish {
	var list []wish
	for _, grain := range grains {
		if grain != "" && in.Schema.spansSeveral(i, grain) {
			list = append(list, wish{text: p.suggestions.text(in.Language, "by_"+grain), comes: func(next *intent.Intent) bool { return grainOf(next) == grain }})
		}
	}
	return list
}

// byDimensions groups by what few values tell apart, of the rows that an answer is about.
func (p *Pipeline) byDimensions(in Input, i *intent.Intent) []wish {
	var list []wish
	name := in.Schema.nameOf(in)
	for _, d := range in.Schema.groupings(i) {
		if len(list) == maxTriedGroupings {
			break
		}
		list = append(list, wish{groups: true, text: p.suggestions.text(in.Language, "by", name(d)), comes: func(next *intent.Intent) bool {
			return slices.ContainsFunc(next.GroupBy, func(f intent.Field) bool { return metric.Base(f.ID) == d || f.ID == d })
		}})
	}
	return list
}

// groupings are the ids of what the rows of an intent may be grouped by and are not told
// apart by yet: what their own table says of them, then what they are of, then what is only
// yes or no; the nearest first, and those of few values.
func (s *Schema) groupings(i *intent.Intent) []string {
	used := func(id string) bool {
		return slices.ContainsFunc(i.Fields(), func(f intent.Field) bool { return f.ID == id || metric.Base(f.ID) == id })
	}
	var out []string
	if overMetrics(i) && s.written != nil {
		for j := range s.written.Dimensions {
			d := &s.written.Dimensions[j]
			if id := metric.Base(d.ID); (d.Role == "" || d.Role == semantic.RoleCategory) && !used(id) && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
		return out
	}
	t := s.tableOf(i)
	if t == nil {
		return nil
	}
	var own, near, flags []*schema.Column
	for _, of := range s.view.Tables {
		if of != t && (s.view.Ways(t, of) != 1 || !s.view.OneRow(t, of)) {
			continue
		}
		for _, c := range of.Columns {
			if c.Elapsed != nil || c.Points || c.Distinct < minSuggestedKinds || c.Distinct > maxSuggestedKinds || used(c.ID) {
				continue
			}
			switch {
			case c.Nature == schema.Flag && of == t:
				flags = append(flags, c)
			case c.Nature == schema.Category && of == t:
				own = append(own, c)
			case c.Nature == schema.Category:
				near = append(near, c)
			}
		}
	}
	for _, list := range [][]*schema.Column{own, near, flags} {
		slices.SortStableFunc(list, func(a, b *schema.Column) int {
			return cmp.Or(cmp.Compare(s.view.Distance(t, a.Of), s.view.Distance(t, b.Of)), cmp.Compare(a.Distinct, b.Distinct))
		})
		for _, c := range list {
			out = append(out, c.ID)
		}
	}
	return out
}

// tableOf is the table whose rows an intent is about; nil: it is about those of none.
func (s *Schema) tableOf(i *intent.Intent) *schema.Table {
	for _, e := range s.gen.Layer.Entities {
		if e.ID == i.Entity {
			return s.view.TableOf(e.Table)
		}
	}
	for _, o := range i.Select {
		if c := s.view.ColumnOf(o.ID); c != nil && o.Agg != intent.AggNone {
			return c.Of
		}
	}
	return nil
}

// counts reports whether an intent comes to one number of rows.
func counts(i *intent.Intent) bool {
	return i.Counted || len(i.Select) == 1 && i.Select[0].Agg == intent.AggCount && i.Select[0].Kind == intent.KindEntity
}

// grainOf is the unit of time that an intent is grouped by; empty: none.
func grainOf(i *intent.Intent) string {
	if i.Time != nil && i.Time.Grain != "" {
		return i.Time.Grain
	}
	for _, f := range i.GroupBy {
		if f.Grain != "" {
			return f.Grain
		}
	}
	return ""
}

// coarser is the next coarser unit of time that people group by; empty: there is none.
func coarser(grain string) string {
	return map[string]string{"hour": "", "day": "week", "week": "month", "month": "year", "quarter": "year"}[grain]
}

// overSteps reports whether figures of an intent run over several steps of time, or compare each
// with the one before: by another unit they are other figures.
func overSteps(i *intent.Intent) bool {
	return slices.ContainsFunc(i.Select, func(o intent.Output) bool {
		return o.Agg == intent.AggWindow || o.Agg == intent.AggPrevious || o.Agg == intent.AggChange || o.Agg == intent.AggChangeRate
	})
}

// spansSeveral reports whether what an intent is about lies in more than one unit of time, so that
// there is something to tell apart by it. Where no days are known it may.
func (s *Schema) spansSeveral(i *intent.Intent, grain string) bool {
	from, to := "", ""
	if i.Time != nil {
		from, to = i.Time.From, i.Time.To
	}
	for _, c := range i.Filters {
		if c.Left == nil || c.Left.Aggregates() || len(c.Values) != 1 || !c.Values[0].Date {
			continue
		}
		switch c.Op {
		case intent.Ge, intent.Gt:
			from = cmp.Or(from, c.Values[0].Text)
		case intent.Lt, intent.Le:
			to = cmp.Or(to, c.Values[0].Text)
		}
	}
	first, err := time.Parse(time.DateOnly, from)
	last, err2 := time.Parse(time.DateOnly, to)
	if err != nil || err2 != nil {
		return true
	}
	last = last.AddDate(0, 0, -1) // the end is the day after
	switch grain {
	case "year":
		return first.Year() != last.Year()
	case "month":
		return first.Year() != last.Year() || first.Month() != last.Month()
	case "week":
		const days = 7
		return last.Sub(first) >= days*24*time.Hour
	}
	return true
}

// keepsConditions reports whether all that holds for the rows of one intent holds for those
// of another.
func keepsConditions(before, after *intent.Intent) bool {
	if !slices.Equal(before.Country, after.Country) || before.AllCountries != after.AllCountries || before.Entity != after.Entity {
		return false
	}
	if b, a := before.Time, after.Time; b != nil && (b.From != "" || b.To != "") && (a == nil || a.From != b.From || a.To != b.To) {
		return false
	}
	kept := func(list []intent.Cond, c intent.Cond) bool {
		return slices.ContainsFunc(list, func(o intent.Cond) bool { return sameJSON(o, c) })
	}
	for _, c := range before.Filters {
		if !kept(after.Filters, c) {
			return false
		}
	}
	for _, c := range before.Having {
		if !kept(after.Having, c) {
			return false
		}
	}
	return slices.Equal(before.With, after.With) && (before.Limit == 0 || after.Limit == before.Limit)
}

func sameJSON(a, b any) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && string(x) == string(y)
}
