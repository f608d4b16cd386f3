// Package passage finds the passages of documents that answer a question: by words
// (BM25F over questions, headings and text), by words that may stand for them in
// either language, and by vectors fitted on the passages themselves. How well a
// passage fits is told as a share of the question, from 0 to 1, which means the same
// in every collection: what the ranking adds up does not.
package passage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
	"github.com/dibrain/dibrain/pkg/retrieval/vector/lsa"
)

// Entry is a passage as it is indexed.
type Entry struct {
	// Question that the passage answers, in a list of questions and answers.
	Question string
	// Headings that it stands under.
	Headings []string
	Text     string
}

// Config weighs and bounds an index. The zero value of a field means its default.
type Config struct {
	// MaxVectors is the most passages that get vectors; a larger index goes by words
	// alone.
	MaxVectors int
	// VectorWeight is what the vectors count against the words.
	VectorWeight float64
	// Dim of the vectors.
	Dim int
	// Seed of their fit.
	Seed uint64
}

// Defaults of Config.
const (
	DefaultMaxVectors   = 50_000
	DefaultVectorWeight = 0.3
	DefaultDim          = 64
)

// Complete fills in defaults.
func (c Config) Complete() Config {
	c.MaxVectors = cmp.Or(c.MaxVectors, DefaultMaxVectors)
	c.VectorWeight = cmp.Or(c.VectorWeight, DefaultVectorWeight)
	c.Dim = cmp.Or(c.Dim, DefaultDim)
	return c
}

// Fields of an entry. A question says what its passage is about better than anything
// in the passage, a heading nearly as well.
const (
	fieldQuestion = "question"
	fieldHeadings = "headings"
	fieldText     = "text"
)

func fields() map[string]lexical.Field {
	return map[string]lexical.Field{
		fieldHeadings: {Weight: 2, B: 0.5}, fieldQuestion: {Weight: 4, B: 0.5}, fieldText: {Weight: 0.2, B: 0.75},
	}
}

// Index finds passages. It never changes and may be used concurrently.
type Index struct {
	cfg       Config
	words     *Words
	entries   int
	index     *lexical.Embedded
	terms     []map[string]bool // of each entry: false for its text alone, true for question or headings
	frequency map[string]int
	unseen    float64 // rarity of a word that no entry has
	hasHan    bool
	model     *lsa.Model // nil: no vectors
	vectors   vector.Set
}

// Build indexes entries; entry n is known as n afterwards. progress, if any, is told
// how many are done.
func Build(ctx context.Context, cfg Config, words *Words, entries []Entry, progress func(done int)) (*Index, error) {
	x := &Index{cfg: cfg.Complete(), words: words, entries: len(entries), frequency: make(map[string]int)}
	config, err := lexical.Config{Fields: fields()}.Complete()
	if err != nil {
		return nil, err
	}
	names := []string{fieldHeadings, fieldQuestion, fieldText}
	docs, err := lexical.NewDocuments(names, config.MaxFieldTerms)
	if err != nil {
		return nil, err
	}
	for n, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("index passages: %w", err)
		}
		x.add(docs, e)
		if progress != nil {
			progress(n + 1)
		}
	}
	x.unseen = x.idf(0)
	scorer := lexical.NewScorer(config, docs, nil)
	if x.index, err = lexical.New(config, docs, scorer); err != nil {
		return nil, err
	}
	if len(entries) > x.cfg.MaxVectors {
		return x, nil
	}
	x.model, x.vectors, err = lsa.Fit(ctx, lsa.Config{Dim: x.cfg.Dim, Seed: x.cfg.Seed}, docs, scorer, words.analyzer)
	if err != nil && !errors.Is(err, lsa.ErrEmpty) {
		return nil, err
	}
	return x, nil
}

