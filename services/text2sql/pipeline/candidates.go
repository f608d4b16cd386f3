package pipeline

import (
	"errors"
	"fmt"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/rank"
)

// Bounds of the search for a reading.
const (
	maxDrafts     = 1 // the model was fitted on the first alone
	maxCandidates = 32
	maxPerDraft   = 5 // of a draft that is not the first
)

// Candidate is a reading with its SQL.
type Candidate struct {
	Reading   bind.Reading
	Statement *tree.Statement
	SQL       string // on one line
	Features  rank.Features
	// Probability that it is right, from 0 to 1, before calibration.
	Probability float64
}

// Candidates returns the readings of a question over the layer derived from the
// tables, those that mean the same once, in the order in which they were found.
// Refused says why readings could not be written.
func (p *Pipeline) Candidates(in Input) (list []Candidate, refused []string) {
	items := p.items(in.Question, in.Schema, in.Now)
	return p.candidates(items, p.grammar.Read(items, p.lex), in.Schema)
}

func (p *Pipeline) candidates(items []*link.Item, drafts []*parse.Draft, s *Schema) (list []Candidate, refused []string) {
	g := gatherer{pipeline: p, items: items, schema: s, seen: map[string]int{}, who: len(items) > 0 && items[0].Is("person")}
	for d, draft := range drafts[:min(len(drafts), maxDrafts)] {
		most := maxCandidates
		if d > 0 {
			most = min(most, len(g.list)+maxPerDraft)
		}
		g.gather(d, draft, drafts[0].Score-draft.Score, most)
	}
	among(g.list, len(g.refused))
	return g.list, g.refused
}

// gatherer collects the readings of drafts.
type gatherer struct {
	pipeline *Pipeline
	items    []*link.Item
	schema   *Schema
	who      bool // a person is asked for
	list     []Candidate
	refused  []string
	seen     map[string]int // SQL -> place in list
}

// gather adds the readings of a draft until the list has most.
func (g *gatherer) gather(d int, draft *parse.Draft, behind float64, most int) {
	met := map[string]bool{}
	for place, r := range bind.Bind(draft, g.schema.layer) {
		if len(g.list) >= most {
			return
		}
		stmt, err := g.write(&r)
		if err != nil {
			g.refused = append(g.refused, err.Error())
			continue
		}
		text := printer.Print(stmt)
		if at, ok := g.seen[text]; ok {
			if !met[text] {
				g.list[at].Features["among/drafts"]++
			}
			met[text] = true
			continue
		}
		met[text] = true
		g.seen[text] = len(g.list)
		f := g.pipeline.facts.Of(g.items, &r, g.schema.layer)
		f["among/draft"], f["among/place"], f["among/drafts"] = float64(d), float64(place), 1
		f["draft/behind"] = behind
		f["sql/country"] = g.schema.country(stmt)
		g.list = append(g.list, Candidate{Reading: r, Statement: stmt, SQL: text, Features: f})
	}
}

// errReading is the error of readings that must not be answered with.
var errReading = errors.New("not what was asked for")

// write is the SQL of a reading.
func (g *gatherer) write(r *bind.Reading) (*tree.Statement, error) {
	if why := r.Grave(); why != "" {
		return nil, fmt.Errorf("%w: %s", errReading, why)
	}
	if g.who && g.schema.layer.NamesNobody(&r.Intent) {
		return nil, fmt.Errorf("%w: a person was asked for", errReading)
	}
	return g.schema.gen.Statement(&r.Intent)
}

// among describes how each candidate stands among all of them.
func among(list []Candidate, refused int) {
	if len(list) == 0 {
		return
	}
	best := list[0].Reading.Rank
	least := list[0].Features["left/all"]
	for _, c := range list {
		best = max(best, c.Reading.Rank)
		least = min(least, c.Features["left/all"])
	}
	close := 0.0
	for _, c := range list {
		if c.Reading.Rank > best-closeRank {
			close++
		}
	}
	for _, c := range list {
		c.Features["among/behind"] = best - c.Reading.Rank
		c.Features["among/all"] = float64(len(list))
		c.Features["among/close"] = close
		c.Features["among/refused"] = float64(refused)
		c.Features["among/left"] = c.Features["left/all"] - least
	}
}

// closeRank is how far apart ranks are that are as good.
const closeRank = 0.03
