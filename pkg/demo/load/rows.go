package load

import (
	"context"
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// maxStatement bounds the text of an INSERT in bytes. Trino takes a million
// characters unless it is told otherwise.
const maxStatement = 900_000

// copyRows reads a table's rows as JSON lists of texts, and inserts as many of
// them at a time as fit a statement. VALUES would take twenty times as long: the
// server plans each of its values.
func (l *loader) copyRows(ctx context.Context, t target) error {
	texts := make([]string, len(t.Columns))
	values := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		texts[i] = "CAST(" + printer.Quote(c.Name) + " AS VARCHAR)"
		values[i] = fmt.Sprintf("CAST(r[%d] AS %s)", i+1, c.Type)
	}
	before := "INSERT INTO " + quoted(t.stored) + " SELECT " + strings.Join(values, ", ") + " FROM UNNEST(CAST(json_parse('["
	const after = "]') AS array(array(varchar)))) AS t (r)"

	rows, err := l.from.QueryContext(ctx, "SELECT CAST(to_json(["+strings.Join(texts, ", ")+"]) AS VARCHAR) FROM "+quoted(t.Name))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // read to the end: its error is rows.Err
	var batch strings.Builder
	n := 0
	flush := func() error {
		if n == 0 {
			return nil
		}
		if err := l.server.exec(ctx, before+batch.String()+after); err != nil {
			return err
		}
		l.count(n, t.Name.String())
		batch.Reset()
		n = 0
		return nil
	}
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			return err
		}
		row = strings.ReplaceAll(row, "'", "''")
		if len(before)+batch.Len()+len(row)+len(after)+1 > maxStatement {
			if err := flush(); err != nil {
				return err
			}
		}
		if n++; n > 1 {
			batch.WriteByte(',')
		}
		batch.WriteString(row)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return flush()
}
