package dbt

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
)

// projectOf puts a manifest and a catalog together.
func projectOf(t *testing.T, written, beside string) *project {
	t.Helper()
	var m manifest
	require.NoError(t, json.Unmarshal([]byte(written), &m))
	var d docs
	if beside != "" {
		require.NoError(t, json.Unmarshal([]byte(beside), &d))
	}
	return newProject(&m, d)
}

// TestUpstreamIsFollowedThroughEphemeralModels: what a model reads is told, sorted and once;
// an ephemeral model is no table, and what it reads stands in its place, also where models
// read each other in a circle.
func TestUpstreamIsFollowedThroughEphemeralModels(t *testing.T) {
	t.Parallel()
	p := projectOf(t, `{"nodes": {
		"model.p.top": {"resource_type": "model", "name": "top", "schema": "s", "depends_on": {"nodes": ["model.p.b", "model.p.mid", "source.p.erp.raw", "macro.p.x", "model.p.gone"]}},
		"model.p.b": {"resource_type": "model", "name": "b", "schema": "s", "depends_on": {"nodes": ["model.p.top"]}},
		"model.p.mid": {"resource_type": "model", "name": "mid", "config": {"materialized": "ephemeral"}, "depends_on": {"nodes": ["seed.p.a", "model.p.b", "model.p.deep"]}},
		"model.p.deep": {"resource_type": "model", "name": "deep", "config": {"materialized": "ephemeral"}, "depends_on": {"nodes": ["model.p.mid", "model.p.top", "seed.p.z"]}},
		"seed.p.a": {"resource_type": "seed", "name": "a", "schema": "s"}, "seed.p.z": {"resource_type": "seed", "name": "z", "schema": "s"}},
		"sources": {"source.p.erp.raw": {"source_name": "erp", "name": "raw", "schema": "erp"}}}`, "")
	var names []string
	for _, n := range p.table("model.p.top").Upstream {
		names = append(names, n.String())
	}
	require.Equal(t, []string{"erp.raw", "s.a", "s.b", "s.z"}, names)
	require.Empty(t, p.table("seed.p.a").Upstream)
}

func TestReferences(t *testing.T) {
	t.Parallel()
	p := projectOf(t, `{"nodes": {
		"model.a.orders": {"resource_type": "model", "package_name": "a", "name": "orders"},
		"model.b.orders": {"resource_type": "model", "package_name": "b", "name": "orders"},
		"seed.b.states": {"resource_type": "seed", "package_name": "b", "name": "states"},
		"snapshot.b.past": {"resource_type": "snapshot", "package_name": "b", "name": "past"},
		"model.b.gone": {"resource_type": "model", "package_name": "b", "name": "gone", "config": {"materialized": "ephemeral"}},
		"analysis.b.x": {"resource_type": "analysis", "package_name": "b", "name": "x"},
		"model.b.null": null},
		"sources": {"source.a.erp.raw": {"source_name": "erp", "name": "raw"}, "source.a.none": null}}`, "")
	require.Len(t, p.tables, 5)
	for _, c := range []struct{ reference, from, want string }{
		{"ref('orders')", "a", "model.a.orders"},
		{"ref('orders')", "b", "model.b.orders"},
		{"ref('orders')", "c", "model.a.orders"},
		{"ref('b', 'orders')", "a", "model.b.orders"},
		{`{{ ref( "a" , "orders" ) }}`, "b", "model.a.orders"},
		{"ref('orders', v=2)", "b", "model.b.orders"},
		{"get_where_subquery(ref('states'))", "a", "seed.b.states"},
		{"ref('past')", "", "snapshot.b.past"},
		{"ref('gone')", "b", ""},
		{"ref('x')", "b", ""},
		{"source('erp', 'raw')", "b", "source.a.erp.raw"},
		{"source('erp', 'other')", "b", ""},
		{"orders", "a", ""},
		{"", "a", ""},
	} {
		require.Equal(t, c.want, p.refer(c.reference, c.from), "%+v", c)
	}
}

func TestNamesOfTables(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]node{
		"d.s.alias": {Database: "d", Schema: "s", Alias: "alias", Identifier: "id", Name: "n"},
		"d.s.id":    {Database: "d", Schema: "s", Identifier: "id", Name: "n"},
		"d.s.n":     {Database: "d", Schema: "s", Name: "n"},
	} {
		require.Equal(t, want, n.name().String())
	}
}

