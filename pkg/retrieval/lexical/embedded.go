package lexical

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Embedded is an exact BM25F index in memory: for each term the documents that
// have it, with the finished score of the term there, in flat arrays.
type Embedded struct {
	cfg    Config
	docs   *Documents
	start  []uint32  // of a term's documents; one more than there are terms
	doc    []int32   // ascending for each term
	score  []float32 // of the term in doc
	groups Groups
	sheets sync.Pool // of *sheet
}

// checkEvery is after how many documents or terms a long run asks whether it is
// still wanted.
const checkEvery = 1024

// Build indexes the documents; document n is known as n afterwards. progress, if
// any, is told how many are done. The caller closes the index.
func Build(ctx context.Context, cfg Config, size int, document func(n int) Document, progress func(done int)) (*Embedded, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	names := fieldsOf(cfg)
	docs, err := NewDocuments(names, cfg.MaxFieldTerms)
	if err != nil {
		return nil, err
	}
	fields := make([][]int32, len(names))
	for n := range size {
		if n%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("index documents: %w", err)
			}
			if progress != nil && n > 0 {
				progress(n)
			}
		}
		d := document(n)
		for i, name := range names {
			fields[i] = fields[i][:0]
			for _, term := range d.Fields[name] {
				fields[i] = append(fields[i], docs.Intern(term))
			}
		}
		docs.Add(d.Labels, fields)
	}
	if progress != nil {
		progress(size)
	}
	return New(cfg, docs, NewScorer(cfg, docs, nil))
}

// New indexes documents that stay as they are, with the scores of scorer.
func New(cfg Config, docs *Documents, scorer *Scorer) (*Embedded, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	x := &Embedded{cfg: cfg, docs: docs, start: make([]uint32, docs.Terms()+1)}
	var total uint32
	for id := range docs.Terms() {
		x.start[id] = total
		total += uint32(docs.frequency[id])
	}
	x.start[docs.Terms()] = total
	x.doc, x.score = make([]int32, total), make([]float32, total)
	next := slices.Clone(x.start)
	for doc := range docs.Size() {
		scorer.each(docs.Of(doc), func(term int32, score float32) {
			x.doc[next[term]], x.score[next[term]] = int32(doc), score
			next[term]++
		})
	}
	x.pack(next)
	x.groups = GroupsOf(docs.labels)
	x.sheets.New = func() any { return &sheet{sum: make([]float32, docs.Size())} }
	return x, nil
}

// pack closes the gaps that terms leave which stand in fields without weight.
func (x *Embedded) pack(end []uint32) {
	var to uint32
	for id := range x.docs.Terms() {
		from := x.start[id]
		x.start[id] = to
		to += uint32(copy(x.doc[to:], x.doc[from:end[id]]))
		copy(x.score[x.start[id]:], x.score[from:end[id]])
	}
	x.start[x.docs.Terms()] = to
	x.doc, x.score = x.doc[:to], x.score[:to]
}

// sheet adds up the scores of one search.
type sheet struct {
	sum     []float32 // by document; all 0 between searches
	touched []int32
}

// Search implements Index. The parts of a score are added in the order of the
// query's terms, so that equal documents have equal scores.
func (x *Embedded) Search(ctx context.Context, q Query) ([]Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	limit := min(q.Limit, x.docs.Size())
	if limit <= 0 {
		return nil, nil
	}
	allowed := x.groups.Allowed(q.Filter)
	s, _ := x.sheets.Get().(*sheet)
	defer x.sheets.Put(s)
	for _, t := range q.Terms[:min(len(q.Terms), x.cfg.MaxQueryTerms)] {
		x.addTerm(s, t)
	}
	return x.best(s, limit, allowed, q.Keep), nil
}

func (x *Embedded) addTerm(s *sheet, t Term) {
	id, known := x.docs.vocabulary[t.Text]
	if !known || t.Weight <= 0 {
		return
	}
	weight := float32(t.Weight)
	from, to := x.start[id], x.start[id+1]
	scores := x.score[from:to]
	for i, doc := range x.doc[from:to] {
		if s.sum[doc] == 0 {
			s.touched = append(s.touched, doc)
		}
		s.sum[doc] += weight * scores[i]
	}
}

// best takes the best documents off the sheet and clears it. Only a document that
// would be among the best so far is checked for being kept.
func (x *Embedded) best(s *sheet, limit int, allowed func(doc int) bool, keep func(int) bool) []Hit {
	top := make(heap, 0, min(limit, len(s.touched)))
	var least float32 // score of the worst of a full list
	for _, doc := range s.touched {
		sum := s.sum[doc]
		s.sum[doc] = 0
		if sum < least { // nearly all documents: they have one frequent word
			continue
		}
		h := Hit{Doc: int(doc), Score: float64(sum)}
		if len(top) == limit && !before(h, top[0]) {
			continue
		}
		if allowed != nil && !allowed(h.Doc) || keep != nil && !keep(h.Doc) {
			continue
		}
		if len(top) < limit {
			top.push(h)
		} else {
			top.replace(h)
		}
		if len(top) == limit {
			least = float32(top[0].Score)
		}
	}
	s.touched = s.touched[:0]
	slices.SortFunc(top, func(a, b Hit) int {
		if before(a, b) {
			return -1
		}
		return 1
	})
	return top
}

// Close implements Index.
func (x *Embedded) Close() error { return nil }
