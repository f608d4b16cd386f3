package retrieval

import (
	mathbits "math/bits"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// asked is a question ready to be compared with documents.
type asked struct {
	c      *Corpus
	q      *Query
	ways   []way     // of all concepts, in their order
	saidBy []bits    // by slot: the ways that have the term
	rarity []float64 // by slot
	weight []float64 // by slot: the best with which the term is asked for
	says   [][]saying
	share  []float64 // by concept: its part of the question, by rarity; they sum up to 1
	wide   []float64 // the same among the concepts that count fully
	idf    []float64 // by concept
	first  int       // the first concept that counts fully; -1: none
}

// way is one way to say a concept: the question's own words, or a synonym.
type way struct {
	concept int
	entry   string    // the synonym; empty for the question's own words
	terms   []wayTerm // those that some table has
	whole   float64   // weight of all its terms
}

type wayTerm struct {
	slot   int
	weight float64
	worth  float64 // of finding it in a field that tells all
}

// saying is a concept that a term speaks of.
type saying struct {
	concept int
	weight  float64
}

// guessed is what the rarity of another word for a concept counts.
const guessed = 0.9

// weakest is the least with which a word of the question counts in a name.
const weakest = 0.4

// fully is the weight from which a concept counts fully.
const fully = 0.99

func (c *Corpus) ask(q *Query) *asked {
	slots, concepts := len(q.known), len(q.Concepts)
	a := &asked{
		c: c, q: q, first: -1,
		rarity: make([]float64, slots), weight: make([]float64, slots), says: make([][]saying, slots),
		share: make([]float64, concepts), wide: make([]float64, concepts), idf: make([]float64, concepts),
	}
	for slot, id := range q.known {
		a.rarity[slot] = c.scorer.Rarity(id)
	}
	var whole, wide float64
	for i := range q.Concepts {
		concept := &q.Concepts[i]
		strongest := a.addWays(i, concept)
		a.share[i] = concept.weight * a.idf[i] * strongest
		whole += a.share[i]
		if concept.weight >= fully && a.idf[i] > 0 {
			a.wide[i] = a.share[i]
			wide += a.share[i]
			if a.first < 0 {
				a.first = i
			}
		}
	}
	for i := range a.share {
		if a.share[i] > 0 {
			a.share[i] /= whole
		}
		if a.wide[i] > 0 {
			a.wide[i] /= wide
		}
	}
	a.saidBy = make([]bits, slots)
	for slot := range a.saidBy {
		a.saidBy[slot] = newBits(len(a.ways))
	}
	for n, w := range a.ways {
		for _, t := range w.terms {
			a.saidBy[t.slot].set(n)
		}
	}
	return a
}

// addWays reads the entries of a concept. It returns the weight of the strongest
// of which the corpus has a word.
func (a *asked) addWays(i int, concept *Concept) (strongest float64) {
	for _, entry := range concept.entries() {
		w := way{concept: i, entry: entry[0].Entry}
		var rarity, known float64
		for _, t := range entry {
			w.whole += t.Weight
			if t.slot == unknownTerm {
				continue
			}
			w.terms = append(w.terms, wayTerm{t.slot, t.Weight, concept.weight * t.Weight * a.rarity[t.slot]})
			rarity += t.Weight * a.rarity[t.slot]
			known += t.Weight
			a.weight[t.slot] = max(a.weight[t.slot], t.Weight*float64(len(entry))*min(1, max(concept.weight, weakest)))
			a.says[t.slot] = append(a.says[t.slot], saying{i, min(1, t.Weight*float64(len(entry)))})
		}
		if known == 0 {
			continue
		}
		rarity /= known
		if entry[0].Entry != "" {
			rarity *= guessed
		}
		a.idf[i] = max(a.idf[i], rarity)
		strongest = max(strongest, min(1, known))
		a.ways = append(a.ways, w)
	}
	return strongest
}

// entries returns the terms of each way to say a concept.
func (c Concept) entries() [][]Term {
	var all [][]Term
	for from := 0; from < len(c.Terms); {
		to := from + 1
		for to < len(c.Terms) && c.Terms[to].Entry == c.Terms[from].Entry {
			to++
		}
		all = append(all, c.Terms[from:to])
		from = to
	}
	return all
}

// found says where a term of the question stands in a document.
type found struct {
	fields   uint16  // bit n: fieldNames[n]
	places   uint16  // bit n: place n
	field    int     // the most telling of the fields
	told     float64 // what finding a word there counts
	postings []lexical.Posting
}

// note says that a term has some postings of a document.
func (f *found) note(c *Corpus, postings []lexical.Posting) {
	f.postings = postings
	for _, p := range postings {
		f.fields |= 1 << p.Field()
	}
	f.told, f.field = c.tells(f.fields)
}

// find looks the question's terms up in a document; the result is by slot.
func (a *asked) find(postings []lexical.Posting, in []found) []found {
	clear(in)
	for slot, id := range a.q.known {
		from, to := 0, len(postings)
		for from < to { // the first posting of the term
			middle := (from + to) / 2
			if postings[middle].Term < id {
				from = middle + 1
			} else {
				to = middle
			}
		}
		for to = from; to < len(postings) && postings[to].Term == id; {
			to++
		}
		if to > from {
			in[slot].note(a.c, postings[from:to])
		}
	}
	return in
}

// longDocument is how many postings for each term of the question make a document in
// which terms are looked up, rather than its postings gone through.
const longDocument = 8

// find is that of asked, for documents that are mostly short.
func (r *reading) find(postings []lexical.Posting, in []found) []found {
	if len(postings) > longDocument*len(in) {
		return r.asked.find(postings, in)
	}
	clear(in)
	for from := 0; from < len(postings); {
		id := postings[from].Term
		to := from + 1
		for to < len(postings) && postings[to].Term == id {
			to++
		}
		if slot := int(r.slotOf[id]) - 1; slot >= 0 {
			in[slot].note(r.c, postings[from:to])
		}
		from = to
	}
	return in
}

// saidIn sets the ways of which a document has a term.
func (a *asked) saidIn(in []found, said bits) {
	clear(said)
	for slot := range in {
		if in[slot].fields != 0 {
			said.add(a.saidBy[slot])
		}
	}
}

// bits is a set of small numbers.
type bits []uint64

// newBits returns an empty set of numbers below n.
func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) set(n int) { b[n/64] |= 1 << (n % 64) }

// add adds the numbers of a set that is as large.
func (b bits) add(others bits) {
	for i, word := range others {
		b[i] |= word
	}
}

// all are the numbers, ascending.
func (b bits) all(yield func(n int) bool) {
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			if !yield(64*i + mathbits.TrailingZeros64(word)) {
				return
			}
		}
	}
}
