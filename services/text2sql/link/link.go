package link

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// maxSpan is the most words of a span that names a table or a column.
const maxSpan = 5

// Cover returns the items that cover the tokens best, in order.
func (x *Index) Cover(tokens []token.Token) []*Item {
	n := len(tokens)
	best := make([]float64, n+1)
	choice := make([]*Item, n+1)
	for i := n - 1; i >= 0; i-- {
		for _, it := range x.itemsAt(tokens, i) {
			w := it.Score * float64(it.To-it.From)
			if total := w + best[it.To]; choice[i] == nil || total > best[i] {
				best[i], choice[i] = total, it
			}
		}
	}
	var out []*Item
	for i := 0; i < n; {
		out = append(out, choice[i])
		i = choice[i].To
	}
	return x.timed(out)
}

// Words covers English words that a question leaves out.
func (x *Index) Words(text string) []*Item { return x.Cover(token.Split(text, nil)) }

// itemsAt returns the items that start at token i; never none.
func (x *Index) itemsAt(tokens []token.Token, i int) []*Item {
	t := tokens[i]
	single := func(score float64) *Item {
		return &Item{From: i, To: i + 1, Text: t.Text, Tokens: tokens[i : i+1], Score: score}
	}
	switch t.Kind {
	case token.Number:
		it := single(1)
		it.Number = strings.ReplaceAll(t.Text, ",", "")
		if v := x.values[valueKey(t.Text)]; len(v) > 0 {
			it.Values = v
		}
		return []*Item{it}
	case token.Quoted:
		it := single(1.2)
		it.Quoted = true
		it.Values = x.values[valueKey(t.Text)]
		if len(it.Values) == 0 && hasHan(t.Text) {
			x.quotedHan(it)
		}
		return []*Item{it}
	case token.Time:
		it := single(1)
		it.Period = t.Period
		return []*Item{it}
	case token.Mark:
		it := single(0.1)
		it.Tags = append([]lexicon.Tag{{Name: "mark", Arg: t.Text}}, x.lex.Phrase(t.Text)...)
		return []*Item{it}
	}
	items := x.wordItems(tokens, i)
	if n, ok := numberWords[t.Lower]; ok {
		it := single(0.9)
		it.Number = n
		items = append(items, it)
	}
	return append(items, single(0))
}

func (x *Index) wordItems(tokens []token.Token, i int) []*Item {
	var out []*Item
	limit := max(x.lex.MaxWords(), maxSpan, x.maxValue)
	var lowers, stems []string
	for j := i; j < len(tokens) && j < i+limit; j++ {
		t := tokens[j]
		if t.Kind == token.Quoted || t.Kind == token.Time {
			break
		}
		if t.Kind == token.Mark && !joinsValue(t.Text) {
			break
		}
		lowers = append(lowers, t.Lower)
		if !slices.Contains(smallWords, t.Lower) && t.Kind != token.Mark {
			stems = append(stems, t.Stem)
		}
		small := slices.Contains(smallWords, t.Lower)
		it := &Item{From: i, To: j + 1, Tokens: tokens[i : j+1], Text: strings.Join(texts(tokens[i:j+1]), " ")}
		k := j - i + 1
		if k <= x.lex.MaxWords() {
			if tags := x.phrase(lowers); len(tags) > 0 && !x.holdsAmount(tokens[i:j+1], tags) && !x.ofNext(tokens[i:], k, tags) {
				it.Tags = tags
				it.Score = 0.9
				if k > 1 {
					it.Score = 0.95 + 0.04*float64(k-1)
				}
				if only(tags, "stop", "light", lexicon.WeakTag) {
					it.Score = 0.5
				}
			}
		}
		if j+1 < len(tokens) {
			it.next = tokens[j+1]
		}
		if i > 0 {
			it.prev = tokens[i-1]
		}
		if k <= maxSpan && !small && len(stems) > 0 && !slices.Contains(smallWords, tokens[i].Lower) && t.Kind != token.Mark {
			x.nameItem(it, stems, k)
		}
		x.valueItem(it, tokens[i:j+1])
		x.glossedValue(it, tokens[i:j+1])
		if it.Score > 0 {
			out = append(out, it)
		}
		if t.Possessive && j > i {
			continue
		}
		if t.Possessive {
			break // the owner ends here
		}
	}
	return out
}

// phrase is what words do; of one that does nothing perhaps that it carries nothing.
func (x *Index) phrase(words []string) []lexicon.Tag {
	text := strings.Join(words, " ")
	if tags := x.lex.Phrase(text); len(tags) > 0 || !x.lex.Weak(text) {
		return tags
	}
	return []lexicon.Tag{{Name: lexicon.WeakTag}}
}

