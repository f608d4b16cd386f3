package repair

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// joinEdits add the table of a column that no table of FROM has, where one known table
// has it and one key leads there. A join may repeat rows: it is never certain.
func joinEdits(e *engine, now *reading) []edit {
	var edits []edit
	for _, d := range now.diagnostics {
		ref, ok := d.Node.(*tree.ColumnRef)
		if !ok || d.Code != resolve.ColumnNotFound {
			continue
		}
		if _, named := now.columnEdit(ref); named {
			continue
		}
		if made, ok := now.missingJoin(e.Known, ref); ok {
			edits = append(edits, made...)
		}
	}
	return edits
}

func (now *reading) missingJoin(known []catalog.Table, ref *tree.ColumnRef) ([]edit, bool) {
	sels := now.selectsAround(ref)
	if len(sels) == 0 || len(sels[0].From) == 0 || len(ref.Parts) > 2 {
		return nil, false
	}
	column := ref.Parts[len(ref.Parts)-1].Name
	from := now.relations(sels[0])
	var target *catalog.Table
	for i := range known {
		t := &known[i]
		if _, has := t.Column(column); !has || slices.ContainsFunc(from, func(s seen) bool { return s.stored != nil && s.stored.Name == t.Name }) {
			continue
		}
		if len(ref.Parts) == 2 && !strings.EqualFold(ref.Parts[0].Name, t.Name.Table) {
			continue
		}
		if target != nil {
			return nil, false
		}
		target = t
	}
	if target == nil {
		return nil, false
	}
	on, ok := joinCondition(from, target)
	if !ok {
		return nil, false
	}
	last := sels[0].From[len(sels[0].From)-1].Span().End
	join := edit{
		start: last, end: last, text: " JOIN " + now.tableText(target) + " ON " + on, class: "missing_join", certainty: 0.7,
		args: map[string]string{"name": target.Name.Table},
	}
	return []edit{join}, true
}

// tableText is how a statement names a table: without what the defaults say.
func (now *reading) tableText(t *catalog.Table) string {
	parts := []string{t.Name.Region, t.Name.Schema, t.Name.Table}
	if strings.EqualFold(t.Name.Region, now.scope.DefaultRegion) {
		parts = parts[1:]
		if strings.EqualFold(t.Name.Schema, now.scope.DefaultSchema) {
			parts = parts[1:]
		}
	}
	for i := range parts {
		parts[i] = printer.Ident(parts[i])
	}
	return strings.Join(parts, ".")
}

// joinCondition is the condition by the one key between a relation and a table: a
// foreign key of either, else a column that is the whole key of one of them and has the
// same name in the other.
func joinCondition(from []seen, target *catalog.Table) (string, bool) {
	var conditions []string
	for _, s := range from {
		if s.stored == nil {
			continue
		}
		keys := append(references(s.stored, target), flipped(references(target, s.stored))...)
		if len(keys) == 0 {
			keys = sharedKey(s.stored, target)
		}
		for _, k := range keys {
			conditions = append(conditions, s.column(k[0])+" = "+printer.Ident(target.Name.Table)+"."+printer.Ident(k[1]))
		}
	}
	if len(conditions) != 1 {
		return "", false
	}
	return conditions[0], true
}

// references are the pairs of columns of foreign keys of one column.
func references(t, to *catalog.Table) [][2]string {
	var out [][2]string
	for _, key := range t.ForeignKeys {
		if key.RefTable == to.Name && len(key.Columns) == 1 && len(key.RefColumns) == 1 {
			out = append(out, [2]string{key.Columns[0], key.RefColumns[0]})
		}
	}
	return out
}

func flipped(pairs [][2]string) [][2]string {
	for i, p := range pairs {
		pairs[i] = [2]string{p[1], p[0]}
	}
	return pairs
}

func sharedKey(a, b *catalog.Table) [][2]string {
	for _, key := range [][]string{b.PrimaryKey(), a.PrimaryKey()} {
		if len(key) != 1 || len(key[0]) < 3 {
			continue
		}
		ca, inA := a.Column(key[0])
		cb, inB := b.Column(key[0])
		if inA && inB && ca.Type == cb.Type {
			return [][2]string{{ca.Name, cb.Name}}
		}
	}
	return nil
}

// ambiguousEdits say which table a column is of that several have: the left one, where
// the join makes them equal. Where it does not, a person has to say.
func ambiguousEdits(e *engine, now *reading) []edit {
	var edits []edit
	for _, d := range now.diagnostics {
		ref, ok := d.Node.(*tree.ColumnRef)
		if !ok || d.Code != resolve.AmbiguousName || len(ref.Parts) != 1 {
			continue
		}
		sels := now.selectsAround(ref)
		if len(sels) == 0 {
			continue
		}
		name := ref.Parts[0].Name
		var holders []seen
		for _, s := range now.relations(sels[0]) {
			if s.has(name) {
				holders = append(holders, s)
			}
		}
		if len(holders) < 2 {
			continue
		}
		span := ref.Span()
		qualify := func(s seen, certainty float64) edit {
			return edit{start: span.Start, end: span.End, text: s.column(name), class: "ambiguous", certainty: certainty}
		}
		if equalled(sels[0], holders, name) {
			edits = append(edits, qualify(holders[0], 0.95))
			continue
		}
		for _, s := range holders {
			if len(e.candidates) < e.MaxCandidates {
				d := e.draft.clone()
				d.apply([]edit{qualify(s, 0.5)})
				e.candidates = append(e.candidates, Candidate{Text: d.text, Changes: d.sorted()})
			}
		}
	}
	return edits
}

// equalled reports whether every holder but the first is joined to it by an inner join,
// or a left join, on equality of the column.
func equalled(sel *tree.Select, holders []seen, name string) bool {
	equal := map[string]bool{strings.ToLower(holders[0].name): true}
	var conditions []tree.Expr
	for _, from := range sel.From {
		tree.Walk(from, func(n tree.Node) bool {
			if j, ok := n.(*tree.Join); ok && (j.Kind == tree.JoinInner || j.Kind == tree.JoinLeft) {
				conditions = append(conditions, tree.Conjuncts(j.On)...)
			}
			_, query := n.(*tree.Query)
			return !query
		})
	}
	conditions = append(conditions, tree.Conjuncts(sel.Where)...)
	for range holders {
		for _, c := range conditions {
			left, right, ok := equality(c, name)
			if ok && (equal[left] || equal[right]) {
				equal[left], equal[right] = true, true
			}
		}
	}
	return !slices.ContainsFunc(holders, func(s seen) bool { return !equal[strings.ToLower(s.name)] })
}

// equality returns the qualifiers, in lower case, of a.name = b.name.
func equality(x tree.Expr, name string) (left, right string, ok bool) {
	b, is := tree.Unparen(x).(*tree.Binary)
	if !is || b.Op != tree.OpEq {
		return "", "", false
	}
	var qualifiers []string
	for _, side := range []tree.Expr{b.Left, b.Right} {
		ref, is := tree.Unparen(side).(*tree.ColumnRef)
		if !is || len(ref.Parts) != 2 || !strings.EqualFold(ref.Parts[1].Name, name) {
			return "", "", false
		}
		qualifiers = append(qualifiers, strings.ToLower(ref.Parts[0].Name))
	}
	return qualifiers[0], qualifiers[1], true
}
