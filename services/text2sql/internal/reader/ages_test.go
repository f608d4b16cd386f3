package reader_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// An age is the time from a birth to today where no column holds it, and a birth dates
// nothing but itself.
func TestAges(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for question, want := range map[string]string{
		"average age of pets by species":   "SELECT species, avg(date_diff('year', born, CURRENT_DATE)) AS average_age FROM pets GROUP BY species ORDER BY average_age DESC, species",
		"How old are the pets on average?": "SELECT avg(date_diff('year', born, CURRENT_DATE)) AS average_age FROM pets",
		"Which pets are older than 10?":    "SELECT name FROM pets WHERE date_diff('year', born, CURRENT_DATE) > 10",
		"What is the oldest pet?":          "SELECT name FROM pets ORDER BY born LIMIT 1",
		"How many pets were born in 2030?": "SELECT count(*) AS number_of_pets FROM pets WHERE born >= DATE '2030-01-01' AND born < DATE '2031-01-01'",
	} {
		got, reading := s.ask(t, question)
		require.Equal(t, want, got, question)
		if question != "What is the oldest pet?" && question != "How many pets were born in 2030?" {
			require.Contains(t, notesOf(reading.Notes), "{age [born]}", question)
		}
	}
	got, reading := s.ask(t, "What is the average age of the owners?")
	require.True(t, strings.HasPrefix(got, "refused") || len(reading.Unread) > 0, "the age of pets is not that of their owners: %s", got)
	pets := clinic()[1:2]
	pets[0].ForeignKeys = nil
	got, _ = open(t, pets...).ask(t, "How many pets in 2030?")
	require.NotContains(t, got, "born", "a birth dates nothing but itself")

	staff := []catalog.Table{{Name: catalog.Name{Table: "员工"}, RowCount: 90, Columns: []catalog.Column{
		key("工号"), col("姓名", "varchar"), texts("部门", "销售", "研发"), col("出生日期", "date"), col("入职日期", "date"),
	}}}
	got, _ = open(t, staff...).ask(t, "各部门员工的平均年龄")
	require.Equal(t, `SELECT "部门", avg(date_diff('year', "出生日期", CURRENT_DATE)) AS average_age FROM "员工" GROUP BY "部门" ORDER BY average_age DESC, "部门"`, got)

	staff[0].Columns = append(staff[0].Columns, col("年龄", "bigint"))
	got, _ = open(t, staff...).ask(t, "员工的平均年龄")
	require.Equal(t, `SELECT avg("年龄") AS "average_年龄" FROM "员工"`, got, "a column comes first")
}

// How long, how heavy something is has to be told by a column, or by two days; another
// number is none of it.
func TestSizesThatAreAskedFor(t *testing.T) {
	t.Parallel()
	courses := catalog.Table{Name: catalog.Name{Table: "courses"}, RowCount: 40, Columns: []catalog.Column{
		key("course_id"), col("title", "varchar"), col("starts_on", "date"), col("ends_on", "date"), {Name: "max_seats", Type: "bigint", Distinct: 5},
	}}
	s := open(t, courses)
	got, _ := s.ask(t, "How long does a course last on average?")
	require.Equal(t, "SELECT avg(date_diff('day', starts_on, ends_on)) AS average_days_from_starts_on_to_ends_on FROM courses", got)
	got, reading := s.ask(t, "How heavy is a course on average?")
	require.Contains(t, reading.Unread, "heavy", "nothing tells how heavy they are: %s", got)
	parcels := catalog.Table{Name: catalog.Name{Table: "parcels"}, RowCount: 40, Columns: []catalog.Column{key("parcel_id"), col("weight", "double"), col("postage", "double")}}
	got, _ = open(t, parcels).ask(t, "How heavy is a parcel on average?")
	require.Equal(t, "SELECT avg(weight) AS average_weight FROM parcels", got)
}

