package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// depots is a schema whose numbers are keys, years, codes and a few amounts.
func depots() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	return []catalog.Table{
		{Name: name("region"), RowCount: 9, Columns: []catalog.Column{
			{Name: "region_id", Type: "bigint", PrimaryKey: true, Distinct: 9}, {Name: "region_name", Type: "varchar", Distinct: 9},
		}},
		{Name: name("depot"), RowCount: 50, Columns: []catalog.Column{
			{Name: "depot_id", Type: "bigint", PrimaryKey: true, Distinct: 50}, {Name: "depot_name", Type: "varchar", Distinct: 50},
			{Name: "region_id", Type: "bigint"}, {Name: "zip", Type: "bigint"}, {Name: "built_year", Type: "integer"},
			{Name: "phone_number", Type: "bigint"}, {Name: "state", Type: "varchar", Distinct: 4, Samples: []string{"Ohio", "Iowa", "Utah", "Maine"}},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"region_id"}, RefTable: name("region"), RefColumns: []string{"region_id"}}}},
		{Name: name("repair"), RowCount: 400, Columns: []catalog.Column{
			{Name: "repair_id", Type: "bigint", PrimaryKey: true, Distinct: 400}, {Name: "depot_id", Type: "bigint"},
			{Name: "cost_id", Type: "bigint"}, {Name: "hours", Type: "double"},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"depot_id"}, RefTable: name("depot"), RefColumns: []string{"depot_id"}}}},
	}
}

// What identifies rows, years and codes are no amounts in any reading, whatever a
// question asks of them.
func TestKeysAreNoAmounts(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(depots(), nil)
	cases := []struct {
		question string
		never    []string
	}{
		{"Which state has the most depots?", []string{"sum(depot_id)", "max(depot_id)", "ORDER BY depot_id"}},
		{"Which state has the most regions?", []string{"sum(region_id)", "max(region_id)", "ORDER BY region_id"}},
		{"the three most expensive repairs", []string{"cost_id DESC", "max(cost_id)", "max(depot_id)", "sum(cost_id)"}},
		{"total repairs per depot", []string{"sum(repair_id)"}},
		{"average depot of repairs", []string{"avg("}},
		{"total zip by state", []string{"sum(zip)"}},
		{"zip per state", []string{"sum(zip)"}},
		{"built year per state", []string{"sum(built_year)"}},
		{"the highest phone number per state", []string{"sum(phone_number)"}},
		{"total phone number", []string{"sum(phone_number)"}},
		{"average zip", []string{"avg(zip)"}},
		{"depots with more than 3 regions", []string{"region_id > 3"}},
	}
	alias := strings.NewReplacer("t1.", "", "t2.", "", "t3.", "")
	for _, c := range cases {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			list, _ := p.Candidates(pipeline.Input{Question: c.question, Schema: schema})
			for _, r := range list {
				for _, never := range c.never {
					require.NotContains(t, alias.Replace(r.SQL), never)
				}
			}
		})
	}
}

func TestIdentifiersThatAreNamed(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(depots(), nil)
	for question, want := range map[string]string{
		"What is the highest depot id?":   "SELECT max(depot_id) AS highest_depot_id FROM depot",
		"average hours of repairs":        "SELECT avg(hours) AS average_hours FROM repair",
		"What is the average built year?": "SELECT avg(built_year) AS average_built_year FROM depot",
	} {
		list, _ := p.Candidates(pipeline.Input{Question: question, Schema: schema})
		var all []string
		for _, r := range list {
			all = append(all, r.SQL)
		}
		require.Contains(t, all, want, question)
	}
}

// A thing that the tables do not have, or a word that picks rows, is never passed
// over.
func TestNothingThatPicksRowsIsPassedOver(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	for _, c := range []struct {
		question, missing string
		tables            []catalog.Table
	}{
		{"How many owners have a tractor?", "tractor", clinic()},
		{"How many overdue appointments are there?", "overdue", clinic()},
		{"number of refunded appointments by vet", "refunded", clinic()},
		{"How many owners are from Quarnville?", "Quarnville", clinic()},
		{"total fee of appointments paid by insurance", "insurance", clinic()},
		{"How many electric rides were there?", "electric", transit()},
		{"average price of rides in Quarnville", "Quarnville", transit()},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			res := p.Answer(pipeline.Input{Question: c.question, Schema: p.Prepare(c.tables, nil), Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)})
			require.NotEqual(t, pipeline.Answered, res.Outcome, res.SQL)
			require.Contains(t, res.NotUnderstood, c.missing)
		})
	}
}
