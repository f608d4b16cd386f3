package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// kennel is a kennel with what was done to its animals, and the branches and the owners beside it.
func kennel() []catalog.Table {
	animals := catalog.Table{Name: catalog.Name{Table: "animals"}, RowCount: 400, Columns: []catalog.Column{key("animal_id"), col("name", "varchar"),
		texts("species", "cat", "hare", "dog"), texts("gender", "F", "M"), col("weight_kg", "double"), col("born_on", "date")}}
	owners := catalog.Table{Name: catalog.Name{Table: "owners"}, RowCount: 200, Columns: []catalog.Column{key("owner_id"), col("full_name", "varchar"), texts("town", "Leith", "Marchmont")}}
	branches := catalog.Table{Name: catalog.Name{Table: "branches"}, RowCount: 20, Columns: []catalog.Column{key("branch_id"), col("title", "varchar"), texts("town", "Leith", "Marchmont", "Gorgie")}}
	stays := catalog.Table{Name: catalog.Name{Table: "stays"}, RowCount: 3000, Columns: []catalog.Column{key("stay_id"), {Name: "animal_id", Type: "bigint", NotNull: true, Distinct: 390}, {Name: "owner_id", Type: "bigint", NotNull: true, Distinct: 190},
		{Name: "branch_id", Type: "bigint", Distinct: 20, Missing: 9}, col("began_on", "date"), {Name: "fee", Type: "double", Unit: "EUR", NotNull: true, Distinct: 600}, texts("kind", "day", "night")},
		ForeignKeys: []catalog.ForeignKey{to("animal_id", "animals"), to("owner_id", "owners"), to("branch_id", "branches")}}
	return []catalog.Table{animals, owners, branches, stays}
}

// A difference of two sides shows both figures and by how much the first is more; "less" asks by how much
// the second is. Sides are values of one column, or times that no day tells.
func TestDifferencesOfTwoSides(t *testing.T) {
	t.Parallel()
	const weights = "SELECT avg(weight_kg) FILTER (WHERE species = 'cat') AS average_weight_kg_cat, avg(weight_kg) FILTER (WHERE species = 'hare') AS average_weight_kg_hare, avg(weight_kg) FILTER (WHERE species = 'cat') - avg(weight_kg) FILTER (WHERE species = 'hare') AS difference FROM animals"
	open(t, kennel()[:1]...).answers(t, map[string]string{
		"How much heavier is a cat than a hare on average?":                   weights,
		"How much heavier is a cat than a hare?":                              weights,
		"What is the difference in average weight_kg between cats and hares?": weights,
		"cat比hare平均重多少？":                                                      weights,
		"How much lighter is a hare than a cat?":                              weights,
		"How many more cats than hares are there?":                            "SELECT count_if(species = 'cat') AS number_of_animals_cat, count_if(species = 'hare') AS number_of_animals_hare, count_if(species = 'cat') - count_if(species = 'hare') AS difference FROM animals",
		"How many fewer hares than cats are there?":                           "SELECT count_if(species = 'cat') AS number_of_animals_cat, count_if(species = 'hare') AS number_of_animals_hare, count_if(species = 'cat') - count_if(species = 'hare') AS difference FROM animals",
		"How many more women than men are there?":                             "SELECT count_if(gender = 'F') AS number_of_animals_f, count_if(gender = 'M') AS number_of_animals_m, count_if(gender = 'F') - count_if(gender = 'M') AS difference FROM animals",
	})
	open(t, kennel()...).answers(t, map[string]string{
		"How many more stays did cats have than hares in 2030?": "SELECT count_if(t2.species = 'cat') AS number_of_stays_cat, count_if(t2.species = 'hare') AS number_of_stays_hare, count_if(t2.species = 'cat') - count_if(t2.species = 'hare') AS difference FROM stays AS t1 JOIN animals AS t2 ON t1.animal_id = t2.animal_id WHERE t1.began_on >= DATE '2030-01-01' AND t1.began_on < DATE '2031-01-01'",
		"How many more stays of cats than of hares per month?":  "SELECT date_trunc('month', t1.began_on) AS month, count_if(t2.species = 'cat') AS number_of_stays_cat, count_if(t2.species = 'hare') AS number_of_stays_hare, count_if(t2.species = 'cat') - count_if(t2.species = 'hare') AS difference FROM stays AS t1 JOIN animals AS t2 ON t1.animal_id = t2.animal_id GROUP BY date_trunc('month', t1.began_on) ORDER BY month",
	})
	open(t, trades()).answers(t, map[string]string{
		"How many more weavers were there in 1900 than in 1850?":           "SELECT sum(count) FILTER (WHERE year = 1900) AS total_count_1900, sum(count) FILTER (WHERE year = 1850) AS total_count_1850, sum(count) FILTER (WHERE year = 1900) - sum(count) FILTER (WHERE year = 1850) AS difference FROM trades WHERE trade = 'Weaver'",
		"1850年的Weaver比1900年多多少人？":                                          "SELECT sum(count) FILTER (WHERE year = 1850) AS total_count_1850, sum(count) FILTER (WHERE year = 1900) AS total_count_1900, sum(count) FILTER (WHERE year = 1850) - sum(count) FILTER (WHERE year = 1900) AS difference FROM trades WHERE trade = 'Weaver'",
		"How many more weavers were there in the 1850s than in the 1950s?": "SELECT sum(count) FILTER (WHERE year >= 1850 AND year < 1860) AS total_count, sum(count) FILTER (WHERE year >= 1950 AND year < 1960) AS total_count_2, sum(count) FILTER (WHERE year >= 1850 AND year < 1860) - sum(count) FILTER (WHERE year >= 1950 AND year < 1960) AS difference FROM trades WHERE trade = 'Weaver'",
	})
	for _, question := range []string{"How much heavier is a cat?", "How many more cats are there?", "How much heavier is a cat than a hare and a dog?"} {
		got, read := open(t, kennel()[:1]...).ask(t, question)
		require.False(t, len(read.Unread) == 0 && read.Intent.Entity != "", "%s: %s", question, got)
	}
}

