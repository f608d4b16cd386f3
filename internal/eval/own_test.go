package eval_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/eval"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
)

// ownFolder is a source of suite own with questions.
func ownFolder(t *testing.T, questions ...string) string {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, "garden")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "raw"), 0o700))
	write(t, folder, "source.json", `{"name": "garden", "ingest": ["ingest", "csv", "{dir}", "--name", "garden"]}`)
	write(t, filepath.Join(folder, "raw"), "plants.csv", "id,plant,bed,planted,height_cm\n1,Rose,North,2024-04-02,40\n2,Tulip,North,2024-03-12,25\n3,Rose,South,2025-04-20,60\n")
	write(t, folder, "questions.jsonl", strings.Join(questions, "\n"))
	return dir
}

// ingestPlants is what the command line does for the folder above.
func ingestPlants(ctx context.Context, dataDir string, args []string) error {
	if len(args) != 5 || args[1] != "csv" {
		return errors.New("ingest " + strings.Join(args, " "))
	}
	store, err := source.Open(dataDir)
	if err != nil {
		return err
	}
	_, err = ingest.CSV(ctx, store, args[4], args[2], ingest.Options{})
	return err
}

// TestOwnTellsWhatCameOfQuestions: rows are compared with the gold, a figure for what the data
// does not know is wrong, and readings that have the rows are told.
func TestOwnTellsWhatCameOfQuestions(t *testing.T) {
	t.Parallel()
	dir := ownFolder(t,
		`{"id": "1", "lang": "en", "question": "How many plants are in each bed?", "answerable": true, "gold": {"rows": [["North", 2], ["South", 1]]}}`,
		`{"id": "2", "lang": "en", "question": "How many plants are in each bed?", "answerable": true, "gold": {"rows": [["North", 2], ["South", 2]]}}`,
		`{"id": "3", "lang": "en", "question": "How many plants are in each bed?", "answerable": false}`,
		`{"id": "4", "lang": "en", "question": "What did the fertilizer cost?", "answerable": false}`,
		`{"id": "5", "lang": "zh", "question": "一共有多少个 plants？", "answerable": true, "gold": {"rows": [["nothing"]]}, "gold_alt": [{"rows": [[3]]}]}`)
	var items []eval.Item
	report := execute(t, eval.Own{}, eval.Options{Data: dir, Ingest: ingestPlants, Clock: func() time.Time { return time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC) }}, &items)
	kinds := make([]any, len(items))
	for i, it := range items {
		kinds[i] = it.Detail["kind"]
	}
	require.Equal(t, []any{"right", "wrong", "wrong"}, kinds[:3])
	require.Contains(t, []any{"right_refusal", "asked"}, kinds[3])
	require.Equal(t, "right", kinds[4])
	require.InDelta(t, 2.0/3, report.Metrics["right"], 1e-4)
	require.InDelta(t, 2.0/3, report.Metrics["first_reading"], 1e-4)
	require.InDelta(t, 1, report.Metrics["right.lang.zh"], 1e-9)
	require.NotEmpty(t, items[0].Detail["readings"])
}

