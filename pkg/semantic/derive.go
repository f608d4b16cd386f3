package semantic

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/mark"
)

// MaxCategoryValues is up to how many distinct values a text column counts as a
// category rather than as free text.
const MaxCategoryValues = 200

// Derive reads a layer off tables: an entity a table, a dimension a column, joins
// from foreign keys, from the query history and, least trusted, from names. It has
// no metrics: what a number means is not in a catalog. Table fields hold full
// names. Values are the catalog's samples, so that of columns whose values the
// asker may not see there are none: whoever serves the tables leaves them out.
func Derive(tables []catalog.Table) *Layer {
	d := deriver{tables: make([]derivedTable, len(tables)), layer: &Layer{}}
	names := make([]mark.Name, len(tables))
	identifiers := make([]string, 0, len(tables)*8)
	columns := 0
	for i := range tables {
		t := &tables[i]
		names[i] = mark.Name{Schema: t.Name.Schema, Table: t.Name.Table, Country: t.Country, Layer: t.Layer, Manifest: t.Manifest}
		identifiers = append(identifiers, t.Name.Table)
		for c := range t.Columns {
			identifiers = append(identifiers, t.Columns[c].Name)
		}
		columns += len(t.Columns)
	}
	d.words = newSplitter(identifiers)
	d.layer.Entities = make([]Entity, 0, len(tables))
	d.layer.Dimensions = make([]Dimension, 0, columns)
	for i, m := range mark.Read(names) {
		d.tables[i] = derivedTable{Table: &tables[i], name: tables[i].Name.String(), base: m.Text, key: keyColumns(&tables[i], m.Text)}
	}
	for i := range d.tables {
		d.table(&d.tables[i])
	}
	d.joins()
	d.unprefixed()
	d.unfiled()
	return d.layer
}

type deriver struct {
	tables []derivedTable
	words  *splitter
	layer  *Layer
}

// derivedTable is a table with what was found out about it.
type derivedTable struct {
	*catalog.Table
	name string   // full
	base string   // its own name without layer, country and snapshot
	key  []string // columns; nil where none is known

	prefix int // words that its columns' names begin with, beyond those of all tables
}

func (d *deriver) table(t *derivedTable) {
	words := d.words.split(t.base, t.Description)
	entity := Entity{ID: t.name, Table: t.name, Mart: t.Mart, Derived: true, Key: t.key}
	entity.Names, entity.Synonyms = displayNames(words, t.Description)
	if t.base != t.Name.Table {
		entity.Synonyms = append(entity.Synonyms, strings.Join(Words(t.Name.Table), " "))
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		words := d.words.split(c.Name, c.Comment)
		dim := Dimension{
			ID: t.name + "." + c.Name, Table: t.name, Expr: c.Name, Type: c.Type, Mart: t.Mart, Derived: true,
			Description: commentText(c.Comment),
			Role:        roleOf(t.Table, c, words, t.key),
		}
		dim.Names, dim.Synonyms = displayNames(words, c.Comment)
		dim.Values, dim.Complete = ValuesOf(c)
		d.layer.Dimensions = append(d.layer.Dimensions, dim)
	}
	entity.Label = d.labelOf(t)
	d.layer.Entities = append(d.layer.Entities, entity)
}

var (
	keyWords   = []string{"id", "key", "code", "uuid", "uid", "pk", "sk"}
	labelWords = []string{"name", "title", "label", "fullname"}

	// Chinese names are not cut into words: their ends tell.
	keyEndings   = []string{"编号", "编码", "代码", "序号", "单号", "学号", "工号", "账号", "主键"}
	labelEndings = []string{"名称", "姓名", "名字", "标题", "全称", "简称"}
)

func endsIn(name string, endings []string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, e) })
}

func last(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

func roleOf(t *catalog.Table, c *catalog.Column, words, keys []string) Role {
	head := last(words)
	foreign := slices.ContainsFunc(t.ForeignKeys, func(fk catalog.ForeignKey) bool {
		return slices.ContainsFunc(fk.Columns, func(n string) bool { return strings.EqualFold(n, c.Name) })
	})
	text := IsText(c.Type)
	switch {
	case IsTime(c.Type):
		return RoleTime
	case foreign:
		return RoleKey
	case text && (slices.Contains(labelWords, head) || endsIn(head, labelEndings)):
		return RoleLabel
	case slices.Contains(keys, c.Name) || slices.Contains(keyWords, head) || endsIn(head, keyEndings):
		return RoleKey
	case IsNumber(c.Type):
		return RoleMeasure
	case text && c.Distinct > 0 && c.Distinct <= MaxCategoryValues:
		return RoleCategory
	case text:
		return RoleText
	}
	return RoleCategory
}

// IsNumber reports whether a Presto type is numeric.
func IsNumber(t string) bool {
	base, _, _ := strings.Cut(strings.ToLower(t), "(")
	switch strings.TrimSpace(base) {
	case "tinyint", "smallint", "integer", "int", "bigint", "real", "double", "decimal":
		return true
	}
	return false
}

// IsText reports whether a Presto type is a character type.
func IsText(t string) bool {
	base, _, _ := strings.Cut(strings.ToLower(t), "(")
	base = strings.TrimSpace(base)
	return base == "varchar" || base == "char"
}

// IsTime reports whether a Presto type has a date: date and timestamps.
func IsTime(t string) bool {
	t = strings.ToLower(t)
	return t == "date" || strings.HasPrefix(t, "timestamp")
}

// Singular undoes the regular English plural of a lower-case word.
func Singular(w string) string {
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is") && len(w) > 3:
		return w[:len(w)-1]
	}
	return w
}
