package text2sql

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/text2sql/examples"
	"github.com/dibrain/dibrain/services/text2sql/llm"
	"github.com/dibrain/dibrain/services/text2sql/team"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

const (
	dockLayer = `
metrics:
  - {id: weight, names: {en: weight}, table: main.crate, expr: SUM(weight)}
  - {id: wages, names: {en: wages}, table: main.crew, expr: "SUM(CASE WHEN role = 'Bosun' THEN pay END)"}
dimensions:
  - {id: goods, names: {en: goods}, table: main.crate, expr: goods, values: [{value: Tea}]}
  - {id: role, names: {en: role}, table: main.crew, expr: role, values: [{value: Bosun}]}
entities:
  - {id: crate, names: {en: crate}, table: main.crate, key: [crate_id]}
  - {id: crew, names: {en: crew}, table: main.crew, key: [crew_id]}
filters:
  - {id: heavy, names: {en: heavy}, table: main.crate, expr: weight > 9}
  - {id: bosuns, names: {en: bosuns}, table: main.crew, expr: role = 'Bosun'}
exclusions:
  - {id: no_tea, names: {en: without tea}, table: main.crate, expr: goods <> 'Tea'}
  - {id: no_bosun, names: {en: without bosuns}, table: main.crew, expr: role <> 'Bosun'}
`
	openRules = "rules: [{name: all}]\n"
)

// dock is a service over crates and their crew, under a policy.
type dock struct {
	*Service

	others *others
	store  *source.Store
	tables []catalog.Table
}

// byName describes, of the tables that a test says, those that are asked for.
type byName struct{ *others }

func (c byName) DescribeTables(ctx context.Context, in *findatav1.DescribeTablesRequest, _ ...grpc.CallOption) (*findatav1.DescribeTablesResponse, error) {
	resp := &findatav1.DescribeTablesResponse{}
	for _, t := range c.described {
		if slices.ContainsFunc(in.GetTables(), func(name string) bool { return named(t.Name, name) }) {
			resp.Tables = append(resp.Tables, catalogpb.FromTable(t))
		}
	}
	return resp, c.note(ctx)
}

// make makes a generation of the source with some of its tables.
func (d *dock) make(t *testing.T, engine source.EngineKind, tables ...catalog.Table) {
	t.Helper()
	_, err := d.store.Make(t.Context(), "dock", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		m := source.Manifest{Engine: engine, DefaultRegion: "eu", DefaultSchema: "main"}
		if engine == source.EngineTrino {
			m.Trino = &source.TrinoConnection{URL: "http://localhost:8080", User: "dibrain", Regions: map[string]source.TrinoPlace{"eu": {Catalog: "hive"}}}
		}
		return m, &catalog.Snapshot{Tables: tables}, nil
	})
	require.NoError(t, err)
}

