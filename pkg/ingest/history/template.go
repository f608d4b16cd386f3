package history

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Limits of names and words.
const (
	maxNameBytes = 64
	maxTitle     = 24 // words of one title that are kept
	shortestWord = 3  // letters of a Latin word
	shortestSaid = 2  // letters of a literal that a name may repeat
)

// literalsOf returns the values that stand in a query, in lower case, and their words.
func literalsOf(q *tree.Query) []string {
	var all []string
	add := func(text string) {
		text = strings.ToLower(strings.TrimSpace(text))
		for _, part := range append(strings.FieldsFunc(text, notLetter), text) {
			if len([]rune(part)) >= shortestSaid && !slices.Contains(all, part) {
				all = append(all, part)
			}
		}
	}
	tree.Walk(q, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.String:
			add(n.Value)
		case *tree.Number:
			add(n.Text)
		case *tree.Typed:
			add(n.Value)
		case *tree.Interval:
			add(n.Value)
		case *tree.Bytes:
			add(n.Hex)
		}
		return true
	})
	return all
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// says reports whether a name that somebody gave repeats a value of the query.
func (s *shape) says(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(s.literals, func(literal string) bool { return strings.Contains(name, literal) })
}

// plainName reports whether a name is made of letters, digits, underscores and blanks.
func plainName(name string) bool {
	return name != "" && len(name) <= maxNameBytes && !strings.ContainsFunc(name, func(r rune) bool {
		return notLetter(r) && r != '_' && r != ' '
	})
}

// known returns what the names of the tables and of their columns are: nobody gave
// those in the query.
func (s *shape) known() map[string]bool {
	known := make(map[string]bool)
	for _, u := range s.tables {
		for _, name := range []string{u.table.Name.Region, u.table.Name.Schema, u.table.Name.Table} {
			known[strings.ToLower(name)] = true
		}
		for i := range u.table.Columns {
			known[strings.ToLower(u.table.Columns[i].Name)] = true
		}
	}
	return known
}

// templateOf returns the text of a query with a question mark for each literal, names
// in lower case, without comments. It is empty where a name in it repeats a value, is
// no plain name, or where a literal cannot be taken out, and where it is too long.
func (r *reader) templateOf(q *tree.Query, s *shape) string {
	known := s.known()
	tree.Walk(q, func(n tree.Node) bool {
		if call, ok := n.(*tree.Call); ok {
			for _, part := range call.Name.Parts {
				known[part.Key()] = true
			}
		}
		return true
	})
	given := true
	tree.Walk(q, func(n tree.Node) bool {
		if id, ok := n.(*tree.Ident); ok && !known[id.Key()] && (!plainName(id.Name) || s.says(id.Name)) {
			given = false
		}
		return given
	})
	if !given {
		return ""
	}
	shaped, err := tree.Rewrite(q, withoutLiterals)
	if err != nil {
		return ""
	}
	text := lang.OneLine(printer.Format(shaped)) // Format drops comments
	if len(text) > r.options.MaxTemplateBytes || strings.Contains(text, "'") {
		return ""
	}
	return text
}

// withoutLiterals replaces a literal by a question mark, and a list of them by one.
func withoutLiterals(n tree.Node) tree.Node {
	switch n := n.(type) {
	case *tree.String, *tree.Number, *tree.Bytes, *tree.Typed, *tree.Interval, *tree.Bool:
		return &tree.Param{}
	case *tree.Unary:
		if param, ok := n.X.(*tree.Param); ok {
			return param
		}
	case *tree.InList:
		if !slices.ContainsFunc(n.List, func(x tree.Expr) bool { _, param := x.(*tree.Param); return !param }) {
			one := *n
			one.List = n.List[:1]
			return &one
		}
	case *tree.Values:
		one := *n
		one.Rows = n.Rows[:min(len(n.Rows), 1)]
		return &one
	case *tree.Ident:
		name := strings.ToLower(n.Name)
		return &tree.Ident{Name: name, Quoted: strings.HasPrefix(printer.Ident(name), `"`)}
	}
	return n
}

// namesGiven returns the names that a query gives to what it computes, with the
// columns that it is computed from; where there are none, of the one table.
func namesGiven(r *resolve.Resolution, q *tree.Query, s *shape) []catalog.Word {
	known := s.known()
	var given []catalog.Word
	tree.Walk(q, func(n tree.Node) bool {
		item, ok := n.(*tree.SelectExpr)
		if !ok || item.Alias == nil || known[item.Alias.Key()] || !plainName(item.Alias.Name) || !telling(item.Alias.Name) || s.says(item.Alias.Name) {
			return true
		}
		if reads := readsOf(r, item.Expr, s); len(reads) > 0 {
			given = append(given, catalog.Word{Text: strings.ToLower(item.Alias.Name), Reads: reads})
		}
		return true
	})
	return given
}

// readsOf returns the stored columns of an expression by table.
func readsOf(r *resolve.Resolution, x tree.Expr, s *shape) []catalog.Read {
	var reads []catalog.Read
	tree.Walk(x, func(n tree.Node) bool {
		ref, ok := n.(*tree.ColumnRef)
		if !ok {
			return true
		}
		for _, o := range r.Origins(ref) {
			i := slices.IndexFunc(reads, func(r catalog.Read) bool { return r.Table == o.Table })
			if i < 0 {
				i = len(reads)
				reads = append(reads, catalog.Read{Table: o.Table})
			}
			if !slices.Contains(reads[i].Columns, o.Column) {
				reads[i].Columns = append(reads[i].Columns, o.Column)
			}
		}
		return true
	})
	if len(reads) == 0 && len(s.tables) == 1 {
		reads = []catalog.Read{{Table: s.tables[0].table.Name}}
	}
	for i := range reads {
		slices.Sort(reads[i].Columns)
	}
	slices.SortFunc(reads, func(a, b catalog.Read) int { return cmp.Compare(a.Table.Key(), b.Table.Key()) })
	return reads
}

// telling reports whether a name has a word in it: three letters, or two of a language
// that writes a word in so few.
func telling(name string) bool {
	letters, wide := 0, 0
	for _, r := range name {
		switch {
		case r > unicode.MaxLatin1 && unicode.IsLetter(r):
			wide++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return letters >= shortestWord || wide >= shortestSaid
}

// titleKeys are the keys of a client's information under which tools say what a query
// was made for.
var titleKeys = [...]string{"question", "title", "dashboard", "chart", "exposure"}

// titleWords returns the words of the question or title that a query was made for,
// where its client tells one as JSON: each once, in lower case, none that repeats a
// value of the query or has a digit.
func titleWords(e *event, s *shape) []string {
	var told map[string]any
	if json.Unmarshal([]byte(e.Context.ClientInfo), &told) != nil {
		return nil
	}
	var words []string
	for _, key := range titleKeys {
		title, _ := told[key].(string)
		for _, word := range strings.FieldsFunc(strings.ToLower(title), notLetter) {
			if len(words) < maxTitle && plainName(word) && telling(word) && !strings.ContainsFunc(word, unicode.IsDigit) && !s.says(word) && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}
