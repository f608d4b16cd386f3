package followup

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// mode is what is done with a name.
type mode int

const (
	modeSet mode = iota // it takes the place of what there is of its kind
	modeAdd
	modeDrop
)

// reader turns parts into edits.
type reader struct {
	text  string
	parts []part
	pos   int
	prev  *intent.Intent
	out   Reading

	mode  mode
	once  bool // the mode holds for one name
	group bool // the next name is grouped by
	sort  bool // the next name is ordered by
	asc   bool
	said  bool // asc or desc was
	vs    bool // the next time is compared with
	rank  bool // "top" was read
	fell  bool // "fell" was read: the most is the lowest change
	meant Do   // what the asker took where either was possible; empty: nothing
	// byFigure says that the newest metric stands after "by".
	byFigure bool
	gone     []Edit // what "instead of" names
	whole    bool   // no word of a change was read
}

// Read reads what was said after an answer with the intent prev. Pieces do not
// overlap. A text that is not UTF-8 is not understood. meant is that of Reading.Either which the asker took, empty for none.
func (w *Words) Read(text string, pieces []Piece, prev *intent.Intent, meant Do) Reading {
	if !utf8.ValidString(text) { // its letters are not where those of the text that is read are
		return Reading{NotUnderstood: []string{strings.ToValidUTF8(text, "")}}
	}
	// Comparisons are read by this package's own words.
	lower := lowered(text)
	pieces = slices.DeleteFunc(slices.Clone(pieces), func(p Piece) bool {
		return p.Date != nil && (p.Date.Comparison || w.partOfPhrase(lower, p))
	})
	r := &reader{text: text, parts: w.parts(text, pieces), prev: prev, meant: meant, whole: true}
	r.mode = r.usual()
	for r.pos = range r.parts {
		r.part(&r.parts[r.pos])
	}
	r.finish()
	return r.out
}

// usual is the mode of names before which none is said: the one at the end counts.
func (r *reader) usual() mode {
	for _, p := range slices.Backward(r.parts) {
		switch {
		case p.is("add"):
			if !r.before(p.start) {
				return modeSet // "also X": it follows
			}
			return modeAdd
		case p.is("instead"), p.piece != nil:
			return modeSet
		}
	}
	return modeSet
}

// before reports whether a name stands before a place.
func (r *reader) before(at int) bool {
	return slices.ContainsFunc(r.parts, func(p part) bool { return p.piece != nil && p.end <= at })
}

func (r *reader) part(p *part) {
	if p.piece != nil && p.piece.Bound != nil {
		r.edit(Edit{Do: Bound, Cond: p.piece.Bound})
		r.whole = false
		return
	}
	if p.piece != nil {
		r.piece(p.piece)
		return
	}
	if p.tag != "" && p.tag != "filler" && p.tag != "group" && p.tag != "number" && p.tag != "top" && p.tag != "moved" && p.tag != "bottom" && p.tag != "sort" {
		r.whole = false
	}
	switch p.tag {
	case "":
		r.out.NotUnderstood = append(r.out.NotUnderstood, r.text[p.start:p.end])
	case "only", "shift", "instead":
		r.mode, r.once = modeSet, false
	case "add":
		r.mode, r.once = modeAdd, false
	case "without":
		r.mode, r.once = modeDrop, false
	case "instead_of":
		r.mode, r.once = modeDrop, true
	case "group":
		r.group = true
	case "sort":
		r.sort = true
		r.sortBefore()
	case "asc", "desc":
		r.asc, r.said = p.tag == "asc", true
		r.turn()
	case "versus":
		if r.mode == modeDrop {
			r.edit(Edit{Do: NoCompare})
			return
		}
		r.vs = true
		r.versusBefore()
	case "back":
		r.edit(Edit{Do: Compare, Unit: p.arg})
		r.vs = false
	case "before": // "and the month before?"
		do := ShiftRange
		if slices.ContainsFunc(r.parts, func(o part) bool { return o.is("versus") }) {
			do = Compare
		}
		r.edit(Edit{Do: do, Unit: p.arg})
		r.vs = false
	case "top", "bottom":
		r.ranked(p)
	case "moved":
		if slices.ContainsFunc(r.parts, func(o part) bool { return o.is("why") }) {
			return
		}
		r.fell = p.arg == "down"
		ranks := slices.ContainsFunc(r.parts, func(o part) bool { return o.is("top") || o.is("bottom") })
		r.edit(Edit{Do: Moved, Desc: !r.fell, Direction: ranks})
	case "number":
		r.number(p)
	case "unit":
		r.unit(p)
	default:
		r.wholly(p.tag)
	}
}

