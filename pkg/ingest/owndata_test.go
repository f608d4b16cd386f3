package ingest_test

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestOwnersSourcesAreWhole ingests the sources of owners' own files: no table is left
// out, and no text column holds what is nearly all numbers or days, but for codes: what
// begins with zeros, and digits in columns that are declared to be texts.
func TestOwnersSourcesAreWhole(t *testing.T) {
	t.Parallel()
	root := sharedData(t, "own_data")
	found, err := filepath.Glob(filepath.Join(root, "*", "source.json"))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for _, file := range found {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			t.Parallel()
			var described struct {
				Ingest []string `json:"ingest"`
			}
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(raw, &described))
			dir := unpacked(t, filepath.Join(filepath.Dir(file), "raw"))
			kind, path := described.Ingest[1], strings.ReplaceAll(described.Ingest[2], "{dir}", dir)
			options := ingest.Options{Views: true} // an encoding is found out, whatever the command names
			do := map[string]func() (ingest.Report, error){}
			s := newStore(t)
			do["csv"] = func() (ingest.Report, error) { return ingest.CSV(t.Context(), s, "own", path, options) }
			do["files"] = func() (ingest.Report, error) { return ingest.Files(t.Context(), s, "own", path, options) }
			do["duckdb"] = func() (ingest.Report, error) { return ingest.DuckDB(t.Context(), s, "own", path, options) }
			do["sql-dump"] = func() (ingest.Report, error) { return ingest.SQLDump(t.Context(), s, "own", path, options) }
			require.Contains(t, do, kind)
			report, err := do[kind]()
			require.NoError(t, err)
			for _, p := range report.Problems {
				require.NotEqual(t, ingest.KindTableSkipped, p.Kind, p.String())
				require.NotEqual(t, ingest.KindRowSkipped, p.Kind, p.String())
				if kind != "duckdb" && kind != "sql-dump" { // their owner declared it so; intervals become texts, too
					require.NotEqual(t, ingest.KindTextNumbers, p.Kind, p.String())
				}
			}
			codes := "0[0-9]+"
			if kind == "duckdb" || kind == "sql-dump" {
				codes = "[0-9]+" // their owner declared a text
			}
			for _, table := range tables(t, s) {
				for _, c := range table.Columns {
					if c.Type != "varchar" {
						continue
					}
					query := fmt.Sprintf(`SELECT count(*), count(*) FILTER (
						(TRY_CAST(v AS DOUBLE) IS NOT NULL OR TRY_CAST(v AS TIMESTAMP) IS NOT NULL
						OR regexp_full_match(v, '[-(]?[$€£¥]?[-]?[0-9]{1,3}(,[0-9]{3})*([.][0-9]+)?[%%)]?')
						OR regexp_full_match(v, '[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}'))
						AND NOT regexp_full_match(v, '%s')) FROM (SELECT CAST("%s" AS VARCHAR) AS v FROM "%s"."%s") WHERE v IS NOT NULL`, codes, c.Name, table.Name.Schema, table.Name.Table)
					var all, like int
					_, err := fmt.Sscanf(strings.ReplaceAll(rows(t, s, query)[0], "|", " "), "%d %d", &all, &like)
					require.NoError(t, err)
					require.False(t, all > 0 && like*10 >= all*9, "%s.%s is text, and %d of %d values are numbers or days", table.Name, c.Name, like, all)
				}
			}
		})
	}
}

// unpacked copies a folder with its *.tar.xz unpacked.
func unpacked(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	entries, err := os.ReadDir(from)
	require.NoError(t, err)
	for _, e := range entries {
		raw, err := os.Open(filepath.Join(from, e.Name()))
		require.NoError(t, err)
		if !strings.HasSuffix(e.Name(), ".tar.xz") {
			copied(t, filepath.Join(dir, e.Name()), raw)
			require.NoError(t, raw.Close())
			continue
		}
		plain, err := xz.NewReader(raw)
		require.NoError(t, err)
		for files := tar.NewReader(plain); ; {
			head, err := files.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			if head.Typeflag == tar.TypeReg && !slices.Contains(strings.Split(head.Name, "/"), "..") {
				copied(t, filepath.Join(dir, filepath.Base(head.Name)), files)
			}
		}
		require.NoError(t, raw.Close())
	}
	return dir
}

func copied(t *testing.T, to string, from io.Reader) {
	t.Helper()
	out, err := os.Create(to)
	require.NoError(t, err)
	_, err = io.Copy(out, from)
	require.NoError(t, err)
	require.NoError(t, out.Close())
}
