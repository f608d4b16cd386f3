package train_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/rank"
	"github.com/dibrain/dibrain/services/text2sql/rank/train"
)

// examples have a right reading that fits better, but for every fourth question,
// whose readings all fit badly and are wrong.
func examples(groups, each int) []train.Example {
	of := rand.New(rand.NewPCG(3, 4))
	var out []train.Example
	for g := range groups {
		for q := range each {
			e := train.Example{ID: fmt.Sprint(g, "/", q), Group: fmt.Sprint("db", g), Cut: q%8 == 7}
			for r := range 4 {
				right := r == q%4 && q%4 != 3
				fit := 0.3*of.Float64() + 0.1
				if right {
					fit += 0.5
				}
				e.Readings = append(e.Readings, train.Reading{SQL: fmt.Sprint(r), Right: right, Features: rank.Features{"fit": fit, "noise": of.Float64()}})
			}
			out = append(out, e)
		}
	}
	return out
}

func fit() rank.Fit {
	f := rank.DefaultFit()
	f.Trees = 40
	return f
}

func TestFit(t *testing.T) {
	t.Parallel()
	folds := 0
	o := train.Options{Examples: examples(10, 80), Seed: 1, Aim: 0.97, Fit: fit(), Now: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), Progress: func(int, int) { folds++ }}
	m, chosen, err := train.Fit(t.Context(), o)
	require.NoError(t, err)
	require.Len(t, chosen, len(o.Examples), "every question by a model that had not seen its database")
	require.Positive(t, folds)
	r := m.Training
	require.Equal(t, "2026-01-02", r.Date)
	require.Equal(t, 700, r.After.Questions, "copies are counted apart")
	require.InDelta(t, 600.0/700, r.After.Within, 1e-3)
	require.InDelta(t, r.After.Within, r.After.First, 0.02, "the right one is chosen")
	require.GreaterOrEqual(t, r.After.Precision, 0.97)
	require.Greater(t, r.After.Refused, 0.9)
	require.Equal(t, []string{"fit", "noise"}, m.Features)

	again, _, err := train.Fit(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, m, again, "the same examples make the same model")
}

// A feature that tells the right reading in one database only must not help there.
func TestFoldsNeverPartADatabase(t *testing.T) {
	t.Parallel()
	list := examples(6, 60)
	for i := range list {
		for k := range list[i].Readings {
			r := &list[i].Readings[k]
			r.Features = rank.Features{"one": 1}
			if r.Right {
				r.Features["of "+list[i].Group] = 1
			}
		}
	}
	m, _, err := train.Fit(t.Context(), train.Options{Examples: list, Seed: 1, Fit: fit()})
	require.NoError(t, err)
	require.Less(t, m.Training.After.First, 0.4, "by chance")
}

func TestNothingToLearnFrom(t *testing.T) {
	t.Parallel()
	_, _, err := train.Fit(t.Context(), train.Options{})
	require.ErrorIs(t, err, train.ErrData)
}
