package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// A negation holds of all values that stand together, and a number is put into the unit of
// its column.
func TestNegationsAndUnitsHold(t *testing.T) {
	t.Parallel()
	pets := open(t, catalog.Table{Name: catalog.Name{Table: "pets"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "pet_id", Type: "bigint", PrimaryKey: true, Distinct: 900},
		{Name: "kind", Type: "varchar", Distinct: 4, Samples: []string{"dog", "cat", "parrot", "hamster"}},
		{Name: "walk_seconds", Type: "bigint", Distinct: 300},
		{Name: "weight_g", Type: "bigint", Distinct: 300},
	}})
	chong := open(t, catalog.Table{Name: catalog.Name{Table: "宠物"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "编号", Type: "bigint", PrimaryKey: true, Distinct: 900},
		{Name: "种类", Type: "varchar", Distinct: 4, Samples: []string{"狗", "猫", "鹦鹉"}},
	}})
	neither := "SELECT count(*) AS number_of_pets FROM pets WHERE kind NOT IN ('dog', 'cat')"
	for _, c := range []struct {
		shop
		question, sql string
	}{
		{pets, "How many pets are not dogs or cats?", neither},
		{pets, "How many pets are neither dogs nor cats?", neither},
		{pets, "How many pets are there except dogs and cats?", neither},
		{pets, "How many pets other than dogs and cats are there?", neither},
		{pets, "How many pets are not dogs?", "SELECT count(*) AS number_of_pets FROM pets WHERE kind <> 'dog'"},
		{pets, "How many pets are dogs or cats?", "SELECT count(*) AS number_of_pets FROM pets WHERE kind IN ('dog', 'cat')"},
		{pets, "How many pets walk more than 2 minutes?", "SELECT count(*) AS number_of_pets FROM pets WHERE walk_seconds > 120"},
		{pets, "How many pets have a weight of more than 2 kg?", "SELECT count(*) AS number_of_pets FROM pets WHERE weight_g > 2000"},
		{chong, "除了狗和猫以外有多少只宠物？", `SELECT count(*) AS "number_of_宠物" FROM "宠物" WHERE "种类" NOT IN ('狗', '猫')`},
		{chong, "不是狗也不是猫的宠物有多少？", `SELECT count(*) AS "number_of_宠物" FROM "宠物" WHERE "种类" NOT IN ('狗', '猫')`},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			sql, read := c.ask(t, c.question)
			require.Equal(t, c.sql, sql, "%+v", read.Notes)
		})
	}
}
