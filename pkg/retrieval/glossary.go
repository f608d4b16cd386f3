package retrieval

import (
	"fmt"
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

// learnWords makes the dictionary of general words and the glossary's terms.
func (c *Corpus) learnWords() error {
	var err error
	if c.bilingual, err = synonym.NewBilingual(); err != nil {
		return err
	}
	groups, err := synonym.General()
	if err != nil {
		return err
	}
	c.glossary = make(map[string]catalog.Term)
	c.groupNumber = make(map[string]int32)
	var terms []synonym.Group
	for i, t := range c.index.Snapshot().Glossary {
		id := fmt.Sprintf("%s%s#%d", GlossaryGroup, t.Term, i)
		c.glossary[id] = t
		c.groupNumber[id] = int32(i)
		terms = append(terms, synonym.Group{ID: id, Entries: append([]string{t.Term}, t.Synonyms...)})
	}
	c.terms = synonym.New(c.analyzer, c.cfg.Synonyms, terms)
	c.dictionary = synonym.New(c.analyzer, c.cfg.Synonyms, append(groups, terms...))
	c.spoken = c.spokenWords()
	c.readDefinitions()
	c.weak, err = readWeak()
	return err
}

// readDefinitions notes which business words a definition is made of: who asks
// for "orders divided by visitors" needs a table with orders and visitors.
func (c *Corpus) readDefinitions() {
	c.defined = make(map[string][]Term)
	for id, t := range c.glossary {
		for _, g := range c.terms.Groups(t.Definition) {
			if g.ID == id {
				continue
			}
			part := c.glossary[g.ID]
			terms := c.analyzer.Terms(part.Term)
			for _, text := range terms {
				c.defined[id] = append(c.defined[id], Term{Text: text, Weight: c.cfg.Definition / float64(len(terms)), Entry: part.Term})
			}
		}
	}
}

// glossaryWords returns for each term of the glossary all words that stand for it.
func (c *Corpus) glossaryWords() [][]string {
	words := make([][]string, 0, len(c.glossary))
	for _, t := range c.index.Snapshot().Glossary {
		var all []string
		for _, entry := range append([]string{t.Term}, t.Synonyms...) {
			all = append(all, c.analyzer.Terms(entry)...)
		}
		slices.Sort(all)
		words = append(words, slices.Compact(all))
	}
	return words
}
