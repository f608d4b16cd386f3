package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog/correct"
)

// TestJoinsAreWrittenToBeCorrected: the file corrects nothing as it is written, and without the # before a line
// its join is taken out, whatever tables and columns are called.
func TestJoinsAreWrittenToBeCorrected(t *testing.T) {
	t.Parallel()
	joins := []joinShown{
		{From: "own.main.order", Columns: []string{"customer_id"}, To: "own.main.customer", ToColumns: []string{"id"}, Known: "found", Evidence: "all 3 values are there # really\nso"},
		{From: "own.main.订单: 明细", Columns: []string{"it's, so", "no"}, To: "own.main.{x}", ToColumns: []string{"编号", "yes"}, Known: "names", Evidence: "the names agree"},
	}
	text, err := correctionsOf("own", "/data/corrections/own.yaml", joins)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "own.yaml")
	read := func(text string) *correct.Corrections {
		t.Helper()
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		c, err := correct.Read(file)
		require.NoError(t, err, text)
		return c
	}
	require.Zero(t, read(text).Count())
	got := read(strings.Replace(strings.ReplaceAll(text, "#  - {from: own", "  - {from: own"), "#  - {from: 'own", "  - {from: 'own", 1)).NotJoins
	require.Len(t, got, len(joins))
	for i, j := range joins {
		require.Equal(t, []any{j.From, j.Columns, j.To, j.ToColumns}, []any{got[i].From, got[i].Columns, got[i].To, got[i].ToColumns})
	}
	require.Equal(t, 1, len(read(strings.Replace(text, "#  - {from: TABLE", "  - {from: TABLE", 1)).Joins))
}

// TestWrittenJoinsReplaceNothing: a file that is there may hold corrections.
func TestWrittenJoinsReplaceNothing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	dir := t.TempDir()
	f := &Factory{
		IO:      &IO{In: strings.NewReader(""), Out: &out, Err: &out, Width: func() int { return 80 }},
		Environ: []string{"XDG_CONFIG_HOME=" + dir, "XDG_DATA_HOME=" + dir}, Getenv: func(string) string { return "" },
	}
	f.addFlags(pflag.NewFlagSet("", pflag.ContinueOnError))
	file := filepath.Join(dir, "own.yaml")
	require.NoError(t, writeJoins(f, file, "own", nil))
	require.ErrorContains(t, writeJoins(f, file, "own", nil), "is there already")
	require.ErrorContains(t, writeJoins(f, filepath.Join(dir, "none", "own.yaml"), "own", nil), "cannot be written")
	path := correct.Path(f.dataDir(), "own")
	require.NoError(t, writeJoins(f, path, "own", nil), "the folder is made")
	require.FileExists(t, path)
}
