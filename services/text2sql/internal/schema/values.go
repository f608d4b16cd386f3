package schema

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Value is a stored value that a span of a question may name, or several of one
// column that begin with it.
type Value struct {
	Column *Column
	Stored []string
	Score  float64 // 0 to 1
	Part   bool    // the span is a part of what is stored
	Across bool    // the span is a translation of what is stored
	Kin    bool    // the span is derived from what is stored, or that from it
}

type valueIndex struct {
	whole   map[string][]Value
	begin   map[string][]Value
	forms   map[string][]Value // by stem, of values of one word
	longest int                // words
}

// Bounds of the values that are looked up.
const (
	maxValueWords = 8
	maxValueRunes = 40
	maxBegun      = 6 // values of a column that begin alike and are meant together
	minForm       = 4 // letters of a word that other forms of a value are found by
)

func (v *View) indexValues(lex Lexis) {
	v.values = valueIndex{whole: map[string][]Value{}, begin: map[string][]Value{}, forms: map[string][]Value{}}
	for _, t := range v.Tables {
		for _, c := range t.Columns {
			if c.Nature == Flag || c.Time || !semantic.IsText(c.Type) {
				continue
			}
			begun := map[string][]string{}
			spellings := map[string][]string{} // by what they are but for capitals and blanks
			for _, s := range c.Values {
				spellings[Spelling(s.Value)] = append(spellings[Spelling(s.Value)], s.Value)
			}
			for _, s := range c.Values {
				v.values.add(Value{Column: c, Stored: spellings[Spelling(s.Value)], Score: 1}, s.Value)
				if c.Nature == Category && han(s.Value) {
					v.values.addEnglish(c, s.Value, lex)
				}
				if done, ok := strings.CutPrefix(s.Value, "已"); ok && han(done) { // 已取消: 取消
					v.values.add(Value{Column: c, Stored: []string{s.Value}, Score: doneFit}, done)
				}
				for _, synonym := range s.Synonyms {
					v.values.add(Value{Column: c, Stored: []string{s.Value}, Score: 1}, synonym)
				}
				for _, b := range beginnings(s.Value) {
					if !slices.Contains(begun[b], s.Value) {
						begun[b] = append(begun[b], s.Value)
					}
				}
			}
			for _, pair := range lex.Opposites() {
				v.values.addOpposites(c, pair)
			}
			for b, stored := range begun {
				if words := strings.Count(b, " ") + 1; len(stored) <= maxBegun && (words > 1 || han(b) || c.Nature == Category) {
					score := partFit
					if words == 1 && !han(b) {
						score = wordFit
					}
					v.values.begin[b] = append(v.values.begin[b], Value{Column: c, Stored: stored, Score: score, Part: true})
				}
			}
		}
	}
}

// addOpposites indexes the words for two values that stand for each other, where a column has both: F beside M
// is of women, and M beside S and L is not of men.
func (x *valueIndex) addOpposites(c *Column, pair [2]lexicon.ValueWords) {
	var stored [2][]string
	for _, s := range c.Values {
		for i, side := range pair {
			if key := ValueKey(s.Value); slices.Contains(side.Codes, key) || slices.Contains(side.Words, key) {
				stored[i] = append(stored[i], s.Value)
			}
		}
	}
	if len(stored[0]) == 0 || len(stored[1]) == 0 || len(c.Values)-len(stored[0])-len(stored[1]) > len(pair) { // beside them it may be unknown, or another
		return
	}
	for i, side := range pair {
		for _, word := range side.Words {
			x.add(Value{Column: c, Stored: stored[i], Score: oppositeFit}, word)
		}
	}
}

// Stores reports whether a text is one of the values that are known of a column.
func (c *Column) Stores(text string) bool {
	return slices.ContainsFunc(c.Values, func(v semantic.Value) bool { return v.Value == text })
}

// Spelling folds what people do not tell apart in a value: capitals, and blanks at its ends
// and in a row. "A-" is not "A".
func Spelling(value string) string { return strings.ToLower(strings.Join(strings.Fields(value), " ")) }

// beginnings are the first words of a value, or the first characters of one in
// Chinese.
func beginnings(value string) []string {
	key := ValueKey(value)
	var out []string
	if han(key) {
		runes := []rune(key)
		for n := 2; n < len(runes) && n <= maxValueRunes; n++ {
			out = append(out, string(runes[:n]))
		}
		return out
	}
	words := strings.Fields(key)
	for n := 1; n < len(words) && n <= maxValueWords; n++ {
		if b := strings.Join(words[:n], " "); len(b) >= 4 {
			out = append(out, b)
		}
	}
	return out
}

// Fits of values that are not said as they are stored.
const (
	acrossFit   = 0.9  // in translation
	oppositeFit = 0.95 // another word for one of two: women for F
	doneFit     = 0.95 // without the character that says that it is done
	formFit     = 0.85 // another form of the word: cancellation for Cancelled
	kinFit      = 0.85 // a word that it is derived from: Japanese for Japan
	partFit     = 0.85 // their first words
	wordFit     = 0.7  // their first word
	minAcross   = 0.9  // below which a translation is one of a part or of a rare sense
)

// addEnglish indexes what a value in Chinese is in English.
func (x *valueIndex) addEnglish(c *Column, stored string, lex Lexis) {
	for _, g := range lex.English(stored) {
		if g.Score >= minAcross {
			x.add(Value{Column: c, Stored: []string{stored}, Score: acrossFit * g.Score, Across: true}, g.Text)
		}
	}
}

