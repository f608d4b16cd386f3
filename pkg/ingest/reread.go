package ingest

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// rereadSchema holds what texts were read as until their table has it. No table of
// people's is in it: it is gone when a table is done.
const rereadSchema = "dibrain reread"

// rereadBatch is how many texts are in memory at a time.
const rereadBatch = 50_000

// readTexts reads the text columns of a table as those of a CSV file are read: by all
// their values, and by what the other columns tell. JSON has no days and no currencies
// of its own, so that its texts are what people and programs wrote. The column read, if any, is read already.
func (b *builder) readTexts(ctx context.Context, t *catalog.Table, file, read string) error {
	delete(b.declared, t)
	var texts []*column
	for i, c := range t.Columns {
		if c.Type == "varchar" && c.Name != read {
			texts = append(texts, &column{name: c.Name, forms: anyForm, at: i, habit: newHabit(b.words)})
		}
	}
	for _, c := range texts {
		if err := b.eachText(ctx, t, c.name, func(_ int64, text string) error {
			c.observe(text)
			return nil
		}); err != nil {
			return err
		}
	}
	customs := customsOf(texts, &b.options)
	for _, c := range texts {
		c.settleFile(customs)
		c.settleAbsent(b.options.guessNulls)
		b.tellKept(c, file)
		switch {
		case c.why != "":
			b.problem(Problem{Kind: KindTextNumbers, File: file, Message: fmt.Sprintf("column %q looks like a %s and stays text: %s", c.name, c.resembles, c.why)})
		case c.typ.kind == kindVarchar && len(c.absent) == 0:
			continue
		case c.typ.kind == kindVarchar:
			b.problem(Problem{Kind: KindNote, File: file, Message: fmt.Sprintf("column %q: %s", c.name, c.written)})
			if err := b.dropWords(ctx, t, c); err != nil {
				return err
			}
		default:
			how := ""
			if c.written != "" {
				how = ": " + c.written
			}
			b.problem(Problem{Kind: KindNote, File: file, Message: fmt.Sprintf("column %q has texts and is read as %s%s", c.name, c.typ.presto(), how)})
			if err := b.retype(ctx, t, c, file); err != nil {
				return err
			}
		}
		k := &t.Columns[c.at]
		k.Type = c.typ.presto()
		c.toldOf.into(k)
	}
	return nil
}

// dropWords makes the words of a text column that stand for no value NULL.
func (b *builder) dropWords(ctx context.Context, t *catalog.Table, c *column) error {
	name, list := quote(c.name), make([]string, 0, len(c.absent))
	for word := range c.absent {
		list = append(list, printer.String(word))
	}
	slices.Sort(list)
	result, err := b.conn.ExecContext(ctx, fmt.Sprintf("UPDATE %s SET %[2]s = NULL WHERE trim(%[2]s) IN (%[3]s)", quote(t.Name.Schema, t.Name.Table), name, strings.Join(list, ", ")))
	if err != nil {
		return fmt.Errorf("take the words for no value out of %s of %s: %w", c.name, t.Name, err)
	}
	c.absentRows, err = result.RowsAffected()
	return err
}

// eachText hands over the texts of a column with the numbers of their rows. No statement
// is open meanwhile.
func (b *builder) eachText(ctx context.Context, t *catalog.Table, name string, take func(row int64, text string) error) error {
	query := fmt.Sprintf("SELECT rowid, %[1]s FROM %[2]s WHERE rowid > ? AND %[1]s IS NOT NULL ORDER BY rowid LIMIT %[3]d",
		quote(name), quote(t.Name.Schema, t.Name.Table), rereadBatch)
	last := int64(-1)
	for {
		ids, texts, err := b.batch(ctx, query, last)
		if err != nil {
			return fmt.Errorf("read the texts of %s.%s: %w", t.Name, name, err)
		}
		for i, text := range texts {
			if err := take(ids[i], text); err != nil {
				return err
			}
		}
		if len(ids) < rereadBatch {
			return nil
		}
		last = ids[len(ids)-1]
	}
}

func (b *builder) batch(ctx context.Context, query string, last int64) (ids []int64, texts []string, err error) {
	rows, err := b.conn.QueryContext(ctx, query, last)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		var text string
		if err := rows.Scan(&id, &text); err != nil {
			return nil, nil, err
		}
		ids, texts = append(ids, id), append(texts, text)
	}
	return ids, texts, rows.Err()
}

// retype gives a column the type that its texts settled on; what has no place in it is
// NULL, told and kept.
func (b *builder) retype(ctx context.Context, t *catalog.Table, c *column, file string) error {
	read := &catalog.Table{Name: catalog.Name{Schema: rereadSchema, Table: "texts"}}
	for _, statement := range []string{
		"CREATE SCHEMA " + quote(rereadSchema),
		"CREATE TABLE " + quote(rereadSchema, "texts") + " (id BIGINT, v VARCHAR)",
	} {
		if err := b.exec(ctx, statement); err != nil {
			return err
		}
	}
	if err := b.eachBatchAppended(ctx, t, c, read, file); err != nil {
		return err
	}
	b.moreUnread(c, file)
	table, name := quote(t.Name.Schema, t.Name.Table), quote(c.name)
	for _, statement := range []string{
		"UPDATE " + table + " SET " + name + " = r.v FROM " + quote(rereadSchema, "texts") + " r WHERE " + table + ".rowid = r.id",
		"DROP SCHEMA " + quote(rereadSchema) + " CASCADE",
		"ALTER TABLE " + table + " ALTER COLUMN " + name + " TYPE " + c.typ.duckdb(),
	} {
		if err := b.exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// eachBatchAppended puts what the texts are read as into a table, as DuckDB reads it.
func (b *builder) eachBatchAppended(ctx context.Context, t *catalog.Table, c *column, into *catalog.Table, file string) error {
	var waiting [][]driver.Value
	put := func() error {
		rows := waiting
		waiting = nil
		return b.appendRows(ctx, into, func(add func([]driver.Value) error) error {
			for _, r := range rows {
				if err := add(r); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := b.eachText(ctx, t, c.name, func(row int64, text string) error {
		plain, ok := c.plain(text)
		if !ok {
			b.unreadValue(c, Unread{Table: t.Name.Table, Column: c.name, Text: text}, file)
		} else if plain == nil && strings.TrimSpace(text) != "" {
			c.absentRows++
		}
		if waiting = append(waiting, []driver.Value{row, plain}); len(waiting) >= rereadBatch {
			return put()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return put()
}

// plain writes the value of a text as DuckDB reads it: nil for none and for an empty text; ok is false where the
// column's type has no place for it.
func (c *column) plain(text string) (value driver.Value, ok bool) {
	if strings.TrimSpace(text) == "" {
		return nil, true
	}
	v, ok := c.value(text)
	if !ok || v == nil {
		return nil, ok
	}
	switch v := v.(type) {
	case time.Time:
		return momentText(v, c.typ.kind == kindDate), true
	case bool:
		return fmt.Sprint(v), true
	}
	if c.reading != nil {
		text, _ = c.reading.plainText(text)
	}
	return strings.TrimSpace(text), true
}
