package reader

import (
	"encoding/json"
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// sense is what an intent asks for, as a text that is the same for all that ask the same. Groups
// by the things of a table are the same whether these are told apart by their key, by a column
// that points to it, or by what they are called.
func sense(in *intent.Intent, v *schema.View) string { return written(byThings(in, v)) }

// written is all that an intent says.
func written(in *intent.Intent) string {
	text, _ := json.Marshal(in) // of texts, numbers and lists of them: it cannot fail
	return string(text)
}

// byThings is an intent with each column that tells the things of a table apart, in its
// groups, put down as that table.
func byThings(in *intent.Intent, v *schema.View) *intent.Intent {
	if len(in.GroupBy) == 0 {
		return in
	}
	out := *in
	thing := func(f intent.Field) intent.Field {
		if c := v.ColumnOf(f.ID); c != nil && f.Grain == "" && f.Kind == intent.KindDimension {
			t := v.ThingOf(c)
			if names(c) && slices.ContainsFunc(c.Of.Key, func(k *schema.Column) bool { return slices.Contains(in.GroupBy, field(k)) }) {
				t = c.Of
			}
			if t != nil {
				return intent.Field{Kind: intent.KindEntity, ID: t.ID}
			}
		}
		return f
	}
	out.GroupBy = nil
	for _, f := range in.GroupBy {
		out.GroupBy = append(out.GroupBy, thing(f))
	}
	out.GroupBy = unique(out.GroupBy)
	out.Select = nil
	for _, o := range in.Select {
		if !o.Aggregates() && o.Calc == nil {
			o.Field = thing(o.Field)
		}
		if !slices.Contains(out.Select, o) {
			out.Select = append(out.Select, o)
		}
	}
	out.OrderBy = nil
	for _, o := range in.OrderBy {
		if !o.By.Aggregates() && o.By.Calc == nil {
			o.By.Field = thing(o.By.Field)
		}
		if !slices.Contains(out.OrderBy, o) {
			out.OrderBy = append(out.OrderBy, o)
		}
	}
	return &out
}

// named reports whether groups are shown by what their things are called.
func named(in *intent.Intent, v *schema.View) bool {
	return slices.ContainsFunc(in.GroupBy, func(f intent.Field) bool {
		c := v.ColumnOf(f.ID)
		return c != nil && f.Grain == "" && names(c)
	})
}
