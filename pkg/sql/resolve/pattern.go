package resolve

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// pattern is a row pattern while the expressions that go with it are resolved.
type pattern struct {
	labels map[string]bool // variables, and unions of them
}

// label is a pattern variable's name as names are compared there: with case where
// it is quoted.
func label(id *tree.Ident) string {
	if id.Quoted {
		return id.Name
	}
	return strings.ToUpper(id.Name)
}

// pattern checks the parts of a row pattern against one another.
func (r *resolver) pattern(rows *tree.RowPattern, subsets []*tree.Subset, define []*tree.Definition) *pattern {
	p := &pattern{labels: map[string]bool{}}
	primary := map[string]bool{}
	for _, name := range patternNames(rows.Text) {
		primary[name], p.labels[name] = true, true
	}
	for _, s := range subsets {
		name := label(s.Name)
		if p.labels[name] {
			r.mistake(InvalidLabel, s.Name, nil, "the name '%s' is taken", s.Name.Name)
		}
		p.labels[name] = true
		for _, v := range s.Variables {
			if !primary[label(v)] {
				r.mistake(InvalidLabel, v, nil, "the pattern has no variable '%s'", v.Name)
			}
		}
	}
	defined := map[string]bool{}
	for _, d := range define {
		name := label(d.Name)
		switch {
		case !primary[name]:
			r.mistake(InvalidLabel, d.Name, nil, "the pattern has no variable '%s'", d.Name.Name)
		case defined[name]:
			r.mistake(InvalidLabel, d.Name, nil, "the variable '%s' is defined twice", d.Name.Name)
		}
		defined[name] = true
	}
	return p
}

// patternNames returns the variables of a pattern's text.
func patternNames(text string) []string {
	var names []string
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"':
			end := strings.IndexByte(text[i+1:], '"')
			if end < 0 {
				return names
			}
			names = append(names, text[i+1:i+1+end])
			i += end + 2
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			end := i
			for end < len(text) && (text[end] == '_' || text[end] >= '0' && text[end] <= '9' || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
				end++
			}
			if word := strings.ToUpper(text[i:end]); word != "PERMUTE" {
				names = append(names, word)
			}
			i = end
		default:
			i++
		}
	}
	return names
}

// patternParts resolves DEFINE and MEASURES.
func (r *resolver) patternParts(p *pattern, e env, define []*tree.Definition, measures []*tree.Measure) {
	e.pattern, e.noOuter = p, true
	for _, d := range define {
		r.noWindows(d.Cond)
		if t := r.expr(d.Cond, e); !t.IsUnknown() && t.Base != "boolean" {
			r.mistake(TypeMismatch, d.Cond, nil, "DEFINE needs a condition, this is %s", t)
		}
	}
	for _, m := range measures {
		r.noWindows(m.X)
		r.expr(m.X, e)
	}
}

func (r *resolver) noWindows(x tree.Expr) {
	if nested := innermost(x); nested != nil {
		r.mistake(NestedWindow, nested, nil, "row pattern recognition cannot hold window functions")
	}
}

// labelled resolves variable.column.
func (r *resolver) labelled(x *tree.ColumnRef, e env) (types.Type, []Origin, bool) {
	if len(x.Parts) < 2 {
		return types.Unknown(), nil, false
	}
	if !e.pattern.labels[label(x.Parts[0])] {
		r.noColumn(x, x.Parts, e.here)
		return types.Unknown(), nil, true
	}
	found := e.here.find(x.Parts[1:])
	if len(x.Parts) > 2 || found.count != 1 {
		r.noColumn(x, x.Parts[1:], e.here)
		return types.Unknown(), nil, true
	}
	i := r.info(x)
	i.field, i.level, i.parts = found.field, found.level, len(x.Parts)
	return found.field.typ, found.field.origins, true
}

// patternCall resolves a call that means something of its own in row pattern
// recognition.
func (r *resolver) patternCall(c *tree.Call, kind Kind, e env) (types.Type, []Origin, bool) {
	name := ""
	if len(c.Name.Parts) == 1 && !c.Name.Parts[0].Quoted {
		name = c.Name.Key()
	}
	switch name {
	case "match_number":
		if len(c.Args) > 0 {
			r.mistake(InvalidFunctionArgument, c, nil, "MATCH_NUMBER has no arguments")
		}
		return types.Bigint(), nil, true
	case "classifier":
		r.classifier(c, e)
		return types.Varchar(), nil, true
	case "first", "last", "prev", "next":
		return r.navigation(c, e)
	}
	if kind == KindAggregate {
		switch {
		case c.Over != nil:
			r.mistake(NestedWindow, c, nil, "an aggregate of row pattern recognition has no OVER")
		case c.Filter != nil, len(c.OrderBy) > 0, c.Quantifier == tree.QuantifierDistinct:
			r.mistake(NotSupported, c, nil, "an aggregate of row pattern recognition has no FILTER, ORDER BY or DISTINCT")
		}
		if c.Label != nil {
			if !e.pattern.labels[label(c.Label)] {
				r.mistake(InvalidFunctionArgument, c.Label, nil, "the pattern has no variable '%s'", c.Label.Name)
			}
			return types.Bigint(), nil, true
		}
	}
	return types.Unknown(), nil, false
}

