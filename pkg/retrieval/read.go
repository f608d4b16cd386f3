package retrieval

import (
	"math"
	mathbits "math/bits"
)

// Places in which a word of a table tells differently about it.
const (
	placeName = iota
	placeAlt  // a description so short that it is a readable name
	placeDesc
	placeCols // names of columns but keys
	placeKey
	placeColDesc
	placeValue
	placeOther
	placeSchema
	places // how many there are
)

// placeOf gives each field's place. Names of columns are told apart by column.
var placeOf = [fields]int{
	fieldGlossary: placeOther, fieldName: placeName, fieldDescription: placeDesc, fieldColumn: placeCols, fieldMart: placeOther,
	fieldValue: placeValue, fieldComment: placeColDesc, fieldSchema: placeSchema, fieldLayer: placeOther, fieldOwner: placeOther,
}

// tableRead is a candidate compared with the question.
type tableRead struct {
	n         int
	doc       document
	in        []found           // by slot
	has       [places][]float64 // by concept: how much of it stands there
	anywhere  []float64         // by concept: how much of it stands anywhere but in the schema\'s name
	colFit    []float64         // by concept: how well a column fits it
	colNonKey []float64         // the same without keys
	strength  []float64         // by concept: how telling its best place is
	own       []float64         // by concept: how much the table may be the one for it
	nameShare float64           // of the name, or of the short description
	base      float64           // what it is worth as a neighbour
	leads     bool              // of its near twins it has most of the question
	features  Features
}

func (t *tableRead) name(concept int) float64 {
	return max(t.has[placeName][concept], t.has[placeAlt][concept])
}

// reading is a question compared with its candidates.
type reading struct {
	*asked
	all     bool // the asker sees all tables whole
	tables  []*tableRead
	at      map[int]*tableRead   // by table
	leading map[int32]*tableRead // of near twins the one with most of the question, by the first twin's number
	slotOf  []int16              // by term: 1 + its slot; 0: not asked for
	schemas map[int32]*schemaRead
	said    bits      // the ways of which the table that is read has a term
	hit     []float64 // by concept: how much of it one column has
	hitAlt  []float64 // and its comment
}

// listsOfRead is how many lists by concept a tableRead has.
const listsOfRead = places + 5

// read compares the tables with the question. One of which only hidden words were
// found is left out. The caller gives the scratch back when it has done with the
// reading but for the features.
func (a *asked) read(tables []int, s *scratch) *reading {
	concepts, slots := len(a.q.Concepts), len(a.q.known)
	r := &reading{asked: a, at: make(map[int]*tableRead, len(tables)), schemas: make(map[int32]*schemaRead)}
	r.slotOf = s.slots(a.c.docs.Terms(), a.q.known)
	s.reserve(len(tables), slots, concepts)
	r.hit, r.hitAlt, r.said = s.list(concepts), s.list(concepts), newBits(len(a.ways))
	values := make([]float64, len(tables)*allFeatures)
	for i, n := range tables {
		t := &s.reads[i]
		t.n, t.doc = n, a.c.documentOf(n)
		t.in = r.find(t.doc.postings, s.found[i*slots:(i+1)*slots])
		r.saidIn(t.in, r.said)
		t.features = values[i*allFeatures : (i+1)*allFeatures : (i+1)*allFeatures]
		for place := range t.has {
			t.has[place] = s.list(concepts)
		}
		t.anywhere, t.strength, t.own = s.list(concepts), s.list(concepts), s.list(concepts)
		t.colFit, t.colNonKey = s.list(concepts), s.list(concepts)
		if r.texts(t); t.features[featureText] == 0 && !a.c.whole(t.n) {
			continue
		}
		r.words(t)
		r.tables = append(r.tables, t)
		r.at[t.n] = t
	}
	return r
}

// texts sets the BM25F score: of each concept the best way to say it.
func (r *reading) texts(t *tableRead) {
	norm := r.c.scorer.Norms(t.doc.postings)
	best := t.strength // not in use yet
	for n := range r.said.all {
		w := &r.ways[n]
		var sum float64
		for _, term := range w.terms {
			var occurrences float64
			for _, p := range t.in[term.slot].postings {
				occurrences += float64(p.Count()) * norm[p.Field()]
			}
			if occurrences > 0 {
				sum += term.weight * r.c.scorer.Saturated(r.q.known[term.slot], occurrences)
			}
		}
		best[w.concept] = max(best[w.concept], sum)
	}
	for i, score := range best {
		t.features[featureText] += r.q.Concepts[i].weight * score
		best[i] = 0
	}
}

