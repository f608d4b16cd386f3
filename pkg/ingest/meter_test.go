package ingest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
)

// TestReadingIsTold: bytes and rows grow to their ends, packed or not, and a file that
// is left out is done too.
func TestReadingIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var rows strings.Builder
	rows.WriteString("id,name,amount\n")
	for i := range 150_000 {
		fmt.Fprintf(&rows, "%d,name of %d,%d.50\n", i, i, i)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(rows.String()))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	size := 0
	for name, text := range map[string]string{"a.csv": rows.String(), "b.csv.gz": packed.String(), "broken.csv": "a,b\n\"never ends"} {
		size += len(text)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	store, err := source.Open(t.TempDir())
	require.NoError(t, err)
	var told []ingest.Reading
	_, err = ingest.CSV(t.Context(), store, "s", dir, ingest.Options{Reading: func(r ingest.Reading) { told = append(told, r) }})
	require.NoError(t, err)
	require.Greater(t, len(told), 4, "a long file is told of on the way")
	last := ingest.Reading{}
	halfway := false
	for _, r := range told {
		require.EqualValues(t, size, r.Bytes)
		require.GreaterOrEqual(t, r.Done, last.Done)
		require.GreaterOrEqual(t, r.Rows, last.Rows)
		require.LessOrEqual(t, r.Done, r.Total)
		require.LessOrEqual(t, r.BytesDone, r.Bytes)
		halfway = halfway || r.What == "a" && r.Rows > 0 && r.Rows < 150_000
		last = r
	}
	require.True(t, halfway, "rows are told while they are loaded")
	require.Equal(t, "looking at values and keys", last.What)
	require.Equal(t, last.Total, last.Done)
	require.EqualValues(t, size, last.BytesDone)
	require.EqualValues(t, 300_000, last.Rows)
}

// TestReadingOfADumpIsTold counts the three readings of a dump as one.
func TestReadingOfADumpIsTold(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "d.sql")
	text := "CREATE TABLE t (id integer);\nINSERT INTO t VALUES (1), (2), (3);\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	store, err := source.Open(t.TempDir())
	require.NoError(t, err)
	var last ingest.Reading
	_, err = ingest.SQLDump(t.Context(), store, "s", file, ingest.Options{Reading: func(r ingest.Reading) { last = r }})
	require.NoError(t, err)
	require.EqualValues(t, len(text), last.BytesDone)
	require.Equal(t, last.Total, last.Done)
	require.EqualValues(t, 3, last.Rows)
}
