package metric

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Reading is a question as read.
type Reading struct {
	Intent        intent.Intent
	Spans         []Span
	NotUnderstood []string
	Doubts        []string // why the reading may be wrong
	Assumptions   []string // ids of texts; see pipeline
	// Choice is set where a name has several meanings: ids of metrics.
	Choice []string
	// AskBase is set where a change is asked for and not from when, AskPeriod
	// where not even the period is named.
	AskBase, AskPeriod bool
	// Ranked is the entity that is ranked by a metric that is not named.
	Ranked string
}

// Span is a piece of the question and what it was taken for.
type Span struct {
	Start, End          int
	Text, Kind, Meaning string
}

// Chosen is what the asker chose where the question left it open.
type Chosen struct {
	Metric string // id; empty: none
	Back   string // what to compare with: "previous", or a unit of time
	Period string // the unit of time whose last full one is meant
}

// Read reads a question. ok is false where it names no metric: then it is none
// over this layer.
func (n *Names) Read(question string, chosen Chosen, dr *dates.Reader, now time.Time) (r Reading, ok bool) {
	rd := reader{names: n, text: question, now: now, units: n.link(question, dr.Periods(question, now)), chosen: chosen}
	if chosen.Metric != "" && !slices.ContainsFunc(rd.units, func(u unit) bool { return u.has(kindMetric) }) {
		rd.selectMetric(chosen.Metric)
	}
	rd.run()
	return rd.out, len(rd.out.Intent.Select) > 0
}

type reader struct {
	names *Names
	text  string
	now   time.Time
	units []unit
	pos   int
	out   Reading

	chosen Chosen

	// What the next name is.
	group   bool // after "by", "each", "which", "top 5"
	each    bool // that was "each"
	ranks   bool // that was "which" or "top 5"
	negated bool
	sorting bool // after "sorted by": the next metric is ordered by

	// What the question as a whole asks.
	super     string // max min best worst: the first ones only
	sort      string // desc asc best worst: all, in that order
	orderBy   string // metric
	which     bool   // one of them
	many      bool   // all of them, or the first ones
	trend     bool
	count     bool   // how many there are
	share     int    // position of the unit plus one
	perUnit   string // unit of time that the mean is over
	average   int    // position of "average" plus one
	all       bool
	together  bool
	hour      bool
	compares  bool
	excluded  []string
	entity    string         // named, and not grouped by
	of        *intent.Field  // what a metric's name says it is split by
	ranked    []intent.Field // what "which" and "top 5" are about
	eachOf    []intent.Field // what "each" is about
	eachDay   bool           // "per day": with an average, the mean over days
	dated     *dates.Found
	second    *dates.Found // another range
	countries int          // position of the last one plus one

	// What results are compared with.
	filtered   bool // there is a threshold
	last       int  // position after the pattern that is read
	thresholds []threshold
	counts     bool         // how many there are of what is grouped by
	base       *dates.Found // a range that is compared with
	same       bool         // as it lies in the other
	apart      bool         // the things named are ranked one by one
	scale      string       // the quotient is for so many
	divides    bool         // the next metric divides
	back       string       // how far back that is: a unit, or "previous"
	versus     bool
	datedAt    int  // position of the first range
	besides    bool // the second one comes right after it
	both       bool // what has all of the values at once
	growth     bool
	direction  string // up or down: which way it should have gone
	grew       int    // position of that word plus one
	higher     string // up or down: of "higher than last month"
	roll       *intent.Window
	cumulative bool
	steps      string // unit of "running total"
	ratioBy    string // metric that the first one is divided by
	values     []readValue
	filters    []int // positions of named filters
}

// readValue is a value read, and where.
type readValue struct {
	pos       int
	dimension string
	value     string
}

func (r *reader) run() {
	r.filtered = slices.ContainsFunc(r.units, func(u unit) bool { return u.amount != nil }) && r.anyThreshold()
	for r.pos = 0; r.pos < len(r.units); {
		if p, found, taken := r.match(r.pos); p != nil {
			r.last = r.pos + taken
			sayings[p.Says](r, found)
			r.pos = r.last
			continue
		}
		r.unit(&r.units[r.pos])
		r.pos++
	}
	r.finish()
}

