package metric_test

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
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

var documentBlock = regexp.MustCompile("(?s)```(\\w+)\n(.*?)```")

// TestTheRolesOfTheDocument asks the questions that docs/semantic-layer.md says are
// answered by the layer that it shows.
func TestTheRolesOfTheDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/semantic-layer.md")
	require.NoError(t, err)
	_, part, ok := strings.Cut(string(text), "\n## Several dates, and one table by two ways\n")
	require.True(t, ok)
	part, _, _ = strings.Cut(part, "\n## ")
	blocks := map[string]string{}
	for _, b := range documentBlock.FindAllStringSubmatch(part, -1) {
		blocks[b[1]] = b[2]
	}
	tables, problems, err := ingest.Declared(strings.NewReader(blocks["sql"]), catalog.Defaults{Region: "eu"})
	require.NoError(t, err)
	require.Empty(t, problems)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "matches.yaml"), []byte(blocks["yaml"]), 0o600))
	layer, found := semantic.Check(dir, tables)
	require.Empty(t, found)
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(t, err)
	s := p.Prepare(tables, p.PrepareLayer(layer))
	asked := 0
	for _, line := range strings.Split(part, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.HasPrefix(cells[1], "-") || strings.TrimSpace(cells[1]) == "question" {
			continue
		}
		question, want := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])
		got := p.Answer(pipeline.Input{Question: question, Schema: s, Now: today})
		asked++
		switch want {
		case "asking which":
			require.Equal(t, pipeline.Asked, got.Outcome, question)
		case "nothing":
			require.Equal(t, pipeline.Abstained, got.Outcome, question)
		default:
			require.Equal(t, pipeline.Answered, got.Outcome, "%s: %s", question, oneLine(got))
			require.Contains(t, oneLine(got), strings.Trim(want, "`"), question)
		}
	}
	require.Equal(t, 10, asked, "the last one is read off the tables")
}
