package retrieval

import (
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// view is what an asker sees of the tables.
type view struct {
	visible func(*catalog.Table) *catalog.Table

	mu   sync.Mutex
	docs map[int]document // of the tables that the asker sees less of
}

// Through returns the corpus for somebody who does not see all of it: visible
// returns a table without what is hidden, or the table itself; tables that are
// hidden as a whole are left out by keep of Candidates. Words that stand in hidden
// parts alone, such as stored values, find nothing and are no evidence, and hidden
// tables tell nothing about those that are seen but how rare a word is.
func (c *Corpus) Through(visible func(*catalog.Table) *catalog.Table) *Corpus {
	seen := *c
	seen.view = &view{visible: visible, docs: map[int]document{}}
	return &seen
}

// shown returns table n as the asker sees it.
func (c *Corpus) shown(n int) *catalog.Table {
	if c.view == nil {
		return c.tables[n]
	}
	return c.view.visible(c.tables[n])
}

// document returns the words of a table of which only a part is shown.
func (v *view) document(c *Corpus, n int, shown *catalog.Table) document {
	v.mu.Lock()
	defer v.mu.Unlock()
	d, known := v.docs[n]
	if !known {
		d.postings = lexical.Postings(c.shownFields(shown, c.index.Marks(c.tables[n])), c.cfg.Lexical.MaxFieldTerms)
		name, alt := c.namesOf(n, shown)
		d.name, d.alt = c.wordsOf(name), c.wordsOf(alt)
		d.columns = c.columnsOf(shown)
		v.docs[n] = d
	}
	return d
}