func (r *reader) span(u *unit, kind, meaning string) {
	r.out.Spans = append(r.out.Spans, Span{Start: u.start(), End: u.end(), Text: r.text[u.start():u.end()], Kind: kind, Meaning: meaning})
}

func (r *reader) miss(u *unit) {
	r.out.NotUnderstood = append(r.out.NotUnderstood, r.text[u.start():u.end()])
}

func (r *reader) doubt(why string) { r.out.Doubts = append(r.out.Doubts, why) }

func (r *reader) assume(id string) {
	if !slices.Contains(r.out.Assumptions, id) {
		r.out.Assumptions = append(r.out.Assumptions, id)
	}
}

// around returns the neighbour at a distance, nil where there is none.
func (r *reader) around(by int) *unit {
	if i := r.pos + by; i >= 0 && i < len(r.units) {
		return &r.units[i]
	}
	return nil
}

// listed reports whether the unit that follows goes on with a list: "and", or a
// comma between.
func (r *reader) listed() bool {
	u, next := r.around(0), r.around(1)
	return next != nil && (next.is("and") || strings.ContainsAny(r.text[u.end():next.start()], ",，/"))
}

func (r *reader) unit(u *unit) {
	if r.negated && (r.excludes(u) || r.headsValue(u)) {
		return
	}
	if r.negated && (u.is("super") || u.number > 0 || len(u.meanings) > 0 && !u.leavesOut()) {
		r.doubt("a negation of something that is no condition")
		r.negated = false
	}
	switch {
	case u.date != nil:
		r.date(u)
	case len(u.meanings) > 0:
		r.name(u)
	case u.number > 0:
		r.number(u)
	case r.phrase(u), r.general(u):
	default:
		r.miss(u)
	}
}

// excludes reads what a named exclusion leaves out where its name comes apart:
// "excluding cancelled and returned orders".
func (r *reader) excludes(u *unit) bool {
	for _, not := range r.names.nots {
		for _, m := range r.names.byKey[keyOf(slices.Concat(not, u.tokens))] {
			if m.kind == kindExclusion {
				r.out.Intent.Filters = append(r.out.Intent.Filters, intent.Cond{Op: intent.Named, ID: m.id})
				r.span(u, "filter", "exclusion "+m.id)
				r.negated = r.listed()
				return true
			}
		}
	}
	return false
}

// headsValue passes over what a value is said of: "excluding orders that were
// returned".
func (r *reader) headsValue(u *unit) bool {
	if !u.has(kindMetric) || u.leavesOut() {
		return false
	}
	for i := r.pos + 1; i < len(r.units); i++ {
		switch o := &r.units[i]; {
		case o.has(kindValue), o.has(kindFilter):
			return i > r.pos+1
		case o.is("rel"), o.is("which"), o.idle(), o.is("light"):
		default:
			return false
		}
	}
	return false
}

// leavesOut reports whether a name may be what a negation leaves out, or say of
// what the next one is a value.
func (u *unit) leavesOut() bool {
	return u.has(kindCountry) || u.has(kindValue) || u.has(kindFilter) || u.has(kindExclusion) || u.has(kindDimension)
}

