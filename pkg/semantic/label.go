package semantic

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Label are the columns that name a row, in the order in which people say them. In a
// file it is one name, or a list: "label: title", "label: [first_name, last_name]".
type Label []string

// UnmarshalYAML reads one name or a list.
func (l *Label) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*l = nil
		if node.Value != "" {
			*l = Label{node.Value}
		}
		return nil
	}
	var list []string
	if err := node.Decode(&list); err != nil {
		return fmt.Errorf("line %d: label is a column or a list of columns", node.Line)
	}
	*l = list
	return nil
}

// MarshalYAML writes one name as itself.
func (l Label) MarshalYAML() (any, error) {
	if len(l) == 1 {
		return l[0], nil
	}
	return []string(l), nil
}

var (
	firstNames = []string{"first name", "given name", "forename", "firstname", "fname", "名"}
	lastNames  = []string{"last name", "family name", "surname", "lastname", "lname", "姓"}
	wholeNames = []string{"name", "full name", "fullname", "display name", "label", "title", "名称", "姓名", "名字", "标题", "全称"}
)

// NameParts finds the first and the last name of one person among names of columns, such
// as customer_first_name and customer_last_name, and what both are together: "customer
// name". ok is false where there is not one of each.
func NameParts(columns []string) (first, last int, whole string, ok bool) {
	first, last = -1, -1
	var firstOf, lastOf string
	for i, c := range columns {
		words := strings.Join(Words(c), " ")
		if of, is := cutName(words, firstNames); is {
			if first >= 0 {
				return -1, -1, "", false
			}
			first, firstOf = i, of
		} else if of, is := cutName(words, lastNames); is {
			if last >= 0 {
				return -1, -1, "", false
			}
			last, lastOf = i, of
		}
	}
	if first < 0 || last < 0 || firstOf != lastOf {
		return -1, -1, "", false
	}
	if hasHan(columns[first]) {
		return first, last, "姓名", true
	}
	return first, last, strings.TrimSpace(firstOf + " name"), true
}

// cutName cuts a kind of name off words, and leaves whose it is: customer of "customer
// first name".
func cutName(words string, names []string) (of string, ok bool) {
	for _, n := range names {
		if rest, found := strings.CutSuffix(words, n); found && (rest == "" || strings.HasSuffix(rest, " ")) {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// labelOf finds what names the rows of a table: a first and a last name together;
// its name, or that of what it holds (store_name of stores); its title; else a column
// that is called a name of something, unless that is another table (city_name of
// customers). Only texts do.
func (d *deriver) labelOf(t *derivedTable) Label {
	words := make([]string, len(t.Columns))
	for i := range t.Columns {
		if IsText(t.Columns[i].Type) {
			words[i] = strings.Join(d.words.split(t.Columns[i].Name, t.Columns[i].Comment), " ")
		}
	}
	ending := func(names []string) int {
		return slices.IndexFunc(words, func(w string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return w == n || strings.HasSuffix(w, " "+n) })
		})
	}
	if first, last := ending(firstNames), ending(lastNames); first >= 0 && last >= 0 {
		return Label{t.Columns[first].Name, t.Columns[last].Name}
	}
	noun := Singular(last(Words(t.base)))
	best, at := 0, -1
	for i, w := range words {
		if w == "" {
			continue
		}
		var rank int
		head, found := strings.CutSuffix(w, " "+last(strings.Fields(w)))
		ends := slices.Contains(labelWords, last(strings.Fields(w))) || endsIn(t.Columns[i].Name, labelEndings) || namedHan(t.Columns[i].Name)
		switch {
		case slices.Contains(wholeNames, w), Singular(w) == noun && noun == Singular(strings.Join(Words(t.base), " ")):
			rank = 3 // or called as its table is: the city of cities
		case !ends:
			continue
		case found && Singular(last(strings.Fields(head))) == noun || hasHan(w) && strings.HasPrefix(w, t.base):
			rank = 4
		case found && d.isTable(head, t):
			continue
		default:
			rank = 1
		}
		if rank > best {
			best, at = rank, i
		}
	}
	if at < 0 {
		at = ownText(t, words)
	}
	if at < 0 {
		return nil
	}
	return Label{t.Columns[at].Name}
}

// acts of naming are words of two characters that end as names do, and are no names.
var namingActs = []string{"排名", "报名", "实名", "署名", "命名", "提名", "点名", "更名"}

// namedHan reports whether a Chinese name says of what a column is the name in one character: 剧名, 书名.
func namedHan(name string) bool {
	return utf8.RuneCountInString(name) == 2 && hasHan(name) && strings.HasSuffix(name, "名") && !slices.Contains(namingActs, name)
}

// Bounds of a column that names rows though it is not called a name.
const (
	minNamed  = 3  // rows
	maxNaming = 40 // characters of a value
)

// maxBefore is how many columns that things share may stand between their key and what names them.
const maxBefore = 2

// ownText is the column right behind the key of a table, or behind what its rows share there, where
// each row has a short text of its own: the company of clients, the model behind the brand. -1: there
// is none.
func ownText(t *derivedTable, words []string) int {
	if len(t.Columns) < 3 || len(t.key) != 1 || !strings.EqualFold(t.Columns[0].Name, t.key[0]) || t.RowCount < minNamed {
		return -1
	}
	for i := 1; i < len(t.Columns) && i <= 1+maxBefore && words[i] != ""; i++ {
		if c := &t.Columns[i]; c.Distinct == t.RowCount {
			if t.named(c, words[i]) {
				return i
			}
			return -1
		}
	}
	return -1
}

// named reports whether the texts of a column, of which each row has another, are names, and no codes,
// addresses or notes.
func (t *derivedTable) named(c *catalog.Column, words string) bool {
	return (c.NotNull || c.Missing == 0) &&
		!slices.Contains(keyWords, last(strings.Fields(words))) && !endsIn(c.Name, keyEndings) && (c.Personal == nil || c.Personal.Kind == "name") &&
		!slices.ContainsFunc(t.ForeignKeys, func(fk catalog.ForeignKey) bool { return slices.Contains(fk.Columns, c.Name) }) &&
		len(c.Samples) > 0 && !slices.ContainsFunc(c.Samples, func(s string) bool {
		return utf8.RuneCountInString(s) > maxNaming || !strings.ContainsFunc(s, unicode.IsLetter)
	})
}

// isTable reports whether words are the name of another table.
func (d *deriver) isTable(words string, but *derivedTable) bool {
	for i := range d.tables {
		other := &d.tables[i]
		if other.Table != nil && other.name != but.name && Singular(last(Words(other.base))) == Singular(last(strings.Fields(words))) {
			return true
		}
	}
	return false
}

// personalColumn reports whether a column of a table holds data of persons.
func personalColumn(t *catalog.Table, column string) bool {
	c, ok := t.Column(column)
	return ok && c.Personal != nil
}
