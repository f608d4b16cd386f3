package link

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// maxReadings bounds the English readings of a span of Chinese words that are
// looked up.
const maxReadings = 40

// reading is a span in English words.
type reading struct {
	words []string
	stems []string
	score float64
	name  bool // all of it is written with capitals in English
}

// readings combines the translations of a span's words, likeliest first; none
// where a word has none. Words in letters stay as they are.
func readings(tokens []token.Token) []reading {
	out := []reading{{score: 1, name: true}}
	for _, t := range tokens {
		var next []reading
		for _, r := range out {
			switch {
			case t.Kind == token.Han:
				for _, g := range t.Glosses {
					next = append(next, reading{
						words: append(slices.Clone(r.words), g.Text), stems: append(slices.Clone(r.stems), g.Stems...),
						score: r.score * g.Score, name: r.name && g.Name,
					})
				}
			case slices.Contains(smallWords, t.Lower) || t.Kind == token.Mark:
				next = append(next, r)
			default:
				next = append(next, reading{
					words: append(slices.Clone(r.words), t.Lower), stems: append(slices.Clone(r.stems), t.Stem),
					score: r.score, name: r.name && t.Capital(),
				})
			}
		}
		slices.SortStableFunc(next, func(a, b reading) int { return cmp.Compare(b.score, a.score) })
		out = next[:min(len(next), maxReadings)]
	}
	return out
}

// Gloss gives the Chinese words of a question their translations.
func (x *Index) Gloss(tokens []token.Token) []token.Token {
	return x.lex.Chinese().Gloss(tokens, x.links)
}

// links tells how surely a word alone names or is something: 0 where it does not.
func (x *Index) links(t token.Token) float64 {
	one := []token.Token{t}
	it := Item{Tokens: one}
	x.lookUp(&it, []string{t.Stem})
	best := max(first0(it.Tables, func(t TableMatch) float64 { return t.Score }), first0(it.Columns, func(c ColumnMatch) float64 { return c.Score }))
	it.Values = x.values[valueKey(t.Text)]
	x.glossedValue(&it, one)
	if len(it.Values) > 0 {
		return 1
	}
	return best
}

func glossed(tokens []token.Token) bool {
	return slices.ContainsFunc(tokens, func(t token.Token) bool { return t.Kind == token.Han })
}

// lookUp finds the tables and columns that a span names; of Chinese words all that
// their translations name, each with the score of its best one.
func (x *Index) lookUp(it *Item, stems []string) {
	if !glossed(it.Tokens) {
		it.Tables, it.Columns = x.tablesOf(stems), x.columnsOf(stems)
		x.addJoined(it)
		return
	}
	tables, columns := map[*semantic.Entity]float64{}, map[*semantic.Dimension]float64{}
	for _, r := range append(readings(it.Tokens), reading{stems: stems, score: 1}) {
		for _, t := range x.tablesOf(r.stems) {
			tables[t.Entity] = max(tables[t.Entity], t.Score*r.score)
		}
		for _, c := range x.columnsOf(r.stems) {
			columns[c.Dim] = max(columns[c.Dim], c.Score*r.score)
		}
	}
	for e, s := range tables {
		if s >= minTableScore {
			it.Tables = append(it.Tables, TableMatch{Entity: e, Score: s})
		}
	}
	for d, s := range columns {
		if s >= minScore {
			it.Columns = append(it.Columns, ColumnMatch{Dim: d, Score: s})
		}
	}
	slices.SortFunc(it.Tables, func(a, b TableMatch) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Entity.ID, b.Entity.ID))
	})
	slices.SortFunc(it.Columns, func(a, b ColumnMatch) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Dim.ID, b.Dim.ID))
	})
	for i := range it.Tables {
		if it.Tables[i].Score < it.Tables[0].Score-farBehind {
			it.Tables = it.Tables[:i]
			break
		}
	}
}

// sureAggregate is the score of a column named with its aggregate, 平均湿度, that
// is no aggregate of a column.
const sureAggregate = 0.8

func first0[T any](list []T, score func(T) float64) float64 {
	if len(list) == 0 {
		return 0
	}
	return score(list[0])
}

// quotedHan finds the stored values that a quoted text in Chinese is in English.
// Where none is known and nothing is stored in Chinese, the text can equal nothing:
// it stays without a meaning, so that the question is not answered by an empty
// result.
func (x *Index) quotedHan(it *Item) {
	words := x.lex.Chinese()
	tokens := x.Gloss(token.Split(it.Text, words.Dictionary()))
	found := Item{Tokens: tokens}
	x.glossedValue(&found, tokens)
	it.Values = found.Values
	it.Quoted = len(it.Values) > 0 || x.han
}

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// Scores of stored values found through a translation: of a name, which hardly
// means anything else, and of a common word.
const (
	nameValue   = 1.05
	commonValue = 0.6
)

// glossedValue adds the stored values that a Chinese span is in English.
func (x *Index) glossedValue(it *Item, tokens []token.Token) {
	if !glossed(tokens) || len(tokens) > maxSpan || tokens[len(tokens)-1].Kind == token.Mark {
		return
	}
	score := 0.0
	names := max(first0(it.Tables, func(t TableMatch) float64 { return t.Score }), first0(it.Columns, func(c ColumnMatch) float64 { return c.Score }))
	seen := map[*semantic.Dimension]bool{}
	for _, v := range it.Values {
		seen[v.Dim] = true
		score = nameValue
	}
	for _, r := range readings(tokens) {
		key := valueKey(strings.Join(r.words, " "))
		found := x.values[key]
		if len(found) == 0 {
			found = x.singular[key]
		}
		for _, v := range found {
			if seen[v.Dim] {
				continue
			}
			sure := r.name || len(r.words) > 1 || len(strings.Fields(key)) > 1
			if !sure && names >= minTableScore {
				continue // a word of the schema, which some row has by accident
			}
			seen[v.Dim] = true
			v.Score *= r.score
			it.Values = append(it.Values, v)
			if sure {
				score = max(score, nameValue)
			}
			score = max(score, commonValue)
		}
	}
	if len(it.Values) == 0 || len(it.Tags) > 0 && score < nameValue {
		it.Values = nil
		return
	}
	it.Score = max(it.Score, score+0.02*float64(len(tokens)-1))
}
