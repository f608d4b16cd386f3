package facet

import (
	"cmp"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/mark"
)

// Index knows the facets of a catalog's tables. Tables have the numbers of
// catalog.Index.All().Tables(). It never changes and may be used concurrently.
type Index struct {
	reader   *Reader
	weights  *weights
	profile  []int32 // of each table
	profiles []profile
	period   []string  // of each table
	kin      [][]int32 // tables of one base name in one schema, by number
	kinOf    []int32
	has      [mark.Facets]bool
	codes    map[string]bool // countries that tables are kept for
	subjects map[string]bool // stems of the words of base names
}

// profile is what tables with the same marks have in common; the period is apart,
// for there are many.
type profile [mark.Period]string

// New reads the tables of a catalog.
func New(index *catalog.Index) (*Index, error) {
	reader, err := NewReader()
	if err != nil {
		return nil, err
	}
	w, err := loadWeights()
	if err != nil {
		return nil, err
	}
	tables := index.All().Tables()
	x := &Index{
		reader: reader, weights: w,
		profile: make([]int32, len(tables)), period: make([]string, len(tables)), kinOf: make([]int32, len(tables)),
		codes: make(map[string]bool), subjects: make(map[string]bool),
	}
	profiles := make(map[profile]int32)
	bases := make(map[[2]string]int32, len(tables))
	for n, t := range tables {
		m := index.Marks(t)
		x.note(n, m, profiles)
		base := [2]string{strings.ToLower(t.Name.Schema), m.Base}
		k, known := bases[base]
		if !known {
			k = int32(len(x.kin))
			bases[base] = k
			x.kin = append(x.kin, nil)
			x.addSubjects(m.Base)
		}
		x.kin[k] = append(x.kin[k], int32(n))
		x.kinOf[n] = k
	}
	return x, nil
}

// note keeps the marks of table n.
func (x *Index) note(n int, m *mark.Marks, profiles map[profile]int32) {
	p := profile(m.Values[:mark.Period])
	id, known := profiles[p]
	if !known {
		id = int32(len(x.profiles))
		profiles[p] = id
		x.profiles = append(x.profiles, p)
		for f, v := range p {
			x.has[f] = x.has[f] || v != ""
		}
		if p[mark.Country] != "" {
			x.codes[p[mark.Country]] = true
		}
	}
	x.profile[n] = id
	x.period[n] = m.Values[mark.Period]
	x.has[mark.Period] = x.has[mark.Period] || x.period[n] != ""
}

func (x *Index) addSubjects(base string) {
	for _, word := range strings.Split(base, "_") {
		x.subjects[x.reader.lexicon.stem(word)] = true
	}
}

// Has reports whether any table has a mark of a facet.
func (x *Index) Has(f mark.Facet) bool { return x.has[f] }

// Knows reports whether any table is kept for a country.
func (x *Index) Knows(code string) bool { return x.codes[code] }

// Kin returns the tables that have the base name of table n in its schema, n
// included. Nobody may change the list.
func (x *Index) Kin(n int) []int32 { return x.kin[x.kinOf[n]] }

// Plain returns of the kin of table n the one with the fewest marks, of several the
// first.
func (x *Index) Plain(n int) int32 {
	plain, fewest := int32(n), len(profile{})+2
	for _, k := range x.Kin(n) {
		marks := 0
		for _, v := range x.profiles[x.profile[k]] {
			if v != "" {
				marks++
			}
		}
		if x.period[k] != "" {
			marks++
		}
		if marks < fewest {
			plain, fewest = k, marks
		}
	}
	return plain
}

// subjectText is what the words of a facet still count as a subject where tables
// are named so.
const subjectText = 0.5

// Read reads what a question asks of the facets that the catalog has.
func (x *Index) Read(question string) Asked {
	a := x.reader.Read(question, x.Has, x.Knows)
	for i := range a.Mentions {
		m := &a.Mentions[i]
		if m.Facet != mark.Country && x.isSubject(question[m.Start:m.End]) {
			m.Text = subjectText
		}
	}
	return a
}

// isSubject reports whether a single word names tables as well.
func (x *Index) isSubject(words string) bool {
	return !strings.ContainsAny(words, " -") && x.subjects[x.reader.lexicon.stem(strings.ToLower(words))]
}

