package retrieval

import (
	"cmp"
	"math"
	"slices"
)

// bestOfSchema is how many tables of a schema speak for it.
const bestOfSchema = 3

// sameOwn is the difference up to which tables are equally the one for a concept.
const sameOwn = 1e-4

// schemaRead is what the tables of a schema have of the question together.
type schemaRead struct {
	any, name, own []float64 // by concept: the best of its tables
	owners         []float64 // by concept: how many tables are equally best
	rarity         []float64 // by concept: within the schema
	best           *tableRead
	texts          []float64 // bm25 of its tables, best first
	size           int
	strength, top3 float64
}

// lead notes of near twins the one that has most of the question.
func (r *reading) lead() {
	r.leading = make(map[int32]*tableRead, len(r.tables))
	for _, t := range r.tables {
		first := r.c.facets.Kin(t.n)[0]
		if m := r.leading[first]; m == nil || t.features[featureText] > m.features[featureText] {
			r.leading[first] = t
		}
	}
	for _, t := range r.tables {
		t.leads = r.leading[r.c.facets.Kin(t.n)[0]] == t
	}
}

// bySchema values what the candidates' schemas say.
func (r *reading) bySchema() {
	for _, t := range r.tables {
		number := r.c.schema[t.n]
		s, known := r.schemas[number]
		if !known {
			s = r.openSchema(number)
			r.schemas[number] = s
		}
		if t.leads { // twins say the same
			s.texts = append(s.texts, t.features[featureBM25])
		}
		s.size = max(s.size, len(s.texts))
		for i := range r.share {
			s.any[i] = max(s.any[i], t.anywhere[i])
			s.name[i] = max(s.name[i], t.name(i))
			s.own[i] = max(s.own[i], t.own[i])
		}
		if s.best == nil || t.base > s.best.base || t.base == s.best.base && t.n < s.best.n {
			s.best = t
		}
	}
	if !r.all {
		r.rarities()
	}
	for _, t := range r.tables {
		s := r.schemas[r.c.schema[t.n]]
		for i := range r.share {
			if t.leads && t.own[i] > 0 && t.own[i] >= s.own[i]-sameOwn {
				s.owners[i]++
			}
		}
	}
	var bestStrength, bestTop3 float64
	for _, s := range r.schemas {
		slices.SortFunc(s.texts, func(a, b float64) int { return cmp.Compare(b, a) })
		for _, text := range s.texts[:min(len(s.texts), bestOfSchema)] {
			s.top3 += text / bestOfSchema
		}
		for i, share := range r.share {
			s.strength += share * s.own[i]
		}
		bestStrength, bestTop3 = max(bestStrength, s.strength), max(bestTop3, s.top3)
	}
	for _, t := range r.tables {
		r.inSchema(t, r.schemas[r.c.schema[t.n]], bestStrength, bestTop3)
	}
	r.divide(featureLocal)
}

// openSchema reads what all tables of a schema have of the question, candidates or
// not: a word that stands in one of them counts for each. Where the asker may not
// see all tables it reads nothing: then only the candidates count.
func (r *reading) openSchema(number int32) *schemaRead {
	n := len(r.share)
	values := make([]float64, 5*n)
	s := &schemaRead{any: values[:n], name: values[n : 2*n], own: values[2*n : 3*n], owners: values[3*n : 4*n], rarity: values[4*n:]}
	if !r.all {
		return s
	}
	s.size = int(r.c.schemaSize[number])
	for slot, id := range r.q.known {
		in, tables := r.c.schemaWords.of(id, number)
		if tables == 0 {
			continue
		}
		rarity := math.Log(1 + (float64(s.size)-float64(tables)+0.5)/(float64(tables)+0.5))
		var own, name float64
		anywhere := false
		for field, place := range placeOf {
			if in&(1<<field) == 0 || place == placeSchema {
				continue
			}
			anywhere = true
			own = max(own, schemaOwn[place])
			if place == placeName {
				name = 1
			}
		}
		for _, says := range r.says[slot] {
			i := says.concept
			s.rarity[i] = max(s.rarity[i], says.weight*rarity)
			s.own[i] = max(s.own[i], says.weight*own)
			s.name[i] = max(s.name[i], says.weight*name)
			if anywhere {
				s.any[i] = max(s.any[i], says.weight)
			}
		}
	}
	return s
}

// rarities sets how rare the concepts are among the candidates of each schema.
func (r *reading) rarities() {
	for number, s := range r.schemas {
		for i := range r.share {
			have := 0.0
			for _, t := range r.tables {
				if t.leads && r.c.schema[t.n] == number && t.anywhere[i] > 0 {
					have++
				}
			}
			s.rarity[i] = math.Log(1 + (float64(s.size)-have+0.5)/(have+0.5))
		}
	}
}

// schemaOwn is how much a table that is not looked at may be the one for a word,
// by the word's place.
var schemaOwn = [places]float64{
	placeName: ownNameBase, placeDesc: ownDesc, placeCols: ownColsBase, placeColDesc: ownColDesc, placeValue: ownValue, placeOther: ownOther,
}

func (r *reading) inSchema(t *tableRead, s *schemaRead, bestStrength, bestTop3 float64) {
	f := t.features
	for i, share := range r.share {
		if share == 0 {
			continue
		}
		f[featureSchCov] += share * s.any[i]
		f[featureSchName] += share * s.name[i]
		f[featureLocal] += r.q.Concepts[i].weight * t.strength[i] * s.rarity[i] * math.Sqrt(r.idf[i])
		if t.own[i] > 0 && t.own[i] >= s.own[i]-sameOwn {
			f[featureOwnShare] += share / max(1, s.owners[i])
			f[featureOwnName] += share * t.name(i)
			f[featureOwnResid] += share * t.own[i]
		}
		if t != s.best && s.own[i] > 0 {
			f[featureResid] += share * t.own[i] * max(0, 1-s.best.own[i]/s.own[i])
		}
	}
	f[featureSchStrength] = s.strength
	f[featureSchCovRel] = over(s.strength, bestStrength)
	f[featureSchBest] = s.bestText()
	f[featureSchTop3] = over(s.top3, bestTop3)
	f[featureInSchema] = over(f[featureBM25], s.bestText())
	f[featureSchemaSize] = math.Log1p(float64(s.size)) / 6
}

// bestText returns the best text of the schema; that of a twin elsewhere may lead.
func (s *schemaRead) bestText() float64 {
	if len(s.texts) == 0 {
		return 0
	}
	return s.texts[0]
}

func over(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// divide divides a feature by the best of the candidates.
func (r *reading) divide(feature int) {
	var best float64
	for _, t := range r.tables {
		best = max(best, t.features[feature])
	}
	for _, t := range r.tables {
		t.features[feature] = over(t.features[feature], best)
	}
}
