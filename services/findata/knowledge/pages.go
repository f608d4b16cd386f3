package knowledge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// Page is a passage as it is indexed.
type Page struct {
	ID, Title, Text string
	// Words are further words that find it, such as synonyms.
	Words []string
}

// leastShare is the share of a question's words, by rarity, that a page needs.
const leastShare = 0.3

// widen is how many times the limit is looked at: BM25 finds, the share orders.
const widen = 8

// Pages is a knowledge base over pages that do not change.
type Pages struct {
	name     string
	analyzer *analysis.Analyzer
	pages    []Page
	terms    []map[string]bool
	rarity   map[string]float64
	index    *lexical.Embedded
}

// NewPages indexes pages. The caller closes it.
func NewPages(ctx context.Context, name string, pages []Page) (*Pages, error) {
	analyzer, err := analysis.New()
	if err != nil {
		return nil, err
	}
	p := &Pages{name: name, analyzer: analyzer, pages: pages, rarity: make(map[string]float64)}
	for _, page := range pages {
		terms := make(map[string]bool)
		for _, t := range analyzer.Terms(page.Title + "\n" + page.Text + "\n" + strings.Join(page.Words, "\n")) {
			terms[t] = true
		}
		for t := range terms {
			p.rarity[t]++
		}
		p.terms = append(p.terms, terms)
	}
	for t, n := range p.rarity {
		p.rarity[t] = p.idf(n)
	}
	p.index, err = lexical.Build(ctx, lexical.Config{Fields: map[string]lexical.Field{
		"title": {Weight: 3, B: 0.5}, "words": {Weight: 2, B: 0.3}, "text": {Weight: 1, B: 0.75},
	}}, len(pages), func(n int) lexical.Document {
		return lexical.Document{Fields: map[string][]string{
			"title": analyzer.Terms(pages[n].Title), "words": analyzer.Terms(strings.Join(pages[n].Words, "\n")), "text": analyzer.Terms(pages[n].Text),
		}}
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("index %d pages of knowledge base %s: %w", len(pages), name, err)
	}
	return p, nil
}

// idf is the rarity of a term that so many pages have.
func (p *Pages) idf(n float64) float64 {
	return math.Log(1 + (float64(len(p.pages))-n+0.5)/(n+0.5))
}

// Name implements Base.
func (p *Pages) Name() string { return p.name }

// Close frees the index.
func (p *Pages) Close() error { return p.index.Close() }

// Search implements Base.
func (p *Pages) Search(ctx context.Context, q Query) ([]Passage, error) {
	var terms []lexical.Term
	var all float64
	surface := make(map[string]string)
	for _, t := range p.analyzer.Tokens(q.Text) {
		if t.Stop || surface[t.Term] != "" {
			continue
		}
		surface[t.Term] = t.Surface
		terms = append(terms, lexical.Term{Text: t.Term, Weight: 1})
		all += p.worth(t)
	}
	var keep func(int) bool
	if q.May != nil {
		keep = func(n int) bool { return q.May(p.pages[n].Title + "\n" + p.pages[n].Text) }
	}
	hits, err := p.index.Search(ctx, lexical.Query{Terms: terms, Limit: q.Limit * widen, Keep: keep})
	if err != nil {
		return nil, fmt.Errorf("search knowledge base %s: %w", p.name, err)
	}
	var out []Passage
	for _, h := range hits {
		var has float64
		var words []string
		for _, t := range terms {
			if p.terms[h.Doc][t.Text] {
				has += p.rarity[t.Text]
				words = append(words, surface[t.Text])
			}
		}
		if has < leastShare*all {
			continue
		}
		page := p.pages[h.Doc]
		out = append(out, Passage{Base: p.name, ID: page.ID, Title: page.Title, Text: page.Text, Score: has / all,
			Reasons: []string{q.Language.Pick("matches ", "匹配 ") + strings.Join(words, q.Language.Pick(", ", "、"))}})
	}
	slices.SortStableFunc(out, func(a, b Passage) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), q.Limit)], nil
}

// pairWorth is what a pair of Chinese characters counts that no page has: most such
// pairs are no words.
const pairWorth = 0.3

// worth is a term's rarity; a word that no page has counts like the rarest.
func (p *Pages) worth(t analysis.Token) float64 {
	if w, ok := p.rarity[t.Term]; ok {
		return w
	}
	if t.Kind == analysis.Han {
		return pairWorth * p.idf(0)
	}
	return p.idf(0)
}
