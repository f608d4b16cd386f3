package rankmodel_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
)

func TestDefaultBindsToTheFeatures(t *testing.T) {
	t.Parallel()
	m, err := rankmodel.Default()
	require.NoError(t, err)
	_, err = m.Bind(retrieval.FeatureNames())
	require.NoError(t, err)
	require.NotEmpty(t, m.Training.Data, "the record of its training")
	require.NotContains(t, fmt.Sprint(m.Training.Data), "queries", "what is scored is not trained on")
	require.Greater(t, m.Training.After.NDCG5, 0.6)
}

func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	m := &rankmodel.Model{Version: rankmodel.Version, Kind: rankmodel.KindLinear, Weights: []rankmodel.Weight{{"a", 1.5}, {"b", -2}}}
	m.Training.Seed = 7
	var out bytes.Buffer
	require.NoError(t, m.Write(&out))
	back, err := rankmodel.Read(&out)
	require.NoError(t, err)
	require.Equal(t, m, back)

	s, err := back.Bind([]string{"b", "other", "a"})
	require.NoError(t, err)
	require.InDelta(t, 1.5*3-2*1, s.Score([]float64{1, 100, 3}), 1e-12)
	_, err = back.Bind([]string{"a"})
	require.ErrorIs(t, err, rankmodel.ErrModel)
	require.ErrorContains(t, err, `"b"`)
}

func TestUnusableFiles(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"":                               "unexpected end",
		`{"version": 2}`:                 "version is 2",
		`{"version": 1, "kind": "tree"}`: `"tree"`,
		`{"version": 1, "kind": "linear", "weights": []}`:                                                             "0 weights",
		`{"version": 1, "kind": "linear", "weights": [{"feature": "a", "weight": 1}, {"feature": "a", "weight": 2}]}`: "twice",
		strings.Repeat(" ", 1<<20+1): "larger",
	} {
		_, err := rankmodel.Read(strings.NewReader(text))
		require.ErrorIs(t, err, rankmodel.ErrModel, text)
		require.ErrorContains(t, err, says)
	}
}

// labelled makes questions whose right candidates have more of the first feature
// and less of the second; the third is noise.
func labelled(n int) []rankmodel.Question {
	of := rand.New(rand.NewPCG(1, 2))
	questions := make([]rankmodel.Question, n)
	for i := range questions {
		q := &questions[i]
		q.Group, q.Wanted = fmt.Sprint("db", i%7), 1
		best, right := -10.0, 0
		for c := range 8 {
			a, b, noise := of.Float64(), of.Float64(), of.Float64()
			q.Values = append(q.Values, float32(a), float32(b), float32(noise))
			q.Gold = append(q.Gold, false)
			if v := 2*a - b + 0.2*of.Float64(); v > best {
				best, right = v, c
			}
		}
		q.Gold[right] = true
	}
	return questions
}

func TestFit(t *testing.T) {
	t.Parallel()
	questions := labelled(400)
	w, err := rankmodel.Fit(t.Context(), questions, 3, rankmodel.Options{L2: 1e-4})
	require.NoError(t, err)
	require.Positive(t, w[0])
	require.InDelta(t, -0.5, w[1]/w[0], 0.1)
	require.InDelta(t, 0, w[2]/w[0], 0.1)
	figures := rankmodel.Measure(questions, w)
	require.Greater(t, figures.Hit1, 0.85)
	require.Greater(t, figures.NDCG5, 0.9)

	again, err := rankmodel.Fit(t.Context(), questions, 3, rankmodel.Options{L2: 1e-4})
	require.NoError(t, err)
	require.Equal(t, w, again, "the same data make the same model")
}

func TestFitKeepsFixedAndPositiveWeights(t *testing.T) {
	t.Parallel()
	w, err := rankmodel.Fit(t.Context(), labelled(200), 3, rankmodel.Options{Fixed: map[int]float64{2: 0.5}, Positive: []bool{true, true, true}})
	require.NoError(t, err)
	require.Positive(t, w[0])
	require.Zero(t, w[1], "it would be negative")
	require.InDelta(t, 0.5, w[2], 0)
}

func TestFitErrors(t *testing.T) {
	t.Parallel()
	_, err := rankmodel.Fit(t.Context(), []rankmodel.Question{{Values: []float32{1}, Gold: []bool{false}, Wanted: 1}}, 1, rankmodel.Options{})
	require.ErrorContains(t, err, "no question")
	_, err = rankmodel.Fit(t.Context(), []rankmodel.Question{{Values: []float32{1, 2}, Gold: []bool{true}, Wanted: 1}}, 1, rankmodel.Options{})
	require.ErrorContains(t, err, "2 values")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = rankmodel.Fit(ctx, labelled(10), 3, rankmodel.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestCrossValidationNeverPartsAGroup: a feature that names the right table of one
// group only looks good where the group is trained on.
func TestCrossValidationNeverPartsAGroup(t *testing.T) {
	t.Parallel()
	const groups = 6
	var questions []rankmodel.Question
	for g := range groups {
		for range 20 {
			q := rankmodel.Question{Group: fmt.Sprint(g), Wanted: 1, Gold: []bool{false, true}}
			wrong, right := make([]float32, groups), make([]float32, groups)
			right[g] = 1
			q.Values = append(append(q.Values, wrong...), right...)
			questions = append(questions, q)
		}
	}
	w, err := rankmodel.Fit(t.Context(), questions, groups, rankmodel.Options{})
	require.NoError(t, err)
	require.InDelta(t, 1, rankmodel.Measure(questions, w).Hit1, 0)
	folds := 0
	unseen, err := rankmodel.CrossValidate(t.Context(), questions, groups, 3, 1, rankmodel.Options{}, func(int, int) { folds++ })
	require.NoError(t, err)
	require.Equal(t, groups*20, unseen.Questions)
	require.Zero(t, unseen.Hit1)
	require.Positive(t, folds)
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	q := rankmodel.Question{Wanted: 3, Values: []float32{3, 2, 1}, Gold: []bool{false, true, true}} // one is no candidate
	f := rankmodel.Measure([]rankmodel.Question{q}, []float64{1})
	require.Equal(t, rankmodel.Figures{Questions: 1, Hit5: 1, MRR10: 0.5, NDCG5: 0.5307, Recall10: 0.6667}, f)
	f = rankmodel.Measure([]rankmodel.Question{q}, []float64{-1})
	require.InDelta(t, 1, f.Hit1, 0)
	require.Equal(t, 3, rankmodel.Join(f, rankmodel.Figures{Questions: 2}).Questions)
	require.InDelta(t, 0.3333, rankmodel.Join(f, rankmodel.Figures{Questions: 2}).Hit1, 0)
}
