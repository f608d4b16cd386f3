package duckdb_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// scalarAnswers are statements about scalar functions with the answers of a real
// Trino 476, errors by name.
var scalarAnswers = flag.String("scalars", "testdata/conformance/scalars.jsonl", "recorded answers to compare with")

// minScalarsSame is the share of the recorded answers that the embedded engine
// gives; the rest are refused by name.
const minScalarsSame = 0.9

type scalarAnswer struct {
	SQL     string `json:"sql"`
	Columns []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"columns"`
	Rows      [][]any `json:"rows"`
	Ordered   bool    `json:"ordered"`
	ErrorName string  `json:"error_name"`
}

// TestScalars compares with recorded answers: the same rows and types, the same
// error, or a refusal by name; nothing else.
func TestScalars(t *testing.T) {
	t.Parallel()
	compareRecorded(t, *scalarAnswers, minScalarsSame)
}

// compareRecorded runs the statements of a file; the share of those with the same
// answer is at least minSame.
func compareRecorded(t *testing.T, answers string, minSame float64) {
	t.Helper()
	path, tables := tpch(t, shared(t))
	engine, err := duckdb.Open(t.Context(), duckdb.Config{Launcher: duckdb.InProcess(), Databases: map[string]string{"tpch": path}, DefaultRegion: "tpch", DefaultSchema: "tiny"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	g := guard.New(guard.Config{DefaultLimit: 100_000, MaxLimit: 100_000})
	scope := resolve.Scope{Catalog: tables, DefaultRegion: "tpch", DefaultSchema: "tiny"}
	text, err := os.ReadFile(answers)
	require.NoError(t, err)
	counts, total := map[string]int{}, 0
	for line := range bytes.Lines(text) {
		var want scalarAnswer
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		require.NoError(t, d.Decode(&want))
		outcome, detail := scalarOutcome(t.Context(), engine, g, scope, want)
		counts[outcome]++
		total++
		switch outcome {
		case "different":
			t.Errorf("%s: %s\n%s", outcome, want.SQL, detail)
		case "not_supported":
			t.Logf("%s: %s: %s", outcome, want.SQL, detail)
		}
	}
	t.Logf("%v", counts)
	require.Positive(t, total, answers)
	require.GreaterOrEqual(t, float64(counts["same"])/float64(total), minSame)
}

func scalarOutcome(ctx context.Context, engine warehouse.Engine, g *guard.Guard, scope resolve.Scope, want scalarAnswer) (outcome, detail string) {
	rows, columns, sent, err := ask(ctx, engine, g, scope, want.SQL)
	var unsupported *transpile.NotSupported
	var failed *warehouse.Error
	switch {
	case errors.As(err, &unsupported), errors.As(err, &failed) && failed.Name == "NOT_SUPPORTED":
		return "not_supported", err.Error()
	case err != nil && want.ErrorName == "":
		return "different", err.Error() + "\n" + sent
	case errors.As(err, &failed) && failed.Name == want.ErrorName:
		return "same", ""
	case err != nil && failed == nil: // refused before it runs: the resolver's, held by its own tests
		return "same", ""
	case err != nil:
		return "different", fmt.Sprintf("Trino's error is %s, here: %v %v", want.ErrorName, err, errors.Unwrap(err))
	case want.ErrorName != "":
		return "different", fmt.Sprintf("Trino fails with %s, here %v\n%s", want.ErrorName, rows, sent)
	case len(columns) != len(want.Columns):
		return "different", "other columns"
	}
	for i, c := range columns {
		if base(c.Type) != base(strings.ToLower(want.Columns[i].Type)) || c.Name != want.Columns[i].Name {
			return "different", fmt.Sprintf("column %d is %s %s, Trino's is %s %s; %v", i, c.Name, c.Type, want.Columns[i].Name, want.Columns[i].Type, rows)
		}
	}
	got, expected := texts(rows), texts(want.Rows)
	if !want.Ordered {
		sort.Strings(got)
		sort.Strings(expected)
	}
	if !slices.Equal(got, expected) {
		return "different", fmt.Sprintf("got  %v\nwant %v\n%s", got, expected, sent)
	}
	return "same", ""
}

func ask(ctx context.Context, engine warehouse.Engine, g *guard.Guard, scope resolve.Scope, text string) (all [][]any, columns []warehouse.Column, sent string, err error) {
	who := run.Principal{ID: "admin"} // whose answers they are
	approved, err := g.Approve(ctx, who, text, scope)
	if err != nil {
		return nil, nil, "", err
	}
	rows, err := engine.Query(ctx, who, approved, warehouse.Options{})
	if err != nil {
		return nil, nil, "", err
	}
	defer func() { _ = rows.Close() }()
	for {
		page, err := rows.Next(ctx, 1000)
		if errors.Is(err, io.EOF) {
			return all, rows.Columns(), rows.Stats().SQL, nil
		}
		if err != nil {
			return nil, nil, rows.Stats().SQL, err
		}
		all = append(all, page...)
	}
}

func texts(rows [][]any) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = exactly(row)
	}
	return out
}

// exactly writes values so that equal ones are equal texts; doubles to 14 digits.
func exactly(v any) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = exactly(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, strconv.Quote(key)+":"+exactly(v[key]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return v.String()
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return exactly(f)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strings.ReplaceAll(strconv.Quote(strings.TrimPrefix(fmt.Sprint(v), "+")), "Inf", "Infinity")
		}
		return strconv.FormatFloat(v, 'g', 14, 64)
	case []byte:
		return strconv.Quote(base64.StdEncoding.EncodeToString(v))
	case nil:
		return "null"
	}
	return strconv.Quote(fmt.Sprint(v))
}
