package link

import (
	"slices"
	"sort"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Index holds a layer's names and values in the form in which spans are looked
// up. It is made once a layer and read by any number of questions at a time.
type Index struct {
	lex     *lexicon.Lexicon
	tables  []named[*semantic.Entity]
	columns []named[*semantic.Dimension]
	// byStem leads from a stem to the names that have it or a synonym.
	tableByStem  map[string][]int
	columnByStem map[string][]int
	values       map[string][]ValueMatch
	singular     map[string][]ValueMatch  // by the singular of their last word
	described    map[string][]ValueMatch  // by the stem of what their description calls them
	comments     map[string][]ColumnMatch // by the stem of a word of their description
	maxValue     int                      // words of the longest value that is looked up
	tableWords   map[string][]string
	han          bool            // values in Chinese are stored
	keys         map[string]bool // dimensions that are their table's only key

	// By the letters of a name, without spaces.
	joinedTables  map[string][]*semantic.Entity
	joinedColumns map[string][]*semantic.Dimension

	columnMemo memo[[]ColumnMatch]
	tableMemo  memo[[]TableMatch]
}

type named[T any] struct {
	of    T
	stems []string
}

// maxValueWords bounds the words of a stored value that is matched as a whole.
const maxValueWords = 8

// NewIndex indexes a layer.
func NewIndex(layer *semantic.Layer, lex *lexicon.Lexicon) *Index {
	x := &Index{lex: lex, tableByStem: map[string][]int{}, columnByStem: map[string][]int{}, values: map[string][]ValueMatch{}, singular: map[string][]ValueMatch{}, described: map[string][]ValueMatch{}, comments: map[string][]ColumnMatch{}, tableWords: map[string][]string{}, keys: map[string]bool{}, joinedTables: map[string][]*semantic.Entity{}, joinedColumns: map[string][]*semantic.Dimension{}}
	known := newVocabulary(layer)
	for i := range layer.Entities {
		e := &layer.Entities[i]
		if len(e.Key) == 1 {
			x.keys[e.Table+"."+e.Key[0]] = true
		}
		key := together(semantic.Words(e.Names.EN))
		x.joinedTables[key] = append(x.joinedTables[key], e)
		for _, name := range append([]string{e.Names.EN, x.apart(known, e.Names.EN)}, e.Synonyms...) {
			stems := x.stems(name)
			if e.Derived && name == e.Names.EN {
				x.tableWords[e.Table] = stems
			}
			x.tables = addNamed(x.tables, x.tableByStem, e, stems)
		}
	}
	for i := range layer.Dimensions {
		d := &layer.Dimensions[i]
		key := together(semantic.Words(d.Names.EN))
		x.joinedColumns[key] = append(x.joinedColumns[key], d)
		for _, name := range append([]string{d.Names.EN, x.apart(known, d.Names.EN)}, d.Synonyms...) {
			x.columns = addNamed(x.columns, x.columnByStem, d, x.stems(name))
		}
		x.addDescription(d)
		for _, v := range d.Values {
			x.addValue(d, v.Value, v.Value, 1)
			for _, s := range v.Synonyms {
				x.addValue(d, v.Value, s, 1)
				if stem := token.Stem(strings.ToLower(s)); len(stem) > 2 && !strings.Contains(s, " ") { // "F = fail": "failed"
					x.described[stem] = append(x.described[stem], ValueMatch{Dim: d, Value: v.Value, Score: 0.9})
				}
			}
		}
	}
	for _, list := range x.values {
		sort.SliceStable(list, func(i, j int) bool { return list[i].Score > list[j].Score })
	}
	return x
}

func addNamed[T any](list []named[T], byStem map[string][]int, of T, stems []string) []named[T] {
	if len(stems) == 0 {
		return list
	}
	for _, s := range stems {
		if ids := byStem[s]; len(ids) == 0 || ids[len(ids)-1] != len(list) {
			byStem[s] = append(ids, len(list))
		}
	}
	return append(list, named[T]{of: of, stems: stems})
}

// stems returns the stems of a name's words, shorthand written out, without
// small words.
func (x *Index) stems(name string) []string {
	var out []string
	for _, w := range x.lex.Expand(semantic.Words(name)) {
		if !slices.Contains(smallWords, w) {
			out = append(out, token.Stem(w))
		}
	}
	return out
}

var smallWords = []string{"of", "the", "a", "an", "in", "for", "by", "and", "to", "on", "at", "s", "is"}

func (x *Index) addValue(d *semantic.Dimension, value, text string, score float64) {
	key := valueKey(text)
	if key == "" || !semantic.IsText(d.Type) && d.Derived {
		return
	}
	n := len(strings.Fields(key))
	if n > maxValueWords {
		return
	}
	x.maxValue = max(x.maxValue, n)
	x.han = x.han || hasHan(text)
	x.values[key] = append(x.values[key], ValueMatch{Dim: d, Value: value, Score: score})
	if one := lexicon.Singular(key); len(one) > 2 {
		x.singular[one] = append(x.singular[one], ValueMatch{Dim: d, Value: value, Score: score - 0.02})
	}
}

// HasValue reports whether a text is stored as a whole.
func (x *Index) HasValue(text string) bool { return len(x.values[valueKey(text)]) > 0 }

// Names reports whether an adverb of time, such as "monthly", is part of a
// column's name.
func (x *Index) Names(word string) bool {
	word = strings.ToLower(word)
	return (strings.HasSuffix(word, "ly") || word == "annual") && len(x.columnByStem[token.Stem(word)]) > 0
}

// HasColumn reports whether a column is named by a word.
func (x *Index) HasColumn(word string) bool {
	found := x.columnsOf([]string{token.Stem(word)})
	return len(found) > 0 && found[0].Score >= 0.95
}

// valueKey folds a value and puts a space between its words, so that "FJA-Filming"
// and "fja filming" meet.
func valueKey(s string) string {
	var b strings.Builder
	space := false
	for _, r := range semantic.Fold(s) {
		if strings.ContainsRune(" -_/.,'’\"()&:;!?#", r) {
			space = true
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// columnsOf returns the dimensions that span's stems may name, best first. The
// caller owns the list.
func (x *Index) columnsOf(stems []string) []ColumnMatch {
	return slices.Clone(x.columnMemo.get(strings.Join(stems, " "), func() []ColumnMatch { return x.findColumns(stems) }))
}

func (x *Index) findColumns(stems []string) []ColumnMatch {
	best := map[*semantic.Dimension]float64{}
	for _, i := range x.candidates(stems, x.columnByStem) {
		n := x.columns[i]
		s := x.similarity(stems, n.stems, x.tableWords[n.of.Table])
		switch {
		case s <= 0:
		case len(stems) == 1 && stems[0] == "id" && x.keys[n.of.ID]:
			s = 1
		case n.of.Role == semantic.RoleKey && len(stems) < len(n.stems) && !x.keys[n.of.ID]:
			s -= 0.1 // what points elsewhere is seldom meant by part of its name
		}
		if s > best[n.of] {
			best[n.of] = s
		}
	}
	out := make([]ColumnMatch, 0, len(best))
	for d, s := range best {
		if s >= minScore {
			out = append(out, ColumnMatch{Dim: d, Score: s})
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Score != out[j].Score {
			return out[i].Score > out[j].Score
		}
		return out[i].Dim.ID < out[j].Dim.ID
	})
	return out
}

// tablesOf returns the entities that span's stems may name, best first. The
// caller owns the list.
func (x *Index) tablesOf(stems []string) []TableMatch {
	return slices.Clone(x.tableMemo.get(strings.Join(stems, " "), func() []TableMatch { return x.findTables(stems) }))
}

func (x *Index) findTables(stems []string) []TableMatch {
	best := map[*semantic.Entity]float64{}
	for _, i := range x.candidates(stems, x.tableByStem) {
		n := x.tables[i]
		if s := x.similarity(stems, n.stems, nil); s > best[n.of] {
			best[n.of] = s
		}
	}
	out := make([]TableMatch, 0, len(best))
	for e, s := range best {
		if s >= minTableScore {
			out = append(out, TableMatch{Entity: e, Score: s})
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Score != out[j].Score {
			return out[i].Score > out[j].Score
		}
		return out[i].Entity.ID < out[j].Entity.ID
	})
	for i := range out { // what is far from the best is not meant
		if out[i].Score < out[0].Score-farBehind {
			return out[:i]
		}
	}
	return out
}

// Least similarities at which a name counts as meant.
const (
	minScore      = 0.5
	minTableScore = 0.6
	farBehind     = 0.25
)

// candidates returns the names that have the first stem, a synonym of it, or a
// word that it shortens.
func (x *Index) candidates(stems []string, byStem map[string][]int) []int {
	seen := map[int]bool{}
	var out []int
	for _, s := range stems {
		for known, ids := range byStem {
			if x.wordScore(s, known) == 0 {
				continue
			}
			for _, id := range ids {
				if !seen[id] {
					seen[id] = true
					out = append(out, id)
				}
			}
		}
	}
	sort.Ints(out)
	return out
}

// wordScore compares a question's stem with a name's.
func (x *Index) wordScore(asked, name string) float64 {
	switch {
	case asked == name || x.lex.Full(asked) == name:
		return 1
	case x.lex.Synonymous(asked, name):
		return 0.8
	case len(name) >= 3 && len(asked) >= len(name)+2 && strings.HasPrefix(asked, name):
		return 0.75 // the name is shorthand
	case len(asked) >= 4 && strings.HasPrefix(name, asked):
		return 0.75
	case len(asked) >= 5 && len(name) >= 5 && asked[:5] == name[:5] && len(asked)+len(name) < 22:
		return 0.6
	case len(asked) >= 6 && oneEdit(asked, name):
		return 0.8
	}
	return 0
}

// similarity of a span's stems to a name's. Every asked word has to be in the
// name; words of the name that were not asked cost little where they only repeat
// the table, and much where they make the name a key.
func (x *Index) similarity(asked, name, table []string) float64 {
	if n := len(asked); n > 1 && n == len(name)+1 && slices.Contains(genericHeads, asked[n-1]) {
		return max(0, x.similarity(asked[:n-1], name, table)-0.1)
	}
	if len(asked) > len(name) {
		return 0
	}
	used := make([]bool, len(name))
	sum := 0.0
	for _, a := range asked {
		best, at := 0.0, -1
		for i, n := range name {
			if s := x.wordScore(a, n); !used[i] && s > best {
				best, at = s, i
			}
		}
		if at < 0 {
			return 0
		}
		used[at] = true
		sum += best
	}
	penalty := 0.0
	for i, n := range name {
		switch {
		case used[i]:
		case n == "id" || n == "code" || n == "key":
			penalty += 0.4
		case slices.Contains(table, n):
			penalty += 0.05
		case len(n) == 1 || isDigits(n):
			penalty += 0.1
		case i == len(name)-1: // the head noun is missing
			penalty += 0.3
		default:
			penalty += 0.2
		}
	}
	return sum/float64(len(asked)) - penalty
}

// genericHeads are stems that people add to a name: "founded year", "phone
// number".
var genericHeads = []string{"year", "date", "time", "number", "valu", "amount", "level", "detail", "inform", "score"}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// oneEdit reports whether two words differ by one letter added, lost or changed.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i < len(a) && a[i+1:] == b[i+1:]
	}
	return a[i:] == b[i+1:]
}