// phrase does what the words of metric questions say; false for other words.
func (r *reader) phrase(u *unit) bool {
	switch {
	case u.is("share"):
		r.share = r.pos + 1
	case u.is("all_countries"):
		r.all = true
		r.span(u, "value", "all countries")
	case u.is("together"):
		r.together = true
	case u.is("each_country"):
		r.which = r.which || r.asksOne(u)
		r.many = r.many || u.plural() || strings.HasPrefix(u.tokens[0].Text, "哪些")
		r.groupBy(u, intent.Field{Kind: intent.KindDimension, ID: countryDimension})
	case u.is("sort"):
		if arg := u.arg("sort"); arg != "" {
			r.sort = arg
		}
		r.sorting = true
		r.span(u, "order", "sort")
	case u.is("super"):
		r.super = u.arg("super")
		r.sorting = !r.ranksBefore(u)
		r.expect(false, true)
		r.span(u, "order", "rank")
	case u.is("place"):
		next := r.around(1)
		if next == nil || next.number == 0 {
			return u.arg("place") == "min"
		}
		r.super = u.arg("place")
		r.sorting = !r.ranksBefore(u)
		r.expect(false, true)
		r.span(u, "order", "rank")
	case u.is("which"):
		r.which = true
		r.expect(false, true)
	case u.is("which_many"):
		r.many = true
		r.expect(false, true)
	case u.is("which_time"):
		r.which = true
		r.many = r.many || u.plural() || strings.HasPrefix(u.tokens[0].Text, "哪些") || strings.HasPrefix(u.tokens[0].Text, "哪几")
		r.grain(u, u.arg("which_time"))
	case u.is("count"):
		r.count = true
	case u.is("per_unit"):
		r.perUnit = u.arg("per_unit")
		r.span(u, "metric", "average by "+r.perUnit)
	case u.is("growth"):
		r.grows(u)
	case u.is("more"):
		return r.moreThan(u)
	case u.is("versus"):
		r.versus, r.compares = true, true
	case u.is("apart"):
		r.apart = true
	case u.is("cumulative"):
		r.cumulative, r.steps = true, u.arg("cumulative")
		r.span(u, "metric", "cumulative")
	case u.is("hour_of_day"):
		r.hour = true
		r.span(u, "dimension", "by hour")
	case u.is("unit"):
		if !r.group && !r.listsSteps(u) {
			return false
		}
		r.grain(u, u.arg("unit"))
	case u.is("trend"):
		r.trend = true
	case u.is("group"):
		r.expect(u.arg("group") == "each", false)
	case u.is("not"):
		r.negated = true
	case u.is("average"):
		r.average = r.pos + 1
	case u.is("and"), u.is("or"), u.is("total"), u.is("request"), u.is("filler"):
	default:
		return false
	}
	return true
}

// ranksBefore takes the metric before a Chinese superlative as what is ranked by:
// 退款率最高的.
func (r *reader) ranksBefore(u *unit) bool {
	prev := r.around(-1)
	if prev == nil || u.tokens[0].Kind != token.Han || prev.tokens[0].Kind != token.Han || !prev.has(kindMetric) {
		return r.orderBy != ""
	}
	r.orderBy = prev.ids(kindMetric)[0]
	return true
}

// expect says that what follows is grouped by: once for "each", as what is ranked
// for "which" and "top 5".
func (r *reader) expect(each, ranks bool) { r.group, r.each, r.ranks = true, each, ranks }

// asksOne reports whether a phrase begins with "which".
func (r *reader) asksOne(u *unit) bool {
	first := u.tokens[0]
	return r.names.words.is(first.Lower, "which") && !u.plural() || strings.HasPrefix(first.Text, "哪") && !strings.HasPrefix(first.Text, "哪些")
}

// general does what the lexicon's words say. Conditions are not read here, so
// their words count as not understood.
func (r *reader) general(u *unit) bool {
	for _, tag := range []string{"contains", "starts", "ends", "isnull", "notnull", "post:>=", "post:<=", "between", "before", "after", "adjective", "common", "post"} {
		if u.is(tag) {
			return false
		}
	}
	switch {
	case u.is("light") && r.afterPronoun():
		return false // "sellers who joined ...": a condition
	case u.is("cmp"):
		return u.arg("cmp") == "="
	case u.is("agg"):
		return u.arg("agg") == "sum"
	case u.is("group"):
		r.group = true
	case u.is("order") && u.arg("order") == "":
		if last := u.tokens[len(u.tokens)-1].Lower; last != "by" && last != "of" {
			return false // "users who ordered"
		}
		r.sorting = true
	case u.is("order"):
		r.sorting = true
	case u.is("both"):
		r.both = true
	}
	return slices.ContainsFunc(u.tags, func(t lexicon.Tag) bool { return !weak(t) })
}

// afterPronoun reports whether "who" or "that" stands before this place, after
// something that it can be about.
func (r *reader) afterPronoun() bool {
	prev, head := r.around(-1), r.around(-2)
	return prev != nil && head != nil && len(head.meanings) > 0 && (prev.is("which") || prev.is("rel"))
}

// weak reports whether a word means something only in its place.
func weak(t lexicon.Tag) bool {
	return t.Name == "unit" || t.Name == "number" || t.Name == "words_not_codes"
}

func (r *reader) grain(u *unit, grain string) {
	if grain == "hour" {
		r.hour = true
	} else {
		r.time().Grain = grain
	}
	r.group = false
	r.span(u, "time", "by "+grain)
}