func (r *resolver) classifier(c *tree.Call, e env) {
	if len(c.Args) == 0 {
		return
	}
	ref, ok := c.Args[0].(*tree.ColumnRef)
	switch {
	case len(c.Args) > 1:
		r.mistake(InvalidFunctionArgument, c, nil, "CLASSIFIER has at most one argument")
	case !ok || len(ref.Parts) != 1:
		r.mistake(TypeMismatch, c.Args[0], nil, "CLASSIFIER takes a variable of the pattern")
	case !e.pattern.labels[label(ref.Parts[0])]:
		r.mistake(InvalidFunctionArgument, ref, nil, "the pattern has no variable '%s'", ref.Parts[0].Name)
	}
}

// navigation resolves FIRST, LAST, PREV and NEXT.
func (r *resolver) navigation(c *tree.Call, e env) (types.Type, []Origin, bool) {
	if n := len(c.Args); n != 1 && n != 2 {
		r.mistake(InvalidFunctionArgument, c, nil, "'%s' has one or two arguments", c.Name)
		r.parts(e, c.Args...)
		return types.Unknown(), nil, true
	}
	if len(c.Args) == 2 {
		r.expr(c.Args[1], e)
		if n, ok := integerLiteral(c.Args[1]); !ok {
			r.mistake(InvalidFunctionArgument, c, nil, "'%s' counts rows with a number", c.Name)
		} else if n < 0 || n > 1<<31-1 {
			r.mistake(NumericOutOfRange, c, nil, "'%s' counts rows from 0", c.Name)
		}
	}
	var found survey
	if r.survey(&found, c.Args[0]); len(found.aggregates) > 0 {
		r.mistake(NestedAggregation, found.aggregates[0], nil, "'%s' cannot hold an aggregate", c.Name)
	}
	t := r.expr(c.Args[0], e)
	return t, r.originsOf(c.Args[0]), true
}

// matchRecognize resolves a relation with MATCH_RECOGNIZE.
func (r *resolver) matchRecognize(m *tree.MatchRecognize, outer *level) []*field {
	input := r.relation(m.Relation, outer)
	here := &level{parent: outer, fields: input}
	names := map[string]bool{}
	for _, f := range input {
		if f.name != "" && names[f.key] {
			r.mistake(AmbiguousName, m.Relation, nil, "the column '%s' is there twice", f.name)
		}
		names[f.key] = true
	}
	var partition, order []*field
	for _, x := range m.PartitionBy {
		partition = append(partition, r.inputField(x, here))
		if t := r.typeOf(x); !t.IsComparable() {
			r.mistake(TypeMismatch, x, nil, "PARTITION BY compares, and %s does not", t)
		}
	}
	for _, o := range m.OrderBy {
		order = append(order, r.inputField(o.Expr, here))
		if t := r.typeOf(o.Expr); !t.IsOrderable() {
			r.mistakeAt(TypeMismatch, startOf(o), o.Expr, nil, "ORDER BY needs an order, and %s has none", t)
		}
	}
	p := r.pattern(m.Pattern, m.Subsets, m.Define)
	if m.Search != "" {
		r.mistake(NotSupported, m, nil, "%s is for patterns in windows", m.Search)
	}
	r.patternParts(p, seeing(here), m.Define, m.Measures)
	return r.matchColumns(m, input, partition, order)
}

// inputField is a column of the relation that patterns are looked for in.
func (r *resolver) inputField(x tree.Expr, here *level) *field {
	if _, ok := tree.Unparen(x).(*tree.ColumnRef); !ok {
		r.expr(x, seeing(here))
		r.mistake(InvalidColumnReference, x, nil, "a column is needed here")
		return &field{any: true}
	}
	r.expr(x, seeing(here))
	if i := r.info(tree.Unparen(x)); i.field != nil {
		return i.field
	}
	return &field{any: true}
}

// matchColumns are the columns that MATCH_RECOGNIZE gives.
func (r *resolver) matchColumns(m *tree.MatchRecognize, input, partition, order []*field) []*field {
	all := strings.HasPrefix(m.RowsPerMatch, "ALL")
	var out []*field
	used := map[*field]bool{}
	add := func(f *field) {
		c := *f
		c.qualifier = nil
		out = append(out, &c)
		used[f] = true
	}
	for _, f := range partition {
		add(f)
	}
	if all {
		for _, f := range order {
			add(f)
		}
	}
	for _, measure := range m.Measures {
		out = append(out, newField(measure.Name.Name, r.typeOf(measure.X), r.originsOf(measure.X)))
	}
	if all {
		for _, f := range input {
			if !used[f] {
				add(f)
			}
		}
	}
	if len(out) == 0 {
		r.mistake(TableHasNoColumns, m, nil, "MATCH_RECOGNIZE gives no column: write MEASURES")
	}
	return out
}
