package metric

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// bare reports whether nothing is known of a unit.
func (u *unit) bare() bool {
	return len(u.meanings) == 0 && len(u.tags) == 0 && u.date == nil && u.amount == nil && u.number == 0 && !u.mark()
}

// asFiller marks a unit whose words are read together with others.
func (u *unit) asFiller() { u.meanings, u.tags = nil, []lexicon.Tag{{Name: "filler"}} }

// modified reads names of metrics whose words stand apart: "CSAT of the chatbot"
// where there is a "chatbot CSAT", "did buyers in Brazil spend" where there is
// "buyers spend".
func (n *Names) modified(units []unit) {
	for i := range units {
		if !units[i].bare() {
			continue
		}
		for j := range units {
			if i == j || !units[j].has(kindMetric) && !units[j].has(kindEntity) || ranksBetween(units, i, j) {
				continue
			}
			names := n.byKey[keyOf(slices.Concat(units[i].tokens, units[j].tokens))]
			if j < i && len(names) == 0 {
				names = n.byKey[keyOf(slices.Concat(units[j].tokens, units[i].tokens))]
			}
			whole := slices.DeleteFunc(slices.Clone(names), func(m meaning) bool { return m.kind != kindMetric })
			if len(whole) > 0 {
				units[j].meanings = whole
				units[i].asFiller()
				break
			}
		}
	}
}

// ranksBetween reports whether something is ranked between two places: "lost the most
// GMV" is no question about lost GMV.
func ranksBetween(units []unit, i, j int) bool {
	return slices.ContainsFunc(units[min(i, j):max(i, j)], func(u unit) bool { return u.is("super") || u.is("versus") })
}

// mostPieces bounds the units that the first words of a listed name may be cut in.
const mostPieces = 4

// sharedHeads reads names that share their last words with the next in a list:
// "local and cross-border sellers", 金卡或铂金会员.
func (n *Names) sharedHeads(question string, units []unit) []unit {
	for i := range units {
		n.sharedNoun(question, units, i)
		for k := i + 1; k <= min(i+mostPieces, len(units)-1) && units[k-1].bare(); k++ {
			j := k
			word := units[k].is("and") || units[k].is("or")
			if word {
				j++
			}
			if j >= len(units) || !word && !strings.ContainsAny(question[units[k-1].end():units[k].start()], ",，、/") {
				continue
			}
			if same := n.headed(question, units[i:k], &units[j], units[k].is("or")); len(same) > 0 {
				units[i] = unit{tokens: tokensOf(units[i:k]), meanings: same}
				units = slices.Delete(units, i+1, k)
				break
			}
		}
	}
	return units
}

// sharedNoun reads the first of "cancelled and returned orders" as the figure it is
// with the other's noun: two values of one column at once are nothing.
func (n *Names) sharedNoun(question string, units []unit, i int) {
	if i+2 >= len(units) || !units[i+1].is("and") || !units[i+2].has(kindMetric) || !units[i].has(kindValue) && !units[i].has(kindFilter) && !units[i].is("light") {
		return
	}
	if i > 0 && units[i-1].is("not") { // what is left out are values
		return
	}
	if same := n.headed(question, units[i:i+1], &units[i+2], false); slices.ContainsFunc(same, func(m meaning) bool { return m.kind == kindMetric }) {
		units[i].meanings = slices.DeleteFunc(same, func(m meaning) bool { return m.kind != kindMetric })
	}
}

// headed are the meanings of some words together with the last words of a name,
// of the same kind as its own.
func (n *Names) headed(question string, first []unit, named *unit, either bool) []meaning {
	words := tokensOf(first)
	var keys []string
	if named.tokens[0].Kind == token.Han {
		text := []rune(question[named.start():named.end()])
		for s := 1; s < len(text); s++ {
			keys = append(keys, keyOf(words)+strings.ReplaceAll(string(text[s:]), "的", ""))
		}
	}
	for s := 1; s < len(named.tokens); s++ {
		keys = append(keys, keyOf(slices.Concat(words, named.tokens[s:])))
	}
	for _, key := range keys {
		same := slices.DeleteFunc(slices.Clone(n.byKey[key]), func(m meaning) bool {
			return either && m.kind == kindMetric || !slices.ContainsFunc(named.meanings, func(o meaning) bool {
				return o.kind == m.kind && (m.kind != kindValue || o.id == m.id)
			})
		})
		if len(same) > 0 {
			return same
		}
	}
	return nil
}

func tokensOf(units []unit) []token.Token {
	var out []token.Token
	for i := range units {
		out = append(out, units[i].tokens...)
	}
	return out
}
