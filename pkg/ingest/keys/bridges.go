package keys

import (
	"context"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

const (
	maxBridged    = 3 // columns of a key that is looked for
	maxCandidates = 6 // columns of a table that it may be made of
)

// bridges finds the keys of several columns: those that point to other tables, and
// further ones that are called as keys are, such as a number of a line.
func (f *finder) bridges(ctx context.Context) error {
	for _, t := range f.tables {
		if len(t.PrimaryKey()) > 0 || len(t.unique) > 0 || t.RowCount < 2 || t.Kind == catalog.KindView {
			continue
		}
		var candidates []string
		for _, k := range t.ForeignKeys {
			if len(k.Columns) == 1 && !slices.Contains(candidates, k.Columns[0]) {
				candidates = append(candidates, k.Columns[0])
			}
		}
		pointing := len(candidates)
		for _, c := range t.Columns {
			name := split(c.Name)
			if !slices.Contains(candidates, c.Name) && c.NotNull && kindOf(c.Type) != other && (f.words.endsAsKey(c.Name) || len(name) > 0 && f.words.endings[name[len(name)-1]] || f.words.isBare(name) && kindOf(c.Type) == number) {
				candidates = append(candidates, c.Name)
			}
		}
		candidates = candidates[:min(len(candidates), maxCandidates)]
		if err := f.bridge(ctx, t, candidates, min(pointing, len(candidates))); err != nil {
			return err
		}
	}
	return nil
}

// bridge marks the smallest set of candidates that tells rows apart; the first
// pointing ones point to other tables, and one of these has to be among them.
func (f *finder) bridge(ctx context.Context, t *table, candidates []string, pointing int) error {
	for size := 2; size <= min(maxBridged, len(candidates)); size++ {
		for _, set := range subsets(len(candidates), size) {
			if set[0] >= pointing || !enough(t, candidates, set) {
				continue
			}
			columns := make([]string, size)
			for i, at := range set {
				columns[i] = candidates[at]
			}
			unique, err := f.isUnique(ctx, t.Table, columns)
			if err != nil {
				return err
			}
			if !unique {
				continue
			}
			for i := range t.Columns {
				t.Columns[i].PrimaryKey = slices.Contains(columns, t.Columns[i].Name)
			}
			f.note("%s is told apart by %s together", t.Name, strings.Join(t.PrimaryKey(), " and "))
			return nil
		}
	}
	return nil
}

// enough reports whether columns have the values to tell all rows apart.
func enough(t *table, candidates []string, set []int) bool {
	product := int64(1)
	for _, at := range set {
		c, _ := t.Column(candidates[at])
		if !c.NotNull {
			return false
		}
		if product *= max(c.Distinct, 1); product >= t.RowCount {
			return true
		}
	}
	return false
}

// subsets are the sets of size of n numbers, in order.
func subsets(n, size int) (out [][]int) {
	var grow func(set []int, from int)
	grow = func(set []int, from int) {
		if len(set) == size {
			out = append(out, slices.Clone(set))
			return
		}
		for i := from; i < n; i++ {
			grow(append(set, i), i+1)
		}
	}
	grow(make([]int, 0, size), 0)
	return out
}

// composites finds what points to keys of several columns: columns of the same
// names and types whose values are there together.
func (f *finder) composites(ctx context.Context) error {
	for _, to := range f.tables {
		key := to.PrimaryKey()
		if len(key) < 2 {
			continue
		}
		for _, from := range f.tables {
			columns := sameColumns(from, to, key)
			if from == to || columns == nil || from.Name.Schema != to.Name.Schema || covers(from, columns) {
				continue
			}
			in, err := f.include(ctx, from.Table, columns, to.Table, key)
			if err != nil {
				return err
			}
			if !in.holds() {
				continue
			}
			const reason = "the names are the same"
			from.ForeignKeys = append(from.ForeignKeys, catalog.ForeignKey{
				Columns: columns, RefTable: to.Name, RefColumns: key,
				Found: &catalog.Evidence{Reason: reason, Values: in.values, Sampled: in.sampled},
			})
			f.note("%s (%s) is taken to point to %s: %s, and all their values are there together", from.Name, strings.Join(columns, ", "), to.Name, reason)
		}
	}
	return nil
}

// sameColumns are the columns of a table that are called as those of a key; nil
// where one is missing or of another type.
func sameColumns(from, to *table, key []string) []string {
	columns := make([]string, len(key))
	for i, name := range key {
		c, ok := from.Column(name)
		k, _ := to.Column(name)
		if !ok || c.Distinct == 0 || !alike(c.Type, k.Type) {
			return nil
		}
		columns[i] = c.Name
	}
	return columns
}

// covers reports whether columns are the key of their own table, too: two bridges
// between the same tables do not point to one another.
func covers(from *table, columns []string) bool {
	own := from.PrimaryKey()
	return len(own) == len(columns) && !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(own, c) })
}
