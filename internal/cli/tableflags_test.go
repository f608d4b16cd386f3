package cli

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/shorttest"
)

// ingested is a data directory with the source "places" of one table.
func ingested(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	text := "city,people,remark\nBern,134000," + strings.Repeat("long ", 40) + "end\nBasel,178000,a|b\nGenf,203000,c\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "city.csv"), []byte(text), 0o600))
	data := filepath.Join(dir, "data")
	require.Zero(t, execute(t, nil, "ingest", "csv", dir, "--name", "places", "--data-dir", data).code)
	return data
}

// TestTablesComeInEveryFormat: what goes to a program has the table alone on the
// standard output.
func TestTablesComeInEveryFormat(t *testing.T) {
	shorttest.Rules(t, "the formats of tables")
	t.Parallel()
	env := []string{"DIBRAIN_DATA_DIR=" + ingested(t)}
	question := []string{"ask", "--source", "places", "What are the people of each city?"}
	require.Zero(t, execute(t, env, question...).code)
	for name, args := range map[string][]string{
		"ask": question, "find": {"find", "--source", "places", "people of each city"}, "catalog": {"catalog", "list", "--source", "places"},
		"columns": {"catalog", "show", "main.city", "--source", "places"},
		"sources": {"sources", "list"}, "runs": {"runs", "list"}, "sessions": {"sessions", "list"}, "tools": {"tools"},
	} {
		got := execute(t, env, append(args, "--format", "csv")...)
		require.Zero(t, got.code, "%s: %s", name, got.err)
		records, err := csv.NewReader(strings.NewReader(got.out)).ReadAll()
		require.NoError(t, err, name)
		require.Greater(t, len(records), 1, name)

		got = execute(t, env, append(args, "--format", "md")...)
		lines := strings.Split(strings.TrimSpace(got.out), "\n")
		require.GreaterOrEqual(t, len(lines), 3, name)
		require.Regexp(t, regexp.MustCompile(`^\|( -+:? \|)+$`), lines[1], name)
		for _, line := range lines {
			require.True(t, strings.HasPrefix(line, "| ") && strings.HasSuffix(line, " |"), "%s: %s", name, line)
		}

		require.Equal(t, byte('{'), execute(t, env, append(args, "--format", "json")...).out[0], name)
		got = execute(t, env, append(args, "--format", "xml")...)
		require.Equal(t, 2, got.code, name)
		require.Contains(t, got.err, "table, csv, json, md", name)
	}
	rows := execute(t, env, append(question, "--format", "csv")...)
	require.Contains(t, rows.out, "134000")
	require.NotContains(t, rows.out, "Presto SQL")
	require.NotEmpty(t, rows.err, "the sentence goes beside the rows")
	require.Contains(t, execute(t, env, "examples", "list", "--source", "places", "--format", "csv").err, "no verified queries")
}

// TestPipesGetWholeColumns: nothing is cut where no terminal is.
func TestPipesGetWholeColumns(t *testing.T) {
	t.Parallel()
	env := []string{"DIBRAIN_DATA_DIR=" + ingested(t)}
	got := execute(t, env, "ask", "--source", "places", "list the remark of each city")
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "long end", "the end of a long value")
}

// TestArgumentsAreCompleted offers what there is, by name.
func TestArgumentsAreCompleted(t *testing.T) {
	shorttest.Rules(t, "what shells complete")
	t.Parallel()
	data := ingested(t)
	env := []string{"DIBRAIN_DATA_DIR=" + data}
	require.Zero(t, execute(t, env, "ask", "--source", "places", "How many cities are there?").code)
	require.Zero(t, execute(t, env, "semantic", "init", "--source", "places").code)
	require.Zero(t, execute(t, env, "semantic", "apply", "--source", "places").code)
	for want, args := range map[string][]string{
		`(?m)^run_[0-9a-f]+\tHow many cities are there\?$`: {"runs", "show", ""},
		`(?m)^run_[0-9a-f]+\tHow many`:                     {"runs", "cancel", ""},
		`(?m)^ses_[0-9a-f]+\t`:                             {"sessions", "show", ""},
		`(?m)^people\t`:                                    {"semantic", "show", "--source", "places", ""},
		`(?m)^places$`:                                     {"sources", "remove", ""},
		`(?m)^csv$`:                                        {"find", "--format", ""},
		`(?m)^places\.`:                                    {"catalog", "show", "--source", "places", ""},
		`(?m)^cit`:                                         {"catalog", "joins", "--source", "places", "cit"},
	} {
		got := execute(t, env, append([]string{"__complete"}, args...)...)
		require.Regexp(t, want, got.out, "%v: %s", args, got.err)
	}
	nothing := execute(t, []string{"DIBRAIN_DATA_DIR=" + t.TempDir()}, "__complete", "semantic", "show", "")
	require.NotContains(t, nothing.out, "people")
}
