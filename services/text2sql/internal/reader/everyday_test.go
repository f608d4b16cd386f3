package reader_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// music is a school of music: lessons of pupils with teachers.
func music() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "pupils"}, RowCount: 300, Columns: []catalog.Column{key("pupil_id"), col("full_name", "varchar"), texts("town", "Bern", "Basel"), col("enrolled_on", "date")}},
		{Name: catalog.Name{Table: "instruments"}, RowCount: 20, Columns: []catalog.Column{key("instrument_id"), col("title", "varchar")}},
		{
			Name: catalog.Name{Table: "lessons"}, RowCount: 4000,
			Columns: []catalog.Column{
				key("lesson_id"), col("pupil_id", "bigint"), col("instrument_id", "bigint"), col("booked_on", "date"), col("fee", "decimal(10,2)"),
				texts("outcome", "Fail", "Pass", "Open"),
			},
			ForeignKeys: []catalog.ForeignKey{to("pupil_id", "pupils"), to("instrument_id", "instruments")},
		},
	}
}

// garage keeps orders of repair by masters, with what was paid for them.
func garage() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "技师"}, RowCount: 20, Columns: []catalog.Column{{Name: "技师编号", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 20}, {Name: "技师姓名", Type: "varchar", NotNull: true, Distinct: 20}, col("入职日期", "date")}},
		{
			Name: catalog.Name{Table: "收费记录"}, RowCount: 900,
			Columns: []catalog.Column{
				key("收费编号"), {Name: "技师编号", Type: "bigint", NotNull: true, Distinct: 20}, col("收费日期", "date"),
				texts("费用项目", "保养费", "检测费"), texts("支付渠道", "现金", "刷卡"), {Name: "实收金额", Type: "decimal(10,2)", NotNull: true, Distinct: 700},
			},
			ForeignKeys: []catalog.ForeignKey{to("技师编号", "技师")},
		},
	}
}

// Everyday turns of questions over tables that nobody described.
func TestEverydayQuestions(t *testing.T) {
	t.Parallel()
	school, shop := open(t, music()...), open(t, garage()...)
	for question, want := range map[string]string{
		// another form of a stored word of four letters
		"How many failed lessons were there?": "SELECT count(*) AS number_of_lessons FROM lessons WHERE outcome = 'Fail'",
		// what every row was says no more than that it was
		"Which three pupils booked the most lessons?": "SELECT t2.full_name FROM lessons AS t1 JOIN pupils AS t2 ON t1.pupil_id = t2.pupil_id GROUP BY t2.pupil_id, t2.full_name ORDER BY count(*) DESC LIMIT 3",
		// people are those of the one table of persons
		"How many people enrolled in 2025?": "SELECT count(*) AS number_of_pupils FROM pupils WHERE enrolled_on >= DATE '2025-01-01' AND enrolled_on < DATE '2026-01-01'",
		// things are ordered by a share
		"Which instrument has the highest share of failed lessons?": "SELECT t2.title, CAST(count_if(t1.outcome = 'Fail') AS double) / nullif(count(*), 0) AS fail_share FROM lessons AS t1 JOIN instruments AS t2 ON t1.instrument_id = t2.instrument_id GROUP BY t2.instrument_id, t2.title ORDER BY fail_share DESC LIMIT 1",
		// a year behind a unit of time
		"Which month of 2025 had the most lessons?":      "SELECT date_trunc('month', booked_on) AS month FROM lessons WHERE booked_on >= DATE '2025-01-01' AND booked_on < DATE '2026-01-01' GROUP BY date_trunc('month', booked_on) ORDER BY count(*) DESC LIMIT 1",
		"How many lessons were booked in 2026 or later?": "SELECT count(*) AS number_of_lessons FROM lessons WHERE booked_on >= DATE '2026-01-01'",
	} {
		got, _ := school.ask(t, question)
		require.Equal(t, want, got, question)
	}
	for question, want := range map[string]string{
		// a word for money is an amount, and never the rows
		"2025年的保养费收入是多少？":     `SELECT sum("实收金额") AS "total_实收金额" FROM "收费记录" WHERE "费用项目" = '保养费' AND "收费日期" >= DATE '2025-01-01' AND "收费日期" < DATE '2026-01-01'`,
		"刷卡收费占总收费笔数的比例":       `SELECT CAST(count_if("支付渠道" = '刷卡') AS double) / nullif(count(*), 0) AS "刷卡_share" FROM "收费记录"`,
		"各费用项目的收费记录数量，从多到少排列": `SELECT "费用项目", count(*) AS "number_of_收费记录" FROM "收费记录" GROUP BY "费用项目" ORDER BY "number_of_收费记录" DESC`,
	} {
		got, reading := shop.ask(t, question)
		require.Equal(t, want, got, question)
		require.Empty(t, reading.Unread, question)
	}
}

