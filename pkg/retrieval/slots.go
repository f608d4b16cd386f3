package retrieval

import "sync"

// slotPool lends tables of the slots of a question's terms: all 0 between
// questions, so that nothing is cleared but what was set.
type slotPool struct{ pool sync.Pool }

// lend returns 1 + the slot for each of the known terms, 0 for others.
func (p *slotPool) lend(terms int, known []int32) *[]int16 {
	lent, ok := p.pool.Get().(*[]int16)
	if !ok {
		fresh := make([]int16, terms)
		lent = &fresh
	}
	for slot, id := range known {
		(*lent)[id] = int16(slot + 1)
	}
	return lent
}

func (p *slotPool) takeBack(lent *[]int16, known []int32) {
	for _, id := range known {
		(*lent)[id] = 0
	}
	p.pool.Put(lent)
}
