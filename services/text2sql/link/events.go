package link

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/daytext"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Bounds of names of days and times that a verb stands for.
const (
	minEvent   = 0.5  // of the verb to the words of a name that say what happened
	eventScore = 0.93 // of a day whose name says what the verb does
	maxBetween = 3    // items between a verb and its time
)

// events are the days and times whose names say what a verb does: hire_date of
// "hired", shipped_at of "shipped". The words that only say that a name is of a
// time do not count.
func (x *Index) events(stem string) []ColumnMatch {
	var out []ColumnMatch
	for _, c := range x.columnsOf([]string{stem}) {
		if c.Score < minEvent || !daytext.Holds(c.Dim) {
			continue
		}
		best := 0.0
		for _, s := range x.stems(c.Dim.Names.EN) {
			if !slices.Contains(timeHeads, s) {
				best = max(best, x.wordScore(stem, s))
			}
		}
		if best >= sureEvent {
			out = append(out, ColumnMatch{Dim: c.Dim, Score: eventScore * best})
		}
	}
	slices.SortStableFunc(out, func(a, b ColumnMatch) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// sureEvent is how well a verb fits a word of a name at least: a synonym does.
const sureEvent = 0.8

// timeHeads are stems of words that say that a name is of a time.
var timeHeads = []string{"date", "time", "timestamp", "day", "datetim", "on", "at", "when"}

// timed lets verbs that say nothing but that things belong together, or that nothing
// covers, stand for the day on which they happened where a time follows: "hired
// after 2022" is said of hire_date and not of any other day of an employee.
func (x *Index) timed(items []*Item) []*Item {
	for i, it := range items {
		if len(it.Tokens) != 1 || it.Tokens[0].Kind != token.Word || len(it.Columns)+len(it.Tables)+len(it.Values) > 0 || !only(it.Tags, "light", "stop", lexicon.WeakTag) || !timeFollows(items[i+1:]) {
			continue
		}
		found := x.events(it.Tokens[0].Stem)
		if len(found) == 0 {
			continue
		}
		verb := *it
		verb.Tags, verb.Columns, verb.Score = nil, found, found[0].Score
		items[i] = &verb
	}
	return items
}

// timeFollows reports whether a time is said next, but for prepositions and
// comparisons.
func timeFollows(items []*Item) bool {
	for _, it := range items[:min(len(items), maxBetween)] {
		switch {
		case it.Period != nil:
			return true
		case len(it.Number) == 4 && it.Number >= "1800" && it.Number <= "2100":
			return true
		case it.Is("of"), it.Is("after"), it.Is("before"), it.Is("between"), it.Is("cmp"), only(it.Tags, "stop") && len(it.Tags) > 0:
		default:
			return false
		}
	}
	return false
}

// undone are the days and times that are empty while what a word denies has not
// happened: paid_on of "unpaid", closed_at of "open".
func (x *Index) undone(word string) []ColumnMatch {
	for _, prefix := range []string{"un", "non", "not-"} {
		if rest, ok := strings.CutPrefix(word, prefix); ok && len(rest) >= 4 {
			if found := x.events(token.Stem(rest)); len(found) > 0 {
				return found
			}
		}
	}
	if x.HasValue(word) || len(x.described[token.Stem(word)]) > 0 {
		return nil // a stored state
	}
	for _, done := range x.lex.Ends(word) {
		if found := x.events(token.Stem(done)); len(found) > 0 {
			return found
		}
	}
	return nil
}

// eventPenalty is by how much the day of an event fits worse where a table is called
// as the event: "trades" are rows, and not the days on which they were traded.
const eventPenalty = 0.15

// preferTable lowers days that are called as a table is that the span names.
func (it *Item) preferTable() {
	if len(it.Tables) == 0 || it.Tables[0].Score < WholeName {
		return
	}
	for i, c := range it.Columns {
		if daytext.Holds(c.Dim) {
			it.Columns[i].Score -= eventPenalty
		}
	}
	slices.SortStableFunc(it.Columns, func(a, b ColumnMatch) int { return cmp.Compare(b.Score, a.Score) })
}

// Undone reports whether an item says of a day or a time that it has not come.
func (it *Item) Undone() bool {
	return it.Not && len(it.Columns) > 0 && !Flag(it.Columns[0].Dim) && daytext.Holds(it.Columns[0].Dim)
}

// maxComment is the length of a description, in words, whose words are looked up.
const maxComment = 15

// describedScore is how well a column fits that only its description names.
const describedScore = 0.62

// addDescription notes the words of a column's description that its name lacks.
func (x *Index) addDescription(d *semantic.Dimension) {
	words := semantic.Words(d.Description.EN)
	if len(words) == 0 || len(words) > maxComment {
		return
	}
	name := x.stems(d.Names.EN)
	seen := map[string]bool{}
	for _, w := range words {
		stem := token.Stem(lexicon.Singular(w))
		if len(w) < 4 || len(x.lex.Phrase(w)) > 0 || x.lex.Weak(w) || slices.Contains(name, stem) || seen[stem] {
			continue
		}
		seen[stem] = true
		x.comments[stem] = append(x.comments[stem], ColumnMatch{Dim: d, Score: describedScore})
	}
}

// maxCommented is how many columns' descriptions may have a word that still tells
// one of them.
const maxCommented = 2

// commented are the columns that a word names that stands in no name but in their
// descriptions.
func (x *Index) commented(t token.Token) []ColumnMatch {
	found := x.comments[t.Stem]
	if len(found) > maxCommented {
		return nil
	}
	return slices.Clone(found)
}
