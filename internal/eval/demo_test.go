package eval

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	type row = []any
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		require.NoError(t, err)
		return d
	}
	shares := []row{{"SG", 0.25}, {"BR", 0.75}}
	for name, tc := range map[string]struct {
		got, want []row
		ordered   bool
		right     bool
	}{
		"same":                              {got: shares, want: shares, right: true},
		"rows in another order":             {got: []row{{"BR", 0.75}, {"SG", 0.25}}, want: shares, right: true},
		"another order where it counts":     {got: []row{{"BR", 0.75}, {"SG", 0.25}}, want: shares, ordered: true},
		"columns in another order":          {got: []row{{0.25, "SG"}, {0.75, "BR"}}, want: shares, right: true},
		"values beside the wrong label":     {got: []row{{"SG", 0.75}, {"BR", 0.25}}, want: shares},
		"base values of a rate":             {got: []row{{"SG", 1, 4, 0.25}, {"BR", 3, 4, 0.75}}, want: shares, right: true},
		"a label only":                      {got: []row{{"SG"}, {"BR"}}, want: shares},
		"a row more":                        {got: append(shares, row{"TH", 0.0}), want: shares},
		"a row less":                        {got: shares[:1], want: shares},
		"as many extra columns as may be":   {got: []row{{1, 2, 3, 4, 5.5}}, want: []row{{5.5}}, right: true},
		"everything there is":               {got: []row{{1, 2, 3, 4, 6, 5.5}}, want: []row{{5.5}}},
		"within the tolerance":              {got: []row{{0.250024}}, want: []row{{0.25}}, right: true},
		"out of the tolerance":              {got: []row{{0.25003}}, want: []row{{0.25}}},
		"percent is another number":         {got: []row{{25.0}}, want: []row{{0.25}}},
		"a count as a double":               {got: []row{{171.0}}, want: []row{{int64(171)}}, right: true},
		"neighbouring keys":                 {got: []row{{int64(10000441)}}, want: []row{{int64(10000442)}}},
		"the same keys":                     {got: []row{{int64(50002)}, {int64(50001)}}, want: []row{{int32(50001)}, {int32(50002)}}, right: true},
		"one key twice":                     {got: []row{{int64(50001)}, {int64(50001)}}, want: []row{{int64(50001)}, {int64(50002)}}},
		"a month as text":                   {got: []row{{"2026-05", 1.5}}, want: []row{{day("2026-05-01"), 1.5}}, right: true},
		"a month as text, another one":      {got: []row{{"2026-06", 1.5}}, want: []row{{day("2026-05-01"), 1.5}}},
		"a day as text":                     {got: []row{{"2026-05-01", 1.5}}, want: []row{{day("2026-05-01"), 1.5}}, right: true},
		"null is not zero":                  {got: []row{{0.0}}, want: []row{{nil}}},
		"two columns with the same numbers": {got: []row{{1.5, 1.5}, {2.5, 9.0}}, want: []row{{1.5}, {9.0}}, right: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := func(rows []row) Table { return Table{Columns: len(rows[0]), Rows: rows} }
			require.Equal(t, tc.right, answers(table(tc.got), table(tc.want), tc.ordered))
		})
	}
}

func TestDemoMetrics(t *testing.T) {
	t.Parallel()
	r := &demoRun{questions: []demoQuestion{
		{Language: "en", Kind: "trend", SQL: "SELECT 1"},
		{Language: "en", Kind: "trend", SQL: "SELECT 1"},
		{Language: "zh", Kind: "trend", SQL: "SELECT 1"},
		{Language: "zh", Kind: "unanswerable"},
		{Language: "en", Kind: "unanswerable"},
	}}
	item := func(score float64, answered bool) Item {
		return Item{Score: score, Detail: map[string]any{detailAnswered: answered}}
	}
	m, notes := r.Metrics([]Item{item(1, true), item(0, true), item(0, false), item(1, false), item(0, true)})
	require.Empty(t, notes)
	for name, want := range map[string]float64{
		"n": 5, "accuracy": 0.4, "precision": 1.0 / 3, "coverage": 2.0 / 3, "decline_recall": 0.5,
		"n.lang.en": 3, "accuracy.lang.en": 1.0 / 3, "precision.lang.en": 1.0 / 3, "coverage.lang.en": 1,
		"accuracy.lang.zh": 0.5, "coverage.lang.zh": 0, "decline_recall.lang.zh": 1,
		"accuracy.kind.trend": 1.0 / 3, "accuracy.kind.unanswerable": 0.5, "precision.kind.unanswerable": 0,
	} {
		require.Contains(t, m, name)
		require.InDelta(t, want, m[name], 1e-9, name)
	}
	for _, absent := range []string{"precision.lang.zh", "coverage.kind.unanswerable", "decline_recall.kind.trend"} {
		require.NotContains(t, m, absent, "it would divide by nothing")
	}
}

func TestReadDemoQuestions(t *testing.T) {
	t.Parallel()
	all := Options{Data: filepath.Join("..", "..", Demo{}.DefaultData())}
	questions, err := readDemoQuestions(all)
	require.NoError(t, err)
	ids, languages, texts, declined := map[string]bool{}, map[string]int{}, map[string]bool{}, 0
	for _, q := range questions {
		require.False(t, ids[q.ID], q.ID)
		require.False(t, texts[q.Question], q.Question)
		require.NotEmpty(t, q.Kind, q.ID)
		require.True(t, strings.HasPrefix(q.ID, q.Language+"-"), q.ID)
		require.Equal(t, q.Kind == "unanswerable", !q.answerable(), q.ID)
		ids[q.ID], texts[q.Question] = true, true
		languages[q.Language]++
		declined += count(!q.answerable())
	}
	require.Equal(t, map[string]int{"en": 75, "zh": 75}, languages)
	require.Equal(t, 15, declined)

	all.Lang = "zh"
	chinese, err := readDemoQuestions(all)
	require.NoError(t, err)
	require.Len(t, chinese, 75)
	all.Lang = "fr"
	_, err = readDemoQuestions(all)
	require.ErrorIs(t, err, ErrData)
	_, err = Demo{}.Open(t.Context(), Options{Data: t.TempDir()})
	require.ErrorIs(t, err, ErrData, "before any demo is made")
}

// TestDemoGoldRuns runs every statement of the questions on a small demo, whose
// rows differ and whose tables and columns do not.
func TestDemoGoldRuns(t *testing.T) {
	t.Parallel()
	store, err := source.Open(t.TempDir())
	require.NoError(t, err)
	generation, err := demo.Ensure(t.Context(), store, demo.Config{Today: demoNow, Scale: demo.MinScale}, nil)
	require.NoError(t, err)
	db, err := openDatabase(t.Context(), generation, guard.New(guard.Config{DefaultLimit: maxRows, MaxLimit: maxRows}))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.close()) })
	questions, err := readDemoQuestions(Options{Data: filepath.Join("..", "..", Demo{}.DefaultData())})
	require.NoError(t, err)
	for _, q := range questions {
		if !q.answerable() {
			continue
		}
		for _, text := range append([]string{q.SQL}, q.Also...) {
			_, err := db.predicted(t.Context(), text)
			require.NoError(t, err, "%s: %s", q.ID, text)
		}
	}
}
