package history_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/history"
)

// TestFilesOfAFolder: the files that hold events are read in order, in folders too,
// as many as may be; what cannot be read costs nothing but itself.
func TestFilesOfAFolder(t *testing.T) {
	t.Parallel()
	one := func(id string) string {
		return query{id: id, user: "ann", at: "2026-11-20T10:00:00Z", tables: []string{"orders(id)"}, sql: "SELECT 1"}.json(t, false)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(one("q3")))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	half := packed.String()[:packed.Len()-12]
	dir := folder(t, map[string]string{
		"a.json": one("q1"), "b.NDJSON": one("q2"), "c.jsonl.gz": packed.String(), "notes.txt": one("q4"), "d.gz": one("q5"),
		"half.jsonl.gz": half, "no gzip.json.gz": "\x1f\x8bnone", "list.json": "[" + one("q6") + "," + one("q7") + "]", "empty.json": "", "broken list.json": "[" + one("q8") + ", nothing",
	})
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "x.jsonl"), []byte(one("q9")), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(dir, "a.json"), filepath.Join(dir, "z.json")))
	var told []string
	report, err := history.Ingest(t.Context(), warehouse(t), "wh", dir, history.Options{Progress: func(done, total int, what string) {
		if total > 0 {
			told = append(told, fmt.Sprintf("%d/%d %s", done, total, what))
		}
	}})
	require.NoError(t, err)
	require.Equal(t, 7, report.Queries, "q1 q2 q3 q6 q7 q8 q9")
	var problems []string
	for _, p := range report.Problems {
		problems = append(problems, filepath.Base(p.File)+": "+p.Message)
	}
	require.Len(t, problems, 4, "%q", problems)
	require.Contains(t, problems[0], "z.json: this is left out: it is no file")
	require.Contains(t, problems[1], "broken list.json: the rest of this file is left out: event 2 of it")
	require.Contains(t, problems[2], "half.jsonl.gz: the rest of this file is left out")
	require.Contains(t, problems[3], "no gzip.json.gz: the rest of this file is left out")
	require.Equal(t, 3, report.Broken)
	require.Equal(t, []string{"1/9 a.json", "2/9 b.NDJSON", "3/9 broken list.json", "4/9 c.jsonl.gz", "5/9 empty.json", "6/9 half.jsonl.gz", "7/9 list.json", "8/9 no gzip.json.gz", "9/9 x.jsonl"}, told)

	_, err = history.Ingest(t.Context(), warehouse(t), "wh", dir, history.Options{MaxFiles: 9})
	require.NoError(t, err)
	_, err = history.Ingest(t.Context(), warehouse(t), "wh", dir, history.Options{MaxFiles: 8})
	require.Equal(t, "HISTORY_TOO_LARGE", fault.ReasonOf(err))
	few, err := history.Ingest(t.Context(), warehouse(t), "wh", dir, history.Options{MaxProblems: 1})
	require.NoError(t, err)
	require.Len(t, few.Problems, 1)
	require.Equal(t, 3, few.Dropped)
}

// TestOldQueriesAreCountedAsOld: what comes before the days that are kept is told and
// not counted, and events of other kinds and the product's own are passed over.
func TestOldQueriesAreCountedAsOld(t *testing.T) {
	t.Parallel()
	at := func(id, day string) string {
		return query{id: id, user: "ann", at: day + "T10:00:00Z", tables: []string{"orders(id)"}, sql: "SELECT 1"}.json(t, false)
	}
	own := bytes.ReplaceAll(bytes.ReplaceAll([]byte(at("q5", "2026-11-20")), []byte(`"trino-cli"`), []byte(`"dibrain"`)), []byte(`"clientTags":[]`), []byte(`"clientTags":["ingest"]`))
	other := bytes.ReplaceAll([]byte(at("q6", "2026-11-20")), []byte(`"endTime"`), []byte(`"other"`))
	text := at("q1", "2026-11-20") + at("q2", "2026-11-10") + at("q3", "2026-11-09") + at("q4", "2026-11-01") + string(own) + string(other)
	s := warehouse(t)
	report, err := history.Ingest(t.Context(), s, "wh", folder(t, map[string]string{"a.jsonl": text}), history.Options{KeepDays: 10})
	require.NoError(t, err)
	require.Equal(t, 2, report.Queries)
	require.Equal(t, 2, report.TooOld)
	require.EqualValues(t, 2, tableOf(t, s, "orders").QueryCount30d)

	// What is no longer kept is counted anew when it is given again with more days.
	late := folder(t, map[string]string{"b.jsonl": at("q7", "2026-12-20")})
	_, err = history.Ingest(t.Context(), s, "wh", late, history.Options{KeepDays: 10})
	require.NoError(t, err)
	report, err = history.Ingest(t.Context(), s, "wh", folder(t, map[string]string{"a.jsonl": text}), history.Options{KeepDays: 90})
	require.NoError(t, err)
	require.Equal(t, 4, report.Queries, "the days before were forgotten with what was counted of them")
}

// TestWhoseQueriesAreCounted: of the product's own queries those of the ingest tell nothing
// of what people need; what people ask through the product counts as what they ask elsewhere,
// and so does what others tag.
func TestWhoseQueriesAreCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source, tags string
		counted      bool
	}{
		{"dibrain", `["ingest"]`, false}, {"dibrain", `["run","ingest"]`, false},
		{"dibrain", `[]`, true}, {"dibrain", `["run_7"]`, true}, {"dibrain", `["ingesting"]`, true},
		{"airflow", `["ingest"]`, true}, {"trino-cli", `[]`, true}, {"", `[]`, true},
	} {
		text := query{id: "q", user: "ann", at: "2026-11-20T10:00:00Z", tables: []string{"orders(id)"}, sql: "SELECT 1"}.json(t, false)
		text = strings.ReplaceAll(strings.ReplaceAll(text, `"trino-cli"`, `"`+c.source+`"`), `"clientTags":[]`, `"clientTags":`+c.tags)
		text += query{id: "other", user: "ann", at: "2026-11-20T10:00:00Z", tables: []string{"customer(id)"}, sql: "SELECT 1"}.json(t, false)
		s := warehouse(t)
		report, err := history.Ingest(t.Context(), s, "wh", folder(t, map[string]string{"a.jsonl": text}), history.Options{})
		require.NoError(t, err)
		require.Equal(t, map[bool]int{false: 1, true: 2}[c.counted], report.Queries, "%s %s", c.source, c.tags)
		require.EqualValues(t, map[bool]int{true: 1}[c.counted], tableOf(t, s, "orders").QueryCount30d, "%s %s", c.source, c.tags)
	}
}
