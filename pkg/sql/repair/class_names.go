package repair

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// nameEdits give a column that is not there the name, or the table, that is meant: a
// column of another table of the same FROM clause that has the very name, else the
// nearest name.
func nameEdits(_ *engine, now *reading) []edit {
	var edits []edit
	for _, d := range now.diagnostics {
		ref, ok := d.Node.(*tree.ColumnRef)
		if !ok || d.Code != resolve.ColumnNotFound {
			continue
		}
		if e, ok := now.columnEdit(ref); ok {
			edits = append(edits, e)
		}
	}
	return edits
}

func (now *reading) columnEdit(ref *tree.ColumnRef) (edit, bool) {
	last := ref.Parts[len(ref.Parts)-1]
	sight := now.inSight(ref)
	if len(ref.Parts) == 1 {
		var names []string
		for _, s := range sight {
			names = append(names, s.columns...)
		}
		return nearEdit(last, names)
	}
	qualifier := ref.Parts[len(ref.Parts)-2].Name
	own := slices.IndexFunc(sight, func(s seen) bool { return strings.EqualFold(s.name, qualifier) })
	if own < 0 {
		return strangerEdit(ref, qualifier, sight)
	}
	near, ok := nearEdit(last, sight[own].columns)
	if ok && near.certainty >= Certain {
		return near, true
	}
	var others []seen
	for _, s := range sight {
		if s.has(last.Name) {
			others = append(others, s)
		}
	}
	if len(others) != 1 {
		return near, ok
	}
	certainty := 0.92
	if ok {
		certainty = likely // it may be a slip in the name too
	}
	return requalified(ref, others[0], certainty), true
}

// strangerEdit is for a qualifier that is no relation in sight: the name of a table
// that has an alias here, a misspelt alias, or one of another query.
func strangerEdit(ref *tree.ColumnRef, qualifier string, sight []seen) (edit, bool) {
	last := ref.Parts[len(ref.Parts)-1].Name
	var holders, named, misspelt []seen
	for _, s := range sight {
		if !s.has(last) {
			continue
		}
		holders = append(holders, s)
		if strings.EqualFold(s.table, qualifier) {
			named = append(named, s)
		}
		if len(qualifier) > 2 && distance(qualifier, s.name) < 0.34 {
			misspelt = append(misspelt, s)
		}
	}
	switch {
	case len(named) == 1:
		return requalified(ref, named[0], 0.95), true
	case len(misspelt) == 1:
		return requalified(ref, misspelt[0], 0.92), true
	case len(holders) == 1 && len(sight) == 1 && len(qualifier) <= 2:
		return requalified(ref, holders[0], 0.9), true
	case len(holders) == 1 && len(qualifier) <= 2:
		return requalified(ref, holders[0], 0.8), true
	}
	return edit{}, false
}

func requalified(ref *tree.ColumnRef, s seen, certainty float64) edit {
	span := ref.Span()
	return edit{start: span.Start, end: span.End, text: s.column(ref.Parts[len(ref.Parts)-1].Name), class: "qualifier", certainty: certainty}
}

// nearEdit takes the nearest name.
func nearEdit(name *tree.Ident, names []string) (edit, bool) {
	best, certainty, ok := nearestOf(name.Name, names)
	if !ok || strings.EqualFold(best, name.Name) {
		return edit{}, false
	}
	at := name.Span()
	return edit{start: at.Start, end: at.End, text: printer.Ident(best), class: "nearest_column", certainty: certainty}, true
}

// quoteEdits make texts of what stands in double quotes and is no column.
func quoteEdits(_ *engine, now *reading) []edit {
	var edits []edit
	for _, d := range now.diagnostics {
		ref, ok := d.Node.(*tree.ColumnRef)
		if !ok || d.Code != resolve.ColumnNotFound || len(ref.Parts) != 1 || !ref.Parts[0].Quoted {
			continue
		}
		if _, named := now.columnEdit(ref); named {
			continue
		}
		edits = append(edits, signsEdit(now.stmt, ref)...)
		edits = append(edits, quotesEdit(now.stmt, now.resolution, now.scope, ref)...)
	}
	return edits
}

// tableEdits take the nearest table.
func tableEdits(_ *engine, now *reading) []edit {
	var edits []edit
	for _, d := range now.diagnostics {
		if t, ok := d.Node.(*tree.Table); ok && (d.Code == resolve.TableNotFound || d.Code == resolve.SchemaNotFound || d.Code == resolve.CatalogNotFound) {
			edits = append(edits, tableEdit(t, now.commonNames(), d)...)
		}
	}
	return edits
}

func (now *reading) commonNames() []string {
	var names []string
	tree.Walk(now.stmt, func(n tree.Node) bool {
		if c, ok := n.(*tree.CommonTable); ok {
			names = append(names, c.Name.Name)
		}
		return true
	})
	return names
}

func tableEdit(t *tree.Table, common []string, d resolve.Diagnostic) []edit {
	name := t.Name.Parts
	// Candidates are whole names; what was written may be the last parts only.
	whole := map[string]string{}
	var candidates []string
	for _, s := range d.Suggestions {
		parts := strings.Split(s, ".")
		tail := strings.Join(parts[max(0, len(parts)-len(name)):], ".")
		if _, twice := whole[tail]; twice {
			return nil // the same name in two schemas
		}
		whole[tail] = s
		candidates = append(candidates, tail)
	}
	if len(name) == 1 {
		candidates = append(candidates, common...)
	}
	best, certainty, ok := nearestOf(t.Name.String(), candidates)
	if !ok {
		return nil
	}
	text := best
	if strings.EqualFold(best, t.Name.String()) {
		text = whole[best] // the same name elsewhere
		certainty = min(certainty, 0.8)
	}
	parts := strings.Split(text, ".")
	for i, p := range parts {
		parts[i] = printer.Ident(p)
	}
	span := t.Name.Span()
	edits := []edit{{start: span.Start, end: span.End, text: strings.Join(parts, "."), class: "nearest_table", code: string(d.Code), certainty: certainty}}
	return edits
}

// functionEdits take the nearest function.
func functionEdits(_ *engine, now *reading) []edit {
	var edits []edit
	for _, d := range now.diagnostics {
		c, ok := d.Node.(*tree.Call)
		if !ok || d.Code != resolve.FunctionNotFound {
			continue
		}
		best, certainty, ok := nearestOf(c.Name.String(), d.Suggestions)
		if !ok {
			continue
		}
		span := c.Name.Span()
		edits = append(edits, edit{
			start: span.Start, end: span.End, text: best, class: "nearest_function", certainty: min(certainty, 0.93),
			args: map[string]string{"name": c.Name.String()},
		})
	}
	return edits
}
