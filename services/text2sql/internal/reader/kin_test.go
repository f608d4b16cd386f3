package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// stations is one wide file of stations and what the weather was.
func stations() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "stations"}, RowCount: 4000, Columns: []catalog.Column{
		col("stationName", "varchar"), texts("country", "Norway", "Peru", "Denmark"), texts("sky", "fog", "sun", "snow"), col("wind", "double"), col("recordedOn", "date"),
	}}}
}

// abroad has a book that begins as the people of a country are called.
func abroad() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "editions"}, RowCount: 300, Columns: []catalog.Column{
		texts("series", "Danish Design", "Nordic Noir"), texts("country", "Norway", "Denmark"), col("price", "double"),
	}}}
}

// borrowing keeps what readers borrow where, in Chinese.
func borrowing() []catalog.Table {
	number := func(name string, n int64) catalog.Column {
		return catalog.Column{Name: name, Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: n}
	}
	return []catalog.Table{
		{Name: catalog.Name{Table: "图书"}, RowCount: 300, Columns: []catalog.Column{number("图书编号", 300), col("书名", "varchar"), texts("类别", "小说", "童书")}},
		{Name: catalog.Name{Table: "读者"}, RowCount: 900, Columns: []catalog.Column{number("读者编号", 900), {Name: "姓名", Type: "varchar", NotNull: true, Distinct: 890}}},
		{
			Name: catalog.Name{Table: "借阅"}, RowCount: 9000, Columns: []catalog.Column{number("借阅编号", 9000), {Name: "读者编号", Type: "bigint", NotNull: true, Distinct: 900}, {Name: "图书编号", Type: "bigint", NotNull: true, Distinct: 300}, col("借出日期", "date"), col("罚款", "decimal(10,2)")},
			ForeignKeys: []catalog.ForeignKey{to("读者编号", "读者"), to("图书编号", "图书")},
		},
	}
}

// TestKinIsTold: words that are derived from a stored value or from a name stand for it, and that is
// told.
func TestKinIsTold(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"stations": open(t, stations()...), "abroad": open(t, abroad()...)}
	for _, c := range []struct {
		in, question, want string
		note               reader.Note
	}{
		{"stations", "How many Norwegian stations are there?", "SELECT count(*) AS number_of_stations FROM stations WHERE country = 'Norway'", reader.Note{ID: "kin_value", Args: []string{"Norwegian", "country", "Norway"}}},
		{"stations", "average wind of foggy stations", "SELECT avg(wind) AS average_wind FROM stations WHERE sky = 'fog'", reader.Note{ID: "kin_value", Args: []string{"foggy", "sky", "fog"}}},
		{"stations", "average windy by country", "SELECT country, avg(wind) AS average_wind FROM stations GROUP BY country ORDER BY average_wind DESC, country", reader.Note{ID: "kin", Args: []string{"windy", "wind"}}},
		{"abroad", "average price of Danish editions", "SELECT avg(price) AS average_price FROM editions WHERE country = 'Denmark'", reader.Note{ID: "kin_value", Args: []string{"Danish", "country", "Denmark"}}},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			got, reading := shops[c.in].ask(t, c.question)
			require.Equal(t, c.want, got)
			require.Contains(t, reading.Notes, c.note)
		})
	}
	got, _ := shops["stations"].ask(t, "Which is the windiest station?")
	require.Contains(t, got, "ORDER BY sum(wind) DESC LIMIT 1", "a superlative orders, and is no name")
	weather := catalog.Table{Name: catalog.Name{Table: "weather"}, RowCount: 1461, Columns: []catalog.Column{
		{Name: "date", Type: "date", NotNull: true, Distinct: 1461}, col("wind", "double"), col("temp_min", "double"), col("temp_max", "double"), texts("sky", "sun", "fog"),
	}}
	s := open(t, weather)
	got, _ = s.ask(t, "What was the windiest day?")
	require.Equal(t, "SELECT date FROM weather GROUP BY date ORDER BY sum(wind) DESC LIMIT 1", got, "the day, and not its wind")
	got, _ = s.ask(t, "What was the longest day?")
	require.NotContains(t, got, "temp_min", "the lowest temperature is no length")
	films := catalog.Table{Name: catalog.Name{Table: "films"}, RowCount: 90, Columns: []catalog.Column{key("film_id"), {Name: "title", Type: "varchar", Distinct: 90}, col("running_time_min", "bigint")}}
	got, _ = open(t, films).ask(t, "What is the longest film?")
	require.Equal(t, "SELECT title FROM films ORDER BY running_time_min DESC LIMIT 1", got, "these are minutes")
}

