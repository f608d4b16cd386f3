package lexical

// Groups are documents by their labels. Many documents share the same, so a filter
// is decided once a group and not once a document.
type Groups struct {
	labels []Labels
	of     []int32 // group of each document
}

// GroupsOf groups documents by the labels of each.
func GroupsOf(labels []Labels) Groups {
	g := Groups{of: make([]int32, len(labels))}
	known := make(map[Labels]int32)
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

// Allowed returns which documents a filter accepts; nil: all.
func (g Groups) Allowed(f Filter) func(doc int) bool {
	if f.Empty() {
		return nil
	}
	accepted := make([]bool, len(g.labels))
	for id, l := range g.labels {
		accepted[id] = f.Accepts(l)
	}
	return func(doc int) bool { return accepted[g.of[doc]] }
}
