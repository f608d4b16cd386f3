package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// gardens is a small schema: gardeners visit gardens.
func gardens() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	return []catalog.Table{
		{Name: name("gardener"), RowCount: 4, Columns: []catalog.Column{
			{Name: "gardener_id", Type: "integer", PrimaryKey: true, Distinct: 4},
			{Name: "name", Type: "varchar", Distinct: 4, Samples: []string{"Ann", "Bo", "Cy", "Di"}},
			{Name: "age", Type: "integer"}, {Name: "hired", Type: "date"},
			{Name: "country", Type: "varchar", Distinct: 2, Samples: []string{"France", "Peru"}},
		}},
		{Name: name("garden"), RowCount: 3, Columns: []catalog.Column{
			{Name: "garden_id", Type: "integer", PrimaryKey: true, Distinct: 3},
			{Name: "garden_name", Type: "varchar", Distinct: 3, Samples: []string{"Rose Hill", "Old Mill", "Quay"}},
			{Name: "area", Type: "double"}, {Name: "city", Type: "varchar", Distinct: 2, Samples: []string{"Lyon", "Lima"}},
			{Name: "is_public", Type: "varchar", Distinct: 2, Samples: []string{"Y", "N"}},
		}},
		{Name: name("visit"), RowCount: 9, Columns: []catalog.Column{
			{Name: "visit_id", Type: "integer", PrimaryKey: true}, {Name: "gardener_id", Type: "integer"},
			{Name: "garden_id", Type: "integer"}, {Name: "hours", Type: "integer"},
		}, ForeignKeys: []catalog.ForeignKey{
			{Columns: []string{"gardener_id"}, RefTable: name("gardener"), RefColumns: []string{"gardener_id"}},
			{Columns: []string{"garden_id"}, RefTable: name("garden"), RefColumns: []string{"garden_id"}},
		}},
	}
}

func newPipeline(t *testing.T) *pipeline.Pipeline {
	t.Helper()
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(t, err)
	return p
}

func TestFreeQuestions(t *testing.T) {
	t.Parallel()
	const (
		joinVisit  = "gardener AS t1 JOIN visit AS t2 ON t1.gardener_id = t2.gardener_id"
		visitOfOne = "SELECT 1 FROM visit AS t2 WHERE t1.gardener_id = t2.gardener_id"
	)
	cases := []struct{ question, sql string }{
		{"How many gardeners are there?", "SELECT count(*) AS number_of_gardeners FROM gardener"},
		{"What are the names and ages of all gardeners?", "SELECT name, age FROM gardener"},
		{"Show the name of gardeners older than 30.", "SELECT name FROM gardener WHERE age > 30"},
		{"List the names of gardeners aged 30 or older.", "SELECT name FROM gardener WHERE age >= 30"},
		{"Which gardeners are from France?", "SELECT name FROM gardener WHERE country = 'France'"},
		{"How many gardeners are not from Peru?", "SELECT count(*) AS number_of_gardeners FROM gardener WHERE country <> 'Peru'"},
		{"What is the average age of gardeners from France or Peru?", "SELECT avg(age) AS average_age FROM gardener WHERE country IN ('France', 'Peru')"},
		{"What is the maximum and minimum area of the gardens?", "SELECT max(area) AS highest_area, min(area) AS lowest_area FROM garden"},
		{"How many gardeners are there in each country?", "SELECT country, count(*) AS number_of_gardeners FROM gardener GROUP BY country ORDER BY number_of_gardeners DESC, country"},
		{"What is the name of the oldest gardener?", "SELECT name FROM gardener ORDER BY age DESC LIMIT 1"},
		{"Show the 2 youngest gardeners.", "SELECT name FROM gardener ORDER BY age LIMIT 2"},
		{"List the names of gardeners in descending order of age.", "SELECT name FROM gardener ORDER BY age DESC"},
		{"List the name of all gardens in alphabetical order.", "SELECT garden_name FROM garden ORDER BY garden_name"},
		{"How many different countries do gardeners come from?", "SELECT count(DISTINCT country) AS number_of_countries FROM gardener"},
		{"What is the most common country of gardeners?", "SELECT country FROM gardener WHERE country IS NOT NULL GROUP BY country ORDER BY count(*) DESC LIMIT 1"},
		{"What are the names of gardeners older than the average age?", "SELECT name FROM gardener WHERE age > (SELECT avg(age) AS average_age FROM gardener)"},
		{"Which countries have more than 2 gardeners?", "SELECT country FROM gardener GROUP BY country HAVING count(*) > 2"},
		{"What are the names of gardeners who have no visits?", "SELECT t1.name FROM gardener AS t1 WHERE NOT EXISTS (" + visitOfOne + ")"},
		{"Show the name of the gardener with the most visits.", "SELECT t2.name FROM visit AS t1 JOIN gardener AS t2 ON t1.gardener_id = t2.gardener_id GROUP BY t2.gardener_id, t2.name ORDER BY count(*) DESC LIMIT 1"},
		{"Find the names of gardeners with at least two visits.", "SELECT t1.name FROM " + joinVisit + " GROUP BY t1.gardener_id, t1.name HAVING count(*) >= 2"},
		{"What are the names of gardens whose name contains 'Hill'?", "SELECT garden_name FROM garden WHERE lower(garden_name) LIKE '%hill%'"},
		{"What is the area of the garden named 'Quay'?", "SELECT area FROM garden WHERE garden_name = 'Quay'"},
		{"Show the names of gardeners hired after 2020.", "SELECT name FROM gardener WHERE hired >= date '2021-01-01'"},
	}
	p := newPipeline(t)
	schema := p.Prepare(gardens(), nil)
	for _, c := range cases {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			res := p.Answer(pipeline.Input{Question: c.question, Schema: schema, Now: time.Now()})
			require.Equal(t, pipeline.Answered, res.Outcome, "%s %v %v\n%s", res.Reason, res.NotUnderstood, res.Doubts, res.Draft)
			require.Equal(t, c.sql, normal(res.SQL))
			_, err := parser.Parse(res.SQL)
			require.NoError(t, err)
			require.NotNil(t, res.Intent)
		})
	}
}

