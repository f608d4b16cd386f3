package chatbi_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/chatbi"
)

// shops has two shops that sell 100 a day in September and October, of which the second
// lacks three days of October; customers of whom on one day none began; a table of February
// and March without 20 March; texts of times, 60 a day; and days of which one of this month
// is lost.
const shops = `
CREATE SCHEMA shop;
CREATE TABLE shop.north AS SELECT CAST(d AS DATE) AS dt, 'n' || (i % 2) AS city, 50 AS units, i + 1 AS customer
  FROM range(DATE '2026-09-01', DATE '2026-11-01', INTERVAL 1 DAY) t(d), range(2) u(i);
CREATE TABLE shop.south AS SELECT * FROM shop.north WHERE dt NOT BETWEEN DATE '2026-10-10' AND DATE '2026-10-12';
CREATE TABLE shop.customers AS SELECT row_number() OVER () AS id, CAST(d AS DATE) AS dt
  FROM range(DATE '2026-09-01', DATE '2026-11-01', INTERVAL 1 DAY) t(d) WHERE d <> DATE '2026-10-09';
CREATE TABLE shop.spring AS SELECT CAST(d AS DATE) AS dt, 31 AS units
  FROM range(DATE '2026-02-01', DATE '2026-04-01', INTERVAL 1 DAY) t(d) WHERE d <> DATE '2026-03-20';
CREATE TABLE shop.visits AS SELECT strftime(d, '%Y-%m-%d %H:%M:%S') AS seen
  FROM range(TIMESTAMP '2026-09-01 00:00:00', TIMESTAMP '2026-11-01 00:00:00', INTERVAL 24 MINUTE) t(d);
CREATE TABLE shop.broken AS SELECT * FROM shop.visits WHERE seen NOT LIKE '2026-10-15%';
CREATE TABLE shop.running AS SELECT CAST(d AS DATE) AS dt, 10 AS units
  FROM range(DATE '2026-10-01', DATE '2026-11-20', INTERVAL 1 DAY) t(d) WHERE d <> DATE '2026-11-05';
`

func newShops(t *testing.T) *chatbi.Service {
	t.Helper()
	table := func(name string, columns ...string) catalog.Table {
		of := catalog.Table{Name: catalog.Name{Region: "sg", Schema: "shop", Table: name}, RowCount: 100, UpdatedAt: now}
		for _, column := range columns {
			name, kind, _ := strings.Cut(column, " ")
			of.Columns = append(of.Columns, catalog.Column{Name: name, Type: kind})
		}
		return of
	}
	snapshot := &catalog.Snapshot{Tables: []catalog.Table{
		table("north", "dt date", "city varchar", "units integer", "customer bigint"), table("south", "dt date", "city varchar", "units integer", "customer bigint"),
		table("customers", "id bigint", "dt date"), table("spring", "dt date", "units integer"), table("visits", "seen varchar"), table("broken", "seen varchar"),
		table("running", "dt date", "units integer"),
	}}
	return newService(t, func(_ *chatbi.Config, d *chatbi.Deps) {
		makeSource(t, d.Sources, shops)
		d.Catalog = fakeCatalog{index: catalog.NewIndex(snapshot, catalog.Defaults{Region: "sg", Schema: "shop"})}
	})
}

// comparedOver compares two months over any FROM; day names the column of the days there.
func comparedOver(figure, from, day, own, base string) string {
	month := func(first string) string {
		at, _ := time.Parse(time.DateOnly, first)
		return fmt.Sprintf("%s >= %s AND %s < %s", day, dayLiteral(day, at), day, dayLiteral(day, at.AddDate(0, 1, 0)))
	}
	return fmt.Sprintf("SELECT x AS units, previous_x AS previous_units, x - previous_x AS units_change, CAST(x - previous_x AS double) / abs(nullif(previous_x, 0)) AS units_change_rate FROM "+
		"(SELECT %[1]s FILTER (WHERE %[3]s) AS x, %[1]s FILTER (WHERE %[4]s) AS previous_x FROM %[2]s WHERE %[3]s OR %[4]s) AS i",
		figure, from, month(own), month(base))
}

func dayLiteral(day string, at time.Time) string {
	if day == "seen" {
		return "'" + at.Format(time.DateOnly) + "'"
	}
	return "DATE '" + at.Format(time.DateOnly) + "'"
}

