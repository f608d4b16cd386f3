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

// Bounds of the search for columns that others depend on.
const (
	dependRows    = 2_000_000 // larger tables are not looked at
	dependThings  = 8         // columns that others may depend on, and that are tried
	dependColumns = 60        // columns that may depend on one
	dependAgain   = 20        // rows at least beside the first of each value: with fewer it may be chance
	dependEach    = 2         // rows of each value at least, on the average
)

// dependencies finds out on which columns others depend: where all rows of a film have one rating, the
// rating is the film's and not the row's. Texts are tried that each row has and whose values come again;
// a statement looks at all columns that may depend on one.
func (b *builder) dependencies(ctx context.Context, t *catalog.Table) error {
	if t.RowCount < 2 || t.RowCount > dependRows {
		return nil
	}
	var things []*catalog.Column
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Distinct > 2 && c.Distinct*dependEach <= t.RowCount && c.Distinct+dependAgain <= t.RowCount && c.Type == "varchar" && c.Missing == 0 && c.NotNull {
			things = append(things, c)
		}
	}
	slices.SortStableFunc(things, func(x, y *catalog.Column) int { return cmp.Compare(y.Distinct, x.Distinct) })
	for _, thing := range things[:min(len(things), dependThings)] {
		var tried []*catalog.Column
		for i := range t.Columns {
			c := &t.Columns[i]
			if c != thing && c.Distinct > 1 && c.Distinct <= thing.Distinct && (c.Type == "varchar" || c.Type == "boolean" || semantic.IsNumber(c.Type) || semantic.IsTime(c.Type)) {
				tried = append(tried, c)
			}
		}
		tried = tried[:min(len(tried), dependColumns)]
		found, err := b.dependOn(ctx, t, thing, tried)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			t.Dependencies = append(t.Dependencies, catalog.Dependency{Column: thing.Name, Determines: found})
		}
	}
	return nil
}

// dependOn are those of some columns that have no two values in rows with the same value of one.
func (b *builder) dependOn(ctx context.Context, t *catalog.Table, thing *catalog.Column, tried []*catalog.Column) ([]string, error) {
	if len(tried) == 0 {
		return nil, nil
	}
	var ends, same []string
	for i, c := range tried {
		ends = append(ends, fmt.Sprintf("min(%s) AS lo%d, max(%[1]s) AS hi%d", quote(c.Name), i, i))
		same = append(same, fmt.Sprintf("bool_and(lo%d IS NOT DISTINCT FROM hi%[1]d)", i))
	}
	query := fmt.Sprintf("SELECT %s FROM (SELECT %s FROM %s GROUP BY %s)",
		strings.Join(same, ", "), strings.Join(ends, ", "), quote(t.Name.Schema, t.Name.Table), quote(thing.Name))
	depends := make([]bool, len(tried))
	into := make([]any, len(tried))
	for i := range depends {
		into[i] = &depends[i]
	}
	if err := b.conn.QueryRowContext(ctx, query).Scan(into...); err != nil {
		return nil, fmt.Errorf("look for what depends on %s of %s: %w", thing.Name, t.Name, err)
	}
	var found []string
	for i, c := range tried {
		if depends[i] {
			found = append(found, c.Name)
		}
	}
	return found, nil
}