// The mean over things is that of what each has; over the rows themselves that of what rows have.
func TestMeansOverThings(t *testing.T) {
	t.Parallel()
	open(t, kennel()...).answers(t, map[string]string{
		"How many stays does an owner have on average?":            "SELECT avg(CAST(value_of_group AS double)) AS average_number_of_stays FROM (SELECT count(*) AS value_of_group FROM stays AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id GROUP BY t2.owner_id) AS grouped",
		"On average, how many stays did each animal have in 2030?": "SELECT avg(CAST(value_of_group AS double)) AS average_number_of_stays FROM (SELECT count(*) AS value_of_group FROM stays AS t1 JOIN animals AS t2 ON t1.animal_id = t2.animal_id WHERE t1.began_on >= DATE '2030-01-01' AND t1.began_on < DATE '2031-01-01' GROUP BY t2.animal_id) AS grouped",
		"平均每个owner有多少stays？":                                       "SELECT avg(CAST(value_of_group AS double)) AS average_number_of_stays FROM (SELECT count(*) AS value_of_group FROM stays AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id GROUP BY t2.owner_id) AS grouped",
		"平均每次fee是多少？":                                              "SELECT avg(fee) AS average_fee FROM stays",
		"平均每个stay多少钱？":                                             "SELECT avg(fee) AS average_fee FROM stays",
		"平均每个owner的fee是多少？":                                        "SELECT avg(CAST(value_of_group AS double)) AS average_total_fee FROM (SELECT sum(t1.fee) AS value_of_group FROM stays AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id GROUP BY t2.owner_id) AS grouped",
		"Average fee per kind":                                     "SELECT kind, avg(fee) AS average_fee FROM stays GROUP BY kind ORDER BY average_fee DESC, kind",
	})
}