// wholly reads words that change a part of the intent by themselves.
func (r *reader) wholly(tag string) {
	simple := map[string]Do{"share": Share, "total": Total, "all_countries": AllCountries, "all_time": AllTime, "chart": Chart, "why": Explain, "no_limit": NoLimit}
	switch {
	case tag == "reverse":
		r.edit(Edit{Do: OrderBy})
	case tag == "each_country":
		do := SetGroup
		switch r.mode {
		case modeAdd:
			do = AddGroup
		case modeDrop:
			do = DropGroup
		}
		r.edit(Edit{Do: do, Field: byCountry})
	case simple[tag] != "":
		r.edit(Edit{Do: simple[tag]})
	}
}

// unit reads what steps of time are called: "the top 3 days" of a series by day.
func (r *reader) unit(p *part) {
	switch {
	case r.prev.Time == nil || r.prev.Time.Grain == "":
		r.out.NotUnderstood = append(r.out.NotUnderstood, r.text[p.start:p.end])
	case r.prev.Time.Grain != p.arg:
		r.edit(Edit{Do: SetGrain, Unit: p.arg})
	}
}

func (r *reader) edit(e Edit) { r.out.Edits = append(r.out.Edits, e) }

// widen adds a value to the edit before it, where that does the same.
func (r *reader) widen(e Edit) {
	if r.once {
		r.gone = append(r.gone, e)
		return
	}
	for i := range r.out.Edits {
		o := &r.out.Edits[i]
		if o.Do == e.Do && o.Field == e.Field {
			for _, v := range e.Values {
				if !slices.Contains(o.Values, v) {
					o.Values = append(o.Values, v)
				}
			}
			return
		}
	}
	r.edit(e)
}

// ranked begins a ranking: a number may stand on either side.
func (r *reader) ranked(p *part) {
	if !r.rank {
		r.edit(Edit{Do: Limit, Desc: p.is("top") != r.fell, Direction: true, Quality: p.arg == "quality"})
		r.rank = true
	}
	if r.pos > 0 && r.parts[r.pos-1].number > 0 {
		r.setLimit(r.parts[r.pos-1].number)
	}
}

func (r *reader) setLimit(n int64) {
	for i := range r.out.Edits {
		if e := &r.out.Edits[i]; e.Do == Limit && e.N == 0 {
			e.N = n
		}
	}
}

// number is how many: of a ranking, or of rows.
func (r *reader) number(p *part) {
	near := func(at int) bool {
		return at >= 0 && at < len(r.parts) && (r.parts[at].is("top") || r.parts[at].is("bottom"))
	}
	switch {
	case near(r.pos + 1): // that word takes it
	case near(r.pos - 1), r.rank && r.limitOpen():
		r.setLimit(p.number)
	case r.onlyRows() && !yearLike(p.number):
		r.edit(Edit{Do: Limit, N: p.number, Desc: true})
	default:
		r.out.NotUnderstood = append(r.out.NotUnderstood, r.text[p.start:p.end])
	}
}

// yearLike reports whether a number alone is likelier a year than how many rows.
func yearLike(n int64) bool { return n >= 1900 && n < 2100 }

func (r *reader) limitOpen() bool {
	return slices.ContainsFunc(r.out.Edits, func(e Edit) bool { return e.Do == Limit && e.N == 0 })
}

// onlyRows reports whether a number stands among words that carry nothing: "only
// 5", "show 20 rows".
func (r *reader) onlyRows() bool {
	return !slices.ContainsFunc(r.parts, func(p part) bool {
		return p.piece != nil && p.piece.Date != nil || p.tag == "" && p.piece == nil
	}) && r.mode != modeDrop && !r.vs
}

// sortBefore reads 按订单数排序: what is ordered by stands before the word.
func (r *reader) sortBefore() {
	at := r.pos - 1
	for at >= 0 && (r.parts[at].is("asc") || r.parts[at].is("desc") || r.parts[at].is("filler")) {
		at--
	}
	if at < 0 || r.parts[at].piece == nil || len(r.out.Edits) == 0 {
		return
	}
	last := &r.out.Edits[len(r.out.Edits)-1]
	switch last.Do {
	case SetGroup, AddGroup:
		*last = Edit{Do: OrderBy, Field: last.Field, Desc: last.Field.Kind == intent.KindMetric}
	case SetMetric, AddMetric:
		*last = Edit{Do: OrderBy, Field: intent.Field{Kind: intent.KindMetric, ID: last.Values[0]}, Desc: true}
	default:
		return
	}
	r.sort, r.group = false, false
}

