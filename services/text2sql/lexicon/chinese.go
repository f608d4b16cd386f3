package lexicon

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// zh-terms.tsv.gz: Chinese names and nouns with English translations that the
// lexicon of pkg/retrieval/synonym does not have. See zh-terms.LICENSE and
// scripts/make-zh-terms.py.
//
//go:embed zh-terms.tsv.gz
var zhTerms []byte

// maxTermsBytes bounds the unpacked terms.
const maxTermsBytes = 8 << 20

// Scores of glosses by where they come from: a word that schemas use comes before
// the first sense of a dictionary, that before its later senses, and all of them
// before a part of a sense.
const (
	schemaGloss  = 1.0
	groupGloss   = 0.95
	firstGloss   = 0.93
	laterGloss   = 0.02 // less for each
	headGloss    = 0.08 // less for the head alone: "body weight" is a weight
	knownGloss   = 0.18 // less for it where schemas have a word of their own
	maxGlosses   = 12
	headMinRunes = 3 // letters of a head that stands alone
)

// Chinese is the Chinese half of the lexicon.
type Chinese struct {
	words       map[string][]string // what schemas call things, in English
	english     map[string]string   // phrases of questions
	expand      map[string][]string // words that hold two
	grammar     map[string]bool     // words that have no meaning outside the sentence
	verbs       map[string]bool
	classifiers map[string]bool
	howMuch     map[string]bool
	codes       map[string]bool // words for stored codes
	general     *synonym.Bilingual
	groups      map[string][]string
	terms       map[string]term
	dict        *token.Dictionary
}

type term struct {
	cost         float64
	translations string // separated by tabs
}

// Dictionary returns the words for segmentation.
func (c *Chinese) Dictionary() *token.Dictionary { return c.dict }

// English returns the English phrase that a Chinese one stands for; it has the
// same tags.
func (c *Chinese) English(phrase string) (string, bool) {
	en, ok := c.english[phrase]
	return en, ok
}

// HowMuch reports whether a word asks for an amount: 多大, 多少钱.
func (c *Chinese) HowMuch(word string) bool { return c.howMuch[word] }

// Naming reports whether a word is one for the name of a thing.
func (c *Chinese) Naming(word string) bool {
	names := c.words[word]
	return len(names) > 0 && names[0] == "name"
}

// Cost returns minus the logarithm of a word's probability.
func (c *Chinese) Cost(word string) (float64, bool) {
	if cost, _, ok := c.general.Find(word); ok {
		return cost, true
	}
	t, ok := c.terms[word]
	return t.cost, ok
}

// Gloss gives the tokens in Chinese their translations and writes words that hold
// two out. Words of grammar get none. links tells how surely, from 0 to 1, a token
// stands for something; a word that does not, or only in part, is taken for a compound
// of words that do.
func (c *Chinese) Gloss(tokens []token.Token, links func(token.Token) float64) []token.Token {
	out := make([]token.Token, 0, len(tokens))
	tokens = c.recut(tokens)
	for _, t := range tokens {
		if t.Kind != token.Han {
			out = append(out, t)
			continue
		}
		if parts := c.expand[t.Text]; len(parts) > 0 {
			for _, w := range parts {
				out = append(out, c.gloss(t.Part(w)))
			}
			continue
		}
		if each, ok := c.each(t); ok { // 每年
			out = append(out, each...)
			continue
		}
		if n, ok := c.measured(t); ok { // 一次
			out = append(out, n...)
			continue
		}
		t = c.gloss(t)
		sure := links(t)
		if len(c.english[t.Text]) > 0 || c.grammar[t.Text] || c.verbs[t.Text] || sure >= wholeLink || sure > 0 && len(c.words[t.Text]) > 0 {
			if parts := c.compound(t, links); sure < wholeLink && len(c.english[t.Text]) == 0 && !c.grammar[t.Text] && !c.verbs[t.Text] && len(parts) > 1 && allSure(parts, links) {
				out = append(out, parts...) // 国家名称, where countries have no table
				continue
			}
			out = append(out, t)
			continue
		}
		out = append(out, c.compound(t, links)...)
	}
	return out
}

