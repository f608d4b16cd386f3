package reader_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// pointer is a foreign key of a column that is called otherwise than what it points to.
func pointer(column, table, ref string) catalog.ForeignKey {
	return catalog.ForeignKey{Columns: []string{column}, RefTable: catalog.Name{Table: table}, RefColumns: []string{ref}}
}

// press keeps manuscripts, who wrote and who edited each, until when it was due, and its invoices.
func press() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "people"}, RowCount: 60, Columns: []catalog.Column{key("person_id"), col("first_name", "varchar"), col("last_name", "varchar"), texts("city", "Porto", "Faro"), texts("grade", "junior", "senior")}},
		{
			Name: catalog.Name{Table: "manuscripts"}, RowCount: 900,
			Columns: []catalog.Column{
				key("manuscript_id"), {Name: "person_id", Type: "bigint", NotNull: true, Distinct: 50}, {Name: "edited_by", Type: "bigint", NotNull: true, Distinct: 20}, col("pages", "bigint"),
				col("due_on", "date"), col("submitted_on", "date"), texts("city", "Porto", "Braga"),
			},
			ForeignKeys: []catalog.ForeignKey{to("person_id", "people"), pointer("edited_by", "people", "person_id")},
		},
		{
			Name: catalog.Name{Table: "invoices"}, RowCount: 800,
			Columns:     []catalog.Column{key("invoice_id"), col("manuscript_id", "bigint"), {Name: "paid_on", Type: "date", Distinct: 300, Missing: 120, Low: "2029-01-01", High: "2030-12-01"}, {Name: "amount_eur", Type: "decimal(10,2)", NotNull: true, Distinct: 700, Unit: "EUR"}},
			ForeignKeys: []catalog.ForeignKey{to("manuscript_id", "manuscripts")},
		},
	}
}

// playhouse keeps the showings of plays.
func playhouse() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "剧目"}, RowCount: 30, Columns: []catalog.Column{key("剧目编号"), col("剧名", "varchar"), texts("类型", "话剧", "舞剧")}},
		{Name: catalog.Name{Table: "剧场"}, RowCount: 20, Columns: []catalog.Column{key("剧场编号"), col("剧场名称", "varchar"), texts("所在城市", "上海", "苏州"), col("座位数", "bigint")}},
		{Name: catalog.Name{Table: "导演"}, RowCount: 25, Columns: []catalog.Column{key("导演编号"), col("姓名", "varchar"), texts("籍贯", "上海", "江苏")}},
		{
			Name: catalog.Name{Table: "场次"}, RowCount: 2000,
			Columns:     []catalog.Column{key("场次编号"), col("剧目编号", "bigint"), col("剧场编号", "bigint"), col("导演编号", "bigint"), col("演出日期", "date"), {Name: "票房收入", Type: "decimal(12,2)", NotNull: true, Distinct: 1500}},
			ForeignKeys: []catalog.ForeignKey{to("剧目编号", "剧目"), to("剧场编号", "剧场"), to("导演编号", "导演")},
		},
	}
}

// A column that points to a table says by its name who is meant, where others point to it too.
func TestWhichPointerIsMeant(t *testing.T) {
	t.Parallel()
	s := open(t, press()...)
	for question, want := range map[string]string{
		"Which person edited the most manuscripts?":  `SELECT t2.first_name, t2.last_name FROM manuscripts AS t1 JOIN people AS t2 ON t1.edited_by = t2.person_id GROUP BY t2.person_id, t2.first_name, t2.last_name ORDER BY count(*) DESC LIMIT 1`,
		"Which person has the most manuscripts?":     `SELECT t2.first_name, t2.last_name FROM manuscripts AS t1 JOIN people AS t2 ON t1.person_id = t2.person_id GROUP BY t2.person_id, t2.first_name, t2.last_name ORDER BY count(*) DESC LIMIT 1`,
		"How many pages did each person write?":      `SELECT t2.first_name, t2.last_name, sum(t1.pages) AS total_pages FROM manuscripts AS t1 JOIN people AS t2 ON t1.person_id = t2.person_id GROUP BY t2.person_id, t2.first_name, t2.last_name ORDER BY total_pages DESC, t2.first_name, t2.last_name`,
		"people who never edited a manuscript":       `SELECT t1.first_name, t1.last_name FROM people AS t1 WHERE NOT EXISTS (SELECT 1 FROM manuscripts AS t2 WHERE t1.person_id = t2.edited_by)`,
		"Which people in Porto have no manuscripts?": `SELECT t1.first_name, t1.last_name FROM people AS t1 WHERE t1.city = 'Porto' AND NOT EXISTS (SELECT 1 FROM manuscripts AS t2 WHERE t1.person_id = t2.person_id)`,
	} {
		got, _ := s.ask(t, question)
		require.Equal(t, want, got, question)
	}
}