// numberWords count; they are seldom stored values.
var numberWords = map[string]string{
	"zero": "0", "one": "1", "once": "1", "two": "2", "twice": "2", "three": "3", "four": "4", "five": "5",
	"six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "twelve": "12", "dozen": "12", "hundred": "100",
}

// ofTable reports whether what follows an "of" in the span is a table.
func (x *Index) ofTable(tokens []token.Token) bool {
	for i, t := range tokens {
		if t.Lower != "of" || i == 0 || i+1 == len(tokens) {
			continue
		}
		var stems []string
		for _, w := range tokens[i+1:] {
			if !slices.Contains(smallWords, w.Lower) {
				stems = append(stems, w.Stem)
			}
		}
		if found := x.tablesOf(stems); len(stems) > 0 && len(found) > 0 && found[0].Score >= 0.9 {
			return true
		}
	}
	return false
}

// separators are small words that stand between names more often than in them.
var separators = []string{"and", "in", "for", "by", "to", "on", "at", "is"}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// joinsValue reports whether a mark may stand inside a stored value.
func joinsValue(mark string) bool {
	const joining = "-/.&'"
	return strings.Contains(joining, mark)
}

func texts(tokens []token.Token) []string {
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = t.Text
	}
	return out
}

func only(tags []lexicon.Tag, names ...string) bool {
	for _, t := range tags {
		if !slices.Contains(names, t.Name) {
			return false
		}
	}
	return true
}

// nameItem adds the tables and columns that a span names. Longer names win over
// the sum of their parts.
func (x *Index) nameItem(it *Item, stems []string, k int) {
	if x.ofTable(it.Tokens) {
		return // "names of customers": two names, the second says whose
	}
	x.lookUp(it, stems)
	it.preferTable()
	if k > 1 && it.Tokens[0].Stem == "number" { // "number of cards" is a count, unless a column counts them
		it.Columns = slices.DeleteFunc(it.Columns, func(c ColumnMatch) bool {
			return c.Dim.Role == semantic.RoleKey || !semantic.IsNumber(c.Dim.Type) || first(x.stems(c.Dim.Names.EN)) != "number"
		})
	}
	if slices.ContainsFunc(it.Tokens, func(t token.Token) bool { return slices.Contains(separators, t.Lower) }) {
		// Names seldom go over "and" or "in": only one that fits wholly counts.
		it.Tables = slices.DeleteFunc(it.Tables, func(t TableMatch) bool { return t.Score < WholeName })
		it.Columns = slices.DeleteFunc(it.Columns, func(c ColumnMatch) bool { return c.Score < WholeName || !x.inOrder(stems, c.Dim) })
	}
	if k == 1 && x.lex.Ends(it.Tokens[0].Lower) != nil && slices.Contains(predicates, it.prev.Lower) { // "are still open"
		if found := x.undone(it.Tokens[0].Lower); len(found) > 0 {
			it.Tables, it.Columns, it.Not, it.Score = nil, found, true, found[0].Score
			return
		}
	}
	if k == 1 && len(it.Tables) == 0 && len(it.Columns) == 0 {
		it.Columns = x.denied(it.Tokens[0].Lower)
		it.Not = len(it.Columns) > 0
	}
	if k == 1 && len(it.Tables)+len(it.Columns)+len(it.Tags) == 0 && it.Tokens[0].Kind == token.Word {
		it.Columns = x.commented(it.Tokens[0])
	}
	best := 0.0
	if len(it.Tables) > 0 {
		best = it.Tables[0].Score
	}
	if len(it.Columns) > 0 {
		best = max(best, it.Columns[0].Score)
	}
	if best == 0 {
		return
	}
	if k > 1 && best < 0.95 && slices.Contains([]string{"number", "count", "total", "average"}, it.Tokens[0].Lower) {
		it.Tables, it.Columns = nil, nil // an aggregate of a name, not a name
		return
	}
	if k > 1 && best < sureAggregate && glossed(it.Tokens[:1]) && slices.ContainsFunc(x.lex.Phrase(it.Tokens[0].Lower), func(t lexicon.Tag) bool { return t.Name != "stop" }) {
		it.Tables, it.Columns = nil, nil
		return
	}
	if k > 1 && x.saysHow(it.Tokens[k-1], best) {
		it.Tables, it.Columns = nil, nil
		return
	}
	if !only(it.Tags, lexicon.WeakTag, "lasting", "unit") && best < 0.9 { // a phrase that also looks like a name
		it.Tables, it.Columns = nil, nil
		return
	}
	it.Score = max(it.Score, best*1.0+0.05*float64(k-1))
	if k > 1 && slices.Contains(genericHeads, stems[len(stems)-1]) {
		it.Score += 0.01 // "phone number" is the phone, not a count of phones
	}
}

