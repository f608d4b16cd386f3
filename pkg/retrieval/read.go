package retrieval

import (
	"math"
	"slices"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// bestOfSchema is how many tables of a schema speak for it.
const bestOfSchema = 3

// candidateRead is a candidate compared with the question.
type candidateRead struct {
	n        int
	doc      document
	in       []found
	share    []float64 // by concept: how much of it is found
	features Features
}

// reading is a question compared with its candidates.
type reading struct {
	*asked
	tables []*candidateRead
	at     map[int]*candidateRead // by table
}

// read compares the candidates with the question. One that only hidden words
// found is left out.
func (a *asked) read(hits []lexical.Hit) *reading {
	r := &reading{asked: a, at: make(map[int]*candidateRead, len(hits))}
	slots, concepts := len(a.q.known), len(a.q.Concepts)
	foundSpace := make([]found, len(hits)*slots)
	shareSpace := make([]float64, len(hits)*concepts)
	featureSpace := make(Features, len(hits)*features)
	reads := make([]candidateRead, len(hits))
	for i, h := range hits {
		t := &reads[i]
		t.n, t.doc = h.Doc, a.c.documentOf(h.Doc)
		t.in = a.found(t.doc.postings, foundSpace[i*slots:(i+1)*slots])
		t.share = shareSpace[i*concepts : (i+1)*concepts]
		t.features = featureSpace[i*features : (i+1)*features]
		a.texts(t)
		if t.features[featureText] > 0 {
			r.tables = append(r.tables, t)
			r.at[t.n] = t
		}
	}
	return r
}

// features values every candidate.
func (r *reading) features() []*candidateRead {
	for _, t := range r.tables {
		r.covered(t)
		r.names(t)
		r.columns(t)
	}
	r.schemas()
	r.joined()
	return r.tables
}

// texts sets the BM25F score of the table and the BM25 scores of its fields.
func (a *asked) texts(t *candidateRead) {
	norm := a.c.scorer.Norms(t.doc.postings)
	byField := [fields]int{
		fieldName: featureTextName, fieldSchema: featureTextSchema, fieldDescription: featureTextDescription,
		fieldColumn: featureTextColumn, fieldComment: featureTextComment, fieldValue: featureTextValue,
	}
	for slot, id := range a.q.known {
		var sum float64
		for _, p := range t.in[slot].postings {
			n := float64(p.Count()) * norm[p.Field()]
			sum += n
			if f := byField[p.Field()]; f != featureText && norm[p.Field()] > 0 {
				t.features[f] += a.weight[slot] * a.c.scorer.Saturated(id, n)
			}
		}
		if sum > 0 {
			t.features[featureText] += a.weight[slot] * a.c.scorer.Saturated(id, sum)
		}
	}
}

// covered sets how much of the question stands in the table, its name, its columns.
func (r *reading) covered(t *candidateRead) {
	for _, e := range r.evidence(t.in) {
		t.features[featureEvidence] += e.Worth
	}
	if r.whole == 0 {
		return
	}
	for i := range r.q.Concepts {
		t.share[i] = r.shareOf(i, t.in, math.MaxUint16)
		t.features[featureCovered] += r.worth[i] * t.share[i] / r.whole
		t.features[featureCoveredName] += r.worth[i] * r.shareOf(i, t.in, 1<<fieldName) / r.whole
		t.features[featureCoveredColumn] += r.worth[i] * r.shareOf(i, t.in, 1<<fieldColumn) / r.whole
		t.features[featureSchemaName] += r.worth[i] * r.shareOf(i, t.in, 1<<fieldSchema) / r.whole
	}
}

// shareOf returns how much of a concept stands in some fields: of its entries the
// best, each a share of its terms' worth.
func (r *reading) shareOf(concept int, in []found, fields uint16) float64 {
	if r.worth[concept] == 0 {
		return 0
	}
	var best float64
	terms := r.q.Concepts[concept].Terms
	for from := 0; from < len(terms); {
		var sum float64
		to := from
		for ; to < len(terms) && terms[to].Entry == terms[from].Entry; to++ {
			if slot := terms[to].slot; slot != unknownTerm && in[slot].fields&fields != 0 {
				sum += terms[to].Weight * r.rarity[slot]
			}
		}
		best = max(best, sum)
		from = to
	}
	return min(1, best*r.q.Concepts[concept].weight/r.worth[concept])
}

// names compares the table's name with the question.
func (r *reading) names(t *candidateRead) {
	var all, asked float64
	whole := len(t.doc.name) > 0
	for _, id := range t.doc.name {
		worth := r.c.scorer.Rarity(id)
		all += worth
		slot := slices.Index(r.q.known, id)
		if slot < 0 {
			whole = false
			continue
		}
		weight := min(1, r.weight[slot])
		asked += worth * weight
		whole = whole && weight >= wholeWord
	}
	if all > 0 {
		t.features[featureNameShare] = asked / all
	}
	if whole {
		t.features[featureNameWhole] = 1
		if r.inOrder(t.doc.name) {
			t.features[featureNamePhrase] = 1
		}
	}
	t.features[featureNameLength] = float64(len(t.doc.name))
	t.features[featureColumns] = math.Log1p(float64(len(t.doc.columns)))
}

// wholeWord is the weight from which a term counts as said by the question.
const wholeWord = 0.8

// inOrder tells whether the question has the words one after another.
func (r *reading) inOrder(words []int32) bool {
	next := 0
	for i := range r.q.Concepts {
		said := false
		for _, t := range r.q.Concepts[i].Terms {
			if t.slot != unknownTerm && t.Weight*float64(len(words)) >= wholeWord && r.q.known[t.slot] == words[next] {
				said = true
				if next++; next == len(words) {
					return true
				}
			}
		}
		if !said {
			next = 0
		}
	}
	return false
}

// columns looks for the columns that the question speaks of.
func (r *reading) columns(t *candidateRead) {
	if r.whole == 0 || t.features[featureCoveredColumn] == 0 {
		return
	}
	var said []int32 // terms of columns of which the question has every word
	for _, column := range t.doc.columns {
		var all, asked float64
		own := false
		for _, id := range column {
			worth := r.c.scorer.Rarity(id)
			all += worth
			if slot := slices.Index(r.q.known, id); slot >= 0 {
				asked += worth * min(1, r.weight[slot])
				own = own || slices.Contains(t.doc.name, id)
			}
		}
		if asked == 0 {
			continue
		}
		t.features[featureColumnBest] = max(t.features[featureColumnBest], asked/r.whole*asked/all)
		if own {
			t.features[featureOwnKey] = max(t.features[featureOwnKey], asked/r.whole)
		}
		if asked >= wholeWord*all {
			said = append(said, column...)
		}
	}
	slices.Sort(said)
	for _, id := range slices.Compact(said) {
		if slot := slices.Index(r.q.known, id); slot >= 0 {
			t.features[featureColumnsWhole] += r.rarity[slot] * min(1, r.weight[slot]) / r.whole
		}
	}
}

// schemas sets what a schema's tables say together.
func (r *reading) schemas() {
	type place struct {
		best  []float64 // texts of its best tables, best first
		share []float64 // by concept
		sum   float64
	}
	places := make(map[int32]*place)
	for _, t := range r.tables {
		p, known := places[r.c.schema[t.n]]
		if !known {
			p = &place{share: make([]float64, len(t.share))}
			places[r.c.schema[t.n]] = p
		}
		p.best = append(p.best, t.features[featureText])
		for i, share := range t.share {
			p.share[i] = max(p.share[i], share)
		}
	}
	for _, p := range places {
		slices.SortFunc(p.best, func(a, b float64) int {
			if a > b {
				return -1
			}
			return 1
		})
		for _, text := range p.best[:min(len(p.best), bestOfSchema)] {
			p.sum += text
		}
	}
	for _, t := range r.tables {
		p := places[r.c.schema[t.n]]
		t.features[featureSchemaBest] = p.best[0]
		t.features[featureSchemaMean] = p.sum / bestOfSchema
		for i, share := range p.share {
			if r.whole > 0 {
				t.features[featureSchemaCovered] += r.worth[i] * share / r.whole
			}
		}
	}
}

// joined sets what the candidates say that a table is joined with.
func (r *reading) joined() {
	for _, t := range r.tables {
		for _, n := range r.c.neighbours.of(t.n) {
			other, candidate := r.at[int(n)]
			if !candidate {
				continue
			}
			t.features[featureNeighbourBest] = max(t.features[featureNeighbourBest], other.features[featureText])
			var gain float64
			for i, share := range other.share {
				gain += r.worth[i] * max(0, share-t.share[i])
			}
			if r.whole > 0 {
				t.features[featureNeighbourGain] = max(t.features[featureNeighbourGain], gain/r.whole)
			}
		}
	}
}
