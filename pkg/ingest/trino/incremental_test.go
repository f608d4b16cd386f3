package trino

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

func readFrom(t *testing.T, f *fake, before Before, o Options) (*catalog.Snapshot, ingest.Report) {
	t.Helper()
	places, err := choose(t.Context(), f, o)
	require.NoError(t, err)
	s, report, err := Read(t.Context(), f, places, before, o)
	require.NoError(t, err)
	return s, report
}

// details are the words of statements that look into tables.
var details = []string{"SHOW STATS", "$partitions", "GROUP BY", "count("}

func looks(f *fake) (n int) {
	for _, words := range details {
		n += f.count(words)
	}
	return n
}

// TestOnlyWhatChangedIsLookedInto holds that an unchanged table costs nothing but
// its lines in the lists.
func TestOnlyWhatChangedIsLookedInto(t *testing.T) {
	t.Parallel()
	o := Options{Samples: true, Clock: at(noon)}
	first, _ := readFrom(t, shop(), Before{}, o)
	require.Equal(t, noon, table(t, first, "lake.mp.dwd_order").ProfiledAt)
	before := Before{Snapshot: first, Profile: o.complete().profile()}

	f := shop()
	o.Clock = at(noon.Add(time.Hour))
	second, report := readFrom(t, f, before, o)
	require.Zero(t, looks(f))
	require.Equal(t, first, second)
	require.Equal(t, &ingest.Changes{Same: 4}, report.Changes)

	f = shop()
	for i, r := range f.rules {
		if strings.Contains(strings.Join(r.words, " "), `columns" 'mp'`) {
			f.rules[i].rows = append(slices.Clone(r.rows), []any{"dwd_order", "added", "bigint", "YES", nil, nil})
		}
	}
	third, report := readFrom(t, f, before, o)
	require.Equal(t, &ingest.Changes{Changed: 1, Same: 3}, report.Changes)
	require.Equal(t, 1, f.count("SHOW STATS"))
	require.Equal(t, noon.Add(time.Hour), table(t, third, "lake.mp.dwd_order").ProfiledAt)

	for why, again := range map[string]Options{
		"asked for":     {Samples: true, Clock: at(noon), Full: true},
		"old":           {Samples: true, Clock: at(noon.AddDate(0, 0, 8))},
		"other options": {Clock: at(noon)},
		"privacy":       {Samples: true, Clock: at(noon), Personal: []string{"city"}},
	} {
		f = shop()
		s, _ := readFrom(t, f, before, again)
		require.NotZero(t, looks(f), why)
		if why == "privacy" || why == "other options" {
			require.Empty(t, table(t, s, "lake.mp.dwd_order").Columns[1].Samples, "values that are left out now do not come back from before")
		}
	}
}

// TestValuesThatAnotherUserRead do not come back: neither of tables that are as they
// were nor of a catalog that cannot be read now.
func TestValuesThatAnotherUserRead(t *testing.T) {
	t.Parallel()
	wide, narrow := source.TrinoConnection{User: "admin"}, source.TrinoConnection{User: "clerk"}
	shared := source.TrinoConnection{User: "admin", Impersonate: true}
	o := Options{Samples: true, SamplesAs: "everybody", Clock: at(noon)}
	require.Equal(t, []string{"admin", "clerk", "everybody", ""},
		[]string{o.under(wide).samplesBy, o.under(narrow).samplesBy, o.under(shared).samplesBy, Options{SamplesAs: "x"}.under(shared).samplesBy})
	first, _ := readFrom(t, shop(), Before{}, o.under(wide))
	require.NotEmpty(t, table(t, first, "lake.mp.dwd_order").Columns[1].Samples)
	before := Before{Snapshot: first, Profile: o.complete().under(wide).profile()}
	for connection, again := range map[*source.TrinoConnection]bool{&wide: false, &narrow: true, &shared: true} {
		f := shop()
		readFrom(t, f, before, o.complete().under(*connection))
		require.Equal(t, again, looks(f) > 0, "%+v", connection)

		f = shop()
		f.rules = append([]rule{{words: []string{`"lake"."information_schema"`}, err: &warehouse.Error{Name: "PERMISSION_DENIED", Message: "no"}}}, f.rules...)
		kept, report := readFrom(t, f, before, o.complete().under(*connection))
		require.NotEmpty(t, report.Lost)
		require.Equal(t, again, len(table(t, kept, "lake.mp.dwd_order").Columns[1].Samples) == 0, "%+v", connection)
	}
	require.NotEmpty(t, table(t, first, "lake.mp.dwd_order").Columns[1].Samples, "what was read before is not changed")
}

// TestWhatFailedIsTriedAgain holds that a table whose details could not be read
// does not count as looked into.
func TestWhatFailedIsTriedAgain(t *testing.T) {
	t.Parallel()
	o := Options{Clock: at(noon)}
	f := shop()
	f.rules = append([]rule{{words: []string{"SHOW STATS", "tickets"}, err: &warehouse.Error{Name: "GENERIC_INTERNAL_ERROR"}}}, f.rules...)
	first, _ := readFrom(t, f, Before{}, o)
	require.Zero(t, table(t, first, "lake.cs.tickets").ProfiledAt)
	f = shop()
	second, _ := readFrom(t, f, Before{Snapshot: first, Profile: o.complete().profile()}, o)
	require.Equal(t, 1, f.count("SHOW STATS"))
	require.Equal(t, noon, table(t, second, "lake.cs.tickets").ProfiledAt)
}

