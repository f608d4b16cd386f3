package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
	"github.com/dibrain/dibrain/pkg/shorttest"
)

func TestFindataTrain(t *testing.T) {
	shorttest.Rules(t, "a training, which is one thing after another")
	t.Parallel()
	dir := t.TempDir()
	var tables, questions strings.Builder
	for i, noun := range []string{"customer", "invoice", "teacher", "student", "flight", "airport"} {
		id := fmt.Sprintf("db%d.%s", i/2, noun)
		_, _ = fmt.Fprintf(&tables, `{"id": %q, "db": "db%d", "table": %q, "columns": [["%s_name", "varchar", ""]]}`+"\n", id, i/2, noun, noun)
		_, _ = fmt.Fprintf(&questions, `{"question": "how many %ss are there", "gold_tables": [%q]}`+"\n", noun, id)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "corpus.jsonl"), []byte(tables.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "train.jsonl"), []byte(questions.String()), 0o600))

	out := filepath.Join(dir, "model.json")
	r := execute(t, nil, "findata", "train", "--data", dir, "--out", out, "--folds", "2")
	require.Equal(t, exitOK, r.code, r.err)
	require.Contains(t, r.out, "unseen databases, 2 folds")
	file, err := os.Open(out)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	m, err := rankmodel.Read(file)
	require.NoError(t, err)
	require.Equal(t, "2026-01-01", m.Training.Date)

	r = execute(t, nil, "findata", "train", "--data", dir, "--from", out, "--json")
	require.Equal(t, exitOK, r.code, r.err)
	require.True(t, json.Valid([]byte(r.out)))
}

func TestFindataTrainSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for says, args := range map[string][]string{
		"nothing to learn from": {},
		"--out is missing":      {"--data", "x"},
		"--folds is 1":          {"--data", "x", "--json", "--folds", "1"},
		"corpus.jsonl.gz":       {"--data", "nowhere", "--json"},
		"nobody judged":         {"--feedback", "demo", "--json"},
	} {
		r := execute(t, nil, append([]string{"findata", "train"}, args...)...)
		require.Equal(t, exitInput, r.code, r.err)
		require.Contains(t, r.err, says)
	}
}

// With --vectors what vectors count is fitted with the configured embedder, and
// nothing else.
func TestFindataTrainVectors(t *testing.T) {
	shorttest.Rules(t, "a training, which is one thing after another")
	t.Parallel()
	dir := t.TempDir()
	var tables, questions strings.Builder
	for i, noun := range []string{"customer", "invoice", "contract", "warehouse"} {
		id := fmt.Sprintf("db%d.%s", i/2, noun)
		_, _ = fmt.Fprintf(&tables, `{"id": %q, "db": "db%d", "table": %q, "columns": [["%s_name", "varchar", ""]]}`+"\n", id, i/2, noun, noun)
		_, _ = fmt.Fprintf(&questions, `{"question": "how many %ss are there", "gold_tables": [%q]}`+"\n", noun, id)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "corpus.jsonl"), []byte(tables.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "train.jsonl"), []byte(questions.String()), 0o600))
	config := filepath.Join(dir, "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("findata: {search: {embedder: corpus}}\n"), 0o600))

	r := execute(t, nil, "findata", "train", "--data", dir, "--vectors", "--json")
	require.Equal(t, exitInput, r.code)
	require.Contains(t, r.err, "findata.search.embedder")
	r = execute(t, nil, "findata", "train", "--data", dir, "--vectors", "--json", "--folds", "2", "--config", config)
	require.Equal(t, exitOK, r.code, r.err)
	m, err := rankmodel.Read(strings.NewReader(r.out))
	require.NoError(t, err)
	standard, err := rankmodel.Default()
	require.NoError(t, err)
	words := func(m *rankmodel.Model) (list []rankmodel.Weight) {
		for _, w := range m.Weights {
			if !strings.HasPrefix(w.Feature, "vector") {
				list = append(list, w)
			}
		}
		return list
	}
	require.Equal(t, words(standard), words(m))
}

// With --history what the query history counts is fitted, and nothing else.
func TestFindataTrainHistory(t *testing.T) {
	shorttest.Rules(t, "a training, which is one thing after another")
	t.Parallel()
	dir := t.TempDir()
	var tables, questions, ran strings.Builder
	for i, noun := range []string{"customer", "invoice", "contract", "warehouse", "flight", "teacher", "clinic", "album"} {
		id := fmt.Sprintf("db%d.%s", i, noun)
		_, _ = fmt.Fprintf(&tables, `{"id": %q, "db": "db%d", "table": %q, "columns": [["%s_name", "varchar", ""], ["city", "varchar", ""]]}`+"\n", id, i, noun, noun)
		_, _ = fmt.Fprintf(&questions, `{"question": "how many %ss are there", "gold_tables": [%q]}`+"\n", noun, id)
		_, _ = fmt.Fprintf(&ran, `{"metadata": {"queryId": "q%d", "query": "SELECT %s_name FROM %s WHERE city = 'Rome'", "queryState": "FINISHED"}, "context": {"user": "ann", "catalog": "corpus", "schema": "db%d"}, "createTime": "2025-12-20T08:00:00Z", "endTime": "2025-12-20T08:00:01Z"}`+"\n", i, noun, noun, i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "corpus.jsonl"), []byte(tables.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "train.jsonl"), []byte(questions.String()), 0o600))
	events := filepath.Join(dir, "events.jsonl")
	require.NoError(t, os.WriteFile(events, []byte(ran.String()), 0o600))
	r := execute(t, nil, "findata", "train", "--data", dir, "--history", events, "--folds", "2", "--json")
	require.Equal(t, exitOK, r.code, r.err)
	m, err := rankmodel.Read(strings.NewReader(r.out))
	require.NoError(t, err)
	standard, err := rankmodel.Default()
	require.NoError(t, err)
	others := func(m *rankmodel.Model) (w []rankmodel.Weight) {
		for _, one := range m.Weights {
			if !strings.HasPrefix(one.Feature, "history") {
				w = append(w, one)
			}
		}
		return w
	}
	require.Equal(t, others(standard), others(m))
	data := m.Training.Data
	require.True(t, data[len(data)-1].History)

	for says, args := range map[string][]string{
		"--history takes one labelled set": {"--data", dir, "--data", dir, "--history", events, "--json"},
		"nowhere.jsonl":                    {"--data", dir, "--history", "nowhere.jsonl", "--json"},
	} {
		r := execute(t, nil, append([]string{"findata", "train"}, args...)...)
		require.Equal(t, exitInput, r.code, r.err)
		require.Contains(t, r.err, says)
	}
}
