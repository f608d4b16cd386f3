package keys

import (
	"context"
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// extracts finds the views that show some of the rows of a table, whatever they show of others
// beside them: a column of both tells the rows of both apart, and each row of the view has what the
// table has there. Such a view points to its table, so that a total over it is not taken for one
// over the table. Declared keys say nothing of views; they are looked into in any case.
func (d *data) extracts(ctx context.Context, tables []*catalog.Table) error {
	for _, view := range tables {
		if view.Kind != catalog.KindView || view.RowCount == 0 || view.RowCount > int64(d.limits.MaxExactRows) {
			continue
		}
		for _, whole := range tables {
			if whole.Kind == catalog.KindView || whole.RowCount <= view.RowCount || whole.RowCount > int64(d.limits.MaxExactRows) {
				continue
			}
			key, err := d.shows(ctx, view, whole)
			if err != nil {
				return err
			}
			if key == "" {
				continue
			}
			if at, _ := whole.Column(key); len(whole.PrimaryKey()) == 0 && at.NotNull {
				for i := range whole.Columns {
					whole.Columns[i].PrimaryKey = whole.Columns[i].Name == key
				}
			}
			view.ForeignKeys = append(view.ForeignKeys, catalog.ForeignKey{
				Columns: []string{key}, RefTable: whole.Name, RefColumns: []string{key},
				Found: &catalog.Evidence{Reason: "its rows are some of the rows there, with the same values", Values: view.RowCount},
			})
			break
		}
	}
	return nil
}

// shows is the column by which each row of a view is a row of a table; "" where none is.
func (d *data) shows(ctx context.Context, view, whole *catalog.Table) (string, error) {
	key, differ := "", []string{}
	for _, c := range view.Columns {
		same, ok := whole.Column(c.Name)
		switch {
		case !ok || same.Type != c.Type:
		case key == "" && kindOf(c.Type) != other && c.Distinct == view.RowCount && same.Distinct == whole.RowCount:
			key = same.Name
		default:
			differ = append(differ, fmt.Sprintf("v.%s IS DISTINCT FROM w.%s", quoted(c.Name), quoted(same.Name)))
		}
	}
	if key == "" || len(differ) == 0 || d.spent() {
		return "", nil
	}
	var others int64
	statement := fmt.Sprintf("SELECT count(*) FROM %s AS v LEFT JOIN %s AS w ON v.%s = w.%s WHERE w.%s IS NULL OR %s",
		quoted(view.Name.Schema, view.Name.Table), quoted(whole.Name.Schema, whole.Name.Table), quoted(key), quoted(key), quoted(key), strings.Join(differ, " OR "))
	if err := d.conn.QueryRowContext(ctx, statement).Scan(&others); err != nil {
		return "", fmt.Errorf("compare the rows of %s with those of %s: %w", view.Name, whole.Name, err)
	}
	if others > 0 {
		return "", nil
	}
	return key, nil
}
