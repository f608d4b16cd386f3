package retrieval

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/mark"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// document is what the corpus knows of a table's words.
type document struct {
	postings []lexical.Posting
	name     []int32 // terms of the table's name in their order, each once
	alt      []int32 // of a description that is short enough for a readable name
	columns  []columnText
}

// documentOf returns table n as far as the asker sees it.
func (c *Corpus) documentOf(n int) document {
	if shown := c.shown(n); shown != c.tables[n] {
		return c.view.document(c, n, shown)
	}
	return document{
		postings: c.docs.Of(n), columns: c.columns[c.columnStart[n]:c.columnStart[n+1]],
		name: c.wordsOf(c.nameText[n]), alt: c.wordsOf(c.altText[n]),
	}
}

// namesOf returns the texts of a table's name, without its marks, and of its
// description if that is short.
func (c *Corpus) namesOf(n int, t *catalog.Table) (name, alt uint32) {
	name, known := c.texts.number[c.index.Marks(c.tables[n]).Text]
	if !known {
		name = noText
	}
	alt, known = c.texts.number[t.Description]
	if !known || len(t.Description) > maxReadableBytes || len(c.wordsOf(alt)) > maxReadableName {
		alt = noText
	}
	return name, alt
}

// wordsOf returns the terms of a text by its number, each once.
func (c *Corpus) wordsOf(text uint32) []int32 {
	if text == noText {
		return nil
	}
	return distinct(c.texts.of(text))
}

// maxReadableBytes bounds a text that is looked at as a readable name.
const maxReadableBytes = 120

// keyWords end the names of columns that hold keys.
var keyWords = [...]string{"id", "ids", "key", "sk", "fk", "pk", "guid", "uuid", "rowid"}

// isKey tells whether a column's name ends as a key's: "buyer_id", "userid", but
// neither "paid" nor "id" alone, which says nothing of what it points to.
func isKey(tokens []analysis.Token) bool {
	var words []string
	for i, t := range tokens {
		if t.Part || i+1 == len(tokens) || !tokens[i+1].Part { // of a run-together word its parts
			words = append(words, t.Word)
		}
	}
	return len(words) > 1 && slices.Contains(keyWords[:], words[len(words)-1])
}

// columnsOf returns the columns of a table by their texts. A column whose name is
// no text of the corpus is left out.
func (c *Corpus) columnsOf(t *catalog.Table, list []columnText) []columnText {
	for i := range t.Columns {
		column := &t.Columns[i]
		name, known := c.texts.number[column.Name]
		if !known {
			continue
		}
		one := columnText{name: name, alt: noText, key: c.keys[name]}
		if alt, known := c.texts.number[column.Comment]; known && alt != name && len(column.Comment) <= maxReadableBytes {
			if n := len(c.texts.of(alt)); n > 0 && n <= maxReadableName {
				one.alt = alt
			}
		}
		list = append(list, one)
	}
	return list
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

// fieldsOf returns the terms of a table by field. What the marks of its name say
// (country, layer, copy) stands with its layer, not in its name.
func (c *Corpus) fieldsOf(t *catalog.Table, marks *mark.Marks) [][]int32 {
	out := make([][]int32, fields)
	var groups []int32
	eachText(t, marks, c.cfg, func(field int, text string) {
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
