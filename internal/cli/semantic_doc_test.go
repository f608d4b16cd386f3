package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/semantic"
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
