package semantic

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// MaxCategoryValues is up to how many distinct values a text column counts as a
// category rather than as free text.
const MaxCategoryValues = 200

// Derive reads a layer off tables: an entity a table, a dimension a column, joins
// from foreign keys and, less trusted, from names. It has no metrics: what a
// number means is not in a catalog. Table fields hold full names.
func Derive(tables []catalog.Table) *Layer {
	identifiers := make([]string, 0, len(tables)*8)
	for _, t := range tables {
		identifiers = append(identifiers, t.Name.Table)
		for _, c := range t.Columns {
			identifiers = append(identifiers, c.Name)
		}
	}
	d := deriver{tables: tables, words: newSplitter(identifiers), layer: &Layer{}}
	for i := range tables {
		d.table(&tables[i])
	}
	d.joins()
	return d.layer
}

type deriver struct {
	tables []catalog.Table
	words  *splitter
	layer  *Layer
}

func (d *deriver) table(t *catalog.Table) {
	table := t.Name.String()
	keys := keyColumns(t)
	entity := Entity{
		ID: table, Table: table, Mart: t.Mart, Derived: true, Key: keys,
		Names: Text{EN: strings.Join(d.words.split(t.Name.Table, t.Description), " ")},
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		words := d.words.split(c.Name, c.Comment)
		dim := Dimension{
			ID: table + "." + c.Name, Table: table, Expr: c.Name, Type: c.Type, Mart: t.Mart, Derived: true,
			Names:       Text{EN: strings.Join(words, " ")},
			Description: commentText(c.Comment),
			Role:        roleOf(t, c, words, keys),
		}
		for _, s := range c.Samples {
			dim.Values = append(dim.Values, Value{Value: s})
		}
		dim.Complete = c.Distinct > 0 && int64(len(c.Samples)) >= c.Distinct
		if entity.Label == "" && dim.Role == RoleLabel {
			entity.Label = c.Name
		}
		d.layer.Dimensions = append(d.layer.Dimensions, dim)
	}
	d.layer.Entities = append(d.layer.Entities, entity)
}

func commentText(comment string) Text {
	for _, r := range comment {
		if r >= 0x4E00 && r <= 0x9FFF {
			return Text{ZH: comment}
		}
	}
	return Text{EN: comment}
}

// keyColumns returns the declared key, or the one column that looks like it.
func keyColumns(t *catalog.Table) []string {
	if key := t.PrimaryKey(); len(key) > 0 {
		return key
	}
	for _, c := range t.Columns {
		unique := c.Distinct > 0 && c.Distinct == t.RowCount
		if unique && slices.Contains(keyWords, last(Words(c.Name))) {
			return []string{c.Name}
		}
	}
	return nil
}

var (
	keyWords   = []string{"id", "key", "code", "uuid", "uid", "pk", "sk"}
	labelWords = []string{"name", "title", "label", "fullname"}
)

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
	case text && slices.Contains(labelWords, head):
		return RoleLabel
	case slices.Contains(keys, c.Name) || slices.Contains(keyWords, head):
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

// joins adds foreign keys and then, between tables that none joins, guesses by
// names: a column named as another table's single key, or as the table and its key.
func (d *deriver) joins() {
	joined := map[[2]string]bool{}
	add := func(j Join) {
		joined[[2]string{j.From, j.To}] = true
		joined[[2]string{j.To, j.From}] = true
		d.layer.Joins = append(d.layer.Joins, j)
	}
	byKey := make(map[string]*catalog.Table, len(d.tables))
	for i := range d.tables {
		byKey[d.tables[i].Name.Key()] = &d.tables[i]
	}
	for i := range d.tables {
		t := &d.tables[i]
		for _, fk := range t.ForeignKeys {
			to, ok := byKey[fk.RefTable.Key()]
			if !ok || len(fk.Columns) == 0 || len(fk.Columns) != len(fk.RefColumns) {
				continue
			}
			add(Join{From: t.Name.String(), Columns: fk.Columns, To: to.Name.String(), ToColumns: fk.RefColumns,
				Cardinality: cardinality(t, fk.Columns), Declared: true})
		}
	}
	for i := range d.tables {
		for j := range d.tables {
			from, to := &d.tables[i], &d.tables[j]
			if i == j || joined[[2]string{from.Name.String(), to.Name.String()}] {
				continue
			}
			if g, ok := guessJoin(from, to); ok {
				add(g)
			}
		}
	}
}

func cardinality(t *catalog.Table, columns []string) Cardinality {
	key := t.PrimaryKey()
	if len(key) == 0 || len(key) != len(columns) {
		return ManyToOne
	}
	for _, c := range columns {
		if !slices.ContainsFunc(key, func(k string) bool { return strings.EqualFold(k, c) }) {
			return ManyToOne
		}
	}
	return OneToOne
}

func guessJoin(from, to *catalog.Table) (Join, bool) {
	key := keyColumns(to)
	if len(key) != 1 {
		return Join{}, false
	}
	keyColumn, _ := to.Column(key[0])
	keyWordsOf := Words(key[0])
	table := Words(to.Name.Table)
	table[len(table)-1] = singular(table[len(table)-1])
	for _, c := range from.Columns {
		words := Words(c.Name)
		generic := len(words) == 1 && (slices.Contains(keyWords, words[0]) || slices.Contains(labelWords, words[0]))
		same := strings.EqualFold(c.Name, key[0]) && !generic
		qualified := slices.Equal(words, append(slices.Clone(table), keyWordsOf...))
		if (same || qualified) && comparable(c.Type, keyColumn.Type) {
			return Join{From: from.Name.String(), Columns: []string{c.Name}, To: to.Name.String(),
				ToColumns: []string{key[0]}, Cardinality: cardinality(from, []string{c.Name})}, true
		}
	}
	return Join{}, false
}

func comparable(a, b string) bool {
	return IsNumber(a) == IsNumber(b) && IsTime(a) == IsTime(b)
}

// singular undoes the regular English plural of a lower-case word.
func singular(w string) string {
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
