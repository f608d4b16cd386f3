package repair

import (
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// amendColumn is a column that a request names.
type amendColumn struct {
	of     seen
	name   string
	called string // what its relation is called
	way    *way   // that joins its table; nil: it is there
}

func (c amendColumn) joined() bool { return c.way != nil }

func (c amendColumn) text() string { return printer.Ident(c.called) + "." + printer.Ident(c.name) }

// sort puts an order in the place of the one that is there.
func (a amender) sort(sel *tree.Select, name string, down bool) []edit {
	key, certainty := "", 0.95
	for _, o := range a.now.resolution.Output() {
		if strings.EqualFold(o.Name, name) || sameWords(a.said(name), smallParts(o.Name)) {
			key = printer.Ident(o.Name)
		}
	}
	if key == "" {
		column, sure, ok := a.column(sel, name)
		if !ok || column.joined() {
			return nil
		}
		key, certainty = column.text(), sure
	}
	if down {
		key += " DESC"
	}
	q := a.now.stmt.Query
	if n := len(q.OrderBy); n > 0 {
		return []edit{{start: q.OrderBy[0].Span().Start, end: q.OrderBy[n-1].Span().End, text: key, class: "asked_order", certainty: certainty}}
	}
	at := sel.Span().End
	return []edit{{start: at, end: at, text: " ORDER BY " + key, class: "asked_order", certainty: certainty}}
}

// remove takes a column out of the result, and out of the groups where they are by it.
func (a amender) remove(sel *tree.Select, name string) []edit {
	at := -1
	for i, item := range sel.Items {
		x, ok := item.(*tree.SelectExpr)
		if !ok {
			return nil // the columns of a star would have to be written out
		}
		called := ""
		if ref, ok := x.Expr.(*tree.ColumnRef); ok {
			called = ref.Parts[len(ref.Parts)-1].Name
		}
		if x.Alias != nil {
			called = x.Alias.Name
		}
		if called != "" && sameWords(a.said(name), smallParts(called)) {
			if at >= 0 {
				return nil
			}
			at = i
		}
	}
	if at < 0 || len(sel.Items) == 1 || sel.GroupBy != nil {
		return nil // without a group there would be other rows: that is another question
	}
	if at == 0 {
		return []edit{{start: sel.Items[0].Span().Start, end: sel.Items[1].Span().Start, class: "asked_less", certainty: 0.95}}
	}
	return []edit{{start: sel.Items[at-1].Span().End, end: sel.Items[at].Span().End, class: "asked_less", certainty: 0.95}}
}

// add shows a column, and groups by it where the query groups, or is to.
func (a amender) add(sel *tree.Select, name string, group bool) []edit {
	column, certainty, ok := a.column(sel, name)
	if !ok || sel.Quantifier == tree.QuantifierDistinct {
		return nil
	}
	grouped := sel.GroupBy != nil || slices.ContainsFunc(sel.Items, func(i tree.SelectItem) bool {
		x, ok := i.(*tree.SelectExpr)
		return ok && resolve.Aggregates(x.Expr)
	})
	if group && !grouped || a.shows(sel, column) {
		return nil
	}
	if grouped && !group {
		certainty = min(certainty, 0.8) // there may be more rows than before
	}
	text := column.text()
	var edits []edit
	if column.joined() {
		join, _ := a.now.joinText(*column.way)
		edits = append(append(edits, join), a.now.qualified(*column.way, nil)...)
		certainty = min(certainty, sureJoin)
	}
	if group { // in front, as groups stand
		at := sel.Items[0].Span().Start
		edits = append(edits, edit{start: at, end: at, text: text + ", ", class: "asked_group", certainty: certainty})
	} else {
		edits = append(edits, edit{start: endOfItems(sel), end: endOfItems(sel), text: ", " + text, class: "asked_column", certainty: certainty})
	}
	if grouped {
		edits = append(edits, groupBy(sel, text, certainty))
	}
	return joinedEdits(edits)
}

// joinedEdits puts edits of one place into one: a join and what stands behind it.
func joinedEdits(edits []edit) []edit {
	var out []edit
	for _, e := range edits {
		if i := slices.IndexFunc(out, func(o edit) bool { return o.start == e.start && o.end == e.end && o.start == o.end }); i >= 0 {
			out[i].text += e.text
			out[i].certainty = min(out[i].certainty, e.certainty)
			continue
		}
		out = append(out, e)
	}
	return out
}

func groupBy(sel *tree.Select, text string, certainty float64) edit {
	at := groupAt(sel)
	e := edit{start: at, end: at, text: " GROUP BY " + text, class: "asked_group", certainty: certainty}
	if sel.GroupBy != nil {
		e.text = ", " + text
	}
	return e
}

func (a amender) shows(sel *tree.Select, column amendColumn) bool {
	return slices.ContainsFunc(sel.Items, func(i tree.SelectItem) bool {
		x, ok := i.(*tree.SelectExpr)
		return ok && a.isColumn(x.Expr, column)
	})
}

// grain counts by another unit of time: the unit of date_trunc where the query has one,
// else a column of days that it groups by, else the one date of its table.
func (a amender) grain(sel *tree.Select, unit string) []edit {
	if unit == "" {
		return nil
	}
	var edits []edit
	tree.Walk(a.now.stmt, func(n tree.Node) bool {
		if c, ok := n.(*tree.Call); ok && c.Name.Key() == "date_trunc" && len(c.Args) == 2 {
			if lit, ok := c.Args[0].(*tree.String); ok {
				edits = append(edits, edit{start: lit.Span().Start, end: lit.Span().End, text: printer.String(unit), class: "asked_grain", certainty: 0.93})
			}
		}
		return true
	})
	if len(edits) > 0 {
		return edits
	}
	for _, g := range sel.Groups() {
		ref, ok := g.(*tree.ColumnRef)
		if ok && a.isMoment(ref) {
			return a.truncated(sel, ref, unit)
		}
	}
	return a.byMoment(sel, unit)
}

func (a amender) isMoment(x tree.Expr) bool {
	t := a.now.resolution.TypeOf(x)
	return t.Base == "date" || strings.HasPrefix(t.Base, "timestamp")
}

// truncated wraps all that the query shows, groups and sorts by of a column.
func (a amender) truncated(sel *tree.Select, group *tree.ColumnRef, unit string) []edit {
	places := a.now.resolution.Places(group)
	if len(places) != 1 {
		return nil
	}
	name := group.Parts[len(group.Parts)-1].Name
	same := func(x tree.Expr) bool {
		p := a.now.resolution.Places(x)
		ref, ok := x.(*tree.ColumnRef)
		return ok && len(p) == 1 && p[0].Relation == places[0].Relation && strings.EqualFold(ref.Parts[len(ref.Parts)-1].Name, name)
	}
	var edits []edit
	wrap := func(x tree.Expr, alias string) {
		span := x.Span()
		edits = append(edits, edit{start: span.Start, end: span.End, text: "date_trunc('" + unit + "', " + span.Text() + ")" + alias, class: "asked_grain", certainty: 0.91})
	}
	for _, item := range sel.Items {
		if x, ok := item.(*tree.SelectExpr); ok && same(x.Expr) {
			alias := ""
			if x.Alias == nil {
				alias = " AS " + unit
			}
			wrap(x.Expr, alias)
		}
	}
	for _, g := range sel.Groups() {
		if same(g) {
			wrap(g, "")
		}
	}
	for _, key := range a.now.stmt.Query.OrderBy {
		if ref, ok := key.Expr.(*tree.ColumnRef); ok && strings.EqualFold(ref.Parts[len(ref.Parts)-1].Name, name) {
			wrap(group, "")
			last := &edits[len(edits)-1]
			last.start, last.end = ref.Span().Start, ref.Span().End
		}
	}
	return edits
}

// byMoment groups an aggregate by the one date that the tables of the query have, or by
// the one that they are divided by.
func (a amender) byMoment(sel *tree.Select, unit string) []edit {
	aggregates := slices.ContainsFunc(sel.Items, func(i tree.SelectItem) bool {
		x, ok := i.(*tree.SelectExpr)
		return ok && resolve.Aggregates(x.Expr)
	})
	var dates, divided []amendColumn
	for _, s := range a.now.relations(sel) {
		if s.stored == nil {
			continue
		}
		for _, c := range s.stored.Columns {
			if c.Type != "date" && !strings.HasPrefix(c.Type, "timestamp") {
				continue
			}
			found := amendColumn{of: s, name: c.Name, called: s.name}
			dates = append(dates, found)
			if c.Partition {
				divided = append(divided, found)
			}
		}
	}
	if len(divided) == 1 {
		dates = divided
	}
	if !aggregates || len(dates) != 1 {
		return nil
	}
	text := "date_trunc('" + unit + "', " + dates[0].text() + ")"
	at := sel.Items[0].Span().Start
	return []edit{{start: at, end: at, text: text + " AS " + unit + ", ", class: "asked_grain", certainty: 0.85}, groupBy(sel, text, 0.85)}
}

// said are the words of a phrase that may be parts of a name.
func (a amender) said(phrase string) []string {
	phrase = strings.NewReplacer("'s", " ", "’s", " ", "的", " ").Replace(strings.ToLower(phrase))
	words := strings.FieldsFunc(phrase, func(r rune) bool { return r == '_' || r == '-' || unicode.IsSpace(r) })
	return slices.DeleteFunc(words, func(w string) bool { return slices.Contains(a.words.Small, w) })
}

// column is the one column that a phrase names: by its name, with the noun of its table
// ("the seller's name"), or by its comment; of the relations of FROM, else of a table that
// a key leads to.
func (a amender) column(sel *tree.Select, phrase string) (found amendColumn, certainty float64, ok bool) {
	said := a.said(phrase)
	if len(said) == 0 {
		return amendColumn{}, 0, false
	}
	var best []amendColumn
	top := 0.0
	note := func(c amendColumn, score float64) {
		switch {
		case score > top:
			best, top = []amendColumn{c}, score
		case score == top && score > 0:
			best = append(best, c)
		}
	}
	for _, s := range a.now.relations(sel) {
		if s.stored != nil {
			for _, c := range s.stored.Columns {
				note(amendColumn{of: s, name: c.Name, called: s.name}, naming(said, phrase, s.stored, c))
			}
		}
	}
	if len(best) == 0 {
		a.reachable(sel, said, phrase, note)
	}
	if len(best) != 1 {
		return amendColumn{}, 0, false
	}
	return best[0], top, true
}

// reachable notes the columns of the tables that one key leads to.
func (a amender) reachable(sel *tree.Select, said []string, phrase string, note func(amendColumn, float64)) {
	from := a.now.relations(sel)
	for i := range a.Known {
		t := &a.Known[i]
		if slices.ContainsFunc(from, func(s seen) bool { return s.stored != nil && s.stored.Name == t.Name }) {
			continue
		}
		for _, c := range t.Columns {
			score := naming(said, phrase, t, c)
			if score == 0 {
				continue
			}
			ways := waysTo(a.Known, from, sel, func(at *catalog.Table) bool { return at.Name == t.Name }, c.Name, "")
			if len(ways) == 1 && len(ways[0].steps) == 1 {
				note(amendColumn{of: seen{stored: t}, name: c.Name, called: t.Name.Table, way: &ways[0]}, score)
			}
		}
	}
}

// naming says how well a phrase names a column, from 0 to 1.
func naming(said []string, phrase string, t *catalog.Table, c catalog.Column) float64 {
	own, noun := smallParts(c.Name), smallParts(t.Name.Table)
	switch {
	case sameWords(said, own):
		return 0.95
	case sameWords(said, append(slices.Clone(noun), own...)), sameWords(append(slices.Clone(noun), said...), own):
		return 0.92
	case c.Comment != "" && strings.EqualFold(strings.TrimSpace(c.Comment), strings.TrimSpace(phrase)):
		return 0.91
	case len(said) > 1 && !slices.ContainsFunc(said, func(w string) bool { return !holdsWord(append(slices.Clone(noun), own...), w) }) && holdsWord(own, said[len(said)-1]):
		return 0.75
	}
	return 0
}

func holdsWord(words []string, w string) bool {
	return slices.ContainsFunc(words, func(o string) bool { return strings.TrimSuffix(o, "s") == strings.TrimSuffix(w, "s") })
}
