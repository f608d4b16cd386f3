package train

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/history"
	"github.com/dibrain/dibrain/pkg/source"
)

// copies of a set are made whose tables have a history: in each, the schemas of one part
// have it and the others have none, so that every question is asked once with the
// history of its tables, and more often with that of others alone, of which it has to
// lose nothing.
const copies = 4

// withHistory returns the copies of all sets with the use that the events tell.
func (o Options) withHistory(ctx context.Context) ([]*Set, error) {
	var all []*Set
	for _, s := range slices.Concat(o.Text, o.Facets) {
		manifest := source.Manifest{Engine: source.EngineNone, DefaultRegion: region}
		counted := &catalog.Snapshot{Tables: slices.Clone(s.Tables)}
		if _, err := history.Count(ctx, manifest, counted, o.History, history.Options{}); err != nil {
			return nil, fmt.Errorf("%w: the history for %s: %w", ErrData, s.Name, err)
		}
		for part := range copies {
			one := *s
			one.Tables = slices.Clone(counted.Tables)
			for i := range one.Tables {
				if partOf(one.Tables[i].Name.Schema) != part {
					one.Tables[i].Usage, one.Tables[i].QueryCount30d = nil, 0
				}
			}
			all = append(all, &one)
		}
	}
	return all, nil
}

func partOf(schema string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(schema)) // a hash takes everything
	return int(h.Sum32() % copies)
}
