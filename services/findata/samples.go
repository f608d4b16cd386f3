package findata

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/lineage"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// maxSamples bounds the sample queries of an answer, sampledTables the tables that they
// are over.
const (
	maxSamples    = 5
	sampledTables = 3
)

// seen is the catalog as the asker sees it, for reading statements: tables without what
// is hidden of them.
type seen struct{ *desk }

// Lookup implements resolve.Catalog.
func (s seen) Lookup(name catalog.Name) (*catalog.Table, bool) {
	t, ok := s.view.Lookup(name)
	if !ok {
		return nil, false
	}
	return s.visible(t), true
}

// Near implements resolve.Catalog.
func (s seen) Near(catalog.Name, int) []catalog.Name { return nil }

// samples are queries over the best tables shown: verified ones of the layer, then the
// shapes that people run most, with a question mark for each value. A query of which the
// asker may not see all that it reads is none.
func (w *search) samples() []string {
	best := make(map[string]bool)
	for _, t := range w.result.Tables[:min(len(w.result.Tables), sampledTables)] {
		best[t.Table.Name.Key()] = true
	}
	var out []string
	add := func(text string) {
		if len(out) < maxSamples && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	for _, x := range w.desk.volume.Examples {
		if x.Mart != "" && !w.desk.shows(x.Mart) {
			continue
		}
		if reads, ok := w.desk.reads(x.SQL); ok && slices.ContainsFunc(reads, func(n catalog.Name) bool { return best[n.Key()] }) {
			add(x.SQL)
		}
	}
	for _, t := range w.result.Tables[:min(len(w.result.Tables), sampledTables)] {
		if u := w.desk.usage(t.Table); u != nil {
			for _, shape := range u.Templates { // those of which the asker may see all
				add(shape.SQL)
			}
		}
	}
	return out
}

// reads returns the tables of a statement; false where the asker does not see all of them
// and of their columns.
func (d *desk) reads(text string) ([]catalog.Name, bool) {
	statement, err := parser.Parse(text)
	if err != nil || statement.Query == nil {
		return nil, false
	}
	resolution, problems := resolve.Resolve(statement, resolve.Scope{
		Catalog: seen{d}, DefaultRegion: d.volume.Manifest.DefaultRegion, DefaultSchema: d.volume.Manifest.DefaultSchema,
	})
	if resolution == nil || len(problems) > 0 {
		return nil, false
	}
	return lineage.Of(resolution).Tables, true
}
