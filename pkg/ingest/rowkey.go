package ingest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// Bounds of the search for columns that together tell the rows of a table apart.
const (
	rowKeyRows    = 2_000_000 // larger tables are not looked at
	rowKeyColumns = 10        // that are tried
	rowKeyParts   = 6         // of a key at most: more say nothing
	rowKeyShare   = 0.99      // of the rows at least that it tells apart: files hold some rows twice
)

// rowKey finds the columns that together tell the rows of a table without a key apart: texts, days
// and whole numbers that many rows share. Of columns of which either would do, names and times are
// kept before others. Each is taken away once, so that a statement counts for each column that is
// tried.
func (b *builder) rowKey(ctx context.Context, t *catalog.Table) error {
	if t.RowCount < 2 || t.RowCount > rowKeyRows || len(t.PrimaryKey()) > 0 {
		return nil
	}
	var tried []*catalog.Column
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.NotNull && c.Distinct == t.RowCount && !semantic.IsNumber(c.Type) {
			return nil // one column is enough
		}
		if c.NotNull && c.Distinct > 1 && c.Distinct < t.RowCount && (c.Type == "varchar" || semantic.IsTime(c.Type) || semantic.WholeNumber(c.Type)) {
			tried = append(tried, c)
		}
	}
	// What is dropped first stands last: numbers that are no part of a day, then what tells fewest apart.
	slices.SortStableFunc(tried, func(x, y *catalog.Column) int {
		return cmp.Or(cmp.Compare(keyRank(x), keyRank(y)), cmp.Compare(y.Distinct, x.Distinct))
	})
	tried = tried[:min(len(tried), rowKeyColumns)]
	unique, err := b.tellsApart(ctx, t, tried)
	if err != nil || !unique {
		return err
	}
	for i := len(tried) - 1; i >= 0; i-- {
		fewer := slices.Delete(slices.Clone(tried), i, i+1)
		unique, err := b.tellsApart(ctx, t, fewer)
		if err != nil {
			return err
		}
		if unique {
			tried = fewer
		}
	}
	if len(tried) < 2 || len(tried) > rowKeyParts {
		return nil
	}
	for _, c := range tried {
		t.RowKey = append(t.RowKey, c.Name)
	}
	return nil
}

// keyRank is how much sooner than others a column is a part of a key: 0 first.
func keyRank(c *catalog.Column) int {
	switch {
	case semantic.IsTime(c.Type):
		return 0
	case c.Type == "varchar":
		return 1
	case semantic.CalendarName(semantic.Words(c.Name)):
		return 2
	}
	return 3
}

// tellsApart reports whether hardly two rows have the same values in some columns.
func (b *builder) tellsApart(ctx context.Context, t *catalog.Table, columns []*catalog.Column) (bool, error) {
	product := int64(1)
	names := make([]string, len(columns))
	for i, c := range columns {
		product = min(product*max(c.Distinct, 1), t.RowCount)
		names[i] = quote(c.Name)
	}
	if float64(product) < rowKeyShare*float64(t.RowCount) { // not even if each came with each
		return false, nil
	}
	table := quote(t.Name.Schema, t.Name.Table)
	var groups int64
	if err := b.conn.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT DISTINCT %s FROM %s)", strings.Join(names, ", "), table)).Scan(&groups); err != nil {
		return false, fmt.Errorf("look for what tells the rows of %s apart: %w", t.Name, err)
	}
	return float64(groups) >= rowKeyShare*float64(t.RowCount), nil
}
