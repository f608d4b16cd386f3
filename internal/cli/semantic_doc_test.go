package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/correct"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/ingest/ingesttest"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

var docBlock = regexp.MustCompile("(?s)(?:`([^`\n]+)`:\n\n)?```(\\w*)\n(.*?)```")

// TestTheWorkedExampleOfTheDocument runs what docs/semantic-layer.md shows.
func TestTheWorkedExampleOfTheDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/semantic-layer.md")
	require.NoError(t, err)
	_, example, ok := strings.Cut(string(text), "## Worked example")
	require.True(t, ok)
	example, _, _ = strings.Cut(example, "## Metrics")
	dir := t.TempDir()
	var sql, said []string
	for _, block := range docBlock.FindAllStringSubmatch(example, -1) {
		switch block[2] {
		case "yaml":
			require.NotEmpty(t, block[1], "a layer's file has its name above it")
			require.NoError(t, createFile(filepath.Join(dir, block[1]), []byte(block[3])))
		case "sql":
			sql = append(sql, block[3])
		case "text":
			said = append(said, block[3])
		}
	}
	require.Len(t, sql, 2)
	require.Len(t, said, 1)
	tables, problems, err := ingest.Declared(strings.NewReader(sql[0]), catalog.Defaults{Region: "r"})
	require.NoError(t, err)
	require.Empty(t, problems)
	layer, found := semantic.Check(dir, tables)
	require.Empty(t, found)
	stmt, err := layer.SQL("average_order_value", "")
	require.NoError(t, err)
	require.Equal(t, sql[1], printer.Format(stmt)+"\n")

	file := filepath.Join(dir, "orders", "sales.yaml")
	right, err := os.ReadFile(file)
	require.NoError(t, err)
	wrong := strings.NewReplacer("distinct: buyer_id", "distinct: buyer", "of: sales", "of: sale").Replace(string(right))
	require.NoError(t, os.WriteFile(file, []byte(wrong), 0o600))
	_, found = semantic.Check(dir, tables)
	require.Equal(t, strings.TrimSpace(said[0]), found.Error())
}

// blocksOf are the blocks of a language in the part of a document below a heading.
func blocksOf(t *testing.T, document, heading, language string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", document))
	require.NoError(t, err)
	_, part, ok := strings.Cut(string(text), "\n"+heading+"\n")
	require.True(t, ok, heading)
	level, _, _ := strings.Cut(heading, " ")
	part, _, _ = strings.Cut(part, "\n"+level+" ")
	var out []string
	for _, block := range docBlock.FindAllStringSubmatch(part, -1) {
		if block[2] == language {
			out = append(out, block[3])
		}
	}
	return out
}

// TestTheLayersOfTheDocument checks what docs/semantic-layer.md shows of several
// tables, and of the other sections, against tables that have what they name.
func TestTheLayersOfTheDocument(t *testing.T) {
	t.Parallel()
	several := blocksOf(t, "semantic-layer.md", "## Several tables", "yaml")
	require.Len(t, several, 1)
	files, _ := ingesttest.Store(1)
	s, err := source.Open(t.TempDir())
	require.NoError(t, err)
	_, err = ingest.CSV(t.Context(), s, "store", writeSQL(t, files), ingest.Options{})
	require.NoError(t, err)
	g, err := s.Current("store")
	require.NoError(t, err)
	snapshot, err := g.Snapshot()
	require.NoError(t, err)
	layer, found := semantic.Check(writeSQL(t, map[string]string{"a.yaml": several[0]}), snapshot.Tables)
	require.Empty(t, found)
	path, ok := layer.Path("main.order_lines", "main.countries", "main.stores")
	require.True(t, ok)
	require.Len(t, path, 4)

	sections := blocksOf(t, "semantic-layer.md", "## The other sections", "yaml")
	require.Len(t, sections, 1)
	declared := blocksOf(t, "semantic-layer.md", "## Worked example", "sql")
	tables, _, err := ingest.Declared(strings.NewReader(declared[0]), catalog.Defaults{Region: "shop"})
	require.NoError(t, err)
	_, found = semantic.Check(writeSQL(t, map[string]string{"a.yaml": sections[0]}), tables)
	require.Empty(t, found)
}

// TestTheCorrectionsOfTheDocument reads what docs/own-data.md shows.
func TestTheCorrectionsOfTheDocument(t *testing.T) {
	t.Parallel()
	blocks := blocksOf(t, "own-data.md", "### Corrections", "yaml")
	require.Len(t, blocks, 1)
	c, err := correct.Read(filepath.Join(writeSQL(t, map[string]string{"shop.yaml": blocks[0]}), "shop.yaml"))
	require.NoError(t, err)
	require.Equal(t, 5, c.Count())
}
