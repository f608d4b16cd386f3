package lexical

// before tells whether a is better than b: a higher score, of equal scores the
// lower document.
func before(a, b Hit) bool {
	return a.Score > b.Score || a.Score == b.Score && a.Doc < b.Doc
}

// heap holds the best hits so far with the worst of them at its root. It is
// typed and inlined where container/heap would allocate for each push.
type heap []Hit

func (h *heap) push(hit Hit) {
	*h = append(*h, hit)
	list := *h
	for i := len(list) - 1; i > 0; {
		parent := (i - 1) / 2
		if !before(list[parent], list[i]) {
			return
		}
		list[parent], list[i] = list[i], list[parent]
		i = parent
	}
}

// replace puts a hit in the place of the worst.
func (h heap) replace(hit Hit) {
	h[0] = hit
	for i := 0; ; {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if before(h[worst], h[child]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}
