package retrieval

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
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
	if !c.whole(n) {
		return c.view.document(c, n, c.shown(n))
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

// columnsOf returns the columns of what is shown of a table. A column whose name is
// no text of the corpus is left out.
func (c *Corpus) columnsOf(t *catalog.Table) []columnText {
	list := make([]columnText, 0, len(t.Columns))
	for i := range t.Columns {
		if name, known := c.texts.number[t.Columns[i].Name]; known {
			list = append(list, columnText{name: name, alt: noText, key: c.keys[name]})
			if comment, known := c.texts.number[t.Columns[i].Comment]; known {
				c.explain(&list[len(list)-1], comment)
			}
		}
	}
	return list
}

// addColumns appends the columns of table n.
func (c *Corpus) addColumns(n int) {
	from := len(c.columns)
	for _, s := range c.texts.saidOf(n) {
		switch s.field {
		case fieldColumn:
			c.columns = append(c.columns, columnText{name: s.text, alt: noText, key: c.keys[s.text]})
		case fieldComment:
			if len(c.columns) > from {
				c.explain(&c.columns[len(c.columns)-1], s.text)
			}
		}
	}
	c.columnStart = append(c.columnStart, uint32(len(c.columns)))
}

// explain takes a comment that may be a readable name of the column.
func (c *Corpus) explain(column *columnText, comment uint32) {
	if n := len(c.texts.of(comment)); comment != column.name && n > 0 && n <= maxReadableName && len(c.texts.list[comment]) <= maxReadableBytes {
		column.alt = comment
	}
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

// fieldsOf returns the terms of a table by field. each tells its texts' fields,
// terms, and terms of the glossary by number. What the marks of its name say
// (country, layer, copy) stands with its layer, not in its name.
func (c *Corpus) fieldsOf(each func(tell func(field int, terms, groups []int32))) [][]int32 {
	out := make([][]int32, fields)
	var groups, said []int32
	each(func(field int, terms, uses []int32) {
		if field == wordOfMeaning {
			said = append(said, terms...)
			return
		}
		out[field] = append(out[field], terms...)
		if field == fieldName || field == fieldDescription || field == fieldColumn || field == fieldComment {
			groups = append(groups, uses...)
		}
	})
	slices.Sort(groups)
	for _, g := range slices.Compact(groups) {
		out[fieldGlossary] = append(out[fieldGlossary], c.glossaryTerms[g]...)
	}
	for _, term := range said { // what the table says by itself, it says better
		if !c.weakTerms[term] && !slices.Contains(out[fieldName], term) && !slices.Contains(out[fieldDescription], term) && !slices.Contains(out[fieldColumn], term) {
			out[fieldGlossary] = append(out[fieldGlossary], term)
		}
	}
	slices.Sort(out[fieldGlossary]) // each word once: the table is found by any of them
	out[fieldGlossary] = slices.Compact(out[fieldGlossary])
	return out
}

// wholeFields returns the terms of table n by field.
func (c *Corpus) wholeFields(n int) [][]int32 {
	return c.fieldsOf(func(tell func(field int, terms, groups []int32)) {
		for _, s := range c.texts.saidOf(n) {
			tell(int(s.field), c.texts.of(s.text), c.texts.groups[s.text])
		}
	})
}

// shownFields returns the terms of what is shown of table n.
func (c *Corpus) shownFields(n int, shown *catalog.Table) [][]int32 {
	return c.fieldsOf(func(tell func(field int, terms, groups []int32)) {
		say := func(field int, text string) { tell(field, c.termsOf(text), c.groupsOf(text)) }
		eachText(shown, c.index.Marks(c.tables[n]), c.cfg, say)
		eachWord(c.meaningsOf(n), say)
	})
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
