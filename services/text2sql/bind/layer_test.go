package bind_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/plan"
)

func field(id string) intent.Field { return intent.Field{Kind: intent.KindDimension, ID: id} }

func shown(id string) intent.Output { return intent.Output{Field: field(id)} }

func TestWhatALayerHolds(t *testing.T) {
	t.Parallel()
	l := overFerries(t).layer
	require.Equal(t, "ferries.fuel", l.Dim("ferries.fuel").ID)
	require.Nil(t, l.Dim("ferries.sails"))
	require.Equal(t, "ferries", l.Entity("ferries").Table)
	require.Empty(t, l.Entity("sails").Table)
	require.Equal(t, "trips", l.Table(field("trips.fare")))
	require.Empty(t, l.Table(field("trips.sails")))
	require.Equal(t, "trips", l.Table(intent.Field{Kind: intent.KindEntity, ID: "trips"}))
	require.Empty(t, l.Table(intent.Field{Kind: intent.KindEntity, ID: "sails"}))
}

func TestDated(t *testing.T) {
	t.Parallel()
	require.True(t, overFerries(t).layer.Dated())
	derived := semantic.Derive(ferries()[:2]) // years are numbers
	require.False(t, bind.NewLayer(derived, plan.New([]string{"lines", "ferries"}, derived.Joins)).Dated())
}

func TestJoined(t *testing.T) {
	t.Parallel()
	l := overFerries(t).layer
	for _, c := range []struct {
		tables []string
		joins  int
	}{
		{nil, 0}, {[]string{"trips"}, 0}, {[]string{"trips", "ferries"}, 1}, {[]string{"trips", "lines"}, 2}, {[]string{"passengers", "lines"}, 4},
	} {
		cost, joins := l.Joined(c.tables)
		require.Equal(t, c.joins, joins, c.tables)
		require.InDelta(t, float64(c.joins), cost, 1e-9, "declared keys cost 1 each: %v", c.tables)
	}
	cost, joins := l.Joined([]string{"harbours", "lines"})
	require.Zero(t, joins)
	require.GreaterOrEqual(t, cost, plan.Unreachable)
}

// Who has the most of an amount is asked for by name.
func TestPersons(t *testing.T) {
	t.Parallel()
	l := overFerries(t).layer
	oldest := intent.Intent{Entity: "passengers", Select: []intent.Output{{Agg: intent.AggMax, Field: field("passengers.age")}}}
	named, ok := l.Persons(&oldest)
	require.True(t, ok)
	require.Equal(t, []intent.Output{shown("passengers.first_name"), shown("passengers.last_name")}, named.Select)
	require.Equal(t, []intent.Order{{By: shown("passengers.age"), Desc: true}}, named.OrderBy)
	require.EqualValues(t, 1, named.Limit)
	require.Equal(t, intent.AggMax, oldest.Select[0].Agg, "the reading itself stays as it is")

	youngest := oldest
	youngest.Select = []intent.Output{{Agg: intent.AggMin, Field: field("passengers.age")}}
	named, ok = l.Persons(&youngest)
	require.True(t, ok)
	require.False(t, named.OrderBy[0].Desc)

	byAge := []intent.Order{{By: shown("passengers.age")}}
	picked := intent.Intent{Entity: "passengers", Select: []intent.Output{shown("passengers.age")}, OrderBy: byAge, Limit: 3}
	named, ok = l.Persons(&picked)
	require.True(t, ok)
	require.Equal(t, byAge, named.OrderBy)
	require.EqualValues(t, 3, named.Limit)

	for name, change := range map[string]func(*intent.Intent){
		"two amounts":       func(in *intent.Intent) { in.Select = append(in.Select, in.Select[0]) },
		"groups":            func(in *intent.Intent) { in.GroupBy = []intent.Field{field("passengers.city")} },
		"of groups":         func(in *intent.Intent) { in.Having = []intent.Cond{{}} },
		"a set":             func(in *intent.Intent) { in.Set = &intent.Set{} },
		"distinct":          func(in *intent.Intent) { in.Distinct = true },
		"another table":     func(in *intent.Intent) { in.Entity = "bookings" },
		"no such column":    func(in *intent.Intent) { in.Select[0].ID = "passengers.sails" },
		"an order":          func(in *intent.Intent) { in.OrderBy = byAge },
		"another aggregate": func(in *intent.Intent) { in.Select[0].Agg = intent.AggAvg },
		"nothing picked":    func(in *intent.Intent) { in.Select[0].Agg = intent.AggNone },
		"no bound": func(in *intent.Intent) {
			in.Select[0].Agg, in.OrderBy = intent.AggNone, byAge
		},
		"no name": func(in *intent.Intent) { in.Entity, in.Select[0].ID = "bookings", "bookings.price" },
	} {
		in := oldest
		in.Select = slices.Clone(oldest.Select)
		change(&in)
		got, ok := l.Persons(&in)
		require.False(t, ok, name)
		require.Equal(t, &in, got, name)
	}
}

