package followup

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// country changes which countries are asked for. Several are shown one by one.
func (a *applier) country(e Edit) Why {
	in := a.in
	if i := slices.IndexFunc(in.Filters, func(c intent.Cond) bool { return c.Left != nil && c.Left.ID == countryDimension }); i >= 0 && in.Part == "" {
		in.Filters = slices.Delete(in.Filters, i, i+1) // said anew
	}
	before := in.Country
	switch e.Do {
	case SetCountry:
		in.Country = slices.Clone(e.Values)
	case AddCountry:
		if len(in.Country) == 0 {
			return WhyAllThere
		}
		for _, c := range e.Values {
			if !slices.Contains(in.Country, c) {
				in.Country = append(in.Country, c)
			}
		}
	case DropCountry:
		if len(in.Country) == 0 {
			in.Country = slices.Clone(a.over.Countries)
		} else if !containsAll(in.Country, e.Values) {
			return WhyNotFiltered
		}
		in.Country = slices.DeleteFunc(in.Country, func(c string) bool { return slices.Contains(e.Values, c) })
		if len(in.Country) == 0 {
			return WhyNothingLeft
		}
	case AllCountries:
		in.Country, in.AllCountries = nil, true
		return ""
	}
	in.AllCountries = false
	switch {
	case len(in.Country) == 1:
		split := slices.Clone(in.GroupBy)
		in.GroupBy = slices.DeleteFunc(in.GroupBy, func(f intent.Field) bool { return f == byCountry })
		a.regroup(split)
	case e.Do != DropCountry && len(before) != len(in.Country) && !slices.Contains(in.GroupBy, byCountry):
		in.GroupBy = append([]intent.Field{byCountry}, in.GroupBy...)
	}
	return ""
}

func containsAll(have, want []string) bool {
	return !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) })
}

// value changes the values of a dimension that count. Set replaces every condition
// on the dimension; Add widens the one there is, and narrows where there is none.
func (a *applier) value(e Edit) Why {
	in := a.in
	at := slices.IndexFunc(in.Filters, func(c intent.Cond) bool {
		return c.Left != nil && c.Left.ID == e.Field.ID && (c.Op == intent.In || c.Op == intent.Eq) && c.Sub == nil
	})
	var have []string
	if at >= 0 {
		have = texts(in.Filters[at])
	}
	switch e.Do {
	case SetValue:
		in.Filters = slices.DeleteFunc(in.Filters, func(c intent.Cond) bool { return c.Left != nil && c.Left.ID == e.Field.ID && c.Op != intent.NotNull })
		in.Filters = append(in.Filters, oneOf(intent.In, e.Field, e.Values))
		a.several(e.Field, e.Values)
	case AddValue:
		if at < 0 {
			in.Filters = append(in.Filters, oneOf(intent.In, e.Field, e.Values))
			return ""
		}
		for _, v := range e.Values {
			if !slices.Contains(have, v) {
				have = append(have, v)
			}
		}
		in.Filters[at] = oneOf(intent.In, e.Field, have)
		a.several(e.Field, have)
	case DropValue:
		if at < 0 {
			in.Filters = append(in.Filters, oneOf(intent.NotIn, e.Field, e.Values))
			return ""
		}
		if !containsAll(have, e.Values) {
			return WhyNotFiltered
		}
		left := slices.DeleteFunc(have, func(v string) bool { return slices.Contains(e.Values, v) })
		if len(left) == 0 {
			return WhyNothingLeft
		}
		in.Filters[at] = oneOf(intent.In, e.Field, left)
	}
	return ""
}

// several shows several values of a dimension one by one, as a question that names
// them does.
func (a *applier) several(f intent.Field, values []string) {
	if len(values) > 1 && !slices.Contains(a.in.GroupBy, f) {
		a.in.GroupBy = append(a.in.GroupBy, f)
	}
}

func texts(c intent.Cond) []string {
	out := make([]string, len(c.Values))
	for i, v := range c.Values {
		out[i] = v.Text
	}
	return out
}

// oneOf is a condition on values.
func oneOf(op intent.Op, f intent.Field, values []string) intent.Cond {
	c := intent.Cond{Op: op, Left: &intent.Output{Field: f}}
	for _, v := range values {
		c.Values = append(c.Values, intent.Literal{Text: v})
	}
	return c
}

// named keeps or leaves out the rows of a named condition; what was said of it
// before is said anew.
func (a *applier) named(e Edit) Why {
	for _, id := range e.Values {
		is := func(c intent.Cond) bool {
			return c.Op == intent.Named && c.ID == id || c.Op == intent.Not && len(c.Args) == 1 && c.Args[0].Op == intent.Named && c.Args[0].ID == id
		}
		a.in.Filters = slices.DeleteFunc(a.in.Filters, is)
		c := intent.Cond{Op: intent.Named, ID: id}
		if e.Do == DropNamed {
			c = intent.Cond{Op: intent.Not, Args: []intent.Cond{c}}
		}
		a.in.Filters = append(a.in.Filters, c)
	}
	return ""
}