// turn gives an order that was said the direction that is said after it.
func (r *reader) turn() {
	if n := len(r.out.Edits); n > 0 && r.byFigure && r.out.Edits[n-1].Do == SetMetric { // "by orders, descending"
		r.out.Edits[n-1] = Edit{Do: OrderBy, Field: intent.Field{Kind: intent.KindMetric, ID: r.out.Edits[n-1].Values[0]}}
	}
	for i := range r.out.Edits {
		if e := &r.out.Edits[i]; e.Do == OrderBy && e.Field.ID != "" {
			e.Desc, e.Direction = !r.asc, true
			return
		}
	}
	if !r.sort && r.pos == len(r.parts)-1 { // the direction alone
		r.edit(Edit{Do: OrderBy, Desc: !r.asc, Direction: true})
	}
}

// versusBefore reads 与去年对比: the period stands before the word.
func (r *reader) versusBefore() {
	if n := len(r.out.Edits); n > 0 && r.out.Edits[n-1].Do == SetRange && r.followed() {
		r.out.Edits[n-1].Do = Compare
		r.vs = false
	}
}

// followed reports whether no time follows any more.
func (r *reader) followed() bool {
	return !slices.ContainsFunc(r.parts[r.pos+1:], func(p part) bool { return p.piece != nil && p.piece.Date != nil || p.is("back") || p.is("before") })
}

func (r *reader) finish() {
	if r.vs && !slices.ContainsFunc(r.out.Edits, func(e Edit) bool { return e.Do == Compare }) {
		r.edit(Edit{Do: Compare, Unit: "previous"})
	}
	for i := range r.out.Edits {
		if e := &r.out.Edits[i]; e.Do == Limit && e.N == 0 {
			e.N = 1 // "the highest"
		}
	}
	r.gone = append(r.gone, r.turnedDown()...)
	for _, e := range r.gone {
		r.swap(e)
	}
	if i := slices.IndexFunc(r.out.Edits, func(e Edit) bool { return e.Do == Explain }); i >= 0 { // its other words only say what
		r.out.Edits, r.out.NotUnderstood, r.out.Either = r.out.Edits[i:i+1], nil, nil
	}
	has := func(do Do) bool { return slices.ContainsFunc(r.out.Edits, func(e Edit) bool { return e.Do == do }) }
	r.out.Whole = r.whole && has(SetMetric) && has(SetRange)
}

// turnedDown takes the "not Peru" of "Chile, not Peru" out of the edits: it only says
// what Chile takes the place of.
func (r *reader) turnedDown() []Edit {
	var out []Edit
	set := map[Do]bool{}
	r.out.Edits = slices.DeleteFunc(r.out.Edits, func(e Edit) bool {
		of := setFor(e.Do)
		set[e.Do] = true
		if of == "" || !set[of] || !containsAll(r.had(e), e.Values) {
			return false
		}
		out = append(out, e)
		return true
	})
	return out
}

// swap lets what was said take the place of one thing alone, where the earlier
// question had several.
func (r *reader) swap(gone Edit) {
	set := setFor(gone.Do)
	at := slices.IndexFunc(r.out.Edits, func(e Edit) bool { return e.Do == set && e.Field == gone.Field })
	have := r.had(gone)
	if set == "" || at < 0 || !containsAll(have, gone.Values) {
		r.edit(gone) // which says what is wrong with it
		return
	}
	for _, v := range have {
		if !slices.Contains(gone.Values, v) && !slices.Contains(r.out.Edits[at].Values, v) {
			r.out.Edits[at].Values = append(r.out.Edits[at].Values, v)
		}
	}
}

// setFor is the edit that sets what another leaves out; empty: none.
func setFor(drop Do) Do {
	switch drop {
	case DropCountry:
		return SetCountry
	case DropMetric:
		return SetMetric
	case DropValue:
		return SetValue
	}
	return ""
}

// had are the things of a kind that the earlier question was about.
func (r *reader) had(e Edit) []string {
	var out []string
	switch e.Do {
	case DropCountry:
		return r.prev.Country
	case DropMetric:
		for _, o := range r.prev.Select {
			if o.Kind == intent.KindMetric && !ofComparison(o) {
				out = append(out, o.ID)
			}
		}
	case DropValue:
		for _, c := range r.prev.Filters {
			if c.Left != nil && c.Left.ID == e.Field.ID && (c.Op == intent.In || c.Op == intent.Eq) {
				out = append(out, texts(c)...)
			}
		}
	}
	return out
}