func TestNamesNobody(t *testing.T) {
	t.Parallel()
	l := overFerries(t).layer
	for id, want := range map[string]bool{
		"passengers.age": true, "bookings.booking_date": true, "passengers.last_name": false, "passengers.passenger_id": false,
		"passengers.city": false, "passengers.sails": false,
	} {
		require.Equal(t, want, l.NamesNobody(&intent.Intent{Select: []intent.Output{shown(id)}}), id)
		both := []intent.Output{shown("passengers.age"), shown(id)}
		require.Equal(t, want, l.NamesNobody(&intent.Intent{Select: both}), id)
	}
	require.True(t, l.NamesNobody(&intent.Intent{Select: []intent.Output{{Agg: intent.AggCount, Field: field("passengers.passenger_id")}}}), "a number of persons names none")
	require.False(t, l.NamesNobody(&intent.Intent{}))
}

func TestLasts(t *testing.T) {
	t.Parallel()
	b := overFerries(t)
	for question, want := range map[string]bool{
		"duration of trips in hours": true, "How long do trips last on average?": true,
		"fare minus cost of each trip": false, "fare of calm trips": false,
	} {
		readings := b.best(question)
		require.NotEmpty(t, readings, question)
		require.Equal(t, want, readings[0].Lasts(), question)
	}
}

// Readings come best first, each at most so far behind the best, and say how well the
// names fit.
func TestReadingsAreRanked(t *testing.T) {
	t.Parallel()
	b := overFerries(t)
	several := 0
	for _, question := range []string{"total fare of electric ferries by line", "number of trips per month", "the most expensive booking", "Show the name of each ferry and the name of its line"} {
		readings := b.best(question)
		require.NotEmpty(t, readings, question)
		require.LessOrEqual(t, len(readings), 8, question)
		for i, r := range readings {
			require.LessOrEqual(t, r.Rank, readings[max(0, i-1)].Rank, question)
			require.LessOrEqual(t, readings[0].Rank-r.Rank, 0.8, question)
			require.LessOrEqual(t, r.Facts["slot/least"], r.Facts["slot/mean"], question)
			require.LessOrEqual(t, r.Facts["slot/rank"], 1.0, question)
			require.Positive(t, r.Facts["slot/number"], question)
		}
		several += len(readings) - 1
	}
	require.Positive(t, several)
}

// Tables that nothing connects are in no reading together.
func TestWhatCannotBeJoinedHasNoReading(t *testing.T) {
	t.Parallel()
	b := overFerries(t)
	for _, question := range []string{"depth of harbours for each country", "name of lines and depth of harbours", "lines with a depth above 5"} {
		for _, r := range b.best(question) {
			var tables []string
			for _, f := range r.Intent.Fields() {
				tables = append(tables, b.layer.Table(f))
			}
			apart := slices.Contains(tables, "harbours") && slices.Contains(tables, "lines")
			require.False(t, apart, "%s: %v", question, tables)
		}
	}
}
