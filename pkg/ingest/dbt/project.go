package dbt

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// project is a manifest with its parts put together.
type project struct {
	manifest *manifest
	docs     docs
	tables   map[string]*node   // models, seeds, snapshots and sources by unique id
	tests    map[string][]*node // by the id of the table that they are about
	models   map[string][]string
	sources  map[string]string // by "source.table"
}

func newProject(m *manifest, d docs) *project {
	p := &project{
		manifest: m, docs: d, tables: make(map[string]*node), tests: make(map[string][]*node),
		models: make(map[string][]string), sources: make(map[string]string),
	}
	for id, n := range m.Nodes {
		if n == nil || n.Config.Materialized == "ephemeral" {
			continue
		}
		switch n.Kind {
		case "model", "seed", "snapshot":
			p.tables[id] = n
			p.models[n.Name] = append(p.models[n.Name], id)
		}
	}
	for id, n := range m.Sources {
		if n != nil {
			p.tables[id] = n
			p.sources[n.SourceName+"."+n.Name] = id
		}
	}
	for _, ids := range p.models {
		slices.Sort(ids)
	}
	for _, id := range slices.Sorted(maps.Keys(m.Nodes)) {
		if n := m.Nodes[id]; n != nil && n.Kind == "test" && n.Test != nil {
			about := n.Attached
			if about == "" {
				about = p.refer(text(n.Test.Args["model"]), n.Package)
			}
			p.tests[about] = append(p.tests[about], n)
		}
	}
	return p
}

// Forms of a reference: ref('orders'), ref('package', 'orders'), ref('orders', v=2),
// source('erp', 'orders').
var (
	refForm    = regexp.MustCompile(`\bref\(\s*['"]([^'"]+)['"](?:\s*,\s*['"]([^'"]+)['"])?`)
	sourceForm = regexp.MustCompile(`\bsource\(\s*['"]([^'"]+)['"]\s*,\s*['"]([^'"]+)['"]`)
)

// refer returns the id of the table that a reference means, "" where none does.
func (p *project) refer(reference, from string) string {
	if m := sourceForm.FindStringSubmatch(reference); m != nil {
		return p.sources[m[1]+"."+m[2]]
	}
	m := refForm.FindStringSubmatch(reference)
	if m == nil {
		return ""
	}
	name := m[1]
	if m[2] != "" {
		from, name = m[1], m[2]
	}
	ids := p.models[name]
	for _, id := range ids { // a name is of one package first
		if p.tables[id].Package == from {
			return id
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}

// name is the name in the warehouse. The database is the catalog of Trino.
func (n *node) name() catalog.Name {
	return catalog.Name{Region: n.Database, Schema: n.Schema, Table: cmp.Or(n.Alias, n.Identifier, n.Name)}
}

// table puts together what is known of a table.
func (p *project) table(id string) catalog.Table {
	n := p.tables[id]
	t := catalog.Table{
		Name: n.name(), Kind: catalog.KindTable, Description: cmp.Or(n.Description, n.SourceText), Tags: n.Tags, RowCount: -1,
		Mart: n.meta("mart"), Topic: n.meta("topic"), Layer: strings.ToLower(n.meta("layer")), Country: n.meta("country"),
		Manifest: n.meta("manifest"), Grain: n.meta("grain"), Successor: n.meta("successor"), Owner: p.owner(n),
	}
	if quality, err := strconv.ParseFloat(n.meta("quality"), 64); err == nil {
		t.Quality = min(max(quality, 0), 1)
	}
	if n.Config.Materialized == "view" {
		t.Kind = catalog.KindView
	}
	for _, c := range n.Columns {
		t.Columns = append(t.Columns, catalog.Column{Name: c.Name, Type: c.Type, Comment: c.Description})
	}
	t.Upstream = p.upstream(id)
	p.document(id, &t)
	p.constrain(n, &t)
	p.test(id, &t)
	return t
}

// maxUpstream bounds the tables that one is made from.
const maxUpstream = 100

// upstream returns the tables that a model reads, sorted. Ephemeral models are no tables:
// what they read stands in their place.
func (p *project) upstream(id string) []catalog.Name {
	seen := map[string]bool{id: true}
	var names []catalog.Name
	var follow func(n *node)
	follow = func(n *node) {
		for _, from := range n.DependsOn.Nodes {
			if seen[from] {
				continue
			}
			seen[from] = true
			if t, ok := p.tables[from]; ok {
				names = append(names, t.name())
			} else if hidden := p.manifest.Nodes[from]; hidden != nil && hidden.Kind == "model" {
				follow(hidden)
			}
		}
	}
	follow(p.tables[id])
	slices.SortFunc(names, func(a, b catalog.Name) int { return cmp.Compare(a.String(), b.String()) })
	return names[:min(len(names), maxUpstream)]
}

// meta reads a key of the table's meta, of its config's, and of its source's.
func (n *node) meta(key string) string {
	for _, meta := range []map[string]any{n.Meta, n.Config.Meta, n.SourceMeta} {
		if s := text(meta[key]); s != "" {
			return s
		}
	}
	return ""
}

// text is a value of meta: a list's members, the name or address of a person.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		parts := make([]string, 0, len(v))
		for _, one := range v {
			parts = append(parts, text(one))
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		return cmp.Or(text(v["name"]), text(v["email"]))
	}
	return ""
}

func (p *project) owner(n *node) string {
	if owner := n.meta("owner"); owner != "" {
		return owner
	}
	for _, g := range p.manifest.Groups {
		if g != nil && g.Name != "" && g.Name == cmp.Or(n.Group, n.Config.Group) {
			return cmp.Or(g.Owner.Name, g.Owner.Email, g.Name)
		}
	}
	return ""
}

// document adds what `dbt docs generate` found in the warehouse: types, columns
// that nobody described, rows.
func (p *project) document(id string, t *catalog.Table) {
	found := cmp.Or(p.docs.Nodes[id], p.docs.Sources[id])
	if found == nil {
		return
	}
	if t.Description == "" {
		t.Description = found.Metadata.Comment
	}
	if strings.Contains(strings.ToLower(found.Metadata.Type), "view") {
		t.Kind = catalog.KindView
	}
	described := t.Columns
	t.Columns = nil
	place := make(map[string]int)
	for key, c := range found.Columns {
		name := cmp.Or(c.Name, key)
		place[strings.ToLower(name)] = c.Index
		t.Columns = append(t.Columns, catalog.Column{Name: name, Type: strings.ToLower(c.Type), Comment: c.Comment})
	}
	slices.SortFunc(t.Columns, func(a, b catalog.Column) int {
		return cmp.Or(cmp.Compare(place[strings.ToLower(a.Name)], place[strings.ToLower(b.Name)]), cmp.Compare(a.Name, b.Name))
	})
	for _, d := range described {
		i := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return strings.EqualFold(c.Name, d.Name) })
		if i < 0 {
			t.Columns = append(t.Columns, d)
			continue
		}
		t.Columns[i].Comment = cmp.Or(d.Comment, t.Columns[i].Comment)
		t.Columns[i].Type = cmp.Or(t.Columns[i].Type, d.Type)
	}
	for _, key := range []string{"num_rows", "row_count", "rows"} {
		if n, ok := found.Stats[key].Value.(float64); ok && n >= 0 {
			t.RowCount = int64(n)
			break
		}
	}
	for _, key := range []string{"last_modified", "last_altered"} {
		if at, ok := moment(text(found.Stats[key].Value)); ok {
			t.UpdatedAt = at
			break
		}
	}
}

