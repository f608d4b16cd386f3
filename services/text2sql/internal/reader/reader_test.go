package reader_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

// shop is a set of tables with what is needed to read questions about them.
type shop struct {
	reader *reader.Reader
	view   *schema.View
	gen    *sqlgen.Generator
}

func open(t testing.TB, tables ...catalog.Table) shop {
	t.Helper()
	lex, err := lexicon.Load()
	require.NoError(t, err)
	d, err := dates.New()
	require.NoError(t, err)
	r, err := reader.New(d, lex)
	require.NoError(t, err)
	layer := schema.WithElapsed(semantic.Derive(tables))
	names := make([]string, len(layer.Entities))
	for i, e := range layer.Entities {
		names[i] = e.Table
	}
	graph := plan.New(names, layer.Joins)
	return shop{reader: r, view: r.View(layer, tables, graph), gen: sqlgen.New(layer, graph, tables)}
}

var today = time.Date(2031, 5, 14, 9, 0, 0, 0, time.UTC)

// ask returns the SQL of the likeliest reading, and that reading.
func (s shop) ask(t *testing.T, question string) (string, reader.Reading) {
	t.Helper()
	list, refused := s.reader.Question(question, s.view, today).Readings()
	if len(list) == 0 {
		return "refused: " + strings.Join(refused[:min(3, len(refused))], "; "), reader.Reading{}
	}
	stmt, err := s.gen.Statement(&list[0].Intent)
	if err != nil {
		return "not written: " + err.Error(), list[0]
	}
	return printer.Print(stmt), list[0]
}

// answers asks questions and holds their SQL to what is expected.
func (s shop) answers(t *testing.T, sqlOf map[string]string) {
	t.Helper()
	for question, sql := range sqlOf {
		got, read := s.ask(t, question)
		require.Equal(t, sql, got, "%s %+v", question, read.Notes)
	}
}

func texts(name string, values ...string) catalog.Column {
	return catalog.Column{Name: name, Type: "varchar", NotNull: true, Samples: values, Distinct: int64(len(values))}
}

func col(name, kind string) catalog.Column {
	return catalog.Column{Name: name, Type: kind, NotNull: true, Distinct: 900}
}

func key(name string) catalog.Column {
	return catalog.Column{Name: name, Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 1000}
}

func to(column, table string) catalog.ForeignKey {
	return catalog.ForeignKey{Columns: []string{column}, RefTable: catalog.Name{Table: table}, RefColumns: []string{column}}
}

// clinic is a normalised schema in English.
func clinic() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "owners"}, RowCount: 400, Columns: []catalog.Column{key("owner_id"), col("first_name", "varchar"), col("last_name", "varchar"), texts("town", "Leeds", "York", "Hull")}},
		{Name: catalog.Name{Table: "pets"}, RowCount: 700, Columns: []catalog.Column{key("pet_id"), {Name: "owner_id", Type: "bigint", Distinct: 400}, col("name", "varchar"),
			texts("species", "dog", "cat", "guinea pig"), col("weight_kg", "double"), col("born", "date")}, ForeignKeys: []catalog.ForeignKey{to("owner_id", "owners")}},
		{Name: catalog.Name{Table: "visits"}, RowCount: 5000, Columns: []catalog.Column{key("visit_id"), {Name: "pet_id", Type: "bigint", Distinct: 700}, col("visit_date", "date"),
			col("fee", "double"), col("duration_seconds", "integer"), {Name: "is_urgent", Type: "boolean", Distinct: 2}, texts("outcome", "healed", "referred", "none")},
			ForeignKeys: []catalog.ForeignKey{to("pet_id", "pets")}},
	}
}

// ferries is one wide file with names as offices give them.
func ferries() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "ferrytrips"}, RowCount: 9000, Columns: []catalog.Column{
		col("Sailing Date", "date"), texts("Harbour Name", "OLD HARBOUR WEST", "NORTH PIER"), texts("Ferry Operator", "Blue Line Shipping Co.", "Coastal Boats"),
		texts("Weather", "calm", "storm"), col("Cost Fuel $", "double"), col("Cost Total $", "double"), col("Delay in minutes", "integer"), col("Year", "bigint"),
	}}}
}

// library is one file in Chinese.
func library() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "借阅"}, RowCount: 8000, Columns: []catalog.Column{
		texts("图书类别", "小说", "历史读物", "科普"), texts("城市", "南京", "西安"), texts("性别", "男", "女"), col("借阅日期", "date"), col("天数", "bigint"), col("罚款金额_元", "double"),
		texts("借阅状态", "已归还", "未归还"),
	}}}
}

