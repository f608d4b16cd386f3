package lexical

import (
	"fmt"
	"slices"
)

// Limits of Documents, by their form in memory.
const (
	fieldBits   = 4
	countBits   = 12
	maxFields   = 1 << fieldBits
	maxTermFreq = 1<<countBits - 1 // occurrences of a term in a field; more count as so many
)

// Posting says how often a term stands in a field of a document.
type Posting struct {
	Term int32
	in   uint16 // field number << countBits | occurrences
}

// Field returns the number of the field.
func (p Posting) Field() int { return int(p.in >> countBits) }

// Count returns the occurrences, at least 1.
func (p Posting) Count() int { return int(p.in & maxTermFreq) }

// Documents holds documents by their number, their terms in compact arrays. It
// never changes once it is filled and may be read concurrently.
type Documents struct {
	fields     []string
	perField   int // terms of a field that are taken
	vocabulary map[string]int32
	terms      []string
	frequency  []int32 // documents that have the term
	labels     []Labels
	start      []uint32 // of a document's postings; one more than there are documents
	postings   []Posting
}

// NewDocuments returns documents without any, whose fields are numbered in the
// given order. Of a field of one document the first perField terms count.
func NewDocuments(fields []string, perField int) (*Documents, error) {
	if len(fields) == 0 || len(fields) > maxFields {
		return nil, fmt.Errorf("lexical: %d fields: use 1 to %d", len(fields), maxFields)
	}
	if perField <= 0 {
		perField = DefaultMaxFieldTerms
	}
	return &Documents{fields: slices.Clone(fields), perField: perField, vocabulary: make(map[string]int32), start: []uint32{0}}, nil
}

// Intern returns the id of a term, a new one where it has none.
func (d *Documents) Intern(term string) int32 {
	id, known := d.vocabulary[term]
	if !known {
		id = int32(len(d.terms))
		d.vocabulary[term] = id
		d.terms = append(d.terms, term)
		d.frequency = append(d.frequency, 0)
	}
	return id
}

// Reserve takes the memory for so many documents with so many postings in all, once:
// memory that grows with them is taken several times over.
func (d *Documents) Reserve(documents, postings int) {
	d.labels, d.start = slices.Grow(d.labels, documents), slices.Grow(d.start, documents)
	d.postings = slices.Grow(d.postings, postings)
}

// Add appends a document: its terms by field number.
func (d *Documents) Add(l Labels, fields [][]int32) { d.AddPostings(l, Postings(fields, d.perField)) }

// AddPostings appends a document whose terms are counted, as Postings does.
func (d *Documents) AddPostings(l Labels, postings []Posting) {
	from := len(d.postings)
	for _, p := range postings {
		if len(d.postings) == from || d.postings[len(d.postings)-1].Term != p.Term {
			d.frequency[p.Term]++
		}
		d.postings = append(d.postings, p)
	}
	d.labels = append(d.labels, l)
	d.start = append(d.start, uint32(len(d.postings)))
}

// Postings counts the terms of a document by field number, ordered by term and
// field.
func Postings(fields [][]int32, perField int) []Posting {
	var size int
	for _, terms := range fields {
		size += min(len(terms), perField)
	}
	places := make([]uint64, 0, size) // term and field in one number: sorted fast
	for field, terms := range fields {
		for _, t := range terms[:min(len(terms), perField)] {
			places = append(places, uint64(t)<<fieldBits|uint64(field))
		}
	}
	slices.Sort(places)
	out := make([]Posting, 0, size)
	for i, p := range places {
		if i > 0 && p == places[i-1] {
			if last := &out[len(out)-1]; last.Count() < maxTermFreq {
				last.in++
			}
			continue
		}
		out = append(out, Posting{Term: int32(p >> fieldBits), in: uint16(p&(maxFields-1))<<countBits | 1})
	}
	return out
}

// Size returns how many documents there are.
func (d *Documents) Size() int { return len(d.labels) }

// Terms returns how many terms there are; their ids are the numbers below it.
func (d *Documents) Terms() int { return len(d.terms) }

// Term returns the text of a term.
func (d *Documents) Term(id int32) string { return d.terms[id] }

// ID returns the id of a term.
func (d *Documents) ID(term string) (id int32, known bool) {
	id, known = d.vocabulary[term]
	return id, known
}

// Frequency returns how many documents have a term.
func (d *Documents) Frequency(id int32) int { return int(d.frequency[id]) }

// Of returns the postings of a document, by term and field. They must not be
// changed.
func (d *Documents) Of(doc int) []Posting { return d.postings[d.start[doc]:d.start[doc+1]] }

// Labels returns what a document is filtered by.
func (d *Documents) Labels(doc int) Labels { return d.labels[doc] }

// Document returns a document with its terms spelled out, each as often as it
// stands there, in no telling order.
func (d *Documents) Document(doc int) Document {
	out := Document{Labels: d.labels[doc], Fields: make(map[string][]string)}
	for _, p := range d.Of(doc) {
		name := d.fields[p.Field()]
		for range p.Count() {
			out.Fields[name] = append(out.Fields[name], d.terms[p.Term])
		}
	}
	return out
}
