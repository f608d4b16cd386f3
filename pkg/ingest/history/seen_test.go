package history

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func someSeen(t *testing.T) *seen {
	t.Helper()
	s, random := newSeen(), rand.New(rand.NewPCG(3, 4))
	for i := range 40 {
		_, err := s.add(noon.Add(time.Duration(random.IntN(60*24))*time.Hour), fmt.Sprint("q", i), Options{}.complete())
		require.NoError(t, err)
	}
	return s
}

// TestSeenComesBack: what was counted is there again, the same bytes for the same
// queries, and a file that is damaged anywhere is told.
func TestSeenComesBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty, err := readSeen(dir)
	require.NoError(t, err)
	require.Equal(t, newSeen(), empty)
	s := someSeen(t)
	require.NoError(t, s.write(dir))
	got, err := readSeen(dir)
	require.NoError(t, err)
	require.Equal(t, s, got)
	path := filepath.Join(dir, source.HistoryFile)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	for range 5 {
		require.NoError(t, s.write(dir))
		again, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, raw, again)
	}
	for at := range raw {
		damaged := append([]byte{}, raw...)
		damaged[at] ^= 0x10
		for _, bad := range [][]byte{damaged, raw[:at]} {
			require.NoError(t, os.WriteFile(path, bad, 0o600))
			_, err := readSeen(dir)
			require.Equal(t, "HISTORY_DAMAGED", fault.ReasonOf(err), at)
		}
	}
	// A body that is cut and signed again has whole days, or is refused.
	head := len(seenHeader) + 8
	for at := head; at < len(raw); at++ {
		body := raw[head:at]
		cut := binary.LittleEndian.AppendUint64([]byte(seenHeader), xxhash.Sum64(body))
		require.NoError(t, os.WriteFile(path, append(cut, body...), 0o600))
		part, err := readSeen(dir)
		if err != nil {
			require.ErrorContains(t, err, "a number does not fit")
			continue
		}
		for day, of := range part.days {
			require.Equal(t, s.days[day], of)
		}
	}
}

// TestSeenAgainstAModel: a query is counted once, those before the days that are kept
// not at all, and never more than there is room for.
func TestSeenAgainstAModel(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 9))
	for range 50 {
		o := Options{KeepDays: 1 + random.IntN(5), MaxQueries: 5 + random.IntN(20)}.complete()
		s, days, latest := newSeen(), map[string]int64{}, time.Time{}
		for range 120 {
			at, id := noon.Add(time.Duration(random.IntN(10*24*60))*time.Minute), fmt.Sprint("q", random.IntN(40))
			key := fmt.Sprint(at.Unix()/secondsOfDay, id)
			got, err := s.add(at, id, o)
			_, there := days[key]
			switch {
			case !latest.IsZero() && at.Before(latest.AddDate(0, 0, -o.KeepDays)):
				require.NoError(t, err)
				require.Equal(t, tooOld, got)
			case there:
				require.NoError(t, err)
				require.Equal(t, known, got)
			case len(days) == o.MaxQueries:
				require.Equal(t, "HISTORY_TOO_LARGE", fault.ReasonOf(err))
			default:
				require.NoError(t, err)
				require.Equal(t, fresh, got)
				days[key] = at.Unix() / secondsOfDay
				if at.After(latest) {
					latest = at
				}
			}
			require.Equal(t, len(days), s.total)
			require.Equal(t, latest, s.until())
			if random.IntN(20) == 0 {
				since := noon.AddDate(0, 0, random.IntN(10))
				s.drop(since.Format(time.DateOnly))
				for k, day := range days {
					if day < since.Unix()/secondsOfDay {
						delete(days, k)
					}
				}
				require.Equal(t, len(days), s.total)
			}
		}
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Time{
		`"2026-11-20T12:00:00Z"`: noon, `"2026-11-20 12:00:00Z"`: noon, `"2026-11-20T20:00:00.5+08:00"`: noon.Add(500 * time.Millisecond),
		fmt.Sprint(noon.Unix()): noon, fmt.Sprint(noon.UnixMilli()): noon, fmt.Sprintf("%d.25", noon.Unix()): noon.Add(250 * time.Millisecond),
		`null`: {}, `100000000000`: time.Unix(100_000_000_000, 0), `0.5`: time.Unix(0, 5e8),
	} {
		var m moment
		require.NoError(t, json.Unmarshal([]byte(text), &m), text)
		require.True(t, want.Equal(m.Time), "%s: %s", text, m)
	}
	for _, text := range []string{`"soon"`, `0`, `-1`, `10000000000001`, `true`, `[]`, `{}`} {
		var m moment
		require.Error(t, json.Unmarshal([]byte(text), &m), text)
		require.True(t, m.IsZero(), text)
	}
}

