package reader_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// estate is two files that have nothing to do with each other: harvests dated by a year as a
// number, and stays in hotels of which two have a name that begins alike.
func estate() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "yields"}, RowCount: 3000, Columns: []catalog.Column{key("yield_id"), col("year", "bigint"), texts("month", "1", "2"), texts("crop", "rye", "oats"), col("tons", "double"), texts("organic", "yes", "no"), col("price_per_ton", "double")}},
		{Name: catalog.Name{Table: "stays"}, RowCount: 3000, Columns: []catalog.Column{key("stay_id"), texts("hotel", "Grand Plaza North", "Grand Plaza South", "Inn"), texts("guest_name", "Ann", "Bo"), col("arrival", "date"), col("departure", "date"), col("children", "bigint"), col("amount_eur", "double")}},
	}
}

// TestWhatAnswersAssume: what a reading decides that the question does not say is told, with
// the column that it is about, and counts as a guess where the question might mean
// otherwise; what the question says is neither.
func TestWhatAnswersAssume(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"clinic": open(t, clinic()...), "ferries": open(t, ferries()...), "library": open(t, library()...), "college": open(t, college()...), "estate": open(t, estate()...)}
	for _, c := range []struct {
		in, question, sql, notes string
		guessed                  bool
	}{
		{"clinic", "How many visits were there in 2029 and 2030?", "SELECT date_trunc('year', visit_date) AS year, count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2029-01-01' AND visit_date < DATE '2030-01-01' OR visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' GROUP BY date_trunc('year', visit_date) ORDER BY year", "[]", true},
		{"clinic", "How many visits were there in March and April 2030?", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-03-01' AND visit_date < DATE '2030-05-01'", "[]", false},
		{"clinic", "visits in the last 30 days", "SELECT visit_id FROM visits WHERE visit_date >= DATE '2031-04-14'", "[]", true},
		{"clinic", "How many visits were there this month?", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2031-05-01' AND visit_date < DATE '2031-06-01'", "[]", false},
		{"clinic", "How many visits were there since March 2030?", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-03-01'", "[]", false},
		{"clinic", "How many visits before 2030?", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date < DATE '2030-01-01'", "[]", false},
		{"clinic", "Which species has the lowest average fee?", "SELECT t2.species FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY avg(t1.fee) LIMIT 1", "[]", true},
		{"clinic", "the 5 most expensive visits", "SELECT visit_id FROM visits ORDER BY fee DESC LIMIT 5", "[{ordered_by [fee]}]", true},
		{"clinic", "How many different species are there?", "SELECT count(DISTINCT species) AS number_of_species FROM pets", "[{counted_distinct [species]}]", false},
		{"clinic", "Which pets have at least 5 visits?", "SELECT t1.name FROM pets AS t1 JOIN visits AS t2 ON t1.pet_id = t2.pet_id GROUP BY t1.pet_id, t1.name HAVING count(*) >= 5", "[]", false},
		{"clinic", "Which pets have exactly 4 visits?", "SELECT t1.name FROM pets AS t1 JOIN visits AS t2 ON t1.pet_id = t2.pet_id GROUP BY t1.pet_id, t1.name HAVING count(*) = 4", "[]", false},
		{"clinic", "Which owners have pets?", "SELECT t1.first_name, t1.last_name FROM owners AS t1 WHERE EXISTS (SELECT 1 FROM pets AS t2 WHERE t1.owner_id = t2.owner_id)", "[]", false},
		{"clinic", "Which species have more than 100 pets?", "SELECT species FROM pets GROUP BY species HAVING count(*) > 100", "[]", false},
		{"clinic", "pets with a weight between 5 and 10 kg", "SELECT name FROM pets WHERE weight_kg BETWEEN 5 AND 10", "[]", true},
		{"clinic", "How many pets weigh at most 5 kg?", "SELECT count(*) AS number_of_pets FROM pets WHERE weight_kg <= 5", "[]", false},
		{"clinic", "How many pets were born after 2025-03-01?", "SELECT count(*) AS number_of_pets FROM pets WHERE born >= DATE '2025-03-02'", "[]", false},
		{"clinic", "What percentage of visits were urgent?", "SELECT 100 * CAST(count_if(is_urgent = TRUE) AS double) / nullif(count(*), 0) AS is_urgent_percentage FROM visits", "[]", false},
		{"clinic", "share of visits by outcome", "SELECT outcome, CAST(count(*) AS double) / nullif(sum(count(*)) OVER (), 0) AS visits_share_of_total FROM visits GROUP BY outcome ORDER BY visits_share_of_total DESC, outcome", "[]", false},
		{"clinic", "List all pets of owners in York", "SELECT t1.name FROM pets AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id WHERE t2.town = 'York'", "[]", true},
		{"clinic", "number of visits and total fee per town", "SELECT t3.town, sum(t1.fee) AS total_fee, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id JOIN owners AS t3 ON t2.owner_id = t3.owner_id GROUP BY t3.town ORDER BY total_fee DESC, t3.town", "[]", true},
		{"clinic", "Which town has the most dogs?", "SELECT t2.town FROM pets AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id WHERE t1.species = 'dog' GROUP BY t2.town ORDER BY count(*) DESC LIMIT 1", "[]", true},
		{"clinic", "fee by month in 2030", "SELECT date_trunc('month', visit_date) AS month, sum(fee) AS total_fee FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' GROUP BY date_trunc('month', visit_date) ORDER BY month", "[{summed [fee]}]", true},
		{"clinic", "average fee per visit of cats", "SELECT avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE t2.species = 'cat'", "[]", true},
		{"clinic", "sum of fee for urgent visits in Leeds", "SELECT sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id JOIN owners AS t3 ON t2.owner_id = t3.owner_id WHERE t3.town = 'Leeds' AND t1.is_urgent = TRUE", "[]", true},
		{"clinic", "How many owners have a dog?", "SELECT count(*) AS number_of_owners FROM owners AS t1 WHERE EXISTS (SELECT 1 FROM pets AS t2 WHERE t1.owner_id = t2.owner_id AND t2.species = 'dog')", "[]", true},
		{"clinic", "How many pets does each owner have?", "SELECT t2.first_name, t2.last_name, count(*) AS number_of_pets FROM pets AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id GROUP BY t2.owner_id, t2.first_name, t2.last_name ORDER BY number_of_pets DESC, t2.first_name, t2.last_name", "[]", true},
		{"ferries", "total cost by operator", `SELECT "Ferry Operator", sum("Cost Total $") AS total_cost_total FROM ferrytrips GROUP BY "Ferry Operator" ORDER BY total_cost_total DESC, "Ferry Operator"`, "[{summed [Cost Total $]}]", true},
		{"ferries", "average delay per harbour", `SELECT "Harbour Name", avg("Delay in minutes") AS average_delay_in_minutes FROM ferrytrips GROUP BY "Harbour Name" ORDER BY average_delay_in_minutes DESC, "Harbour Name"`, "[]", false},
		{"ferries", "How many trips were delayed by more than 15 minutes?", `SELECT count(*) AS number_of_ferrytrips FROM ferrytrips WHERE "Delay in minutes" > 15`, "[{rows_are [trips ferrytrips]}]", true},
		{"ferries", "fuel cost per month in 2029", `SELECT date_trunc('month', "Sailing Date") AS month, sum("Cost Fuel $") AS total_cost_fuel FROM ferrytrips WHERE "Sailing Date" >= DATE '2029-01-01' AND "Sailing Date" < DATE '2030-01-01' GROUP BY date_trunc('month', "Sailing Date") ORDER BY month`, "[{summed [Cost Fuel $]}]", true},
		{"ferries", "How many trips did Coastal Boats make in calm weather?", `SELECT count(*) AS number_of_ferrytrips FROM ferrytrips WHERE "Ferry Operator" = 'Coastal Boats' AND Weather = 'calm'`, "[{rows_are [trips ferrytrips]}]", true},
		{"ferries", "How many operators are there?", `SELECT count(DISTINCT "Ferry Operator") AS number_of_ferry_operators FROM ferrytrips`, "[{counted_distinct [Ferry Operator]}]", false},
		{"ferries", "Which harbours are there?", `SELECT DISTINCT "Harbour Name" FROM ferrytrips`, "[]", false},
		{"library", "2029年和2030年各有多少次借阅？", `SELECT date_trunc('year', "借阅日期") AS year, count(*) AS "number_of_借阅" FROM "借阅" WHERE "借阅日期" >= DATE '2029-01-01' AND "借阅日期" < DATE '2030-01-01' OR "借阅日期" >= DATE '2030-01-01' AND "借阅日期" < DATE '2031-01-01' GROUP BY date_trunc('year', "借阅日期") ORDER BY year`, "[]", false},
		{"library", "哪个城市的罚款金额最高？", `SELECT "城市" FROM "借阅" GROUP BY "城市" ORDER BY sum("罚款金额_元") DESC LIMIT 1`, "[{summed [罚款金额_元]}]", true},
		{"library", "借阅次数最多的前3个图书类别", `SELECT "图书类别" FROM "借阅" GROUP BY "图书类别" ORDER BY count(*) DESC LIMIT 3`, "[]", false},
		{"library", "上个月有多少次借阅？", `SELECT count(*) AS "number_of_借阅" FROM "借阅" WHERE "借阅日期" >= DATE '2031-04-01' AND "借阅日期" < DATE '2031-05-01'`, "[]", false},
		{"library", "哪个图书类别的借阅最少？", `SELECT "图书类别" FROM "借阅" GROUP BY "图书类别" ORDER BY count(*) LIMIT 1`, "[]", false},
		{"library", "各城市借阅占比", `SELECT "城市", CAST(count(*) AS double) / nullif(sum(count(*)) OVER (), 0) AS "借阅_share_of_total" FROM "借阅" GROUP BY "城市" ORDER BY "借阅_share_of_total" DESC, "城市"`, "[]", false},
		{"college", "Which teachers have more than 2 classes?", "SELECT t1.teacher_name FROM teachers AS t1 JOIN classes AS t2 ON t1.teacher_id = t2.teacher_id GROUP BY t1.teacher_id, t1.teacher_name HAVING count(*) > 2", "[]", false},
		{"college", "heaviest class", "SELECT title FROM classes ORDER BY weight_g DESC LIMIT 1", "[{ordered_by [weight_g]}]", true},
		{"estate", "How many tons in 2023?", "SELECT sum(tons) AS total_tons FROM yields WHERE year = 2023", "[{summed [tons]}]", true},
		{"estate", "total tons before 2020", "SELECT sum(tons) AS total_tons FROM yields WHERE year < 2020", "[]", false},
		{"estate", "How many organic yields were there?", "SELECT count(*) AS number_of_yields FROM yields WHERE organic = 'yes'", "[]", false},
		{"estate", "total tons by crop and year", "SELECT crop, year, sum(tons) AS total_tons FROM yields GROUP BY crop, year ORDER BY crop, year", "[]", false},
		{"estate", "How many yields were there from 2020 to 2022?", "SELECT count(*) AS number_of_yields FROM yields WHERE year >= 2020 AND year < 2023", "[]", false},
		{"estate", "How many stays at Grand Plaza?", "SELECT count(*) AS number_of_stays FROM stays WHERE hotel IN ('Grand Plaza North', 'Grand Plaza South')", "[{begins_with [Grand Plaza North Grand Plaza South]}]", true},
		{"estate", "guests who stayed more than 3 times", "SELECT guest_name FROM stays GROUP BY guest_name HAVING count(*) > 3", "[]", true},
		{"estate", "Which hotels brought in more than 1000 euros?", "SELECT hotel FROM stays GROUP BY hotel HAVING sum(amount_eur) > 1000", "[{compared [amount_eur]} {summed [amount_eur]} {taken_verb [brought]}]", true},
		{"clinic", "What share of dogs is heavier than 20 kg?", "SELECT CAST(count_if(weight_kg > 20) AS double) / nullif(count(*), 0) AS pets_share FROM pets WHERE species = 'dog'", "[]", false},
		{"clinic", "Which visits were the most expensive and what was their outcome?", "SELECT visit_id, outcome FROM visits ORDER BY fee DESC LIMIT 1", "[{ordered_by [fee]}]", true},
		{"clinic", "What is the heaviest dog and its weight?", "SELECT name, weight_kg FROM pets WHERE species = 'dog' ORDER BY weight_kg DESC LIMIT 1", "[{ordered_by [weight_kg]}]", true},
		{"clinic", "What is the share of cats among pets?", "SELECT CAST(count_if(species = 'cat') AS double) / nullif(count(*), 0) AS cat_share FROM pets", "[]", false},
		{"clinic", "How many visits were there in March 2030 and in April 2030?", "SELECT date_trunc('month', visit_date) AS month, count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-03-01' AND visit_date < DATE '2030-04-01' OR visit_date >= DATE '2030-04-01' AND visit_date < DATE '2030-05-01' GROUP BY date_trunc('month', visit_date) ORDER BY month", "[]", true},
		{"clinic", "How many visits were there in 2030 and in March 2030?", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' AND visit_date >= DATE '2030-03-01' AND visit_date < DATE '2030-04-01'", "[]", false},
		{"clinic", "average fee per owner", "SELECT t3.first_name, t3.last_name, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id JOIN owners AS t3 ON t2.owner_id = t3.owner_id GROUP BY t3.owner_id, t3.first_name, t3.last_name ORDER BY average_fee DESC, t3.first_name, t3.last_name", "[]", true},
		{"clinic", "Which pets have the most visits?", "SELECT t2.name FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.pet_id, t2.name ORDER BY count(*) DESC LIMIT 1", "[]", true},
		{"clinic", "Which species are there in York?", "SELECT DISTINCT t1.species FROM pets AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id WHERE t2.town = 'York'", "[]", true},
		{"clinic", "number of pets by species in York", "SELECT t1.species, count(*) AS number_of_pets FROM pets AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id WHERE t2.town = 'York' GROUP BY t1.species ORDER BY number_of_pets DESC, t1.species", "[]", true},
		{"clinic", "average weight of dogs and cats", "SELECT avg(weight_kg) AS average_weight_kg FROM pets WHERE species IN ('dog', 'cat')", "[]", false},
		{"clinic", "average weight of dogs and of cats", "SELECT avg(weight_kg) AS average_weight_kg FROM pets WHERE species IN ('dog', 'cat')", "[]", false},
		{"clinic", "total fee by town and species", "SELECT t3.town, t2.species, sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id JOIN owners AS t3 ON t2.owner_id = t3.owner_id GROUP BY t3.town, t2.species ORDER BY total_fee DESC, t3.town, t2.species", "[]", true},
		{"clinic", "total fee by species and town in 2030", "SELECT t2.species, t3.town, sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id JOIN owners AS t3 ON t2.owner_id = t3.owner_id WHERE t1.visit_date >= DATE '2030-01-01' AND t1.visit_date < DATE '2031-01-01' GROUP BY t2.species, t3.town ORDER BY total_fee DESC, t2.species, t3.town", "[]", true},
		{"clinic", "fewest visits by town", "SELECT t3.town FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id JOIN owners AS t3 ON t2.owner_id = t3.owner_id GROUP BY t3.town ORDER BY count(*) LIMIT 1", "[]", true},
		{"clinic", "Which outcome has the highest total fee?", "SELECT outcome FROM visits GROUP BY outcome ORDER BY sum(fee) DESC LIMIT 1", "[]", false},
		{"clinic", "Which visit had the highest fee?", "SELECT visit_id FROM visits ORDER BY fee DESC LIMIT 1", "[]", false},
		{"clinic", "Which day had the most visits?", "SELECT visit_date FROM visits GROUP BY visit_date ORDER BY count(*) DESC LIMIT 1", "[]", false},
		{"ferries", "How many ferry trips were there in 2029?", `SELECT count(*) AS number_of_ferrytrips FROM ferrytrips WHERE "Sailing Date" >= DATE '2029-01-01' AND "Sailing Date" < DATE '2030-01-01'`, "[]", false},
		{"ferries", "How many ferry trips were there in March 2029 in a storm?", `SELECT count(*) AS number_of_ferrytrips FROM ferrytrips WHERE Weather = 'storm' AND "Sailing Date" >= DATE '2029-03-01' AND "Sailing Date" < DATE '2029-04-01'`, "[]", false},
		{"ferries", "total fuel cost of Coastal Boats by year", `SELECT date_trunc('year', "Sailing Date") AS year, sum("Cost Fuel $") AS total_cost_fuel FROM ferrytrips WHERE "Ferry Operator" = 'Coastal Boats' GROUP BY date_trunc('year', "Sailing Date") ORDER BY year`, "[]", false},
		{"ferries", "Which weather had the lowest total fuel cost?", `SELECT Weather FROM ferrytrips GROUP BY Weather ORDER BY sum("Cost Fuel $") LIMIT 1`, "[]", false},
		{"library", "2030年小说的借阅有多少次？", `SELECT count(*) AS "number_of_借阅" FROM "借阅" WHERE "图书类别" = '小说' AND "借阅日期" >= DATE '2030-01-01' AND "借阅日期" < DATE '2031-01-01'`, "[]", false},
		{"library", "南京女性的罚款金额总和", `SELECT sum("罚款金额_元") AS "total_罚款金额_元" FROM "借阅" WHERE "城市" = '南京' AND "性别" = '女'`, "[]", false},
		{"library", "各图书类别的罚款金额总和", `SELECT "图书类别", sum("罚款金额_元") AS "total_罚款金额_元" FROM "借阅" GROUP BY "图书类别" ORDER BY "total_罚款金额_元" DESC, "图书类别"`, "[]", false},
		{"library", "每个城市每个月有多少次借阅？", `SELECT "城市", date_trunc('month', "借阅日期") AS month, count(*) AS "number_of_借阅" FROM "借阅" GROUP BY "城市", date_trunc('month', "借阅日期") ORDER BY "城市", month`, "[]", false},
		{"library", "天数超过30的借阅有多少次？", `SELECT count(*) AS "number_of_借阅" FROM "借阅" WHERE "天数" > 30`, "[]", false},
		{"library", "南京和西安的平均天数", `SELECT avg("天数") AS "average_天数" FROM "借阅" WHERE "城市" IN ('南京', '西安')`, "[]", false},
		{"estate", "total amount by hotel", "SELECT hotel, sum(amount_eur) AS total_amount_eur FROM stays GROUP BY hotel ORDER BY total_amount_eur DESC, hotel", "[]", false},
		{"estate", "average amount per guest", "SELECT guest_name, avg(amount_eur) AS average_amount_eur FROM stays GROUP BY guest_name ORDER BY average_amount_eur DESC, guest_name", "[]", false},
		{"estate", "tons of rye and oats by year", "SELECT year, sum(tons) AS total_tons FROM yields WHERE crop IN ('rye', 'oats') GROUP BY year ORDER BY year", "[{summed [tons]}]", true},
		{"estate", "How many stays of Ann were there?", "SELECT count(*) AS number_of_stays FROM stays WHERE guest_name = 'Ann'", "[]", false},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			sql, reading := shops[c.in].ask(t, c.question)
			require.Equal(t, c.sql, sql)
			require.Equal(t, c.notes, fmt.Sprint(reading.Notes))
			require.Equal(t, c.guessed, reading.Doubt.Guess > 0, "%+v", reading.Doubt)
			require.Empty(t, reading.Unread)
		})
	}
}

// TestRefusalsSayWhy: a question that no reading answers is refused with what is missing.
func TestRefusalsSayWhy(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for question, why := range map[string]string{
		"visits": "a list of all, which nobody asked for", "fee over 100": "nothing is asked for",
	} {
		list, refused := s.reader.Question(question, s.view, today).Readings()
		require.Empty(t, list, question)
		require.Contains(t, refused, why, question)
	}
}

// done are the edits that a change is told to be, each with what it is about.
func done(list []followup.Edit) string {
	var names []string
	output := func(o *intent.Output) string { return strings.TrimPrefix(string(o.Agg)+"."+o.ID, ".") }
	for _, e := range list {
		parts := []string{string(e.Do)}
		if e.Field.ID != "" {
			parts = append(parts, strings.TrimSuffix(e.Field.ID+" "+e.Field.Grain, " "))
		}
		parts = append(parts, e.Values...)
		if e.Output != nil {
			parts = append(parts, output(e.Output))
		}
		if e.Cond != nil {
			if e.Cond.Left != nil {
				parts = append(parts, output(e.Cond.Left))
			}
			parts = append(parts, string(e.Cond.Op))
			for _, v := range e.Cond.Values {
				parts = append(parts, v.Text)
			}
		}
		if e.Date != nil {
			parts = append(parts, e.Date.From.Format(time.DateOnly), e.Date.To.Format(time.DateOnly))
		}
		if e.N > 0 {
			parts = append(parts, strconv.FormatInt(e.N, 10))
		}
		if e.Desc {
			parts = append(parts, "desc")
		}
		names = append(names, strings.Join(parts, " "))
	}
	return strings.Join(names, "; ")
}

// TestWhatChangesTell: a change is told as what it does to the question before, no more and
// no less, with what it assumes.
func TestWhatChangesTell(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"clinic": open(t, clinic()...), "ferries": open(t, ferries()...), "library": open(t, library()...), "estate": open(t, estate()...)}
	for _, c := range []struct{ in, first, said, sql, edits, notes string }{
		{"clinic", "total fee by species", "in total", "SELECT sum(fee) AS total_fee FROM visits", "total", "[]"},
		{"clinic", "number of visits per outcome", "in total", "SELECT count(*) AS number_of_visits FROM visits", "total", "[]"},
		{"clinic", "total fee by species", "the highest fee", "either", "set_figure max.visits.fee", "[]"},
		{"clinic", "What is the total fee?", "the highest", "SELECT max(fee) AS highest_fee FROM visits", "set_figure max.visits.fee", "[]"},
		{"clinic", "What is the total fee?", "the lowest", "SELECT min(fee) AS lowest_fee FROM visits", "set_figure min.visits.fee", "[]"},
		{"clinic", "What is the total fee?", "the lowest fee", "SELECT min(fee) AS lowest_fee FROM visits", "set_figure min.visits.fee", "[]"},
		{"clinic", "What is the total fee?", "and the duration", "SELECT sum(duration_seconds) AS total_duration_seconds FROM visits", "set_figure sum.visits.duration_seconds", "[]"},
		{"clinic", "average fee by species", "add the average fee", "refused: add_figure all_there", "", "[]"},
		{"clinic", "average fee by species", "and the weight", "SELECT species, avg(weight_kg) AS average_weight_kg FROM pets GROUP BY species ORDER BY average_weight_kg DESC, species", "set_figure avg.pets.weight_kg", "[]"},
		{"clinic", "average fee by species", "top 3", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY average_fee DESC LIMIT 3", "turn desc; limit 3", "[]"},
		{"clinic", "average fee by species", "lowest 2", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY average_fee LIMIT 2", "turn; limit 2", "[]"},
		{"clinic", "average fee by species", "also by species", "refused: add_group all_there", "", "[]"},
		{"clinic", "average fee by species", "also by month", "SELECT t2.species, date_trunc('month', t1.visit_date) AS month, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species, date_trunc('month', t1.visit_date) ORDER BY t2.species, month", "add_group visits.visit_date month", "[]"},
		{"clinic", "total fee by species", "only dogs", "SELECT t2.species, sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE t2.species = 'dog' GROUP BY t2.species ORDER BY total_fee DESC, t2.species", "set_value pets.species dog", "[]"},
		{"clinic", "total fee by species", "top 5 towns", "SELECT t3.town, sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id JOIN owners AS t3 ON t2.owner_id = t3.owner_id GROUP BY t3.town ORDER BY total_fee DESC LIMIT 5", "set_group owners.town; turn desc; limit 5", "[]"},
		{"clinic", "total fee by species", "sort by fee ascending", "SELECT t2.species, sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY total_fee, t2.species", "order_by visits.fee", "[]"},
		{"clinic", "total fee by species", "ascending", "SELECT t2.species, sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY total_fee, t2.species", "turn", "[]"},
		{"clinic", "total fee by species", "reverse", "SELECT t2.species, sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY total_fee, t2.species", "turn", "[]"},
		{"clinic", "total fee by species", "sort by number of visits", "SELECT t2.species, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY number_of_visits DESC, t2.species", "set_figure count.visits; order_by visits desc", "[]"},
		{"clinic", "top 3 species by total fee", "all of them", "SELECT t2.species, sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY total_fee DESC, t2.species", "no_limit", "[]"},
		{"clinic", "top 3 species by total fee", "make it 10", "SELECT t2.species, sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY total_fee DESC LIMIT 10", "turn desc; limit 10", "[]"},
		{"clinic", "top 3 species by total fee", "as a share", "SELECT t2.species, CAST(sum(t1.fee) AS double) / nullif(sum(sum(t1.fee)) OVER (), 0) AS fee_share_of_total FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY fee_share_of_total DESC LIMIT 3", "share", "[]"},
		{"clinic", "How many visits were there in 2030?", "reverse", "refused: turn nothing_to_cut", "", "[]"},
		{"clinic", "How many visits were there in 2030?", "top 3", "refused: limit nothing_to_cut", "", "[]"},
		{"clinic", "How many visits were there in 2030?", "in March", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-03-01' AND visit_date < DATE '2030-04-01'", "set_range 2030-03-01 2030-04-01", "[]"},
		{"clinic", "How many visits were there in 2030?", "last month", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2031-04-01' AND visit_date < DATE '2031-05-01'", "set_range 2031-04-01 2031-05-01", "[]"},
		{"clinic", "How many visits were there in 2030?", "in 2029", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2029-01-01' AND visit_date < DATE '2030-01-01'", "set_range 2029-01-01 2030-01-01", "[]"},
		{"clinic", "How many visits were there?", "the year before", "refused: shift_range no_period", "", "[]"},
		{"clinic", "How many visits were there?", "all time", "refused: all_time not_filtered", "", "[]"},
		{"clinic", "How many visits were there?", "2029", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2029-01-01' AND visit_date < DATE '2030-01-01'", "set_range 2029-01-01 2030-01-01", "[]"},
		{"clinic", "How many pets are dogs?", "also cats", "SELECT count(*) AS number_of_pets FROM pets WHERE species IN ('dog', 'cat')", "add_value pets.species cat", "[]"},
		{"clinic", "How many pets are dogs?", "also dogs", "refused: add_value all_there", "", "[]"},
		{"clinic", "How many pets are dogs?", "without dogs", "either", "drop_filter pets.species", "[]"},
		{"clinic", "How many pets are dogs or cats?", "without cats", "SELECT count(*) AS number_of_pets FROM pets WHERE species = 'dog'", "drop_value pets.species cat", "[]"},
		{"clinic", "How many pets are dogs or cats?", "without guinea pigs", "refused: drop_value not_filtered", "", "[]"},
		{"clinic", "How many pets are not dogs?", "also dogs", "SELECT count(*) AS number_of_pets FROM pets", "add_value pets.species dog", "[]"},
		{"clinic", "How many pets are not dogs?", "without cats", "SELECT count(*) AS number_of_pets FROM pets WHERE species NOT IN ('dog', 'cat')", "drop_value pets.species cat", "[]"},
		{"clinic", "How many pets are dogs?", "heavier than 10 kg", "SELECT count(*) AS number_of_pets FROM pets WHERE species = 'dog' AND weight_kg > 10", "bound pets.weight_kg > 10", "[]"},
		{"clinic", "How many pets are dogs?", "in York", "SELECT count(*) AS number_of_pets FROM pets AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id WHERE t1.species = 'dog' AND t2.town = 'York'", "set_value owners.town York", "[]"},
		{"clinic", "How many pets are dogs?", "remove that condition", "SELECT count(*) AS number_of_pets FROM pets", "drop_condition pets.species = dog", "[]"},
		{"clinic", "How many urgent visits were there?", "list them", "SELECT visit_id, pet_id, visit_date, fee, duration_seconds, is_urgent, outcome FROM visits WHERE is_urgent = TRUE LIMIT 1000", "list_rows 1000", "[]"},
		{"clinic", "Which owners live in York?", "only the first 5", "SELECT first_name, last_name FROM owners WHERE town = 'York' LIMIT 5", "limit 5", "[]"},
		{"clinic", "Which owners live in York?", "descending", "refused: turn nothing_to_cut", "", "[]"},
		{"clinic", "What is the heaviest dog?", "the lightest", "SELECT name FROM pets WHERE species = 'dog' ORDER BY weight_kg LIMIT 1", "order_by pets.weight_kg", "[]"},
		{"clinic", "What is the heaviest dog?", "the 3 heaviest", "SELECT name FROM pets WHERE species = 'dog' ORDER BY weight_kg DESC LIMIT 3", "order_by pets.weight_kg desc; limit 3", "[]"},
		{"clinic", "What is the heaviest dog?", "over 20", "SELECT name FROM pets WHERE species = 'dog' AND weight_kg > 20 ORDER BY weight_kg DESC LIMIT 1", "bound pets.weight_kg > 20", "[]"},
		{"clinic", "average fee by species", "fee between 10 and 20", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species HAVING avg(t1.fee) BETWEEN 10 AND 20 ORDER BY average_fee DESC, t2.species", "bound avg.visits.fee between 10 20", "[]"},
		{"clinic", "average fee by species", "at most 3 pets", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species HAVING count(DISTINCT t2.pet_id) <= 3 ORDER BY average_fee DESC, t2.species", "bound count_distinct.pets.pet_id <= 3", "[{counted_distinct [pet_id]}]"},
		{"clinic", "average fee by species", `with names containing "ig"`, "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE lower(t2.name) LIKE '%ig%' GROUP BY t2.species ORDER BY average_fee DESC, t2.species", "set_value pets.name ig", "[]"},
		{"ferries", "total cost by operator", "only Blue Line", `SELECT "Ferry Operator", sum("Cost Total $") AS total_cost_total FROM ferrytrips WHERE "Ferry Operator" = 'Blue Line Shipping Co.' GROUP BY "Ferry Operator" ORDER BY total_cost_total DESC, "Ferry Operator"`, "set_value ferrytrips.Ferry Operator Blue Line Shipping Co.", "[{begins_with [Blue Line Shipping Co.]}]"},
		{"estate", "total tons by crop", "in 2023", "SELECT crop, sum(tons) AS total_tons FROM yields WHERE year = 2023 GROUP BY crop ORDER BY total_tons DESC, crop", "set_range 2023-01-01 2024-01-01", "[]"},
		{"estate", "How many tons in 2023?", "the year before", "SELECT sum(tons) AS total_tons FROM yields WHERE year = 2022", "set_value yields.year 2022", "[]"},
		{"estate", "How many stays at Grand Plaza?", "in Inn", "SELECT count(*) AS number_of_stays FROM stays WHERE hotel = 'Inn'", "set_value stays.hotel Inn", "[]"},
		{"library", "2030年每个月的借阅数量", "不限时间", `SELECT date_trunc('month', "借阅日期") AS month, count(*) AS "number_of_借阅" FROM "借阅" GROUP BY date_trunc('month', "借阅日期") ORDER BY month`, "all_time", "[]"},
		{"library", "女性的罚款金额总和是多少？", "男性和女性", `SELECT sum("罚款金额_元") AS "total_罚款金额_元" FROM "借阅" WHERE "性别" IN ('男', '女')`, "set_value 借阅.性别 男 女", "[]"},
		{"clinic", "top 3 species by total fee", "in total", "SELECT sum(fee) AS total_fee FROM visits", "total", "[]"},
		{"clinic", "How many pets are dogs?", "for all species", "SELECT count(*) AS number_of_pets FROM pets", "drop_filter pets.species", "[]"},
		{"clinic", "How many pets are dogs?", "for all towns", "refused: drop_filter not_filtered", "", "[]"},
		{"clinic", "total fee by species", "by number of visits", "SELECT t2.species, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY number_of_visits DESC, t2.species", "set_figure count.visits; order_by visits desc", "[]"},
		{"clinic", "total fee by species", "the most visits", "SELECT t2.species, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY number_of_visits DESC LIMIT 1", "set_figure count.visits; order_by visits desc; limit 1", "[]"},
		{"clinic", "total fee by species", "with the most visits", "SELECT t2.species, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY number_of_visits DESC LIMIT 1", "set_figure count.visits; order_by visits desc; limit 1", "[]"},
		{"clinic", "total fee by species", "without the species", "SELECT sum(fee) AS total_fee FROM visits", "drop_group pets.species", "[]"},
		{"clinic", "total fee by town and species", "without the town", "SELECT t2.species, sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY total_fee DESC, t2.species", "drop_group owners.town", "[]"},
		{"clinic", "How many visits were there in 2030?", "without urgent ones", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' AND is_urgent = FALSE", "drop_value visits.is_urgent is_urgent", "[]"},
		{"clinic", "How many pets are dogs?", "without cats", "refused: drop_value not_filtered", "", "[]"},
		{"clinic", "total fee per month in 2030", "in total", "SELECT sum(fee) AS total_fee FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01'", "total", "[]"},
		{"clinic", "total fee per month in 2030", "only the highest", "SELECT date_trunc('month', visit_date) AS month, sum(fee) AS total_fee FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' GROUP BY date_trunc('month', visit_date) ORDER BY total_fee DESC LIMIT 1", "turn desc; limit 1", "[]"},
		{"clinic", "total fee per month in 2030", "for all time", "SELECT date_trunc('month', visit_date) AS month, sum(fee) AS total_fee FROM visits GROUP BY date_trunc('month', visit_date) ORDER BY month", "all_time", "[]"},
		{"clinic", "average fee by species", "the highest average", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY average_fee DESC LIMIT 1", "turn desc; limit 1", "[]"},
		{"clinic", "average fee by species", "only those over 50", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species HAVING avg(t1.fee) > 50 ORDER BY average_fee DESC, t2.species", "bound avg.visits.fee > 50", "[]"},
		{"clinic", "average fee by species", "over 50 and under 80", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species HAVING avg(t1.fee) > 50 AND avg(t1.fee) < 80 ORDER BY average_fee DESC, t2.species", "bound avg.visits.fee > 50; bound avg.visits.fee < 80", "[]"},
		{"clinic", "average fee and number of visits by species", "sort by number of visits", "SELECT t2.species, avg(t1.fee) AS average_fee, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY number_of_visits DESC, t2.species", "order_by visits desc", "[]"},
		{"clinic", "average fee and number of visits by species", "only the fee", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY average_fee DESC, t2.species", "set_figure avg.visits.fee", "[]"},
		{"clinic", "number of visits per outcome", "only healed and referred", "SELECT outcome, count(*) AS number_of_visits FROM visits WHERE outcome IN ('healed', 'referred') GROUP BY outcome ORDER BY number_of_visits DESC, outcome", "set_value visits.outcome healed referred", "[]"},
		{"clinic", "number of visits per outcome", "without none", "SELECT outcome, count(*) AS number_of_visits FROM visits WHERE outcome <> 'none' GROUP BY outcome ORDER BY number_of_visits DESC, outcome", "drop_value visits.outcome none", "[]"},
		{"clinic", "number of visits per outcome", "in the last 7 days", "SELECT outcome, count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2031-05-07' GROUP BY outcome ORDER BY number_of_visits DESC, outcome", "set_range 2031-05-07 0001-01-01", "[]"},
		{"clinic", "number of visits per outcome", "this year", "SELECT outcome, count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2031-01-01' AND visit_date < DATE '2032-01-01' GROUP BY outcome ORDER BY number_of_visits DESC, outcome", "set_range 2031-01-01 2032-01-01", "[]"},
		{"clinic", "number of visits per outcome", "yesterday", "SELECT outcome, count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2031-05-13' AND visit_date < DATE '2031-05-14' GROUP BY outcome ORDER BY number_of_visits DESC, outcome", "set_range 2031-05-13 2031-05-14", "[]"},
		{"ferries", "total cost by operator", "fuel cost instead", `SELECT "Ferry Operator", sum("Cost Fuel $") AS total_cost_fuel FROM ferrytrips GROUP BY "Ferry Operator" ORDER BY total_cost_fuel DESC, "Ferry Operator"`, "set_figure sum.ferrytrips.Cost Fuel $", "[]"},
		{"ferries", "total cost by operator", "average", `SELECT "Ferry Operator", avg("Cost Total $") AS average_cost_total FROM ferrytrips GROUP BY "Ferry Operator" ORDER BY average_cost_total DESC, "Ferry Operator"`, "set_figure avg.ferrytrips.Cost Total $", "[]"},
		{"ferries", "total cost by operator", "only in 2029", `SELECT "Ferry Operator", sum("Cost Total $") AS total_cost_total FROM ferrytrips WHERE "Sailing Date" >= DATE '2029-01-01' AND "Sailing Date" < DATE '2030-01-01' GROUP BY "Ferry Operator" ORDER BY total_cost_total DESC, "Ferry Operator"`, "set_range 2029-01-01 2030-01-01", "[]"},
		{"ferries", "total cost by operator", "per month", `SELECT date_trunc('month', "Sailing Date") AS month, sum("Cost Total $") AS total_cost_total FROM ferrytrips GROUP BY date_trunc('month', "Sailing Date") ORDER BY month`, "set_group ferrytrips.Sailing Date month", "[]"},
		{"estate", "total tons by crop", "only organic", "SELECT crop, sum(tons) AS total_tons FROM yields WHERE organic = 'yes' GROUP BY crop ORDER BY total_tons DESC, crop", "bound yields.organic = yes", "[]"},
		{"estate", "total tons by crop", "average price instead", "SELECT crop, avg(price_per_ton) AS average_price_per_ton FROM yields GROUP BY crop ORDER BY average_price_per_ton DESC, crop", "set_figure avg.yields.price_per_ton", "[]"},
		{"estate", "total tons by crop", "per year", "SELECT year, sum(tons) AS total_tons FROM yields GROUP BY year ORDER BY year", "set_group yields.year", "[]"},
		{"estate", "total tons by crop", "only rye", "SELECT crop, sum(tons) AS total_tons FROM yields WHERE crop = 'rye' GROUP BY crop ORDER BY total_tons DESC, crop", "set_value yields.crop rye", "[]"},
		{"library", "各城市的平均天数", "只看2030年", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" WHERE "借阅日期" >= DATE '2030-01-01' AND "借阅日期" < DATE '2031-01-01' GROUP BY "城市" ORDER BY "average_天数" DESC, "城市"`, "set_range 2030-01-01 2031-01-01", "[]"},
		{"library", "各城市的平均天数", "南京和西安", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" WHERE "城市" IN ('南京', '西安') GROUP BY "城市" ORDER BY "average_天数" DESC, "城市"`, "set_value 借阅.城市 南京 西安", "[]"},
		{"library", "各城市的平均天数", "最高的一个", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" GROUP BY "城市" ORDER BY "average_天数" DESC LIMIT 1`, "turn desc; limit 1", "[]"},
		{"library", "各城市的平均天数", "去掉城市", `SELECT avg("天数") AS "average_天数" FROM "借阅"`, "drop_group 借阅.城市", "[]"},
	} {
		t.Run(c.first+" "+c.said, func(t *testing.T) {
			t.Parallel()
			s := shops[c.in]
			prev := s.first(t, c.first)
			require.Equal(t, c.sql, s.change(t, &prev, c.said))
			x := s.reader.Change(c.said, &prev, s.view, today)[0]
			require.Equal(t, c.edits, done(x.Edits))
			require.Equal(t, c.notes, fmt.Sprint(x.Notes))
		})
	}
}