// TestKeysToWhatIsGone are dropped although the table that has them is as it was.
func TestKeysToWhatIsGone(t *testing.T) {
	t.Parallel()
	o := Options{Clock: at(noon)}
	first, _ := readFrom(t, shop(), Before{}, o)
	key := func(to, column string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{"id"}, RefTable: catalog.Name{Region: "lake", Schema: "mp", Table: to}, RefColumns: []string{column}}
	}
	for i := range first.Tables {
		if first.Tables[i].Name.Table == "tickets" {
			first.Tables[i].ForeignKeys = []catalog.ForeignKey{key("dwd_order", "id"), key("gone", "id"), key("dwd_order", "gone")}
		}
	}
	second, _ := readFrom(t, shop(), Before{Snapshot: first, Profile: o.complete().profile()}, o)
	require.Equal(t, []catalog.ForeignKey{key("dwd_order", "id")}, table(t, second, "lake.cs.tickets").ForeignKeys)
}

// TestLostPartsAreKeptForTheStatus holds what an operator sees long after.
func TestLostPartsAreKeptForTheStatus(t *testing.T) {
	t.Parallel()
	f := shop()
	f.rules = append([]rule{{words: []string{`"hive"."information_schema"."schemata"`}, err: &warehouse.Error{Name: "HIVE_METASTORE_ERROR", Message: "no metastore"}}}, f.rules...)
	_, report := readFrom(t, f, Before{}, Options{})
	require.Equal(t, []source.Lost{{Where: "hive", Why: "HIVE_METASTORE_ERROR: no metastore"}}, report.Lost)
}

const killedEnv = "DIBRAIN_TEST_TRINO_NOTES"

// TestKilledInTheMiddle kills a process that looks into tables: the next one goes
// on from its notes, and a half record at their end does no harm.
func TestKilledInTheMiddle(t *testing.T) {
	o := Options{Samples: true, Concurrency: 1, Clock: at(noon)}
	if path := os.Getenv(killedEnv); path != "" {
		f := shop()
		f.rules = append([]rule{{words: []string{"SHOW STATS", "dwd_order"}, do: func() {
			self, err := os.FindProcess(os.Getpid())
			require.NoError(t, err)
			require.NoError(t, self.Kill())
			select {} // the signal ends the process
		}}}, f.rules...)
		notes, err := openJournal(path, "job", noon)
		require.NoError(t, err)
		readFrom(t, f, Before{journal: notes}, o)
	}
	path := filepath.Join(t.TempDir(), "notes")
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledInTheMiddle$")
	child.Env = append(os.Environ(), killedEnv+"="+path)
	require.Error(t, child.Run())
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotEmpty(t, raw)

	want, _ := readFrom(t, shop(), Before{}, o)
	for name, tail := range map[string]string{"whole": "", "half a record": "\x40\x00\x00\x00half", "zeros": strings.Repeat("\x00", 100)} {
		require.NoError(t, os.WriteFile(path, append(append([]byte(nil), raw...), tail...), 0o600))
		notes, err := openJournal(path, "job", noon.Add(time.Hour))
		require.NoError(t, err, name)
		require.Contains(t, notes.resumed(), "3 schemas with 4 tables")
		f := shop()
		got, _ := readFrom(t, f, Before{journal: notes}, o)
		require.Zero(t, f.count(`"information_schema"."columns"`), "what was read is not read again")
		require.Zero(t, f.count("$partitions"))
		require.Equal(t, want, got, name)
		require.NoError(t, notes.close(false))
	}
	// Once more: now all is noted.
	notes, err := openJournal(path, "job", noon.Add(2*time.Hour))
	require.NoError(t, err)
	f := shop()
	got, _ := readFrom(t, f, Before{journal: notes}, o)
	require.Zero(t, f.count("SHOW STATS"))
	require.Equal(t, want, got)
	require.NoError(t, notes.close(true))
	require.NoFileExists(t, path)
}

func TestNotesOfAnotherJobCountForNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "notes")
	fill := func() {
		notes, err := openJournal(path, "job", noon)
		require.NoError(t, err)
		notes.schemaDone(place{region: "a"}, "s", nil)
		require.NoError(t, notes.close(false))
	}
	for name, c := range map[string]struct {
		job string
		at  time.Time
		n   int
	}{
		"the same": {"job", noon.Add(time.Hour), 1},
		"another":  {"other", noon, 0},
		"too old":  {"job", noon.Add(25 * time.Hour), 0},
		"too new":  {"job", noon.Add(-time.Hour), 0},
	} {
		require.NoError(t, os.RemoveAll(path))
		fill()
		notes, err := openJournal(path, c.job, c.at)
		require.NoError(t, err)
		require.Len(t, notes.schemas, c.n, name)
		require.NoError(t, notes.close(false))
	}
}

// TestFullDiskStopsTheNotesOnly writes to the device that is always full.
func TestFullDiskStopsTheNotesOnly(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	notes := &journal{file: full, began: noon}
	s, _ := readFrom(t, shop(), Before{journal: notes}, Options{})
	require.Len(t, s.Tables, 4)
	require.ErrorIs(t, notes.failed, syscall.ENOSPC)
	require.NoError(t, notes.close(false))
}