// What is late was done after it was due; what is owed has no day on which it was paid.
func TestLateAndOwed(t *testing.T) {
	t.Parallel()
	s := open(t, press()...)
	for question, want := range map[string]string{
		"How many manuscripts were late?":                      `SELECT count(*) AS number_of_manuscripts FROM manuscripts WHERE submitted_on > due_on`,
		"How many manuscripts were submitted on time in 2030?": `SELECT count(*) AS number_of_manuscripts FROM manuscripts WHERE submitted_on <= due_on AND submitted_on >= DATE '2030-01-01' AND submitted_on < DATE '2031-01-01'`,
		"How much money is still outstanding?":                 `SELECT sum(amount_eur) AS total_amount_eur FROM invoices WHERE paid_on IS NULL`,
		"When was the first manuscript submitted?":             `SELECT min(submitted_on) AS lowest_submitted_on FROM manuscripts`,
		"monthly number of manuscripts submitted over 2030":    `SELECT date_trunc('month', submitted_on) AS month, count(*) AS number_of_manuscripts FROM manuscripts WHERE submitted_on >= DATE '2030-01-01' AND submitted_on < DATE '2031-01-01' GROUP BY date_trunc('month', submitted_on) ORDER BY month`,
		"How many invoices are outstanding?":                   `SELECT count(*) AS number_of_invoices FROM invoices WHERE paid_on IS NULL`,
	} {
		got, _ := s.ask(t, question)
		require.Equal(t, want, got, question)
	}
}

// A measure word makes a noun one for all of its things, 剧目 are 剧; what a measure word counts, and
// what more is asked of things, is read by its place.
func TestChineseNounsAndWords(t *testing.T) {
	t.Parallel()
	s := open(t, playhouse()...)
	for question, want := range map[string]string{
		"一共有多少部剧？":             `SELECT count(*) AS "number_of_剧目" FROM "剧目"`,
		"票房收入最高的五部剧是哪些？":       `SELECT t2."剧名" FROM "场次" AS t1 JOIN "剧目" AS t2 ON t1."剧目编号" = t2."剧目编号" GROUP BY t2."剧目编号", t2."剧名" ORDER BY sum(t1."票房收入") DESC LIMIT 5`,
		"演出不少于3场的剧有哪些？":        `SELECT t2."剧名" FROM "场次" AS t1 JOIN "剧目" AS t2 ON t1."剧目编号" = t2."剧目编号" GROUP BY t2."剧目编号", t2."剧名" HAVING count(*) >= 3`,
		"票房收入超过十万的城市有哪些？":      `SELECT t2."所在城市" FROM "场次" AS t1 JOIN "剧场" AS t2 ON t1."剧场编号" = t2."剧场编号" GROUP BY t2."所在城市" HAVING sum(t1."票房收入") > 100000`,
		"演过至少三个不同剧目的剧场有哪些？":    `SELECT t2."剧场名称" FROM "场次" AS t1 JOIN "剧场" AS t2 ON t1."剧场编号" = t2."剧场编号" GROUP BY t2."剧场编号", t2."剧场名称" HAVING count(DISTINCT t1."剧目编号") >= 3`,
		"一场都没有的剧有哪些":           `SELECT t1."剧名" FROM "剧目" AS t1 WHERE NOT EXISTS (SELECT 1 FROM "场次" AS t2 WHERE t1."剧目编号" = t2."剧目编号")`,
		"上海以外的剧场有哪些":           `SELECT "剧场名称" FROM "剧场" WHERE "所在城市" <> '上海'`,
		"演出超过50场的剧有哪些？":        `SELECT t2."剧名" FROM "场次" AS t1 JOIN "剧目" AS t2 ON t1."剧目编号" = t2."剧目编号" GROUP BY t2."剧目编号", t2."剧名" HAVING count(*) > 50`,
		"江苏籍的导演有哪些？":           `SELECT "姓名" FROM "导演" WHERE "籍贯" = '江苏'`,
		"座位数超过一千的剧场有哪些，各在哪个城市": `SELECT "剧场名称", "所在城市" FROM "剧场" WHERE "座位数" > 1000`,
		"每个导演叫什么名字":            `SELECT "姓名" FROM "导演"`,
	} {
		got, _ := s.ask(t, question)
		require.Equal(t, want, got, question)
	}
}