// What has days ahead is a plan: what has not started yet starts later than today.
func TestWhatIsPlanned(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what          string
		high          string
		missing       int64
		question, sql string
	}{
		{"all have a day", "2031-09-01", 0, "Which courses have not started yet?", "starts_on >= DATE '2031-05-15'"},
		{"some have none", "2031-09-01", 3, "Which courses have not started yet?", "starts_on IS NULL OR starts_on >= DATE '2031-05-15'"},
		{"none is ahead", "2031-04-01", 3, "Which courses have not started yet?", "starts_on IS NULL"},
		{"none is ahead, and all have a day", "2031-04-01", 0, "Which courses have not started yet?", "starts_on >= DATE '2031-05-15'"},
	} {
		courses := catalog.Table{Name: catalog.Name{Table: "courses"}, RowCount: 40, Columns: []catalog.Column{
			key("course_id"), col("title", "varchar"), {Name: "starts_on", Type: "date", Low: "2030-01-01", High: c.high, Missing: c.missing, Distinct: 30},
		}}
		got, _ := open(t, courses).ask(t, c.question)
		require.Equal(t, "SELECT title FROM courses WHERE "+c.sql, got, c.what)
	}
}

// A key of which the thing alone was said is shown by what the thing is called; "how much" asks
// for money before any other number; marks of many are not added up.
func TestThingsMoneyAndMarks(t *testing.T) {
	t.Parallel()
	tables := []catalog.Table{
		{Name: catalog.Name{Table: "teachers"}, RowCount: 7, Columns: []catalog.Column{key("teacher_id"), col("full_name", "varchar"), col("hourly_rate", "double")}},
		{Name: catalog.Name{Table: "courses"}, RowCount: 40, Columns: []catalog.Column{
			key("course_id"), col("title", "varchar"), col("teacher_id", "bigint"), {Name: "max_seats", Type: "bigint", Distinct: 5}, {Name: "price", Type: "bigint", Distinct: 4},
		}, ForeignKeys: []catalog.ForeignKey{to("teacher_id", "teachers")}},
		{Name: catalog.Name{Table: "students"}, RowCount: 300, Columns: []catalog.Column{key("student_id"), col("full_name", "varchar")}},
		{Name: catalog.Name{Table: "exams"}, RowCount: 900, Columns: []catalog.Column{key("exam_id"), col("student_id", "bigint"), col("final_grade", "double")}, ForeignKeys: []catalog.ForeignKey{to("student_id", "students")}},
	}
	s := open(t, tables...)
	for question, want := range map[string]string{
		"Which teacher teaches the most courses?":    "SELECT t2.full_name FROM courses AS t1 JOIN teachers AS t2 ON t1.teacher_id = t2.teacher_id GROUP BY t2.teacher_id, t2.full_name ORDER BY count(*) DESC LIMIT 1",
		"Which teacher ID has the most courses?":     "SELECT teacher_id FROM courses GROUP BY teacher_id ORDER BY count(*) DESC LIMIT 1",
		"How much is a course on average?":           "SELECT avg(price) AS average_price FROM courses",
		"Which student has the highest final grade?": "SELECT t2.full_name FROM exams AS t1 JOIN students AS t2 ON t1.student_id = t2.student_id GROUP BY t2.student_id, t2.full_name ORDER BY max(t1.final_grade) DESC LIMIT 1",
	} {
		got, _ := s.ask(t, question)
		require.Equal(t, want, got, question)
	}
}

// Behind a step of time the name of a column is grouped by, though a value of another column is
// called the same.
func TestStepsOfTimeAndNames(t *testing.T) {
	t.Parallel()
	rentals := catalog.Table{Name: catalog.Name{Table: "rentals"}, RowCount: 800, Columns: []catalog.Column{
		key("rental_id"), col("rented_on", "date"), texts("city", "Oslo", "Bergen"), texts("bike_type", "city", "road"), col("price", "double"),
	}}
	got, _ := open(t, rentals).ask(t, "Rentals by month and city")
	require.Equal(t, "SELECT date_trunc('month', rented_on) AS month, city, count(*) AS number_of_rentals FROM rentals GROUP BY date_trunc('month', rented_on), city ORDER BY month, city", got)
}
