package repair

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// What a proposal has to keep of a text that cannot be read is what can be read in it word
// by word: operators, words that make conditions and clauses, and names. Doubled words count
// once, and words that lead to nothing, as AND before GROUP, do not count.

// keptWords change what a statement means where one of them goes.
var keptWords = map[string]bool{
	"not": true, "like": true, "in": true, "between": true, "is": true, "null": true, "exists": true, "distinct": true, "and": true, "or": true,
	"where": true, "having": true, "join": true, "left": true, "right": true, "full": true, "cross": true, "outer": true,
	"union": true, "intersect": true, "except": true, "all": true, "any": true, "limit": true, "offset": true, "desc": true, "escape": true,
	"over": true, "partition": true, "filter": true, "select": true, "from": true, "case": true, "when": true,
}

// leading are words of which something has to follow, and closing what cannot.
var (
	leading = map[string]bool{"and": true, "or": true, "where": true, "having": true, "not": true}
	closing = map[string]bool{
		"group": true, "order": true, "having": true, "limit": true, "offset": true, "union": true, "except": true, "intersect": true,
		"and": true, "or": true, "where": true, ")": true, ";": true,
	}
)

// outline are the operators, the kept words and the names of a text, each as often as it
// stands there.
type outline struct {
	operators, words, names counts
	tables                  int // names behind FROM and JOIN
}

const comparing = "=<>!"

func outlineOf(text string) outline {
	o := outline{operators: counts{}, words: counts{}, names: counts{}}
	words := parser.Words(text)
	at := func(i int) string {
		if i < 0 || i >= len(words) {
			return ""
		}
		return strings.ToLower(text[words[i].Start:words[i].End])
	}
	for i := 0; i < len(words); i++ {
		word := at(i)
		if word == at(i-1) && word != "(" && word != ")" {
			continue // doubled
		}
		if o.isTable(at(i-1), words[i].Kind) {
			o.tables++
		}
		switch {
		case strings.Trim(word, comparing) == "":
			for strings.Trim(at(i+1), comparing) == "" && at(i+1) != "" {
				i++
				if at(i) != at(i-1) {
					word += at(i)
				}
			}
			o.operators[operator(word)]++
		case words[i].Kind == parser.WordSign:
			if slices.Contains([]string{"+", "-", "*", "/", "%", "||"}, word) {
				o.operators[word]++
			}
		case keptWords[word]:
			if !leading[word] || at(i+1) != "" && !closing[at(i+1)] {
				o.words[word]++
			}
		case words[i].Kind == parser.WordName || words[i].Kind == parser.WordQuoted:
			o.names[strings.Trim(word, `"`)]++
		}
	}
	return o
}

// isTable reports whether a name behind a word is a table's.
func (o outline) isTable(before string, kind parser.WordKind) bool {
	return (before == "from" || before == "join") && (kind == parser.WordName || kind == parser.WordQuoted)
}

// operator is a comparison as Presto SQL writes it.
func operator(sign string) string {
	switch sign {
	case "==":
		return "="
	case "!=", "!", "><", "=!":
		return "<>"
	case "=<":
		return "<="
	case "=>":
		return ">="
	}
	return sign
}

// leftOut says what a proposal leaves out that can be read in a text: operators, words of
// conditions and clauses, names that nothing stands for, and tables that exist.
func leftOut(before, after string, tables []catalog.Name, read *reading) []string {
	x, y := outlineOf(before), outlineOf(after)
	var problems []string
	for _, pair := range [][2]counts{{x.operators, y.operators}, {x.words, y.words}} {
		for _, w := range sortedKeys(pair[0]) {
			if pair[0][w] > pair[1][w] {
				problems = append(problems, fmt.Sprintf("it leaves `%s` out", w))
			}
		}
	}
	if gone := goneName(before, after, x, y); gone != "" {
		problems = append(problems, fmt.Sprintf("it leaves `%s` out", gone))
	}
	for _, name := range tables {
		if !slices.Contains(read.resolution.Tables(), name) {
			problems = append(problems, fmt.Sprintf("it no longer reads `%s`", name))
		}
	}
	return problems
}

