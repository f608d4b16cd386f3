package retrieval

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/facet"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

// Corpus is a catalog made searchable. It never changes after Build and may be
// used concurrently until Close.
type Corpus struct {
	cfg    Config
	index  *catalog.Index
	tables []*catalog.Table
	number map[*catalog.Table]int

	analyzer   *analysis.Analyzer
	facets     *facet.Index
	short      *analysis.Abbreviations
	dictionary *synonym.Dictionary
	bilingual  *synonym.Bilingual

	glossary      map[string]catalog.Term // by group id
	weakTerms     map[int32]bool          // terms of such words
	weak          *weak                   // words of questions that say little
	terms         *synonym.Dictionary     // the glossary's words alone
	groupNumber   map[string]int32        // by group id
	glossaryTerms [][]int32               // by number: all words for the term
	defined       map[string][]Term       // by group id: the terms that a definition is made of

	meanings map[int][]Meaning   // by table
	spoken   *synonym.Dictionary // their Chinese words

	texts       *texts
	docs        *lexical.Documents
	scorer      *lexical.Scorer
	text        lexical.Index
	spare       *spare // in memory, for words while text is on a server that is away
	vectors     Finder // nil: none
	columns     []columnText
	keys        []bool   // by text: a column's name that ends as a key's
	columnStart []uint32 // of a table's columns; one more than there are tables
	schema      []int32  // of each table
	schemaSize  []int32  // tables, by schema; near twins are one
	schemaWords schemaWords
	nameText    []uint32 // of each table: its name without marks
	altText     []uint32 // a description that may be a readable name; noText for none
	scratches   *scratchPool
	neighbours  neighbours
	use         map[int32][]tableUse // of near twins with a history, by the first of them
	told        [fields]float64      // what finding a word in a field counts

	view *view // of an asker who sees less of some tables; nil: of all
}

// GlossaryGroup is the prefix of the synonym groups that come from a glossary.
const GlossaryGroup = "term:"

// Build makes a corpus of an index, all of it in memory and without vectors.
// progress, if any, is told how many tables of how many are done. The caller closes
// the corpus.
func Build(ctx context.Context, cfg Config, index *catalog.Index, progress func(done, total int)) (*Corpus, error) {
	return BuildOn(ctx, cfg, Subject{Index: index}, inMemory{}, progress)
}

// Subject is what a corpus is made of.
type Subject struct {
	Source   string // name by which remote indices tell one source from another
	Index    *catalog.Index
	Meanings Meanings // nil: there are none
}

// BuildOn is Build with the indices that makers makes; nil: all in memory.
func BuildOn(ctx context.Context, cfg Config, of Subject, makers Makers, progress func(done, total int)) (*Corpus, error) {
	if makers == nil {
		makers = inMemory{}
	}
	index := of.Index
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	c := &Corpus{cfg: cfg, index: index, tables: index.All().Tables(), scratches: &scratchPool{}, spare: &spare{}}
	c.number = make(map[*catalog.Table]int, len(c.tables))
	for n, t := range c.tables {
		c.number[t] = n
	}
	// What does not depend on words is found while words are read.
	var beside sync.WaitGroup
	var facetErr error
	beside.Go(func() {
		if c.facets, facetErr = facet.New(index); facetErr != nil {
			return
		}
		c.neighbours = neighboursOf(c.tables, index, c.facets)
		c.numberSchemas()
	})
	c.numberMeanings(of.Meanings)
	err = c.readWords(ctx, of.Meanings, progress)
	beside.Wait()
	if err := errors.Join(err, facetErr); err != nil {
		return nil, fmt.Errorf("index %d tables: %w", len(c.tables), err)
	}
	beside.Go(c.numberPlaces)
	c.scorer = lexical.NewScorer(c.cfg.Lexical, c.docs, c.familyOf())
	err = c.make(ctx, makers, of.Source)
	beside.Wait()
	if err != nil {
		return nil, fmt.Errorf("index %d tables: %w", len(c.tables), err)
	}
	return c, nil
}

// readWords learns the corpus' words and turns the tables into documents.
func (c *Corpus) readWords(ctx context.Context, meanings Meanings, progress func(done, total int)) error {
	c.texts = collect(c.index, c.tables, meanings, c.cfg)
	if err := c.learn(); err != nil {
		return err
	}
	if err := c.learnWords(); err != nil {
		return err
	}
	return c.read(ctx, progress)
}

// progressEvery is after how many tables progress is told.
const progressEvery = 1000

