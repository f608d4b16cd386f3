package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

const (
	// listSchema holds the objects of a file while tables are made of the lists in them. It is gone behind that.
	listSchema = "dibrain lists"
	// objectNumber is the column there that numbers the objects.
	objectNumber = "dibrain object"
)

// objects are the rows that a table is made of: those of a file, or of a list in each object of one.
type objects struct {
	relation, name, file string
	updated              time.Time
	key                  string // the column of a list's rows that says in which object they lie; it is read already
	depth                int    // of the list; 0: the file
}

// objects makes a table of objects. The fields of objects in them are columns. A list of objects in each is
// a table of its own, whose rows point to the object that they lie in: by its key, or where it has none by a number
// that each object gets.
func (b *builder) objects(ctx context.Context, o objects) (*catalog.Table, error) {
	var lists []sourceColumn
	columns, err := b.describeQuery(ctx, o.relation)
	if err == nil && o.depth < b.options.MaxListDepth {
		lists, err = b.objectLists(ctx, o, columns)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil { // told when the table is made
		lists = nil
	}
	held := ""
	if len(lists) > 0 {
		held = quote(listSchema, fmt.Sprint("objects ", o.depth))
		for _, statement := range []string{
			"CREATE SCHEMA IF NOT EXISTS " + quote(listSchema),
			"CREATE TABLE " + held + " AS SELECT row_number() OVER () AS " + quote(objectNumber) + ", * FROM " + o.relation,
		} {
			if err := b.exec(ctx, statement); err != nil {
				return nil, err
			}
		}
		o.relation = held
	}
	t, err := b.copyColumns(ctx, o.relation, mainSchema, o.name, o.file, o.updated, func(columns []sourceColumn) []sourceColumn {
		return b.fieldsOf(slices.DeleteFunc(columns, func(c sourceColumn) bool { return isList(lists, c.name) }), o.file, lists)
	})
	if err == nil && t != nil {
		err = b.readTexts(ctx, t, o.file, o.key)
	}
	if err != nil || t == nil || held == "" {
		return t, err
	}
	if err := b.listTables(ctx, o, t, held, lists); err != nil {
		return nil, err
	}
	return t, b.exec(ctx, "DROP TABLE "+held)
}

// objectLists are the columns that hold lists of objects, of which there is one at least.
func (b *builder) objectLists(ctx context.Context, o objects, columns []sourceColumn) ([]sourceColumn, error) {
	var out []sourceColumn
	for _, c := range columns {
		for _, leaf := range append(leaves(c, b.options.MaxObjectDepth), c) {
			item, isList := strings.CutSuffix(leaf.typ, "[]")
			if _, ok := structFields(item); !ok || !isList {
				continue
			}
			some := false
			if err := b.conn.QueryRowContext(ctx, fmt.Sprintf("SELECT coalesce(bool_or(len(%s) > 0), false) FROM %s", leaf.expression(), o.relation)).Scan(&some); err != nil {
				return nil, err
			}
			if some {
				out = append(out, leaf)
			}
		}
	}
	return out, nil
}

// listTables makes a table of each list in the objects that a table was made of.
func (b *builder) listTables(ctx context.Context, o objects, t *catalog.Table, held string, lists []sourceColumn) error {
	table := quote(t.Name.Schema, t.Name.Table)
	key, err := b.objectKey(ctx, t)
	if err != nil {
		return err
	}
	numbered := key == ""
	if numbered {
		key = free(rowName(t.Name.Table)+"_number", t.Columns)
		if err := b.exec(ctx, "ALTER TABLE "+table+" RENAME COLUMN "+quote(objectNumber)+" TO "+quote(key)); err != nil {
			return err
		}
		b.problem(Problem{Kind: KindNote, File: o.file, Message: fmt.Sprintf("nothing tells the rows of %q apart: column %q numbers them", t.Name.Table, key)})
	}
	number := objectNumber
	if numbered {
		number = key
	}
	for _, list := range lists {
		fields, _ := structFields(strings.TrimSuffix(list.typ, "[]"))
		taken := make([]catalog.Column, len(fields))
		for i, f := range fields {
			taken[i].Name = f.name
		}
		to := key
		if words := semantic.Words(key); len(words) == 1 { // "id" of what
			to = rowName(t.Name.Table) + "_" + key
		}
		to = free(to, taken)
		relation := fmt.Sprintf("(SELECT k AS %s, u.* FROM (SELECT t.%s AS k, unnest(o.l) AS u FROM %s AS t JOIN (SELECT %s AS n, %s AS l FROM %s) AS o ON t.%s = o.n) WHERE u IS NOT NULL)",
			quote(to), quote(key), table, quote(objectNumber), list.expression(), held, quote(number))
		child, err := b.objects(ctx, objects{relation: relation, name: t.Name.Table + "_" + list.name, file: o.file, updated: o.updated, key: to, depth: o.depth + 1})
		if err != nil {
			return err
		}
		if child == nil {
			continue
		}
		child.ForeignKeys = append(child.ForeignKeys, catalog.ForeignKey{
			Columns: []string{to}, RefTable: t.Name, RefColumns: []string{key},
			Found: &catalog.Evidence{Reason: fmt.Sprintf("its rows are the list %q in those of the table", list.name)},
		})
		b.problem(Problem{Kind: KindNote, File: o.file, Message: fmt.Sprintf("column %q holds lists of objects: they are the rows of table %q, whose column %q says of which %s.%s", list.name, child.Name.Table, to, t.Name.Table, key)})
	}
	at := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.Name == objectNumber })
	if numbered {
		t.Columns[at].Name, t.Columns[at].PrimaryKey = key, true
		return nil
	}
	t.Columns = slices.Delete(t.Columns, at, at+1)
	for i := range t.Columns {
		t.Columns[i].PrimaryKey = t.Columns[i].Name == key
	}
	return b.exec(ctx, "ALTER TABLE "+table+" DROP COLUMN "+quote(objectNumber))
}

// isList reports whether a column is one of lists that are tables.
func isList(lists []sourceColumn, name string) bool {
	return slices.ContainsFunc(lists, func(l sourceColumn) bool { return l.name == name })
}

// objectKey is the first column of whole numbers or texts that is called a key and has another value in each row; empty:
// there is none.
func (b *builder) objectKey(ctx context.Context, t *catalog.Table) (string, error) {
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Type != "bigint" && c.Type != "varchar" && c.Type != "uuid" || !semantic.IsKeyName(c.Name) {
			continue
		}
		unique := false
		query := fmt.Sprintf("SELECT count(DISTINCT %[1]s) = count(*) FROM %[2]s", quote(c.Name), quote(t.Name.Schema, t.Name.Table))
		if err := b.conn.QueryRowContext(ctx, query).Scan(&unique); err != nil {
			return "", fmt.Errorf("look for the key of %s: %w", t.Name, err)
		}
		if unique {
			return c.Name, nil
		}
	}
	return "", nil
}

// free is a name that no column has, with a number where the name is taken.
func free(name string, columns []catalog.Column) string {
	out := name
	for n := 2; slices.ContainsFunc(columns, func(c catalog.Column) bool { return strings.EqualFold(c.Name, out) }); n++ {
		out = fmt.Sprintf("%s_%d", name, n)
	}
	return out
}

// rowName is the name of a table's row.
func rowName(table string) string { return semantic.Singular(strings.ToLower(table)) }