// TestMeta: what is said of a model comes before its config's word, and that before its
// source's; lists and persons become texts.
func TestMeta(t *testing.T) {
	t.Parallel()
	p := projectOf(t, `{"groups": {"g": {"name": "crew", "owner": {"email": "c@example.com"}}, "h": {"name": "solo", "owner": {}}, "i": null, "j": {"name": "", "owner": {"name": "nobody"}}},
		"nodes": {
		"model.x.a": {"resource_type": "model", "name": "a", "tags": ["t"], "group": "crew",
			"meta": {"mart": " Sales ", "quality": 0.5, "topic": ["x", 1.5, true], "layer": "DWD", "owner": {"name": "", "email": "o@example.com"}, "manifest": {"other": 1}},
			"config": {"materialized": "view", "meta": {"mart": "Other", "country": "SG", "grain": "a day", "manifest": "m"}},
			"source_meta": {"successor": "b", "grain": "a month"}},
		"model.x.b": {"resource_type": "model", "name": "b", "group": "crew", "meta": {"quality": "2"}},
		"model.x.c": {"resource_type": "model", "name": "c", "config": {"group": "solo"}, "meta": {"quality": "-1"}, "source_description": "of the source"},
		"model.x.d": {"resource_type": "model", "name": "d", "meta": {"quality": "good"}, "description": "own", "source_description": "of the source"}}}`, "")
	require.Equal(t, catalog.Table{
		Name: catalog.Name{Table: "a"}, Kind: catalog.KindView, Tags: []string{"t"}, RowCount: -1, Mart: "Sales", Quality: 0.5, Topic: "x, 1.5, true",
		Layer: "dwd", Owner: "o@example.com", Country: "SG", Grain: "a day", Manifest: "m", Successor: "b",
	}, p.table("model.x.a"))
	require.Equal(t, catalog.Table{Name: catalog.Name{Table: "b"}, Kind: catalog.KindTable, RowCount: -1, Quality: 1, Owner: "c@example.com"}, p.table("model.x.b"))
	require.Equal(t, catalog.Table{Name: catalog.Name{Table: "c"}, Kind: catalog.KindTable, RowCount: -1, Owner: "solo", Description: "of the source"}, p.table("model.x.c"))
	require.Equal(t, catalog.Table{Name: catalog.Name{Table: "d"}, Kind: catalog.KindTable, RowCount: -1, Description: "own"}, p.table("model.x.d"))
}

// TestWhatTheWarehouseSays: the catalog beside a manifest gives types, columns, rows
// and times; what a person wrote of them stays.
func TestWhatTheWarehouseSays(t *testing.T) {
	t.Parallel()
	p := projectOf(t, `{"nodes": {
		"model.x.a": {"resource_type": "model", "name": "a", "columns": {
			"Two": {"name": "Two", "description": "said", "data_type": "int"},
			"new": {"description": "not there yet", "data_type": "date"}}},
		"model.x.b": {"resource_type": "model", "name": "b", "description": "said"}},
		"sources": {"source.x.c": {"name": "c", "source_name": "e"}}}`,
		`{"nodes": {
		"model.x.a": {"metadata": {"type": "BASE TABLE", "comment": "found"}, "columns": {
			"TWO": {"type": "BIGINT", "comment": "found", "index": 2},
			"x": {"name": "ONE", "type": "VARCHAR", "comment": "first", "index": 1},
			"three": {"type": "", "index": 3}, "also": {"index": 3}},
			"stats": {"num_rows": {"value": -1}, "row_count": {"value": 7}, "rows": {"value": 9}, "last_modified": {"value": "when?"}, "last_altered": {"value": "2030-01-02 03:04UTC"}}},
		"model.x.b": {"metadata": {"type": "Materialized View", "comment": "found"}, "stats": {"num_rows": {"value": 0}, "rows": {"value": 5}, "last_modified": {"value": "2030-01-02T03:04:05+01:00"}, "last_altered": {"value": "2031-01-02 03:04"}}}},
		"sources": {"source.x.c": {"metadata": {"type": "view"}, "stats": {"num_rows": {"value": "many"}, "rows": {"value": 5}}}}}`)
	require.Equal(t, catalog.Table{
		Name: catalog.Name{Table: "a"}, Kind: catalog.KindTable, Description: "found", RowCount: 7, UpdatedAt: time.Date(2030, 1, 2, 3, 4, 0, 0, time.UTC),
		Columns: []catalog.Column{
			{Name: "ONE", Type: "varchar", Comment: "first"}, {Name: "TWO", Type: "bigint", Comment: "said"},
			{Name: "also"}, {Name: "three"}, {Name: "new", Type: "date", Comment: "not there yet"},
		},
	}, p.table("model.x.a"))
	require.Equal(t, catalog.Table{
		Name: catalog.Name{Table: "b"}, Kind: catalog.KindView, Description: "said", UpdatedAt: time.Date(2030, 1, 2, 2, 4, 5, 0, time.UTC),
	}, p.table("model.x.b"))
	require.Equal(t, catalog.Table{Name: catalog.Name{Table: "c"}, Kind: catalog.KindView, RowCount: 5}, p.table("source.x.c"))
}

