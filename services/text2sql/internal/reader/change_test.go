package reader_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// nearby is how far a second way to read a change may be behind for both to be put to
// the asker.
const nearby = 0.12

// talk is a first question and the turns after it, each with what comes of it.
type talk struct {
	title, first string
	turns        [][2]string
}

// talks follows talks: each turn is an edit of the question before it.
func (s shop) talks(t *testing.T, talks []talk) {
	t.Helper()
	for _, talk := range talks {
		t.Run(talk.title, func(t *testing.T) {
			t.Parallel()
			readings, _ := s.reader.Question(talk.first, s.view, today).Readings()
			require.NotEmpty(t, readings, talk.first)
			prev := readings[0].Intent
			for _, turn := range talk.turns {
				before, err := json.Marshal(prev)
				require.NoError(t, err)
				require.Equal(t, turn[1], s.change(t, &prev, turn[0]), turn[0])
				after, err := json.Marshal(prev)
				require.NoError(t, err)
				require.Equal(t, string(before), string(after), "the question before stays as it was")
				prev = s.reader.Change(turn[0], &prev, s.view, today)[0].Intent
			}
		})
	}
}

// change tells what comes of a change: the SQL of the changed question, or why there is
// none.
func (s shop) change(t *testing.T, prev *intent.Intent, said string) string {
	t.Helper()
	list := s.reader.Change(said, prev, s.view, today)
	require.NotEmpty(t, list)
	x := list[0]
	switch {
	case x.Own:
		return "own"
	case len(x.Unread) > 0:
		return "not understood: " + strings.Join(x.Unread, ", ")
	case x.Refused != nil:
		return "refused: " + string(x.Refused.Edit.Do) + " " + string(x.Refused.Why)
	case len(list) > 1 && list[1].Refused == nil && list[1].Own == x.Own && list[1].Cost < x.Cost+nearby:
		return "either"
	}
	stmt, err := s.gen.Statement(&x.Intent)
	require.NoError(t, err)
	return printer.Print(stmt)
}

