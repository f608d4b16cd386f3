package reader

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// acts adds the verbs that say how two things which are named belong together, "countries that
// speak English", by their place: in the present, behind "that" or "who", behind "do not" or
// "are", or right behind the plural of who does it, and before a name or a stored value. What
// was done to something may be one of the states that its rows have, and is no such verb.
func (r *Reader) acts(l *lattice) {
	for i, t := range l.tokens {
		first, _ := utf8.DecodeRuneInString(t.Text)
		if i == 0 || t.Kind != language.Word || !unicode.IsLower(first) || participle(t.Lower) || irregular(t.Lower) || l.known(i, i+1) {
			continue
		}
		if l.actor(i) && l.actedOn(i+1) {
			l.add(&item{from: i, to: i + 1, class: classWord, tag: language.Tag{Name: "acts"}, cost: costTaken})
		}
	}
	r.keptNone(l)
}

// keptNone adds the verbs of Chinese that stand between what denies and a column which is empty in some rows, and
// say no more than that something is kept there: 没有登记电话, 没留邮箱. What has rows of its own, or a day, may have
// been done and undone: 没有取消订单.
func (r *Reader) keptNone(l *lattice) {
	const maxVerb = 2 // characters
	for i, at := range l.at {
		for _, deny := range at {
			if l.tokens[i].Kind != language.Han || !deny.is("not", "never") {
				continue
			}
			for to := deny.to + 1; to <= min(len(l.tokens)-1, deny.to+maxVerb); to++ {
				if l.tokens[to-1].Kind != language.Han || l.known(deny.to, to) {
					break
				}
				if r.language.IsOf("puts_down", l.span(deny.to, to)) && slices.ContainsFunc(l.at[to], (*item).keeps) {
					l.add(&item{from: deny.to, to: to, class: classWord, tag: language.Tag{Name: "acts"}, cost: costTaken})
				}
			}
		}
	}
}

// headName is how well the last characters of a name fit it: 电话 of 联系电话.
const headName = 0.75

// keeps reports whether an item is the name of a column that some rows have nothing in.
func (it *item) keeps() bool {
	if it.class != className || it.hits[0].Column == nil || it.hits[0].Score < headName {
		return false
	}
	c := it.hits[0].Column
	return c.Missing > 0 && !c.Time && !c.Points && !c.Numeric() && c.Nature != schema.Flag
}

// degrees adds the verbs of Chinese that stand with 得 before a superlative, 跑得最多: what is done
// is said by what stands before them. What rows are stored to have become is no such verb: 退得最多 where some are 已退款.
func (r *Reader) degrees(l *lattice, v *schema.View) {
	for i := 1; i < len(l.tokens); i++ {
		if l.tokens[i].Text != "得" || i+1 >= len(l.tokens) || !slices.ContainsFunc(l.at[i+1], func(it *item) bool { return it.is("most", "super", "rival") }) {
			continue
		}
		if from := i - 1; l.tokens[from].Kind == language.Han && from > 0 && !r.becomes(l.tokens[from].Text, v) && !slices.ContainsFunc(l.at[from], func(it *item) bool { return it.class == className && !it.alone && it.to == i }) {
			l.add(&item{from: from, to: i + 1, class: classWord, tag: language.Tag{Name: "acts"}, cost: costTaken})
		}
	}
}

// becomes reports whether a Chinese character is part of a stored value, or one in another language stands for it.
func (r *Reader) becomes(character string, v *schema.View) bool {
	return len(v.ValuesAcross(character, r.lexis)) > 0 || slices.ContainsFunc(v.Tables, func(t *schema.Table) bool {
		return slices.ContainsFunc(t.Columns, func(c *schema.Column) bool {
			return c.Nature == schema.Category && slices.ContainsFunc(c.Values, func(x semantic.Value) bool { return strings.Contains(x.Value, character) })
		})
	})
}

// did adds the verbs of Chinese that stand before a number as what was done so many times: 考了三次,
// 参演过三部. maxDid is how many characters they have at most.
func (l *lattice) did() {
	const maxDid = 3
	for i := 1; i+1 < len(l.tokens); i++ {
		if !slices.Contains([]string{"了", "过"}, l.tokens[i].Text) || !slices.ContainsFunc(l.at[i+1], func(it *item) bool { return it.class == classNumber || it.is("cmp") }) {
			continue
		}
		for from := i - 1; from >= max(0, i-maxDid) && l.tokens[from].Kind == language.Han && !l.asks(from, i+1); from-- {
			cost := costTaken
			if l.known(from, i) {
				cost += costTaken
			}
			l.add(&item{from: from, to: i + 1, class: classWord, tag: language.Tag{Name: "did"}, cost: cost + costItem*float64(i-from)})
		}
	}
}

