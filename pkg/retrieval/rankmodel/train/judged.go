package train

import (
	"fmt"
	"slices"

	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
)

// Judged is what a person was shown for a question, and what became of it.
type Judged struct {
	Question string
	// Names are those of the features, by their number, as they were then.
	Names []string
	Rows  []JudgedRow
}

// JudgedRow is a table that was shown.
type JudgedRow struct {
	Features []float32
	Right    bool // opened, used or called right
}

// minJudged is how many answers with something right it takes to learn from them.
const minJudged = 30

// fromJudged turns answers into questions over the features of today. Answers of
// which nothing, or everything, was right tell nothing of the order.
func fromJudged(answers []Judged, names []string) ([]rankmodel.Question, error) {
	var questions []rankmodel.Question
	for _, a := range answers {
		at := make([]int, len(a.Names)) // by number then: the number now
		for i, name := range a.Names {
			at[i] = slices.Index(names, name)
		}
		q := rankmodel.Question{Group: a.Question, Values: make([]float32, len(a.Rows)*len(names))}
		for r, row := range a.Rows {
			for i, v := range row.Features[:min(len(row.Features), len(at))] {
				if at[i] >= 0 {
					q.Values[r*len(names)+at[i]] = v
				}
			}
			q.Gold = append(q.Gold, row.Right)
			if row.Right {
				q.Wanted++
			}
		}
		if q.Wanted > 0 && q.Wanted < len(a.Rows) {
			questions = append(questions, q)
		}
	}
	if len(questions) < minJudged {
		return nil, fmt.Errorf("%w: people judged %d answers so that they tell of the order; it takes %d", ErrData, len(questions), minJudged)
	}
	return questions, nil
}
