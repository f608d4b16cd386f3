package reader

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
)

// placed are tags of words that say nothing by themselves: what stands beside them decides.
var placed = []string{"single", "keeping"}

// tagged is the tag of a phrase that stands from one token to before another, and its argument.
func (r *Reader) tagged(l *lattice, from, to int, name string) (arg string, ok bool) {
	if to > len(l.tokens) {
		return "", false
	}
	for _, t := range r.language.Tags(language.Key(l.tokens[from:to])) {
		if t.Name == name {
			return t.Arg, true
		}
	}
	return "", false
}

// passOver adds that a span carries nothing.
func (l *lattice) passOver(from, to int) {
	l.add(&item{from: from, to: to, class: classWord, tag: language.Tag{Name: language.Stop}, cost: costItem / 2})
}

// singles adds that a word restricts nothing which says that a largest or a compared number is one of a row:
// "the single largest order", 单笔超过.
func (r *Reader) singles(l *lattice) {
	for i := range l.tokens {
		for to := i + 1; to <= i+maxAside; to++ {
			if _, ok := r.tagged(l, i, to, "single"); !ok {
				continue
			}
			if l.begins(to, "super", "cmp", "most") || l.endsAt(i, "super") || to > i+1 && l.compares() {
				l.ones = true
				l.passOver(i, to)
			}
		}
	}
}

// atLeastOne adds that words for one and any number more say no more than that there is one, right before what is
// named or stored: "at least one course", "one or more courses". Before a number, it is compared with one.
func (r *Reader) atLeastOne(l *lattice) {
	const words = 3
	for i := range l.tokens {
		to := i + words
		if to >= len(l.tokens) || !r.language.IsOf("one_or_more", language.Key(l.tokens[i:to])) || slices.ContainsFunc(l.at[to], func(it *item) bool { return it.class == classUnit || it.class == classGrain }) {
			continue
		}
		if slices.ContainsFunc(l.at[to], func(it *item) bool {
			return it.class == className && it.hits[0].Score >= knownName && (it.hits[0].Column == nil || !it.hits[0].Column.Numeric()) || it.class == classValue && len(it.values) > 0 && !it.values[0].Part
		}) {
			l.passOver(i, to)
		}
	}
}

// compares reports whether a question compares something with a number, or asks for the largest.
func (l *lattice) compares() bool {
	return slices.ContainsFunc(slices.Concat(l.at...), func(it *item) bool { return it.is("super", "cmp") })
}

// maxAside is how many tokens a word that says nothing by itself has at most.
const maxAside = 3

// begins reports whether a word with one of some tags begins at a token.
func (l *lattice) begins(at int, tags ...string) bool {
	return at < len(l.tokens) && slices.ContainsFunc(l.at[at], func(it *item) bool { return it.is(tags...) })
}

// endsAt reports whether a word with one of some tags ends before a token.
func (l *lattice) endsAt(to int, tags ...string) bool {
	return slices.ContainsFunc(slices.Concat(l.at[max(0, to-maxNameTokens):to]...), func(it *item) bool { return it.to == to && it.is(tags...) })
}

// oneByOne reports whether the rows are meant one by one, and no sums over them: "the highest ever".
func (l *lattice) oneByOne() bool {
	return l.ones || slices.ContainsFunc(l.tokens, func(t language.Token) bool { return t.Lower == "ever" })
}

// Words that stand before and behind what keeps the rows.
var (
	keptIn    = []string{"in", "on", "of", "from", "at"}
	keptThe   = []string{"the", "this", "our", "my"}
	keptInHan = []string{"里", "中", "内", "里面", "上"}
)

// keepers adds that a phrase restricts nothing which says what keeps the rows or whose they are, where nothing of
// the data is called so: "in the log", "on file", 名单里, "the company".
func (r *Reader) keepers(l *lattice) {
	for i := range l.tokens {
		for to := i + 1; to <= i+maxAside; to++ {
			arg, ok := r.tagged(l, i, to, "keeping")
			if !ok || l.names(i, to) {
				continue
			}
			if l.tokens[i].Kind == language.Han {
				for n := 1; n <= 2 && to+n <= len(l.tokens); n++ {
					if slices.Contains(keptInHan, l.span(to, to+n)) {
						l.passOver(i, to+n)
					}
				}
				continue
			}
			from := i
			for from > 0 && slices.Contains(keptThe, l.tokens[from-1].Lower) {
				from--
			}
			the := from < i
			in := from > 0 && slices.Contains(keptIn, l.tokens[from-1].Lower)
			if in {
				from--
			}
			if the && (in || arg == "owner") || in && l.tokens[from].Lower == "on" {
				l.passOver(from, to)
			}
		}
	}
}

// names reports whether the data have a name or a value in some tokens.
func (l *lattice) names(from, to int) bool {
	return slices.ContainsFunc(slices.Concat(l.at[max(0, from-maxNameTokens):to]...), func(it *item) bool {
		return it.to > from && (it.class == className || it.class == classValue)
	})
}
