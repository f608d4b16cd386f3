package pipeline

import (
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
	seen := map[string]int{}
	who := len(items) > 0 && items[0].Is("person")
	for d, draft := range drafts[:min(len(drafts), maxDrafts)] {
		for place, r := range bind.Bind(draft, s.layer) {
			if len(list) >= maxCandidates {
				break
			}
			if why := r.Grave(); why != "" {
				refused = append(refused, why)
				continue
			}
			if who && s.layer.NamesNobody(&r.Intent) {
				refused = append(refused, "a person was asked for")
				continue
			}
			stmt, err := s.gen.Statement(&r.Intent)
			if err != nil {
				refused = append(refused, err.Error())
				continue
			}
			text := printer.Print(stmt)
			if at, ok := seen[text]; ok {
				list[at].Features["among/times"]++
				continue
			}
			seen[text] = len(list)
			f := p.facts.Of(items, &r, s.layer)
			f["among/draft"], f["among/place"] = float64(d), float64(place)
			f["draft/behind"] = drafts[0].Score - draft.Score
			f["sql/country"] = s.country(stmt)

			list = append(list, Candidate{Reading: r, Statement: stmt, SQL: text, Features: f})
		}
	}
	among(list, len(refused))
	return list, refused
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