// words sets all that the table's own words tell.
func (r *reading) words(t *tableRead) {
	for slot := range t.in {
		if t.in[slot].fields != 0 {
			t.in[slot].places = r.placesOf(t, t.in[slot].fields)
		}
	}
	r.columns(t) // tells keys from other columns
	for n := range r.said.all {
		w := &r.ways[n]
		var anywhere uint16
		for _, term := range w.terms {
			anywhere |= t.in[term.slot].places
		}
		for left := anywhere; left != 0; left &= left - 1 {
			place := mathbits.TrailingZeros16(left)
			var sum float64
			for _, term := range w.terms {
				if t.in[term.slot].places&(1<<place) != 0 {
					sum += term.weight
				}
			}
			has := t.has[place]
			has[w.concept] = max(has[w.concept], min(1, sum))
			if place != placeSchema {
				t.anywhere[w.concept] = max(t.anywhere[w.concept], has[w.concept])
			}
		}
	}
	r.names(t)
	r.shares(t)
	r.eachEvidence(t.in, r.said, func(e evidence) { t.features[featureEvidence] += e.worth })
}

// placesOf turns fields into places, but for columns' names.
func (r *reading) placesOf(t *tableRead, fields uint16) uint16 {
	var in uint16
	for field, place := range placeOf {
		if fields&(1<<field) != 0 && place != placeCols {
			in |= 1 << place
		}
	}
	if in&(1<<placeDesc) != 0 && t.doc.alt != nil {
		in |= 1 << placeAlt
	}
	return in
}

// names compares the name and the short description with the question.
func (r *reading) names(t *tableRead) {
	name, alt := r.askedOf(t.doc.name), r.askedOf(t.doc.alt)
	t.features[featureNameShare], t.features[featureAltShare] = name, alt
	t.nameShare = max(name, alt)
	if n := len(t.doc.name); n > 0 {
		if slot := r.slotOf[t.doc.name[n-1]]; slot > 0 {
			t.features[featureHeadIn] = min(1, r.weight[slot-1])
		}
	}
	for i := range r.share {
		if i > 0 && t.name(i) > 0.5 && t.name(i-1) > 0.5 {
			t.features[featureNamePhrase] += r.share[i] + r.share[i-1]
		}
	}
	if r.first >= 0 {
		t.features[featureFirstWord] = t.name(r.first)
	}
	t.features[featureNameLength] = float64(min(len(t.doc.name), longName)) / longName
	t.features[featureColumns] = math.Log1p(float64(len(t.doc.columns))) / 5
}

// longName is how many words the longest name has that is told from longer ones.
const longName = 6

// askedOf returns the share of some words, by rarity, that the question has.
func (r *reading) askedOf(terms []int32) float64 {
	var all, asked float64
	for _, id := range terms {
		rarity := r.c.scorer.Rarity(id)
		all += rarity
		if slot := r.slotOf[id]; slot > 0 {
			asked += rarity * min(1, r.weight[slot-1])
		}
	}
	if all == 0 {
		return 0
	}
	return asked / all
}

// shares sets how much of the question stands where.
func (r *reading) shares(t *tableRead) {
	f := t.features
	byPlace := [places]int{featureTable, featureAlt, featureDesc, featureCols, featureKey, featureColDesc, featureValue, featureOther, featureSchema}
	for i, share := range r.share {
		if share == 0 || t.anywhere[i] == 0 && t.has[placeSchema][i] == 0 && t.colFit[i] == 0 {
			continue // most concepts are nowhere in a table
		}
		for place, feature := range byPlace {
			f[feature] += share * t.has[place][i]
		}
		has := func(place int) float64 { return t.has[place][i] }
		t.strength[i] = max(strengthName*has(placeName), strengthDesc*has(placeDesc), strengthOther*has(placeOther), strengthCols*has(placeCols),
			strengthValue*has(placeValue), strengthKey*has(placeKey), strengthColDesc*has(placeColDesc))
		t.own[i] = max(t.name(i)*(ownNameBase+ownNameShare*t.nameShare), ownDesc*has(placeDesc), ownOther*has(placeOther),
			ownColsBase*has(placeCols)+ownColsFit*t.colNonKey[i], ownValue*has(placeValue), ownKey*has(placeKey), ownColDesc*has(placeColDesc))
		anywhere := t.anywhere[i]
		f[featureCov] += share * anywhere
		f[featureCovName] += share * t.name(i)
		f[featureCovCol] += share * max(has(placeCols), has(placeKey))
		f[featureCovStrength] += share * t.strength[i]
		f[featureWideCov] += r.wide[i] * anywhere
		f[featureWideCovName] += r.wide[i] * t.name(i)
		f[featureColFit] += share * t.colFit[i]
		f[featureColFitNonKey] += share * t.colNonKey[i]
		if anywhere > 0 && max(has(placeName), has(placeDesc), has(placeCols)) == 0 {
			f[featureKeyOnly] += share
		}
	}
	if t.nameShare > 0.95 {
		f[featureNameFull] = max(f[featureTable], f[featureAlt])
	}
}
