// Package bind decides what each span of a draft stands for, so that all
// decisions fit together: close names, tables that join, values that the columns
// hold. It returns the best reading as a structured intent, with its score and
// the runners-up.
package bind

import (
	"sort"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/daytext"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Reading is a draft with all spans decided.
type Reading struct {
	Intent intent.Intent
	Draft  *parse.Draft
	Rank   float64               // what readings of one draft are ordered by
	Used   map[*link.Item]string // what items stand for, for the explanation
	Doubts []string              // reasons why it may be wrong, for logs
	grave  string                // the first that forbids to answer with it
	// Facts are features of the decisions, by name: "doubt/NAME" counts reasons
	// for doubt, "slot/NAME" tells how certain the names are.
	Facts map[string]float64
}

// Widths of the search.
const (
	beamWidth    = 24
	maxChoices   = 8
	maxReadings  = 8
	rankMargin   = 0.8  // readings so far behind the best are not kept
	joinPenalty  = 0.12 // a step of the join path
	lostPenalty  = 3.0  // no path at all
	ownerPenalty = 0.45 // a column that is not of the table that the question names
	nearPenalty  = 0.10
	timePenalty  = 0.20 // a time that is not of what is shown first
	twicePenalty = 1.00 // a question with one idea of time that is read with two
)

// Layer is what drafts are bound to.
type Layer struct {
	*semantic.Layer
	graph    *plan.Graph
	entities map[string]*semantic.Entity      // by table
	columns  map[string][]*semantic.Dimension // by table
	byID     map[string]*semantic.Dimension
	words    map[string][]string // dimension id -> words of its name
	dated    map[string]bool     // dimension ids that hold days or times
	points   map[string]bool     // dimension ids that point to another table
	natures  map[string]nature   // by dimension id
	lasting  []span
}

// Dated reports whether any column dates its rows.
func (l *Layer) Dated() bool {
	for _, ok := range l.dated {
		if ok {
			return true
		}
	}
	return false
}

// NewLayer indexes a layer for binding.
func NewLayer(l *semantic.Layer, graph *plan.Graph) *Layer {
	b := &Layer{Layer: l, graph: graph, entities: map[string]*semantic.Entity{}, columns: map[string][]*semantic.Dimension{}, byID: map[string]*semantic.Dimension{}, words: map[string][]string{}, dated: map[string]bool{}}
	for i := range l.Entities {
		b.entities[l.Entities[i].Table] = &l.Entities[i]
	}
	for i := range l.Dimensions {
		d := &l.Dimensions[i]
		b.columns[d.Table] = append(b.columns[d.Table], d)
		b.byID[d.ID] = d
		b.dated[d.ID] = daytext.Holds(d)
		for _, w := range strings.Fields(d.Names.EN) {
			b.words[d.ID] = append(b.words[d.ID], token.Stem(w))
		}
	}
	b.points = pointers(l)
	b.natures = natures(l, b.points)
	b.lasting = b.spans()
	return b
}

// choice is one meaning of a slot.
type choice struct {
	dim     *semantic.Dimension
	entity  *semantic.Entity
	inverse bool
	value   string // stored form of a value
	score   float64
}

func (c choice) table() string {
	if c.dim != nil {
		return c.dim.Table
	}
	if c.entity != nil {
		return c.entity.Table
	}
	return ""
}

// slot is something to decide.
type slot struct {
	expr    *parse.Expr
	pred    *parse.Pred
	table   *link.Item
	choices []choice
	owner   *link.Item
	near    *link.Item
}

// timed reports whether what is decided is the column that dates the rows.
func (s *slot) timed() bool {
	return s.expr != nil && (s.expr.Adj == parse.TimeColumn || s.expr.Adj == parse.YearColumn)
}

type state struct {
	picks  []choice
	tables []string
	score  float64
	certs  float64
}

// Bind returns readings, best first; none where a slot has no meaning at all.
func Bind(d *parse.Draft, l *Layer) []Reading {
	slots := l.slots(d)
	states := []state{{}}
	index := map[*link.Item]int{}
	anchor := -1
	for i := range slots {
		s := &slots[i]
		if anchor < 0 && len(d.Outputs) > 0 && (s.expr == d.Outputs[0] || s.table != nil && d.Outputs[0].Table && s.table == d.Outputs[0].Item) {
			anchor = i
		}
		if s.table != nil {
			index[s.table] = i
		}
		if len(s.choices) == 0 {
			return nil
		}
		var next []state
		for _, st := range states {
			for _, c := range s.choices {
				e := l.extend(st, s, c, index)
				if s.timed() && anchor >= 0 && anchor < i && st.picks[anchor].table() != c.table() {
					e.score -= timePenalty
				}
				if s.timed() && st.otherTime(slots[:i], c) {
					e.score -= twicePenalty
				}
				next = append(next, e)
			}
		}
		sort.SliceStable(next, func(i, j int) bool { return next[i].score > next[j].score })
		if len(next) > beamWidth {
			next = next[:beamWidth]
		}
		states = next
	}
	var out []Reading
	for i, st := range states {
		if i >= maxReadings || i > 0 && st.score < states[0].score-rankMargin {
			break
		}
		b := builder{layer: l, draft: d, slots: slots, state: st}
		if r, ok := b.build(); ok {
			out = append(out, r)
		}
	}
	return out
}

// otherTime reports whether a time decided on before is of another column.
func (st *state) otherTime(before []slot, c choice) bool {
	for i := range before {
		if before[i].timed() && st.picks[i].dim != c.dim {
			return true
		}
	}
	return false
}

// extend adds a decision to a state. The cost of joins is that of the nearest
// table decided on before.
func (l *Layer) extend(st state, s *slot, c choice, index map[*link.Item]int) state {
	score := c.score
	table := c.table()
	if i, ok := index[s.owner]; ok && s.owner != nil && i < len(st.picks) {
		if st.picks[i].table() != table {
			score -= ownerPenalty
			if c.dim != nil && l.graph.Distance(st.picks[i].table(), table) >= plan.Unreachable {
				score -= lostPenalty
			}
		} else {
			score += 0.05
		}
	} else if i, ok := index[s.near]; ok && s.near != nil && i < len(st.picks) && st.picks[i].table() != table {
		score -= nearPenalty
	}
	if n := len(st.picks); n > 0 && s.expr != nil && s.expr.Item != nil && c.dim != nil && s.expr.Item.To-s.expr.Item.From == 1 {
		if prev := st.picks[n-1].dim; prev != nil && prev != c.dim && l.sharesPrefix(prev, c.dim) {
			score += 0.1 // "the type code and description" are both of the type
		}
	}
	tables := st.tables
	if table != "" && !contains(tables, table) {
		if len(tables) > 0 {
			nearest := plan.Unreachable
			for _, t := range tables {
				nearest = min(nearest, l.graph.Distance(t, table))
			}
			if nearest >= plan.Unreachable {
				score -= lostPenalty
			} else {
				score -= joinPenalty * nearest
			}
		}
		tables = append(append([]string(nil), tables...), table)
	}
	return state{
		picks:  append(append([]choice(nil), st.picks...), c),
		tables: tables,
		score:  st.score + score,
		certs:  st.certs + c.score,
	}
}

// sharesPrefix reports whether two columns' names begin with the same word.
func (l *Layer) sharesPrefix(a, b *semantic.Dimension) bool {
	x, y := l.words[a.ID], l.words[b.ID]
	return len(x) > 1 && len(y) > 1 && x[0] == y[0]
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// Dim returns the dimension of an id; nil where there is none.
func (l *Layer) Dim(id string) *semantic.Dimension { return l.byID[id] }

// Entity returns the entity of a table, an empty one where there is none.
func (l *Layer) Entity(table string) semantic.Entity {
	if e, ok := l.entities[table]; ok {
		return *e
	}
	return semantic.Entity{}
}

// Table returns the table of a field; empty where the layer lacks it.
func (l *Layer) Table(f intent.Field) string {
	if f.Kind == intent.KindEntity {
		if _, ok := l.entities[f.ID]; ok { // a derived entity is called as its table
			return f.ID
		}
		return ""
	}
	if d := l.byID[f.ID]; d != nil {
		return d.Table
	}
	return ""
}

// Joined returns how many joins connect tables, and what they cost: more than 1
// each where they were guessed by names.
func (l *Layer) Joined(tables []string) (cost float64, joins int) {
	if len(tables) < 2 {
		return 0, 0
	}
	t, ok := l.graph.Join(tables)
	if !ok {
		return plan.Unreachable, 0
	}
	for _, e := range t.Edges {
		cost += l.graph.Distance(e.From, e.To)
	}
	return cost, len(t.Edges)
}
