package sqlgen_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

// TestElapsedTimes writes the time between columns of each kind in each unit: in whole days
// where one of them holds days, else in parts of a unit.
func TestElapsedTimes(t *testing.T) {
	t.Parallel()
	name := catalog.Name{Table: "trips"}
	tables := []catalog.Table{{Name: name, RowCount: 9, Columns: []catalog.Column{
		{Name: "booked", Type: "date"}, {Name: "left_at", Type: "timestamp"}, {Name: "back_at", Type: "timestamp"},
		{Name: "noted", Type: "varchar", Samples: []string{"2030-01-02"}, Distinct: 1},
	}}}
	moment := func(column, kind string) string {
		switch {
		case column == "noted":
			return "TRY_CAST(noted AS " + kind + ")"
		case kind == "date" && column != "booked" || kind == "timestamp" && column == "booked":
			return "CAST(" + column + " AS " + kind + ")"
		}
		return column
	}
	diff := func(unit, kind, from, to string) string {
		return fmt.Sprintf("date_diff('%s', %s, %s)", unit, moment(from, kind), moment(to, kind))
	}
	parts := func(x string, n int) string { return fmt.Sprintf("CAST(%s AS double) / %d", x, n) }
	for _, c := range []struct {
		from, to string
		dated    bool
	}{{"left_at", "back_at", false}, {"back_at", "left_at", false}, {"booked", "left_at", true}, {"left_at", "booked", true}, {"noted", "back_at", true}, {"noted", "booked", true}} {
		for unit, want := range map[string][2]string{ // between times, between days
			"seconds": {diff("second", "timestamp", c.from, c.to), diff("second", "timestamp", c.from, c.to)},
			"minutes": {parts(diff("second", "timestamp", c.from, c.to), 60), parts(diff("second", "timestamp", c.from, c.to), 60)},
			"hours":   {parts(diff("second", "timestamp", c.from, c.to), 3600), parts(diff("second", "timestamp", c.from, c.to), 3600)},
			"days":    {parts(diff("second", "timestamp", c.from, c.to), 86400), diff("day", "date", c.from, c.to)},
			"weeks":   {parts(diff("second", "timestamp", c.from, c.to), 604800), parts(diff("day", "date", c.from, c.to), 7)},
			"months":  {diff("month", "timestamp", c.from, c.to), diff("month", "date", c.from, c.to)},
			"years":   {diff("year", "timestamp", c.from, c.to), diff("year", "date", c.from, c.to)},
			"moons":   {},
		} {
			layer := semantic.Derive(tables)
			layer.Dimensions = append(layer.Dimensions, semantic.Dimension{
				ID: "took", Table: layer.Entities[0].Table, Expr: unit, Type: "double", Names: semantic.Text{EN: "took"},
				Elapsed: &semantic.Elapsed{From: layer.Entities[0].Table + "." + c.from, To: layer.Entities[0].Table + "." + c.to, Unit: unit},
			})
			g := sqlgen.New(layer, plan.New([]string{layer.Entities[0].Table}, layer.Joins), tables)
			stmt, err := g.Statement(&intent.Intent{Entity: layer.Entities[0].ID, Select: []intent.Output{agg(intent.AggAvg, "took")}})
			x := want[0]
			if c.dated {
				x = want[1]
			}
			if x == "" {
				require.ErrorIs(t, err, sqlgen.ErrShape, unit)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, "SELECT avg("+x+") AS average_took FROM trips", printer.Print(stmt))
		}
	}
}