func TestReadings(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"clinic": open(t, clinic()...), "ferries": open(t, ferries()...), "library": open(t, library()...)}
	for _, c := range []struct{ in, question, want string }{
		// Numbers, groups, conditions, over joins.
		{"clinic", "How many visits were there in 2030?", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01'"},
		{"clinic", "average fee by species", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY average_fee DESC, t2.species"},
		{"clinic", "How many pets does each town have?", "SELECT t2.town, count(*) AS number_of_pets FROM pets AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id GROUP BY t2.town ORDER BY number_of_pets DESC, t2.town"},
		{"clinic", "Which owners live in York?", "SELECT first_name, last_name FROM owners WHERE town = 'York'"},
		{"clinic", "How many urgent visits were there?", "SELECT count(*) AS number_of_visits FROM visits WHERE is_urgent = TRUE"},
		{"clinic", "What share of pets is heavier than 20 kg?", "SELECT CAST(count_if(weight_kg > 20) AS double) / nullif(count(*), 0) AS pets_share FROM pets"},
		{"clinic", "How many visits have a duration of more than 30 minutes?", "SELECT count(*) AS number_of_visits FROM visits WHERE duration_seconds > 1800"},
		{"clinic", "How many pets have never been visited?", "SELECT count(*) AS number_of_pets FROM pets AS t1 WHERE NOT EXISTS (SELECT 1 FROM visits AS t2 WHERE t1.pet_id = t2.pet_id)"},
		{"clinic", "Which owners have more than 3 pets?", "SELECT t1.first_name, t1.last_name FROM owners AS t1 JOIN pets AS t2 ON t1.owner_id = t2.owner_id GROUP BY t1.owner_id, t1.first_name, t1.last_name HAVING count(*) > 3"},
		{"clinic", "total fee per month", "SELECT date_trunc('month', visit_date) AS month, sum(fee) AS total_fee FROM visits GROUP BY date_trunc('month', visit_date) ORDER BY month"},
		{"clinic", "What is the heaviest dog?", "SELECT name FROM pets WHERE species = 'dog' ORDER BY weight_kg DESC LIMIT 1"},
		{"clinic", "How heavy is the heaviest dog?", "SELECT max(weight_kg) AS highest_weight_kg FROM pets WHERE species = 'dog'"},
		{"clinic", "How many visits had no outcome?", "SELECT count(*) AS number_of_visits FROM visits WHERE outcome = 'none'"},
		// A file of its own words: the rows have no name, names are run together, a part of
		// a value is said.
		{"ferries", "How many sailings took place in a storm?", "SELECT count(*) AS number_of_ferrytrips FROM ferrytrips WHERE Weather = 'storm'"},
		{"ferries", "How many ferry trips were there per year?", `SELECT date_trunc('year', "Sailing Date") AS year, count(*) AS number_of_ferrytrips FROM ferrytrips GROUP BY date_trunc('year', "Sailing Date") ORDER BY year`},
		{"ferries", "Which harbour had the most crossings?", `SELECT "Harbour Name" FROM ferrytrips GROUP BY "Harbour Name" ORDER BY count(*) DESC LIMIT 1`},
		{"ferries", "top 3 operators by fuel cost", `SELECT "Ferry Operator", sum("Cost Fuel $") AS total_cost_fuel FROM ferrytrips GROUP BY "Ferry Operator" ORDER BY total_cost_fuel DESC LIMIT 3`},
		{"ferries", "How many ferry trips did Blue Line Shipping operate?", `SELECT count(*) AS number_of_ferrytrips FROM ferrytrips WHERE "Ferry Operator" = 'Blue Line Shipping Co.'`},
		{"ferries", "How many ferry trips have no delay?", `SELECT count(*) AS number_of_ferrytrips FROM ferrytrips WHERE "Delay in minutes" IS NULL`},
		// The same in Chinese, with units in names and parts of values.
		{"library", "每个图书类别有多少次借阅？", `SELECT "图书类别", count(*) AS "number_of_借阅" FROM "借阅" GROUP BY "图书类别" ORDER BY "number_of_借阅" DESC, "图书类别"`},
		{"library", "各城市的平均天数", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" GROUP BY "城市" ORDER BY "average_天数" DESC, "城市"`},
		{"library", "罚款金额超过50元的借阅占多少比例？", `SELECT CAST(count_if("罚款金额_元" > 50) AS double) / nullif(count(*), 0) AS "借阅_share" FROM "借阅"`},
		{"library", "不在西安的借阅有多少次？", `SELECT count(*) AS "number_of_借阅" FROM "借阅" WHERE "城市" <> '西安'`},
		{"library", "历史的借阅有多少次？", `SELECT count(*) AS "number_of_借阅" FROM "借阅" WHERE "图书类别" = '历史读物'`},
		{"library", "女性的罚款金额总和是多少？", `SELECT sum("罚款金额_元") AS "total_罚款金额_元" FROM "借阅" WHERE "性别" = '女'`},
		{"library", "最早的借阅日期是哪一天？", `SELECT min("借阅日期") AS "lowest_借阅日期" FROM "借阅"`},
		{"library", "2030年每个月的借阅数量", `SELECT date_trunc('month', "借阅日期") AS month, count(*) AS "number_of_借阅" FROM "借阅" WHERE "借阅日期" >= DATE '2030-01-01' AND "借阅日期" < DATE '2031-01-01' GROUP BY date_trunc('month', "借阅日期") ORDER BY month`},
		{"library", "哪个城市的罚款金额总和最高？", `SELECT "城市" FROM "借阅" GROUP BY "城市" ORDER BY sum("罚款金额_元") DESC LIMIT 1`},
		// A question in one language over names in the other.
		{"library", "How many loans per city?", `SELECT "城市", count(*) AS "number_of_借阅" FROM "借阅" GROUP BY "城市" ORDER BY "number_of_借阅" DESC, "城市"`},
		{"clinic", "每种物种有多少只宠物？", "SELECT species, count(*) AS number_of_pets FROM pets GROUP BY species ORDER BY number_of_pets DESC, species"},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			got, reading := shops[c.in].ask(t, c.question)
			require.Equal(t, c.want, got)
			require.Empty(t, reading.Unread)
		})
	}
}
