package library

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval"
)

// addQueried adds what queries call what they read of a table. Whoever may not see all
// that was read does not find the table by such a word.
func addQueried(to retrieval.Meanings, index *catalog.Index) retrieval.Meanings {
	for _, t := range index.All().Tables() {
		if t.Usage == nil {
			continue
		}
		for _, w := range t.Usage.Words {
			needs, known := needsOf(w.Reads, index)
			if !known {
				continue // a table has gone since
			}
			if to == nil {
				to = retrieval.Meanings{}
			}
			word := strings.ReplaceAll(w.Text, "_", " ")
			to[t] = append(to[t], retrieval.Meaning{
				Names: map[lang.Language]string{lang.English: word}, Words: []string{word}, Queried: true, Needs: needs,
			})
		}
	}
	return to
}

func needsOf(reads []catalog.Read, index *catalog.Index) (needs []retrieval.Need, known bool) {
	for _, r := range reads {
		t, ok := index.Lookup(r.Table)
		if !ok {
			return nil, false
		}
		needs = append(needs, retrieval.Need{Any: []*catalog.Table{t}, Columns: r.Columns})
	}
	return needs, true
}
