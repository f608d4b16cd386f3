package eval_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/eval"
	"github.com/dibrain/dibrain/pkg/retrieval/backend"
	"github.com/dibrain/dibrain/pkg/retrieval/elastic"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
)

func TestTables(t *testing.T) {
	t.Parallel()
	var items []eval.Item
	report := execute(t, eval.Tables{}, eval.Options{Data: "testdata/tables"}, &items)
	require.Equal(t, 3, report.N)
	require.Zero(t, report.Errors)
	require.Equal(t, 1.0, report.Metrics["hit@1"], "%+v", items)
	require.InDelta(t, (1+1+0.5)/3, report.Metrics["recall@10"], 1e-4)
	require.InDelta(t, 2.0/3, report.Metrics["full_recall@10"], 1e-4)
	require.NotContains(t, report.Metrics, "hit@1.family")
	require.Contains(t, report.Notes, "1 questions want tables that the corpus lacks")
	require.Contains(t, items[1].Prediction, "Harbour.Port.Ship", "ids are told as the corpus writes them")
	require.Equal(t, "q1", items[0].ID)

	report = execute(t, eval.Tables{}, eval.Options{Data: "testdata/tables", Lang: "zh"}, &items)
	require.Equal(t, 1, report.N)
	require.Equal(t, "zh1", items[0].ID)

	report = execute(t, eval.Tables{}, eval.Options{Data: "testdata/tables/corpus.jsonl", Limit: 2}, &items)
	require.Equal(t, 2, report.N)
}

func TestTablesFamilies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "corpus.jsonl", `{"id": "log.event_20240101", "db": "log", "table": "event_20240101", "columns": [["click", "bigint", ""]]}
{"id": "log.event_20240102", "db": "log", "table": "event_20240102", "columns": [["click", "bigint", ""]]}
{"id": "log.event_20240103", "db": "log", "table": "event_20240103", "columns": [["click", "bigint", ""]]}
`)
	write(t, dir, "queries.jsonl", `{"id": "1", "question": "clicks by event", "gold_tables": ["log.event_20240101", "log.event_20240102", "log.event_20240103"]}`)
	report := execute(t, eval.Tables{}, eval.Options{Data: dir}, nil)
	require.Equal(t, 1.0, report.Metrics["full_recall@10.family"])
	require.Equal(t, 1.0, report.Metrics["hit@1"])
}

func TestTablesDataUnreadable(t *testing.T) {
	t.Parallel()
	several := t.TempDir()
	for _, name := range []string{"one", "two"} {
		require.NoError(t, os.Mkdir(filepath.Join(several, name), 0o700))
		write(t, filepath.Join(several, name), "corpus.jsonl", `{"id": "a.b", "db": "a", "table": "b"}`)
	}
	broken := t.TempDir()
	write(t, broken, "corpus.jsonl", "{\"id\": \"a.b\"}\n{")
	write(t, broken, "queries.jsonl", `{"id": "1"}`)
	for name, tc := range map[string]struct {
		opt  eval.Options
		says string
	}{
		"no folder":        {eval.Options{Data: filepath.Join(several, "three")}, "no corpus.jsonl"},
		"several corpora":  {eval.Options{Data: several}, filepath.Join(several, "two")},
		"no queries":       {eval.Options{Data: filepath.Join(several, "one")}, "queries.jsonl"},
		"no Chinese":       {eval.Options{Data: broken, Lang: "zh"}, "queries_zh.jsonl"},
		"broken line":      {eval.Options{Data: broken}, "corpus.jsonl line 2"},
		"queries not read": {eval.Options{Data: "testdata/tables", Queries: "testdata/none.jsonl"}, "none.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := eval.Execute(t.Context(), eval.Tables{}, tc.opt)
			require.ErrorIs(t, err, eval.ErrData)
			require.ErrorContains(t, err, tc.says)
		})
	}
}

// The configured search is what is measured; one that does without a part of it has
// no figures.
func TestTablesSearchAsConfigured(t *testing.T) {
	t.Parallel()
	e := retrievaltest.NewElasticsearch(t)
	opt := eval.Options{Data: "testdata/tables", Search: backend.Config{
		Lexical: backend.Elasticsearch, Embedder: backend.OfCorpus,
		Elasticsearch: elastic.Config{Addresses: []string{e.URL}, Timeout: 100 * time.Millisecond},
	}}
	report := execute(t, eval.Tables{}, opt, nil)
	require.Zero(t, report.Errors)
	require.Positive(t, e.Searches.Load())
	require.Contains(t, report.Notes, "words in elasticsearch, vectors of embedder corpus in flat")

	e.Hang(true)
	_, err := eval.Execute(t.Context(), eval.Tables{}, opt)
	require.ErrorContains(t, err, "search server")

	opt = eval.Options{Data: "testdata/tables", RankModel: "nowhere.json"}
	_, err = eval.Execute(t.Context(), eval.Tables{}, opt)
	require.ErrorContains(t, err, "nowhere.json")
}
