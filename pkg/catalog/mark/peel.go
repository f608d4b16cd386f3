package mark

import (
	"slices"
	"strings"
	"unicode"
)

// reading is a name taken apart with every mark that it may have. Which of them
// are believed is settled when all names are read.
type reading struct {
	parts []string // in lower case
	asIs  []string // as written
	taken []step   // from the outside in, suffixes and prefixes apart
	sure  [Facets]string
	place string // schema, within which twins are looked for
}

// step is a part of a name taken as a mark.
type step struct {
	mark
	part   int // index into parts
	prefix bool
	rest   string // what is left of the part, for a year glued to a word
	least  int    // different values that twins must show; 0: 2
}

// read takes a name apart.
func (l *lexicon) read(n Name) reading {
	r := reading{place: strings.ToLower(n.Schema)}
	r.sure[Country] = canonical(n.Country)
	r.sure[Layer] = l.layerOf(n.Layer)
	table := n.Table
	if n.Manifest != "" { // some catalogs write it with the schema
		table = strings.ReplaceAll(n.Manifest[strings.LastIndexByte(n.Manifest, '.')+1:], Placeholder, "")
	}
	head, code := cutPlace(l, table)
	if r.sure[Country] == "" {
		r.sure[Country] = code
	}
	r.asIs = split(head)
	r.parts = make([]string, len(r.asIs))
	for i, p := range r.asIs {
		r.parts[i] = strings.ToLower(p)
	}
	l.peel(&r)
	return r
}

// layerOf returns the value of a layer as a catalog writes it.
func (l *lexicon) layerOf(written string) string {
	written = strings.ToLower(written)
	for _, m := range l.prefix[written] {
		if m.facet == Layer {
			return m.value
		}
	}
	return written
}

// cutPlace cuts a tail that tells where a table is kept, "__sg_s0_live", and
// returns its country.
func cutPlace(l *lexicon, table string) (head, country string) {
	head, tail, ok := strings.Cut(table, "__")
	if !ok || head == "" || strings.Contains(tail, "__") {
		return table, ""
	}
	for _, p := range strings.Split(strings.ToLower(tail), "_") {
		switch {
		case p == "", p == "live", p == "prod", p == "reg", p == "all":
		case len(p) == 2 && p[0] == 's' && isDigits(p[1:]):
		case country == "" && l.isCountry(p):
			country = canonical(p)
		default:
			return table, ""
		}
	}
	return head, country
}

func (l *lexicon) isCountry(part string) bool {
	return slices.ContainsFunc(l.suffix[part], func(m mark) bool { return m.facet == Country })
}

// split cuts a name into its parts. Camel humps count where the
// name has nothing else to part it.
func split(name string) []string {
	isBreak := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	if !strings.ContainsFunc(name, isBreak) {
		name = cutHumps(name)
	}
	return strings.FieldsFunc(name, isBreak)
}

// cutHumps sets an underscore before each capital that follows a small letter.
func cutHumps(name string) string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if small && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		small = unicode.IsLower(r) || unicode.IsDigit(r)
		b.WriteRune(r)
	}
	return b.String()
}

// peel takes marks from both ends until none is left; one part always stays.
func (l *lexicon) peel(r *reading) {
	first, last := 0, len(r.parts)-1
	var has [Facets]bool
	for f, v := range r.sure {
		has[f] = v != "" && Facet(f) != Country && Facet(f) != Layer
	}
	take := func(s step) bool {
		if has[s.facet] || r.sure[s.facet] != "" && r.sure[s.facet] != s.value {
			return false
		}
		has[s.facet] = true
		r.taken = append(r.taken, s)
		return true
	}
	for first < last {
		if s, ok := l.suffixOf(r, last, take); ok {
			if s.rest != "" {
				break // the word that the year was glued to
			}
			last--
			continue
		}
		if !l.prefixOf(r, first, take) {
			break
		}
		first++
	}
	if first == last && l.gluedPeriod(r, last, take) {
		return
	}
}

// suffixOf takes the last part as a mark if it can be one.
func (l *lexicon) suffixOf(r *reading, last int, take func(step) bool) (step, bool) {
	part := r.parts[last]
	for _, m := range l.suffix[part] {
		if s := (step{mark: m, part: last}); take(s) {
			return s, true
		}
	}
	if s, ok := windowOf(part); ok {
		s.part = last
		return s, take(s)
	}
	if s, ok := periodOf(r.parts, last); ok {
		return s, take(s)
	}
	return step{}, false
}

func (l *lexicon) prefixOf(r *reading, first int, take func(step) bool) bool {
	for _, m := range l.prefix[r.parts[first]] {
		if take(step{mark: m, part: first, prefix: true}) {
			return true
		}
	}
	return false
}

// gluedPeriod takes a year from the only part that is left.
func (l *lexicon) gluedPeriod(r *reading, last int, take func(step) bool) bool {
	s, ok := periodOf(r.parts, last)
	return ok && s.rest != "" && take(s)
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
