package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

// Corpus is a catalog made searchable. It never changes after Build and may be
// used concurrently until Close.
type Corpus struct {
	cfg        Config
	index      *catalog.Index
	tables     []*catalog.Table
	number     map[*catalog.Table]int
	analyzer   *analysis.Analyzer
	dictionary *synonym.Dictionary
	terms      *synonym.Dictionary     // the glossary's words alone
	glossary   map[string]catalog.Term // by group id
	defined    map[string][]Term       // by group id: the terms that a definition is made of
	text       lexical.Index

	vocabulary map[string]int32
	frequency  []int32     // tables that have the term
	postings   [][]posting // of each table, by term
	names      [][]int32   // terms of each table's name

	view *view // of an asker who sees less of some tables; nil: of all
}

// posting says in which fields of a table a term stands.
type posting struct {
	term   int32
	fields uint16 // bit n: fieldNames[n]
}

// GlossaryGroup is the prefix of the synonym groups that come from a glossary.
const GlossaryGroup = "term:"

// Build makes a corpus of an index. progress, if any, is told how many tables of
// how many are done. The caller closes the corpus.
func Build(ctx context.Context, cfg Config, index *catalog.Index, progress func(done, total int)) (*Corpus, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	analyzer, err := analysis.New()
	if err != nil {
		return nil, err
	}
	c := &Corpus{
		cfg:        cfg,
		index:      index,
		tables:     index.All().Tables(),
		analyzer:   analyzer,
		vocabulary: make(map[string]int32),
	}
	if err := c.learnWords(); err != nil {
		return nil, err
	}
	c.number = make(map[*catalog.Table]int, len(c.tables))
	for n, t := range c.tables {
		c.number[t] = n
	}
	c.postings = make([][]posting, len(c.tables))
	c.names = make([][]int32, len(c.tables))
	var told func(int)
	if progress != nil {
		told = func(done int) { progress(done, len(c.tables)) }
	}
	c.text, err = lexical.Build(ctx, cfg.Lexical, len(c.tables), func(n int) lexical.Document {
		d := c.document(c.tables[n])
		c.post(n, d)
		return d
	}, told)
	if err != nil {
		return nil, fmt.Errorf("index %d tables: %w", len(c.tables), err)
	}
	return c, nil
}

// Close frees the corpus. No search may be under way.
func (c *Corpus) Close() error { return c.text.Close() }

// Index returns the catalog behind the corpus.
func (c *Corpus) Index() *catalog.Index { return c.index }

// Analyzer returns the analyzer of the corpus' documents and questions.
func (c *Corpus) Analyzer() *analysis.Analyzer { return c.analyzer }

// learnWords makes the dictionary of general words, the glossary's terms and the
// marts' synonyms.
func (c *Corpus) learnWords() error {
	groups, err := synonym.General()
	if err != nil {
		return err
	}
	c.glossary = make(map[string]catalog.Term)
	var terms []synonym.Group
	for i, t := range c.index.Snapshot().Glossary {
		id := fmt.Sprintf("%s%s#%d", GlossaryGroup, t.Term, i)
		c.glossary[id] = t
		terms = append(terms, synonym.Group{ID: id, Entries: append([]string{t.Term}, t.Synonyms...)})
	}
	c.terms = synonym.New(c.analyzer, c.cfg.Synonyms, terms)
	groups = append(groups, terms...)
	c.dictionary = synonym.New(c.analyzer, c.cfg.Synonyms, groups)
	c.readDefinitions()
	return nil
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

// document returns the terms of a table by field.
func (c *Corpus) document(t *catalog.Table) lexical.Document {
	d := map[string][]string{
		FieldName:        c.analyzer.Terms(t.Name.Table),
		FieldSchema:      c.analyzer.Terms(t.Name.Schema),
		FieldDescription: c.analyzer.Terms(t.Description + " " + t.Grain),
		FieldMart:        c.analyzer.Terms(t.Mart),
		FieldLayer:       c.analyzer.Terms(t.Layer),
		FieldOwner:       c.analyzer.Terms(t.Owner),
	}
	var own strings.Builder // where glossary terms are looked for
	own.WriteString(t.Name.Table + "\n" + t.Description)
	for _, column := range t.Columns {
		d[FieldColumn] = append(d[FieldColumn], c.analyzer.Terms(column.Name)...)
		d[FieldComment] = append(d[FieldComment], c.analyzer.Terms(column.Comment)...)
		for _, v := range column.Samples[:min(len(column.Samples), c.cfg.MaxSampleValues)] {
			d[FieldValue] = append(d[FieldValue], c.analyzer.Terms(v)...)
		}
		own.WriteString("\n" + column.Name + "\n" + column.Comment)
	}
	if len(c.glossary) > 0 {
		d[FieldGlossary] = c.glossaryTerms(own.String())
	}
	return lexical.Document{Labels: lexical.Labels{Region: t.Name.Region, Schema: t.Name.Schema, Mart: t.Mart}, Fields: d}
}

// glossaryTerms returns all words for the glossary terms that a table's text
// uses, each once: the table is found by any of them.
func (c *Corpus) glossaryTerms(text string) []string {
	var terms []string
	for _, g := range c.terms.Groups(text) {
		for _, e := range g.Entries {
			terms = append(terms, c.analyzer.Terms(e)...)
		}
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

// post notes which terms stand in which fields of table n.
func (c *Corpus) post(n int, d lexical.Document) {
	fields := make(map[int32]uint16)
	for bit, name := range fieldNames {
		for _, term := range d.Fields[name] {
			id, known := c.vocabulary[term]
			if !known {
				id = int32(len(c.vocabulary))
				c.vocabulary[term] = id
				c.frequency = append(c.frequency, 0)
			}
			if fields[id] == 0 {
				c.frequency[id]++
			}
			fields[id] |= 1 << bit
			if name == FieldName && !slices.Contains(c.names[n], id) {
				c.names[n] = append(c.names[n], id)
			}
		}
	}
	c.postings[n] = postingList(fields)
}

// postingList orders a table's terms.
func postingList(fields map[int32]uint16) []posting {
	list := make([]posting, 0, len(fields))
	for id, in := range fields {
		list = append(list, posting{id, in})
	}
	slices.SortFunc(list, func(a, b posting) int { return cmp.Compare(a.term, b.term) })
	return list
}

// fieldsOf returns the fields of table n in which a term stands, 0 for none.
func (c *Corpus) fieldsOf(n int, term int32) uint16 {
	list := c.postingsOf(n)
	i, found := slices.BinarySearchFunc(list, term, func(p posting, t int32) int { return cmp.Compare(p.term, t) })
	if !found {
		return 0
	}
	return list[i].fields
}

// rarity is BM25's inverse document frequency.
func (c *Corpus) rarity(term int32) float64 {
	n, df := float64(len(c.tables)), float64(c.frequency[term])
	return math.Log(1 + (n-df+0.5)/(df+0.5))
}
