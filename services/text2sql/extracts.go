package text2sql

import (
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// withoutExtracts leaves out the tables that hold some of the rows of another one of the list, as a view of the
// visits to one ward does, unless text says a word of their names that the whole table's name has not: a
// total over them is no total. text is what was asked, and the statement that it changes.
func withoutExtracts(tables []catalog.Table, text string) []catalog.Table {
	var out []catalog.Table // a copy, once a table is left out
	for i := range tables {
		part := &tables[i]
		extract := slices.ContainsFunc(part.ForeignKeys, func(k catalog.ForeignKey) bool {
			at := slices.IndexFunc(tables, func(t catalog.Table) bool { return t.Name == k.RefTable })
			return at >= 0 && at != i && isExtract(part, tables, at, k) && !saysOwnName(text, part, &tables[at])
		})
		switch {
		case extract && out == nil:
			out = slices.Clone(tables[:i])
		case !extract && out != nil:
			out = append(out, *part)
		}
	}
	if out == nil {
		return tables
	}
	return out
}

// isExtract reports whether a table holds fewer rows than another, at a place of the list, and no column of
// its own, and each of them is another row of that, by a key of the same name. Where the data told the key,
// columns of tables that the other one's rows point to are not its own either: a view shows the street of
// each meter.
func isExtract(part *catalog.Table, tables []catalog.Table, at int, k catalog.ForeignKey) bool {
	whole := &tables[at]
	if part.RowCount == 0 || part.RowCount >= whole.RowCount || !slices.Equal(k.Columns, k.RefColumns) || len(k.Columns) != 1 {
		return false
	}
	if key, ok := part.Column(k.Columns[0]); !ok || key.Distinct != part.RowCount {
		return false
	}
	reached := []*catalog.Table{whole}
	if k.Found != nil {
		reached = pointedTo(tables, at)
	}
	return !slices.ContainsFunc(part.Columns, func(c catalog.Column) bool {
		return !slices.ContainsFunc(reached, func(t *catalog.Table) bool {
			same, ok := t.Column(c.Name)
			return ok && same.Type == c.Type
		})
	})
}

// pointedTo are a table of a list and those that its rows point to, over any number of steps.
func pointedTo(tables []catalog.Table, at int) []*catalog.Table {
	out := []*catalog.Table{&tables[at]}
	for i := 0; i < len(out); i++ {
		for _, k := range out[i].ForeignKeys {
			to := slices.IndexFunc(tables, func(t catalog.Table) bool { return t.Name == k.RefTable })
			if to >= 0 && !slices.Contains(out, &tables[to]) {
				out = append(out, &tables[to])
			}
		}
	}
	return out
}

// saysOwnName reports whether a text says a word of a table's name that is not one of the whole table's.
func saysOwnName(text string, part, whole *catalog.Table) bool {
	said := singular(semantic.Words(text))
	shared := singular(semantic.Words(whole.Name.Table))
	return slices.ContainsFunc(singular(semantic.Words(part.Name.Table)), func(word string) bool {
		return !slices.Contains(shared, word) && (slices.Contains(said, word) || hasHan(word) && strings.Contains(text, word))
	})
}

func singular(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = semantic.Singular(strings.ToLower(w))
	}
	return out
}

func hasHan(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
