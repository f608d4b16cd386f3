package reader_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// harbour is a schema whose events keep no states: catches are landed by skippers.
func harbour() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "skippers"}, RowCount: 90, Columns: []catalog.Column{key("skipper_id"), col("skipper_name", "varchar"), col("birth_date", "date"), texts("port", "Brest", "Vigo", "Hull")}},
		{Name: catalog.Name{Table: "catches"}, RowCount: 6000, Columns: []catalog.Column{key("catch_id"), {Name: "skipper_id", Type: "bigint", Distinct: 80}, col("catch_date", "date"),
			texts("species", "cod", "herring", "sea bass"), col("weight_kg", "double"), col("quality", "integer"), col("freshness_rating", "integer"), col("wind_kmh", "double"), {Name: "frozen", Type: "boolean", Distinct: 2}}, ForeignKeys: []catalog.ForeignKey{to("skipper_id", "skippers")}},
	}
}

// workshop is one file of an office, in Chinese, that keeps what became of its rows.
func workshop() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "维修单"}, RowCount: 3000, Columns: []catalog.Column{
		texts("车间", "东车间", "西车间"), texts("设备类型", "机床", "水泵"), col("技师姓名", "varchar"), col("维修费(元/次)", "double"), col("占地面积(平米)", "double"),
		col("年龄", "bigint"), col("报修日期", "date"), texts("维修状态", "已完成", "未完成"), {Name: "是否保修", Type: "boolean", Distinct: 2},
	}}}
}

// An unknown word is passed over where its place says that it restricts nothing, and is
// told of; where it may restrict, it stays unread, and nothing is answered.
func TestUnknownWordsHaveRoles(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"harbour": open(t, harbour()...), "workshop": open(t, workshop()...), "clinic": open(t, clinic()...)}
	for _, c := range []struct{ in, question, want, note string }{
		{"harbour", "Which skipper hauled the most catches?", "SELECT t2.skipper_name FROM catches AS t1 JOIN skippers AS t2 ON t1.skipper_id = t2.skipper_id GROUP BY t2.skipper_id, t2.skipper_name ORDER BY count(*) DESC LIMIT 1", "taken_verb"},
		{"harbour", "How many catches were hauled in 2030?", "SELECT count(*) AS number_of_catches FROM catches WHERE catch_date >= DATE '2030-01-01' AND catch_date < DATE '2031-01-01'", "taken_verb"},
		{"harbour", "How many catches did we haul in 2030?", "SELECT count(*) AS number_of_catches FROM catches WHERE catch_date >= DATE '2030-01-01' AND catch_date < DATE '2031-01-01'", "taken_verb"},
		{"harbour", "average weight of herring shoals", "SELECT avg(weight_kg) AS average_weight_kg FROM catches WHERE species = 'herring'", "taken_rows"},
		{"harbour", "average quality score by species", "SELECT species, avg(quality) AS average_quality FROM catches GROUP BY species ORDER BY average_quality DESC, species", "taken_head"},
		{"harbour", "How many catches of 黑线鳕（cod） are there?", "SELECT count(*) AS number_of_catches FROM catches WHERE species = 'cod'", "taken_gloss"},
		{"workshop", "东车间一共付了多少维修费？", `SELECT sum("维修费(元/次)") AS "total_维修费_元_次" FROM "维修单" WHERE "车间" = '东车间'`, "taken_verb"},
		{"workshop", "机床故障的平均维修费", `SELECT avg("维修费(元/次)") AS "average_维修费_元_次" FROM "维修单" WHERE "设备类型" = '机床'`, "taken_rows"},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			got, reading := shops[c.in].ask(t, c.question)
			require.Equal(t, c.want, got)
			require.Empty(t, reading.Unread)
			require.Contains(t, notesOf(reading.Notes), c.note)
		})
	}
	for _, c := range []struct{ in, question, unread string }{
		{"harbour", "How many spoiled catches were there in 2030?", "spoiled"},
		{"harbour", "How many skippers retired in Vigo?", "retired"}, // people go on after what is done
		{"harbour", "How many catches in Galway are there?", "Galway"},
		{"harbour", "How many catches were not hauled?", "hauled"},
		{"harbour", `How many catches were hauled of the species "mermaid"?`, "hauled"}, // stored nowhere: by whom, of what?
		{"clinic", "How many owners complained in 2030?", "complained"},
		{"workshop", "东车间报废的维修单有多少？", "报废"},
		{"workshop", "西车间外包了多少维修单？", "外包"}, // its rows keep what became of them
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			got, reading := shops[c.in].ask(t, c.question)
			if !strings.HasPrefix(got, "refused: ") {
				require.Contains(t, strings.Join(reading.Unread, " "), c.unread, got)
			}
		})
	}
}

func notesOf[T any](notes []T) string { return fmt.Sprint(notes) }

