package pipeline_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// TestDemandsAreMet: however the names of a question are read, an amount is no number of
// rows, a number with a unit bounds no number of rows, a number of times bounds no size, a
// step of time reads a time, and two numbers are not one.
func TestDemandsAreMet(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	text := func(n string, v ...string) catalog.Column {
		return catalog.Column{Name: n, Type: "varchar", Samples: v, Distinct: int64(len(v))}
	}
	s := p.Prepare([]catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "main", Table: "crossings"}, RowCount: 4000, Columns: []catalog.Column{
		{Name: "crossingId", Type: "bigint", PrimaryKey: true, Distinct: 4000}, text("boatName", "Heron", "Gannet", "Tern"), text("port", "Vigo", "Cadiz"),
		text("paidBy", "Voucher", "Cash"), {Name: "fare_EUR", Type: "double", Distinct: 300}, {Name: "carried_kg", Type: "double", Distinct: 300},
		{Name: "leftOn", Type: "date", Distinct: 700},
	}}}, nil)
	for _, c := range []struct{ question, never string }{
		{"In Vigo, how many crossings cost over 30 euros?", "count(*) > 30"},
		{"Which boats came to be carried more than 150 times?", "carried_kg > 150"},
		{"Which boat brought in the most money?", "count("},
		{"What money did we make per port?", "count("},
		{"When was the last boat?", "max(boatName)"},
		{"How many crossings went to Vigo and how many were paid in cash?", "SELECT count(*) AS number_of_crossings\nFROM"},
		{"What did each port bring in?", "GROUP BY port"},
		{"Who made the most crossings?", "crossingId"},
		{"How much did people pay us in Vigo?", "SELECT boatName"},
		{"Which boats never landed in Vigo?", "port <> 'Vigo'"},
		{"Which boats were never paid in cash?", "paidBy <> 'Cash'"},
		{"各港口的平均票价", "SELECT avg(fare_EUR) AS average_fare_eur\nFROM eu.main.crossings\nLIMIT"},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			res := p.Answer(pipeline.Input{Question: c.question, Schema: s, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
			require.NotContains(t, res.SQL, c.never)
		})
	}
	for question, want := range map[string]string{
		"How many crossings carried more than 30 kg?":                   "carried_kg > 30",
		"total fare per month":                                          "month",
		"number of crossings by voucher":                                "count(*)",
		"Which boats have more than 150 crossings?":                     "count(*) > 150",
		"How many crossings were paid by voucher and how many by cash?": "GROUP BY paidBy",
		"How much fare did we take in total from Vigo?":                 "",
	} {
		res := p.Answer(pipeline.Input{Question: question, Schema: s, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
		if want != "" {
			require.Equal(t, pipeline.Answered, res.Outcome, "%s: %v", question, res.NotUnderstood)
		}
		require.Contains(t, res.SQL, want, question)
	}
}

// A way and a place are not told by a list of the things that were asked about; a list that was
// asked for, a condition of place and a column of ways are as good as before.
func TestWaysAndPlacesAreNoListOfThings(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	text := func(n string, v ...string) catalog.Column {
		return catalog.Column{Name: n, Type: "varchar", Samples: v, Distinct: int64(len(v))}
	}
	s := p.Prepare([]catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "main", Table: "skippers"}, RowCount: 400, Columns: []catalog.Column{
		{Name: "skipper_id", Type: "bigint", PrimaryKey: true, Distinct: 400}, {Name: "skipper_name", Type: "varchar", Distinct: 390}, text("home_port", "Vigo", "Cadiz"), text("came to us", "Ad", "Friend"),
	}}}, nil)
	ask := func(question string) pipeline.Result {
		return p.Answer(pipeline.Input{Question: question, Schema: s, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
	}
	for _, question := range []string{"How did the skippers find us?", "Where did the skippers come from?", "How do the skippers reach us?"} {
		res := ask(question)
		require.NotEqual(t, pipeline.Answered, res.Outcome, "%s: %s", question, res.SQL)
	}
	for question, want := range map[string]string{
		"List the skippers":                            "skipper_name",
		"Show me the skippers where home port is Vigo": "skipper_name",
		"How are the skippers spread by home port?":    "GROUP BY home_port",
	} {
		res := ask(question)
		require.Equal(t, pipeline.Answered, res.Outcome, "%s: %v", question, res.NotUnderstood)
		require.Contains(t, res.SQL, want, question)
	}
}

// What rows of one kind are not is no condition of theirs: "in one class but not in another" is of
// all rows of a member.
func TestWhatIsDeniedInVain(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	name := func(table string) catalog.Name { return catalog.Name{Region: "eu", Schema: "main", Table: table} }
	text := func(n string, v ...string) catalog.Column {
		return catalog.Column{Name: n, Type: "varchar", Samples: v, Distinct: int64(len(v))}
	}
	fk := func(column, table string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{column}, RefTable: name(table), RefColumns: []string{"id"}}
	}
	s := p.Prepare([]catalog.Table{
		{Name: name("class"), RowCount: 3, Columns: []catalog.Column{{Name: "id", Type: "bigint", PrimaryKey: true, Distinct: 3}, text("title", "Yoga", "Boxing", "Spinning"), text("room", "R0", "R1")}},
		{Name: name("member"), RowCount: 100, Columns: []catalog.Column{{Name: "id", Type: "bigint", PrimaryKey: true, Distinct: 100}, {Name: "name", Type: "varchar", Distinct: 100}, text("plan", "gold", "basic")}},
		{Name: name("enrolment"), RowCount: 300, Columns: []catalog.Column{{Name: "member_id", Type: "bigint", PrimaryKey: true, Distinct: 100}, {Name: "class_id", Type: "bigint", PrimaryKey: true, Distinct: 3}},
			ForeignKeys: []catalog.ForeignKey{fk("class_id", "class"), fk("member_id", "member")}},
	}, nil)
	ask := func(question string) pipeline.Result {
		return p.Answer(pipeline.Input{Question: question, Schema: s, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
	}
	res := ask("Members in Yoga but not in Boxing")
	require.Contains(t, res.SQL, "NOT EXISTS")
	require.NotContains(t, res.SQL, "<>")
	res = ask("Members in Yoga")
	require.Equal(t, pipeline.Answered, res.Outcome, res.NotUnderstood)
}

// Where two tables hold what is asked for and nothing tells them apart, none is taken; the name of
// one, and a condition that only one can have, tell.
func TestAnyTableIsNone(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	columns := func() []catalog.Column {
		return []catalog.Column{{Name: "id", Type: "bigint", Distinct: 40}, {Name: "kwh", Type: "double", Distinct: 40}, {Name: "meter_id", Type: "bigint", Distinct: 9}}
	}
	meters := catalog.Table{Name: catalog.Name{Region: "eu", Schema: "main", Table: "meters"}, RowCount: 9, Columns: []catalog.Column{
		{Name: "meter_id", Type: "bigint", PrimaryKey: true, Distinct: 9}, {Name: "street", Type: "varchar", Distinct: 4, Samples: []string{"Oak Ave", "Main St"}},
	}}
	at := []catalog.ForeignKey{{Columns: []string{"meter_id"}, RefTable: meters.Name, RefColumns: []string{"meter_id"}}}
	readings := catalog.Table{Name: catalog.Name{Region: "eu", Schema: "main", Table: "readings"}, RowCount: 40, Columns: append(columns(), catalog.Column{Name: "taken", Type: "date", Distinct: 30}), ForeignKeys: at}
	big := catalog.Table{Name: catalog.Name{Region: "eu", Schema: "main", Table: "Big ones"}, RowCount: 12, Columns: columns(), ForeignKeys: at}
	s, alone := p.Prepare([]catalog.Table{readings, big, meters}, nil), p.Prepare([]catalog.Table{readings, meters}, nil)
	ask := func(s *pipeline.Schema, question string) pipeline.Result {
		return p.Answer(pipeline.Input{Question: question, Schema: s, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
	}
	require.NotEqual(t, pipeline.Answered, ask(s, "total kwh").Outcome)
	require.NotEqual(t, pipeline.Answered, ask(s, "total kwh by street").Outcome)
	require.Contains(t, ask(alone, "total kwh by street").SQL, "eu.main.meters")
	var offered []string
	for _, o := range p.Offers(pipeline.Input{Question: "total kwh", Schema: s, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}) {
		offered = append(offered, o.Label)
	}
	require.Equal(t, []string{"total of kwh (readings)", "total of kwh (big ones)"}, offered, "each is told by its table")
	require.Contains(t, ask(alone, "total kwh").SQL, "eu.main.readings")
	require.Contains(t, ask(s, "total kwh of readings").SQL, "eu.main.readings")
	require.Contains(t, ask(s, "total kwh per month").SQL, "eu.main.readings")
}

// TestWhatIsPassedOverIsTold: an answer that does nothing with a word says so, and is less
// sure.
func TestWhatIsPassedOverIsTold(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	text := func(n string, v ...string) catalog.Column {
		return catalog.Column{Name: n, Type: "varchar", Samples: v, Distinct: int64(len(v))}
	}
	s := p.Prepare([]catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "main", Table: "leases"}, RowCount: 400, Columns: []catalog.Column{
		{Name: "lease_id", Type: "bigint", PrimaryKey: true, Distinct: 400}, text("title", "a", "b"), text("status", "open", "closed"), {Name: "end_date", Type: "date", Distinct: 300},
	}}}, nil)
	ask := func(question string) pipeline.Result {
		return p.Answer(pipeline.Input{Question: question, Schema: s, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
	}
	plain, more := ask("How many leases are there?"), ask("How many leases are still running?")
	require.Equal(t, pipeline.Answered, plain.Outcome)
	require.Greater(t, plain.Confidence, 0.75)
	if more.Outcome == pipeline.Answered {
		require.Equal(t, plain.SQL, more.SQL)
		require.LessOrEqual(t, more.Confidence, 0.75)
		require.Contains(t, more.Assumptions, `Nothing was done with "still", "running".`)
	}
}
