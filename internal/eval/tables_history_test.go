package eval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/eval"
)

const historyCorpus = `{"id": "shop.orders", "db": "shop", "table": "orders", "columns": [["order_id", "bigint", ""], ["city", "varchar", ""]]}
{"id": "shop.orders_br", "db": "shop", "table": "orders_br", "columns": [["order_id", "bigint", ""], ["city", "varchar", ""]]}
{"id": "shop.orders_sg", "db": "shop", "table": "orders_sg", "columns": [["order_id", "bigint", ""], ["city", "varchar", ""]]}
{"id": "shop.orders_id", "db": "shop", "table": "orders_id", "columns": [["order_id", "bigint", ""], ["city", "varchar", ""]]}
{"id": "zoo.animals_br", "db": "zoo", "table": "animals_br", "columns": [["animal_id", "bigint", ""], ["species", "varchar", ""]]}
{"id": "zoo.animals_sg", "db": "zoo", "table": "animals_sg", "columns": [["animal_id", "bigint", ""], ["species", "varchar", ""]]}
{"id": "zoo.animals", "db": "zoo", "table": "animals", "columns": [["animal_id", "bigint", ""], ["species", "varchar", ""]]}
`

const historyStatements = `{"db": "shop", "question": "How many orders are there?", "sql": "SELECT count(*) FROM \"orders\""}
{"db": "shop", "question": "Count the orders.", "sql": "SELECT  COUNT(*) FROM \"orders\""}
{"db": "shop", "question": "Orders by city", "sql": "SELECT city, count(*) FROM orders GROUP BY city"}
{"db": "shop", "question": "Broken", "sql": "SELECT FROM"}
{"db": "elsewhere", "question": "x", "sql": "SELECT 1"}
`

// TestTablesHistory: statements of asked questions, however they are worded, are in no
// history, and figures are told apart by whether the right tables have one.
func TestTablesHistory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "corpus.jsonl", historyCorpus)
	write(t, dir, "queries.jsonl", `{"id": "1", "question": "how many orders are there in Brazil", "gold_tables": ["shop.orders_br"]}
{"id": "2", "question": "species of animals", "gold_tables": ["zoo.animals"]}
`)
	write(t, dir, "ran.jsonl", historyStatements)
	log := filepath.Join(dir, "events.jsonl")
	until := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	written, left, err := eval.WriteHistory(t.Context(), log, filepath.Join(dir, "ran.jsonl"), filepath.Join(dir, "corpus.jsonl"), filepath.Join(dir, "queries.jsonl"), until)
	require.NoError(t, err)
	require.Equal(t, []int{2, 2}, []int{written, left})
	raw, err := os.ReadFile(log)
	require.NoError(t, err)
	require.NotContains(t, strings.ToLower(string(raw)), `select count(*) from`)
	require.NotContains(t, string(raw), "Orders by city", "no text of a question is in it")

	report := execute(t, eval.Tables{}, eval.Options{Data: dir, History: filepath.Join(dir, "ran.jsonl")}, nil)
	require.Zero(t, report.Errors)
	require.InDelta(t, 1, report.Metrics["n.history"], 0, "a table of which another country's was used has a history")
	require.InDelta(t, 1, report.Metrics["n.rest"], 0)
	require.Contains(t, report.Metrics, "hit@1.history")
	require.Contains(t, strings.Join(report.Notes, "\n"), "2 statements, 2 of asked questions left out; 1 counted, 1 of no table")
}