// A thing is one whether its key, what points to it or its name tells it apart: such readings
// are one, and the likelier stands.
func TestOneThingIsOneReading(t *testing.T) {
	t.Parallel()
	shop := open(t, garage()...)
	list, _ := shop.reader.Question("每位技师的平均实收金额", shop.view, today).Readings()
	require.NotEmpty(t, list)
	var by [][]string
	for _, x := range list {
		var ids []string
		for _, f := range x.Intent.GroupBy {
			ids = append(ids, f.ID)
		}
		by = append(by, ids)
	}
	require.Equal(t, []string{"技师.技师编号", "技师.技师姓名"}, by[0])
	for _, ids := range by[1:] {
		require.NotContains(t, [][]string{{"收费记录.技师编号"}, {"技师.技师编号"}}, ids)
	}
}

// What was said to tell things apart by is shown: their names, or the number that was named.
func TestThingsAreShownAsTheyWereNamed(t *testing.T) {
	t.Parallel()
	school := open(t, music()...)
	for question, want := range map[string]string{
		"每个学生有多少节lessons？":               "SELECT t2.full_name, count(*) AS number_of_lessons FROM lessons AS t1 JOIN pupils AS t2 ON t1.pupil_id = t2.pupil_id GROUP BY t2.pupil_id, t2.full_name ORDER BY number_of_lessons DESC, t2.full_name",
		"How many lessons per pupil?":    "SELECT t2.full_name, count(*) AS number_of_lessons FROM lessons AS t1 JOIN pupils AS t2 ON t1.pupil_id = t2.pupil_id GROUP BY t2.pupil_id, t2.full_name ORDER BY number_of_lessons DESC, t2.full_name",
		"How many lessons per pupil id?": "SELECT pupil_id, count(*) AS number_of_lessons FROM lessons GROUP BY pupil_id ORDER BY number_of_lessons DESC, pupil_id",
	} {
		got, _ := school.ask(t, question)
		require.Equal(t, want, got, question)
	}
}

// A word for money is no name of rows: where no amount is kept it stays unread, and it is not
// answered with their number; who asks how many there are counts them, whatever they are called.
func TestWordsForMoneyAreNoRows(t *testing.T) {
	t.Parallel()
	visits := open(t, catalog.Table{Name: catalog.Name{Table: "visits"}, RowCount: 900, Columns: []catalog.Column{
		key("visit_id"), texts("entrance", "North", "South"), col("held_on", "date"),
	}})
	entries := open(t, catalog.Table{Name: catalog.Name{Table: "入园记录"}, RowCount: 900, Columns: []catalog.Column{
		key("编号"), texts("入口", "北门", "南门"), col("入园日期", "date"),
	}})
	_, reading := entries.ask(t, "每年的北门收入分别是多少？")
	require.Equal(t, []string{"收入"}, reading.Unread)
	_, reading = visits.ask(t, "share of North earnings")
	require.Equal(t, []string{"earnings"}, reading.Unread)
	got, reading := visits.ask(t, "How many North payments were there in 2025?")
	require.Equal(t, "SELECT count(*) AS number_of_visits FROM visits WHERE entrance = 'North' AND held_on >= DATE '2025-01-01' AND held_on < DATE '2026-01-01'", got)
	require.Empty(t, reading.Unread)
}

// What was done with some of the rows alone chooses among them: those that have a day of it are meant.
// Where nobody counted, it is told that nothing was done with it.
func TestWhatWasDoneWithSomeIsNotPassedOver(t *testing.T) {
	t.Parallel()
	for want, c := range map[bool]catalog.Column{
		true:  {Name: "cancelled_on", Type: "date", Distinct: 90, Low: "2030-01-02", High: "2030-12-30", Missing: 3000},
		false: {Name: "cancelled_on", Type: "date", Distinct: 90, Low: "2030-01-02", High: "2030-12-30"},
	} {
		tables := music()
		tables[2].Columns = append(tables[2].Columns, c)
		got, reading := open(t, tables...).ask(t, "Which pupil cancelled the most lessons?")
		require.Equal(t, want, slices.ContainsFunc(reading.Notes, func(n reader.Note) bool { return n.ID == "was_done" }), "missing: %d", c.Missing)
		require.Equal(t, want, strings.Contains(got, "cancelled_on IS NOT NULL"), got)
	}
	tables := music()
	tables[2].Columns = append(tables[2].Columns, catalog.Column{Name: "cancelled_on", Type: "date", Distinct: 90}) // nobody looked
	_, reading := open(t, tables...).ask(t, "Which pupil cancelled the most lessons?")
	require.Contains(t, reading.Notes, reader.Note{ID: "unplaced", Args: []string{"cancelled_on"}})
}