func (x *Index) add(docs *lexical.Documents, e Entry) {
	own := make(map[string]bool)
	ids := make([][]int32, 3)
	for i, text := range []string{strings.Join(e.Headings, "\n"), e.Question, e.Text} {
		x.hasHan = x.hasHan || strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
		for _, t := range x.words.analyzer.Terms(text) {
			ids[i] = append(ids[i], docs.Intern(t))
			own[t] = own[t] || i < 2
		}
	}
	for t := range own {
		x.frequency[t]++
	}
	x.terms = append(x.terms, own)
	docs.Add(lexical.Labels{}, ids)
}

// leastEntries is the number of passages that rarities are reckoned with at least: in a
// collection of three, two that have a word do not make it common.
const leastEntries = 200

// idf is the rarity of a term that so many passages have.
func (x *Index) idf(n int) float64 {
	all := float64(max(x.entries, leastEntries))
	return math.Log(1 + (all-float64(n)+0.5)/(float64(n)+0.5))
}

// Len is the number of passages.
func (x *Index) Len() int { return x.entries }

// Query is what is searched for.
type Query struct {
	Text string
	// Context are texts of what was said before, with what their words count.
	Context []Weighted
	// Limit bounds the hits; 0 or less finds nothing.
	Limit int
	// Keep accepts a passage; nil accepts all.
	Keep func(entry int) bool
}

// Weighted is a text whose words count less than the question's: 0 to 1.
type Weighted struct {
	Text   string
	Weight float64
}

// Hit is a passage that was found.
type Hit struct {
	Entry int
	// Rank orders the hits of one search.
	Rank float64
	// Fit is the share of the question, by the rarity of its words, that the passage
	// speaks of; Named is the share that its question or headings name.
	Fit, Named float64
	// Missing are words of the question that nothing in the passage stands for.
	Missing []string
}

// Confidence is how sure it is that the passage answers, 0 to 1: it speaks of what the
// question asks, and the headings that it stands under name it. A passage about
// something else shares words with a question by chance, its headings hardly do.
func (h Hit) Confidence() float64 { return (h.Fit + h.Named) / 2 }

// DefaultMinConfidence is the confidence from which on a passage is shown as an answer.
// Of 50 questions about this project's own documents one is below it, of 60 questions
// about other things four are above (TestConfidenceTellsProductsApart).
const DefaultMinConfidence = 0.25

// Result is what a search found.
type Result struct {
	Hits []Hit // best first
	// Words is how many words of the question were searched for, Unknown are those
	// that no passage has in any form.
	Words   int
	Unknown []string
}

// depth is how many passages are looked at closely for each one asked for, and at
// least.
const (
	depth      = 4
	leastDepth = 50
)

// Search finds the passages that fit best.
func (x *Index) Search(ctx context.Context, q Query) (Result, error) {
	concepts := x.concepts(q.Text, 1)
	result := Result{Words: len(concepts)}
	for _, c := range concepts {
		if c.cross && len(c.forms) == 1 {
			result.Unknown = append(result.Unknown, c.surface)
		}
	}
	for _, w := range q.Context {
		before := x.concepts(w.Text, w.Weight)
		if n := result.Words; n > 0 && n < len(before) { // a long context does not talk down a short question
			for i := range before {
				before[i].weight *= float64(n) / float64(len(before))
			}
		}
		for i := range before {
			before[i].before = true
		}
		concepts = x.merge(concepts, before)
	}
	terms := termsOf(concepts)
	hits, err := x.index.Search(ctx, lexical.Query{Terms: terms, Limit: max(depth*q.Limit, leastDepth), Keep: q.Keep})
	if err != nil {
		return Result{}, fmt.Errorf("search passages: %w", err)
	}
	if len(hits) == 0 || q.Limit <= 0 {
		return result, nil
	}
	var direction []float32
	if x.model != nil {
		direction = x.model.EmbedTerms(terms)
	}
	best := hits[0].Score
	for _, h := range hits {
		hit := x.look(h.Doc, concepts)
		hit.Rank = h.Score/best + hit.Fit*fitWeight
		if direction != nil {
			hit.Rank += x.cfg.VectorWeight * dot(direction, x.vectors.Row(h.Doc))
		}
		result.Hits = append(result.Hits, hit)
	}
	slices.SortStableFunc(result.Hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(a.Entry, b.Entry)) })
	result.Hits = result.Hits[:min(len(result.Hits), q.Limit)]
	return result, nil
}