// recut moves the classifier of a number of things to the word that it ends: 事|件数 is
// the number of 事件, 卖|家数 that of 卖家.
func (c *Chinese) recut(tokens []token.Token) []token.Token {
	out := slices.Clone(tokens)
	for i := 0; i+1 < len(out); i++ {
		a, b := out[i], out[i+1]
		if a.Kind != token.Han || b.Kind != token.Han || utf8.RuneCountInString(a.Text) != 1 || c.english[b.Text] != counting || c.grammar[a.Text] {
			continue
		}
		classifier, rest, ok := cutClassifier(b.Text)
		if !ok || c.english[rest] != counting {
			continue
		}
		if _, known := c.Cost(a.Text + classifier); !known || a.End != b.Start {
			continue
		}
		noun := a.Part(a.Text + classifier)
		noun.End = a.End + len(classifier)
		number := b.Part(rest)
		number.Start = noun.End
		out[i], out[i+1] = noun, number
	}
	return out
}

// counting is what words mean that ask for a number of things.
const counting = "number of"

// cutClassifier cuts the first character off a word.
func cutClassifier(word string) (classifier, rest string, ok bool) {
	_, size := utf8.DecodeRuneInString(word)
	return word[:size], word[size:], size < len(word)
}

// allSure reports whether each part of a word stands for something as a whole.
func allSure(parts []token.Token, links func(token.Token) float64) bool {
	return !slices.ContainsFunc(parts, func(t token.Token) bool { return links(t) < wholeLink })
}

func (c *Chinese) gloss(t token.Token) token.Token {
	if !c.grammar[t.Text] {
		t.Glosses = c.glosses(t.Text)
	}
	return t
}

// each cuts "every" off a word of which the dictionary has a sense of its own.
func (c *Chinese) each(t token.Token) ([]token.Token, bool) {
	if c.grammar[t.Text] || len(c.english[t.Text]) > 0 || len(c.words[t.Text]) > 0 {
		return nil, false
	}
	for _, every := range []string{"每", "各"} {
		if rest, ok := strings.CutPrefix(t.Text, every); ok && rest != "" {
			return []token.Token{t.Part(every), c.gloss(t.Part(rest))}, true
		}
	}
	return nil, false
}

// measured cuts a word of a number and a classifier.
func (c *Chinese) measured(t token.Token) ([]token.Token, bool) {
	_, size := utf8.DecodeRuneInString(t.Text)
	n, ok := token.HanNumber(t.Text[:size])
	if !ok || !c.classifiers[t.Text[size:]] {
		return nil, false
	}
	number := t.Part(strconv.FormatInt(n, 10))
	number.Kind = token.Number
	return []token.Token{number, t.Part(t.Text[size:])}, true
}

// wholeLink is the score from which all of a word is what it links to: 公立学校 is
// more than a school.
const wholeLink = 0.8

// smallWords of translations are not compared with names.
var smallWords = []string{"of", "the", "and", "a", "an", "in", "for", "to"}

// compound cuts a word that stands for nothing into words that all do, or leaves
// it whole. "All" before a word and "value" after one need to stand for nothing.
func (c *Chinese) compound(t token.Token, links func(token.Token) float64) []token.Token {
	words := c.dict.Parts(t.Text)
	out := make([]token.Token, 0, len(words))
	for i, w := range words {
		part := c.gloss(t.Part(w))
		_, suffix := c.words[w]
		if i == 0 && len(words) > 1 && slices.Contains(everything, w) {
			continue
		}
		if i > 0 && w == bareSuffix && links(part) == 0 {
			continue
		}
		if c.grammar[w] || len(c.english[w]) == 0 && (!suffix && utf8.RuneCountInString(w) == 1 || links(part) == 0) {
			return []token.Token{t}
		}
		out = append(out, part)
	}
	return out
}

// everything are words that a dictionary joins with what they are said of: 所有人
// is an owner only where there are owners.
var everything = []string{"所有", "全部", "全体"}

// bareSuffix ends words for numbers: 估计值 is an estimate.
const bareSuffix = "值"

func (c *Chinese) glosses(word string) []token.Gloss {
	var out []token.Gloss
	add := func(text string, score float64) {
		name := text != "" && text[0] >= 'A' && text[0] <= 'Z'
		text = strings.ToLower(text)
		for _, g := range out {
			if g.Text == text {
				return
			}
		}
		g := token.Gloss{Text: text, Name: name, Score: score}
		for _, w := range strings.Fields(text) {
			if !slices.Contains(smallWords, w) {
				g.Stems = append(g.Stems, token.Stem(w))
			}
		}
		if len(out) < maxGlosses && len(g.Stems) > 0 {
			out = append(out, g)
		}
	}
	for i, w := range c.words[word] {
		add(w, schemaGloss-laterGloss*float64(i))
	}
	for _, w := range c.groups[word] {
		add(w, groupGloss)
	}
	if c.codes[word] { // 男生: whose code is known is no student in general
		return out
	}
	_, senses, _ := c.general.Find(word)
	if t := c.terms[word].translations; t != "" {
		senses = append(strings.Split(t, "\t"), senses...)
	}
	for i, w := range senses {
		add(w, firstGloss-laterGloss*float64(i))
	}
	less := headGloss
	if len(c.words[word]) > 0 { // what schemas call it is known: a part of a sense is a guess
		less = knownGloss
	}
	for i, w := range senses {
		head := w[strings.LastIndexByte(w, ' ')+1:]
		if len(head) < len(w) && len(head) >= headMinRunes && !strings.Contains(w, " of ") {
			add(head, firstGloss-less-laterGloss*float64(i))
		}
	}
	return out
}