// normal puts SQL on one line.
func normal(sql string) string {
	one := strings.Join(strings.Fields(replaceDate.Replace(sql)), " ")
	return strings.NewReplacer("( ", "(", " )", ")").Replace(one)
}

func TestFreeQuestionsInChinese(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "student"}, Columns: []catalog.Column{
		{Name: "student_id", Type: "integer", PrimaryKey: true}, {Name: "name", Type: "varchar"}, {Name: "age", Type: "integer"},
		{Name: "country", Type: "varchar", Distinct: 2, Samples: []string{"France", "Peru"}},
	}}}, nil)
	cases := []struct{ question, sql string }{
		{"有多少学生？", "SELECT count(*) AS number_of_students FROM student"},
		{"每个国家有多少学生？", "SELECT country, count(*) AS number_of_students FROM student GROUP BY country ORDER BY number_of_students DESC, country"},
		{"年龄大于20的学生的名字是什么？", "SELECT name FROM student WHERE age > 20"},
		{"学生的平均年龄是多少？", "SELECT avg(age) AS average_age FROM student"},
		{"按年龄降序列出所有学生的名字。", "SELECT name FROM student ORDER BY age DESC"},
	}
	for _, c := range cases {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			res := p.Answer(pipeline.Input{Question: c.question, Schema: schema, Now: time.Now()})
			require.Equal(t, c.sql, normal(res.SQL), "%v %v %s", res.NotUnderstood, res.Doubts, res.Draft)
		})
	}
}

func TestWhatIsNotCoveredIsToldAndNotAnswered(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(gardens(), nil)
	cases := []struct{ question, missing string }{
		{"How many gardeners have a tractor?", "tractor"},
		{"What is the salary of Ann?", "salary"},
		{"园丁的拖拉机有多少？", ""},
		{"What is the meaning of life?", ""},
		{"What is the average country of gardeners?", ""}, // a text has none
	}
	for _, c := range cases {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			res := p.Answer(pipeline.Input{Question: c.question, Schema: schema, Now: time.Now()})
			require.Equal(t, pipeline.Abstained, res.Outcome, res.SQL)
			require.Empty(t, res.SQL)
			require.NotEmpty(t, res.Reason)
			if c.missing != "" {
				require.Contains(t, res.NotUnderstood, c.missing)
				require.Contains(t, res.Reason, c.missing)
			}
		})
	}
}

func TestSameQuestionSameSQL(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	question := "Show the name of the gardener with the most visits."
	want := p.Answer(pipeline.Input{Question: question, Schema: p.Prepare(gardens(), nil)}).SQL
	for range 100 {
		require.Equal(t, want, p.Answer(pipeline.Input{Question: question, Schema: p.Prepare(gardens(), nil)}).SQL)
	}
}

func TestNoPanicOnOddInput(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(gardens(), nil)
	for _, q := range []string{"", "?", "'", "\"", "most", "not", "and and and", "between", "more than", "top", "for each", "的的的", "按降序", "\xff\xfe", "order by order by", "how many how many", "who", "name of name of name"} {
		res := p.Answer(pipeline.Input{Question: q, Schema: schema})
		require.NotEmpty(t, res.Outcome, q)
	}
}
