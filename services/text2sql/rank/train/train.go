// Package train fits a model of readings on labelled questions.
package train

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/rank"
)

// ErrData is the error of examples that nothing can be learned from.
var ErrData = errors.New("nothing to learn from")

// Example is a question with its readings.
type Example struct {
	ID    string
	Group string // database: folds never part one
	// Cut marks a copy whose answer needs a column that was taken away.
	Cut bool
	// Own marks the product's own wordings: learned from, and not measured.
	Own      bool
	Readings []Reading
}

// Reading is a candidate with its label.
type Reading struct {
	SQL      string
	Features rank.Features
	Right    bool
}

// Defaults of Options.
const (
	DefaultFolds = 5
	DefaultAim   = 0.84
)

// Options of training.
type Options struct {
	Examples []Example
	Data     []rank.Data
	Seed     uint64
	Folds    int
	// Aim is the share of answers that are to be right; it sets the threshold.
	Aim    float64
	Fit    rank.Fit
	Before *rank.Model
	Now    time.Time
	// Progress is told how many folds are done; it may be nil.
	Progress func(done, total int)
}

// minUses is in how many readings a feature has to be other than 0.
const minUses = 25

// cutWeight is what a copy counts against a question.
const cutWeight = 0.35

// ownWeight is what one of the product's own wordings counts against a question:
// there are few of them.
const ownWeight = 4

// Fit trains a model and measures it by cross-validation: each database by a model
// that has not seen it. It returns what that model chose, too.
func Fit(ctx context.Context, o Options) (*rank.Model, []Chosen, error) {
	if o.Folds <= 0 {
		o.Folds = DefaultFolds
	}
	if o.Aim <= 0 {
		o.Aim = DefaultAim
	}
	if o.Fit == (rank.Fit{}) {
		o.Fit = rank.DefaultFit()
	}
	names := featureNames(o.Examples)
	if len(names) == 0 {
		return nil, nil, ErrData
	}
	var chosen []Chosen
	for fold := range o.Folds {
		var seen, unseen []Example
		for _, e := range o.Examples {
			if foldOf(e.Group, o.Folds, o.Seed) == fold && !e.Own {
				unseen = append(unseen, e)
			} else {
				seen = append(seen, e)
			}
		}
		if len(seen) == 0 || len(unseen) == 0 {
			continue
		}
		m, err := rank.Grow(ctx, rowsOf(seen, names), o.Fit, o.Seed)
		if err != nil {
			return nil, nil, fmt.Errorf("fold %d of %d: %w", fold+1, o.Folds, err)
		}
		for _, e := range unseen {
			chosen = append(chosen, choose(m, e))
		}
		if o.Progress != nil {
			o.Progress(fold+1, o.Folds+1)
		}
	}
	m, err := rank.Grow(ctx, rowsOf(o.Examples, names), o.Fit, o.Seed)
	if err != nil {
		return nil, nil, err
	}
	m.Points = isotonic(chosen)
	m.Threshold = threshold(m, chosen, o.Aim)
	m.Training = rank.Record{Date: o.Now.UTC().Format(time.DateOnly), Seed: o.Seed, Folds: o.Folds, Data: o.Data, Fit: o.Fit, After: measure(m, chosen)}
	if o.Before != nil {
		var before []Chosen
		for _, e := range o.Examples {
			if !e.Own {
				before = append(before, choose(o.Before, e))
			}
		}
		m.Training.Before = measure(o.Before, before)
	}
	if o.Progress != nil {
		o.Progress(o.Folds+1, o.Folds+1)
	}
	return m, chosen, nil
}

// Chosen is the likeliest reading of an example.
type Chosen struct {
	Example *Example
	Reading *Reading // nil: there is none
	Said    float64
	Within  bool // a reading is right
}

func (c *Chosen) right() bool { return c.Reading != nil && c.Reading.Right }

func choose(m *rank.Model, e Example) Chosen {
	c := Chosen{Example: &e}
	for i := range e.Readings {
		r := &e.Readings[i]
		c.Within = c.Within || r.Right
		if p := m.Probability(r.Features); c.Reading == nil || p > c.Said {
			c.Reading, c.Said = r, p
		}
	}
	return c
}