// inOrder reports whether stems stand in a column's name as they do in the question:
// "salary to min" is not the lowest salary.
func (x *Index) inOrder(stems []string, d *semantic.Dimension) bool {
	return slices.ContainsFunc(append([]string{d.Names.EN}, d.Synonyms...), func(name string) bool { return slices.Equal(x.stems(name), stems) })
}

// saysHow reports whether a Chinese word that ends a span says which or how many of
// the things before it: 工资最高 is no column of highest salaries, and 主持人数量 none
// of hosts unless it fits wholly.
func (x *Index) saysHow(last token.Token, score float64) bool {
	if last.Kind != token.Han {
		return false
	}
	return slices.ContainsFunc(x.lex.Phrase(last.Lower), func(t lexicon.Tag) bool {
		return t.Name == "super" || t.Name == "adjective" || t.Name == "count" && score < sureCount
	})
}

// sureCount is the score of a column that counts, named with the word for it.
const sureCount = 0.93

// denied returns the flags that a word with a prefix of negation denies.
func (x *Index) denied(word string) []ColumnMatch {
	for _, prefix := range []string{"in", "un", "non", "dis"} {
		rest, ok := strings.CutPrefix(word, prefix)
		if !ok || len(rest) < 4 {
			continue
		}
		out := slices.DeleteFunc(x.columnsOf([]string{token.Stem(rest)}), func(c ColumnMatch) bool { return c.Score < 0.95 || !Flag(c.Dim) })
		if len(out) > 0 {
			return out
		}
	}
	return x.undone(word)
}

// Flag reports whether a column says yes or no of its row.
func Flag(d *semantic.Dimension) bool { return d.Type == "boolean" || len(Truths(d)) > 0 }

// Truths are the stored values of a flag that mean yes; none for other columns.
func Truths(d *semantic.Dimension) []string {
	if d.Type == "boolean" {
		return []string{"true"}
	}
	yes, _ := answers(d)
	return yes
}

// Falsehoods are the stored values of a flag that mean no.
func Falsehoods(d *semantic.Dimension) []string {
	if d.Type == "boolean" {
		return []string{"false"}
	}
	_, no := answers(d)
	return no
}

func answers(d *semantic.Dimension) (yes, no []string) {
	if len(d.Values) == 0 || len(d.Values) > 2 || !d.Complete {
		return nil, nil
	}
	for _, v := range d.Values {
		switch semantic.Fold(v.Value) {
		case "y", "yes", "t", "true", "1":
			yes = append(yes, v.Value)
		case "n", "no", "f", "false", "0":
			no = append(no, v.Value)
		default:
			return nil, nil
		}
	}
	return yes, no
}

// valueItem adds the stored values that a span is. A single word in lower case
// is seldom one, so it counts less.
func (x *Index) valueItem(it *Item, tokens []token.Token) {
	if tokens[len(tokens)-1].Kind == token.Mark {
		return
	}
	key := valueKey(strings.Join(texts(tokens), " "))
	found := x.values[key]
	if len(tokens) == 1 && len(found) == 0 {
		for _, code := range x.lex.Codes(tokens[0].Lower) {
			for _, v := range x.values[code] {
				if len(v.Dim.Values) <= 10 {
					v.Score = 0.9
					found = append(found, v)
				}
			}
		}
	}
	if len(found) == 0 && tokens[len(tokens)-1].Kind == token.Word { // "dogs" for a stored dog
		found = x.singular[lexicon.Singular(key)]
	}
	if len(found) == 0 && len(tokens) == 1 && tokens[0].Kind == token.Word && len(it.Tags) == 0 {
		found = x.describedValues(tokens[0])
	}
	if len(found) == 0 {
		return
	}
	score := 0.75
	capital, proper := true, false
	for _, t := range tokens {
		small := slices.Contains(smallWords, t.Lower)
		capital = capital && (t.Capital() || t.Kind != token.Word || small)
		proper = proper || !small
	}
	capital = capital && proper
	if len(tokens) == 1 && !capital && (!proper || numberWords[tokens[0].Lower] != "") {
		return
	}
	if len(tokens) == 1 && !capital && !slices.ContainsFunc(found, func(v ValueMatch) bool { return v.Dim.Role == semantic.RoleCategory && len(v.Dim.Values) <= 50 }) {
		score = 0.5
	}
	switch {
	case len(tokens) > 1 && capital:
		score = 1.2
	case len(tokens) > 1:
		score = 0.95
	case capital && it.From > 0:
		score = 1.1
	}
	if len(key) < 2 && !capital {
		return
	}
	if !only(it.Tags, lexicon.WeakTag) && !capital && !(only(it.Tags, "light") && x.qualifies(it, found)) {
		return
	}
	it.Values = found
	it.Score = max(it.Score, score+0.02*float64(len(tokens)-1))
}