// TestOwnAsksConversationsInOneSession: a turn goes on from those before it, figures of turns stand beside those of
// questions, and a follow-up counts as one where the turn before was right.
func TestOwnAsksConversationsInOneSession(t *testing.T) {
	t.Parallel()
	dir := ownFolder(t, `{"id": "1", "lang": "en", "question": "How many plants are in each bed?", "answerable": true, "gold": {"rows": [["North", 2], ["South", 1]]}}`)
	turn := func(question, rest string) string { return `{"question": "` + question + `", ` + rest + `}` }
	talk := func(id string, turns ...string) string {
		return `{"id": "` + id + `", "lang": "en", "turns": [` + strings.Join(turns, ", ") + `]}`
	}
	write(t, filepath.Join(dir, "garden"), "conversations.jsonl", strings.Join([]string{
		talk("c1",
			turn("How many plants are in each bed?", `"answerable": true, "gold": {"rows": [["North", 2], ["South", 1]]}`),
			turn("only Rose", `"answerable": true, "gold": {"rows": [["North", 1], ["South", 1]]}`),
			turn("only the invisible ones", `"answerable": false`),
			turn("and Tulip?", `"answerable": true, "gold": {"rows": [["nothing"]]}`),
			turn("How many plants are there?", `"answerable": true, "gold": {"rows": [[3]]}`)),
		talk("c2", turn("only Rose", `"answerable": false`)),
	}, "\n"))
	var items []eval.Item
	report := execute(t, eval.Own{}, eval.Options{Data: dir, Ingest: ingestPlants, Clock: func() time.Time { return time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC) }}, &items)
	require.Equal(t, []string{"1", "c1.1", "c1.2", "c1.3", "c1.4", "c1.5", "c2.1"}, func() (ids []string) {
		for _, it := range items {
			ids = append(ids, it.ID)
		}
		return ids
	}())
	require.Equal(t, "right", items[2].Detail["kind"], "%v", items[2].Detail["text"])
	require.Equal(t, "right", items[2].Detail["before"])
	require.NotContains(t, []any{"right", "wrong"}, items[6].Detail["kind"], "another conversation begins anew")
	require.Empty(t, items[6].Detail["before"])
	m := report.Metrics
	require.InDelta(t, 6, m["turns"], 1e-9)
	require.InDelta(t, 2, m["first_turns"], 1e-9)
	require.InDelta(t, 1, m["right"], 1e-9, "turns are no questions")
	require.Positive(t, m["turns.wrong"]+m["turns.asked"])
	require.InDelta(t, 1, m["turns.right"]+m["turns.wrong"]+m["turns.refused"]+m["turns.asked"], 1e-3)
	after := 0
	for _, it := range items[1:] {
		if before := it.Detail["before"]; before == "right" || before == "right_refusal" {
			after++
		}
	}
	require.InDelta(t, after, m["follow_ups"], 1e-9)
}

// TestOwnComparesAsPeopleDo: a measure that names were not asked by is wrong, shares may be
// percentages, a month is its first day, and where order counts it is kept.
func TestOwnComparesAsPeopleDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gold string
		rows [][]any
		want bool
	}{
		"other columns may be there":     {`{"gold": {"rows": [["a"], ["b"]]}}`, [][]any{{"a", 1.0}, {"b", 2.0}}, true},
		"a name too many":                {`{"gold": {"rows": [["a"]]}}`, [][]any{{"a"}, {"b"}}, false},
		"the figure that was meant":      {`{"gold": {"rows": [["a"]], "measure": [7]}}`, [][]any{{"a", 7.0}}, true},
		"the right name by luck":         {`{"gold": {"rows": [["a"]], "measure": [7]}}`, [][]any{{"a", 9.0}}, false},
		"a share as a percentage":        {`{"gold": {"rows": [[0.25]]}, "percent_columns": [0]}`, [][]any{{25.0}}, true},
		"no share as a percentage":       {`{"gold": {"rows": [[0.25]]}}`, [][]any{{25.0}}, false},
		"a percentage as text":           {`{"gold": {"rows": [[0.25]]}}`, [][]any{{"25 %"}}, true},
		"a month is its first day":       {`{"gold": {"rows": [["2024-03", 1]]}}`, [][]any{{"2024-03-01 00:00:00", 1.0}}, true},
		"the order counts":               {`{"gold": {"rows": [["a"], ["b"]]}, "order_matters": true}`, [][]any{{"b"}, {"a"}}, false},
		"a number that came as text":     {`{"gold": {"rows": [[12.5]]}}`, [][]any{{"12.50"}}, true},
		"another gold that is as right":  {`{"gold": {"rows": [["a"]]}, "gold_alt": [{"rows": [["b"]]}]}`, [][]any{{"b"}}, true},
		"nothing where nothing is there": {`{"gold": {"rows": []}}`, [][]any{}, true},
	} {
		require.Equal(t, c.want, eval.OwnAnswers(t, c.gold, c.rows), name)
	}
}

// TestOwnRefusesFoldersThatAreNone: what is missing is told.
func TestOwnRefusesFoldersThatAreNone(t *testing.T) {
	t.Parallel()
	_, err := eval.Own{}.Open(t.Context(), eval.Options{Data: t.TempDir()})
	require.ErrorIs(t, err, eval.ErrData)
	_, err = eval.Own{}.Open(t.Context(), eval.Options{Data: ownFolder(t, `{"id": "1", "lang": "en", "question": "q"}`), Lang: "zh"})
	require.ErrorContains(t, err, "no question")
}