// A word that may restrict, put in anywhere, never leads to the same answer in silence:
// it stays unread, is told of, or changes the answer.
func TestAnInsertedWordIsNeverSilent(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"harbour": open(t, harbour()...), "workshop": open(t, workshop()...), "clinic": open(t, clinic()...)}
	for _, c := range []struct {
		in, question string
		words        []string
	}{
		{"harbour", "How many catches were there in 2030?", []string{"rotten", "Galway", "unlicensed", "zorbed", "not", "77"}},
		{"harbour", "Which skipper has the most catches?", []string{"rotten", "Galway", "unlicensed", "zorbed", "not"}},
		{"harbour", "average weight by species", []string{"rotten", "Galway", "unlicensed", "zorbed", "never"}},
		{"clinic", "How many visits did each species have?", []string{"rotten", "Galway", "unlicensed", "zorbed"}},
		{"workshop", "各车间的平均维修费", []string{"返工", "外包", "苏州", "非"}},
		{"workshop", "东车间有多少维修单？", []string{"返工", "外包", "苏州", "未"}},
	} {
		s := shops[c.in]
		plain, first := s.ask(t, c.question)
		require.Empty(t, first.Unread, c.question)
		pieces, glue := strings.Fields(c.question), " "
		if c.in == "workshop" {
			pieces, glue = strings.Split(c.question, ""), ""
		}
		for at := range pieces {
			for _, word := range c.words {
				q := strings.Join(slices.Insert(slices.Clone(pieces), at, word), glue)
				sql, reading := s.ask(t, q)
				if sql != plain || len(reading.Unread) > 0 {
					continue
				}
				require.Contains(t, notesOf(reading.Notes), word, q)
			}
		}
	}
}

// Kinds of questions that owners ask over their own files.
func TestKindsOfQuestions(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"harbour": open(t, harbour()...), "workshop": open(t, workshop()...), "clinic": open(t, clinic()...)}
	for _, c := range []struct{ in, question, want string }{
		// Two years beside each other, each by itself.
		{"harbour", "How many catches were there in 2029 and 2030?", "SELECT date_trunc('year', catch_date) AS year, count(*) AS number_of_catches FROM catches WHERE catch_date >= DATE '2029-01-01' AND catch_date < DATE '2030-01-01' OR catch_date >= DATE '2030-01-01' AND catch_date < DATE '2031-01-01' GROUP BY date_trunc('year', catch_date) ORDER BY year"},
		{"workshop", "2029年和2030年的维修单分别有多少？", `SELECT date_trunc('year', "报修日期") AS year, count(*) AS "number_of_维修单" FROM "维修单" WHERE "报修日期" >= DATE '2029-01-01' AND "报修日期" < DATE '2030-01-01' OR "报修日期" >= DATE '2030-01-01' AND "报修日期" < DATE '2031-01-01' GROUP BY date_trunc('year', "报修日期") ORDER BY year`},
		// Two values against each other.
		{"harbour", "Is the freshness rating of cod better than herring?", "SELECT species, avg(freshness_rating) AS average_freshness_rating FROM catches WHERE species IN ('cod', 'herring') GROUP BY species ORDER BY average_freshness_rating DESC, species"},
		// A rate as an order, a superlative of an average, ages by days of birth.
		{"workshop", "保修率最高的车间是哪个？", `SELECT "车间" FROM "维修单" GROUP BY "车间" ORDER BY CAST(count_if("是否保修" = TRUE) AS double) / nullif(count(*), 0) DESC LIMIT 1`},
		{"harbour", "Which species is the windiest on average?", "SELECT species FROM catches GROUP BY species ORDER BY avg(wind_kmh) DESC LIMIT 1"},
		{"harbour", "Who is the oldest skipper?", "SELECT skipper_name FROM skippers ORDER BY birth_date LIMIT 1"},
		// The day on which something was the most.
		{"harbour", "What was the heaviest catch date?", "SELECT catch_date FROM catches GROUP BY catch_date ORDER BY sum(weight_kg) DESC LIMIT 1"},
		// What was never done, and what points to nothing.
		{"harbour", "How many skippers never delivered anything?", "SELECT count(*) AS number_of_skippers FROM skippers AS t1 WHERE NOT EXISTS (SELECT 1 FROM catches AS t2 WHERE t1.skipper_id = t2.skipper_id)"},
		{"harbour", "How many catches have no skipper?", "SELECT count(*) AS number_of_catches FROM catches WHERE skipper_id IS NULL"},
		// A number of rows as a bound.
		{"workshop", "哪些技师的报修量超过30次？", `SELECT "技师姓名" FROM "维修单" GROUP BY "技师姓名" HAVING count(*) > 30`},
		{"workshop", "哪些车间有20件以上？", `SELECT "车间" FROM "维修单" GROUP BY "车间" HAVING count(*) >= 20`},
		// The part of all that each group is.
		{"workshop", "设备类型的分布，各占百分之几？", `SELECT "设备类型", CAST(count(*) AS double) / nullif(sum(count(*)) OVER (), 0) AS "维修单_share_of_total" FROM "维修单" GROUP BY "设备类型" ORDER BY "维修单_share_of_total" DESC, "设备类型"`},
		// Names before brackets, in part.
		{"workshop", "西车间的平均面积", `SELECT avg("占地面积(平米)") AS "average_占地面积_平米" FROM "维修单" WHERE "车间" = '西车间'`},
		// A thing by its name column, in the other language too.
		{"workshop", "Which technician has the highest average 维修费?", `SELECT "技师姓名" FROM "维修单" GROUP BY "技师姓名" ORDER BY avg("维修费(元/次)") DESC LIMIT 1`},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			got, reading := shops[c.in].ask(t, c.question)
			require.Equal(t, c.want, got)
			require.Empty(t, reading.Unread)
		})
	}
	for _, c := range []struct{ in, question string }{
		{"harbour", "What is the highest catch date?"},              // days have no size
		{"harbour", "How many catches were frozen and not frozen?"}, // no row is both
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			got, reading := shops[c.in].ask(t, c.question)
			require.True(t, strings.HasPrefix(got, "refused: ") || len(reading.Unread) > 0, got)
		})
	}
}
