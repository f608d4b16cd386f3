package retrieval

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// document is what the corpus knows of a table's words.
type document struct {
	postings []lexical.Posting
	name     []int32   // terms of the table's name in their order, each once
	columns  [][]int32 // terms of each column's name
}

// documentOf returns table n as far as the asker sees it.
func (c *Corpus) documentOf(n int) document {
	if shown := c.shown(n); shown != c.tables[n] {
		return c.view.document(c, n, shown)
	}
	name, columns := c.wordsOf(c.tables[n])
	return document{postings: c.docs.Of(n), name: name, columns: columns}
}

// wordsOf returns the terms of a table's name and of its columns.
func (c *Corpus) wordsOf(t *catalog.Table) (name []int32, columns [][]int32) {
	columns = make([][]int32, len(t.Columns))
	for i := range t.Columns {
		columns[i] = c.termsOf(t.Columns[i].Name)
	}
	return distinct(c.termsOf(t.Name.Table)), columns
}

// distinct returns the terms in their order, each once.
func distinct(terms []int32) []int32 {
	for i, t := range terms {
		if slices.Contains(terms[:i], t) {
			out := slices.Clone(terms[:i])
			for _, t := range terms[i:] {
				if !slices.Contains(out, t) {
					out = append(out, t)
				}
			}
			return out
		}
	}
	return terms
}

// termsOf returns the known terms of a text.
func (c *Corpus) termsOf(text string) []int32 {
	if n, known := c.texts.number[text]; known {
		return c.texts.of(n)
	}
	var ids []int32
	for _, term := range c.analyzer.Terms(text) {
		if id, known := c.docs.ID(term); known {
			ids = append(ids, id)
		}
	}
	return ids
}

// fieldsOf returns the terms of a table by field.
func (c *Corpus) fieldsOf(t *catalog.Table) [][]int32 {
	out := make([][]int32, fields)
	var groups []int32
	eachText(t, c.cfg, func(field int, text string) {
		out[field] = append(out[field], c.termsOf(text)...)
		if field == fieldName || field == fieldDescription || field == fieldColumn || field == fieldComment {
			groups = append(groups, c.groupsOf(text)...)
		}
	})
	slices.Sort(groups)
	for _, g := range slices.Compact(groups) {
		out[fieldGlossary] = append(out[fieldGlossary], c.glossaryTerms[g]...)
	}
	slices.Sort(out[fieldGlossary]) // each word once: the table is found by any of them
	out[fieldGlossary] = slices.Compact(out[fieldGlossary])
	return out
}

// groupsOf returns the glossary's terms, by number, that a text uses.
func (c *Corpus) groupsOf(text string) []int32 {
	if n, known := c.texts.number[text]; known {
		return c.texts.groups[n]
	}
	return c.findGroups(text)
}

func (c *Corpus) findGroups(text string) []int32 {
	if len(c.glossary) == 0 {
		return nil
	}
	var found []int32
	for _, g := range c.terms.Groups(text) {
		found = append(found, c.groupNumber[g.ID])
	}
	return found
}
