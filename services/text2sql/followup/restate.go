package followup

import (
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// signs are the operators of conditions, as people write them.
var signs = map[intent.Op]string{intent.Gt: ">", intent.Ge: "≥", intent.Lt: "<", intent.Le: "≤", intent.Eq: "=", intent.Ne: "≠", intent.In: "=", intent.NotIn: "≠"}

// Sign is an operator of a condition as people write it; empty: it has none.
func (Texts) Sign(op intent.Op) string { return signs[op] }

// Figure says what an output of an intent over tables computes.
func (t Texts) Figure(l lang.Language, o intent.Output, name NameOf) string {
	text := t.pick(l, "figure_"+string(o.Agg))
	if text == "" || o.Calc != nil || o.When != nil {
		return name(o.ID)
	}
	return strings.Replace(text, "%s", name(o.ID), 1)
}

func (t Texts) grouping(l lang.Language, f intent.Field, name NameOf) string {
	if f.Grain == "" {
		return name(f.ID)
	}
	return t.pick(l, "unit_"+f.Grain)
}

// Condition says what rows have to fulfil; empty where it is more than a comparison of
// one thing with values.
func (t Texts) Condition(l lang.Language, c intent.Cond, name NameOf) string {
	if c.Left != nil && c.Op == intent.In && c.Sub != nil && c.Sub.Limit > 0 && c.Left.Agg == "" {
		return strings.ReplaceAll(t.pick(l, "condition_among_first"), "%s", name(c.Left.ID))
	}
	if c.Left == nil || c.Sub != nil || c.Right != nil {
		return ""
	}
	left := name(c.Left.ID)
	if c.Left.Agg != "" {
		left = t.Figure(l, *c.Left, name)
	}
	said := texts(c)
	if c.Left.Grain != "" {
		left += l.Pick(" (", "（") + t.pick(l, "unit_"+c.Left.Grain) + l.Pick(")", "）")
	}
	if c.Left.Grain == intent.Weekday {
		for i := range said {
			said[i] = t.pick(l, "day_"+strings.ToLower(said[i]))
		}
	}
	values := strings.Join(said, l.Pick(", ", "、"))
	switch {
	case c.Op == intent.Between && len(c.Values) == 2:
		return left + " " + c.Values[0].Text + "–" + c.Values[1].Text
	case c.Op == intent.IsNull || c.Op == intent.NotNull || signs[c.Op] == "":
		return strings.TrimSpace(strings.ReplaceAll(t.pick(l, "condition_"+string(c.Op)), "%s", left) + " " + values)
	}
	return left + " " + signs[c.Op] + " " + values
}

// InForce says under which conditions and by which groups an intent over tables is
// answered, so that an answer stands by itself; empty: under none.
func (t Texts) InForce(l lang.Language, in *intent.Intent, name NameOf) string {
	var list []string
	for i := 0; i < len(in.Filters); i++ {
		if text, ok := t.Days(l, in.Filters, i, name); ok {
			list = append(list, text)
			i++
			continue
		}
		text := t.Condition(l, in.Filters[i], name)
		if text == "" {
			text = t.pick(l, "more_conditions")
		}
		list = append(list, text)
	}
	for _, c := range in.Having {
		list = append(list, t.Condition(l, c, name))
	}
	if in.Limit > 0 && len(in.OrderBy) > 0 {
		list = append(list, strings.Replace(t.pick(l, "first_rows"), "%s", strconv.FormatInt(in.Limit, 10), 1))
	}
	if len(list) == 0 {
		return ""
	}
	return strings.Replace(t.pick(l, "in_force"), "%s", strings.Join(list, l.Pick("; ", "；")), 1)
}

// Days says the conditions at i and behind it in one, with both ends in it, where they are
// a range of days of one column.
func (t Texts) Days(l lang.Language, conds []intent.Cond, i int, name NameOf) (string, bool) {
	if i+1 >= len(conds) || conds[i].Left == nil || conds[i+1].Left == nil || *conds[i].Left != *conds[i+1].Left ||
		conds[i].Op != intent.Ge || conds[i+1].Op != intent.Lt || len(conds[i].Values) != 1 || len(conds[i+1].Values) != 1 {
		return "", false
	}
	to, err := time.Parse(time.DateOnly, conds[i+1].Values[0].Text)
	if err != nil {
		return "", false
	}
	return name(conds[i].Left.ID) + " " + conds[i].Values[0].Text + l.Pick(" to ", " 至 ") + to.AddDate(0, 0, -1).Format(time.DateOnly), true
}
