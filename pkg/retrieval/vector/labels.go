package vector

import "github.com/dibrain/dibrain/pkg/retrieval/lexical"

// groups are the documents by their labels. Many documents share the same, so a
// filter is decided once a group and not once a document.
type groups struct {
	labels []lexical.Labels
	of     []int32 // group of each document
}

func groupsOf(labels []lexical.Labels) groups {
	g := groups{of: make([]int32, len(labels))}
	known := make(map[lexical.Labels]int32)
	for n, l := range labels {
		id, ok := known[l]
		if !ok {
			id = int32(len(g.labels))
			known[l] = id
			g.labels = append(g.labels, l)
		}
		g.of[n] = id
	}
	return g
}

// allowed returns which groups a filter accepts; nil: all.
func (g groups) allowed(f lexical.Filter) []bool {
	if f.Empty() {
		return nil
	}
	a := make([]bool, len(g.labels))
	for id, l := range g.labels {
		a[id] = f.Accepts(l)
	}
	return a
}
