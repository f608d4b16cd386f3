package reader

import (
	"slices"
	"strconv"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// A column of places in an order, a rank or a position, is spoken of by the places: "number one",
// "in the top ten", 第一名. Where the tables have one such column, such words are conditions on it.

// placesOf adds the places in an order that the question names.
func (l *lattice) placesOf(v *schema.View) {
	column := v.PlaceColumn()
	if column == nil {
		return
	}
	add := func(from, to int, cmp, number string) {
		for _, at := range l.at[from:to] { // the words say nothing else there
			for _, it := range at {
				if it.to <= to && it.class != className && it.class != classValue {
					it.cost += costNamed
				}
			}
		}
		l.add(&item{from: from, to: to, class: classWord, tag: language.Tag{Name: "place", Arg: cmp}, number: number, place: column, cost: costItem})
	}
	for i, t := range l.tokens {
		switch {
		case t.Kind == language.Word:
			if to, n := l.placeSaid(i); n > 0 {
				add(i, to, "=", strconv.Itoa(n))
			}
			if to, n := l.amongTop(i); n > 0 {
				add(i, to, "<=", strconv.Itoa(n))
			}
		case t.Kind == language.Han:
			if to, n := l.placeHan(i, "第"); n > 0 {
				add(i, to, "=", strconv.Itoa(n))
			}
			if to, n := l.placeHan(i, "前"); n > 0 {
				add(i, to, "<=", strconv.Itoa(n))
			}
			for _, won := range []string{"冠军", "榜首"} {
				if to := i + len([]rune(won)); to <= len(l.tokens) && l.span(i, to) == won {
					add(i, to, "=", "1")
				}
			}
		}
	}
}

// saysPlace reports whether a place in an order is named at a token, or in words that it is part of.
func (l *lattice) saysPlace(i int) bool {
	for from := range i + 1 {
		if slices.ContainsFunc(l.at[from], func(it *item) bool { return it.is("place") && it.to > i }) {
			return true
		}
	}
	return false
}

// numberAt is the number that a token is; 0: it is none.
func (l *lattice) numberAt(i int) int {
	if i < 0 || i >= len(l.tokens) {
		return 0
	}
	if l.tokens[i].Lower == "one" {
		return 1
	}
	for _, it := range l.at[i] {
		if it.class == classNumber && it.to == i+1 {
			if n, err := strconv.Atoi(it.number); err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}

// placeSaid reads "number one", "No. 1", "at the top"; n is 0 where none of them begins at a token.
func (l *lattice) placeSaid(i int) (to, n int) {
	switch {
	case l.is(i, "number", "no"):
		at := i + 1
		if l.is(at, ".") {
			at++
		}
		if n := l.numberAt(at); n > 0 && !l.is(at+1, "of") {
			return at + 1, n
		}
	case l.is(i, "at") && l.is(i+1, "the") && l.is(i+2, "top") && !l.is(i+3, "of"):
		return i + 3, 1
	}
	return 0, 0
}

// amongTop reads "in the top ten"; n is 0 where it does not begin at a token.
func (l *lattice) amongTop(i int) (to, n int) {
	if !l.is(i, "in", "into", "within", "inside", "reach", "reached", "made", "make", "hit", "cracked", "entered") {
		return 0, 0
	}
	at := i + 1
	if l.is(at, "the") {
		at++
	}
	if n := l.numberAt(at + 1); l.is(at, "top") && n > 0 {
		return at + 2, n
	}
	return 0, 0
}

// placeHan reads 第一名, 前十名 and the like; n is 0 where none begins at a token.
func (l *lattice) placeHan(i int, first string) (to, n int) {
	if l.tokens[i].Text != first || i+2 >= len(l.tokens) {
		return 0, 0
	}
	for _, it := range l.at[i+1] {
		if it.class != classNumber || it.to >= len(l.tokens) || !slices.Contains([]string{"名", "位"}, l.tokens[it.to].Text) {
			continue
		}
		if n, err := strconv.Atoi(it.number); err == nil && n > 0 {
			return it.to + 1, n
		}
	}
	return 0, 0
}
