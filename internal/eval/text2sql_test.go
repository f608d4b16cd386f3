package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/build"
)

// bicycles writes a small data folder of the suite's format.
func bicycles(t *testing.T, questions ...map[string]any) string {
	t.Helper()
	dir := t.TempDir()
	db := filepath.Join(dir, "databases", "bicycles")
	require.NoError(t, os.MkdirAll(filepath.Join(db, "data"), 0o750))
	write := func(path, text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write(filepath.Join(db, "schema.sql"), "CREATE TABLE `bicycles`.`rider` (\n `rider_id` INT,\n `name` TEXT,\n `age` INT,\n PRIMARY KEY (`rider_id`)\n);\n")
	write(filepath.Join(db, "data", "rider.csv"), "rider_id,name,age\n1,Ann,30\n2,Bo,20\n3,Cy,NULL\n")
	var lines bytes.Buffer
	for _, q := range questions {
		line, err := json.Marshal(q)
		require.NoError(t, err)
		lines.Write(append(line, '\n'))
	}
	write(filepath.Join(dir, "dev.jsonl"), lines.String())
	return dir
}

func question(id, text, sql string) map[string]any {
	return map[string]any{"id": id, "db": "bicycles", "question": text, "sql": sql}
}

func TestText2SQLCountsAbstentionsAndMistakes(t *testing.T) {
	t.Parallel()
	no := question("e", "Who painted the ceiling of the chapel?", "SELECT 'no' AS answer")
	no["answerable"], no["category"] = false, "cat_c"
	dir := bicycles(t,
		question("a", "How many riders are there?", `SELECT COUNT(*) FROM "rider"`),
		question("b", "Show the names of riders.", `SELECT "name" FROM "rider"`),
		question("c", "Show the names of riders.", `SELECT "age" FROM "rider"`), // gold that the answer is not
		question("d", "What are the unicorns of the riders?", `SELECT "name" FROM "rider"`),
		no,
	)
	var out bytes.Buffer
	progress := 0
	report, err := Execute(context.Background(), Text2SQL{}, Options{Data: dir, Out: &out, Build: build.Info{Version: "test", Commit: "0123abc", Modified: true}, Progress: func(int, int) { progress++ }})
	require.NoError(t, err)
	require.Equal(t, 5, report.N)
	require.Equal(t, 5, progress)
	require.Zero(t, report.Errors)
	require.Equal(t, map[string]float64{
		"execution_accuracy": 0.5, "execution_accuracy_macro": 0.5, "precision": 0.6667, "coverage": 0.75, "valid_rate": 1,
		"abstain_recall": 1, "abstain_recall_cat_c": 1, "abstain_precision": 0.5,
	}, report.Metrics)
	stamped, err := json.Marshal(report)
	require.NoError(t, err)
	require.Contains(t, string(stamped), `"version":"test","commit":"0123abc","modified":true`, "figures say what made them")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 5)
	var item Item
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &item))
	require.Equal(t, "a", item.ID)
	require.InDelta(t, 1, item.Score, 0)
	require.Contains(t, item.Prediction, "count(*)")
}

func TestText2SQLSaysWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]Options{
		"no folder":    {Data: filepath.Join(t.TempDir(), "nothing")},
		"broken line":  {Data: bicycles(t), Queries: brokenFile(t)},
		"no questions": {Data: bicycles(t)},
	} {
		_, err := Execute(context.Background(), Text2SQL{}, opt)
		require.True(t, errors.Is(err, ErrData), "%s: %v", name, err)
	}
}

func brokenFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "q.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{\"id\": \n"), 0o600))
	return path
}

// crashing is a run whose first question panics.
type crashing struct{}

func (crashing) Len() int { return 2 }
func (crashing) Answer(_ context.Context, i int) (Item, error) {
	if i == 0 {
		panic("first")
	}
	return Item{ID: "1", Score: 1, Milliseconds: 5}, nil
}
func (crashing) Metrics(items []Item) (map[string]float64, []string) {
	sum := 0.0
	for _, it := range items {
		sum += it.Score
	}
	return map[string]float64{"mean": sum / float64(len(items))}, nil
}
func (crashing) Close() error                                 { return nil }
func (crashing) Name() string                                 { return "crashing" }
func (c crashing) Open(context.Context, Options) (Run, error) { return c, nil }

func TestACrashCountsAsWrongAndAsAnError(t *testing.T) {
	t.Parallel()
	report, err := Execute(context.Background(), crashing{}, Options{})
	require.NoError(t, err)
	require.Equal(t, 1, report.Errors)
	require.InDelta(t, 0.5, report.Metrics["mean"], 0)
	require.InDelta(t, 5, report.LatencyMS.P99, 0)
}
