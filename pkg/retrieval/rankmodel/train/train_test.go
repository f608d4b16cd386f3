package train_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/backend"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel/train"
)

// nouns name tables; each schema has four of them.
var nouns = []string{
	"customer", "invoice", "supplier", "warehouse", "teacher", "student", "course", "exam", "flight", "airport", "pilot", "ticket",
	"singer", "album", "concert", "stadium", "patient", "doctor", "clinic", "treatment",
}

// files writes a corpus of five schemas and questions about each of its tables.
func files(t *testing.T) (corpus, questions string) {
	t.Helper()
	var tables, asked strings.Builder
	for i, noun := range nouns {
		schema := fmt.Sprint("db", i/4)
		_, _ = fmt.Fprintf(&tables, `{"id": "%[1]s.%[2]s", "db": "%[1]s", "table": "%[2]s", "description": "a %[2]s a row", "columns": [["%[2]s_id", "bigint", ""], ["%[2]s_name", "varchar", ""], ["city", "varchar", ""]]}`+"\n", schema, noun)
		_, _ = fmt.Fprintf(&tables, `{"id": "%[1]s.%[2]s_history", "db": "%[1]s", "table": "%[2]s_history", "columns": [["%[2]s_id", "bigint", ""], ["note", "varchar", ""]]}`+"\n", schema, noun)
		_, _ = fmt.Fprintf(&asked, `{"question": "how many %[2]ss are there in each city", "gold_tables": ["%[1]s.%[2]s"]}`+"\n", schema, noun)
		_, _ = fmt.Fprintf(&asked, `{"question": "what is the name of the %[2]s", "gold_tables": ["%[1]s.%[2]s", "NOWHERE.x"]}`+"\n", schema, noun)
	}
	dir := filepath.Join(t.TempDir(), "small")
	require.NoError(t, os.Mkdir(dir, 0o700))
	corpus, questions = filepath.Join(dir, "corpus.jsonl"), filepath.Join(dir, "train.jsonl")
	require.NoError(t, os.WriteFile(corpus, []byte(tables.String()), 0o600))
	require.NoError(t, os.WriteFile(questions, []byte(asked.String()), 0o600))
	return corpus, questions
}

func TestReadSet(t *testing.T) {
	t.Parallel()
	corpus, questions := files(t)
	s, err := train.ReadSet(t.Context(), corpus, questions)
	require.NoError(t, err)
	require.Equal(t, "small/train.jsonl", s.Name)
	require.Len(t, s.SHA256, 64)
	require.Len(t, s.Tables, 40)
	require.Len(t, s.Questions, 20, "those whose tables are not there are left out")
	require.Equal(t, train.Labelled{Text: "how many invoices are there in each city", Group: "db0", Gold: []int{2}}, s.Questions[1])
	require.False(t, s.HasTwins())

	require.NoError(t, os.WriteFile(questions, []byte("[]\n"), 0o600))
	_, err = train.ReadSet(t.Context(), corpus, questions)
	require.ErrorIs(t, err, train.ErrData)
	require.ErrorContains(t, err, "line 1")
	_, err = train.ReadSet(t.Context(), corpus, questions+".none")
	require.ErrorIs(t, err, train.ErrData)
}

func TestFit(t *testing.T) {
	t.Parallel()
	s, err := train.ReadSet(t.Context(), first(files(t)), second(files(t)))
	require.NoError(t, err)
	var told []string
	o := train.Options{
		Text: []*train.Set{s}, Seed: 3, Folds: 2, Now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		Progress: func(what string, done, total int) {
			if done == total {
				told = append(told, what)
			}
		},
	}
	m, err := train.Fit(t.Context(), o)
	require.NoError(t, err)
	require.Contains(t, told, "read small/train.jsonl, merged-cryptic")
	require.Contains(t, told, "cross-validate")
	require.Equal(t, "2026-11-21", m.Training.Date)
	require.Len(t, m.Training.Data, 10)
	require.Equal(t, rankmodel.Data{Name: "small/train.jsonl", SHA256: s.SHA256, Tables: 40, Questions: 20}, m.Training.Data[0])
	require.Equal(t, 200, m.Training.After.Questions)
	require.Greater(t, m.Training.After.Recall10, 0.7)
	for _, w := range m.Weights {
		require.NotContains(t, []string{"text", "evidence"}, w.Feature, "they have no scale")
		if !strings.HasPrefix(w.Feature, "facet.") && w.Feature != "nlen" && w.Feature != "ncol" && w.Feature != "schsize" {
			require.Positive(t, w.Weight, w.Feature)
		}
	}
	_, err = m.Bind(retrieval.FeatureNames())
	require.NoError(t, err)

	again, err := train.Fit(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, m, again, "the same data and seed make the same model")
}

