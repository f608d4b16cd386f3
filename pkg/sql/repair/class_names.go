package repair

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// nameEdits give a column that is not there the name, or the table, that is meant: a
// column of another table of the same FROM clause that has the very name, else the
// nearest name.
func nameEdits(e *engine, now *reading) []edit {
	if edits := now.aliasEdits(); len(edits) > 0 {
		return edits
	}
	var edits []edit
	for _, ref := range now.unknownColumns() {
		found, ok := now.columnEdit(ref)
		if !ok {
			continue
		}
		if found.certainty < Certain {
			if _, joined := now.missingJoin(e.Known, ref); joined {
				continue // the very name is in a table that a key leads to
			}
		}
		edits = append(edits, found)
	}
	return edits
}

// unknownColumns are the columns that are not there.
func (now *reading) unknownColumns() []*tree.ColumnRef {
	var refs []*tree.ColumnRef
	for _, d := range now.diagnostics {
		if ref, ok := d.Node.(*tree.ColumnRef); ok && d.Code == resolve.ColumnNotFound {
			refs = append(refs, ref)
		}
	}
	return refs
}

// aliasEdits give a relation the alias that columns use: nothing has that alias, one
// relation of the FROM clause is named by no column, and it has all those columns.
func (now *reading) aliasEdits() []edit {
	unknown := map[string][]*tree.ColumnRef{}
	for _, ref := range now.unknownColumns() {
		if len(ref.Parts) == 2 {
			q := ref.Parts[0].Key()
			unknown[q] = append(unknown[q], ref)
		}
	}
	used := map[string]bool{}
	tree.Walk(now.stmt, func(n tree.Node) bool {
		if ref, ok := n.(*tree.ColumnRef); ok && len(ref.Parts) > 1 {
			used[ref.Parts[len(ref.Parts)-2].Key()] = true
		}
		return true
	})
	var edits []edit
	for _, q := range slices.Sorted(maps.Keys(unknown)) {
		refs := unknown[q]
		sels := now.selectsAround(refs[0])
		if len(sels) == 0 {
			continue
		}
		relations := now.relations(sels[0])
		var idle []seen
		for _, s := range relations {
			if strings.EqualFold(s.name, q) || strings.EqualFold(s.table, q) {
				idle = nil // the alias is there: the column is not
				break
			}
			if s.alias != nil && !used[strings.ToLower(s.name)] {
				idle = append(idle, s)
			}
		}
		if len(idle) != 1 || slices.ContainsFunc(refs, func(r *tree.ColumnRef) bool { return !idle[0].has(r.Parts[1].Name) }) {
			continue
		}
		span := idle[0].alias.Span()
		edits = append(edits, edit{start: span.Start, end: span.End, text: refs[0].Parts[0].Span().Text(), class: "alias_name", certainty: 0.93})
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
	if len(others) != 1 || now.comparedTo(ref, others[0]) {
		return near, ok // compared with itself it would mean nothing
	}
	certainty := 0.92
	if ok {
		certainty = likely // it may be a slip in the name too
	}
	return requalified(ref, others[0], certainty), true
}

// comparedTo reports whether a column is compared with the one of the same name in a
// relation.
func (now *reading) comparedTo(ref *tree.ColumnRef, s seen) bool {
	found := false
	tree.Walk(now.stmt, func(n tree.Node) bool {
		b, ok := n.(*tree.Binary)
		if !ok || tree.Unparen(b.Left) != tree.Expr(ref) && tree.Unparen(b.Right) != tree.Expr(ref) {
			return !found
		}
		for _, side := range []tree.Expr{b.Left, b.Right} {
			other, ok := tree.Unparen(side).(*tree.ColumnRef)
			found = found || ok && other != ref && len(other.Parts) == 2 &&
				strings.EqualFold(other.Parts[0].Name, s.name) && strings.EqualFold(other.Parts[1].Name, ref.Parts[len(ref.Parts)-1].Name)
		}
		return !found
	})
	return found
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
	case len(holders) == 1 && len(qualifier) <= 2:
		return requalified(ref, holders[0], 0.8), true // or its table is missing
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
	if !ok {
		if best, ok = holding(name.Name, names); !ok {
			return edit{}, false
		}
		certainty = 0.7
	}
	if strings.EqualFold(best, name.Name) {
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

// typeNames are the types of Presto that people name.
var typeNames = strings.Fields("boolean tinyint smallint integer bigint real double decimal varchar char varbinary json date time timestamp interval array map row uuid ipaddress")

// typeEdits take the nearest type of a cast to a type that is not there.
func typeEdits(_ *engine, now *reading) []edit {
	var edits []edit
	tree.Walk(now.stmt, func(n tree.Node) bool {
		cast, ok := n.(*tree.Cast)
		if !ok || cast.Type == nil || !slices.ContainsFunc(now.diagnostics, func(d resolve.Diagnostic) bool { return d.Node == tree.Node(cast) }) {
			return true
		}
		name := firstName(cast.Type.Span().Text())
		if best, certainty, ok := nearestOf(name, typeNames); ok && best != strings.ToLower(name) {
			start := cast.Type.Span().Start
			edits = append(edits, edit{start: start, end: start + len(name), text: best, class: "type_name", certainty: certainty})
		}
		return true
	})
	return edits
}

// firstName is the name that a text begins with.
func firstName(text string) string {
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }); i >= 0 {
		return text[:i]
	}
	return text
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
