package analysis

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed abbreviations.yaml
var knownAbbreviations []byte

// Limits and weights of abbreviations.
const (
	maxShort       = 12      // letters of the longest word taken for an abbreviation
	maxCryptic     = 100_000 // words of a corpus looked at
	minGuess       = 0.12    // guesses below are not told
	maxGuesses     = 6       // told of one word
	tableLikeness  = 0.7     // of a pair that the embedded table has
	shownLikeness  = 0.8     // at least that of a pair that the corpus shows
	shownCommon    = 0.01    // how much commoner each text makes it that shows it
	commonWords    = 20_000  // rank up to which a word is no abbreviation
	commonOffset   = 200     // flattens how much commoner the commonest words are
	corpusCommon   = 0.0002  // how much commoner each text of the corpus makes a word
	corpusMaxCount = 25      // texts counted for that
)

// Guess is a word that another one may stand for.
type Guess struct {
	Word   string
	Weight float64 // 0 to 1: how likely, and how alike
}

// Abbreviations knows which words of a corpus may be short for others: by their
// letters ("trtl", turtle), by names whose comments spell them out, and by a table
// of what data modellers use everywhere. A short word that fits many long ones
// tells little of each. It never changes and may be used concurrently.
type Abbreviations struct {
	words  *lexicon
	table  map[string][]string       // short to long
	back   map[string][]string       // long to short
	counts map[string]int            // words of the corpus, by texts that have them
	shown  map[string]map[string]int // short, long: texts that show the pair
	short  map[byte][]abbreviation   // by first letter
	long   map[byte][]longWord       // the corpus' other words
}

type abbreviation struct {
	text    string
	letters uint32
	common  float64 // how common all words together are that it may be short for
}

type longWord struct {
	text    string
	letters uint32
}

// Known returns the words that data modellers have short words for everywhere, by the short ones.
func Known() (map[string][]string, error) { return readAbbreviations() }

// Bare reports whether a text is what is left of a word without vowels, or four letters and more of its
// beginning are: "lvl" of level, "prch" of purchase. Both are in lower case. Texts of fewer than three
// letters, and those that are words themselves, are not.
func Bare(short, word string) bool {
	if len(short) < 3 || len(short) >= len(word) || short[0] != word[0] {
		return false
	}
	bones := skeleton(word)
	return (bones == short || len(short) > 3 && strings.HasPrefix(bones, short)) && !IsWord(short)
}

func readAbbreviations() (map[string][]string, error) {
	var table map[string][]string
	if err := yaml.Unmarshal(knownAbbreviations, &table); err != nil {
		return nil, fmt.Errorf("read the embedded abbreviations: %w", err)
	}
	return table, nil
}

// newAbbreviations learns from the words of a corpus, by the number of texts that
// have them, and from the pairs that its comments show.
func newAbbreviations(l *lexicon, table map[string][]string, counts map[string]int, shown map[string]map[string]int) *Abbreviations {
	x := &Abbreviations{
		words: l, table: table, counts: counts, shown: shown,
		back: make(map[string][]string), short: make(map[byte][]abbreviation), long: make(map[byte][]longWord),
	}
	for short, longs := range table {
		for _, long := range longs {
			x.back[long] = append(x.back[long], short)
		}
	}
	for _, list := range x.back {
		slices.Sort(list)
	}
	for w := range counts {
		if !isLetters(w) {
			continue
		}
		if x.cryptic(w) {
			x.short[w[0]] = append(x.short[w[0]], abbreviation{text: w, letters: lettersOf(w)})
		} else {
			x.long[w[0]] = append(x.long[w[0]], longWord{w, lettersOf(w)})
		}
	}
	for first, list := range x.short {
		slices.SortFunc(list, func(a, b abbreviation) int {
			return cmp.Or(cmp.Compare(counts[b.text], counts[a.text]), cmp.Compare(a.text, b.text))
		})
		x.short[first] = list[:min(len(list), maxCryptic)]
		slices.SortFunc(x.long[first], func(a, b longWord) int { return cmp.Compare(a.text, b.text) })
	}
	x.weighAll()
	return x
}

// cryptic tells whether a word of the corpus looks like none.
func (x *Abbreviations) cryptic(word string) bool {
	if len(word) < 2 || len(word) > maxShort {
		return false
	}
	if _, known := x.table[word]; known {
		return true
	}
	rank, general := x.words.rank[word]
	if !general {
		rank, general = x.words.rank[strings.TrimSuffix(word, "s")]
	}
	return !general || rank >= commonWords
}

// weighAll adds up for each abbreviation how common the words are that it fits.
func (x *Abbreviations) weighAll() {
	byFirst := make(map[byte][]longWord)
	for w, rank := range x.words.rank {
		if rank < commonWords && len(w) > 3 {
			byFirst[w[0]] = append(byFirst[w[0]], longWord{w, lettersOf(w)})
		}
	}
	for first, list := range x.long {
		for _, w := range list {
			if rank, general := x.words.rank[w.text]; !general || rank >= commonWords {
				byFirst[first] = append(byFirst[first], w)
			}
		}
	}
	for first, shorts := range x.short {
		longs := byFirst[first]
		slices.SortFunc(longs, func(a, b longWord) int { return cmp.Compare(a.text, b.text) }) // sums in one order
		for i := range shorts {
			a := &shorts[i]
			for _, w := range longs {
				if a.letters&^w.letters == 0 {
					if like := likeness(a.text, w.text); like > 0 {
						a.common += like * x.common(w.text)
					}
				}
			}
		}
	}
}

