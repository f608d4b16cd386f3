package metric

import (
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Reading is a question as read.
type Reading struct {
	Intent        intent.Intent
	Spans         []Span
	NotUnderstood []string
	Doubts        []string // why the reading may be wrong
	Assumptions   []string // ids of texts; see pipeline
	Meant         []Meant
	// Choice is set where a name has several meanings: ids of metrics.
	Choice []string
	// AskBase is set where a change is asked for and not from when, AskPeriod
	// where not even the period is named.
	AskBase, AskPeriod bool
	// Ahead is set where the period has not begun.
	Ahead bool
	// Ranked is the entity that is ranked by a metric that is not named.
	Ranked string
}

// Meant is a word that names nothing of the layer, and what it was taken for by what it means.
type Meant struct {
	Text      string // as in the question
	Dimension string // id
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
	Change bool   // the question is about a change, whether it says so or not
}

// Read reads a question. ok is false where it names no metric: then it is none
// over this layer.
func (n *Names) Read(question string, chosen Chosen, dr *dates.Reader, now time.Time) (r Reading, ok bool) {
	rd := reader{names: n, text: question, now: now, units: n.link(question, dr.Periods(bare(question), now)), chosen: chosen}
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
	moving    bool   // by a word that of two periods says how one differs from the other
	count     bool   // how many there are
	share     int    // position of the unit plus one
	perUnit   string // unit of time that the mean is over
	average   int    // position of "average" plus one
	eachUnit  string // unit of "a day"
	worth     bool   // an amount of money is asked for
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
	direction  string  // up or down: which way it should have gone
	eitherWay  bool    // up or down was asked, so neither is meant alone
	grew       int     // position of that word plus one
	telling    []*unit // verbs that tell figures apart
	priorText  string  // "30 day": of "the 30 days before"
	absolute   bool    // the change itself is ranked, not its rate
	higher     string  // up or down: of "higher than last month"
	roll       *intent.Window
	cumulative bool
	steps      string // unit of "running total"
	toDate     *toDate
	ratioBy    string // metric that the first one is divided by
	values     []readValue
	by         string   // the date that is named, by its id
	filters    []int    // positions of named filters
	denied     []string // ids of named filters that are denied
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

// after returns the next unit that says something, nil where there is none.
func (r *reader) after() *unit {
	for by := 1; ; by++ {
		if u := r.around(by); u == nil || !u.idle() {
			return u
		}
	}
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
		if u.glossed {
			r.out.Meant = append(r.out.Meant, Meant{r.text[u.start():u.end()], u.meanings[0].id})
		}
		r.name(u)
	case u.number > 0:
		r.number(u)
	case r.phrase(u), r.general(u):
	default:
		r.miss(u)
	}
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
