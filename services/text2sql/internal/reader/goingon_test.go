package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// hall is a schema of members who leave, and what they book, which ends in several ways.
func hall() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "rooms"}, RowCount: 20, Columns: []catalog.Column{key("room_id"), col("room_name", "varchar"), texts("kind", "studio", "kitchen", "stage")}},
		{Name: catalog.Name{Table: "members"}, RowCount: 300, Columns: []catalog.Column{
			key("member_id"), col("full_name", "varchar"), col("joined_on", "date"), {Name: "left_on", Type: "date", Missing: 200, Low: "2024-02-01", High: "2025-11-30"}, texts("city", "Turku", "Oulu"),
		}},
		{
			Name: catalog.Name{Table: "bookings"}, RowCount: 4000, Columns: []catalog.Column{
				key("booking_id"), {Name: "member_id", Type: "bigint", Distinct: 250}, {Name: "room_id", Type: "bigint", Distinct: 20}, col("starts_on", "date"), {Name: "hours", Type: "bigint", Distinct: 6}, texts("status", "kept", "cancelled", "no-show"),
			},
			ForeignKeys: []catalog.ForeignKey{to("member_id", "members"), to("room_id", "rooms")},
		},
	}
}

// TestWhatGoesOn: what is said to go on has not come to its end, where the rows say when they did; a
// condition that follows says it itself.
func TestWhatGoesOn(t *testing.T) {
	t.Parallel()
	s := open(t, hall()...)
	s.answers(t, map[string]string{
		"How many members are there right now?":      "SELECT count(*) AS number_of_members FROM members WHERE left_on IS NULL",
		"How many members do we currently have?":     "SELECT count(*) AS number_of_members FROM members WHERE left_on IS NULL",
		"How many members are still with us?":        "SELECT count(*) AS number_of_members FROM members WHERE left_on IS NULL",
		"How many members do we have?":               "SELECT count(*) AS number_of_members FROM members",
		"How many bookings are there now?":           "SELECT count(*) AS number_of_bookings FROM bookings",
		"How many members left in 2025?":             "SELECT count(*) AS number_of_members FROM members WHERE left_on >= DATE '2025-01-01' AND left_on < DATE '2026-01-01'",
		"How many bookings are currently cancelled?": "SELECT count(*) AS number_of_bookings FROM bookings WHERE status = 'cancelled'",
	})
	none := open(t, clinic()...)
	got, _ := none.ask(t, "How many pets are there now?")
	require.Equal(t, "SELECT count(*) AS number_of_pets FROM pets", got, "nothing there comes to an end")
}

// TestNeverOfSome: what was never done to some of a kind is told by there being no row of such, and
// not by there being none at all.
func TestNeverOfSome(t *testing.T) {
	t.Parallel()
	s := open(t, hall()...)
	s.answers(t, map[string]string{
		"Which rooms were never booked by members from Oulu?": "SELECT t1.room_name FROM rooms AS t1 WHERE NOT EXISTS (SELECT 1 FROM bookings AS t2 JOIN members AS t3 ON t2.member_id = t3.member_id WHERE t1.room_id = t2.room_id AND t3.city = 'Oulu')",
		"Which members have never booked a room?":             "SELECT t1.full_name FROM members AS t1 WHERE NOT EXISTS (SELECT 1 FROM bookings AS t2 WHERE t1.member_id = t2.member_id)",
		"Which members never booked a kitchen?":               "SELECT t1.full_name FROM members AS t1 WHERE NOT EXISTS (SELECT 1 FROM bookings AS t2 JOIN rooms AS t3 ON t2.room_id = t3.room_id WHERE t1.member_id = t2.member_id AND t3.kind = 'kitchen')",
	})
	_, missed := s.ask(t, "Which members have never missed a booking?")
	_, had := s.ask(t, "Which members have never had a booking?")
	require.Greater(t, missed.Cost, had.Cost+3, "it may be how those that are there ended")
}

// TestHowLongIsOfWhatIsNamed: the length of a booking is the time that it has, and not how long
// somebody was a member who booked.
func TestHowLongIsOfWhatIsNamed(t *testing.T) {
	t.Parallel()
	s := open(t, hall()...)
	got, known := s.ask(t, "What is the average length of a booking?")
	require.Equal(t, "SELECT avg(hours) AS average_hours FROM bookings", got)
	tables := hall()
	tables[2].Columns[4] = col("guests", "bigint") // nothing says how long a booking is
	got, guessed := open(t, tables...).ask(t, "What is the average length of a booking?")
	require.NotContains(t, got, "EXISTS")
	require.Greater(t, guessed.Cost, known.Cost+1.5, "a booking is passed over: "+got)
}