// common tells how common a word is.
func (x *Abbreviations) common(word string) float64 {
	var c float64
	if rank, general := x.words.rank[word]; general {
		c = 1 / float64(rank+commonOffset)
	}
	return c + corpusCommon*float64(min(x.counts[word], corpusMaxCount))
}

// Shorts returns the words of the corpus that may be short for a word, likeliest
// first.
func (x *Abbreviations) Shorts(word string) []Guess {
	if len(word) < 4 || !isLetters(word) {
		return nil
	}
	var guesses []Guess
	letters := lettersOf(word)
	for _, a := range x.short[word[0]] {
		if a.letters&^letters != 0 {
			continue
		}
		if weight := x.weigh(a, word); weight >= minGuess {
			guesses = append(guesses, Guess{a.text, weight})
		}
	}
	for _, short := range x.back[word] {
		if x.counts[short] > 0 {
			guesses = append(guesses, Guess{short, x.tableWeight(short, word)})
		}
	}
	return best(guesses)
}

// Longs returns the words of the corpus that a word may be short for, likeliest
// first.
func (x *Abbreviations) Longs(word string) []Guess {
	if !isLetters(word) || !x.cryptic(word) {
		return nil
	}
	a := abbreviation{text: word, letters: lettersOf(word)}
	for _, known := range x.short[word[0]] {
		if known.text == word {
			a = known
		}
	}
	var guesses []Guess
	for _, w := range x.long[word[0]] {
		if a.letters&^w.letters == 0 {
			if weight := x.weigh(a, w.text); weight >= minGuess {
				guesses = append(guesses, Guess{w.text, weight})
			}
		}
	}
	for _, long := range x.table[word] {
		if x.counts[long] > 0 {
			guesses = append(guesses, Guess{long, x.tableWeight(word, long)})
		}
	}
	return best(guesses)
}

// weigh tells how likely it is that a is short for a word: how alike they are, and
// which share the word has of all that a may stand for.
func (x *Abbreviations) weigh(a abbreviation, word string) float64 {
	like, shown := likeness(a.text, word), x.shown[a.text][singular(word)]
	if like == 0 && shown == 0 { // nearly all that have the same letters
		return 0
	}
	common := x.common(word)
	all := max(a.common, like*common)
	if shown > 0 {
		like = max(like, shownLikeness)
		extra := shownCommon * float64(shown)
		common += extra
		all += extra
	}
	if common == 0 { // a word that nobody knows, yet somebody asks for
		common = corpusCommon
		all += common
	}
	return like * math.Sqrt(min(1, like*common/all))
}

func (x *Abbreviations) tableWeight(short, long string) float64 {
	if n := len(x.table[short]); n > 1 && slices.Contains(x.table[short], long) {
		return tableLikeness / math.Sqrt(float64(n))
	}
	return tableLikeness
}

// best returns the likeliest guesses, each word once.
func best(guesses []Guess) []Guess {
	slices.SortFunc(guesses, func(a, b Guess) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Word, b.Word))
	})
	var out []Guess
	for _, g := range guesses {
		if len(out) < maxGuesses && !slices.ContainsFunc(out, func(o Guess) bool { return o.Word == g.Word }) {
			out = append(out, g)
		}
	}
	return out
}

// likeness tells how much a word looks like a short form of another: 0 not at all.
func likeness(short, long string) float64 {
	short, long = singular(short), singular(long)
	if len(short) >= len(long) || len(short) < 2 || short[0] != long[0] || !subsequence(short, long) {
		return 0
	}
	bones := skeleton(long)
	switch {
	case bones == short && len(short) > 2:
		return 0.9
	case bones == short:
		return 0.5
	case strings.HasPrefix(long, short) && len(long)-len(short) >= 2:
		return []float64{0.25, 0.6, 0.7}[min(len(short), 4)-2]
	case strings.HasPrefix(bones, short) && len(short) > 2:
		return 0.55
	case len(short) < 3:
		return 0
	case short[len(short)-1] == long[len(long)-1] && 3*len(short) >= len(long):
		return 0.45
	case 2*len(short) >= len(long):
		return 0.3
	}
	return 0
}

func singular(word string) string {
	if len(word) > 3 && !strings.HasSuffix(word, "ss") {
		return strings.TrimSuffix(word, "s")
	}
	return word
}

// skeleton leaves out the vowels but for a first one.
func skeleton(word string) string {
	var b strings.Builder
	for i := range len(word) {
		if i == 0 || !strings.ContainsRune("aeiou", rune(word[i])) {
			if i > 1 && word[i] == word[i-1] { // "llc" is not how allocation is written
				continue
			}
			b.WriteByte(word[i])
		}
	}
	return b.String()
}

func subsequence(short, long string) bool {
	i := 0
	for j := 0; j < len(long) && i < len(short); j++ {
		if short[i] == long[j] {
			i++
		}
	}
	return i == len(short)
}

// lettersOf has a bit for each letter of a word; others have none.
func lettersOf(word string) uint32 {
	var bits uint32
	for i := range len(word) {
		if c := word[i] - 'a'; c < 26 {
			bits |= 1 << c
		}
	}
	return bits
}