// A word that says how things have to be is told apart from other unread words: there is no answer
// without it. A second wish that nothing reads is not dropped.
func TestWhatThingsHaveToBe(t *testing.T) {
	t.Parallel()
	s := open(t, press()...)
	_, reading := s.ask(t, "How many of the manuscripts are illustrated?")
	require.Equal(t, []string{"illustrated"}, reading.Predicates)
	school := open(t, music()...) // nothing says until when
	_, reading = school.ask(t, "How many lessons were booked late?")
	require.Equal(t, []string{"late"}, reading.Predicates)
	_, reading = s.ask(t, "How many manuscripts were commissioned by people in Porto?")
	require.Empty(t, reading.Predicates)
	got, reading := s.ask(t, "Which manuscript is the longest, and what was it about?")
	require.True(t, strings.HasPrefix(got, "refused") || len(reading.Unread) > 0, got)
}

// Things that are called just by a name have it even where many share it; their key is shown beside it.
func TestNamesakes(t *testing.T) {
	t.Parallel()
	dogs := catalog.Table{Name: catalog.Name{Table: "dogs"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "dog_id", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 900}, {Name: "name", Type: "varchar", NotNull: true, Distinct: 90}, {Name: "weight_kg", Type: "double", NotNull: true, Distinct: 300},
	}}
	walks := catalog.Table{Name: catalog.Name{Table: "walks"}, RowCount: 9000, Columns: []catalog.Column{key("walk_id"), {Name: "dog_id", Type: "bigint", NotNull: true, Distinct: 900}, col("walked_on", "date"), col("minutes", "double")}, ForeignKeys: []catalog.ForeignKey{to("dog_id", "dogs")}}
	got, _ := open(t, dogs, walks).ask(t, "Which dog had the most walks?")
	require.Equal(t, "SELECT t2.name FROM walks AS t1 JOIN dogs AS t2 ON t1.dog_id = t2.dog_id GROUP BY t2.dog_id, t2.name ORDER BY count(*) DESC LIMIT 1", got)
	got, _ = open(t, dogs, walks).ask(t, "Which dog is the heaviest?")
	require.Equal(t, "SELECT dog_id, name FROM dogs ORDER BY weight_kg DESC LIMIT 1", got)
	got, _ = open(t, dogs).ask(t, "Which dog is the heaviest?") // nothing points to the rows: they may be of dogs
	require.Equal(t, "SELECT dog_id FROM dogs ORDER BY weight_kg DESC LIMIT 1", got)
}

// Whether much of a rate is good or bad is not known.
func TestWorstRates(t *testing.T) {
	t.Parallel()
	lanes := catalog.Table{Name: catalog.Name{Table: "lanes"}, RowCount: 900, Columns: []catalog.Column{
		key("lane_id"), texts("club", "North", "South"), texts("outcome", "no-show", "held"),
	}}
	s := open(t, lanes)
	got, _ := s.ask(t, "Which club has the worst no-show rate?")
	require.Contains(t, got, "refused")
	got, _ = s.ask(t, "Which club has the highest no-show rate?")
	require.Contains(t, got, "ORDER BY")
}
