package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// Files without a schema declare no keys, and without keys no two tables can be
// joined. So they are looked for: names propose a reference, and all values have to
// be there. A source that declares any key is left as it is declared.

// maxLinks bounds the references whose values are compared.
const maxLinks = 500

// bareNames say of no table in particular what they tell apart.
var bareNames = []string{"id", "key", "code", "no", "nr", "num", "number", "uuid", "guid", "name", "title", "date", "type", "status", "编号", "代码", "编码", "序号", "名称", "姓名", "类型", "状态", "日期"}

// link is a column that may point to the key of another table.
type link struct {
	from   *catalog.Table
	column string
	to     *catalog.Table
	key    int // its place in to.Columns
}

// links marks keys and references that the data bear out, and reports them.
func (b *builder) links(ctx context.Context) error {
	if b.declaresKeys() {
		return nil
	}
	proposed := b.proposeLinks()
	if len(proposed) > maxLinks {
		b.problem(Problem{Kind: KindNote, Message: fmt.Sprintf("of %d columns that may point to other tables, %d are looked at: declare keys in a schema.sql", len(proposed), maxLinks)})
		proposed = proposed[:maxLinks]
	}
	for _, l := range proposed {
		orphans, err := b.orphans(ctx, l)
		if err != nil {
			return err
		}
		if orphans > 0 {
			continue
		}
		key := &l.to.Columns[l.key]
		key.PrimaryKey = true
		l.from.ForeignKeys = append(l.from.ForeignKeys, catalog.ForeignKey{Columns: []string{l.column}, RefTable: l.to.Name, RefColumns: []string{key.Name}})
		b.problem(Problem{Kind: KindNote, Message: fmt.Sprintf("%s.%s is taken to point to %s.%s: the names agree, and all its values are there", l.from.Name, l.column, l.to.Name, key.Name)})
	}
	return nil
}

func (b *builder) declaresKeys() bool {
	return slices.ContainsFunc(b.tables, func(t *catalog.Table) bool { return len(t.PrimaryKey()) > 0 || len(t.ForeignKeys) > 0 })
}

// proposeLinks pairs columns with the keys that their names speak of. A column that
// fits two tables, and two columns that fit one table alike, point to none.
func (b *builder) proposeLinks() []link {
	keys := make(map[*catalog.Table]int, len(b.tables))
	for _, t := range b.tables {
		keys[t] = firstUnique(t)
	}
	var all []link
	for _, from := range b.tables {
		var exact, byTable []link
		for i, c := range from.Columns {
			if i == keys[from] || c.Distinct == 0 {
				continue
			}
			var named, called []link
			for _, to := range b.tables {
				k := keys[to]
				if k < 0 || to == from || to.Name.Schema != from.Name.Schema || to.Columns[k].Type != c.Type {
					continue
				}
				l := link{from: from, column: c.Name, to: to, key: k}
				switch {
				case strings.EqualFold(c.Name, to.Columns[k].Name) && !slices.Contains(bareNames, strings.ToLower(c.Name)):
					named = append(named, l)
				case calledFor(c.Name, to.Name.Table, to.Columns[k].Name):
					called = append(called, l)
				}
			}
			if len(named) == 1 {
				exact = append(exact, named[0])
			} else if len(named) == 0 && len(called) == 1 {
				byTable = append(byTable, called[0])
			}
		}
		all = append(all, exact...)
		for _, l := range byTable {
			if !slices.ContainsFunc(slices.Concat(exact, byTable), func(o link) bool { return o.to == l.to && o != l }) {
				all = append(all, l)
			}
		}
	}
	return all
}

// firstUnique is the first column that tells all rows of a table apart, as far as
// that is counted exactly; -1: there is none.
func firstUnique(t *catalog.Table) int {
	if t.RowCount < 2 || t.RowCount > exactRows {
		return -1
	}
	return slices.IndexFunc(t.Columns, func(c catalog.Column) bool {
		return (c.Type == "bigint" || c.Type == "varchar") && c.NotNull && c.Distinct == t.RowCount
	})
}

// calledFor reports whether a column is called like a table, or like a table and its
// key, whatever stands before: depot, from_depot and depot_id for depots, 科室编号 for 科室.
func calledFor(column, table, key string) bool {
	if isHan(table) {
		return column == table || column == table+key
	}
	words, of := semantic.Words(column), semantic.Words(table)
	if n := len(words); n > 1 && (slices.Contains(bareNames, words[n-1]) || strings.HasSuffix(strings.ToLower(key), words[n-1])) {
		words = words[:n-1]
	}
	return len(words) > 0 && len(of) > 0 && isOneOf(words[len(words)-1], of[len(of)-1])
}

func isHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// isOneOf reports whether a word is the noun of a table's name, in its singular too.
func isOneOf(one, name string) bool {
	return name == one || name == one+"s" || name == one+"es" || strings.HasSuffix(one, "y") && name == one[:len(one)-1]+"ies"
}

// orphans counts the values of a link's column that the key does not have.
func (b *builder) orphans(ctx context.Context, l link) (n int64, err error) {
	from, to := quote(l.from.Name.Schema, l.from.Name.Table), quote(l.to.Name.Schema, l.to.Name.Table)
	statement := fmt.Sprintf("SELECT count(*) FROM %s AS f WHERE f.%[2]s IS NOT NULL AND NOT EXISTS (SELECT 1 FROM %[3]s AS k WHERE k.%[4]s = f.%[2]s)",
		from, quote(l.column), to, quote(l.to.Columns[l.key].Name))
	if err := b.conn.QueryRowContext(ctx, statement).Scan(&n); err != nil {
		return 0, fmt.Errorf("compare %s of %s with %s: %w", l.column, l.from.Name, l.to.Name, err)
	}
	return n, nil
}