// moment reads a time as warehouses write it; without a zone it is UTC.
func moment(s string) (time.Time, bool) {
	s = strings.TrimSuffix(s, "UTC")
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// constrain adds the keys that the model declares.
func (p *project) constrain(n *node, t *catalog.Table) {
	markKey(t, n.PrimaryKey)
	of := func(c constraint, columns []string) {
		switch c.Type {
		case "primary_key":
			markKey(t, columns)
		case "not_null":
			markNotNull(t, columns)
		case "foreign_key":
			p.point(n, t, columns, c.To, c.ToColumns)
		}
	}
	for _, c := range n.Constraints {
		of(c, c.Columns)
	}
	for _, column := range n.Columns {
		for _, c := range column.Constraints {
			of(c, []string{column.Name})
		}
	}
}

// test adds what the tests of a table say.
func (p *project) test(id string, t *catalog.Table) {
	var unique []string
	for _, test := range p.tests[id] {
		column := cmp.Or(test.ColumnName, text(test.Test.Args["column_name"]))
		if column == "" {
			continue
		}
		switch test.Test.Name {
		case "unique":
			unique = append(unique, column)
		case "not_null":
			markNotNull(t, []string{column})
		case "relationships":
			p.point(test, t, []string{column}, text(test.Test.Args["to"]), []string{text(test.Test.Args["field"])})
		case "accepted_values":
			if i := indexOf(t, column); i >= 0 && len(t.Columns[i].Samples) == 0 {
				t.Columns[i].Samples = values(test.Test.Args["values"])
			}
		}
	}
	if len(t.PrimaryKey()) > 0 {
		return
	}
	// The first column whose values are all there and all different is the key; one
	// that may be missing is the next best.
	for _, needsValue := range []bool{true, false} {
		for i := range t.Columns {
			c := &t.Columns[i]
			if (c.NotNull || !needsValue) && slices.ContainsFunc(unique, func(u string) bool { return strings.EqualFold(u, c.Name) }) {
				c.PrimaryKey = true
				return
			}
		}
	}
}

func values(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, one := range list {
		if s := text(one); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// point adds a foreign key, once, to a table that is known.
func (p *project) point(from *node, t *catalog.Table, columns []string, to string, toColumns []string) {
	ref, known := p.tables[p.refer(to, from.Package)]
	if !known || slices.Contains(toColumns, "") {
		return
	}
	k := catalog.ForeignKey{Columns: columns, RefTable: ref.name(), RefColumns: toColumns}
	if !slices.ContainsFunc(t.ForeignKeys, func(o catalog.ForeignKey) bool { return fmt.Sprint(o) == fmt.Sprint(k) }) {
		t.ForeignKeys = append(t.ForeignKeys, k)
	}
}

func indexOf(t *catalog.Table, column string) int {
	return slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return strings.EqualFold(c.Name, column) })
}

func markKey(t *catalog.Table, columns []string) {
	for _, c := range columns {
		if i := indexOf(t, c); i >= 0 {
			t.Columns[i].PrimaryKey, t.Columns[i].NotNull = true, true
		}
	}
}

func markNotNull(t *catalog.Table, columns []string) {
	for _, c := range columns {
		if i := indexOf(t, c); i >= 0 {
			t.Columns[i].NotNull = true
		}
	}
}