func (x *valueIndex) add(v Value, text string) {
	key := ValueKey(text)
	n := len(strings.Fields(key))
	if key == "" || n > maxValueWords || utf8.RuneCountInString(key) > maxValueRunes {
		return
	}
	x.longest = max(x.longest, n)
	x.put(key, v)
	if v.Column.Nature == Category && n == 1 && len(key) >= minForm && !han(key) {
		form := v
		form.Score = min(form.Score, formFit)
		stem := token.Stem(key)
		x.forms[stem] = append(x.forms[stem], form)
	}
	v.Score -= 0.03
	if one := lexicon.Singular(key); one != key && len(one) > 2 {
		x.put(one, v)
	} else if many := lexicon.Plural(key); many != key && len(key) > 2 && !han(key) {
		x.put(many, v)
	}
}

func (x *valueIndex) put(key string, v Value) {
	for _, have := range x.whole[key] {
		if have.Column == v.Column && slices.Equal(have.Stored, v.Stored) {
			return
		}
	}
	x.whole[key] = append(x.whole[key], v)
}

// Values finds the stored values that a text names: those that it is, else those that
// begin with it, where parts count.
func (v *View) Values(text string, parts bool) []Value {
	key := ValueKey(text)
	if found := v.values.whole[key]; len(found) > 0 || !parts {
		return asSaid(found, text)
	}
	if found := v.values.begin[key]; len(found) > 0 {
		return found
	}
	if len(key) >= minForm && !han(key) && !strings.Contains(key, " ") {
		return v.values.formsOf(key)
	}
	return nil
}

// formsOf are the values of which a word is another form. A field is no form of those who are in it, though
// both have one stem: athletes and athletics.
func (x *valueIndex) formsOf(key string) []Value {
	found := x.forms[token.Stem(key)]
	if strings.Contains(key, "ic") {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), func(v Value) bool {
		return len(v.Stored) > 0 && strings.HasSuffix(ValueKey(v.Stored[0]), "ics")
	})
}

// ValuesOfKin finds the stored values that an English word is derived from, or that are derived
// from it: Japan for Japanese, sun for sunny. Of a column those of the word's commonest sense are
// meant.
func (v *View) ValuesOfKin(word string, lex Lexis) []Value {
	var out []Value
	for _, other := range lex.Kin(strings.ToLower(word), false) {
		for _, x := range v.values.whole[ValueKey(other)] {
			if x.Across || x.Column.Nature != Category || slices.ContainsFunc(out, func(o Value) bool { return o.Column == x.Column }) {
				continue
			}
			x.Score, x.Kin = x.Score*kinFit, true
			out = append(out, x)
		}
	}
	return out
}

// asSaid leaves out, of the values of a column, those that are written with other marks than
// what was said where another is written so: A of a blood group where A- is asked for.
func asSaid(found []Value, text string) []Value {
	spelling, key := Spelling(text), ValueKey(text)
	said, all := make([]bool, len(found)), true
	for i, v := range found {
		said[i] = slices.ContainsFunc(v.Stored, func(s string) bool { return s == text || Spelling(s) == spelling })
		all = all && said[i]
	}
	if all {
		return slices.Clone(found)
	}
	exact := map[*Column]bool{}
	for i, v := range found {
		exact[v.Column] = exact[v.Column] || said[i]
	}
	var out []Value
	for i, v := range found {
		if said[i] || !exact[v.Column] || !slices.ContainsFunc(v.Stored, func(s string) bool { return ValueKey(s) == key }) {
			out = append(out, v)
		}
	}
	return out
}

// ValuesAcross finds the stored values in English that a Chinese text names.
func (v *View) ValuesAcross(text string, lex Lexis) []Value {
	var out []Value
	for _, g := range lex.English(text) {
		for _, x := range v.Values(g.Text, false) {
			if !x.Across && g.Score >= minAcross { // a translation of a translation is no value
				x.Score *= g.Score
				out = append(out, x)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Value) int { return cmp.Compare(b.Score, a.Score) })
	if len(out) == 0 {
		return v.formsAcross(text, lex)
	}
	return slices.DeleteFunc(out, func(x Value) bool { return v.oneOfSeveral(text, x, lex) })
}

// oneOfSeveral reports whether a Chinese text that was taken for a stored value by its translation says
// another value of the column beside it: 男女 is not women alone.
func (v *View) oneOfSeveral(text string, x Value, lex Lexis) bool {
	han := []rune(text)
	for i := 1; i < len(han); i++ {
		for _, part := range []string{string(han[:i]), string(han[i:])} {
			for _, g := range lex.English(part) {
				if slices.ContainsFunc(v.Values(g.Text, false), func(o Value) bool {
					return o.Column == x.Column && !o.Across && g.Score >= minAcross && !slices.ContainsFunc(o.Stored, func(s string) bool { return slices.Contains(x.Stored, s) })
				}) {
					return true
				}
			}
		}
	}
	return false
}

// formsAcross finds the one stored value that is a form of a word which a Chinese text may
// mean, as a state is kept: 失败 means to fail, and Failed is stored. Several are none:
// which is meant nobody said.
func (v *View) formsAcross(text string, lex Lexis) []Value {
	var found *Value
	for _, g := range lex.English(text) {
		if strings.Contains(g.Text, " ") {
			continue
		}
		for _, x := range v.values.formsOf(ValueKey(g.Text)) {
			x.Score *= g.Score
			switch {
			case x.Across:
			case found == nil:
				found = &x
			case found.Column != x.Column || !slices.Equal(found.Stored, x.Stored):
				return nil
			}
		}
	}
	if found == nil || v.oneOfSeveral(text, *found, lex) {
		return nil
	}
	return []Value{*found}
}

// LongestValue is how many words the longest value has that is looked up.
func (v *View) LongestValue() int { return v.values.longest }

// ValueKey folds a text and puts one blank between its words, so that "FJA-Filming" and
// "fja filming" meet.
func ValueKey(s string) string {
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