// TestMeasureWordsCount: 人 that stands behind nothing that counts is people, who are the rows of a
// table of persons, and passed over nowhere.
func TestMeasureWordsCount(t *testing.T) {
	t.Parallel()
	s := open(t, []catalog.Table{
		{Name: catalog.Name{Table: "会员"}, RowCount: 300, Columns: []catalog.Column{{Name: "会员编号", Type: "bigint", PrimaryKey: true, Distinct: 300}, col("姓名", "varchar"), {Name: "年龄", Type: "bigint", Distinct: 40}, texts("卡类型", "年卡", "月卡")}},
		{Name: catalog.Name{Table: "教练"}, RowCount: 8, Columns: []catalog.Column{{Name: "教练编号", Type: "bigint", PrimaryKey: true, Distinct: 8}, col("姓名", "varchar")}},
		{Name: catalog.Name{Table: "课程"}, RowCount: 900, Columns: []catalog.Column{{Name: "课程编号", Type: "bigint", PrimaryKey: true, Distinct: 900}, {Name: "教练编号", Type: "bigint", Distinct: 8}, col("上课日期", "date")}, ForeignKeys: []catalog.ForeignKey{to("教练编号", "教练")}},
	}...)
	s.answers(t, map[string]string{
		"每种卡类型有几个人？":  `SELECT "卡类型", count(*) AS "number_of_会员" FROM "会员" GROUP BY "卡类型" ORDER BY "number_of_会员" DESC, "卡类型"`,
		"超过50岁的人占多少？": `SELECT CAST(count_if("年龄" > 50) AS double) / nullif(count(*), 0) AS "会员_share" FROM "会员"`,
		"50岁以上的人有多少？": `SELECT count(*) AS "number_of_会员" FROM "会员" WHERE "年龄" >= 50`,
		"有多少个会员是年卡？":  `SELECT count(*) AS "number_of_会员" FROM "会员" WHERE "卡类型" = '年卡'`,
		"目前年卡的会员有多少？": `SELECT count(*) AS "number_of_会员" FROM "会员" WHERE "卡类型" = '年卡'`,
		"哪个教练的课程最多？":  `SELECT t2."姓名" FROM "课程" AS t1 JOIN "教练" AS t2 ON t1."教练编号" = t2."教练编号" GROUP BY t2."教练编号", t2."姓名" ORDER BY count(*) DESC LIMIT 1`,
	})
	_, people := s.ask(t, "哪天上课的人最多？")
	_, classes := s.ask(t, "哪天上课最多？")
	require.Greater(t, people.Cost, classes.Cost+0.5, "of the people it is not told")
}

// TestNamesOfNamesakes: where many rows are called alike, a name that is asked for stands for all that
// are called so.
func TestNamesOfNamesakes(t *testing.T) {
	t.Parallel()
	tables := []catalog.Table{
		{Name: catalog.Name{Table: "课程"}, RowCount: 900, Columns: []catalog.Column{{Name: "课程编号", Type: "bigint", PrimaryKey: true, Distinct: 900}, {Name: "课程名称", Type: "varchar", NotNull: true, Distinct: 6}}},
		{
			Name: catalog.Name{Table: "预约"}, RowCount: 9000, Columns: []catalog.Column{{Name: "预约编号", Type: "bigint", PrimaryKey: true, Distinct: 9000}, {Name: "课程编号", Type: "bigint", Distinct: 900}, {Name: "评分", Type: "bigint", Distinct: 5}},
			ForeignKeys: []catalog.ForeignKey{to("课程编号", "课程")},
		},
	}
	got, _ := open(t, tables...).ask(t, "平均评分最高的课程名称是什么？")
	require.Equal(t, `SELECT t2."课程名称" FROM "预约" AS t1 JOIN "课程" AS t2 ON t1."课程编号" = t2."课程编号" GROUP BY t2."课程名称" ORDER BY avg(t1."评分") DESC LIMIT 1`, got)
	tables[0].Columns[1].Distinct = 900
	got, _ = open(t, tables...).ask(t, "平均评分最高的课程名称是什么？")
	require.Contains(t, got, `GROUP BY t2."课程编号", t2."课程名称"`, "each has a name of its own")
}

// TestNeverToAValue: where many rows are of each thing that is asked for, a stored value behind "never"
// says to what it never happened.
func TestNeverToAValue(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "sales"}, RowCount: 900, Columns: []catalog.Column{
		key("id"), col("sold_on", "date"), texts("crop", "kale", "leeks", "carrots"), texts("buyer", "Bistro Lumen", "Farm Shop", "Market Hall"), texts("payment", "cash", "card"),
	}})
	s.answers(t, map[string]string{
		"Which crops were never sold to Bistro Lumen?": "SELECT crop FROM sales GROUP BY crop HAVING count_if(sold_on IS NOT NULL AND buyer = 'Bistro Lumen') = 0",
		"Which buyers never bought leeks?":             "SELECT buyer FROM sales GROUP BY buyer HAVING count_if(crop = 'leeks') = 0",
		"Which crops were never sold?":                 "SELECT crop FROM sales GROUP BY crop HAVING count_if(sold_on IS NOT NULL) = 0",
	})
}