// fitWeight is what the share of the question counts against the words' own score.
const fitWeight = 0.3

// merge adds concepts of the context that the question does not name itself.
func (x *Index) merge(concepts, more []concept) []concept {
	for _, c := range more {
		if len(concepts) < 2*mostConcepts && !slices.ContainsFunc(concepts, func(o concept) bool { return slices.Equal(o.forms[0].terms, c.forms[0].terms) }) {
			concepts = append(concepts, c)
		}
	}
	return concepts
}

// termsOf are the search terms of concepts: the words themselves first, since an index
// bounds the terms that it takes.
func termsOf(concepts []concept) []lexical.Term {
	weights := make(map[string]float64)
	var order []string
	put := func(c concept, form alternative) {
		for _, t := range form.terms {
			if _, known := weights[t]; !known {
				order = append(order, t)
			}
			weights[t] = max(weights[t], c.weight*form.weight/float64(len(form.terms)))
		}
	}
	for _, c := range concepts {
		put(c, c.forms[0])
	}
	for _, c := range concepts {
		for _, form := range c.forms[1:] {
			put(c, form)
		}
	}
	terms := make([]lexical.Term, 0, len(order))
	for _, t := range order {
		terms = append(terms, lexical.Term{Text: t, Weight: weights[t]})
	}
	return terms
}

// look says how well an entry fits the concepts.
func (x *Index) look(entry int, concepts []concept) Hit {
	h := Hit{Entry: entry}
	var all float64
	for _, c := range concepts {
		var here, named float64
		for _, form := range c.forms {
			have, inName := x.share(entry, form.terms)
			here, named = max(here, have*standing(form.weight)), max(named, inName*standing(form.weight))
		}
		worth := c.weight * c.rarity
		all += worth
		h.Fit += worth * here
		h.Named += worth * named
		if here == 0 && !c.before {
			h.Missing = append(h.Missing, c.surface)
		}
	}
	if all > 0 {
		h.Fit /= all
		h.Named /= all
	}
	return h
}

// standing is what a form counts as a word that is there.
func standing(weight float64) float64 { return math.Sqrt(weight) }

// share is how much of some terms an entry has, and its question or headings.
func (x *Index) share(entry int, terms []string) (have, named float64) {
	for _, t := range terms {
		inName, here := x.terms[entry][t]
		if here {
			have++
		}
		if inName {
			named++
		}
	}
	return have / float64(len(terms)), named / float64(len(terms))
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// BestOf returns which of some texts speaks of most of a question, by the rarity of
// its words here; the first where none speaks of any.
func (x *Index) BestOf(question string, texts []string) int {
	concepts := x.concepts(question, 1)
	best, most := 0, 0.0
	for i, text := range texts {
		if fit := x.cover(concepts, x.words.Terms(text)); fit > most {
			best, most = i, fit
		}
	}
	return best
}

// Alike is the share of the words of two texts, by their rarity here, that both have: 0
// to 1.
func (x *Index) Alike(a, b string) float64 {
	mine, theirs := x.words.Terms(a), x.words.Terms(b)
	var both, all float64
	for t := range mine {
		worth := x.idf(x.frequency[t])
		all += worth
		if theirs[t] {
			both += worth
		}
	}
	for t := range theirs {
		if !mine[t] {
			all += x.idf(x.frequency[t])
		}
	}
	if all == 0 {
		return 0
	}
	return both / all
}

// cover is the share of concepts that some terms speak of.
func (x *Index) cover(concepts []concept, terms map[string]bool) float64 {
	var has, all float64
	for _, c := range concepts {
		best := 0.0
		for _, form := range c.forms {
			n := 0
			for _, t := range form.terms {
				if terms[t] {
					n++
				}
			}
			best = max(best, standing(form.weight)*float64(n)/float64(len(form.terms)))
		}
		has += c.rarity * best
		all += c.rarity
	}
	if all == 0 {
		return 0
	}
	return has / all
}
