package retrieval

import (
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// view is what an asker sees of the tables.
type view struct {
	visible func(*catalog.Table) *catalog.Table

	mu       sync.Mutex
	postings map[int][]posting // of the tables that the asker sees less of
}

// Through returns the corpus for somebody who sees less of some tables: visible
// returns a table without what is hidden, or the table itself. Words that stand in
// hidden parts alone, such as stored values, find nothing and are no evidence.
func (c *Corpus) Through(visible func(*catalog.Table) *catalog.Table) *Corpus {
	seen := *c
	seen.view = &view{visible: visible, postings: map[int][]posting{}}
	return &seen
}

// postingsOf returns the terms of table n, as far as the asker sees them.
func (c *Corpus) postingsOf(n int) []posting {
	if c.view == nil {
		return c.postings[n]
	}
	shown := c.view.visible(c.tables[n])
	if shown == c.tables[n] {
		return c.postings[n]
	}
	c.view.mu.Lock()
	defer c.view.mu.Unlock()
	list, ok := c.view.postings[n]
	if !ok {
		list = c.postingsIn(c.document(shown))
		c.view.postings[n] = list
	}
	return list
}

// postingsIn returns the terms of a document, of those that the corpus knows.
func (c *Corpus) postingsIn(d lexical.Document) []posting {
	fields := make(map[int32]uint16)
	for bit, name := range fieldNames {
		for _, term := range d.Fields[name] {
			if id, known := c.vocabulary[term]; known {
				fields[id] |= 1 << bit
			}
		}
	}
	return postingList(fields)
}

// seen takes from the scores of a search what hidden words gave: a table that the
// asker sees less of keeps the share that its visible words have in all evidence.
func (c *Corpus) seen(q Query, hits []lexical.Hit) []lexical.Hit {
	if c.view == nil {
		return hits
	}
	whole := *c
	whole.view = nil
	out := make([]lexical.Hit, 0, len(hits))
	for _, h := range hits {
		if c.view.visible(c.tables[h.Doc]) != c.tables[h.Doc] {
			all, visible := worth(whole.evidence(q, h.Doc)), worth(c.evidence(q, h.Doc))
			if visible == 0 {
				continue
			}
			h.Score *= visible / max(all, visible)
		}
		out = append(out, h)
	}
	return out
}

func worth(evidence []Evidence) float64 {
	var sum float64
	for _, e := range evidence {
		sum += e.Worth
	}
	return sum
}
