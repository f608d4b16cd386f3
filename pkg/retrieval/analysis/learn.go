package analysis

import "strings"

// Lesson collects what a corpus teaches: its words, and which short words stand
// beside the long ones that they may be short for.
type Lesson struct {
	analyzer *Analyzer
	counts   map[string]int            // words by the texts that have them
	shown    map[string]map[string]int // short, long
}

// NewLesson returns an empty lesson; a is the analyzer that finds words.
func (a *Analyzer) NewLesson() *Lesson {
	return &Lesson{analyzer: a, counts: make(map[string]int), shown: make(map[string]map[string]int)}
}

// Read counts the words of a text. Give each distinct text once.
func (l *Lesson) Read(text string) {
	for _, w := range l.words(text) {
		l.counts[w]++
	}
}

// ReadPair takes a name together with the text that explains it.
func (l *Lesson) ReadPair(name, explanation string) {
	words := l.words(explanation)
	for _, short := range l.words(name) {
		for _, long := range words {
			if len(short) > maxShort || len(long) < 4 || short == long || short[0] != long[0] || len(short)*4 > len(long)*3 || !subsequence(short, long) {
				continue
			}
			pairs := l.shown[short]
			if pairs == nil {
				pairs = make(map[string]int)
				l.shown[short] = pairs
			}
			pairs[singular(long)]++
		}
	}
}

// Add takes in another lesson.
func (l *Lesson) Add(other *Lesson) {
	for w, n := range other.counts {
		l.counts[w] += n
	}
	for short, pairs := range other.shown {
		for long, n := range pairs {
			if l.shown[short] == nil {
				l.shown[short] = make(map[string]int)
			}
			l.shown[short][long] += n
		}
	}
}

// words returns the words in letters of a text in lower case.
func (l *Lesson) words(text string) []string {
	var words []string
	var few [32]Token
	for _, t := range l.analyzer.appendTokens(few[:0], text) {
		if t.Kind == Word && !t.Part {
			if w := strings.TrimRight(t.Word, "0123456789"); w != "" && isLetters(w) {
				words = append(words, w)
			}
		}
	}
	return words
}

// Learned returns an analyzer that splits the run-together words of the corpus,
// and what short words it has.
func (l *Lesson) Learned() (*Analyzer, *Abbreviations, error) {
	words, err := generalLexicon()
	if err != nil {
		return nil, nil, err
	}
	table, err := readAbbreviations()
	if err != nil {
		return nil, nil, err
	}
	a := &Analyzer{
		stop: l.analyzer.stop, irregular: l.analyzer.irregular, splitter: learn(words, l.counts),
		known: make(map[string]analysed),
	}
	// The parts of run-together words are words of the corpus as well.
	counts := make(map[string]int, len(l.counts))
	for w, n := range l.counts {
		counts[w] += n
		for _, part := range a.splitter.Split(w) {
			counts[part] += n
		}
	}
	return a, newAbbreviations(words, table, counts, l.shown), nil
}
