package preprocess

import "github.com/dibrain/dibrain/pkg/prefilter"

// Intent is what a question about the data itself wants to know.
type Intent string

// Intents. None: the question is to be answered from the data.
const (
	IntentNone       Intent = ""
	IntentTable      Intent = "table"       // what a table is
	IntentColumn     Intent = "column"      // what a column means
	IntentColumns    Intent = "columns"     // which columns there are
	IntentGrain      Intent = "grain"       // what a row stands for
	IntentPartition  Intent = "partition"   // how it is partitioned
	IntentFreshness  Intent = "freshness"   // when it was updated
	IntentOwner      Intent = "owner"       // who answers for it
	IntentTerm       Intent = "term"        // what a business word means
	IntentWhichTable Intent = "which_table" // where to find something
	IntentInventory  Intent = "inventory"   // what the source holds
)

// AsksAboutTables reports whether the question is about a table, a column or a word, and
// not for tables.
func (q *Question) AsksAboutTables() bool {
	return q.Intent != IntentNone && q.Intent != IntentWhichTable && q.Intent != IntentInventory
}

type intentPattern struct {
	kind    Intent
	pattern *prefilter.Pattern
}

// readIntent takes the first pattern that fits; the file has them from the most
// to the least special.
func (r *Reader) readIntent(q *Question, text prefilter.Text) {
	for _, p := range r.intents {
		found := p.pattern.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		q.Intent = p.kind
		if i := p.pattern.SubexpIndex("name"); i > 0 {
			q.Subject = found[i]
		}
		return
	}
}
