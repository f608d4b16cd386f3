package vector

import "cmp"

// Compare orders hits: the higher score first, of equal ones the lower document.
func Compare(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc))
}

// nearest keeps the best hits that it is given: a heap with the worst of them on
// top.
type nearest struct {
	limit int
	hits  []Hit
}

// takes says whether a hit would be kept.
func (b *nearest) takes(h Hit) bool {
	return len(b.hits) < b.limit || Compare(h, b.hits[0]) < 0
}

// add keeps a hit that takes accepts.
func (b *nearest) add(h Hit) {
	if len(b.hits) < b.limit {
		b.hits = append(b.hits, h)
		b.up(len(b.hits) - 1)
		return
	}
	b.hits[0] = h
	b.down()
}

func (b *nearest) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if Compare(b.hits[i], b.hits[parent]) <= 0 {
			return
		}
		b.hits[i], b.hits[parent] = b.hits[parent], b.hits[i]
		i = parent
	}
}

func (b *nearest) down() {
	for i := 0; ; {
		worst := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(b.hits) && Compare(b.hits[child], b.hits[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		b.hits[i], b.hits[worst] = b.hits[worst], b.hits[i]
		i = worst
	}
}