// Reading is what one question asks, ready to value tables.
type Reading struct {
	index   *Index
	asked   Asked
	visible func(n int) bool
	fit     []float64         // by profile
	best    map[int32]kinBest // by kin, once it is asked for: a question looks at few of them
}

// kinBest is which of one kin fits best.
type kinBest struct {
	fit    float64
	newest int32 // of those that fit best; below 0 where the asker may see none
}

// noFit is below what any table has.
const noFit = -1e9

// For prepares a reading. Tables for which visible answers false do not exist for
// the asker; nil: all do.
func (x *Index) For(a Asked, visible func(n int) bool) *Reading {
	r := &Reading{index: x, asked: a, visible: visible, fit: make([]float64, len(x.profiles)), best: make(map[int32]kinBest)}
	for i, p := range x.profiles {
		for f, v := range p {
			if x.has[f] {
				r.fit[i] += x.weights.fit(mark.Facet(f), v, a.wants[f])
			}
		}
	}
	return r
}

// Asked returns what the question asks.
func (r *Reading) Asked() *Asked { return &r.asked }

// Fit returns how well table n fits: the higher, the better.
func (r *Reading) Fit(n int) float64 {
	x := r.index
	fit := r.fit[x.profile[n]]
	if x.period[n] == "" {
		return fit
	}
	return fit + r.periodFit(x.period[n])
}

// periodFit values a shard: the question may name its year, month or day, and the
// more of it, the better.
func (r *Reading) periodFit(period string) float64 {
	worth := r.index.weights.worth[mark.Period]
	if len(r.asked.periods) == 0 {
		return worth.Unasked
	}
	best := worth.Other
	for _, p := range r.asked.periods {
		switch {
		case p == period:
			return worth.Equal
		case strings.HasPrefix(period, p), strings.HasPrefix(p, period):
			best = max(best, worth.Equal*float64(min(len(p), len(period)))/float64(max(len(p), len(period))))
		}
	}
	return best
}

// IsBest reports whether table n is the one that fits best among its kin that the
// asker may see. Of shards that fit alike it is the newest; other tables that fit
// alike are all best.
func (r *Reading) IsBest(n int) bool {
	x := r.index
	k := x.kinOf[n]
	if len(x.kin[k]) == 1 {
		return true
	}
	best := r.bestOf(k)
	if r.Fit(n) < best.fit {
		return false
	}
	return x.period[n] == "" || best.newest < 0 || best.newest == int32(n) || x.profile[n] != x.profile[best.newest]
}

// BestOf returns the best of the kin of table n that the asker may see, of several
// the newest or the first; n itself where the asker may see none.
func (r *Reading) BestOf(n int) int {
	k := r.index.kinOf[n]
	if len(r.index.kin[k]) == 1 {
		return n
	}
	best := r.bestOf(k)
	if best.newest < 0 {
		return n
	}
	return int(best.newest)
}

func (r *Reading) bestOf(k int32) kinBest {
	if best, known := r.best[k]; known {
		return best
	}
	best := kinBest{noFit, -1}
	for _, n := range r.index.kin[k] {
		if r.visible != nil && !r.visible(int(n)) {
			continue
		}
		fit := r.Fit(int(n))
		switch {
		case fit > best.fit:
			best = kinBest{fit, n}
		case fit == best.fit && comparePeriods(r.index.period[n], r.index.period[best.newest]) > 0:
			best.newest = n
		}
	}
	r.best[k] = best
	return best
}

// Compare orders two tables of one family: negative where a fits better, or fits
// alike and is the newer shard.
func (r *Reading) Compare(a, b int) int {
	return cmp.Or(cmp.Compare(r.Fit(b), r.Fit(a)), comparePeriods(r.index.period[b], r.index.period[a]))
}

// Value is a facet of a table.
type Value struct {
	Facet mark.Facet
	Value string
}

// Met returns the facets of table n that the question asks for.
func (r *Reading) Met(n int) []Value {
	var met []Value
	for f, v := range r.index.profiles[r.index.profile[n]] {
		if equal, _, _ := compare(v, r.asked.wants[f]); equal && v != "" {
			met = append(met, Value{mark.Facet(f), v})
		}
	}
	return met
}

// comparePeriods orders shards: "2019" after "2018", "10" after "9", and none first.
func comparePeriods(a, b string) int {
	const letters = "revq" // of "v2", "r14", "rev3", "q4"
	a, b = strings.TrimLeft(a, letters), strings.TrimLeft(b, letters)
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