// A part is one of the rows that are named, or of what figures add up to; a time tells of the whole, unless
// nothing else is said.
func TestSharesOfTheWholeThatIsNamed(t *testing.T) {
	t.Parallel()
	open(t, kennel()...).answers(t, map[string]string{
		"What share of stays are by cats?":          "SELECT CAST(count_if(t2.species = 'cat') AS double) / nullif(count(*), 0) AS stays_share FROM stays AS t1 JOIN animals AS t2 ON t1.animal_id = t2.animal_id",
		"What share of stays began in 2030?":        "SELECT CAST(count_if(began_on >= DATE '2030-01-01' AND began_on < DATE '2031-01-01') AS double) / nullif(count(*), 0) AS stays_share FROM stays",
		"What share of stays in 2030 are at night?": "SELECT CAST(count_if(kind = 'night') AS double) / nullif(count(*), 0) AS night_share FROM stays WHERE began_on >= DATE '2030-01-01' AND began_on < DATE '2031-01-01'",
		"What share of animals are female?":         "SELECT CAST(count_if(gender = 'F') AS double) / nullif(count(*), 0) AS f_share FROM animals",
	})
	open(t, trades()).answers(t, map[string]string{
		"What share of weavers were women in 1900?": "SELECT CAST(sum(count) FILTER (WHERE sex = 'women') AS double) / nullif(sum(count), 0) AS ratio FROM trades WHERE trade = 'Weaver' AND year = 1900",
		"1900年Weaver中women占多大比例？":                   "SELECT CAST(sum(count) FILTER (WHERE sex = 'women') AS double) / nullif(sum(count), 0) AS ratio FROM trades WHERE trade = 'Weaver' AND year = 1900",
	})
	for _, question := range []string{"What share of stays were at branches in Gorgie?", "What share of the fee came from branches in Gorgie?"} {
		got, _ := open(t, kennel()...).ask(t, question)
		require.Contains(t, got, "refused", "a stay may have no branch")
	}
	tables := kennel()
	branch := &tables[3].Columns[3]
	branch.Missing = 0 // none has none
	open(t, tables...).answers(t, map[string]string{
		"What share of the fee came from branches in Gorgie?": "SELECT CAST(sum(t1.fee) FILTER (WHERE t2.town = 'Gorgie') AS double) / nullif(sum(t1.fee), 0) AS ratio FROM stays AS t1 JOIN branches AS t2 ON t1.branch_id = t2.branch_id",
	})
}

// Of a value that two tables beside the rows have it is not known which is meant, unless one is named.
func TestValuesThatTwoTablesHave(t *testing.T) {
	t.Parallel()
	s := open(t, kennel()...)
	open := func(question string) bool {
		_, read := s.ask(t, question)
		for _, n := range read.Notes {
			if n.ID == "held_twice" {
				return true
			}
		}
		return false
	}
	require.True(t, open("How many stays in Leith were there in 2030?"))
	require.True(t, open("How many more stays in Leith than in Marchmont?"))
	require.False(t, open("How many stays of owners in Leith were there in 2030?"))
	require.False(t, open("How many stays in Gorgie were there in 2030?"))
	require.False(t, open("How many owners in Leith are there?"))
}

// A value that is the kind of things counts them, and not what happened to them; before a noun it only tells which.
func TestKindsAreCounted(t *testing.T) {
	t.Parallel()
	open(t, kennel()...).answers(t, map[string]string{
		"How many dogs stayed at night?": "SELECT count(*) AS number_of_animals FROM animals AS t1 WHERE t1.species = 'dog' AND EXISTS (SELECT 1 FROM stays AS t2 WHERE t1.animal_id = t2.animal_id AND t2.kind = 'night')",
		"有多少dog？":                        "SELECT count(*) AS number_of_animals FROM animals WHERE species = 'dog'",
		"How many dog stays were there?": "SELECT count(*) AS number_of_stays FROM stays AS t1 JOIN animals AS t2 ON t1.animal_id = t2.animal_id WHERE t2.species = 'dog'",
	})
	days := catalog.Table{Name: catalog.Name{Table: "weather"}, RowCount: 700, Columns: []catalog.Column{{Name: "day", Type: "date", NotNull: true, Distinct: 700}, texts("sky", "fog", "sun"), col("rain_mm", "double")}}
	open(t, days).answers(t, map[string]string{
		"How many days had fog?": "SELECT count(*) AS number_of_weathers FROM weather WHERE sky = 'fog'",
		"fog有几天？":                "SELECT count(*) AS number_of_weathers FROM weather WHERE sky = 'fog'",
	})
}
