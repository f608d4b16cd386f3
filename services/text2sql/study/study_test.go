package study_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/presto"
	"github.com/dibrain/dibrain/pkg/sql/presto/udf"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/services/text2sql/study"
)

// club is a source of three tables with mistakes that are counted by hand beside them.
const club = `
CREATE TABLE members (member_id bigint, joined_on date, plan varchar, born date);
INSERT INTO members SELECT i, DATE '2026-01-05' + INTERVAL (i) DAY, CASE WHEN i % 2 = 0 THEN 'basic' ELSE 'plus' END, DATE '1980-01-01' FROM range(1, 201) t(i);
INSERT INTO members VALUES (200, DATE '2027-05-01', 'Basic ', DATE '1870-01-01'), (NULL, NULL, 'trial', NULL), (NULL, NULL, '', NULL);
CREATE TABLE visits (visit_id bigint, member_id bigint, visited_at timestamp, stage varchar, fee double);
INSERT INTO visits VALUES
 (1, 1, TIMESTAMP '2026-02-01 10:00:00', 'tour', 5), (2, 1, TIMESTAMP '2026-03-01 10:00:00', 'trial', -1), (3, 1, TIMESTAMP '2026-03-09 10:00:00', 'signup', 0),
 (4, 2, TIMESTAMP '2026-02-11 10:00:00', 'tour', 5), (5, 2, TIMESTAMP '2026-04-01 10:00:00', 'trial', 8),
 (6, 3, TIMESTAMP '2026-02-20 10:00:00', 'tour', 5), (7, 4, TIMESTAMP '2026-03-20 10:00:00', 'tour', 7), (8, 4, TIMESTAMP '2026-04-20 10:00:00', 'tour', 7);
CREATE TABLE parcels (parcel_id bigint, sent_on date, arrived_on date, returned_on date);
INSERT INTO parcels VALUES (1, DATE '2026-01-01', DATE '2026-01-03', NULL), (2, DATE '2026-01-01', DATE '2026-01-04', DATE '2026-02-01'), (3, DATE '2026-01-02', NULL, NULL);
`

func tables() []catalog.Table {
	table := func(name string, rows int64, columns ...catalog.Column) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: "memory", Schema: "main", Table: name}, Columns: columns, RowCount: rows}
	}
	col := func(name, typ string) catalog.Column { return catalog.Column{Name: name, Type: typ} }
	few := func(name string, values ...string) catalog.Column {
		return catalog.Column{Name: name, Type: "varchar", Distinct: int64(len(values)), Samples: values}
	}
	born := col("born", "date")
	born.Personal = &catalog.Personal{Kind: "birth date"}
	return []catalog.Table{
		table("members", 203, col("member_id", "bigint"), born, col("joined_on", "date"), few("plan", "basic", "plus", "Basic ", "trial", "")),
		table("visits", 8, col("visit_id", "bigint"), col("member_id", "bigint"), col("visited_at", "timestamp"), few("stage", "signup", "tour", "trial"), col("fee", "double")),
		table("parcels", 3, col("parcel_id", "bigint"), col("sent_on", "date"), col("arrived_on", "date"), col("returned_on", "date")),
		table("order_item", 1, col("order_id", "bigint"), col("order_item_id", "bigint"), col("item_id", "bigint"), col("buyer_id", "bigint"), col("made_at", "timestamp")),
		table("notes", 0, col("text", "varchar")),
	}
}

// engine is an own DuckDB with the club.
func engine(t *testing.T) *sql.DB {
	t.Helper()
	connector, err := duckdb.NewConnector("", nil)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { _ = db.Close() })
	_, err = db.ExecContext(t.Context(), club)
	require.NoError(t, err)
	return db
}

// learn makes the functions that a text calls beside DuckDB's own.
func learn(t *testing.T, db *sql.DB, text string) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	for _, name := range transpile.Calls(text) {
		if statement, ok := transpile.Macro(name); ok {
			_, err := conn.ExecContext(t.Context(), statement)
			require.NoError(t, err)
			continue
		}
		i := slices.IndexFunc(presto.Functions(), func(f presto.Function) bool { return f.Name == name })
		if i < 0 { // the bound name of a lambda
			continue
		}
		made, err := udf.New(presto.Functions()[i])
		require.NoError(t, err)
		require.NoError(t, duckdb.RegisterScalarUDF(conn, name, made))
	}
}

