package study

import (
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// maxNamed bounds the names that a refusal lists.
const maxNamed = 5

// said are the words of a question, for names that are looked for in it.
type said struct {
	text  string // in lower case
	stems []string
}

func saidOf(question string) said {
	s := said{text: strings.ToLower(question)}
	for _, word := range strings.FieldsFunc(s.text, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		s.stems = append(s.stems, token.Stem(word))
	}
	return s
}

// has reports whether a name stands in the question as it is, at the borders of words.
func (s said) has(name string) bool {
	name = strings.ToLower(name)
	for at := 0; name != ""; {
		i := strings.Index(s.text[at:], name)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(name)
		if !(from > 0 && inName(s.text[from-1])) && !(to < len(s.text) && inName(s.text[to])) {
			return true
		}
		at = to
	}
	return false
}

// inName reports whether a byte belongs to the name beside it. A letter that is not ASCII,
// as those of Chinese, stands beside a name and does not belong to it.
func inName(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z'
}

// tells reports whether all words of a name are in the question, in whatever form.
func (s said) tells(name string) bool {
	words := semantic.Words(name)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		return !slices.Contains(s.stems, token.Stem(w)) && !(w[0] > unicode.MaxASCII && strings.Contains(s.text, w))
	})
}

// said are the words of the question beside the name of its table, whose parts may be those of
// columns too.
func (w *work) said() said {
	text := strings.ToLower(w.in.Question)
	n := w.table.Name
	for _, name := range []string{n.String(), n.Schema + "." + n.Table, n.Table} {
		text = strings.ReplaceAll(text, strings.ToLower(name), " ")
	}
	return saidOf(text)
}

// table finds the table that a question is about: the one that it names in full, else by
// its last name, else by all words of that; of a source with one table that one.
func (p *Planner) table(in Input) (*catalog.Table, error) {
	s := saidOf(in.Question)
	tables := make([]*catalog.Table, 0, len(in.Tables))
	for i := range in.Tables {
		if len(in.Tables[i].Columns) > 0 {
			tables = append(tables, &in.Tables[i])
		}
	}
	for _, named := range []func(t *catalog.Table) bool{
		func(t *catalog.Table) bool { return s.has(t.Name.String()) },
		func(t *catalog.Table) bool { return s.has(t.Name.Schema + "." + t.Name.Table) },
		func(t *catalog.Table) bool { return s.has(t.Name.Table) },
		func(t *catalog.Table) bool { return s.tells(t.Name.Table) },
		func(*catalog.Table) bool { return len(tables) == 1 },
	} {
		var found []*catalog.Table
		for _, t := range tables {
			if named(t) {
				found = append(found, t)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return nil, p.cannot(in.Language, "several_tables", "tables", tableNames(found, in.Language.Pick(", ", "、")))
		}
	}
	return nil, p.cannot(in.Language, "no_table", "tables", tableNames(tables, in.Language.Pick(", ", "、")))
}

func tableNames(tables []*catalog.Table, joint string) string {
	var names []string
	for _, t := range tables[:min(len(tables), maxNamed)] {
		names = append(names, t.Name.String())
	}
	return strings.Join(names, joint)
}

// columns are those that a check looks at; where there are more, it is told.
func (w *work) columns(like func(c catalog.Column) bool) []catalog.Column {
	var out []catalog.Column
	for _, c := range w.table.Columns {
		if like(c) {
			out = append(out, c)
		}
	}
	if most := w.in.MaxColumns; len(out) > most {
		out = out[:most]
		w.take("columns_cut", "last", out[most-1].Name)
	}
	return out
}

func isMoment(c catalog.Column) bool { return semantic.IsTime(c.Type) }

// key are the columns that tell the rows of a table apart: those that the catalog knows, or
// one that is called after the table; nil: none.
func (w *work) key() []catalog.Column {
	var key []catalog.Column
	for _, c := range w.table.Columns {
		if c.PrimaryKey {
			key = append(key, c)
		}
	}
	if len(key) > 0 {
		return key
	}
	table := stems(semantic.Words(w.table.Name.Table))
	for _, c := range w.table.Columns {
		words := stems(semantic.Words(c.Name))
		if n := len(words); n > 0 && words[n-1] == "id" && (n == 1 || slices.Equal(words[:n-1], table)) {
			return []catalog.Column{c}
		}
	}
	return nil
}

func stems(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = token.Stem(w)
	}
	return out
}

// day is the column that dates the rows: the one that the question names, else that of the
// partitions, else the first one that is no date of a person's.
func (w *work) day() (catalog.Column, bool) {
	s := w.said()
	for _, fits := range []func(c catalog.Column) bool{
		func(c catalog.Column) bool { return s.has(c.Name) },
		func(c catalog.Column) bool { return c.Partition },
		func(c catalog.Column) bool { return c.Personal == nil },
	} {
		for _, c := range w.table.Columns {
			if isMoment(c) && fits(c) {
				return c, true
			}
		}
	}
	return catalog.Column{}, false
}

// actor is the column that says whom rows are about, such as the member of a visit: the one
// that the question names, else the only one that points to another table, else the only
// one that is called an id and is not the table's own.
func (w *work) actor() (catalog.Column, error) {
	own := w.key()
	single := func(c catalog.Column) bool { return len(own) == 1 && own[0].Name == c.Name }
	pointing := func(c catalog.Column) bool {
		return slices.ContainsFunc(w.table.ForeignKeys, func(k catalog.ForeignKey) bool {
			return len(k.Columns) == 1 && strings.EqualFold(k.Columns[0], c.Name)
		})
	}
	called := func(c catalog.Column) bool {
		words := semantic.Words(c.Name)
		return len(words) > 0 && words[len(words)-1] == "id"
	}
	s := w.said()
	// "by member" names member_id.
	named := func(c catalog.Column) bool {
		words := stems(semantic.Words(c.Name))
		return len(words) > 1 && called(c) && !slices.ContainsFunc(words[:len(words)-1], func(x string) bool { return !slices.Contains(s.stems, x) })
	}
	for _, fits := range []func(c catalog.Column) bool{
		func(c catalog.Column) bool { return s.has(c.Name) && (called(c) || pointing(c)) }, named, pointing, called,
	} {
		var found []catalog.Column
		for _, c := range w.table.Columns {
			if !single(c) && !isMoment(c) && fits(c) {
				found = append(found, c)
			}
		}
		if len(found) > 1 { // what no two rows share is a number of rows, and nobody's whom several are about
			repeats := slices.DeleteFunc(slices.Clone(found), func(c catalog.Column) bool { return c.Distinct > 0 && c.Distinct == w.table.RowCount })
			if len(repeats) > 0 {
				found = repeats
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return catalog.Column{}, w.cannot("several_actors", "columns", w.names(found))
		}
	}
	return catalog.Column{}, w.cannot("no_actor")
}
