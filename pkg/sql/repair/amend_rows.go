package repair

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// limit sets how many rows come.
func (a amender) limit(n string) []edit {
	q := a.now.stmt.Query
	if count, err := strconv.Atoi(n); err != nil || count < 1 {
		return nil
	}
	e := edit{class: "asked_limit", certainty: 0.95}
	switch {
	case q.Limit != nil && q.Limit.Count != nil:
		span := q.Limit.Count.Span()
		e.start, e.end, e.text = span.Start, span.End, n
	case q.Limit != nil:
		return nil
	default:
		e.start = q.Span().End
		e.end, e.text = e.start, " LIMIT "+n
	}
	return []edit{e}
}

// filter keeps, or leaves out, the rows of a value that is stored, or that a comparison
// names with its column. A condition of equality on the same column is replaced.
func (a amender) filter(sel *tree.Select, value string, not bool) []edit {
	column, condition, certainty, ok := a.condition(sel, value, not)
	if !ok {
		return nil
	}
	e := edit{class: "asked_filter", certainty: certainty}
	if sel.Where == nil {
		e.start = endOfFrom(sel)
		e.end, e.text = e.start, " WHERE "+condition
		return []edit{e}
	}
	for _, c := range tree.Conjuncts(sel.Where) {
		if b, ok := tree.Unparen(c).(*tree.Binary); ok && !not && b.Op == tree.OpEq && a.isColumn(b.Left, column) && strings.Contains(condition, " = ") {
			span := c.Span()
			return []edit{{start: span.Start, end: span.End, text: condition, class: "asked_filter", certainty: min(certainty, 0.93)}}
		}
	}
	span := sel.Where.Span()
	if b, ok := sel.Where.(*tree.Binary); ok && b.Op == tree.OpOr {
		e.start, e.end, e.text = span.Start, span.End, "("+span.Text()+") AND "+condition
		return []edit{e}
	}
	e.start, e.end, e.text = span.End, span.End, " AND "+condition
	return []edit{e}
}

// isColumn reports whether an expression is a column of a relation.
func (a amender) isColumn(x tree.Expr, column amendColumn) bool {
	places := a.now.resolution.Places(x)
	ref, ok := tree.Unparen(x).(*tree.ColumnRef)
	return ok && len(places) == 1 && places[0].Relation == column.of.relation && strings.EqualFold(ref.Parts[len(ref.Parts)-1].Name, column.name)
}

// condition reads what rows are wanted: "country is BR", "qty > 3", or a value alone that
// one column of the query's tables has.
func (a amender) condition(sel *tree.Select, value string, not bool) (column amendColumn, text string, certainty float64, ok bool) {
	if found := a.words.compared.FindStringSubmatch(value); found != nil {
		name, op, literal := strings.TrimSpace(found[1]), a.words.Ops[strings.ToLower(strings.TrimSpace(found[2]))], strings.Trim(strings.TrimSpace(found[3]), `'"`)
		column, certainty, ok := a.column(sel, name)
		if ok && !column.joined() {
			if written, ok := a.literal(column, literal); ok {
				if not {
					return column, "NOT (" + column.text() + " " + op + " " + written + ")", certainty, true
				}
				return column, column.text() + " " + op + " " + written, certainty, true
			}
		}
	}
	column, stored, ok := a.storing(sel, strings.Trim(value, `'"`))
	if !ok {
		return amendColumn{}, "", 0, false
	}
	op := " = "
	if not {
		op = " <> "
	}
	return column, column.text() + op + printer.String(stored), 0.93, true
}

// literal writes a value as one of a column's type; false where it is none.
func (a amender) literal(column amendColumn, value string) (string, bool) {
	stored, ok := column.of.stored.Column(column.name)
	if !ok {
		return "", false
	}
	t := types.Parse(stored.Type)
	switch {
	case t.IsNumeric():
		_, err := strconv.ParseFloat(value, 64)
		return value, err == nil && !strings.ContainsAny(value, "xXnNiIpP_")
	case t.Base == "date":
		_, err := time.Parse(time.DateOnly, value)
		return "DATE " + printer.String(value), err == nil
	case t.IsText():
		if known, ok := a.storedAs(stored.Samples, value); ok {
			value = known
		}
		return printer.String(value), true
	}
	return "", false
}

// storing is the one column of the relations of FROM that has a value, and how it is
// stored.
func (a amender) storing(sel *tree.Select, value string) (amendColumn, string, bool) {
	var found []amendColumn
	as := ""
	for _, s := range a.now.relations(sel) {
		if s.stored == nil {
			continue
		}
		for _, c := range s.stored.Columns {
			if stored, ok := a.storedAs(c.Samples, value); ok {
				found, as = append(found, amendColumn{of: s, name: c.Name, called: s.name}), stored
			}
		}
	}
	if len(found) != 1 {
		return amendColumn{}, "", false
	}
	return found[0], as, true
}

// storedAs is the stored value that a value, or another name of it, is.
func (a amender) storedAs(stored []string, value string) (string, bool) {
	names := []string{value}
	if a.names != nil {
		names = append(names, a.names(value)...)
	}
	for _, n := range names {
		if i := slices.IndexFunc(stored, func(s string) bool { return strings.EqualFold(s, n) }); i >= 0 {
			return stored[i], true
		}
	}
	return "", false
}
