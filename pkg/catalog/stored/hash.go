package stored

import (
	"github.com/cespare/xxhash/v2"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Hasher tells tables apart by all that is stored of them. It is for one
// goroutine; the zero value is ready.
type Hasher struct{ e encoder }

// Sum returns the hash of a table. It is for comparing within one process: another
// version of the program may hash otherwise.
func (h *Hasher) Sum(t *catalog.Table) uint64 {
	h.e.records = h.e.records[:0]
	h.e.table(t)
	return xxhash.Sum64(h.e.records)
}

// SumWords returns the hash of marts, glossary and rules.
func (h *Hasher) SumWords(s *catalog.Snapshot) uint64 {
	h.e.records = h.e.records[:0]
	h.e.snapshot(&catalog.Snapshot{Marts: s.Marts, Glossary: s.Glossary, Rules: s.Rules})
	return xxhash.Sum64(h.e.records)
}
