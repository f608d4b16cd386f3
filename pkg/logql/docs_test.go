package logql_test

import (
	"errors"
	"go/build"
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

// envLokiDocs names a folder with a copy of Loki's documentation, docs/sources of its
// repository. Without it that of its module is read, where the module cache has it
// (go mod download github.com/grafana/loki/v3@v3.4.2). Nothing of it is kept here: its
// licence is another one.
const envLokiDocs = "DIBRAIN_LOKI_DOCS"

const lokiModule = "github.com/grafana/loki/v3@v3.4.2"

// lokiDocs is the folder of the documentation; empty: there is none.
func lokiDocs() string {
	if folder := os.Getenv(envLokiDocs); folder != "" {
		return folder
	}
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		cache = filepath.Join(build.Default.GOPATH, "pkg", "mod")
	}
	folder := filepath.Join(cache, filepath.FromSlash(lokiModule), "docs", "sources")
	if _, err := os.Stat(folder); err != nil {
		return ""
	}
	return folder
}

// TestExamplesOfTheDocumentation holds the parser against every LogQL example of
// Loki's documentation.
func TestExamplesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	folder := lokiDocs()
	if folder == "" {
		t.Skipf("no documentation of Loki: go mod download %s, or set %s to docs/sources of its repository", lokiModule, envLokiDocs)
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
			e, err := logql.Parse(example.text)
			var wrong *logql.Error
			switch {
			case errors.As(err, &wrong) && wrong.NotSupported != "":
				unsupported++
				t.Logf("%s: %s: NOT_SUPPORTED %s", filepath.Base(path), example.text, wrong.NotSupported)
			case err != nil:
				faulty++
				if example.marked {
					require.Regexp(t, noQuery, example.text, "%s: %v", filepath.Base(path), err)
				} else { // much that begins so is a result
					t.Logf("%s: unmarked, %v\n%s", filepath.Base(path), err, example.text)
				}
			default:
				parsed++
				again, err := logql.Parse(logql.Print(e))
				require.NoError(t, err, "%s\n%s", example.text, logql.Print(e))
				require.Equal(t, withoutPositions(e), withoutPositions(again), example.text)
				for _, wrong := range logql.Check(example.text, e) {
					require.NotEmpty(t, wrong.NotSupported, "%s: %v\n%s", filepath.Base(path), wrong, example.text)
					t.Logf("%s: %s: NOT_SUPPORTED %s", filepath.Base(path), example.text, wrong.NotSupported)
				}
			}
		}
		return nil
	}))
	t.Logf("%d parsed, %d not supported by name, %d not LogQL", parsed, unsupported, faulty)
	require.GreaterOrEqual(t, parsed, 80, "that is nearly all there are")
}

// noQuery finds what the documentation shows as LogQL and is none: forms with holes,
// results, and a wrong query beside the right one.
var noQuery = regexp.MustCompile(`<[a-z][a-z -]*>|=>|// INVALID`)

// otherBlock finds a query in a block of no language, and those of Grafana's dashboards.
var otherBlock = regexp.MustCompile(`^\s*(?:\{\s*\w+\s*(?:=|!=|=~|!~)\s*["` + "`" + `]|[a-z_]+\s*(?:(?:by|without)\s*\([^)]*\)\s*)?\([\s\S]*\{[\s\S]*\[)`)

// docExample is an example of the documentation; marked says that it is marked as LogQL.
type docExample struct {
	text   string
	marked bool
}

// logqlBlocks returns the examples in fences marked logql, and those of no language that
// begin as a query does: a block that is one query, or whose paragraphs are.
func logqlBlocks(markdown string) []docExample {
	var out []docExample
	var block []string
	in := false
	marked := false
	for line := range strings.Lines(markdown) {
		trimmed := strings.TrimSpace(line)
		switch language, fence := strings.CutPrefix(trimmed, "```"); {
		case !in && fence:
			in, block = true, nil
			marked = language == "logql"
			if language != "" && !marked {
				block = append(block, "# of another language")
			}
		case fence:
			in = false
			if text := strings.Join(block, ""); marked || otherBlock.MatchString(text) {
				for _, query := range queriesOf(text) {
					out = append(out, docExample{query, marked})
				}
			}
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
