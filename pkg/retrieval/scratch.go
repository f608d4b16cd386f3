package retrieval

import "sync"

// scratch is the memory of one reading, lent from question to question: it is
// about a megabyte, and a busy service would leave that to the collector with
// each question.
type scratch struct {
	slotOf []int16 // by term: 1 + its slot; all 0 between readings
	known  []int32 // the terms whose slots are set
	reads  []tableRead
	found  []found
	values []float64
	used   int        // of values
	kept   []answered // by table; all unasked between searches
	asked  []int32    // the tables that are not
}

// answered is what keep said of a table.
type answered int8

const (
	unasked answered = iota
	yes
	no
)

// scratchPool lends scratches.
type scratchPool struct{ pool sync.Pool }

func (p *scratchPool) lend() *scratch {
	if s, ok := p.pool.Get().(*scratch); ok {
		return s
	}
	return &scratch{}
}

func (p *scratchPool) takeBack(s *scratch) {
	for _, id := range s.known {
		s.slotOf[id] = 0
	}
	s.known = nil
	for _, n := range s.asked {
		s.kept[n] = unasked
	}
	s.asked = s.asked[:0]
	clear(s.reads) // lets go of documents
	clear(s.found)
	p.pool.Put(s)
}

// once returns a keep that asks the given one once for each table: hits, their kin and
// what they are compared by look at the same tables again and again. It is for one
// goroutine.
func (s *scratch) once(tables int, keep func(n int) bool) func(n int) bool {
	if len(s.kept) < tables {
		s.kept = make([]answered, tables)
	}
	return func(n int) bool {
		if s.kept[n] == unasked {
			s.kept[n] = no
			if keep(n) {
				s.kept[n] = yes
			}
			s.asked = append(s.asked, int32(n))
		}
		return s.kept[n] == yes
	}
}

// slots returns 1 + the slot for each of the known terms, 0 for others.
func (s *scratch) slots(terms int, known []int32) []int16 {
	if len(s.slotOf) < terms {
		s.slotOf = make([]int16, terms)
	}
	s.known = known
	for slot, id := range known {
		s.slotOf[id] = int16(slot + 1)
	}
	return s.slotOf
}

// reserve makes room for a number of tables.
func (s *scratch) reserve(tables, slots, concepts int) {
	s.reads = sized(s.reads, tables)
	s.found = sized(s.found, tables*slots)
	s.values = sized(s.values, (tables*listsOfRead+2)*concepts)
	s.used = 0
}

// list returns n values that are 0.
func (s *scratch) list(n int) []float64 {
	from := s.used
	s.used += n
	list := s.values[from:s.used:s.used]
	clear(list)
	return list
}

func sized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}