func TestMoments(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2030-01-02T03:04:05Z":          at,
		"2030-01-02T04:04:05+01:00":     at,
		"2030-01-02 03:04:05":           at,
		"2030-01-02 03:04:05UTC":        at,
		"2030-01-02 03:04:05 UTC":       at,
		"2030-01-02 03:04:05.25":        at.Add(250 * time.Millisecond),
		"2030-01-02 05:04:05.25+02:00":  at.Add(250 * time.Millisecond),
		"2030-01-02 03:04":              at.Add(-5 * time.Second),
		"2030-01-02":                    {},
		"":                              {},
		"2030-01-02 03:04:05 and later": {},
	} {
		got, ok := moment(text)
		require.Equal(t, want, got, text)
		require.Equal(t, !want.IsZero(), ok, text)
		require.Equal(t, time.UTC, got.Location())
	}
}

// TestConstraintsAndTests: keys come from what a model declares and from what its tests
// say; a key points only to a table that is known, once.
func TestConstraintsAndTests(t *testing.T) {
	t.Parallel()
	test := func(name, column, args string) string {
		return `{"resource_type": "test", "package_name": "x", "attached_node": "model.x.a", "column_name": "` + column + `", "test_metadata": {"name": "` + name + `", "kwargs": {` + args + `}}}`
	}
	table := func(of, tests string) catalog.Table {
		written := `{"nodes": {
			"model.x.b": {"resource_type": "model", "package_name": "x", "name": "b", "schema": "s"},
			"model.x.a": {"resource_type": "model", "package_name": "x", "name": "a", "columns": {"id": {}, "code": {}, "b_id": {"constraints": [` + of + `]}}` + tests
		return projectOf(t, written, "").table("model.x.a")
	}
	b := catalog.Name{Schema: "s", Table: "b"}
	for what, c := range map[string]struct {
		column, rest string // constraints of b_id; what follows the columns
		key, notNull []string
		foreign      []catalog.ForeignKey
		samples      []string // of code
	}{
		"nothing":              {rest: `}}}`},
		"key of the model":     {rest: `, "primary_key": ["ID", "code", "gone"]}}}`, key: []string{"id", "code"}, notNull: []string{"id", "code"}},
		"key by a constraint":  {rest: `, "constraints": [{"type": "primary_key", "columns": ["code"]}]}}}`, key: []string{"code"}, notNull: []string{"code"}},
		"column's key":         {column: `{"type": "primary_key"}`, rest: `}}}`, key: []string{"b_id"}, notNull: []string{"b_id"}},
		"not null":             {column: `{"type": "not_null"}`, rest: `, "constraints": [{"type": "not_null", "columns": ["ID", "gone"]}]}}}`, notNull: []string{"id", "b_id"}},
		"another constraint":   {column: `{"type": "check"}`, rest: `}}}`},
		"foreign key":          {column: `{"type": "foreign_key", "to": "ref('b')", "to_columns": ["id"]}`, rest: `}}}`, foreign: []catalog.ForeignKey{{Columns: []string{"b_id"}, RefTable: b, RefColumns: []string{"id"}}}},
		"of the model":         {rest: `, "constraints": [{"type": "foreign_key", "columns": ["id", "code"], "to": "ref('b')", "to_columns": ["u", "v"]}]}}}`, foreign: []catalog.ForeignKey{{Columns: []string{"id", "code"}, RefTable: b, RefColumns: []string{"u", "v"}}}},
		"to nowhere":           {column: `{"type": "foreign_key", "to": "ref('gone')", "to_columns": ["id"]}`, rest: `}}}`},
		"to no column":         {rest: `}, "test.1": ` + test("relationships", "b_id", `"to": "ref('b')"`) + `}}`},
		"said twice":           {column: `{"type": "foreign_key", "to": "ref('b')", "to_columns": ["id"]}`, rest: `}, "test.1": ` + test("relationships", "b_id", `"to": "ref('b')", "field": "id"`) + `}}`, foreign: []catalog.ForeignKey{{Columns: []string{"b_id"}, RefTable: b, RefColumns: []string{"id"}}}},
		"two different":        {column: `{"type": "foreign_key", "to": "ref('b')", "to_columns": ["id"]}`, rest: `}, "test.1": ` + test("relationships", "b_id", `"to": "ref('b')", "field": "other"`) + `}}`, foreign: []catalog.ForeignKey{{Columns: []string{"b_id"}, RefTable: b, RefColumns: []string{"id"}}, {Columns: []string{"b_id"}, RefTable: b, RefColumns: []string{"other"}}}},
		"tested not null":      {rest: `}, "test.1": ` + test("not_null", "CODE", "") + `}}`, notNull: []string{"code"}},
		"tested by arguments":  {rest: `}, "test.1": ` + test("not_null", "", `"column_name": "code"`) + `}}`, notNull: []string{"code"}},
		"of no column":         {rest: `}, "test.1": ` + test("not_null", "", "") + `}}`},
		"another test":         {rest: `}, "test.1": ` + test("positive", "code", "") + `}}`},
		"unique":               {rest: `}, "test.1": ` + test("unique", "code", "") + `, "test.2": ` + test("unique", "id", "") + `}}`, key: []string{"id"}},
		"unique, never absent": {rest: `}, "test.1": ` + test("unique", "id", "") + `, "test.2": ` + test("unique", "CODE", "") + `, "test.3": ` + test("not_null", "code", "") + `}}`, key: []string{"code"}, notNull: []string{"code"}},
		"a key is there":       {rest: `, "primary_key": ["b_id"]}, "test.1": ` + test("unique", "id", "") + `}}`, key: []string{"b_id"}, notNull: []string{"b_id"}},
		"values":               {rest: `}, "test.1": ` + test("accepted_values", "code", `"values": ["a", 2, "", null, true]`) + `, "test.2": ` + test("accepted_values", "code", `"values": ["z"]`) + `}}`, samples: []string{"a", "2", "true"}},
		"values of no column":  {rest: `}, "test.1": ` + test("accepted_values", "gone", `"values": ["a"]`) + `}}`},
		"values in no list":    {rest: `}, "test.1": ` + test("accepted_values", "code", `"values": "a"`) + `}}`},
		"attached by argument": {rest: `}, "test.1": {"resource_type": "test", "package_name": "x", "column_name": "id", "test_metadata": {"name": "not_null", "kwargs": {"model": "{{ get_where_subquery(ref('a')) }}"}}}}}`, notNull: []string{"id"}},
		"of another":           {rest: `}, "test.1": {"resource_type": "test", "package_name": "x", "attached_node": "model.x.b", "column_name": "id", "test_metadata": {"name": "not_null", "kwargs": {"model": "ref('a')"}}}}}`},
		"no test metadata":     {rest: `}, "test.1": {"resource_type": "test", "attached_node": "model.x.a", "column_name": "id"}}}`},
	} {
		got := table(c.column, c.rest)
		var notNull []string
		var samples []string
		for _, column := range got.Columns {
			if column.NotNull {
				notNull = append(notNull, column.Name)
			}
			samples = append(samples, column.Samples...)
		}
		require.Len(t, got.Columns, 3, what)
		require.ElementsMatch(t, c.key, got.PrimaryKey(), what)
		require.Equal(t, c.notNull, notNull, what)
		require.Equal(t, c.foreign, got.ForeignKeys, what)
		require.Equal(t, c.samples, samples, what)
	}
}

