package parse

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/services/text2sql/link"
)

// terminal is a sense in which a rule may take an item.
type terminal struct {
	name  string
	kind  string // table, column, flag, value, number, year, period, grain, name, text; else a tag
	arg   string // of a tag; empty: any
	word  string // a word itself, written "word" in a rule
	named bool   // a name of the layer: its link score counts
}

// newTerminal reads a symbol of a rule: table, tag, tag:argument or "word".
func newTerminal(s string) (terminal, error) {
	if w, ok := strings.CutPrefix(s, `"`); ok {
		return terminal{name: strings.Trim(s, `"`), word: strings.TrimSuffix(w, `"`)}, nil
	}
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return terminal{}, fmt.Errorf("no rule makes %q and it is no kind of item", s)
	}
	kind, arg, _ := strings.Cut(s, ":")
	return terminal{name: s, kind: kind, arg: arg, named: kind == "table" || kind == "column" || kind == "value" || kind == "flag" || kind == "number"}, nil
}

// takes reports whether an item can be meant so, and how well the link fits: 1 is
// best.
func (t *terminal) takes(it *link.Item) (score float64, ok bool) {
	switch {
	case t.word != "":
		return 1, lower(it) == t.word
	case t.kind == "table":
		if len(it.Tables) == 0 {
			return 0, false
		}
		return it.Tables[0].Score, true
	case t.kind == "column":
		if len(it.Columns) == 0 {
			return 0, false
		}
		return it.Columns[0].Score, true
	case t.kind == "flag":
		if !isFlagItem(it) {
			return 0, false
		}
		return it.Columns[0].Score, true
	case t.kind == "value":
		if it.Quoted {
			return 1, true
		}
		if len(it.Values) == 0 {
			return 0, false
		}
		return it.Values[0].Score, true
	case t.kind == "multiple":
		return 1, multiples[lower(it)] != ""
	case t.kind == "number" && it.Period != nil:
		return numberOfPeriod, it.Number != ""
	case t.kind == "number":
		return 1, it.Number != ""
	case t.kind == "year":
		return 1, isYear(it.Number)
	case t.kind == "period":
		return 1, it.Period != nil && it.Period.Grain == ""
	case t.kind == "grain":
		return 1, it.Period != nil && it.Period.Grain != ""
	case t.kind == "name":
		return 1, it.Unknown() && looksNamed(it.Text)
	case t.kind == "text":
		return 1, it.Unknown() || it.Quoted || len(it.Values) > 0 || len([]rune(it.Text)) == 1
	}
	for _, tag := range it.Tags {
		if tag.Name == t.kind && (t.arg == "" || tag.Arg == t.arg) {
			return 1, true
		}
	}
	return 0, false
}

// numberOfPeriod is how well a year fits as a mere number where it can be a time.
const numberOfPeriod = 0.5

// looksNamed reports whether a word that nothing covers is written like a name, a
// code or an address.
func looksNamed(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsUpper(r) || unicode.IsDigit(r) || r == '@' || unicode.Is(unicode.Han, r)
	})
}

// class is what an item looks like to its neighbours and when it is passed over.
type class int

// classes are the classes by number. Those after the first are tags of the
// lexicon, the more telling first.
func classes() []string {
	return []string{"edge", "unknown", "number", "period", "value", "table", "column",
		"by", "its", "isnull", "notnull", "cmp", "between", "contains", "starts", "ends", "after", "before", "post",
		"count", "agg", "super", "common", "adjective", "rate", "star", "distinct", "group", "order", "top",
		"both", "not", "or", "and", "but", "rel", "of", "which", "mark", "calc", "infix", "span", "lasting", "unit", "mean", "overall", "percent", "versus", "other"}
}

func (c class) String() string { return classes()[c] }

// goodName is the score from which on a link is what an item is first taken for.
const goodName = 0.8

// classOf says what an item is first taken for.
func classOf(it *link.Item) class {
	name := func(s string) class { return class(slices.Index(classes(), s)) }
	best, kind := 0.0, ""
	better := func(score float64, k string) {
		if score > best {
			best, kind = score, k
		}
	}
	if len(it.Tables) > 0 {
		better(it.Tables[0].Score, "table")
	}
	if len(it.Columns) > 0 {
		better(it.Columns[0].Score, "column")
	}
	if len(it.Values) > 0 {
		better(it.Values[0].Score, "value")
	}
	switch {
	case it.Quoted:
		return name("value")
	case it.Number != "":
		return name("number")
	case it.Period != nil:
		return name("period")
	case lower(it) == "by":
		return name("by")
	case best >= goodName:
		return name(kind)
	}
	for i, c := range classes() {
		if c != "value" && c != "table" && c != "column" && it.Is(c) {
			return class(i)
		}
	}
	switch {
	case kind != "":
		return name(kind)
	case it.Unknown():
		return name("unknown")
	}
	return name("other")
}
