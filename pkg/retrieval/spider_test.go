package retrieval_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
)

// TestTableDiscovery prints how well the right tables are found on the shared
// sets by the embedded model, and fails when it falls under a floor that lies a few
// questions below what was reached. `dibrain-lab eval tables` measures more.
func TestTableDiscovery(t *testing.T) {
	for _, set := range []struct {
		name, corpus, queries string
		floor                 float64 // of hit@5
	}{
		{"spider", "spider/corpus.jsonl", "spider/queries.jsonl", 0.88},
		{"spider in Chinese", "spider/corpus.jsonl", "spider/queries_zh.jsonl", 0.75},
		{"beaver", "beaver/corpus.jsonl", "beaver/queries.jsonl", 0.87},
		{"snails", "snails/corpus.jsonl", "snails/queries.jsonl", 0.82},
	} {
		t.Run(set.name, func(t *testing.T) {
			dir := sharedData(t)
			corpus := readCorpus(t, filepath.Join(dir, set.corpus))
			queries := readLines[query](t, filepath.Join(dir, set.queries))
			started := time.Now()
			x := build(t, corpus)
			t.Logf("%d tables indexed in %v", len(corpus.Tables), time.Since(started).Round(time.Millisecond))
			m := measure(t, x, queries)
			t.Logf("%d questions: hit@1 %.3f hit@5 %.3f mrr@10 %.3f recall@10 %.3f, mean %v", len(queries), m.hit1, m.hit5, m.mrr10, m.recall10, m.mean)
			require.Greater(t, m.hit5, set.floor)
		})
	}
}

type query struct {
	Question string   `json:"question"`
	Gold     []string `json:"gold_tables"`
}

type measures struct {
	hit1, hit5, mrr10, recall10 float64
	mean                        time.Duration
}

func measure(t *testing.T, x *retrieval.Corpus, queries []query) measures {
	t.Helper()
	embedded, err := rankmodel.Default()
	require.NoError(t, err)
	model, err := embedded.Bind(retrieval.FeatureNames())
	require.NoError(t, err)
	var m measures
	started := time.Now()
	for _, q := range queries {
		candidates, err := x.Candidates(t.Context(), x.Parse(q.Question, nil), nil)
		require.NoError(t, err)
		found, first := 0.0, 0
		slices.SortStableFunc(candidates, func(a, b retrieval.Candidate) int {
			return cmp.Compare(model.Score(b.Features), model.Score(a.Features))
		})
		for rank, candidate := range candidates[:min(len(candidates), 10)] {
			n := candidate.Table.Name
			if !slices.Contains(q.Gold, n.Schema+"."+n.Table) {
				continue
			}
			found++
			if first == 0 {
				first = rank + 1
			}
		}
		if first == 1 {
			m.hit1++
		}
		if first > 0 {
			m.mrr10 += 1 / float64(first)
			if first <= 5 {
				m.hit5++
			}
		}
		m.recall10 += found / float64(len(q.Gold))
	}
	n := float64(len(queries))
	m.mean = time.Since(started) / time.Duration(len(queries))
	m.hit1, m.hit5, m.mrr10, m.recall10 = m.hit1/n, m.hit5/n, m.mrr10/n, m.recall10/n
	return m
}

func build(tb testing.TB, s *catalog.Snapshot) *retrieval.Corpus {
	tb.Helper()
	cfg, err := retrieval.DefaultConfig()
	require.NoError(tb, err)
	x, err := retrieval.Build(tb.Context(), cfg, catalog.NewIndex(s, catalog.Defaults{}), nil)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, x.Close()) })
	return x
}

func readCorpus(t *testing.T, path string) *catalog.Snapshot {
	t.Helper()
	s := &catalog.Snapshot{}
	for _, line := range readLines[struct {
		ID          string     `json:"id"`
		DB          string     `json:"db"`
		Table       string     `json:"table"`
		Description string     `json:"description"`
		Columns     [][]string `json:"columns"`
	}](t, path) {
		table := catalog.Table{
			Name:        catalog.Name{Schema: line.DB, Table: strings.TrimPrefix(line.ID, line.DB+".")},
			Description: line.Description,
		}
		for _, c := range line.Columns {
			table.Columns = append(table.Columns, catalog.Column{Name: c[0], Type: c[1], Comment: c[2]})
		}
		s.Tables = append(s.Tables, table)
	}
	return s
}

func readLines[T any](t *testing.T, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v T
		require.NoError(t, json.Unmarshal(lines.Bytes(), &v))
		out = append(out, v)
	}
	require.NoError(t, lines.Err())
	return out
}

// sharedData finds ../shared beside the module's root.
func sharedData(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		require.NotEqual(t, parent, dir, "no go.mod above")
		dir = parent
	}
	data := filepath.Join(dir, "..", "shared", "data", "table_discovery")
	if _, err := os.Stat(data); err != nil {
		t.Skipf("no shared data at %s", data)
	}
	return data
}