// goneName is a name of a text that a proposal has less often, and has nothing for in its
// place; empty: none. A misspelt name or key word has another word there.
func goneName(before, after string, x, y outline) string {
	for _, e := range wordEdits(before, after, "") {
		removed, last := 0, ""
		span := before[e.start:e.end]
		for _, w := range parser.Words(span) {
			name := strings.Trim(strings.ToLower(span[w.Start:w.End]), `"`)
			if x.names[name] > y.names[name] {
				removed, last = removed+1, name
			}
		}
		if removed > len(parser.Words(e.text)) {
			return last
		}
	}
	return ""
}

func sortedKeys(m counts) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// guessesComparison reports whether a proposal puts in a comparison with a value that
// nothing in a text tells: it may be any of several. Columns that are compared with one
// another are the condition of a join.
func guessesComparison(before string, after *reading) bool {
	values, all := 0, 0
	tree.Walk(after.stmt, func(n tree.Node) bool {
		if b, ok := n.(*tree.Binary); ok && isComparison(b.Op) {
			_, left := tree.Unparen(b.Left).(*tree.ColumnRef)
			_, right := tree.Unparen(b.Right).(*tree.ColumnRef)
			all++
			if !left || !right {
				values++
			}
		}
		return true
	})
	had := 0
	for w, n := range outlineOf(before).operators {
		if strings.ContainsAny(w, comparing) {
			had += n
		}
	}
	return all > had && values > max(0, had-(all-values))
}

// guessesTable reports whether a proposal reads a table more than a text that names none
// alike, and another table would do as well: it has the columns that are read of it too.
func (e *engine) guessesTable(before string, after *reading) bool {
	x, y := outlineOf(before), outlineOf(after.stmt.Span().Text())
	if y.tables <= x.tables {
		return false
	}
	columns := map[tree.Relation][]string{}
	tree.Walk(after.stmt, func(n tree.Node) bool {
		if ref, ok := n.(*tree.ColumnRef); ok {
			for _, p := range after.resolution.Places(ref) {
				columns[p.Relation] = append(columns[p.Relation], ref.Parts[len(ref.Parts)-1].Name)
			}
		}
		return true
	})
	guessed := false
	tree.Walk(after.stmt, func(n tree.Node) bool {
		t, ok := n.(*tree.Table)
		if !ok || guessed {
			return !guessed
		}
		if stored, ok := after.resolution.Stored(t); ok && !x.names.near(stored.Name.Table) {
			guessed = !e.onlyOne(stored.Name, columns[t])
		}
		return true
	})
	return guessed
}

// counts are words, each as often as it stands in a text.
type counts map[string]int

// near reports whether a word is near to a name.
func (c counts) near(name string) bool {
	for w := range c {
		if distance(w, name) <= 0.34 {
			return true
		}
	}
	return false
}

// onlyOne reports whether of the known tables one alone has the columns.
func (e *engine) onlyOne(name catalog.Name, columns []string) bool {
	if len(columns) == 0 {
		return false
	}
	found := 0
	for i := range e.Known {
		t := &e.Known[i]
		has := !slices.ContainsFunc(columns, func(c string) bool { _, ok := t.Column(c); return !ok })
		if !has && t.Name == name {
			return false
		}
		found += count(has)
	}
	return found == 1
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// tablesNamed are the stored tables whose names stand behind FROM and JOIN in a text that
// cannot be read.
func (e *engine) tablesNamed(ctx context.Context, text string) ([]catalog.Name, error) {
	words := parser.Words(text)
	word := func(i int) string { return text[words[i].Start:words[i].End] }
	var found []catalog.Name
	for i := 1; i < len(words) && len(found) < mostTablesNamed; i++ {
		before := strings.ToLower(word(i - 1))
		if !(outline{}).isTable(before, words[i].Kind) {
			continue
		}
		name := word(i)
		for i+2 < len(words) && word(i+1) == "." {
			name += "." + word(i+2)
			i += 2
		}
		stmt, err := parser.Parse("SELECT 1 FROM " + name)
		if err != nil || stmt.Query == nil {
			continue
		}
		r, err := e.read(ctx, "SELECT 1 FROM "+name)
		if err != nil {
			return nil, err
		}
		if r != nil && len(r.diagnostics) == 0 {
			found = append(found, r.resolution.Tables()...)
		}
	}
	return found, nil
}

// mostTablesNamed bounds the tables that are looked up in a text that cannot be read.
const mostTablesNamed = 20