// read turns the tables into documents.
func (c *Corpus) read(ctx context.Context, progress func(done, total int)) error {
	docs, err := lexical.NewDocuments(fieldNames[:], c.cfg.Lexical.MaxFieldTerms)
	if err != nil {
		return err
	}
	c.docs = docs
	for _, terms := range c.glossaryWords() {
		ids := make([]int32, 0, len(terms))
		for _, t := range terms {
			ids = append(ids, docs.Intern(t))
		}
		c.glossaryTerms = append(c.glossaryTerms, ids)
	}
	if err := c.texts.analyse(ctx, func(text string) ([]string, []int32) {
		return c.analyzer.Terms(text), c.findGroups(text)
	}, docs); err != nil {
		return err
	}
	c.weakTerms = c.weak.terms(c.termsOf)
	return c.addDocuments(ctx, progress)
}

// addDocuments counts the words of the tables on all processors, a block of them
// after another.
func (c *Corpus) addDocuments(ctx context.Context, progress func(done, total int)) error {
	postings := make([][]lexical.Posting, len(c.tables))
	workers := runtime.GOMAXPROCS(0)
	for from := 0; from < len(c.tables); from += progressEvery {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read tables: %w", err)
		}
		to := min(from+progressEvery, len(c.tables))
		var running sync.WaitGroup
		for w := range workers {
			running.Go(func() {
				for n := from + w; n < to; n += workers {
					postings[n] = lexical.Postings(c.wholeFields(n), c.cfg.Lexical.MaxFieldTerms)
				}
			})
		}
		running.Wait()
		if progress != nil {
			progress(to, len(c.tables))
		}
	}
	size := 0
	for _, list := range postings {
		size += len(list)
	}
	c.docs.Reserve(len(c.tables), size)
	for n, t := range c.tables {
		c.docs.AddPostings(lexical.Labels{Region: t.Name.Region, Schema: t.Name.Schema, Mart: t.Mart}, postings[n])
		postings[n] = nil
	}
	return nil
}

// Close frees the corpus. No search may be under way.
func (c *Corpus) Close() error {
	err := c.text.Close()
	if c.vectors != nil {
		err = errors.Join(err, c.vectors.Close())
	}
	return err
}

// Index returns the catalog behind the corpus.
func (c *Corpus) Index() *catalog.Index { return c.index }

// Analyzer returns the analyzer of the corpus' documents and questions.
func (c *Corpus) Analyzer() *analysis.Analyzer { return c.analyzer }

// numberSchemas numbers the places in which tables stand together.
func (c *Corpus) numberSchemas() {
	known := make(map[[2]string]int32)
	c.schema = make([]int32, len(c.tables))
	for n, t := range c.tables {
		key := [2]string{t.Name.Region, t.Name.Schema}
		if _, have := known[key]; !have {
			known[key] = int32(len(known))
			c.schemaSize = append(c.schemaSize, 0)
		}
		c.schema[n] = known[key]
		if c.facets.Kin(n)[0] == int32(n) {
			c.schemaSize[known[key]]++
		}
	}
}

// numberPlaces notes what the candidates of a question are compared by.
func (c *Corpus) numberPlaces() {
	for n, name := range fieldNames {
		c.told[n] = c.cfg.Evidence[name]
	}
	c.keys = make([]bool, len(c.texts.list))
	for _, said := range c.texts.said {
		if said.field == fieldColumn {
			c.keys[said.text] = true
		}
	}
	for n, column := range c.keys {
		c.keys[n] = column && isKey(c.analyzer.Tokens(c.texts.list[n]))
	}
	c.columns = make([]columnText, 0, len(c.texts.said)/2)
	c.columnStart = append(make([]uint32, 0, len(c.tables)+1), 0)
	for n, t := range c.tables {
		c.addColumns(n)
		name, alt := c.namesOf(n, t)
		c.nameText, c.altText = append(c.nameText, name), append(c.altText, alt)
	}
	c.numberUse()
	c.schemaWords = schemaWordsOf(c.docs, c.schema, c.familyOf())
	c.texts.said, c.texts.saidStart = nil, nil
}

// familyOf numbers the families of near twins: a word that stands in a thousand
// shards of one table is as rare as one that stands in a single table.
func (c *Corpus) familyOf() []int32 {
	family := make([]int32, len(c.tables))
	for n := range c.tables {
		family[n] = c.facets.Kin(n)[0]
	}
	return family
}
