package trino

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

func journalled(n int) catalog.Table {
	return catalog.Table{
		Name: catalog.Name{Region: "sg", Schema: "mart", Table: fmt.Sprint("t", n)}, Description: fmt.Sprint("table ", n), RowCount: int64(n),
		Columns: []catalog.Column{{Name: "id", Type: "bigint"}, {Name: fmt.Sprint("c", n), Type: "varchar", Samples: []string{"x"}}},
	}
}

// TestJournalAtEveryByte: whatever is left of a journal after the death of its process,
// what is read of it was noted, in order, and notes go on behind it.
func TestJournalAtEveryByte(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	p := place{region: "sg", catalog: "hive", prefix: "sg_"}
	j, err := openJournal(whole, "job", noon)
	require.NoError(t, err)
	var ends []int64 // of records, from the first on
	noted := func() {
		info, err := os.Stat(whole)
		require.NoError(t, err)
		ends = append(ends, info.Size())
	}
	noted()
	for i := range 3 {
		j.schemaDone(p, fmt.Sprint("s", i), []*entry{{Table: journalled(i)}, {Table: journalled(10 + i)}})
		noted()
		j.stageDone(i+1, &entry{Table: journalled(i)})
		noted()
	}
	j.schemaDone(p, "empty", nil)
	noted()
	require.NoError(t, j.close(false))
	raw, err := os.ReadFile(whole)
	require.NoError(t, err)

	holds := func(j *journal, records int) {
		t.Helper()
		for i := range 3 {
			tables, ok := j.readBefore(p, fmt.Sprint("s", i))
			require.Equal(t, records >= 2*i+2, ok)
			if ok {
				require.Equal(t, []catalog.Table{journalled(i), journalled(10 + i)}, tables)
			}
			asked := journalled(i)
			done, ok := j.doneBefore(&asked)
			require.Equal(t, records >= 2*i+3, ok)
			if ok {
				require.Equal(t, profiled{stage: i + 1, table: journalled(i)}, done)
			}
		}
		tables, ok := j.readBefore(p, "empty")
		require.Equal(t, records >= 8, ok)
		require.Empty(t, tables)
		_, ok = j.readBefore(place{region: "us", catalog: "hive", prefix: "sg_"}, "s0")
		require.False(t, ok, "of another place")
	}
	later := noon.Add(time.Hour)
	for at := 0; at <= len(raw); at += 1 + at%3 {
		path := filepath.Join(dir, "cut")
		require.NoError(t, os.WriteFile(path, raw[:at], 0o600))
		records := 0
		for records < len(ends) && ends[records] <= int64(at) {
			records++
		}
		j, err := openJournal(path, "job", later)
		require.NoError(t, err)
		holds(j, records)
		if records > 0 {
			require.True(t, j.began.Equal(noon), "a journal that is gone on from keeps its age")
		}
		j.stageDone(7, &entry{Table: journalled(99)})
		require.NoError(t, j.close(false))
		again, err := openJournal(path, "job", later)
		require.NoError(t, err)
		holds(again, records)
		asked := journalled(99)
		done, ok := again.doneBefore(&asked)
		require.True(t, ok, "cut at %d", at)
		require.Equal(t, 7, done.stage)
		require.NoError(t, again.close(false))
	}
	for at := 0; at < len(raw); at += 5 { // one bit that fell over
		path := filepath.Join(dir, "bit")
		bad := append([]byte{}, raw...)
		bad[at] ^= 4
		require.NoError(t, os.WriteFile(path, bad, 0o600))
		records := 0
		for records < len(ends) && ends[records] <= int64(at) {
			records++
		}
		j, err := openJournal(path, "job", noon)
		require.NoError(t, err)
		holds(j, records)
		require.NoError(t, j.close(true))
		require.NoFileExists(t, path, "what is done needs no journal")
	}
}

func TestJournalsOfOthersAreBegunAnew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		job  string
		at   time.Time
		kept bool
	}{
		"the same":      {"job", noon, true},
		"a day later":   {"job", noon.Add(resumeWithin), true},
		"an older one":  {"job", noon.Add(resumeWithin + time.Second), false},
		"a later one":   {"job", noon.Add(-time.Second), false},
		"another job's": {"jobs", noon, false},
	} {
		path := filepath.Join(t.TempDir(), "journal")
		p := place{catalog: "hive"}
		j, err := openJournal(path, "job", noon)
		require.NoError(t, err)
		require.Empty(t, j.resumed())
		j.schemaDone(p, "s", []*entry{{Table: journalled(1)}, {Table: journalled(2)}})
		require.NoError(t, j.close(false))
		j, err = openJournal(path, c.job, c.at)
		require.NoError(t, err)
		_, ok := j.readBefore(p, "s")
		require.Equal(t, c.kept, ok, name)
		if c.kept {
			require.Equal(t, "goes on where the ingest of 2026-11-20 12:00 UTC was interrupted: 1 schemas with 2 tables were read already", j.resumed())
		} else {
			require.Empty(t, j.resumed(), name)
			require.Equal(t, c.at, j.began)
		}
		require.NoError(t, j.close(true))
	}
	var none *journal
	_, ok := none.readBefore(place{}, "s")
	require.False(t, ok)
	table := journalled(1)
	_, ok = none.doneBefore(&table)
	require.False(t, ok)
	none.schemaDone(place{}, "s", nil)
	none.stageDone(1, &entry{})
	require.Empty(t, none.resumed())
	require.NoError(t, none.close(true))
	_, err := openJournal(t.TempDir(), "job", noon)
	require.Error(t, err, "a folder is no journal")
}

// TestCutText: a length is believed as far as there are bytes.
func TestCutText(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "a", "数据", string(make([]byte, 300))} {
		whole := append(appendText(nil, s), "rest"...)
		got, rest := cutText(whole)
		require.Equal(t, s, got)
		require.Equal(t, "rest", string(rest))
		exact := appendText(nil, s)
		got, rest = cutText(exact)
		require.Equal(t, s, got)
		require.Empty(t, rest)
		for n := range exact {
			got, rest = cutText(exact[:n])
			require.Empty(t, got, "%q cut at %d", s, n)
			require.Nil(t, rest)
		}
	}
	got, rest := cutText(binary.AppendUvarint(nil, 1<<63))
	require.Empty(t, got)
	require.Nil(t, rest)
}