// TestMorphemesOfNames: a character of a name says what happened, or what is meant; so does an
// English word whose translations share it, where many are said, or what was done.
func TestMorphemesOfNames(t *testing.T) {
	t.Parallel()
	s := open(t, borrowing()...)
	for _, c := range []struct {
		question, want string
		note           reader.Note
	}{
		{"被借次数最多的五本书是哪些？", `SELECT t2."书名" FROM "借阅" AS t1 JOIN "图书" AS t2 ON t1."图书编号" = t2."图书编号" GROUP BY t2."图书编号", t2."书名" ORDER BY count(*) DESC LIMIT 5`, reader.Note{ID: "kin", Args: []string{"借", "借阅"}}},
		{"借书最多的读者是谁？", `SELECT t2."姓名" FROM "借阅" AS t1 JOIN "读者" AS t2 ON t1."读者编号" = t2."读者编号" GROUP BY t2."读者编号", t2."姓名" ORDER BY count(*) DESC LIMIT 1`, reader.Note{ID: "events_of", Args: []string{"借阅", "图书"}}},
		{"借阅图书最多的读者是谁？", `SELECT t2."姓名" FROM "借阅" AS t1 JOIN "读者" AS t2 ON t1."读者编号" = t2."读者编号" GROUP BY t2."读者编号", t2."姓名" ORDER BY count(*) DESC LIMIT 1`, reader.Note{ID: "events_of", Args: []string{"借阅", "图书"}}},
		{"number of loans per month", `SELECT date_trunc('month', "借出日期") AS month, count(*) AS "number_of_借阅" FROM "借阅" GROUP BY date_trunc('month', "借出日期") ORDER BY month`, reader.Note{ID: "kin", Args: []string{"loans", "借阅"}}},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			got, reading := s.ask(t, c.question)
			require.Equal(t, c.want, got)
			require.Contains(t, reading.Notes, c.note)
		})
	}
	_, reading := s.ask(t, "number of readers by loan")
	require.Contains(t, reading.Notes, reader.Note{ID: "meant_open", Args: []string{"loan", "借阅"}}, "one of them is not sure")
	list, _ := s.reader.Question("童书一共借阅了多少次？", s.view, today).Readings()
	for _, x := range list {
		stmt, err := s.gen.Statement(&x.Intent)
		require.NoError(t, err)
		require.NotContains(t, printer.Print(stmt), `AS "total_罚款" FROM`, "how often is no amount")
	}
}

// TestRowsComparedWithOtherRows: two values of a column on both sides of "than" are no groups where
// rows are compared with other rows.
func TestRowsComparedWithOtherRows(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "lakes"}, RowCount: 90, Columns: []catalog.Column{
		{Name: "name", Type: "varchar", NotNull: true, Distinct: 90}, texts("country", "Norway", "Peru"), col("depth", "double"),
	}})
	for _, question := range []string{"Which lakes in Norway have a depth that is larger than any lake in Peru?", "Which lakes in Norway have a smaller depth than that of any lake in Peru?"} {
		list, refused := s.reader.Question(question, s.view, today).Readings()
		for _, x := range list {
			stmt, err := s.gen.Statement(&x.Intent)
			require.NoError(t, err)
			require.NotRegexp(t, "'Norway'.*'Peru'|'Peru'.*'Norway'", printer.Print(stmt), question)
		}
		require.Contains(t, refused, "compared with other rows", question)
	}
	got, _ := s.ask(t, "Are there more lakes in Norway than in Peru?")
	require.Contains(t, got, "'Norway', 'Peru'", "numbers of rows are compared")
}