func newDock(t *testing.T, config Config, rules, layer string) *dock {
	t.Helper()
	data := t.TempDir()
	written, file := filepath.Join(semantic.OwnDir(data, "dock"), "dock.yaml"), filepath.Join(data, "policy.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(written), 0o750))
	require.NoError(t, os.WriteFile(written, []byte(layer), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(rules), 0o600))
	store, err := source.Open(data)
	require.NoError(t, err)
	column := func(name, kind string) catalog.Column { return catalog.Column{Name: name, Type: kind} }
	d := &dock{others: &others{}, store: store, tables: []catalog.Table{
		{Name: catalog.Name{Region: "eu", Schema: "main", Table: "crate"}, Columns: []catalog.Column{column("crate_id", "bigint"), column("goods", "varchar"), column("weight", "bigint")}},
		{Name: catalog.Name{Region: "eu", Schema: "main", Table: "crew"}, Columns: []catalog.Column{column("crew_id", "bigint"), column("role", "varchar"), column("pay", "bigint")}},
	}}
	d.make(t, source.EngineDuckDB, d.tables...)
	d.others.described = d.tables
	permitted, err := policy.Open(file, time.Now, nil)
	require.NoError(t, err)
	config.DefaultSource = "dock"
	d.Service, err = New(config, Deps{Sources: store, Catalog: byName{d.others}, ChatBI: d.others, DataDir: data, Policy: permitted})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func asking(id string) context.Context {
	return run.With(context.Background(), run.Context{Principal: run.Principal{ID: id}, Now: time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)})
}

// ids are the names of the parts of a layer, and + for a dimension with values.
func ids(l *semantic.Layer) string {
	var out []string
	if l == nil {
		return "nothing"
	}
	for _, m := range l.Metrics {
		out = append(out, m.ID)
	}
	for _, x := range l.Dimensions {
		out = append(out, x.ID+strings.Repeat("+", min(len(x.Values), 1)))
	}
	for _, e := range l.Entities {
		out = append(out, e.ID)
	}
	for _, f := range append(append([]semantic.Filter{}, l.Filters...), l.Exclusions...) {
		out = append(out, f.ID)
	}
	return strings.Join(out, " ")
}

// TestWhatAModelIsToldOfALayer: only what is over tables that the asker sees, without the
// values of tables of which rows are left out for him; others are told as before.
func TestWhatAModelIsToldOfALayer(t *testing.T) {
	t.Parallel()
	d := newDock(t, Config{}, "rules:\n  - {user: boss}\n  - {table: crate, filter: \"goods <> 'Tea'\"}\n  - {table: crew}\n", dockLayer)
	held, err := d.layers.get("dock")
	require.NoError(t, err)
	whole := ids(held.written)
	for _, c := range []struct {
		who  string
		sees []catalog.Table
		want string
	}{
		{"boss", d.tables, "weight wages goods+ role+ crate crew heavy bosuns no_tea no_bosun"},
		{"ann", d.tables, "weight wages goods role+ crate crew heavy bosuns no_tea no_bosun"},
		{"boss", d.tables[:1], "weight goods+ crate heavy no_tea"},
		{"boss", d.tables[1:], "wages role+ crew bosuns no_bosun"},
		{"boss", nil, "nothing"},
	} {
		d.others.described = c.sees
		got, err := d.visibleLayer(asking(c.who), "dock", held.written)
		require.NoError(t, err)
		require.Equal(t, c.want, ids(got), "%s, %d tables", c.who, len(c.sees))
		require.Equal(t, whole, ids(held.written), "the layer of others stays as it is")
	}
}

// TestExamplesThatAModelIsTold: as many as configured, over tables that the asker reads in
// full: the constants of others would tell of rows that are not his.
func TestExamplesThatAModelIsTold(t *testing.T) {
	t.Parallel()
	const rules = "rules:\n  - {user: boss}\n  - {table: crate, filter: \"goods <> 'Tea'\"}\n  - {table: crew}\n"
	d := newDock(t, Config{Model: llm.Config{MaxExamples: 3}}, rules, dockLayer)
	for i := range 6 {
		table := []string{"crate", "crew"}[i%2]
		e := examples.Example{ID: fmt.Sprintf("ex_%d", i), Source: "dock", Question: fmt.Sprintf("pieces %d of %s", i, table), SQL: fmt.Sprintf("SELECT count(*) AS n FROM main.%s WHERE %s_id = %d", table, table, i),
			Status: examples.Approved, Origin: examples.Person, AddedBy: "carol", AddedAt: time.Unix(int64(i+1), 0), ApprovedBy: "carol"}
		require.NoError(t, d.examples.store.Add(t.Context(), e, e.Question))
	}
	for who, of := range map[string]string{"boss": "crate crew", "ann": "crew"} {
		got, err := d.near(asking(who), In{Source: "dock", Question: "how many pieces?"}, nil)
		require.NoError(t, err)
		require.Len(t, got, 3, who)
		for _, e := range got {
			_, table, _ := strings.Cut(e.SQL, "FROM main.")
			table, _, _ = strings.Cut(table, " ")
			require.Contains(t, of, table, who)
		}
	}
	d.others.described = d.tables[:1]
	got, err := d.near(asking("ann"), In{Source: "dock", Question: "how many pieces?"}, nil)
	require.NoError(t, err)
	require.Empty(t, got, "what is not described is not to be known")
	d.others.err = errAway
	_, err = d.near(asking("ann"), In{Source: "dock", Question: "how many pieces?"}, nil)
	require.ErrorIs(t, err, errAway)
}

// TestWhoseDataAreTried: a statement of a model is tried unasked where the data lie beside
// the server, and nowhere else; asked for, it is tried wherever something runs statements.
func TestWhoseDataAreTried(t *testing.T) {
	t.Parallel()
	for engine, embedded := range map[source.EngineKind]bool{source.EngineDuckDB: true, source.EngineTrino: false} {
		d := newDock(t, Config{}, openRules, dockLayer)
		d.make(t, engine, d.tables...)
		for _, c := range []struct {
			in   In
			want bool
		}{
			{In{Strategy: StrategyLLM, Unsaid: true}, embedded}, {In{Strategy: StrategyRules, Unsaid: true}, false}, {In{Unsaid: true}, false},
			{In{Strategy: StrategyLLM}, false}, {In{Strategy: StrategyLLM, Probe: true}, true}, {In{Strategy: StrategyRules, Probe: true}, true},
		} {
			for _, runs := range []bool{true, false} {
				in := c.in
				in.Source = "dock"
				if d.deps.ChatBI = d.others; !runs {
					d.deps.ChatBI = nil
				}
				_, err := d.admit(t.Context(), &in)
				require.Equal(t, c.in.Strategy == StrategyLLM, err != nil, "there is no model")
				require.Equal(t, c.want && runs, in.Probe, "%s %+v", engine, c.in)
			}
		}
	}
}

// TestLayersAsAskersMayKnowThemAreBounded: as many are kept as allowed, one for all with the
// same rights, and another generation of the tables makes them anew.
func TestLayersAsAskersMayKnowThemAreBounded(t *testing.T) {
	t.Parallel()
	d := newDock(t, Config{}, "rules:\n  - {user: boss}\n  - {name: rest}\n", dockLayer)
	held, err := d.layers.get("dock")
	require.NoError(t, err)
	of := func(who string) heldLayer {
		got, err := d.permitted(asking(who), "dock", held)
		require.NoError(t, err)
		return got
	}
	require.Equal(t, of("ann"), of("ann"))
	require.Contains(t, ids(of("ann").written), "wages")
	d.make(t, source.EngineDuckDB, d.tables[0]) // the crew's table goes: nobody can say who may read its values
	require.NotContains(t, ids(of("ann").written), "wages")
	d.make(t, source.EngineDuckDB, d.tables...)
	require.Contains(t, ids(of("ann").written), "wages")
	for i := range 3 * maxPermitted {
		d.byRights.held[permittedKey{generation: fmt.Sprint(len(d.byRights.held)), rights: fmt.Sprint(i)}] = heldLayer{}
		if len(d.byRights.held) >= maxPermitted {
			break
		}
	}
	d.make(t, source.EngineDuckDB, d.tables...)
	_ = of("ann")
	require.LessOrEqual(t, len(d.byRights.held), maxPermitted)
	require.Equal(t, of("ann"), of("ann"))
}

// TestTablesOfAVerifiedQuery: all of them have to be there for the asker, whole ones to be
// told of, and no more than a question may be about.
func TestTablesOfAVerifiedQuery(t *testing.T) {
	t.Parallel()
	d := newDock(t, Config{MaxTables: 2}, "rules:\n  - {user: boss}\n  - {table: crate, filter: \"goods <> 'Tea'\"}\n  - {table: crew}\n", dockLayer)
	for _, c := range []struct {
		who       string
		names     []string
		described []catalog.Table
		there     bool
		whole     bool
	}{
		{"boss", []string{"main.crate", "crew"}, d.tables, true, true},
		{"ann", []string{"main.crate", "crew"}, d.tables, true, false},
		{"ann", []string{"crew"}, d.tables[1:], true, true},
		{"boss", []string{"main.crate", "crew"}, d.tables[:1], false, false},
		{"boss", []string{"main.crate", "crew"}, nil, false, false},
		{"boss", []string{"other.crate"}, d.tables, false, false},
		{"boss", []string{"crate", "crew", "main.crate"}, d.tables, false, false},
		{"boss", nil, d.tables, false, false},
	} {
		d.others.described = c.described
		tables, whole, err := d.mayRead(asking(c.who), "dock", c.names)
		require.NoError(t, err)
		require.Equal(t, c.there, tables != nil, "%+v", c)
		require.Equal(t, c.whole, whole, "%+v", c)
	}
}

// TestExamplesFollowTheirLayer: another layer of a source has other examples, and a change of
// the store is seen, though each is remembered.
func TestExamplesFollowTheirLayer(t *testing.T) {
	t.Parallel()
	d := newDock(t, Config{}, openRules, dockLayer)
	layer := func(sql string) *semantic.Layer {
		return &semantic.Layer{Examples: []semantic.Example{{ID: "x", Question: semantic.Text{EN: "how many"}, SQL: sql}}}
	}
	of := func(l *semantic.Layer) (sql []string) {
		h, err := d.examples.of(t.Context(), "dock", l)
		require.NoError(t, err)
		for _, p := range h.prepared {
			sql = append(sql, p.SQL)
		}
		return sql
	}
	one, two := layer("SELECT 1"), layer("SELECT 2")
	require.Equal(t, []string{"SELECT 1"}, of(one))
	require.Equal(t, []string{"SELECT 2"}, of(two))
	require.Empty(t, of(nil))
	require.Equal(t, []string{"SELECT 1"}, of(one))
	e := examples.Example{ID: "ex_1", Source: "dock", Question: "q", SQL: "SELECT 3", Status: examples.Approved, AddedBy: "a", AddedAt: time.Unix(1, 0)}
	require.NoError(t, d.examples.store.Add(t.Context(), e, "q"))
	require.Equal(t, []string{"SELECT 1", "SELECT 3"}, of(one))
	require.NoError(t, d.examples.store.Remove(t.Context(), e))
	require.Equal(t, []string{"SELECT 1"}, of(one))
}

// TestTermsAreBounded: of a layer with more names than the contract allows as many are told.
func TestTermsAreBounded(t *testing.T) {
	t.Parallel()
	d := newDock(t, Config{}, openRules, dockLayer)
	held, err := d.layers.get("dock")
	require.NoError(t, err)
	for i := range maxTerms + 5 {
		held.written.Dimensions = append(held.written.Dimensions, semantic.Dimension{ID: fmt.Sprint("d", i), Table: "main.crate", Expr: "goods"})
	}
	d.others.described = d.tables[:1]
	resp, err := d.DescribeTerms(asking("boss"), &text2sqlv1.DescribeTermsRequest{Tables: []string{"eu.main.crate"}})
	require.NoError(t, err)
	require.Len(t, resp.GetTerms(), maxTerms)
}

// TestARepairIsToldOfSomeTables: no more than fit in one call.
func TestARepairIsToldOfSomeTables(t *testing.T) {
	t.Parallel()
	o := &others{fixed: &fixsqlv1.FixSQLResponse{}}
	for have, want := range map[int]int{0: 0, 3: 3, maxFixTables: maxFixTables, maxFixTables + 7: maxFixTables} {
		_, _, err := fixer{o, time.Minute}.Fix(t.Context(), &team.Task{Source: "s", Tables: make([]catalog.Table, have)}, "SELECT 1", "E: x")
		require.NoError(t, err)
		require.Len(t, o.fix.GetTables(), want)
	}
}

// TestResultsThatTellSomething: rows do, and one row where it has a value that is neither
// missing nor nought.
func TestResultsThatTellSomething(t *testing.T) {
	t.Parallel()
	row := func(values ...any) []any { return values }
	for _, c := range []struct {
		rows [][]any
		want bool
	}{
		{nil, false}, {[][]any{row()}, false}, {[][]any{row(nil)}, false}, {[][]any{row(int64(0))}, false}, {[][]any{row(0.0)}, false}, {[][]any{row(nil, int64(0), 0.0)}, false},
		{[][]any{row(int64(1))}, true}, {[][]any{row(-0.5)}, true}, {[][]any{row("")}, true}, {[][]any{row("0")}, true}, {[][]any{row(false)}, true}, {[][]any{row(nil, int64(3))}, true},
		{[][]any{row(nil), row(nil)}, true}, {[][]any{row(int64(0)), row(int64(0))}, true},
	} {
		require.Equal(t, c.want, hasValue(&tools.Rows{Rows: c.rows}), "%v", c.rows)
	}
}

// TestMetricsAreListedOnce: one that is kept in several tables is one metric.
func TestMetricsAreListedOnce(t *testing.T) {
	t.Parallel()
	d := newDock(t, Config{}, openRules, `
metrics:
  - {id: weight, names: {en: weight}, table: main.crate, expr: SUM(weight)}
  - {id: weight__daily, names: {en: weight}, table: main.crew, expr: SUM(pay)}
  - {id: pay, names: {en: pay}, table: main.crew, expr: SUM(pay)}
`)
	resp, err := d.ListMetrics(asking("boss"), &text2sqlv1.ListMetricsRequest{})
	require.NoError(t, err)
	var got []string
	for _, m := range resp.GetMetrics() {
		got = append(got, m.GetId())
	}
	require.Equal(t, []string{"pay", "weight"}, got)
}