const small = `{"metadata": {"dbt_schema_version": "https://x/manifest/v12.json"}, "nodes": {"model.x.a": {"resource_type": "model", "name": "a", "columns": {"id": {"data_type": "bigint"}}}}}`

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, text, 0o600))
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

func take1(t *testing.T, path string, options ingest.Options) (ingest.Report, error) {
	t.Helper()
	s, err := source.Open(t.TempDir())
	require.NoError(t, err)
	return Ingest(t.Context(), s, "shop", path, options)
}

// TestWhereAManifestIsFound gives a file, a folder, a project, packed or not.
func TestWhereAManifestIsFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at   string
		text []byte
	}{
		{"manifest.json", []byte(small)},
		{"manifest.json.gz", packed(t, small)},
		{"manifest.json", packed(t, small)},
		{filepath.Join("target", "manifest.json"), []byte(small)},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, c.at), c.text)
		for _, path := range []string{dir, filepath.Join(dir, c.at)} {
			report, err := take1(t, path, ingest.Options{})
			require.NoError(t, err, c.at)
			require.Len(t, report.Tables, 1)
			require.Empty(t, report.Problems)
		}
	}
	// The first of them counts.
	dir := t.TempDir()
	write(t, filepath.Join(dir, "manifest.json"), []byte(small))
	write(t, filepath.Join(dir, "target", "manifest.json"), []byte("{"))
	_, err := take1(t, dir, ingest.Options{})
	require.NoError(t, err)
}