// TestChanges changes questions in one way each: what is said is an edit of the question
// before, and all that it does not touch stays as it is.
func TestChanges(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"clinic": open(t, clinic()...), "library": open(t, library()...)}
	for _, c := range []struct {
		in, first string
		changes   [][2]string
	}{
		{"clinic", "How many visits were there in 2030?", [][2]string{
			{"and urgent ones?", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' AND is_urgent = TRUE"},
			{"what about 2029", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2029-01-01' AND visit_date < DATE '2030-01-01'"},
			{"the year before", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2029-01-01' AND visit_date < DATE '2030-01-01'"},
			{"in March", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-03-01' AND visit_date < DATE '2030-04-01'"},
			{"only dogs", "SELECT count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE t1.visit_date >= DATE '2030-01-01' AND t1.visit_date < DATE '2031-01-01' AND t2.species = 'dog'"},
			{"for cats and dogs", "SELECT count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE t1.visit_date >= DATE '2030-01-01' AND t1.visit_date < DATE '2031-01-01' AND t2.species IN ('cat', 'dog')"},
			{"by outcome", "SELECT outcome, count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' GROUP BY outcome ORDER BY number_of_visits DESC, outcome"},
			{"per species", "SELECT t2.species, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE t1.visit_date >= DATE '2030-01-01' AND t1.visit_date < DATE '2031-01-01' GROUP BY t2.species ORDER BY number_of_visits DESC, t2.species"},
			{"which species had the most?", "SELECT t2.species, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE t1.visit_date >= DATE '2030-01-01' AND t1.visit_date < DATE '2031-01-01' GROUP BY t2.species ORDER BY number_of_visits DESC LIMIT 1"},
			{"how many were urgent?", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' AND is_urgent = TRUE"},
			{"list them", "SELECT visit_id, pet_id, visit_date, fee, duration_seconds, is_urgent, outcome FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' LIMIT 1000"},
			{"average fee", "SELECT avg(fee) AS average_fee FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01'"},
			{"the total fee instead", "SELECT sum(fee) AS total_fee FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01'"},
			{"and how many pets?", "SELECT count(DISTINCT t1.pet_id) AS number_of_pet_ids FROM pets AS t1 WHERE EXISTS (SELECT 1 FROM visits AS t2 WHERE t1.pet_id = t2.pet_id AND t2.visit_date >= DATE '2030-01-01' AND t2.visit_date < DATE '2031-01-01')"},
			{"without urgent ones", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' AND is_urgent = FALSE"},
			{"also in 2028", "refused: set_range unknown_time"},
			{"split them by town", "SELECT t3.town, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id JOIN owners AS t3 ON t2.owner_id = t3.owner_id WHERE t1.visit_date >= DATE '2030-01-01' AND t1.visit_date < DATE '2031-01-01' GROUP BY t3.town ORDER BY number_of_visits DESC, t3.town"},
			{"break it down by quarter please", "SELECT date_trunc('quarter', visit_date) AS quarter, count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' GROUP BY date_trunc('quarter', visit_date) ORDER BY quarter"},
			{"for all time", "SELECT count(*) AS number_of_visits FROM visits"},
			{"what about the referred ones?", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' AND outcome = 'referred'"},
			{"except healed", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' AND outcome <> 'healed'"},
			{"over 100", "refused: bound not_said"},
			{"with a fee over 100", "SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' AND fee > 100"},
			{"as a percentage", "refused: share no_whole"},
			{"vs last year", "SELECT number_of_visits, previous_number_of_visits, number_of_visits - previous_number_of_visits AS number_of_visits_change, CAST(number_of_visits - previous_number_of_visits AS double) / abs(nullif(previous_number_of_visits, 0)) AS number_of_visits_change_rate FROM (SELECT count(*) FILTER (WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01') AS number_of_visits, count(*) FILTER (WHERE visit_date >= DATE '2029-01-01' AND visit_date < DATE '2030-01-01') AS previous_number_of_visits FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' OR visit_date >= DATE '2029-01-01' AND visit_date < DATE '2030-01-01') AS grouped"},
			{"why?", "refused: explain causes"},
			{"only unicorns", "not understood: unicorns"},
			{"How many owners live in York?", "own"},
			{"Which owners live in York?", "own"},
		}},
		{"clinic", "average fee by species", [][2]string{
			{"only the highest", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY average_fee DESC LIMIT 1"},
			{"top 2", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY average_fee DESC LIMIT 2"},
			{"sort by species", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY t2.species"},
			{"add the number of visits", "SELECT t2.species, avg(t1.fee) AS average_fee, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY average_fee DESC, t2.species"},
			{"remove dogs", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE t2.species <> 'dog' GROUP BY t2.species ORDER BY average_fee DESC, t2.species"},
			{"just for York", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id JOIN owners AS t3 ON t2.owner_id = t3.owner_id WHERE t3.town = 'York' GROUP BY t2.species ORDER BY average_fee DESC, t2.species"},
			{"max instead of average", "SELECT t2.species, max(t1.fee) AS highest_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY highest_fee DESC, t2.species"},
			{"median instead", "SELECT t2.species, CAST(element_at(array_sort(array_agg(t1.fee)), nullif((count(t1.fee) + 1) / 2, 0)) + element_at(array_sort(array_agg(t1.fee)), count(t1.fee) / 2 + 1) AS double) / 2 AS median_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY median_fee DESC, t2.species"},
			{"in total", "either"},
			{"per town instead", "SELECT t3.town, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id JOIN owners AS t3 ON t2.owner_id = t3.owner_id GROUP BY t3.town ORDER BY average_fee DESC, t3.town"},
			{"also by outcome", "SELECT t2.species, t1.outcome, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species, t1.outcome ORDER BY average_fee DESC, t2.species, t1.outcome"},
			{"more than 50", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species HAVING avg(t1.fee) > 50 ORDER BY average_fee DESC, t2.species"},
			{"at least 10 visits", "SELECT t2.species, avg(t1.fee) AS average_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species HAVING count(*) >= 10 ORDER BY average_fee DESC, t2.species"},
			{"without the species", "SELECT avg(fee) AS average_fee FROM visits"},
			{"how does that look per month", "SELECT date_trunc('month', visit_date) AS month, avg(fee) AS average_fee FROM visits GROUP BY date_trunc('month', visit_date) ORDER BY month"},
			{"no, I meant the number of visits", "SELECT t2.species, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY number_of_visits DESC, t2.species"},
			{"what about cats, not dogs", "refused: drop_value not_filtered"},
		}},
		{"clinic", "total fee per month in 2030", [][2]string{
			{"top 3", "SELECT date_trunc('month', visit_date) AS month, sum(fee) AS total_fee FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' GROUP BY date_trunc('month', visit_date) ORDER BY total_fee DESC LIMIT 3"},
			{"and in 2029?", "SELECT date_trunc('month', visit_date) AS month, sum(fee) AS total_fee FROM visits WHERE visit_date >= DATE '2029-01-01' AND visit_date < DATE '2030-01-01' GROUP BY date_trunc('month', visit_date) ORDER BY month"},
			{"as a share", "SELECT date_trunc('month', visit_date) AS month, CAST(sum(fee) AS double) / nullif(sum(sum(fee)) OVER (), 0) AS fee_share_of_total FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' GROUP BY date_trunc('month', visit_date) ORDER BY month"},
			{"reverse the order", "SELECT date_trunc('month', visit_date) AS month, sum(fee) AS total_fee FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' GROUP BY date_trunc('month', visit_date) ORDER BY month DESC"},
		}},
		{"clinic", "Which owners have the most pets?", [][2]string{
			{"make it 5", "SELECT t2.first_name, t2.last_name FROM pets AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id GROUP BY t2.owner_id, t2.first_name, t2.last_name ORDER BY count(*) DESC LIMIT 5"},
			{"the fewest", "SELECT t2.first_name, t2.last_name FROM pets AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id GROUP BY t2.owner_id, t2.first_name, t2.last_name ORDER BY count(*) LIMIT 1"},
			{"only cats", "SELECT t2.first_name, t2.last_name FROM pets AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id WHERE t1.species = 'cat' GROUP BY t2.owner_id, t2.first_name, t2.last_name ORDER BY count(*) DESC LIMIT 1"},
			{"show their towns", "SELECT t2.first_name, t2.last_name, t2.town FROM pets AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id GROUP BY t2.owner_id, t2.first_name, t2.last_name, t2.town ORDER BY count(*) DESC LIMIT 1"},
			{"and in Hull?", "SELECT t2.first_name, t2.last_name FROM pets AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id WHERE t2.town = 'Hull' GROUP BY t2.owner_id, t2.first_name, t2.last_name ORDER BY count(*) DESC LIMIT 1"},
		}},
		{"clinic", "Which owners live in York?", [][2]string{
			{"and in Hull?", "SELECT first_name, last_name FROM owners WHERE town = 'Hull'"},
			{"how many are there?", "SELECT count(*) AS number_of_owners FROM owners WHERE town = 'York'"},
			{"sort by last name", "SELECT first_name, last_name FROM owners WHERE town = 'York' ORDER BY last_name"},
			{"show the town too", "SELECT first_name, last_name, town FROM owners WHERE town = 'York'"},
			{"by town", "refused: set_group no_figure"},
			{"without York", "either"},
		}},
		{"clinic", "top 3 species by total fee", [][2]string{
			{"and the lowest?", "either"},
			{"the lowest one", "SELECT t2.species, sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY total_fee LIMIT 1"},
			{"the lowest 2", "SELECT t2.species, sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY total_fee LIMIT 2"},
			{"since 2030", "SELECT t2.species, sum(t1.fee) AS total_fee FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE t1.visit_date >= DATE '2030-01-01' GROUP BY t2.species ORDER BY total_fee DESC LIMIT 3"},
		}},
		{"clinic", "How many urgent visits were there?", [][2]string{
			{"not urgent", "SELECT count(*) AS number_of_visits FROM visits WHERE is_urgent = FALSE"},
			{"and those that are not urgent?", "SELECT count(*) AS number_of_visits FROM visits WHERE is_urgent = FALSE"},
			{"forget urgent", "SELECT count(*) AS number_of_visits FROM visits"},
		}},
		{"clinic", "How many pets does each town have?", [][2]string{
			{"as a share", "SELECT t2.town, CAST(count(*) AS double) / nullif(sum(count(*)) OVER (), 0) AS pets_share_of_total FROM pets AS t1 JOIN owners AS t2 ON t1.owner_id = t2.owner_id GROUP BY t2.town ORDER BY pets_share_of_total DESC, t2.town"},
		}},
		{"clinic", "How many different outcomes are there?", [][2]string{
			{"and the fee?", "SELECT sum(fee) AS total_fee FROM visits"},
		}},
		{"library", "各城市的平均天数", [][2]string{
			{"那南京呢", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" WHERE "城市" = '南京' GROUP BY "城市" ORDER BY "average_天数" DESC, "城市"`},
			{"只看小说", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" WHERE "图书类别" = '小说' GROUP BY "城市" ORDER BY "average_天数" DESC, "城市"`},
			{"去掉小说", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" WHERE "图书类别" <> '小说' GROUP BY "城市" ORDER BY "average_天数" DESC, "城市"`},
			{"哪个最低", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" GROUP BY "城市" ORDER BY "average_天数" LIMIT 1`},
			{"换成罚款金额", `SELECT "城市", avg("罚款金额_元") AS "average_罚款金额_元" FROM "借阅" GROUP BY "城市" ORDER BY "average_罚款金额_元" DESC, "城市"`},
			{"总和呢", `SELECT "城市", sum("天数") AS "total_天数" FROM "借阅" GROUP BY "城市" ORDER BY "total_天数" DESC, "城市"`},
			{"数量呢", `SELECT "城市", count(*) AS "number_of_借阅" FROM "借阅" GROUP BY "城市" ORDER BY "number_of_借阅" DESC, "城市"`},
			{"改成按性别", `SELECT "性别", avg("天数") AS "average_天数" FROM "借阅" GROUP BY "性别" ORDER BY "average_天数" DESC, "性别"`},
			{"再按性别分", `SELECT "城市", "性别", avg("天数") AS "average_天数" FROM "借阅" GROUP BY "城市", "性别" ORDER BY "average_天数" DESC, "城市", "性别"`},
			{"按月看趋势", `SELECT date_trunc('month', "借阅日期") AS month, avg("天数") AS "average_天数" FROM "借阅" GROUP BY date_trunc('month', "借阅日期") ORDER BY month`},
			{"去年的", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" WHERE "借阅日期" >= DATE '2030-01-01' AND "借阅日期" < DATE '2031-01-01' GROUP BY "城市" ORDER BY "average_天数" DESC, "城市"`},
			{"三月份的呢", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" WHERE "借阅日期" >= DATE '2031-03-01' AND "借阅日期" < DATE '2031-04-01' GROUP BY "城市" ORDER BY "average_天数" DESC, "城市"`},
			{"按从低到高排序", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" GROUP BY "城市" ORDER BY "average_天数", "城市"`},
			{"前2名", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" GROUP BY "城市" ORDER BY "average_天数" DESC LIMIT 2`},
			{"明细", `SELECT "图书类别", "城市", "性别", "借阅日期", "天数", "罚款金额_元", "借阅状态" FROM "借阅" LIMIT 1000`},
			{"我说的不是这个，是罚款金额", `SELECT "城市", avg("罚款金额_元") AS "average_罚款金额_元" FROM "借阅" GROUP BY "城市" ORDER BY "average_罚款金额_元" DESC, "城市"`},
			{"超过10的", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" GROUP BY "城市" HAVING avg("天数") > 10 ORDER BY "average_天数" DESC, "城市"`},
			{"西安除外", `SELECT "城市", avg("天数") AS "average_天数" FROM "借阅" WHERE "城市" <> '西安' GROUP BY "城市" ORDER BY "average_天数" DESC, "城市"`},
			{"为什么最高", "refused: explain causes"},
			{"和去年对比", "refused: compare no_period"},
			{"历史读物的平均天数是多少", "own"},
		}},
		{"library", "女性的罚款金额总和是多少？", [][2]string{
			{"男性呢", `SELECT sum("罚款金额_元") AS "total_罚款金额_元" FROM "借阅" WHERE "性别" = '男'`},
			{"去掉性别限制", `SELECT sum("罚款金额_元") AS "total_罚款金额_元" FROM "借阅"`},
			{"不限性别", `SELECT sum("罚款金额_元") AS "total_罚款金额_元" FROM "借阅"`},
			{"按城市拆分", `SELECT "城市", sum("罚款金额_元") AS "total_罚款金额_元" FROM "借阅" WHERE "性别" = '女' GROUP BY "城市" ORDER BY "total_罚款金额_元" DESC, "城市"`},
			{"哪个城市最高", `SELECT "城市", sum("罚款金额_元") AS "total_罚款金额_元" FROM "借阅" WHERE "性别" = '女' GROUP BY "城市" ORDER BY "total_罚款金额_元" DESC LIMIT 1`},
			{"每个月的", `SELECT date_trunc('month', "借阅日期") AS month, sum("罚款金额_元") AS "total_罚款金额_元" FROM "借阅" WHERE "性别" = '女' GROUP BY date_trunc('month', "借阅日期") ORDER BY month`},
			{"罚款超过10元的有多少", `SELECT count(*) AS "number_of_借阅" FROM "借阅" WHERE "性别" = '女' AND "罚款金额_元" > 10`},
			{"那借阅次数呢", `SELECT count(*) AS "number_of_借阅" FROM "借阅" WHERE "性别" = '女'`},
			{"再加上借阅次数", `SELECT sum("罚款金额_元") AS "total_罚款金额_元", count(*) AS "number_of_借阅" FROM "借阅" WHERE "性别" = '女'`},
			{"and per city?", `SELECT "城市", sum("罚款金额_元") AS "total_罚款金额_元" FROM "借阅" WHERE "性别" = '女' GROUP BY "城市" ORDER BY "total_罚款金额_元" DESC, "城市"`},
			{"only 南京", `SELECT sum("罚款金额_元") AS "total_罚款金额_元" FROM "借阅" WHERE "性别" = '女' AND "城市" = '南京'`},
		}},
	} {
		s := shops[c.in]
		readings, _ := s.reader.Question(c.first, s.view, today).Readings()
		require.NotEmpty(t, readings, c.first)
		prev := readings[0].Intent
		before, err := json.Marshal(prev)
		require.NoError(t, err)
		for _, change := range c.changes {
			t.Run(c.first+" "+change[0], func(t *testing.T) {
				t.Parallel()
				require.Equal(t, change[1], s.change(t, &prev, change[0]))
				after, err := json.Marshal(prev)
				require.NoError(t, err)
				require.Equal(t, string(before), string(after), "the question before stays as it was")
			})
		}
	}
}

// TestATalk changes a question again and again: a condition stays until it is taken
// back.
func TestATalk(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	readings, _ := s.reader.Question("How many visits were there in 2030?", s.view, today).Readings()
	require.NotEmpty(t, readings)
	prev := readings[0].Intent
	for _, turn := range [][2]string{
		{"only dogs", "SELECT count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE t1.visit_date >= DATE '2030-01-01' AND t1.visit_date < DATE '2031-01-01' AND t2.species = 'dog'"},
		{"and cats too", "SELECT count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE t1.visit_date >= DATE '2030-01-01' AND t1.visit_date < DATE '2031-01-01' AND t2.species IN ('dog', 'cat')"},
		{"without dogs", "SELECT count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE t1.visit_date >= DATE '2030-01-01' AND t1.visit_date < DATE '2031-01-01' AND t2.species = 'cat'"},
		{"按月看", "SELECT date_trunc('month', t1.visit_date) AS month, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE t1.visit_date >= DATE '2030-01-01' AND t1.visit_date < DATE '2031-01-01' AND t2.species = 'cat' GROUP BY date_trunc('month', t1.visit_date) ORDER BY month"},
		{"by outcome instead", "SELECT t1.outcome, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id WHERE t1.visit_date >= DATE '2030-01-01' AND t1.visit_date < DATE '2031-01-01' AND t2.species = 'cat' GROUP BY t1.outcome ORDER BY number_of_visits DESC, t1.outcome"},
		{"for all species", "SELECT outcome, count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' GROUP BY outcome ORDER BY number_of_visits DESC, outcome"},
		{"the average fee instead", "SELECT outcome, avg(fee) AS average_fee FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' GROUP BY outcome ORDER BY average_fee DESC, outcome"},
		{"over 50", "SELECT outcome, avg(fee) AS average_fee FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' GROUP BY outcome HAVING avg(fee) > 50 ORDER BY average_fee DESC, outcome"},
		{"the lowest one", "SELECT outcome, avg(fee) AS average_fee FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' GROUP BY outcome HAVING avg(fee) > 50 ORDER BY average_fee LIMIT 1"},
		{"for all time", "SELECT outcome, avg(fee) AS average_fee FROM visits GROUP BY outcome HAVING avg(fee) > 50 ORDER BY average_fee LIMIT 1"},
	} {
		require.Equal(t, turn[1], s.change(t, &prev, turn[0]), turn[0])
		prev = s.reader.Change(turn[0], &prev, s.view, today)[0].Intent
	}
}

// TestTimeIsThatOfWhatIsCounted dates visits, not the pets that they are shown by.
func TestTimeIsThatOfWhatIsCounted(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	name := intent.Field{Kind: intent.KindDimension, ID: s.view.Tables[1].Column("name").ID}
	visits := intent.Output{Agg: intent.AggCount, Field: intent.Field{Kind: intent.KindEntity, ID: s.view.Tables[2].ID}}
	prev := intent.Intent{Entity: s.view.Tables[1].ID, Select: []intent.Output{{Field: name}, visits}, GroupBy: []intent.Field{name}, OrderBy: []intent.Order{{By: visits, Desc: true}}, Limit: 3}
	got := s.change(t, &prev, "in 2030")
	require.Contains(t, got, "t2.visit_date >= DATE '2030-01-01'")
	require.NotContains(t, got, "born")
}

// TestAGuessIsNotAsSureAsANamedChange compares what changes leave in doubt.
func TestAGuessIsNotAsSureAsANamedChange(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	readings, _ := s.reader.Question("How many visits were there in 2030?", s.view, today).Readings()
	require.NotEmpty(t, readings)
	doubt := func(said string) float64 { return s.reader.Change(said, &readings[0].Intent, s.view, today)[0].Doubt }
	require.Zero(t, doubt("the average fee instead"))
	require.Positive(t, doubt("and the fee?"), "nobody said that it is added up")
	require.Greater(t, doubt("by town"), doubt("by outcome"), "each join may be another one")
}

// FuzzChange reads any text after a question: nothing panics, and the question stays.
func FuzzChange(f *testing.F) {
	for _, said := range []string{"only dogs by month top 3 without cats", "按月 再加上 dog 前3名", "the year before, reversed, as a share", "and and also not in 2030 instead of", "\xff 列出来 \x00 所有 species"} {
		f.Add(said)
	}
	tables := clinic()
	f.Fuzz(func(t *testing.T, said string) {
		if len(said) > 200 {
			t.Skip("longer than what is read as a change")
		}
		s := open(t, tables...)
		readings, _ := s.reader.Question("average fee by species in 2030", s.view, today).Readings()
		require.NotEmpty(t, readings)
		prev := readings[0].Intent
		before, err := json.Marshal(prev)
		require.NoError(t, err)
		for _, x := range s.reader.Change(said, &prev, s.view, today) {
			require.True(t, x.Refused != nil || len(x.Intent.Select) > 0)
			require.True(t, x.Refused != nil || len(x.Unread) > 0 || len(x.Edits) > 0, "a change says what it changes")
		}
		after, err := json.Marshal(prev)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after))
	})
}
