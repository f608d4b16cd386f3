package retrieval

import (
	"cmp"
	"slices"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// schemaWords says for each term in which schemas it stands.
type schemaWords struct {
	start []uint32 // of a term's schemas; one more than there are terms
	list  []schemaWord
}

type schemaWord struct {
	schema int32
	tables int32  // of the schema that have the term; near twins are one
	fields uint16 // bit n: fieldNames[n], of any of them
}

// of returns the fields in which a term stands in a schema, and in how many tables.
func (w *schemaWords) of(term, schema int32) (in uint16, tables int32) {
	list := w.list[w.start[term]:w.start[term+1]]
	i, found := slices.BinarySearchFunc(list, schema, func(s schemaWord, n int32) int { return cmp.Compare(s.schema, n) })
	if !found {
		return 0, 0
	}
	return list[i].fields, list[i].tables
}

// schemaWordsOf reads all documents, schema by schema.
func schemaWordsOf(docs *lexical.Documents, schema, family []int32) schemaWords {
	order := make([]int, docs.Size())
	for n := range order {
		order[n] = n
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(schema[a], schema[b]), cmp.Compare(family[a], family[b]))
	})
	last := make([]schemaWord, docs.Terms()) // of each term: its schema so far; no tables: none
	of := make([]int32, docs.Terms())        // the family that was counted last
	count := make([]uint32, docs.Terms()+1)
	each := func(done func(term int32, w schemaWord)) {
		clear(last)
		for _, n := range order {
			for from, postings := 0, docs.Of(n); from < len(postings); {
				term, in := postings[from].Term, uint16(0)
				for ; from < len(postings) && postings[from].Term == term; from++ {
					in |= 1 << postings[from].Field()
				}
				if w := last[term]; w.tables > 0 && w.schema != schema[n] {
					done(term, w)
					last[term] = schemaWord{}
				}
				last[term].schema = schema[n]
				if last[term].tables == 0 || of[term] != family[n] {
					last[term].tables++
					of[term] = family[n]
				}
				last[term].fields |= in
			}
		}
		for term, w := range last {
			if w.tables > 0 {
				done(int32(term), w)
			}
		}
	}
	each(func(term int32, _ schemaWord) { count[term+1]++ })
	for term := range docs.Terms() {
		count[term+1] += count[term]
	}
	w := schemaWords{start: count, list: make([]schemaWord, count[docs.Terms()])}
	next := slices.Clone(count)
	each(func(term int32, one schemaWord) {
		w.list[next[term]] = one
		next[term]++
	})
	return w
}