// TestDamagedManifests cuts a manifest, plain and packed, at each byte: none is read,
// and none is taken for another fault.
func TestDamagedManifests(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var whole manifest
	require.NoError(t, json.Unmarshal([]byte(small), &whole))
	for name, text := range map[string][]byte{"plain": []byte(small), "packed": packed(t, small)} {
		for n := range len(text) - 1 {
			path := filepath.Join(dir, name)
			write(t, path, text[:n])
			var m manifest
			if err := read(path, &m); err == nil { // what is cut off is behind the JSON
				require.Equal(t, "packed", name, n)
				require.Equal(t, whole, m, n)
			}
		}
	}
	for what, c := range map[string]struct{ text, reason string }{
		"cut":              {small[:len(small)-1], "DBT_MANIFEST_INVALID"},
		"columns no table": {strings.Replace(small, `{"id": {"data_type": "bigint"}}`, `{"id": 1}`, 1), "DBT_MANIFEST_INVALID"},
		"columns a list":   {strings.Replace(small, `{"id": {"data_type": "bigint"}}`, `[1]`, 1), ""},
		"columns null":     {strings.Replace(small, `{"id": {"data_type": "bigint"}}`, `null`, 1), ""},
		"no form":          {strings.Replace(small, "/manifest/v12.json", "/catalog/v12.json", 1), "DBT_MANIFEST_INVALID"},
		"form in letters":  {strings.Replace(small, "v12", "vx", 1), "DBT_MANIFEST_INVALID"},
		"form without end": {strings.Replace(small, "v12", "v99999999999999999999", 1), ""},
	} {
		path := filepath.Join(t.TempDir(), "manifest.json")
		write(t, path, []byte(c.text))
		_, err := take1(t, path, ingest.Options{})
		require.Equal(t, c.reason, fault.ReasonOf(err), what)
	}
}

// TestWhatIsTold: what cannot be read beside a manifest, and a form that is not known,
// are told with their file, and the progress comes to its end.
func TestWhatIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, beside := filepath.Join(dir, "manifest.json"), filepath.Join(dir, "catalog.json")
	write(t, path, []byte(strings.Replace(small, "v12", "v13", 1)))
	write(t, beside, []byte(`{"nodes": {"model.x.a": {"columns": {"id": {"type": "date"}}}}, "sources": 1}`))
	var steps [][2]int
	report, err := take1(t, dir, ingest.Options{Progress: func(done, total int, _ string) { steps = append(steps, [2]int{done, total}) }})
	require.NoError(t, err)
	require.Len(t, report.Problems, 2)
	require.Equal(t, path, report.Problems[0].File)
	require.Equal(t, ingest.KindNote, report.Problems[0].Kind)
	require.Equal(t, beside, report.Problems[1].File)
	require.Equal(t, ingest.KindNote, report.Problems[1].Kind)
	require.Equal(t, [][2]int{{0, 1}, {1, 1}}, steps)
	// A catalog that is larger than files may be is not read.
	write(t, path, []byte(small))
	write(t, beside, []byte(`{"nodes": {"model.x.a": {"columns": {"late": {"type": "date"}}}}}`+strings.Repeat(" ", len(small))))
	s, err := source.Open(t.TempDir())
	require.NoError(t, err)
	report, err = Ingest(t.Context(), s, "shop", dir, ingest.Options{MaxFileBytes: int64(len(small))})
	require.NoError(t, err)
	require.Len(t, report.Problems, 1)
	require.Equal(t, beside, report.Problems[0].File)
	g, err := s.Current("shop")
	require.NoError(t, err)
	c, err := g.Snapshot()
	require.NoError(t, err)
	require.Len(t, c.Tables[0].Columns, 1)
	// A manifest that is larger is refused.
	_, err = take1(t, dir, ingest.Options{MaxFileBytes: 20})
	require.Equal(t, "INPUT_TOO_LARGE", fault.ReasonOf(err))
	// A table that is there twice is told with the manifest's file.
	write(t, path, []byte(strings.Replace(small, `"nodes": {`, `"nodes": {"model.y.a": {"resource_type": "model", "name": "a"}, `, 1)))
	require.NoError(t, os.Remove(beside))
	report, err = take1(t, dir, ingest.Options{})
	require.NoError(t, err)
	require.Len(t, report.Tables, 1)
	require.Len(t, report.Problems, 1)
	require.Equal(t, path, report.Problems[0].File)
	require.Equal(t, ingest.KindTableSkipped, report.Problems[0].Kind)
}
