package mark

import (
	"slices"
	"strings"
)

const (
	// leastTwins is how many groups of twins have to prove a mark before a name
	// without twins is believed to bear it.
	leastTwins = 3
	// mostSeen bounds the different values that are remembered of twins.
	mostSeen = 4
)

// Places among a group's facets of what proves only its own kind.
const (
	numbers = Facets + iota // shards by number
	leading                 // countries in front of the name
	slots                   // how many places there are
)

// twins is what the names of one base in one schema tell together.
type twins struct {
	values [slots][]string // different ones, with "" for a name without
	parts  [slots][]string // as written
	firm   bool            // one of its countries is no word
	states bool            // its codes are of states
}

// Read reads all names of a catalog, answer n for name n.
func Read(names []Name) []Marks {
	l, err := load()
	if err != nil { // the file is embedded and a test reads it
		l = &lexicon{}
	}
	readings := make([]reading, len(names))
	group := make([]*twins, len(names))
	groups := make(map[string]*twins, len(names)/2)
	stately := make(map[string]bool) // bases that stand with a state's code
	for i, n := range names {
		r := l.read(n)
		key := r.place + "." + r.without(r.parts, func(step) bool { return true })
		g := groups[key]
		if g == nil {
			g = new(twins)
			groups[key] = g
		}
		g.join(&r)
		readings[i], group[i] = r, g
		if last := len(r.parts) - 1; last > 0 && l.states[r.parts[last]] {
			stately[r.place+"."+strings.Join(r.parts[:last], "_")] = true
		}
	}
	for key := range stately {
		if g := groups[key]; g != nil {
			g.states = true
		}
	}
	known := established(groups)
	marks := make([]Marks, len(names))
	for i := range readings {
		marks[i] = readings[i].settle(group[i], known)
	}
	lengthen(readings, marks)
	return marks
}

// without returns the name, of r.parts or of r.asIs, without the marks that gone
// accepts.
func (r *reading) without(parts []string, gone func(step) bool) string {
	var b strings.Builder
	for i, part := range parts {
		if t := slices.IndexFunc(r.taken, func(s step) bool { return s.part == i }); t >= 0 && gone(r.taken[t]) {
			part = part[:min(len(part), len(r.taken[t].rest))]
		}
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('_')
		}
		b.WriteString(part)
	}
	return b.String()
}

// join adds a reading to the twins of its base.
func (g *twins) join(r *reading) {
	var has [slots]bool
	for _, s := range r.taken {
		slot := s.slot()
		has[slot] = true
		g.values[slot] = note(g.values[slot], s.value)
		g.parts[slot] = note(g.parts[slot], r.parts[s.part])
		g.firm = g.firm || s.facet == Country && s.needs == needConvention
	}
	for f := range slots {
		switch {
		case has[f]:
		case f < Facets && r.sure[f] != "":
			g.values[f] = note(g.values[f], r.sure[f])
			g.firm = g.firm || f == Country
		default:
			g.values[f] = note(g.values[f], "")
		}
	}
}

// slot is the place of a mark among a group's facets.
func (s step) slot() Facet {
	switch {
	case s.least > 0:
		return numbers
	case s.facet == Country && s.prefix:
		return leading
	}
	return s.facet
}

// note adds a value that is not there yet, as long as there are few.
func note(values []string, v string) []string {
	if len(values) >= mostSeen || slices.Contains(values, v) {
		return values
	}
	return append(values, v)
}

// written is a mark as it stands in names.
type written struct {
	slot Facet
	part string
}

// established are the marks that enough groups of twins prove.
func established(groups map[string]*twins) map[written]bool {
	count := make(map[written]int)
	for _, g := range groups {
		for f := range slots {
			if !g.prove(f, 0) {
				continue
			}
			for _, part := range g.parts[f] {
				count[written{f, part}]++
			}
		}
	}
	known := make(map[written]bool)
	for w, n := range count {
		known[w] = n >= leastTwins
	}
	return known
}

// prove reports whether twins differ in a facet: at least in two values, one of
// which may be none; countries in two codes, of which one is no word.
func (g *twins) prove(f Facet, least int) bool {
	n := len(g.values[f])
	if f == Country || f == leading {
		if slices.Contains(g.values[f], "") {
			n--
		}
		return n > 1 && g.firm && !g.states
	}
	return n >= max(2, least)
}

// settle keeps the marks that are believed. Once an outer one is not, those
// further in stand inside the name and are no marks either.
func (r *reading) settle(g *twins, known map[written]bool) Marks {
	m := Marks{Values: r.sure}
	var broken [2]bool
	var kept [Facets]bool
	for _, s := range r.taken {
		side := 0
		if s.prefix {
			side = 1
		}
		if broken[side] || !r.holds(s, g, known) {
			broken[side] = true
			continue
		}
		kept[s.facet] = true
		m.Values[s.facet] = s.value
	}
	m.Base = r.without(r.parts, func(s step) bool { return kept[s.facet] })
	m.Text = r.without(r.asIs, func(s step) bool { return kept[s.facet] })
	m.Stem = r.without(r.parts, func(s step) bool {
		return kept[s.facet] && s.facet != Layer && s.facet != Window && s.value != SnapshotHistory
	})
	return m
}

// holds reports whether a mark is believed.
func (r *reading) holds(s step, g *twins, known map[written]bool) bool {
	if s.needs == needNothing || r.sure[s.facet] == s.value {
		return true
	}
	is := known[written{s.slot(), r.parts[s.part]}]
	if s.facet == Country {
		switch {
		case g.states:
			return false
		case s.needs == needTwin: // a word as well
			return g.prove(s.slot(), 0) || is && !s.prefix && len(g.values[Country]) > 1
		}
	}
	return g.prove(s.slot(), s.least) || s.needs == needConvention && is
}
