package llm

import "github.com/dibrain/dibrain/services/text2sql/team"

// How sure an answer by a model is. These are estimates, not fitted: which model
// answers is not known. Rules' answers keep the confidence that was fitted.
const (
	confidenceWritten = 0.75 // valid, one candidate
	confidenceAgreed  = 0.85 // two of its candidates have one result
	confidenceBoth    = 0.95 // the rules read the question the same way
	ranBonus          = 0.05 // it ran

	apartFactor   = 0.85 // another candidate has another result
	emptyFactor   = 0.85
	unknownFactor = 0.7 // compared with a value that no row has
	fanOutFactor  = 0.7 // a join repeats what it adds up
	joinFactor    = 0.5 // rows stand beside each other that do not belong together
	nullFactor    = 0.6
	zeroFactor    = 0.85
	tiesFactor    = 0.9
	textFactor    = 0.6 // numbers or dates ordered as text, or lost in a cast
)

// confidence of the best candidate after its evaluation.
func confidence(b *team.Board, v *team.Verdict) float64 {
	best := &b.Draft.Candidates[v.Best]
	c := best.Confidence
	if best.By == team.ByModel && v.Agreed > 1 {
		c = max(c, confidenceAgreed)
	}
	if best.By == team.ByModel && agreesWithRules(b, v) {
		c = confidenceBoth
	}
	if best.By == team.ByModel && best.Result != nil && c < confidenceBoth {
		c += ranBonus
	}
	if best.Result != nil && len(v.Apart) > 0 { // that texts differ, where nothing was run, says nothing of results
		c *= apartFactor
	}
	for _, d := range best.Doubts {
		switch d.Class {
		case team.ClassEmpty:
			c *= emptyFactor
		case team.ClassValueUnknown:
			c *= unknownFactor
		case team.ClassFanOut:
			c *= fanOutFactor
		case team.ClassUnjoined, team.ClassApart:
			c *= joinFactor
		case team.ClassAllNull:
			c *= nullFactor
		case team.ClassZero:
			c *= zeroFactor
		case team.ClassTies:
			c *= tiesFactor
		case team.ClassTextOrder, team.ClassCastLoss:
			c *= textFactor
		}
	}
	return c
}

// agreesWithRules reports that a candidate of the rules has the best one's result.
func agreesWithRules(b *team.Board, v *team.Verdict) bool {
	best := &b.Draft.Candidates[v.Best]
	for i := range b.Draft.Candidates {
		if c := &b.Draft.Candidates[i]; i != v.Best && c.By == team.ByRules && c.Problem == nil && team.Same(best, c) {
			return true
		}
	}
	return false
}
