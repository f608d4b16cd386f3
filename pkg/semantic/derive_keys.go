package semantic

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// keyColumns returns the declared key of a table, or the one column that looks like
// it: of a value of its own in each row and called a key, or by the table's first
// letters and "id", as aid of author, or in Chinese by its ending. base is the table's name without its marks.
func keyColumns(t *catalog.Table, base string) []string {
	if key := t.PrimaryKey(); len(key) > 0 {
		return key
	}
	for _, called := range []func(column string) bool{
		func(column string) bool { return slices.Contains(keyWords, last(Words(column))) },
		func(column string) bool { return len(Words(column)) == 1 && initialsID(Words(column)[0], base) },
		func(column string) bool { return endsIn(column, keyEndings) }, // 包裹编号
	} {
		for _, c := range t.Columns {
			if c.Distinct > 0 && c.Distinct == t.RowCount && called(c.Name) {
				return []string{c.Name}
			}
		}
	}
	return nil
}

// initialsID reports whether a word is the beginning of a table's name, or its words'
// first letters, and "id".
func initialsID(word, base string) bool {
	head, ok := strings.CutSuffix(word, "id")
	if !ok || head == "" {
		return false
	}
	words := Words(base)
	initials := ""
	for _, w := range words {
		_, size := utf8.DecodeRuneInString(w)
		initials += w[:size]
	}
	return strings.HasPrefix(strings.Join(words, ""), head) || head == initials
}

// isKeyWord reports whether a column is called nothing but a key of its table.
func isKeyWord(words []string, base string) bool {
	return len(words) == 1 && (slices.Contains(keyWords, words[0]) || initialsID(words[0], base))
}

// keyNames are what other tables may call the single key of a table: by the column's
// own name, in all its forms, where that says of what it is the key, and by the table
// and the column, or the table and "id".
func (j *joiner) keyNames(i int) []string {
	t := &j.tables[i]
	var out []string
	add := func(name string) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	words := Words(t.key[0])
	for _, form := range j.forms(i, t.key[0]) {
		if len(form) > 1 || !slices.Contains(keyWords, form[0]) && !slices.Contains(labelWords, form[0]) {
			add(strings.Join(form, " "))
		}
	}
	if base := Words(t.base); len(base) > 0 {
		base[len(base)-1] = Singular(base[len(base)-1])
		add(strings.Join(append(slices.Clone(base), words...), " "))
		if isKeyWord(words, t.base) {
			add(strings.Join(base, " ") + " id")
		}
	}
	return out
}

// forms are the words of a column's name: all of them, without those that all tables
// and columns begin with, and without those that all columns of its table begin with.
// A name without a letter or a digit, as # or _, has no words and so no form.
func (j *joiner) forms(i int, column string) [][]string {
	words := Words(column)
	if len(words) == 0 {
		return nil
	}
	out := [][]string{words}
	for _, prefix := range []int{j.prefix, j.prefix + j.tables[i].prefix} {
		if prefix > 0 && prefix < len(words) && len(words)-prefix < len(out[len(out)-1]) {
			out = append(out, words[prefix:])
		}
	}
	return out
}

// prefixes counts the words that the names of all columns begin with, and those that
// the names of each table's columns begin with beyond them.
func (j *joiner) prefixes() {
	var all [][]string
	own := make([][][]string, len(j.tables))
	for i := range j.tables {
		for _, c := range j.tables[i].Columns {
			own[i] = append(own[i], Words(c.Name))
		}
		all = append(all, own[i]...)
	}
	if len(all) >= minPrefixedColumns {
		j.prefix = commonWords(all, 0)
	}
	for i := range j.tables {
		if len(own[i]) >= minPrefixedTables {
			j.tables[i].prefix = commonWords(own[i], j.prefix)
		}
	}
}

// commonWords counts the words from a place on that all lists have in common; one is
// left to each.
func commonWords(lists [][]string, from int) int {
	n := 0
	for at := from; ; at++ {
		for _, words := range lists {
			if at+1 >= len(words) || words[at] != lists[0][at] {
				return n
			}
		}
		n++
	}
}

// IsKeyName reports a column that is called for what tells rows apart, as id, order_no and 订单编号 are.
func IsKeyName(column string) bool {
	head := last(Words(column))
	return slices.Contains(keyWords, head) || slices.Contains([]string{"no", "nr", "number"}, head) || endsIn(column, keyEndings) || strings.HasSuffix(column, "号")
}
