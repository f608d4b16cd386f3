package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// bakery has bakers of whom some are of the grade baker, and ovens that bakers are at.
func bakery() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "flours"}, RowCount: 40, Columns: []catalog.Column{
		{Name: "flour_id", Type: "bigint", PrimaryKey: true, Distinct: 40}, {Name: "flour_name", Type: "varchar", NotNull: true, Distinct: 40},
		{Name: "in_store", Type: "bigint", Distinct: 25, Samples: []string{"0", "12", "80"}},
	}}, {Name: catalog.Name{Table: "bakers"}, RowCount: 12, Columns: []catalog.Column{
		{Name: "baker_id", Type: "bigint", PrimaryKey: true, Distinct: 12}, {Name: "name", Type: "varchar", NotNull: true, Distinct: 12},
		{Name: "grade", Type: "varchar", NotNull: true, Distinct: 3, Samples: []string{"baker", "apprentice", "master"}}, {Name: "pay_rate", Type: "double", NotNull: true, Distinct: 6},
	}}, {Name: catalog.Name{Table: "shifts"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "shift_id", Type: "bigint", PrimaryKey: true, Distinct: 900}, {Name: "baker_id", Type: "bigint", NotNull: true, Distinct: 12},
		{Name: "rating", Type: "double", NotNull: true, Distinct: 9}, {Name: "bonus", Type: "double", NotNull: true, Distinct: 60},
	}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"baker_id"}, RefTable: catalog.Name{Table: "bakers"}, RefColumns: []string{"baker_id"}}}}}
}

func TestPrepositions(t *testing.T) {
	t.Parallel()
	s := open(t, bakery()...)
	const byName = "JOIN bakers AS t2 ON t1.baker_id = t2.baker_id GROUP BY t2.baker_id, t2.name"
	for question, want := range map[string]string{
		// Of what one is out, nothing is left.
		"Which flours are out of store?":    "SELECT flour_name FROM flours WHERE in_store IS NULL OR in_store = 0",
		"What flours are we out of":         "refused", // nothing says of what
		"Which flours are not out of store": "refused", // denied twice
		// Behind what says of which things each is meant the things are named, and no value of theirs.
		"bonus by baker":                      "SELECT t2.name, sum(t1.bonus) AS total_bonus FROM shifts AS t1 " + byName + " ORDER BY total_bonus DESC, t2.name",
		"total bonus by baker, highest first": "SELECT t2.name, sum(t1.bonus) AS total_bonus FROM shifts AS t1 " + byName + " ORDER BY total_bonus DESC",
		"shifts that were worked by a baker":  "SELECT t1.shift_id FROM shifts AS t1 JOIN bakers AS t2 ON t1.baker_id = t2.baker_id WHERE t2.grade = 'baker'",
	} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			sql, read := s.ask(t, question)
			if want == "refused" {
				require.True(t, len(read.Unread) > 0 || read.Doubt.Sum() > 2, sql)
				return
			}
			require.Equal(t, want, sql)
		})
	}
}

// Who is called exactly so has no rival that is called by another word of the same stem.
func TestNamesAreNotOfOneStem(t *testing.T) {
	t.Parallel()
	s := open(t, bakery()...)
	list, _ := s.reader.Question("average rating of each baker", s.view, today).Readings()
	require.NotEmpty(t, list)
	for i := range list {
		for _, o := range list[i].Intent.Select {
			require.NotContains(t, o.ID, "pay_rate")
		}
	}
}

// Whatever reads a question has to deny what it is out of.
func TestOutOfDenies(t *testing.T) {
	t.Parallel()
	s := open(t, bakery()...)
	for question, word := range map[string]string{"Which flours are out of store?": "out of", "Which flours come out of the bakery?": ""} {
		require.Equal(t, word, s.reader.Question(question, s.view, today).Demands().Deny, question)
	}
}