func answerIn(t *testing.T, s *chatbi.Service, zone, sql string) string {
	t.Helper()
	ctx := run.With(t.Context(), run.Context{RunID: "run_1", Principal: run.Principal{ID: "alice"}, Now: now, TimeZone: zone})
	res, err := s.ExecuteAndAnalyzeUnary(ctx, &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Sql: sql, UserContext: &commonv1.UserContext{Language: commonv1.Language_LANGUAGE_EN, TimeZone: zone}}})
	require.NoError(t, err)
	return res.GetResult().GetAnswer()
}

// TestFiguresPerDayAreOfOneTable: the days of one table divide a sum; where rows of several
// are set together, or another one has a column of that name, it is told which are missing,
// of the tables that the conditions are about, and no figure per day.
func TestFiguresPerDayAreOfOneTable(t *testing.T) {
	t.Parallel()
	s := newShops(t)
	const october, september = "2026-10-01", "2026-09-01"
	for name, c := range map[string]struct{ zone, sql, want string }{
		"one table": {
			"UTC", comparedOver("sum(units)", "south", "dt", october, september),
			"Like for like, units from 1 Oct 2026 to 31 Oct 2026 are 100 per day over the 28 days that are there, as from 1 Sep 2026 to 30 Sep 2026. " +
				"sg.shop.south has no rows for 10 Oct 2026 to 12 Oct 2026: 3 of the 31 days of 1 Oct 2026 to 31 Oct 2026 are missing. " +
				"As the data stand: Units from 1 Oct 2026 to 31 Oct 2026 are 2,800, 200 (6.7%) less than from 1 Sep 2026 to 30 Sep 2026 (3,000).",
		},
		"a union of two": {
			"UTC", comparedOver("sum(units)", "(SELECT dt, units FROM north UNION ALL SELECT dt, units FROM south) AS b", "dt", october, september),
			"sg.shop.south has no rows for 10 Oct 2026 to 12 Oct 2026: 3 of the 31 days of 1 Oct 2026 to 31 Oct 2026 are missing. " +
				"Units from 1 Oct 2026 to 31 Oct 2026 are 5,900, 100 (1.7%) less than from 1 Sep 2026 to 30 Sep 2026 (6,000).",
		},
		"a union of one with itself": {
			"UTC", comparedOver("sum(units)", "(SELECT dt, units FROM south WHERE city = 'n0' UNION ALL SELECT dt, units FROM south WHERE city = 'n1') AS b", "dt", october, september),
			"sg.shop.south has no rows for 10 Oct 2026 to 12 Oct 2026: 3 of the 31 days of 1 Oct 2026 to 31 Oct 2026 are missing. " +
				"Units (city: n0; city: n1) from 1 Oct 2026 to 31 Oct 2026 are 2,800, 200 (6.7%) less than from 1 Sep 2026 to 30 Sep 2026 (3,000).",
		},
		"days of the other table of a join": {
			"UTC", comparedOver("sum(n.units)", "north AS n JOIN customers AS c ON c.id = n.customer", "n.dt", october, september),
			"Units from 1 Oct 2026 to 31 Oct 2026 are 3,100, 100 (3.3%) more than from 1 Sep 2026 to 30 Sep 2026 (3,000).",
		},
		"a join of a table without its days": {
			"UTC", comparedOver("sum(n.units)", "south AS n JOIN customers AS c ON c.id = n.customer", "n.dt", october, september),
			"sg.shop.south has no rows for 10 Oct 2026 to 12 Oct 2026: 3 of the 31 days of 1 Oct 2026 to 31 Oct 2026 are missing. " +
				"Units from 1 Oct 2026 to 31 Oct 2026 are 2,800, 200 (6.7%) less than from 1 Sep 2026 to 30 Sep 2026 (3,000).",
		},
		"a union that is not over": {
			"UTC", comparedOver("sum(units)", "(SELECT dt, units FROM running UNION ALL SELECT dt, units FROM north) AS b", "dt", "2026-11-01", october),
			"sg.shop.running has no rows for 5 Nov 2026: 1 of the 30 days of 1 Nov 2026 to 30 Nov 2026 are missing. " +
				"1 Nov 2026 to 30 Nov 2026 is not over: what comes later is not in its figures. " +
				"sg.shop.north has no rows for 1 Nov 2026 to 19 Nov 2026: 19 of the 30 days of 1 Nov 2026 to 30 Nov 2026 are missing. " +
				"Units from 1 Nov 2026 to 30 Nov 2026 are 180, 3,230 (94.7%) less than from 1 Oct 2026 to 31 Oct 2026 (3,410).",
		},
		"a month that is not over and lost a day": {
			"UTC", comparedOver("sum(units)", "running", "dt", "2026-11-01", october),
			"sg.shop.running has no rows for 5 Nov 2026: 1 of the 30 days of 1 Nov 2026 to 30 Nov 2026 are missing. " +
				"1 Nov 2026 to 30 Nov 2026 is not over: what comes later is not in its figures. " +
				"Units from 1 Nov 2026 to 30 Nov 2026 are 180, 130 (41.9%) less than from 1 Oct 2026 to 31 Oct 2026 (310).",
		},
		"a March whose clocks go forward": {
			"Europe/Berlin", comparedOver("sum(units)", "spring", "dt", "2026-03-01", "2026-02-01"),
			"Like for like, units from 1 Mar 2026 to 31 Mar 2026 are 31 per day over the 30 days that are there, as from 1 Feb 2026 to 28 Feb 2026. " +
				"sg.shop.spring has no rows for 20 Mar 2026: 1 of the 31 days of 1 Mar 2026 to 31 Mar 2026 are missing. " +
				"As the data stand: Units from 1 Mar 2026 to 31 Mar 2026 are 930, 62 (7.1%) more than from 1 Feb 2026 to 28 Feb 2026 (868).",
		},
		"texts of times": {
			"UTC", comparedOver("count(*)", "visits", "seen", october, september),
			"Units from 1 Oct 2026 to 31 Oct 2026 are 1,860, 60 (3.3%) more than from 1 Sep 2026 to 30 Sep 2026 (1,800).",
		},
		"texts of times, without a day": {
			"UTC", comparedOver("count(*)", "broken", "seen", october, september),
			"Like for like, units from 1 Oct 2026 to 31 Oct 2026 are 60 per day over the 30 days that are there, as from 1 Sep 2026 to 30 Sep 2026. " +
				"sg.shop.broken has no rows for 15 Oct 2026: 1 of the 31 days of 1 Oct 2026 to 31 Oct 2026 are missing. " +
				"As the data stand: Units from 1 Oct 2026 to 31 Oct 2026 are 1,800, the same as from 1 Sep 2026 to 30 Sep 2026.",
		},
	} {
		assert.Equal(t, c.want, answerIn(t, s, c.zone, c.sql), name)
	}
}

