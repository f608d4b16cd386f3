package trino

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// Trino keeps no keys, and without any no two tables can be joined. So they are
// looked for: a name proposes one, and the data have to agree.
//
// A primary key is a column named for its table (customer.custkey, users.id)
// whose values are all different. A foreign key is a column of the same name and
// schema (orders.custkey), or named for the table (orders.customer_id for
// customer.id), none of whose values is missing there.

// keys finds primary keys, and then what points to them.
func (r *reader) keys(ctx context.Context) error {
	if r.options.NoStatistics {
		return nil
	}
	err := r.within(ctx, stageKeys, "the keys", r.fresh(stageKeys, func(t *entry) bool { return r.small(t) && len(candidates(&t.Table)) > 0 }), r.primaryKey)
	if err != nil {
		return err
	}
	proposed := r.references()
	return r.within(ctx, stageReferences, "the references to other tables", r.fresh(stageReferences, func(t *entry) bool { return len(proposed[t]) > 0 }),
		func(ctx context.Context, t *entry) error {
			t.ForeignKeys = nil // of an attempt that was interrupted
			for _, ref := range proposed[t] {
				if err := r.reference(ctx, t, ref); err != nil {
					return err
				}
			}
			return nil
		})
}

// small reports whether all rows of a table may be read.
func (r *reader) small(t *entry) bool { return t.RowCount > 0 && t.RowCount <= r.options.MaxSampleRows }

// primaryKey marks the first candidate that is a key.
func (r *reader) primaryKey(ctx context.Context, t *entry) error {
	for _, i := range candidates(&t.Table) {
		c := &t.Columns[i]
		if c.Distinct > 0 && c.Distinct < t.RowCount/2 { // an estimate is not as wrong as that
			continue
		}
		rows, err := all(ctx, r.server, meta.KeyCheck(t.stored, c.Name), r.options)
		if err != nil {
			return err
		}
		if n, distinct := number(rows, 0), number(rows, 1); n > 0 && n == distinct {
			c.PrimaryKey, c.Distinct = true, distinct
			return nil
		}
	}
	return nil
}

// candidates are the columns that may be named for their table, in stored order.
func candidates(t *catalog.Table) []int {
	var found []int
	for i, c := range t.Columns {
		if keyType(c.Type) && namedFor(c.Name, t.Name.Table) {
			found = append(found, i)
		}
	}
	return found
}

func keyType(text string) bool {
	t := types.Parse(text)
	return slices.Contains([]string{"bigint", "integer", "smallint", "varchar", "char", "uuid"}, t.Base) ||
		t.Base == "decimal" && t.Scale == 0
}

// keySuffixes end names of keys.
var keySuffixes = []string{"key", "id", "sk", "code", "no", "uuid", "guid"}

// namedFor reports whether a column's name says that it tells the rows of a table
// apart: "id", or the beginning of a word of the table's name with a suffix.
func namedFor(column, table string) bool {
	stem := stemOf(column)
	if stem == "" {
		return strings.EqualFold(column, "id")
	}
	parts := words(table)
	for i := range parts { // dwd_order_item: also without its layer
		if len(stem) >= 3 && strings.HasPrefix(strings.Join(parts[i:], ""), stem) {
			return true
		}
	}
	return false
}

// stemOf is what a key's name begins with: "customer" of customer_id and customerKey.
func stemOf(column string) string {
	joined := strings.Join(words(column), "")
	for _, suffix := range keySuffixes {
		if stem, ok := strings.CutSuffix(joined, suffix); ok {
			return stem
		}
	}
	return ""
}

// words are the lower-case words of an identifier.
func words(name string) []string {
	var b strings.Builder
	var before rune
	for _, c := range name {
		if unicode.IsUpper(c) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			c = ' '
		}
		b.WriteRune(unicode.ToLower(c))
		before = c
	}
	return strings.Fields(b.String())
}

// proposal is a foreign key that names propose.
type proposal struct {
	column string
	to     *entry
	key    string
}

// references proposes foreign keys. Where two tables of a schema could be meant,
// such as a table and its copy, none is.
func (r *reader) references() map[*entry][]proposal {
	owners := make(map[string][]*entry) // region, schema and the name that points to it
	for _, t := range r.tables {
		for _, name := range pointers(t) {
			k := strings.ToLower(t.stored.Region + "\x00" + t.stored.Schema + "\x00" + name)
			owners[k] = append(owners[k], t)
		}
	}
	proposed := make(map[*entry][]proposal)
	for _, t := range r.tables {
		if t.kept || t.Kind != catalog.KindTable {
			continue
		}
		for _, c := range t.Columns {
			of := owners[strings.ToLower(t.stored.Region+"\x00"+t.stored.Schema+"\x00"+c.Name)]
			if len(of) != 1 || of[0] == t {
				continue
			}
			key := of[0].PrimaryKey()[0]
			if to, _ := of[0].Column(key); types.Parse(to.Type).Base == types.Parse(c.Type).Base {
				proposed[t] = append(proposed[t], proposal{column: c.Name, to: of[0], key: key})
			}
		}
	}
	return proposed
}

// pointers are the names that columns have which point to a table.
func pointers(t *entry) []string {
	key := t.PrimaryKey()
	if len(key) != 1 {
		return nil
	}
	if stemOf(key[0]) != "" {
		return key
	}
	table := strings.ToLower(t.Name.Table)
	names := []string{table + "_id", table + "id"}
	if one, plural := strings.CutSuffix(table, "s"); plural {
		names = append(names, one+"_id", one+"id")
	}
	return names
}

// reference keeps a proposal that the data agree with: exactly where the table is
// small, else by the number of different values.
func (r *reader) reference(ctx context.Context, t *entry, p proposal) error {
	if r.small(t) {
		rows, err := all(ctx, r.server, meta.Orphans(t.stored, p.column, p.to.stored, p.key), r.options)
		if err != nil || number(rows, 0) != 0 {
			return err
		}
	} else {
		from, _ := t.Column(p.column)
		to, _ := p.to.Column(p.key)
		if from.Distinct <= 0 || from.Distinct > to.Distinct {
			return nil
		}
	}
	t.ForeignKeys = append(t.ForeignKeys, catalog.ForeignKey{Columns: []string{p.column}, RefTable: p.to.Name, RefColumns: []string{p.key}})
	return nil
}

// number is a count in the one row of a result; -1: there is none.
func number(rows [][]any, i int) int64 {
	if len(rows) != 1 || i >= len(rows[0]) {
		return -1
	}
	n, ok := rows[0][i].(int64)
	if !ok {
		return -1
	}
	return n
}
