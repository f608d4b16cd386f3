package repair

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// tableEdits take the nearest table.
func tableEdits(_ *engine, now *reading) []edit {
	var edits []edit
	for _, d := range now.diagnostics {
		t, ok := d.Node.(*tree.Table)
		if !ok {
			continue
		}
		switch d.Code {
		case resolve.MissingCatalogName, resolve.MissingSchemaName: // a short name that is not there
			if now.scope.Catalog == nil {
				continue
			}
			for _, near := range now.scope.Catalog.Near(catalog.Name{Table: t.Name.Parts[len(t.Name.Parts)-1].Name}, 3) {
				d.Suggestions = append(d.Suggestions, near.String())
			}
			fallthrough
		case resolve.TableNotFound, resolve.SchemaNotFound, resolve.CatalogNotFound:
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
	whole, twice := map[string]string{}, map[string]bool{}
	var candidates []string
	for _, s := range d.Suggestions {
		parts := strings.Split(s, ".")
		tail := strings.Join(parts[max(0, len(parts)-len(name)):], ".")
		if _, ok := whole[tail]; ok {
			twice[tail] = true // in two schemas; alone it means that of the default
			continue
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
		if text = whole[best]; twice[best] {
			return nil
		}
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