// ask runs Presto SQL as the product does, through the guard and the transpiler.
func ask(t *testing.T, db *sql.DB, text string) (columns []string, out [][]string) {
	t.Helper()
	index := catalog.NewIndex(&catalog.Snapshot{Tables: tables()}, catalog.Defaults{})
	approved, err := guard.New(guard.Config{}).Approve(context.Background(), run.Principal{ID: "test"}, text, resolve.Scope{Catalog: index})
	require.NoError(t, err, text)
	native, err := transpile.TranspileResolved(approved.Resolution())
	require.NoError(t, err, text)
	learn(t, db, native)
	rows, err := db.QueryContext(t.Context(), native)
	require.NoError(t, err, native)
	defer func() { _ = rows.Close() }()
	columns, err = rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, row := make([]any, len(columns)), make([]string, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		require.NoError(t, rows.Scan(values...))
		for i, v := range values {
			switch v := (*v.(*any)).(type) { // made above
			case time.Time:
				row[i] = v.Format(time.DateOnly)
			case float64:
				row[i] = fmt.Sprintf("%.4g", v)
			default:
				row[i] = fmt.Sprint(v)
			}
		}
		out = append(out, row)
	}
	require.NoError(t, rows.Err())
	return columns, out
}

var now = time.Date(2026, 8, 17, 9, 0, 0, 0, time.UTC)

func plan(t *testing.T, kind study.Kind, question string) (study.Plan, error) {
	t.Helper()
	planner, err := study.New()
	require.NoError(t, err)
	return planner.Make(study.Input{Kind: kind, Question: question, Tables: tables(), Now: now, Language: lang.Detect(question), MaxColumns: 20})
}

// TestStudies: each kind over the club, against figures that are counted by hand.
func TestStudies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind     study.Kind
		question string
		columns  []string
		want     [][]string
		taken    string
	}{
		"rows by the key": {study.Rows, "data quality of members", []string{"rows", "distinct_keys", "rows_without_key", "surplus_rows"}, [][]string{{"203", "200", "2", "1"}}, "member_id"},
		"whole rows":      {study.Rows, "notes", []string{"rows", "distinct_keys", "surplus_rows"}, nil, "as a whole"},
		"nulls and blanks": {study.Nulls, "检查members的数据质量", []string{"column_name", "nulls", "blanks", "missing_share"}, [][]string{
			{"member_id", "2", "0", "0.009852"}, {"born", "2", "0", "0.009852"}, {"joined_on", "2", "0", "0.009852"}, {"plan", "0", "1", "0.004926"},
		}, ""},
		"ranges": {study.Ranges, "ranges of visits", []string{"column_name", "least", "greatest", "mean", "negatives", "zeros"}, [][]string{
			{"member_id", "1", "4", "2.25", "0", "0"}, {"fee", "-1", "8", "4.5", "1", "1"},
		}, ""},
		"impossible dates": {study.Dates, "dates of members", []string{"column_name", "earliest", "latest", "in_future", "too_early"}, [][]string{
			{"born", "1870-01-01", "1980-01-01", "0", "1"}, {"joined_on", "2026-01-06", "2027-05-01", "1", "0"},
		}, ""},
		"freshness leaves out the future": {study.Freshness, "how fresh are members", []string{"latest", "days_behind"}, [][]string{{"2026-07-24", "24"}}, "joined_on"},
		"rare values and other spellings": {study.Values, "values of members", []string{"column_name", "value", "rows", "share", "usual_spelling"}, [][]string{
			{"plan", "", "1", "0.004926", ""}, {"plan", "Basic ", "1", "0.004926", "basic"}, {"plan", "trial", "1", "0.004926", "trial"},
		}, "plan"},
		"cohorts by month": {study.Cohort, "retention of visits by member", []string{"cohort", "periods_since", "size", "active", "retention"}, [][]string{
			{"2026-02-01", "0", "3", "3", "1"}, {"2026-02-01", "1", "3", "1", "0.3333"}, {"2026-02-01", "2", "3", "1", "0.3333"},
			{"2026-03-01", "0", "1", "1", "1"}, {"2026-03-01", "1", "1", "1", "1"},
		}, "member_id"},
		"a key is called after its table": {study.Rows, "order_item", nil, nil, "by order_item_id"},
		"a funnel of the only column that has stages": {study.Funnel, "funnel of visits", []string{"stage", "reached", "share_of_first", "share_of_previous", "lost", "elsewhere"}, [][]string{
			{"tour", "4", "1", "<nil>", "<nil>", "2"}, {"trial", "2", "0.5", "0.5", "2", "2"}, {"signup", "1", "0.25", "0.5", "1", "1"},
		}, "visited_at"},
		"a part of a word is no value":   {study.Funnel, "funnel of visits: signups, tours", nil, nil, "visited_at"},
		"a table's name names no column": {study.Cohort, "retention of memory.main.order_item by buyer", []string{"cohort", "periods_since", "size", "active", "retention"}, nil, "buyer_id"},
		"a funnel in the order of days": {study.Funnel, "funnel of visits by stage", []string{"stage", "reached", "share_of_first", "share_of_previous", "lost", "elsewhere"}, [][]string{
			{"tour", "4", "1", "<nil>", "<nil>", "2"}, {"trial", "2", "0.5", "0.5", "2", "2"}, {"signup", "1", "0.25", "0.5", "1", "1"},
		}, "visited_at"},
		"a funnel in the order that is said": {study.Funnel, "funnel of visits: signup, tour", []string{"stage", "reached", "share_of_first", "share_of_previous", "lost", "elsewhere"}, [][]string{
			{"signup", "1", "1", "<nil>", "<nil>", "1"}, {"tour", "4", "4", "4", "-3", "1"},
		}, "signup > tour"},
		"a funnel of days": {study.Funnel, "包裹parcels的漏斗", []string{"stage", "reached", "share_of_first", "share_of_previous", "lost"}, [][]string{
			{"sent_on", "3", "1", "<nil>", "<nil>"}, {"arrived_on", "2", "0.6667", "0.6667", "1"}, {"returned_on", "1", "0.3333", "0.5", "1"},
		}, "sent_on"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := plan(t, c.kind, c.question)
			require.NoError(t, err)
			require.Contains(t, fmt.Sprint(p.Taken), c.taken)
			if c.want == nil {
				return
			}
			columns, got := ask(t, engine(t), printer.Format(p.Statement))
			require.Equal(t, c.columns, columns)
			require.Equal(t, c.want, got)
			require.Len(t, p.Labels, len(columns))
			for _, l := range p.Labels {
				require.Contains(t, columns, l.Column)
				require.NotEmpty(t, l.Label)
			}
		})
	}
}