// TestMoreThanWholeYears: what lasted two years and a day lasted more than two, and not at most two, though two
// whole years have passed.
func TestMoreThanWholeYears(t *testing.T) {
	t.Parallel()
	name := catalog.Name{Table: "leases"}
	tables := []catalog.Table{{Name: name, RowCount: 9, Columns: []catalog.Column{{Name: "signed", Type: "date"}, {Name: "ended", Type: "date"}}}}
	layer := semantic.Derive(tables)
	table := layer.Entities[0].Table
	layer.Dimensions = append(layer.Dimensions, semantic.Dimension{
		ID: "took", Table: table, Expr: "years", Type: "double", Names: semantic.Text{EN: "took"},
		Elapsed: &semantic.Elapsed{From: table + ".signed", To: table + ".ended", Unit: "years"},
	})
	g := sqlgen.New(layer, plan.New([]string{table}, layer.Joins), tables)
	took := column("took")
	for op, want := range map[intent.Op]string{
		intent.Gt: "ended > date_add('year', 2, signed)", intent.Le: "ended <= date_add('year', 2, signed)",
		intent.Ge: "date_diff('year', signed, ended) >= 2", intent.Lt: "date_diff('year', signed, ended) < 2",
	} {
		stmt, err := g.Statement(&intent.Intent{
			Entity: layer.Entities[0].ID, Select: []intent.Output{{Agg: intent.AggCount, Field: intent.Field{Kind: intent.KindEntity, ID: layer.Entities[0].ID}}},
			Filters: []intent.Cond{{Op: op, Left: &took, Values: []intent.Literal{{Text: "2", Number: true}}}},
		})
		require.NoError(t, err)
		require.Contains(t, printer.Print(stmt), "WHERE "+want, op)
	}
}

// TestColumnsHaveNamesOfTheirOwn: two columns that would be called alike are numbered.
func TestColumnsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	ship, call := column("ships.ship_id"), column("calls.ship_id")
	in := &intent.Intent{Entity: "calls", Select: []intent.Output{ship, call, agg(intent.AggSum, "calls.fee"), ship, agg(intent.AggSum, "calls.fee")}}
	require.Equal(t, []string{"ship_id", "ship_id_2", "total_fee", "ship_id_3", "total_fee_2"}, harbour().Columns(in))
}

// TestRowsThatAJoinRepeats: they are counted by their one key, and neither shared out nor
// counted where there is none.
func TestRowsThatAJoinRepeats(t *testing.T) {
	t.Parallel()
	side := column("piers.side")
	share := rowsOf("ships")
	share.Agg = intent.AggShare
	group := func(o intent.Output) *intent.Intent {
		return &intent.Intent{Entity: "calls", Select: []intent.Output{side, o}, GroupBy: []intent.Field{side.Field}}
	}
	stmt, err := harbour().Statement(group(rowsOf("ships")))
	require.NoError(t, err)
	require.Contains(t, printer.Print(stmt), "count(DISTINCT ")
	_, err = harbour().Statement(group(share))
	require.ErrorIs(t, err, sqlgen.ErrFanOut, "a ship is at several piers: its parts are more than one")
	calls := rowsOf("calls")
	calls.Agg = intent.AggShare
	stmt, err = harbour().Statement(group(calls))
	require.NoError(t, err)
	require.Contains(t, printer.Print(stmt), "sum(count(*)) OVER ()")

	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	key := func(c string) catalog.Column {
		return catalog.Column{Name: c, Type: "bigint", PrimaryKey: true, NotNull: true}
	}
	tables := []catalog.Table{
		{Name: name("rooms"), RowCount: 9, Columns: []catalog.Column{key("house"), key("door"), {Name: "size", Type: "double"}}},
		{Name: name("stays"), RowCount: 90, Columns: []catalog.Column{key("stay"), {Name: "house", Type: "bigint"}, {Name: "door", Type: "bigint"}, {Name: "guest", Type: "varchar"}},
			ForeignKeys: []catalog.ForeignKey{{Columns: []string{"house", "door"}, RefTable: name("rooms"), RefColumns: []string{"house", "door"}}}},
	}
	layer := semantic.Derive(tables)
	g := sqlgen.New(layer, plan.New([]string{"rooms", "stays"}, layer.Joins), tables)
	guest := column("stays.guest")
	_, err = g.Statement(&intent.Intent{Entity: "stays", Select: []intent.Output{guest, rowsOf("rooms")}, GroupBy: []intent.Field{guest.Field}})
	require.ErrorIs(t, err, sqlgen.ErrShape, "rooms are told apart by two columns")
}
