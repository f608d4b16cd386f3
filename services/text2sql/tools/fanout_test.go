package tools_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// kennel is a catalog of owners with dogs, dogs with visits, and breeds of dogs.
type kennel struct{}

func (kennel) tables() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Region: "eu", Schema: "kennel", Table: t} }
	key := func(c string) catalog.Column { return catalog.Column{Name: c, Type: "bigint", PrimaryKey: true} }
	number := func(c string) catalog.Column { return catalog.Column{Name: c, Type: "bigint"} }
	return []catalog.Table{
		{Name: name("owners"), RowCount: 10, Columns: []catalog.Column{key("owner_id"), number("age"), number("chip_id")}},
		{Name: name("dogs"), RowCount: 30, Columns: []catalog.Column{key("dog_id"), number("owner_id"), number("breed_id"), number("weight")}},
		{Name: name("visits"), RowCount: 90, Columns: []catalog.Column{key("dog_id"), key("day"), number("cost")}},
		{Name: name("breeds"), RowCount: 5, Columns: []catalog.Column{key("breed_id"), number("height")}},
		{Name: name("notes"), RowCount: 50, Columns: []catalog.Column{number("owner_id"), number("stars")}},
		{Name: name("licences"), RowCount: 10, Columns: []catalog.Column{
			key("licence_id"), {Name: "owner_id", Type: "bigint", Distinct: 10}, number("fee"),
		}},
		{Name: name("toys"), Columns: []catalog.Column{key("toy_id"), number("owner_id"), number("price")}}, // nobody counted its rows
	}
}

func (k kennel) Tables(context.Context, string, []string) ([]catalog.Table, error) {
	return k.tables(), nil
}

func (kennel) Defaults(context.Context, string) (catalog.Defaults, error) {
	return catalog.Defaults{Region: "eu", Schema: "kennel"}, nil
}

func TestFanOuts(t *testing.T) {
	t.Parallel()
	set, err := tools.New(tools.Deps{Catalog: kennel{}, Guard: guard.New(guard.Config{})})
	require.NoError(t, err)
	one := func(aggregate, table, by string) []tools.FanOut {
		return []tools.FanOut{{Aggregate: aggregate, Table: "eu.kennel." + table, By: "eu.kennel." + by}}
	}
	for name, c := range map[string]struct {
		sql  string
		want []tools.FanOut
	}{
		"the one side is added up":      {"SELECT avg(o.age) FROM owners o JOIN dogs d ON o.owner_id = d.owner_id", one("avg(o.age)", "owners", "dogs")},
		"by USING":                      {"SELECT sum(age) FROM owners JOIN dogs USING (owner_id)", one("sum(age)", "owners", "dogs")},
		"by WHERE":                      {"SELECT sum(o.age) FROM dogs d, owners o WHERE d.owner_id = o.owner_id", one("sum(o.age)", "owners", "dogs")},
		"over two joins":                {"SELECT sum(o.age) FROM owners o LEFT JOIN dogs d ON o.owner_id = d.owner_id LEFT JOIN breeds b ON b.breed_id = d.breed_id", one("sum(o.age)", "owners", "dogs")},
		"beside what is reached once":   {"SELECT sum(d.weight) FROM dogs d JOIN owners o ON o.owner_id = d.owner_id JOIN visits v ON v.dog_id = d.dog_id", one("sum(d.weight)", "dogs", "visits")},
		"in ORDER BY":                   {"SELECT o.owner_id FROM owners o JOIN dogs d ON o.owner_id = d.owner_id GROUP BY o.owner_id ORDER BY sum(o.age) DESC", one("sum(o.age)", "owners", "dogs")},
		"in HAVING":                     {"SELECT o.owner_id FROM owners o JOIN dogs d ON o.owner_id = d.owner_id GROUP BY 1 HAVING sum(o.age) > 3", one("sum(o.age)", "owners", "dogs")},
		"in a query inside":             {"SELECT max(s) FROM (SELECT sum(o.age) AS s FROM owners o JOIN dogs d ON o.owner_id = d.owner_id GROUP BY d.breed_id) q", one("sum(o.age)", "owners", "dogs")},
		"some of the rows are over all": {"SELECT d.dog_id, sum(o.age) FROM owners o JOIN dogs d ON o.owner_id = d.owner_id GROUP BY ROLLUP (d.dog_id)", one("sum(o.age)", "owners", "dogs")},
		"a group of many of the many":   {"SELECT d.breed_id, sum(o.age) FROM owners o JOIN dogs d ON o.owner_id = d.owner_id GROUP BY d.breed_id", one("sum(o.age)", "owners", "dogs")},
		"rows that nobody counted":      {"SELECT sum(o.age) FROM owners o JOIN toys t ON o.owner_id = t.owner_id", one("sum(o.age)", "owners", "toys")},
		"two at once":                   {"SELECT sum(o.age), avg(o.chip_id) FROM owners o JOIN dogs d ON o.owner_id = d.owner_id", append(one("sum(o.age)", "owners", "dogs"), one("avg(o.chip_id)", "owners", "dogs")...)},
		"the same twice":                {"SELECT sum(o.age), sum(o.age) FROM owners o JOIN dogs d ON o.owner_id = d.owner_id", one("sum(o.age)", "owners", "dogs")},

		"over a window":                   {"SELECT sum(o.age) OVER () FROM owners o JOIN dogs d ON o.owner_id = d.owner_id", nil},
		"groups that are not written":     {"SELECT d.dog_id, sum(o.age) FROM owners o JOIN dogs d ON o.owner_id = d.owner_id GROUP BY AUTO", nil},
		"the many side is added up":       {"SELECT sum(d.weight) FROM owners o JOIN dogs d ON o.owner_id = d.owner_id JOIN breeds b USING (breed_id)", nil},
		"both sides":                      {"SELECT sum(o.age * d.weight) FROM owners o JOIN dogs d ON o.owner_id = d.owner_id", nil},
		"no sum":                          {"SELECT max(o.age), count(*), sum(DISTINCT o.age) FROM owners o JOIN dogs d ON o.owner_id = d.owner_id", nil},
		"one table":                       {"SELECT sum(age) FROM owners WHERE owner_id IN (SELECT owner_id FROM dogs)", nil},
		"a group for each of the many":    {"SELECT d.dog_id, sum(o.age) FROM owners o JOIN dogs d ON o.owner_id = d.owner_id GROUP BY 1", nil},
		"one of the many is asked for":    {"SELECT sum(o.age) FROM owners o JOIN dogs d ON o.owner_id = d.owner_id WHERE d.dog_id = 7", nil},
		"one day of a key of two columns": {"SELECT sum(d.weight) FROM dogs d JOIN visits v ON v.dog_id = d.dog_id AND v.day = 3", nil},
		"a key that is not known":         {"SELECT sum(o.age) FROM owners o JOIN notes n ON o.owner_id = n.owner_id", nil},
		"not by a key":                    {"SELECT sum(o.age) FROM owners o JOIN dogs d ON o.chip_id = d.dog_id", nil},
		"no value is there twice":         {"SELECT sum(o.age) FROM owners o JOIN licences l ON o.owner_id = l.owner_id", nil},
		"added up before the join":        {"SELECT sum(o.age), sum(d.w) FROM owners o JOIN (SELECT owner_id, sum(weight) AS w FROM dogs GROUP BY owner_id) d ON d.owner_id = o.owner_id", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}})
			v, err := set.Validate(ctx, tools.StatementArgs{SQL: c.sql})
			require.NoError(t, err)
			require.Empty(t, v.Problems)
			require.Equal(t, c.want, v.FanOuts)
		})
	}
}
