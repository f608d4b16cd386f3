package lexical

import (
	"cmp"
	"context"
	"fmt"
	"math"
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
	sampled []float32
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
		s.sum[doc] += weight * scores[i]
	}
}

// How the least score to look at is guessed.
const (
	sampleEvery = 32 // of so many documents one is sampled
	// firstBand is how many documents are looked at first for one that is wanted; each
	// further time there are so many times more.
	firstBand = 1.25
	moreBand  = 2
)

// best takes the best documents off the sheet and clears it. Nearly all documents have but
// one frequent word: those that score more than a sample says that the best do are looked
// at first, and others only where these are too few, so that few are checked for being kept.
func (x *Embedded) best(s *sheet, limit int, allowed func(doc int) bool, keep func(int) bool) []Hit {
	s.sample()
	top := make(heap, 0, limit)
	above := float32(math.Inf(1)) // what scores as much was looked at
	for many := firstBand * float64(limit); len(top) < limit && above > 0; many *= moreBand {
		floor := s.floor(int(many))
		least := floor // of what is looked at; score of the worst of a full list
		for doc, sum := range s.sum {
			if sum < least || sum >= above || sum == 0 {
				continue
			}
			h := Hit{Doc: doc, Score: float64(sum)}
			if len(top) == limit && !before(h, top[0]) {
				continue
			}
			if allowed != nil && !allowed(doc) || keep != nil && !keep(doc) {
				continue
			}
			if len(top) < limit {
				top.push(h)
			} else {
				top.replace(h)
			}
			if len(top) == limit {
				least = max(floor, float32(top[0].Score))
			}
		}
		above = floor
	}
	clear(s.sum)
	slices.SortFunc(top, func(a, b Hit) int {
		if before(a, b) {
			return -1
		}
		return 1
	})
	return top
}

// sample keeps the scores of some of the documents, best first.
func (s *sheet) sample() {
	s.sampled = s.sampled[:0]
	for doc := 0; doc < len(s.sum); doc += sampleEvery {
		if s.sum[doc] > 0 {
			s.sampled = append(s.sampled, s.sum[doc])
		}
	}
	slices.SortFunc(s.sampled, func(a, b float32) int { return cmp.Compare(b, a) })
}

// floor is a score that about so many documents have; 0: fewer have any.
func (s *sheet) floor(many int) float32 {
	if n := many / sampleEvery; n < len(s.sampled) {
		return s.sampled[n]
	}
	return 0
}

// Close implements Index.
func (x *Embedded) Close() error { return nil }