// TestNamesInTrino: a table is found by its name in Trino, wherever the source was
// described from, and by no other's.
func TestNamesInTrino(t *testing.T) {
	t.Parallel()
	table := func(region, schema string) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: region, Schema: schema, Table: "orders"}}
	}
	at := func(c, s, n string) catalog.Name { return catalog.Name{Region: c, Schema: s, Table: n} }
	regions := &source.TrinoConnection{Regions: map[string]source.TrinoPlace{"sg": {Catalog: "Hive", SchemaPrefix: "SG_"}, "us": {Catalog: "hive", SchemaPrefix: "us_"}}}
	for name, c := range map[string]struct {
		manifest source.Manifest
		tables   []catalog.Table
		asked    catalog.Name
		want     string
	}{
		"a region":                    {source.Manifest{Trino: regions}, []catalog.Table{table("sg", "mart"), table("us", "mart")}, at("hive", "sg_mart", "orders"), "sg.mart.orders"},
		"the other region":            {source.Manifest{Trino: regions}, []catalog.Table{table("sg", "mart"), table("us", "mart")}, at("HIVE", "US_mart", "ORDERS"), "us.mart.orders"},
		"no region":                   {source.Manifest{Trino: regions}, []catalog.Table{table("sg", "mart")}, at("hive", "mart", "orders"), ""},
		"another catalog":             {source.Manifest{Trino: regions}, []catalog.Table{table("sg", "mart")}, at("lake", "sg_mart", "orders"), ""},
		"its own name in regions":     {source.Manifest{Trino: regions}, []catalog.Table{table("sg", "mart")}, at("sg", "mart", "orders"), ""},
		"its own name":                {source.Manifest{DefaultRegion: "wh"}, []catalog.Table{table("hive", "mart")}, at("hive", "mart", "orders"), "hive.mart.orders"},
		"without the catalog":         {source.Manifest{DefaultRegion: "wh"}, []catalog.Table{table("wh", "mart")}, at("hive", "mart", "orders"), "wh.mart.orders"},
		"the catalog in the schema":   {source.Manifest{DefaultRegion: "wh"}, []catalog.Table{table("wh", "hive.mart")}, at("hive", "mart", "orders"), "wh.hive.mart.orders"},
		"a table that nobody knows":   {source.Manifest{DefaultRegion: "wh"}, []catalog.Table{table("wh", "mart")}, at("hive", "other", "orders"), ""},
		"a Trino that maps no region": {source.Manifest{DefaultRegion: "wh", Trino: &source.TrinoConnection{}}, []catalog.Table{table("hive", "mart")}, at("hive", "mart", "orders"), "hive.mart.orders"},
	} {
		snapshot := &catalog.Snapshot{Tables: c.tables}
		got, ok := newNames(c.manifest, snapshot).Lookup(c.asked)
		require.Equal(t, c.want != "", ok, name)
		if ok {
			require.Equal(t, c.want, got.Name.String(), name)
		} else {
			require.Nil(t, got, name)
		}
	}
}

// TestPairsAreEqualHoweverWritten: columns that join two tables are kept in one order,
// each pair once.
func TestPairsAreEqualHoweverWritten(t *testing.T) {
	t.Parallel()
	all := [][2]string{{"a", "x"}, {"a", "y"}, {"b", "x"}, {"c", "a"}, {"c", "b"}}
	var want pair
	for _, p := range all {
		want.columns, want.toCol = append(want.columns, p[0]), append(want.toCol, p[1])
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		twice := append(append([][2]string{}, all...), all[random.IntN(len(all))], all[random.IntN(len(all))])
		random.Shuffle(len(twice), func(i, j int) { twice[i], twice[j] = twice[j], twice[i] })
		var got pair
		for _, p := range twice {
			got.add(p[0], p[1])
		}
		require.Equal(t, want, got)
	}
}

func TestShapesAreToldApart(t *testing.T) {
	t.Parallel()
	seen := map[uint64]bool{}
	for _, parts := range [][3]string{{"a", "b", "c"}, {"ab", "", "c"}, {"", "ab", "c"}, {"a", "bc", ""}, {"a", "", "bc"}, {"", "", "abc"}, {"abc", "", ""}} {
		var e event
		e.Context.Catalog, e.Context.Schema, e.Metadata.Query = parts[0], parts[1], parts[2]
		require.False(t, seen[shapeKey(&e)], parts)
		seen[shapeKey(&e)] = true
		require.True(t, seen[shapeKey(&e)])
	}
}
