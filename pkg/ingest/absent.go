package ingest

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/ingest/written"
)

const (
	// absentSpellings is how many words for no value are told apart in a column.
	absentSpellings = 16
	// textsLooked is how many of a column's first texts tell what it holds.
	textsLooked = 500
	// Of texts that are mostly different, as e-mail addresses are, one that comes again so
	// many times more often than they do is no value of its own.
	nearlyKey     = 0.5
	nearlyKeyRows = 20
	oftener       = 3
)

// absences gathers the words for no value of a column, and of its other texts what tells
// whether such a word may be a value there.
type absences struct {
	seed   maphash.Seed
	counts map[string]int64 // by word, as it is written
	seen   map[uint64]bool  // hashes of the first other texts
	looked int64            // other texts that were looked at
	codes  bool             // some are abbreviations: "DE", "EMEA"
	signs  bool             // some have neither a letter nor a digit: "+"
}

func newAbsences() absences {
	return absences{seed: maphash.MakeSeed(), counts: map[string]int64{}, seen: map[uint64]bool{}}
}

// see takes a text into account that is no plain number.
func (a *absences) see(words *written.Words, text string) {
	if words.Absence(text) != written.NotAbsent {
		count(a.counts, strings.TrimSpace(text), absentSpellings)
		return
	}
	if a.looked >= textsLooked {
		return
	}
	a.looked++
	a.seen[maphash.String(a.seed, text)] = true
	a.codes = a.codes || isAbbreviation(text)
	a.signs = a.signs || len(text) <= utf8.UTFMax && strings.IndexFunc(text, isLetterOrDigit) < 0
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isAbbreviation reports two to four capital letters.
func isAbbreviation(text string) bool {
	return len(text) >= 2 && len(text) <= 4 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// inTexts divides the words of a column of texts into those that stand for no value and
// those that may be values of it.
func (a *absences) inTexts(words *written.Words) (missing, kept []string) {
	nearlyKeys := a.looked >= nearlyKeyRows && float64(len(a.seen)) >= nearlyKey*float64(a.looked)
	for _, word := range slices.Sorted(maps.Keys(a.counts)) {
		often := nearlyKeys && a.counts[word]*int64(len(a.seen)) >= oftener*a.looked
		is := false
		switch words.Absence(word) {
		case written.AbsentSure:
			is = true
		case written.AbsentSign:
			is = a.looked > 0 && !a.signs
		case written.AbsentCode:
			is = a.looked > 0 && !a.codes
		case written.AbsentWord:
			is = often
		}
		if is {
			missing = append(missing, word)
		} else {
			kept = append(kept, word)
		}
	}
	return missing, kept
}

// settleAbsent decides which words of the column are no values of it, when its type is
// known. In a column of texts they
// are only guessed where nobody gave a list of such words.
func (c *column) settleAbsent(guess bool) {
	if c.habit == nil || len(c.habit.absences.counts) == 0 {
		return
	}
	h := c.habit
	var missing []string
	switch {
	case c.typ.kind == kindVarchar && c.reading == nil:
		if !guess {
			return
		}
		missing, c.kept = h.absences.inTexts(h.words)
		c.absent = make(map[string]bool, len(missing))
		for _, word := range missing {
			c.absent[word] = true
		}
	case c.reading != nil:
		for _, word := range slices.Sorted(maps.Keys(h.absences.counts)) {
			if text, ok := c.reading.plainText(word); ok && text == "" {
				missing = append(missing, word)
			}
		}
	}
	if len(missing) == 0 {
		return
	}
	how := h.absences.quoted(missing) + " counts as missing"
	if len(missing) > 1 {
		how = h.absences.quoted(missing) + " count as missing"
	}
	if c.written != "" {
		how = c.written + "; " + how
	}
	c.written = how
}

// tellKept tells of words that may stand for no value and are kept as values.
func (b *builder) tellKept(c *column, file string) {
	if len(c.kept) == 0 {
		return
	}
	say := "may say that there is no value, and is kept as one"
	if len(c.kept) > 1 {
		say = "may say that there is no value, and are kept as values"
	}
	again := []string{"--null ''", "--null NULL"}
	for _, word := range c.kept {
		again = append(again, "--null '"+word+"'")
	}
	b.problem(Problem{Kind: KindNote, File: file, Message: fmt.Sprintf("column %q: %s %s; otherwise: %s",
		c.name, c.habit.absences.quoted(c.kept), say, strings.Join(again, " "))})
}

// quoted are words with how often each stands there.
func (a *absences) quoted(words []string) string {
	shown := make([]string, len(words))
	for i, word := range words {
		shown[i] = fmt.Sprintf("“%s” (%d)", word, a.counts[word])
	}
	return strings.Join(shown, ", ")
}
