package pipeline

import (
	"errors"
	"maps"
	"math"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/chinese"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/rank"
)

// Bounds of the search for a reading.
const (
	maxDrafts     = 4
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

// Candidates returns the readings of a question's likeliest draft over the layer
// derived from the tables, those that mean the same once, in the order in which they
// were found. Other drafts are read to be compared with: to answer with theirs found
// more right answers, and as many more wrong ones.
// Refused says why readings could not be written.
func (p *Pipeline) Candidates(in Input) (list []Candidate, refused []string) {
	question, round := asides(in.Question)
	items := p.items(question, in.Schema, in.Now)
	return p.candidates(items, p.grammar.Read(items, p.lex), in, round)
}

func (p *Pipeline) candidates(items []*link.Item, drafts []*parse.Draft, in Input, round string) (list []Candidate, refused []string) {
	g := gatherer{pipeline: p, items: items, schema: in.Schema, round: round, seen: map[string]int{}, who: len(items) > 0 && items[0].Is("person")}
	if lang.Detect(in.Question) == lang.Chinese {
		g.said = chinese.Facts(in.Question, items)
	}
	drafts = drafts[:min(len(drafts), maxDrafts)]
	shares := draftShares(drafts)
	first := 0
	for d, draft := range drafts {
		most := maxCandidates
		if d > 0 {
			most = min(most, len(g.list)+maxPerDraft)
		}
		g.share = shares[d]
		g.gather(draft, most)
		if d == 0 {
			first = len(g.list)
		}
		if first == 0 {
			break
		}
	}
	among(g.list, g.drafts, len(g.refused))
	return g.list[:first], g.refused
}

// draftShares are the probabilities of drafts by the grammar, together 1.
func draftShares(drafts []*parse.Draft) []float64 {
	out, sum := make([]float64, len(drafts)), 0.0
	for i, d := range drafts {
		out[i] = math.Exp(d.Score - drafts[0].Score)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// gatherer collects the readings of drafts.
type gatherer struct {
	pipeline *Pipeline
	items    []*link.Item
	schema   *Schema
	who      bool               // a person is asked for
	round    string             // digits after the point; empty: all
	said     map[string]float64 // how a Chinese question was put into English order
	share    float64            // of the draft that is read
	drafts   float64            // share of those that can be written
	list     []Candidate
	refused  []string
	seen     map[string]int // SQL -> place in list
}

// gather adds the readings of a draft until the list has most.
func (g *gatherer) gather(draft *parse.Draft, most int) {
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
		if len(met) == 0 {
			g.drafts += g.share
		}
		if at, ok := g.seen[text]; ok {
			if !met[text] {
				g.list[at].Features["among/drafts"] += g.share
			}
			met[text] = true
			continue
		}
		met[text] = true
		g.seen[text] = len(g.list)
		f := g.pipeline.facts.Of(g.items, &r, g.schema.layer)
		f["among/place"], f["among/drafts"] = float64(place), g.share
		maps.Copy(f, g.said)
		f["sql/country"] = g.schema.country(stmt)
		g.list = append(g.list, Candidate{Reading: r, Statement: stmt, SQL: text, Features: f})
	}
}

// errNobody is the error of readings that show no person where one is asked for.
var errNobody = errors.New("a person was asked for")

// write is the SQL of a reading. One that shows an amount where a person is asked for
// is made to show whose it is.
func (g *gatherer) write(r *bind.Reading) (*tree.Statement, error) {
	if why := r.Grave(); why != "" {
		return nil, errors.New(why)
	}
	if g.who && g.schema.layer.NamesNobody(&r.Intent) {
		named, ok := g.schema.layer.Persons(&r.Intent)
		if !ok {
			return nil, errNobody
		}
		r.Intent = *named
	}
	r.Intent = *rounded(&r.Intent, g.round)
	return g.schema.gen.Statement(&r.Intent)
}

// among describes how each candidate stands among all of them: counts as shares, so
// that short questions, which have few readings, look like long ones. drafts is the
// share of the drafts that candidates were written of.
func among(list []Candidate, drafts float64, refused int) {
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
		c.Features["among/close"] = close / float64(len(list))
		c.Features["among/refused"] = float64(refused) / float64(len(list)+refused)
		c.Features["among/drafts"] /= drafts
		c.Features["among/left"] = c.Features["left/all"] - least
	}
}

// closeRank is how far apart ranks are that are as good.
const closeRank = 0.03