func (r *reader) time() *intent.Time {
	if r.out.Intent.Time == nil {
		r.out.Intent.Time = &intent.Time{}
	}
	return r.out.Intent.Time
}

// number is how many of a ranking: next to the superlative, or before what is
// ranked.
func (r *reader) number(u *unit) {
	ranks := func(o *unit) bool { return o != nil && (o.is("super") || o.is("place")) }
	next := r.around(1)
	switch {
	case u.is("super"): // "top10"
		r.super, r.sorting = u.arg("super"), true
	case ranks(r.around(-1)), ranks(next), next != nil && next.has(kindMetric) && r.superlative(next):
	case next != nil && (next.has(kindEntity) || next.has(kindDimension)) && r.around(-1) != nil && (r.around(-1).is("which") || r.around(-1).is("which_many")):
	case next != nil && (next.has(kindEntity) || next.has(kindDimension)) && slices.ContainsFunc(r.units, func(o unit) bool { return o.is("super") }):
	case r.super != "" && r.out.Intent.Limit == 0 && u.tokens[0].Kind == token.Number:
	case u.tokens[0].Kind == token.Han && u.number == 1 && next != nil && next.is("stop"):
		return // 一 of 一个 and the like
	default:
		r.miss(u)
		return
	}
	r.out.Intent.Limit = u.number
	r.expect(false, true)
	r.span(u, "number", "limit "+strconv.FormatInt(u.number, 10))
}

func (r *reader) date(u *unit) {
	f := u.date
	defer func() { r.group = false }()
	switch {
	case f.Grain == "hour":
		r.hour = true
		r.span(u, "dimension", "by hour")
		return
	case f.Grain != "":
		r.time().Grain = f.Grain
		r.eachDay = r.eachDay || f.Grain == "day" && r.names.each(f.Text)
		r.span(u, "time", "by "+f.Grain)
		return
	}
	if r.dated != nil {
		switch {
		case r.clip(f):
		case r.second == nil:
			r.second, r.besides = f, r.pos-r.datedAt == 1 || r.pos-r.datedAt == 2 && r.around(-1).is("and")
			r.span(u, "time", day(f.From)+" to "+day(f.To))
		default:
			r.doubt("several ranges of time")
			r.miss(u)
		}
		return
	}
	r.dated, r.datedAt = f, r.pos
	r.setRange(f.From, f.To, f.Text)
	r.span(u, "time", r.out.Intent.Time.From+" to "+r.out.Intent.Time.To)
	if f.Today && (f.To.IsZero() || f.To.After(r.now)) {
		r.assume("period_not_over")
	}
}

// each reports whether an expression begins with a word such as "per".
func (n *Names) each(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return n.words.is(first, "group") && !strings.HasPrefix(first, "by") || strings.HasPrefix(text, "每")
}

func (r *reader) setRange(from, to time.Time, text string) {
	t := r.time()
	t.From, t.To, t.Text = day(from), day(to), text
}

// day is a date as an intent has it; empty for none.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// within reports whether a range lies in a longer one: "June to August this year".
func within(a, b dates.Found) bool {
	closed := !a.From.IsZero() && !a.To.IsZero() && !b.From.IsZero() && !b.To.IsZero()
	return closed && !a.From.Before(b.From) && !a.To.After(b.To) && length(a) < length(b)
}

// clip puts "up to yesterday" and a period together.
func (r *reader) clip(f *dates.Found) bool {
	a, b := *r.dated, *f
	if within(a, b) {
		return true
	}
	if within(b, a) {
		r.dated = f
		r.setRange(b.From, b.To, b.Text)
		return true
	}
	if a.From.IsZero() {
		a, b = b, a
	}
	if !b.From.IsZero() || a.From.IsZero() || !a.From.Before(b.To) {
		return false
	}
	if b.To.Before(a.To) {
		a.To = b.To
	}
	r.dated = &a
	r.setRange(a.From, a.To, a.Text)
	return true
}

// Rankings are the metrics that an entity can be ranked by: those with a variant
// of its own.
func (n *Names) Rankings(entity string) []string {
	var out []string
	for _, m := range n.layer.Metrics {
		if _, of, ok := strings.Cut(m.ID, "__"); ok && of == entity && m.Additivity != semantic.NonAdditive {
			out = append(out, Base(m.ID))
		}
	}
	return out
}
