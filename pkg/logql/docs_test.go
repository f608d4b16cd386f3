package logql_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/logql"
)

// envLokiDocs names a folder with a copy of Loki's documentation. It is read, and
// nothing of it is kept here: its licence is another one.
const envLokiDocs = "DIBRAIN_LOKI_DOCS"

// TestExamplesOfTheDocumentation holds the parser against every LogQL example of
// Loki's documentation.
func TestExamplesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	folder := os.Getenv(envLokiDocs)
	if folder == "" {
		t.Skipf("set %s to a copy of Loki's documentation (docs/sources of its repository)", envLokiDocs)
	}
	parsed, unsupported, faulty := 0, 0, 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, example := range logqlBlocks(string(text)) {
			e, err := logql.Parse(example)
			var wrong *logql.Error
			switch {
			case errors.As(err, &wrong) && wrong.NotSupported != "":
				unsupported++
				t.Logf("%s: %s: NOT_SUPPORTED %s", filepath.Base(path), example, wrong.NotSupported)
			case err != nil:
				faulty++
				t.Logf("%s: %v\n%s", filepath.Base(path), err, example)
			default:
				parsed++
				again, err := logql.Parse(logql.Print(e))
				require.NoError(t, err, "%s\n%s", example, logql.Print(e))
				require.Equal(t, withoutPositions(e), withoutPositions(again), example)
				for _, wrong := range logql.Check(example, e) {
					t.Logf("CHECK %s: %v\n%s", filepath.Base(path), wrong, example)
				}
			}
		}
		return nil
	}))
	t.Logf("%d parsed, %d not supported by name, %d not LogQL", parsed, unsupported, faulty)
	require.Greater(t, parsed, 100)
}

// logqlBlocks returns the examples in fences marked logql: a block that is one query,
// or whose paragraphs are.
func logqlBlocks(markdown string) []string {
	var out []string
	var block []string
	in := false
	for line := range strings.Lines(markdown) {
		trimmed := strings.TrimSpace(line)
		switch {
		case !in && strings.HasPrefix(trimmed, "```logql"):
			in, block = true, nil
		case in && strings.HasPrefix(trimmed, "```"):
			in = false
			out = append(out, queriesOf(strings.Join(block, ""))...)
		case in:
			block = append(block, line)
		}
	}
	return out
}

var blankLine = regexp.MustCompile(`\n[ \t]*\n`)

func queriesOf(block string) []string {
	// Parts of a pipeline are shown without their selector.
	whole := func(q string) string {
		q = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(q), "..."))
		if strings.HasPrefix(q, "|") {
			return `{app="web"} ` + q
		}
		return q
	}
	if _, err := logql.Parse(whole(block)); err == nil {
		return []string{whole(block)}
	}
	for _, cut := range []func(string) []string{
		func(b string) []string { return blankLine.Split(b, -1) },
		func(b string) []string { return strings.Split(strings.TrimSpace(b), "\n") },
	} {
		parts := cut(block)
		if len(parts) == 1 {
			continue
		}
		var out []string
		for _, part := range parts {
			if text := strings.TrimSpace(part); text != "" && !strings.HasPrefix(text, "#") || strings.Contains(text, "\n") {
				out = append(out, queriesOf(part)...)
			}
		}
		if !slices.ContainsFunc(out, func(q string) bool { _, err := logql.Parse(q); return err != nil }) || blankLine.MatchString(block) {
			return out
		}
	}
	return []string{whole(block)}
}