func featureNames(examples []Example) []string {
	uses := map[string]int{}
	for _, e := range examples {
		for _, r := range e.Readings {
			for name, v := range r.Features {
				if v != 0 {
					uses[name]++
				}
			}
		}
	}
	var names []string
	for name, n := range uses {
		if n >= minUses {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// maxWrong bounds the wrong readings of a question that are learned from.
const maxWrong = 12

// rowsOf lays readings out; a question counts about the same however many it has.
func rowsOf(examples []Example, names []string) rank.Rows {
	rows := rank.Rows{Names: names}
	for _, e := range examples {
		weight := 4 / (3 + float64(min(len(e.Readings), maxWrong)))
		if e.Cut {
			weight *= cutWeight
		}
		if e.Own {
			weight *= ownWeight
		}
		wrong := 0
		for _, r := range e.Readings {
			if !r.Right {
				wrong++
			}
			if !r.Right && wrong > maxWrong {
				continue
			}
			x := make([]float64, len(names))
			for i, name := range names {
				x[i] = r.Features[name]
			}
			rows.Values = append(rows.Values, x)
			rows.Right = append(rows.Right, r.Right)
			rows.Weight = append(rows.Weight, weight)
		}
	}
	return rows
}

func foldOf(group string, folds int, seed uint64) int {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d/%s", seed, group) // a hash takes everything
	return int(h.Sum64() % uint64(folds))       //nolint:gosec // below folds
}

// leastBin is over how many questions a point is the share.
const leastBin = 100

// isotonic returns the rising shares of right answers by what was said
// (pool-adjacent-violators over bins of equal size). Readings that are ruled out
// whatever the trees say do not count.
func isotonic(chosen []Chosen) []rank.Point {
	list := slices.DeleteFunc(slices.Clone(chosen), func(c Chosen) bool { return c.Reading == nil || c.Example.Cut || c.Said == 0 })
	slices.SortStableFunc(list, func(a, b Chosen) int {
		switch {
		case a.Said < b.Said:
			return -1
		case a.Said > b.Said:
			return 1
		}
		return 0
	})
	type pool struct{ said, right, n float64 }
	var pools []pool
	for at := 0; at < len(list); at += leastBin {
		var p pool
		for _, c := range list[at:min(at+leastBin, len(list))] {
			p.said += c.Said
			p.n++
			if c.right() {
				p.right++
			}
		}
		pools = append(pools, p)
		for k := len(pools); k > 1 && pools[k-1].right*pools[k-2].n <= pools[k-2].right*pools[k-1].n; k = len(pools) {
			a, b := pools[k-2], pools[k-1]
			pools = append(pools[:k-2], pool{a.said + b.said, a.right + b.right, a.n + b.n})
		}
	}
	var points []rank.Point
	for _, p := range pools {
		pt := rank.Point{Said: round(p.said / p.n), Right: round(p.right / p.n)}
		if n := len(points); n > 0 && pt.Said <= points[n-1].Said {
			continue
		}
		points = append(points, pt)
	}
	return points
}

func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// threshold is the lowest confidence at which the aimed-for share of the answers
// is right.
func threshold(m *rank.Model, chosen []Chosen, aim float64) float64 {
	best := 1.0
	for t := 0.99; t > 0; t -= 0.01 {
		c := count(m, chosen, t)
		if c.answered > 0 && c.right/c.answered >= aim {
			best = t
		}
	}
	return math.Round(best*100) / 100
}

type counts struct{ questions, within, first, answered, right, cut, refused float64 }

func count(m *rank.Model, chosen []Chosen, threshold float64) counts {
	var n counts
	for _, c := range chosen {
		answered := c.Reading != nil && m.Confidence(c.Said) >= threshold
		if c.Example.Cut {
			if !c.Within {
				n.cut++
				if !answered {
					n.refused++
				}
			}
			continue
		}
		n.questions++
		if c.Within {
			n.within++
		}
		if c.right() {
			n.first++
		}
		if answered {
			n.answered++
			if c.right() {
				n.right++
			}
		}
	}
	return n
}

func measure(m *rank.Model, chosen []Chosen) rank.Figures {
	n := count(m, chosen, m.Threshold)
	return rank.Figures{
		Questions: int(n.questions), Within: part(n.within, n.questions), First: part(n.first, n.questions),
		Right: part(n.right, n.questions), Precision: part(n.right, n.answered), Refused: part(n.refused, n.cut),
	}
}

// part is a share; 0 of nothing.
func part(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return round(a / b)
}
