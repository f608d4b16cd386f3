package eval

import (
	"slices"
	"time"
)

// maxExtraColumns is how many columns an answer may have beside those asked for:
// keys, labels, and the values that a comparison or a rate is made of.
const maxExtraColumns = 4

// answers reports whether a result tells what the gold result does: some of its
// columns, row by row, are the gold's.
func answers(got, want Table, ordered bool) bool {
	if got.Columns > want.Columns+maxExtraColumns {
		return false
	}
	return HoldsResult(withDays(got), withDays(want), Comparison{Ordered: ordered, ExactIntegers: true})
}

// withDays writes a month that came as text, such as "2026-05", as its first day,
// which is how date_trunc writes it.
func withDays(t Table) Table {
	rows := make([][]any, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = slices.Clone(row)
		for j, v := range row {
			text, isText := v.(string)
			if !isText {
				continue
			}
			if month, err := time.Parse("2006-01", text); err == nil {
				rows[i][j] = month
			}
		}
	}
	return Table{Columns: t.Columns, Rows: rows}
}

// Metrics implements Run: figures of all questions, of each language and of each
// kind. accuracy is of all questions, where to decline is right exactly where the
// answer is not there; precision is of those that were answered; coverage is the
// share of the answerable that were answered.
func (r *demoRun) Metrics(items []Item) (map[string]float64, []string) {
	scores := map[string]*demoScore{}
	for i, it := range items {
		q := r.questions[i]
		for _, group := range []string{"", ".lang." + q.Language, ".kind." + q.Kind} {
			if scores[group] == nil {
				scores[group] = &demoScore{}
			}
			scores[group].add(it, q.answerable())
		}
	}
	metrics := map[string]float64{}
	for group, s := range scores {
		metrics["n"+group] = float64(s.n)
		metrics["accuracy"+group] = share(s.right, s.n)
		if s.answered > 0 {
			metrics["precision"+group] = share(s.rightAnswers, s.answered)
		}
		if s.answerable > 0 {
			metrics["coverage"+group] = share(s.covered, s.answerable)
		}
		if declinable := s.n - s.answerable; declinable > 0 {
			metrics["decline_recall"+group] = share(s.declined, declinable)
		}
	}
	return metrics, nil
}

// demoScore counts questions.
type demoScore struct {
	n, right     int
	answered     int // with SQL
	rightAnswers int
	answerable   int
	covered      int // answerable and answered
	declined     int // neither
}

func (s *demoScore) add(it Item, answerable bool) {
	right, answered := it.Score == 1, is(it, detailAnswered)
	s.n++
	s.right += count(right)
	s.answered += count(answered)
	s.rightAnswers += count(right && answered)
	s.answerable += count(answerable)
	s.covered += count(answerable && answered)
	s.declined += count(right && !answerable)
}
