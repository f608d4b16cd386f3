package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/chinese"
	"github.com/dibrain/dibrain/services/text2sql/rank"
)

// Set is a set of questions in Chinese.
type Set struct {
	Name     string
	Fresh    bool // nobody has read its failures
	Examples []Example
}

// ChineseOptions of fitting how sure readings of Chinese questions are.
type ChineseOptions struct {
	// English are questions that the models of readings are fitted on which have not
	// seen a database; Sets are read by these.
	English []Example
	Sets    []Set
	// Names of the features that get a weight.
	Names []string
	// Model gives calibration and threshold of what those models say.
	Model *rank.Model
	Folds int
	Seed  uint64
	Fit   rank.Fit
	// Aim is the share of answers that are to be right.
	Aim      float64
	Now      time.Time
	Progress func(done, total int) // may be nil
}

// DefaultChineseAim is the share of answers to Chinese questions that are to be right.
const DefaultChineseAim = 0.82

// chineseRidge holds weights small: there are few questions.
const chineseRidge = 2

// FitChinese fits the confidence in readings of Chinese questions. Each question is
// read by a model of readings that has not seen its database; the figures are those
// of weights that have not seen it, either.
func FitChinese(ctx context.Context, o ChineseOptions) (*chinese.Confidence, error) {
	asked, err := o.read(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(asked, func(q read) bool { return q.right }) {
		return nil, ErrData
	}
	for fold := range o.Folds {
		var seen []read
		for _, q := range asked {
			if q.fold != fold {
				seen = append(seen, q)
			}
		}
		c := o.weights(seen)
		for i := range asked {
			if q := &asked[i]; q.fold == fold {
				q.sure = c.Share(q.english, q.features)
			}
		}
	}
	c := o.weights(asked)
	shift := o.shift(asked)
	c.Level += shift
	o.record(c, asked, shift)
	return c, nil
}

// read is the likeliest reading of a question.
type read struct {
	db       string
	fold     int
	fresh    bool
	right    bool
	features rank.Features
	english  float64 // confidence in such a reading of an English question
	sure     float64 // share that is right by weights that have not seen its database
}

// read reads all sets, each question by a model that has not seen its database.
func (o *ChineseOptions) read(ctx context.Context) ([]read, error) {
	names := featureNames(o.English)
	if len(names) == 0 {
		return nil, ErrData
	}
	var out []read
	for fold := range o.Folds {
		seen := slices.DeleteFunc(slices.Clone(o.English), func(e Example) bool { return !e.Own && foldOf(e.Group, o.Folds, o.Seed) == fold })
		if len(seen) == 0 {
			return nil, ErrData
		}
		m, err := rank.Grow(ctx, rowsOf(seen, names), o.Fit, o.Seed)
		if err != nil {
			return nil, fmt.Errorf("fold %d of %d: %w", fold+1, o.Folds, err)
		}
		for _, set := range o.Sets {
			for _, e := range set.Examples {
				if foldOf(e.Group, o.Folds, o.Seed) != fold {
					continue
				}
				q := read{db: e.Group, fold: fold, fresh: set.Fresh}
				if c := choose(m, e); c.Reading != nil && c.Said > 0 {
					q.right, q.features, q.english = c.right(), c.Reading.Features, o.Model.Confidence(c.Said)
				}
				out = append(out, q)
			}
		}
		if o.Progress != nil {
			o.Progress(fold+1, o.Folds)
		}
	}
	return out, nil
}

// weights fits them on questions that have a reading. That a set was worked on is the
// last feature, whose weight is left out.
func (o *ChineseOptions) weights(asked []read) *chinese.Confidence {
	c := &chinese.Confidence{Weights: map[string]float64{}}
	var x [][]float64
	var y []bool
	for _, q := range asked {
		if q.features == nil {
			continue
		}
		row := []float64{chinese.LogOdds(q.english)}
		for _, name := range o.Names {
			row = append(row, chinese.Count(q.features[name]))
		}
		worked := 1.0
		if q.fresh {
			worked = 0
		}
		x, y = append(x, append(row, worked)), append(y, q.right)
	}
	if len(x) == 0 {
		return c
	}
	w := logistic(x, y, chineseRidge)
	c.Level, c.Odds = round(w[0]), max(0, round(w[1]))
	for i, name := range o.Names {
		c.Weights[name] = round(w[i+2])
	}
	return c
}

// shift is what the log odds need so that the answers at the model's threshold are
// right as often as aimed for: by what the weights say, which varies less than what
// so few questions show.
func (o *ChineseOptions) shift(asked []read) float64 {
	sure := make([]float64, 0, len(asked))
	for _, q := range asked {
		if q.features != nil {
			sure = append(sure, q.sure)
		}
	}
	slices.SortFunc(sure, func(a, b float64) int { return cmp.Compare(b, a) })
	lowest, sum := 1.0, 0.0
	for i, p := range sure {
		sum += p
		if i+1 < len(sure) && sure[i+1] == p { // those that are as sure are answered together
			continue
		}
		if sum/float64(i+1) < o.Aim {
			break
		}
		lowest = p
	}
	return round(chinese.LogOdds(o.Model.Threshold) - chinese.LogOdds(lowest))
}

// record writes down what the weights are worth.
func (o *ChineseOptions) record(c *chinese.Confidence, asked []read, shift float64) {
	r := chinese.Record{Date: o.Now.UTC().Format(time.DateOnly), Questions: len(asked), Aim: o.Aim}
	for _, set := range o.Sets {
		if set.Fresh {
			r.Fresh = append(r.Fresh, set.Name)
		} else {
			r.Sets = append(r.Sets, set.Name)
		}
	}
	databases := map[string]bool{}
	var all, fresh counts
	for _, q := range asked {
		databases[q.db] = true
		z := chinese.LogOdds(q.sure) + shift
		answered := q.features != nil && q.english >= o.Model.Threshold && 1/(1+math.Exp(-z)) >= o.Model.Threshold
		all.add(answered, q.right)
		if q.fresh {
			fresh.add(answered, q.right)
		}
	}
	r.Databases = len(databases)
	r.Right, r.Precision = part(all.right, all.questions), part(all.right, all.answered)
	r.FreshRight, r.FreshPrecision = part(fresh.right, fresh.questions), part(fresh.right, fresh.answered)
	c.Training = r
}

// add counts a question.
func (n *counts) add(answered, right bool) {
	n.questions++
	if answered {
		n.answered++
		if right {
			n.right++
		}
	}
}
