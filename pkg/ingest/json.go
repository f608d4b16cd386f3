package ingest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// jsonFile loads a file of JSON objects, a line each or in a list. The fields of objects within
// them are columns, lists of objects are tables of their own, and other lists stay lists.
func (b *builder) jsonFile(ctx context.Context, path, name, packing string) error {
	info, err := b.statInput(path)
	if err != nil || !b.named(path) {
		return err
	}
	text, err := b.findText(ctx, path, packing, nothingSaid)
	if err != nil {
		return err
	}
	b.tellEncoding(text)
	input := path
	if text.encoding != nil || packing == ".xz" { // DuckDB reads neither
		if input, err = b.rewritten(ctx, text); err != nil {
			return err
		}
		defer func() { _ = os.Remove(input) }()
	}
	// Left alone, DuckDB takes texts for days in the first order that fits, "03-04-2024" for
	// the fourth of March and "01-05-24" for a day of 2001, and moves times to UTC. No text
	// begins as these forms do, so that all of them stay texts.
	relation := fmt.Sprintf("read_json(%s, sample_size = -1, maximum_object_size = %d, dateformat = 'no day is %%Y-%%m-%%d', timestampformat = 'no time is %%Y-%%m-%%d %%H:%%M:%%S')",
		printer.String(escapeGlob(input)), b.options.MaxFieldBytes)
	if relation, err = b.wrapped(ctx, relation, path); err != nil {
		return err
	}
	_, err = b.objects(ctx, objects{relation: relation, name: name, file: path, updated: info.ModTime()})
	return err
}

// fieldsOf puts the fields of objects in the place of the columns that hold these, called by both
// names: customer_country for {"customer": {"country": …}}; those that are lists with tables of their own are left out. What
// would be more columns than a table may have stays whole.
func (b *builder) fieldsOf(columns []sourceColumn, file string, lists []sourceColumn) []sourceColumn {
	taken := make(map[string]bool, len(columns))
	for _, c := range columns {
		taken[strings.ToLower(c.name)] = true
	}
	out := make([]sourceColumn, 0, len(columns))
	for i, c := range columns {
		fields := leaves(c, b.options.MaxObjectDepth)
		objects := len(fields) > 0
		if fields = slices.DeleteFunc(fields, func(f sourceColumn) bool { return isList(lists, f.name) }); objects && len(fields) == 0 {
			continue
		}
		if len(fields) == 0 || len(out)+len(fields)+len(columns)-i-1 > b.options.MaxColumns {
			out = append(out, c)
			continue
		}
		names := make([]string, len(fields))
		for j := range fields {
			name := fields[j].name
			for n := 2; taken[strings.ToLower(fields[j].name)]; n++ {
				fields[j].name = fmt.Sprintf("%s_%d", name, n)
			}
			taken[strings.ToLower(fields[j].name)] = true
			names[j] = fields[j].name
		}
		out = append(out, fields...)
		b.problem(Problem{Kind: KindNote, File: file, Message: fmt.Sprintf("column %q holds objects: their fields are the columns %s", c.name, listed(names))})
	}
	return out
}

// listedNames is how many names a report lists.
const listedNames = 12

func listed(names []string) string {
	if more := len(names) - listedNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:listedNames], ", "), more)
	}
	return strings.Join(names, ", ")
}

// leaves are the fields of a column that holds objects, those of objects in it too; none where
// it holds no objects. levels is how many objects in one another are looked into.
func leaves(c sourceColumn, levels int) []sourceColumn {
	fields, ok := structFields(c.typ)
	if !ok || levels == 0 {
		return nil
	}
	var out []sourceColumn
	for _, f := range fields {
		at := sourceColumn{name: c.name + "_" + f.name, typ: f.typ, from: "struct_extract(" + c.expression() + ", " + printer.String(f.name) + ")"}
		if within := leaves(at, levels-1); len(within) > 0 {
			out = append(out, within...)
			continue
		}
		out = append(out, at)
	}
	return out
}

// wrapped is a relation over the rows of a file of one object that holds them in a list, beside what it says
// of the list, as programs answer: {"total": 2, "tickets": [{…}, {…}]}; another relation stays as it is.
func (b *builder) wrapped(ctx context.Context, relation, file string) (string, error) {
	columns, err := b.describeQuery(ctx, relation)
	if err != nil {
		return relation, ctx.Err() // told when the file is copied
	}
	list := ""
	for _, c := range columns {
		if _, objects := structFields(strings.TrimSuffix(c.typ, "[]")); !objects || !strings.HasSuffix(c.typ, "[]") {
			continue
		}
		if list != "" {
			return relation, nil
		}
		list = c.name
	}
	if list == "" {
		return relation, nil
	}
	var objects, rows int64
	query := fmt.Sprintf("SELECT count(*), coalesce(max(len(%s)), 0) FROM (SELECT * FROM %s LIMIT 2)", quote(list), relation)
	if err := b.conn.QueryRowContext(ctx, query).Scan(&objects, &rows); err != nil || objects != 1 || rows < 2 {
		return relation, ctx.Err()
	}
	b.problem(Problem{Kind: KindNote, File: file, Message: fmt.Sprintf("the file is one object: its rows are those of the list %q", list)})
	return fmt.Sprintf("(SELECT r.* FROM (SELECT unnest(%s) AS r FROM %s))", quote(list), relation), nil
}