// TestVectors: what vectors count is fitted with all other weights standing, a fit
// without an embedder leaves it, and a model that lost it gets it back.
func TestVectors(t *testing.T) {
	t.Parallel()
	s, err := train.ReadSet(t.Context(), first(files(t)), second(files(t)))
	require.NoError(t, err)
	weights := func(m *rankmodel.Model) (vectors, others map[string]float64) {
		vectors, others = make(map[string]float64), make(map[string]float64)
		for _, w := range m.Weights {
			if strings.HasPrefix(w.Feature, "vector") {
				vectors[w.Feature] = w.Weight
			} else {
				others[w.Feature] = w.Weight
			}
		}
		return vectors, others
	}
	standard, err := rankmodel.Default()
	require.NoError(t, err)
	standing, words := weights(standard)
	require.NotEmpty(t, standing, "the embedded model weighs vectors")

	b, err := backend.Open(t.Context(), backend.Config{Embedder: backend.OfCorpus}, backend.Deps{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	fitted, err := train.Fit(t.Context(), train.Options{Text: []*train.Set{s}, Vectors: b, VectorsAlone: true, Folds: 2, Now: time.Now()})
	require.NoError(t, err)
	vectors, others := weights(fitted)
	require.NotEmpty(t, vectors)
	require.NotEqual(t, standing, vectors)
	require.Equal(t, words, others)
	data := fitted.Training.Data
	require.True(t, data[len(data)-1].Vectors)
	require.False(t, data[0].Vectors, "words were fitted on what they were fitted on")

	lost := &rankmodel.Model{Version: rankmodel.Version, Kind: rankmodel.KindLinear, Weights: []rankmodel.Weight{{Feature: "bm25", Weight: 2}}}
	again, err := train.Fit(t.Context(), train.Options{Text: []*train.Set{s}, Before: lost, Folds: 2, Now: time.Now()})
	require.NoError(t, err)
	kept, _ := weights(again)
	require.Equal(t, standing, kept)

	_, err = train.Fit(t.Context(), train.Options{Text: []*train.Set{s}, VectorsAlone: true, Now: time.Now()})
	require.ErrorIs(t, err, train.ErrData)
}

func first(a, _ string) string  { return a }
func second(_, b string) string { return b }

// TestJudged: people who take the table that has the words in its columns, and
// not the one that has them in its name, move the weights that way.
func TestJudged(t *testing.T) {
	t.Parallel()
	var answers []train.Judged
	for i := range 200 {
		answers = append(answers, train.Judged{
			Question: fmt.Sprint("q", i), Names: []string{"gone", "name_share", "colfit_nonkey"},
			Rows: []train.JudgedRow{{Features: []float32{9, 1, 0}}, {Features: []float32{0, 0, 1}, Right: true}},
		})
	}
	before := &rankmodel.Model{Version: rankmodel.Version, Kind: rankmodel.KindLinear, Weights: []rankmodel.Weight{{Feature: "bm25", Weight: 2}, {Feature: "name_share", Weight: 1}, {Feature: "colfit_nonkey", Weight: 0.5}}}
	m, err := train.Fit(t.Context(), train.Options{Judged: answers, Before: before, Now: time.Now()})
	require.NoError(t, err)
	weights := make(map[string]float64)
	for _, w := range m.Weights {
		weights[w.Feature] = w.Weight
	}
	require.InDelta(t, 2, weights["bm25"], 1e-6, "what nobody judged stays")
	require.Greater(t, weights["colfit_nonkey"], weights["name_share"])
	require.Zero(t, m.Training.Before.Hit1)
	require.InDelta(t, 1, m.Training.After.Hit1, 0)

	_, err = train.Fit(t.Context(), train.Options{Judged: answers[:5], Now: time.Now()})
	require.ErrorIs(t, err, train.ErrData)
	require.ErrorContains(t, err, "5 answers")
	_, err = train.Fit(t.Context(), train.Options{Now: time.Now()})
	require.ErrorIs(t, err, train.ErrData)
}
