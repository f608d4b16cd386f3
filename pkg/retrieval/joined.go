package retrieval

import (
	"cmp"
	"slices"
)

// Limits of looking at neighbours.
const (
	maxHubs      = 40 // best tables whose neighbours are looked at
	countedHubs  = 5  // of them as neighbours of one table
	maxPulledIn  = 60 // tables that become candidates by their neighbours alone
	pullingHubs  = 12 // best tables that do so
	textOfBase   = 0.5
	strengthBase = 0.5
)

// features values every candidate.
func (r *reading) features() []*tableRead {
	for _, t := range r.tables {
		t.features[featureBM25] = t.features[featureText]
	}
	r.divide(featureBM25)
	for _, t := range r.tables {
		t.base = textOfBase*t.features[featureBM25] + strengthBase*t.features[featureCovStrength]
	}
	r.lead()
	r.bySchema()
	r.byNeighbours()
	return r.tables
}

// byNeighbours sets what the best tables say for those that are joined with them.
func (r *reading) byNeighbours() {
	hubs := slices.DeleteFunc(slices.Clone(r.tables), func(t *tableRead) bool { return !t.leads })
	slices.SortFunc(hubs, func(a, b *tableRead) int { return cmp.Or(cmp.Compare(b.base, a.base), cmp.Compare(a.n, b.n)) })
	for _, hub := range hubs[:min(len(hubs), maxHubs)] {
		for _, n := range r.c.neighbours.of(hub.n) {
			t, candidate := r.leading[r.c.facets.Kin(int(n))[0]]
			if !candidate {
				continue
			}
			f := t.features
			switch {
			case hub.base > f[featureNbBest]:
				f[featureNbSecond], f[featureNbBest] = f[featureNbBest], hub.base
			case hub.base > f[featureNbSecond]:
				f[featureNbSecond] = hub.base
			}
			f[featureNbCount] = min(1, f[featureNbCount]+1.0/countedHubs)
			var gain float64
			for i, share := range r.share {
				gain += share * max(0, t.own[i]-hub.own[i])
			}
			f[featureNbResid] = max(f[featureNbResid], gain)
		}
	}
}
