package state_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/state"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store/lazy"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
	"github.com/dibrain/dibrain/pkg/store/small"
	"github.com/dibrain/dibrain/services/findata/library"
	"github.com/dibrain/dibrain/services/findata/memory"
	"github.com/dibrain/dibrain/services/knowledge"
	"github.com/dibrain/dibrain/services/text2sql/examples"
)

// TestFilesOfBeforeAreBroughtIntoTheDatabase fills the files of an installation whose small
// stores were files, and migrates it over a database.
func TestFilesOfBeforeAreBroughtIntoTheDatabase(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	p := shared(t)
	dir, odd := p.config.DataDir, "tab\tline\n\\N 为什么 \\x41"
	files := map[string]lazy.Config{"preferences": memory.File(dir), "verified queries": examples.File(dir), "expert's sessions": knowledge.SessionsFile(dir)}
	before := map[string]string{}
	tables := func(name string) small.Tables {
		for _, of := range []func(string) (small.Tables, error){memory.Tables, examples.Tables, knowledge.SessionTables} {
			kept, err := of(dir)
			require.NoError(t, err)
			if kept.Schema.Of == name {
				return kept
			}
		}
		t.Fatal(name)
		return small.Tables{}
	}
	content := func(s storage, prefix string) string {
		var b strings.Builder
		for _, table := range tables(s.name).Schema.Tables {
			table = strings.TrimPrefix(table, prefixOf(s.name))
			if table == "curated" {
				continue
			}
			for _, row := range s.rows(`SELECT * FROM "` + prefix + table + `" ORDER BY 1, 2`) {
				fmt.Fprintln(&b, table, row)
			}
		}
		return b.String()
	}
	for name, file := range files {
		made := lazy.New(file)
		_, err := made.Open(t.Context(), true)
		require.NoError(t, err)
		require.NoError(t, made.Close())
		s := inSQLite(t, name, file.Path)
		for i, person := range []string{"alice", odd} {
			for _, text := range seed[name] {
				s.exec(strings.NewReplacer("PERSON", strings.ReplaceAll(person, "\n", "'||char(10)||'"), "NUMBER", fmt.Sprint(i)).Replace(tableName.ReplaceAllString(text, "$1")))
			}
		}
		before[name] = content(s, "")
		require.Contains(t, before[name], "line")
	}
	write(t, dir, "findata/curated/shop.yaml", "synonyms:\n  - words: [orders, parcels]\n")

	_, err := state.People{Config: p.config, Database: p.db, Clock: time.Now}.Export(t.Context(), "alice", io.Discard)
	require.Equal(t, "STORE_OLD", fault.ReasonOf(err), "nobody is exported without what is in the files")
	list, err := state.Versions(t.Context(), p.config, p.db)
	require.NoError(t, err)
	takes := map[string]string{}
	for _, k := range list {
		if k.Takes != "" {
			takes[k.Name] = k.Takes
		}
	}
	require.Equal(t, map[string]string{"preferences": "findata/findata.db", "verified queries": "text2sql/examples.db", "expert's sessions": "knowledge/expert.db"}, takes)

	_, err = state.Migrate(t.Context(), p.config, p.db)
	require.NoError(t, err)
	for name, file := range files {
		require.Equal(t, before[name], content(inPostgres(t, p, name), prefixOf(name)))
		require.NoFileExists(t, file.Path)
		require.FileExists(t, file.Path+".taken")
	}
	require.NoDirExists(t, filepath.Join(dir, "findata", "curated"))
	kept, err := tables("preferences").Open(t.Context(), &p.db)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kept.Close()) })
	curated, err := library.NewCurated(library.InTables(kept))
	require.NoError(t, err)
	said, err := curated.Of(t.Context(), "shop", "orders of March", func(string) bool { return true })
	require.NoError(t, err)
	require.Equal(t, []string{"parcels"}, said.Others)
	require.NoError(t, memory.New(memory.Config{MaxFeedback: 10}, kept, time.Now).Add(t.Context(), "bob", "demo", "q", []string{"t"}, memory.Clicked), "numbers go on")

	list, err = state.Migrate(t.Context(), p.config, p.db)
	require.NoError(t, err)
	for _, k := range list {
		require.Empty(t, k.Takes)
	}

	// A file that comes back is not mixed with what is there.
	again := lazy.New(files["expert's sessions"])
	_, err = again.Open(t.Context(), true)
	require.NoError(t, err)
	require.NoError(t, again.Close())
	list, err = state.Versions(t.Context(), p.config, p.db)
	require.NoError(t, err)
	for _, k := range list {
		require.Empty(t, k.Takes, "a file that a command has made holds nothing yet")
	}
	s := inSQLite(t, "expert's sessions", files["expert's sessions"].Path)
	for _, text := range seed["expert's sessions"] {
		s.exec(strings.NewReplacer("PERSON", "bob", "NUMBER", "1").Replace(tableName.ReplaceAllString(text, "$1")))
	}
	_, err = state.Migrate(t.Context(), p.config, p.db)
	require.Equal(t, "STORE_NOT_EMPTY", fault.ReasonOf(err), "%v", err)
	require.FileExists(t, files["expert's sessions"].Path)
}

// TestCuratedFilesAloneAreBroughtIntoTheDatabase: nothing but what curators decided was kept
// in files. What was put aside before stays.
func TestCuratedFilesAloneAreBroughtIntoTheDatabase(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	p := shared(t)
	dir := p.config.DataDir
	folder := filepath.Join(dir, "findata", "curated")
	kept, err := memory.Tables(dir)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(folder, 0o700))
	left, err := state.LeftFile(t.Context(), kept)
	require.NoError(t, err)
	require.Empty(t, left, "an empty folder holds nothing")
	write(t, dir, "findata/curated/shop.yaml", "synonyms:\n  - words: [orders, parcels]\n")
	for _, before := range []string{"curated.taken", "curated.taken.2"} {
		write(t, dir, "findata/"+before+"/shop.yaml", before)
	}
	left, err = state.LeftFile(t.Context(), kept)
	require.NoError(t, err)
	require.Equal(t, folder, left)

	_, err = state.Migrate(t.Context(), p.config, p.db)
	require.NoError(t, err)
	left, err = state.LeftFile(t.Context(), kept)
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoFileExists(t, kept.File.Path)
	require.NoFileExists(t, kept.File.Path+".taken")
	for aside, want := range map[string]string{"curated.taken": "curated.taken", "curated.taken.2": "curated.taken.2", "curated.taken.3": "synonyms:\n  - words: [orders, parcels]\n"} {
		text, err := os.ReadFile(filepath.Join(dir, "findata", aside, "shop.yaml"))
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
	opened, err := kept.Open(t.Context(), &p.db)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	curated, err := library.NewCurated(library.InTables(opened))
	require.NoError(t, err)
	said, err := curated.Of(t.Context(), "shop", "orders of March", func(string) bool { return true })
	require.NoError(t, err)
	require.Equal(t, []string{"parcels"}, said.Others)
}

func prefixOf(name string) string { return state.PrefixOf(name, true) }