// TestRowsBeyondAreOfTheSameRun: where a second run does not have the rows that are shown,
// nothing is told of what the limit cuts off; a number that is none, or a mean in its last
// digit, makes no row another. Rows that were stored are of the same version of the data, and
// the answer is the same.
func TestRowsBeyondAreOfTheSameRun(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	const ranked = "SELECT CAST(order_id %% 10 AS varchar) AS hub, count(*) AS parcels%s FROM orders GROUP BY 1 ORDER BY parcels DESC, hub LIMIT 1"
	for more, tie := range map[string]bool{"": true, ", nan() AS x": true, ", avg(amount / 3) AS x": true, ", random() AS x": false} {
		answer := answerIn(t, s, "UTC", fmt.Sprintf(ranked, more))
		assert.Equal(t, tie, strings.HasPrefix(answer, "0, 1, 2, 3, 5 and others tie"), "%s: %s", more, answer)
	}
	assert.Contains(t, answerIn(t, s, "UTC", fmt.Sprintf(ranked, "")), "tie", "stored rows")
}

// endings notes which calls of the catalog have to end by a time.
type endings struct {
	fakeCatalog

	mu    sync.Mutex
	bound []bool
}

func (e *endings) DescribeTables(ctx context.Context, in *findatav1.DescribeTablesRequest, options ...grpc.CallOption) (*findatav1.DescribeTablesResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, bound := ctx.Deadline()
	e.bound = append(e.bound, bound)
	return e.fakeCatalog.DescribeTables(ctx, in, options...)
}

// TestAsidesEndWithTheirCatalog: the time of a statement that only serves to say an answer
// well is that of asking for its tables, too.
func TestAsidesEndWithTheirCatalog(t *testing.T) {
	t.Parallel()
	var calls *endings
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) {
		fake, ok := d.Catalog.(fakeCatalog)
		require.True(t, ok)
		calls = &endings{fakeCatalog: fake}
		d.Catalog = calls
	})
	require.Contains(t, answerIn(t, s, "UTC", "SELECT CAST(order_id % 10 AS varchar) AS hub, count(*) AS parcels FROM orders GROUP BY 1 ORDER BY parcels DESC, hub LIMIT 1"), "tie")
	require.Equal(t, []bool{false, true}, calls.bound)
}