// loadChinese reads the words and adds the phrases to the lexicon's.
func (l *Lexicon) loadChinese() (*Chinese, error) {
	var data struct {
		Says    map[string][]string `yaml:"says"`
		Tags    map[string][]string `yaml:"tags"`
		Grammar map[string][]string `yaml:"grammar"`
		HowMuch []string            `yaml:"howmuch"`
		Words   map[string][]string `yaml:"words"`
		Expand  map[string][]string `yaml:"expand"`
	}
	if err := read("zh", &data); err != nil {
		return nil, err
	}
	c := &Chinese{words: data.Words, expand: data.Expand, english: map[string]string{}, grammar: map[string]bool{}, verbs: map[string]bool{}, classifiers: map[string]bool{}, howMuch: map[string]bool{}, codes: map[string]bool{}}
	if err := c.loadGeneral(); err != nil {
		return nil, err
	}
	c.dict = token.Over(c)
	for w := range data.Words {
		c.dict.Add(w)
	}
	for w := range l.codes {
		c.dict.Add(w) // those in Chinese
		c.codes[w] = true
	}
	for _, w := range data.HowMuch {
		c.dict.Add(w)
		c.howMuch[w] = true
	}
	for w := range data.Expand {
		c.dict.Add(w)
	}
	for en, list := range data.Says {
		tags := l.phrases[en]
		if len(tags) == 0 {
			return nil, fmt.Errorf("lexicon zh: %q is no phrase", en)
		}
		c.dict.Add(list...)
		for _, p := range list {
			c.english[p] = en
			for _, t := range tags {
				l.addPhrase(p, t)
			}
		}
	}
	for prefix, tags := range map[string]map[string][]string{"": data.Tags, grammarPrefix: data.Grammar} {
		for key, list := range tags {
			name, arg, _ := strings.Cut(key, ":")
			c.dict.Add(list...)
			for _, p := range list {
				l.addPhrase(p, Tag{Name: prefix + name, Arg: arg})
				c.verbs[p] = c.verbs[p] || name == "light"
				c.classifiers[p] = c.classifiers[p] || name == "classifier"
				c.grammar[p] = c.grammar[p] || prefix != "" || name == "stop" || name == "ask"
			}
		}
	}
	for w := range data.Words {
		delete(c.grammar, w)
	}
	return c, nil
}

// grammarPrefix begins the tags of words that only build Chinese sentences.
const grammarPrefix = "zh-"

func (c *Chinese) loadGeneral() error {
	var err error
	if c.general, err = synonym.NewBilingual(); err != nil {
		return err
	}
	groups, err := synonym.General()
	if err != nil {
		return err
	}
	c.groups = map[string][]string{}
	for _, g := range groups {
		var en, zh []string
		for _, e := range g.Entries {
			if e[0] < 0x80 {
				en = append(en, strings.ToLower(e))
			} else {
				zh = append(zh, e)
			}
		}
		for _, w := range zh {
			c.groups[w] = append(c.groups[w], en...)
		}
	}
	c.terms = map[string]term{}
	return eachLine("zh-terms", zhTerms, maxTermsBytes, func(line string) error {
		rank, rest, _ := strings.Cut(line, "\t")
		word, translations, _ := strings.Cut(rest, "\t")
		n, err := strconv.Atoi(rank)
		if err != nil {
			return err
		}
		c.terms[word] = term{cost: math.Log(float64(n + 10)), translations: translations}
		return nil
	})
}

// OfSchemas are what schemas call a Chinese word in English, most usual first; none for a word that only a general
// dictionary has.
func (c *Chinese) OfSchemas(word string) []string { return c.words[word] }

// Glosses are what a Chinese word may be in English, likeliest first; none for words of
// grammar and unknown ones.
func (c *Chinese) Glosses(word string) []token.Gloss {
	if c.grammar[word] {
		return nil
	}
	return c.glosses(word)
}
