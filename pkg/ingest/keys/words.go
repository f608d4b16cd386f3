package keys

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/semantic"
)

//go:embed words.yaml
var wordList []byte

// words are those of words.yaml.
type words struct {
	bare, endings, tables, persons, labels map[string]bool
	self, roles                            [][]string
	han                                    struct{ endings, tables, self, roles []string }
}

func readWords() (words, error) {
	var lists struct {
		Bare, Endings, Tables, Self, Roles, Persons, Labels []string
	}
	if err := yaml.Unmarshal(wordList, &lists); err != nil {
		return words{}, fmt.Errorf("read the words of keys: %w", err)
	}
	w := words{bare: set(lists.Bare), endings: set(lists.Endings), tables: set(lists.Tables), persons: set(lists.Persons), labels: set(lists.Labels)}
	w.han.endings, w.han.tables = chinese(lists.Endings), chinese(lists.Tables)
	for _, part := range []struct {
		list  []string
		words *[][]string
		han   *[]string
	}{{lists.Self, &w.self, &w.han.self}, {lists.Roles, &w.roles, &w.han.roles}} {
		*part.han = chinese(part.list)
		for _, entry := range part.list {
			if !isHan(entry) {
				*part.words = append(*part.words, strings.Fields(entry))
			}
		}
	}
	return w, nil
}

func set(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, s := range list {
		out[s] = true
	}
	return out
}

// chinese are the Chinese ones of a list, the longest first.
func chinese(list []string) []string {
	out := slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !isHan(s) })
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

func isHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// split returns the words of a name in the singular.
func split(name string) []string {
	out := semantic.Words(name)
	for i := range out {
		out[i] = semantic.Singular(out[i])
	}
	return out
}

func phrase(words []string) string { return strings.Join(words, " ") }

// tableName are the words of a table's name without those that say nothing.
func (w words) tableName(name string) []string {
	if isHan(name) {
		for _, e := range w.han.tables {
			if stem, ok := strings.CutSuffix(name, e); ok && stem != "" {
				return []string{stem}
			}
		}
		return []string{name}
	}
	out := split(name)
	for len(out) > 1 && w.tables[out[0]] {
		out = out[1:]
	}
	for len(out) > 1 && w.tables[out[len(out)-1]] {
		out = out[:len(out)-1]
	}
	return out
}

// isBare reports whether a name says of no table in particular what it tells apart.
func (w words) isBare(name []string) bool { return len(name) == 0 || len(name) == 1 && w.bare[name[0]] }

// stem is a column's name without the word that says that it is a key; ok: it had one.
func (w words) stem(column string) (stem []string, ok bool) {
	if isHan(column) {
		for _, e := range append(slices.Clone(w.han.endings), "ID", "Id", "id") {
			if s, found := strings.CutSuffix(column, e); found && s != "" {
				return []string{strings.TrimRight(s, "_ ")}, true
			}
		}
		return []string{column}, false
	}
	name := split(column)
	if n := len(name); n > 1 && w.endings[name[n-1]] {
		return name[:n-1], true
	}
	if len(name) == 1 { // custid, orderkey
		for _, e := range [...]string{"id", "key", "no", "code"} {
			if s, found := strings.CutSuffix(name[0], e); found && len(s) >= minStem {
				return []string{semantic.Singular(s)}, true
			}
		}
	}
	return name, false
}

func (w words) endsAsKey(column string) bool {
	name := split(column)
	_, ok := w.stem(column)
	return ok || len(name) == 1 && w.endings[name[0]]
}

// namesTable reports whether a column is called by the whole name of a table, as its
// key or without more.
func (w words) namesTable(column string, table []string) bool {
	stem, isKey := w.stem(column)
	if n := len(stem); !isKey && n > 1 && w.labels[stem[n-1]] {
		stem = stem[:n-1]
	}
	return slices.Equal(stem, table)
}

// isKeyName reports whether a column is called for the table that it is in: id, or
// customer_id of customers.
func (w words) isKeyName(column string, table []string) bool {
	if name := split(column); len(name) == 1 && w.endings[name[0]] {
		return true
	}
	stem, ok := w.stem(column)
	return ok && (slices.Equal(stem, table) || len(table) > 0 && len(stem) == 1 && stem[0] == table[len(table)-1] ||
		abbreviates(strings.Join(stem, ""), table))
}

// minStem is how many letters at least stand for a name that they begin.
const minStem = 3

// abbreviates reports whether letters are the beginning of a table's name, or its
// words' first letters: cust of customer, oi of order item.
func abbreviates(letters string, table []string) bool {
	if len(table) == 0 || isHan(letters) {
		return false
	}
	initials := ""
	for _, word := range table {
		initials += string([]rune(word)[:1])
	}
	return len(letters) >= minStem && strings.HasPrefix(strings.Join(table, ""), letters) || len(table) > 1 && letters == initials
}

// has reports whether a name holds one of several lists of words, one after another.
func has(name []string, lists [][]string) bool {
	return slices.ContainsFunc(lists, func(list []string) bool {
		for i := 0; i+len(list) <= len(name); i++ {
			if slices.Equal(name[i:i+len(list)], list) {
				return true
			}
		}
		return false
	})
}

// isSelf reports whether a column is called for another row of its table.
func (w words) isSelf(column string) bool {
	if isHan(column) {
		return slices.ContainsFunc(w.han.self, func(s string) bool { return strings.HasPrefix(column, s) })
	}
	return has(semantic.Words(column), w.self)
}

// isRole reports whether a column is called for somebody in a role.
func (w words) isRole(column string) bool {
	if isHan(column) {
		return slices.ContainsFunc(w.han.roles, func(s string) bool { return strings.Contains(column, s) })
	}
	words := semantic.Words(column)
	if has(words, w.roles) {
		return true
	}
	n := len(words)
	if n > 0 && words[n-1] == "id" {
		n--
	}
	return n > 1 && words[n-1] == "by" && !w.isSelf(column) // sold_by: by whom
}