// TestStudiesThatCannotBe: what the data do not allow is said, in the asker's language.
func TestStudiesThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind     study.Kind
		question string
		says     string
	}{
		"no table":           {study.Nulls, "is the data good", "names no table"},
		"no table, Chinese":  {study.Nulls, "数据质量如何", "没有指明"},
		"two tables":         {study.Nulls, "compare members with visits", "several tables"},
		"no numbers":         {study.Ranges, "ranges of notes", "no column of numbers"},
		"no days":            {study.Freshness, "how fresh are notes", "no column of days"},
		"nobody":             {study.Cohort, "retention of parcels", "says whom"},
		"no usual set":       {study.Values, "values of visits and parcels", "several tables"},
		"nothing that stage": {study.Funnel, "funnel of notes", "no column of few values"},
		"no sets":            {study.Values, "values of notes", "usual set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := plan(t, c.kind, c.question)
			cannot := (*study.CannotError)(nil)
			require.ErrorAs(t, err, &cannot)
			require.Contains(t, cannot.Reason, c.says)
		})
	}
}

// TestColumnsAreBounded: of a wide table the first columns are looked at, and that is said.
func TestColumnsAreBounded(t *testing.T) {
	t.Parallel()
	planner, err := study.New()
	require.NoError(t, err)
	p, err := planner.Make(study.Input{Kind: study.Nulls, Question: "nulls of visits", Tables: tables(), Now: now, Language: lang.English, MaxColumns: 2})
	require.NoError(t, err)
	_, got := ask(t, engine(t), printer.Format(p.Statement))
	require.Len(t, got, 2)
	require.Contains(t, fmt.Sprint(p.Taken), "member_id")
}

// TestCohortsAreOfTheLastYear: older ones, and what lies in the future, are left out.
func TestCohortsAreOfTheLastYear(t *testing.T) {
	t.Parallel()
	planner, err := study.New()
	require.NoError(t, err)
	for today, want := range map[string][][]string{
		"2026-03-10": {{"2026-02-01", "0", "3", "3", "1"}, {"2026-02-01", "1", "3", "1", "0.3333"}, {"2026-03-01", "0", "1", "1", "1"}},
		"2027-03-17": {{"2026-03-01", "0", "1", "1", "1"}, {"2026-03-01", "1", "1", "1", "1"}},
	} {
		at, err := time.Parse(time.DateOnly, today)
		require.NoError(t, err)
		p, err := planner.Make(study.Input{Kind: study.Cohort, Question: "retention of visits by member", Tables: tables(), Now: at, Language: lang.English, MaxColumns: 20})
		require.NoError(t, err)
		_, got := ask(t, engine(t), printer.Format(p.Statement))
		require.Equal(t, want, got, today)
	}
}

// TestListsAreBounded: however many values are unusual, so many are listed.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	p, err := plan(t, study.Values, "values of members")
	require.NoError(t, err)
	require.Contains(t, printer.Format(p.Statement), "LIMIT 200")
	p, err = plan(t, study.Funnel, "funnel of visits")
	require.NoError(t, err)
	require.Contains(t, printer.Format(p.Statement), "LIMIT 20")
}
