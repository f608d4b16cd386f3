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
