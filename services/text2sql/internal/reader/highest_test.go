package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// A unit behind an aggregate is the number that is called so, the highest of a number of things is the one
// with most of them, and a mean of rows that have one number is that of the number.
func TestNumbersThatAreNamedInPart(t *testing.T) {
	t.Parallel()
	marks := open(t,
		catalog.Table{Name: catalog.Name{Table: "班级"}, RowCount: 12, Columns: []catalog.Column{{Name: "班级编号", Type: "varchar", PrimaryKey: true, NotNull: true, Distinct: 12}, texts("班级名称", "一班", "二班")}},
		catalog.Table{Name: catalog.Name{Table: "成绩"}, RowCount: 900, Columns: []catalog.Column{
			key("成绩编号"), col("班级编号", "varchar"), texts("科目", "数学", "物理"), col("分数", "double")}, ForeignKeys: []catalog.ForeignKey{to("班级编号", "班级")}},
	)
	marks.answers(t, map[string]string{
		"数学的平均分是多少？":  `SELECT avg("分数") AS "average_分数" FROM "成绩" WHERE "科目" = '数学'`,
		"物理的最高分是多少？":  `SELECT max("分数") AS "highest_分数" FROM "成绩" WHERE "科目" = '物理'`,
		"哪个班级的成绩量最大？": `SELECT t2."班级名称" FROM "成绩" AS t1 JOIN "班级" AS t2 ON t1."班级编号" = t2."班级编号" GROUP BY t2."班级编号", t2."班级名称" ORDER BY count(*) DESC LIMIT 1`,
	})
	got, _ := marks.ask(t, "数学成绩有多少分？")
	require.NotContains(t, got, "avg", "no aggregate stands before it")

	open(t, catalog.Table{Name: catalog.Name{Table: "ratings"}, RowCount: 900, Columns: []catalog.Column{
		key("rating_id"), texts("place", "Quay", "Mill"), col("rated_on", "date"), col("score", "bigint")}},
	).answers(t, map[string]string{
		"Average rating per place": "SELECT place, avg(score) AS average_score FROM ratings GROUP BY place ORDER BY average_score DESC, place",
	})
}

// A clause of its own at the end may say no more than how the first are put in order, and a superlative is no
// name that is stored in another language.
func TestSuperlativesThatChooseNothing(t *testing.T) {
	t.Parallel()
	s := open(t, stays())
	for question, order := range map[string]string{
		"Which five stays have the highest price? Priciest first.": "ORDER BY price_eur DESC LIMIT 5",
		"Top 5 stays with the highest price, most costly first":    "ORDER BY price_eur DESC LIMIT 5",
		"Which five stays have the lowest price? Cheapest first.":  "ORDER BY price_eur LIMIT 5",
	} {
		got, read := s.ask(t, question)
		require.Contains(t, got, order, "%s %+v", question, read.Notes)
		require.Empty(t, read.Unread, question)
	}
	got, _ := open(t, catalog.Table{Name: catalog.Name{Table: "members"}, RowCount: 90, Columns: []catalog.Column{
		key("member_id"), texts("first_name", "Max", "Ann"), col("fee", "double")}},
	).ask(t, "哪一年的费最高？")
	require.NotContains(t, got, "'Max'")
}
