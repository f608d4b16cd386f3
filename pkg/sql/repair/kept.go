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
	operators, words, names map[string]int
	tables                  int // names behind FROM and JOIN
}

const comparing = "=<>!"

func outlineOf(text string) outline {
	o := outline{operators: map[string]int{}, words: map[string]int{}, names: map[string]int{}}
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
			if strings.Contains("+-*/%||", word) {
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
	for _, pair := range [][2]map[string]int{{x.operators, y.operators}, {x.words, y.words}} {
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

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// guesses reports whether a proposal for a text puts in what nothing in it tells: a
// comparison of a column with a value, of which there are several, or a table whose name
// does not stand there where none is missing a name alike.
func guesses(before string, after *reading) bool {
	text := after.stmt.Span().Text()
	x, y := outlineOf(before), outlineOf(text)
	values := 0 // comparisons that are no conditions of equal columns
	tree.Walk(after.stmt, func(n tree.Node) bool {
		if b, ok := n.(*tree.Binary); ok && isComparison(b.Op) {
			_, left := tree.Unparen(b.Left).(*tree.ColumnRef)
			_, right := tree.Unparen(b.Right).(*tree.ColumnRef)
			if !left || !right {
				values++
			}
		}
		return true
	})
	had, has := 0, 0
	for w, n := range x.operators {
		if strings.ContainsAny(w, comparing) {
			had += n
		}
	}
	for w, n := range y.operators {
		if strings.ContainsAny(w, comparing) {
			has += n
		}
	}
	return has > had && values > 0 && values > had-(has-values) || y.tables > x.tables && newTable(x, after)
}

// newTable reports whether a query reads a table whose name is near to no name of a text.
func newTable(x outline, after *reading) bool {
	for _, name := range after.resolution.Tables() {
		near := false
		for w := range x.names {
			near = near || distance(w, name.Table) <= 0.34
		}
		if !near {
			return true
		}
	}
	return false
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