// doneMost takes verbs for no more than verbs where there is most of what follows: "hit the most home runs" of a
// table that has hits as well, "finished the most races" over finish minutes. Days on which it was done are left.
func (l *lattice) doneMost() {
	for i := 1; i < len(l.tokens); i++ {
		verb := l.tokens[i-1]
		if verb.Kind != language.Word || !participle(verb.Lower) && !irregular(verb.Lower) {
			continue
		}
		if slices.ContainsFunc(l.at[i], func(it *item) bool { return it.is("most") && it.to < len(l.tokens) && l.called(it.to) }) {
			named := len(l.at[i-1])
			l.at[i-1] = slices.DeleteFunc(l.at[i-1], func(it *item) bool {
				return it.class == className && it.to == i && it.hits[0].Column != nil && it.hits[0].Column.Numeric()
			})
			for _, it := range l.at[i-1] {
				if it.class == classIgnored && it.to == i && len(l.at[i-1]) < named { // as any verb that nothing knows
					it.class = classUnknown
				}
			}
		}
	}
}

// called reports whether something of the data is called by what begins at a token.
func (l *lattice) called(i int) bool {
	return slices.ContainsFunc(l.at[i], func(it *item) bool { return it.class == className && it.hits[0].Score >= knownName })
}

// asks reports whether a word of comparing, asking or denying ends within some characters, or begins
// there: 超过 is no verb.
func (l *lattice) asks(from, to int) bool {
	for at := max(0, from-maxNameTokens); at < to; at++ {
		if slices.ContainsFunc(l.at[at], func(it *item) bool { return it.to > from && it.to <= to && it.is(structural...) }) {
			return true
		}
	}
	return false
}

// notOne adds the Chinese words that deny even one: 一场都没, 一次也没有.
func (r *Reader) notOne(l *lattice, i int) {
	if i+3 >= len(l.tokens) || l.tokens[i].Text != "一" || !slices.Contains([]string{"都", "也"}, l.tokens[i+2].Text) || !slices.Contains([]string{"没", "未", "不"}, l.tokens[i+3].Text) {
		return
	}
	if !slices.ContainsFunc(r.language.Tags(l.tokens[i+1].Text), func(t language.Tag) bool { return t.Name == "classifier" }) {
		return
	}
	to := i + 4
	if to < len(l.tokens) && l.tokens[to].Text == "有" {
		to++
	}
	l.add(&item{from: i, to: to, class: classWord, tag: language.Tag{Name: "never", Arg: "one"}, cost: costItem / 2})
}

// actor reports whether before a token stands who does something, so that the token is what is
// done.
func (l *lattice) actor(i int) bool {
	word, before := l.tokens[i].Lower, l.tokens[i-1].Lower
	ing := strings.HasSuffix(word, "ing")
	third := strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss")
	switch {
	case l.has(i-1, "not"): // "do not play", "are not playing"
		auxiliary := i > 1 && (ing && l.has(i-2, "be") || !ing && slices.Contains(doing, l.tokens[i-2].Lower))
		short := !ing && slices.Contains(doing, strings.TrimSuffix(before, "n't"))
		return auxiliary || short
	case ing:
		return l.has(i-1, "be")
	case slices.Contains(relatives, before):
		return l.ended(i-1, third)
	}
	return !third && base(word) && l.ended(i, false)
}

// doing are the verbs that deny others; relatives say that a verb follows of what stands before.
var (
	doing     = []string{"do", "does", "did"}
	relatives = []string{"that", "who", "which", "where", "whom", "when"}
)

// named reports whether a name that fits well ends with a token, before another.
func (l *lattice) named(at, to int) bool {
	return l.firmly(at, func(it *item) bool { return it.to == to }) != nil
}

// ended reports whether a name of things ends before a token: one of them, or many.
func (l *lattice) ended(at int, one bool) bool {
	if at == 0 {
		return false
	}
	last := l.tokens[at-1].Lower
	many := strings.HasSuffix(last, "s") || slices.Contains(plurals, last)
	return many != one && l.firmly(at-1, func(it *item) bool {
		return it.to == at && (it.hits[0].Column == nil || !it.hits[0].Column.Numeric())
	}) != nil
}

// actedOn reports whether from a token on stands what something is done to.
func (l *lattice) actedOn(i int) bool {
	for ; i < len(l.tokens) && (l.has(i, language.Stop, "both") || l.tokens[i].Lower == "in"); i++ {
	}
	return i < len(l.tokens) && slices.ContainsFunc(l.at[i], func(it *item) bool {
		return it.class == className && it.hits[0].Score >= knownName || it.class == classValue
	})
}
