package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// toolshed lends tools to members at branches; members name who brought them.
func toolshed() []catalog.Table {
	pointer := func(column, table, ref string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{column}, RefTable: catalog.Name{Table: table}, RefColumns: []string{ref}}
	}
	many := func(name string, n int64) catalog.Column {
		return catalog.Column{Name: name, Type: "bigint", Distinct: n}
	}
	return []catalog.Table{
		{Name: catalog.Name{Table: "branches"}, RowCount: 6, Columns: []catalog.Column{key("branch_id"), {Name: "branch_name", Type: "varchar", Distinct: 6, Samples: []string{"Harbour", "Mill Lane"}}, texts("setting", "urban", "rural")}},
		{Name: catalog.Name{Table: "tools"}, RowCount: 80, Columns: []catalog.Column{key("tool_id"), {Name: "tool_name", Type: "varchar", Distinct: 80, Samples: []string{"Jigsaw", "Chain hoist"}}, texts("category", "cutting", "lifting"), col("power_kw", "double"), col("weight_kg", "double")}},
		{
			Name: catalog.Name{Table: "members"}, RowCount: 500, Columns: []catalog.Column{key("member_id"), col("full_name", "varchar"), many("home_branch_id", 6), many("introducer_id", 90), col("signup_date", "date"), col("phone", "varchar")},
			ForeignKeys: []catalog.ForeignKey{pointer("home_branch_id", "branches", "branch_id"), pointer("introducer_id", "members", "member_id")},
		},
		{
			Name: catalog.Name{Table: "loans"}, RowCount: 4000, Columns: []catalog.Column{key("loan_id"), many("member_id", 400), many("tool_id", 80), many("branch_id", 6), {Name: "lent_on", Type: "date", NotNull: true}, {Name: "returned_on", Type: "date"}, {Name: "paid_on", Type: "date"}, col("fee_eur", "decimal(10,2)"), texts("loan_type", "private", "trade"), texts("outcome", "fine", "damaged", "lost")},
			ForeignKeys: []catalog.ForeignKey{to("member_id", "members"), to("tool_id", "tools"), to("branch_id", "branches")},
		},
	}
}

// driving is a school whose pupils have lessons with instructors and take exams.
func driving() []catalog.Table {
	number := func(name string) catalog.Column {
		return catalog.Column{Name: name, Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 400}
	}
	return []catalog.Table{
		{Name: catalog.Name{Table: "教练"}, RowCount: 40, Columns: []catalog.Column{number("教练编号"), col("教练姓名", "varchar"), texts("所属分部", "东区", "西区")}},
		{
			Name: catalog.Name{Table: "考试记录"}, RowCount: 3000, Columns: []catalog.Column{
				number("考试编号"), {Name: "教练编号", Type: "bigint", NotNull: true, Distinct: 40}, col("考试日期", "date"), texts("考试科目", "倒车", "路面"), texts("考试结果", "通过", "未到"), texts("报考证型", "C1", "C2"),
				{Name: "补考费", Type: "decimal(10,2)", NotNull: true, Distinct: 9}, {Name: "报名费", Type: "decimal(10,2)", NotNull: true, Distinct: 9},
			},
			ForeignKeys: []catalog.ForeignKey{to("教练编号", "教练")},
		},
	}
}

// TestWhatHappenedBetweenThings: things that meet in a table of events only are asked for by a verb,
// and what is counted is what happened.
func TestWhatHappenedBetweenThings(t *testing.T) {
	t.Parallel()
	agree(t, open(t, toolshed()...), map[string]string{
		"Which branch lends the most tools?":                    "SELECT t2.branch_name FROM loans AS t1 JOIN branches AS t2 ON t1.branch_id = t2.branch_id GROUP BY t2.branch_id, t2.branch_name ORDER BY count(*) DESC LIMIT 1",
		"Who rented the most tools in 2025?":                    "SELECT t2.full_name FROM loans AS t1 JOIN members AS t2 ON t1.member_id = t2.member_id WHERE t1.lent_on >= DATE '2025-01-01' AND t1.lent_on < DATE '2026-01-01' GROUP BY t2.member_id, t2.full_name ORDER BY count(*) DESC LIMIT 1",
		"How many tools did Harbour lend in 2025?":              "SELECT count(*) AS number_of_loans FROM loans AS t1 JOIN branches AS t2 ON t1.branch_id = t2.branch_id WHERE t2.branch_name = 'Harbour' AND t1.lent_on >= DATE '2025-01-01' AND t1.lent_on < DATE '2026-01-01'",
		"How often was the Jigsaw rented at Harbour?":           "SELECT count(*) AS number_of_loans FROM loans AS t1 JOIN tools AS t2 ON t1.tool_id = t2.tool_id JOIN branches AS t3 ON t1.branch_id = t3.branch_id WHERE t2.tool_name = 'Jigsaw' AND t3.branch_name = 'Harbour'",
		"Who took out the most tools in 2025?":                  "SELECT t2.full_name FROM loans AS t1 JOIN members AS t2 ON t1.member_id = t2.member_id WHERE t1.lent_on >= DATE '2025-01-01' AND t1.lent_on < DATE '2026-01-01' GROUP BY t2.member_id, t2.full_name ORDER BY count(*) DESC LIMIT 1",
		"Which members borrowed at least 10 tools?":             "SELECT t2.full_name FROM loans AS t1 JOIN members AS t2 ON t1.member_id = t2.member_id GROUP BY t2.member_id, t2.full_name HAVING count(*) >= 10",
		"Which members borrowed three or more different tools?": "SELECT t2.full_name FROM loans AS t1 JOIN members AS t2 ON t1.member_id = t2.member_id GROUP BY t2.member_id, t2.full_name HAVING count(DISTINCT t1.tool_id) >= 3",
		"members who never borrowed a tool":                     "SELECT t1.full_name FROM members AS t1 WHERE NOT EXISTS (SELECT 1 FROM loans AS t2 WHERE t1.member_id = t2.member_id)",
		"Who signed up in 2025?":                                "SELECT full_name FROM members WHERE signup_date >= DATE '2025-01-01' AND signup_date < DATE '2026-01-01'",
		"How many members signed up in 2025?":                   "SELECT count(*) AS number_of_members FROM members WHERE signup_date >= DATE '2025-01-01' AND signup_date < DATE '2026-01-01'",
		"How many unpaid loans are there?":                      "SELECT count(*) AS number_of_loans FROM loans WHERE paid_on IS NULL",
		"how many loans are still unpaid":                       "SELECT count(*) AS number_of_loans FROM loans WHERE paid_on IS NULL",
		"How many loans haven't been returned yet?":             "SELECT count(*) AS number_of_loans FROM loans WHERE returned_on IS NULL",
		"number of members per home branch":                     "SELECT t2.branch_name, count(*) AS number_of_members FROM members AS t1 JOIN branches AS t2 ON t1.home_branch_id = t2.branch_id GROUP BY t2.branch_id, t2.branch_name ORDER BY number_of_members DESC, t2.branch_name",
		"number of members per home branch id":                  "SELECT home_branch_id, count(*) AS number_of_members FROM members GROUP BY home_branch_id ORDER BY number_of_members DESC, home_branch_id",
		"How many loans were there at Harbour?":                 "SELECT count(*) AS number_of_loans FROM loans AS t1 JOIN branches AS t2 ON t1.branch_id = t2.branch_id WHERE t2.branch_name = 'Harbour'",
	})
	s := open(t, toolshed()...)
	for _, question := range []string{"How many members visited Harbour in 2025?", "Which members rented damaged tools?"} {
		_, x := s.ask(t, question)
		require.NotEmpty(t, x.Unread, question)
	}
}

// TestThoseThatOthersPointTo: rows of a table that name others of it.
func TestThoseThatOthersPointTo(t *testing.T) {
	t.Parallel()
	agree(t, open(t, toolshed()...), map[string]string{
		"Who introduced the most people?":              "SELECT full_name FROM members WHERE member_id = (SELECT introducer_id FROM members WHERE introducer_id IS NOT NULL GROUP BY introducer_id ORDER BY count(*) DESC LIMIT 1)",
		"Which members introduced at least 5 members?": "SELECT full_name FROM members WHERE member_id IN (SELECT introducer_id FROM members WHERE introducer_id IS NOT NULL GROUP BY introducer_id HAVING count(*) >= 5)",
	})
	_, x := open(t, toolshed()...).ask(t, "Who introduced the fewest members in 2025?")
	require.NotEmpty(t, x.Unread, "the year may be that of either")
}

// TestPartsAndFirsts: rates of stored values, ratios, the first of each group, and what many rows of
// each come to.
func TestPartsAndFirsts(t *testing.T) {
	t.Parallel()
	agree(t, open(t, toolshed()...), map[string]string{
		"Which members have a damaged rate over 10%?":                                  "SELECT t2.full_name FROM loans AS t1 JOIN members AS t2 ON t1.member_id = t2.member_id GROUP BY t2.member_id, t2.full_name HAVING CAST(count_if(t1.outcome = 'damaged') AS double) / nullif(count(*), 0) > 0.1",
		"Ratio of private loans to trade loans":                                        "SELECT CAST(count_if(loan_type = 'private') AS double) / nullif(count_if(loan_type = 'trade'), 0) AS ratio FROM loans",
		"What is the ratio of damaged to lost?":                                        "SELECT CAST(count_if(outcome = 'damaged') AS double) / nullif(count_if(outcome = 'lost'), 0) AS ratio FROM loans",
		"Within each setting, which branch had the most loans?":                        "SELECT setting, branch_name, number_of_loans FROM (SELECT t2.setting AS setting, t2.branch_name AS branch_name, count(*) AS number_of_loans, rank() OVER (PARTITION BY t2.setting ORDER BY count(*) DESC) AS place_no FROM loans AS t1 JOIN branches AS t2 ON t1.branch_id = t2.branch_id GROUP BY t2.branch_id, t2.branch_name, t2.setting) AS ranked WHERE place_no <= 1 ORDER BY setting, place_no",
		"Which tool was the most popular in each branch?":                              "SELECT branch_name, tool_name, number_of_loans FROM (SELECT t2.branch_name AS branch_name, t3.tool_name AS tool_name, count(*) AS number_of_loans, rank() OVER (PARTITION BY t2.branch_id, t2.branch_name ORDER BY count(*) DESC) AS place_no FROM loans AS t1 JOIN branches AS t2 ON t1.branch_id = t2.branch_id JOIN tools AS t3 ON t1.tool_id = t3.tool_id GROUP BY t3.tool_id, t3.tool_name, t2.branch_id, t2.branch_name) AS ranked WHERE place_no <= 1 ORDER BY branch_name, place_no",
		"What is the heaviest tool in each category?":                                  "SELECT category, tool_name, weight_kg FROM (SELECT category AS category, tool_name AS tool_name, weight_kg AS weight_kg, rank() OVER (PARTITION BY category ORDER BY weight_kg DESC) AS place_no FROM tools) AS ranked WHERE place_no <= 1 ORDER BY category, place_no",
		"How many members had at least 10 loans?":                                      "SELECT count(*) AS number_of_members FROM (SELECT t1.member_id FROM members AS t1 JOIN loans AS t2 ON t1.member_id = t2.member_id GROUP BY t1.member_id HAVING count(*) >= 10) AS grouped",
		"How many members have an average fee over 12?":                                "SELECT count(*) AS number_of_members FROM (SELECT t1.member_id FROM members AS t1 JOIN loans AS t2 ON t1.member_id = t2.member_id GROUP BY t1.member_id HAVING avg(CAST(t2.fee_eur AS double)) > 12) AS grouped",
		"categories with an average weight over 12":                                    "SELECT category FROM tools GROUP BY category HAVING avg(weight_kg) > 12",
		"total power in kW per category":                                               "SELECT category, sum(power_kw) AS total_power_kw FROM tools GROUP BY category ORDER BY total_power_kw DESC, category",
		"members with a phone":                                                         "SELECT full_name FROM members WHERE phone IS NOT NULL",
		"list members with their phone":                                                "SELECT full_name, phone FROM members",
		"What share of loans at Harbour were damaged?":                                 "SELECT CAST(count_if(t1.outcome = 'damaged') AS double) / nullif(count(*), 0) AS damaged_share FROM loans AS t1 JOIN branches AS t2 ON t1.branch_id = t2.branch_id WHERE t2.branch_name = 'Harbour'",
		"share of damaged loans that are private":                                      "SELECT CAST(count_if(loan_type = 'private') AS double) / nullif(count(*), 0) AS private_share FROM loans WHERE outcome = 'damaged'",
		"How did the total fee develop by month?":                                      "SELECT date_trunc('month', lent_on) AS month, sum(fee_eur) AS total_fee_eur FROM loans GROUP BY date_trunc('month', lent_on) ORDER BY month",
		"On average, how many days pass between a loan being lent and being returned?": "SELECT avg(date_diff('day', lent_on, returned_on)) AS average_days_from_lent_on_to_returned_on FROM loans",
	})
	agree(t, open(t, driving()...), map[string]string{
		"倒车的通过率是多少":        "SELECT CAST(count_if(\"考试结果\" = '通过') AS double) / nullif(count(*), 0) AS \"通过_share\" FROM \"考试记录\" WHERE \"考试科目\" = '倒车'",
		"哪个教练路面的通过率最低":     "SELECT t2.\"教练姓名\" FROM \"考试记录\" AS t1 JOIN \"教练\" AS t2 ON t1.\"教练编号\" = t2.\"教练编号\" WHERE t1.\"考试科目\" = '路面' GROUP BY t2.\"教练编号\", t2.\"教练姓名\" ORDER BY CAST(count_if(t1.\"考试结果\" = '通过') AS double) / nullif(count(*), 0) LIMIT 1",
		"通过率低于50%的教练有哪些":   "SELECT t2.\"教练姓名\" FROM \"考试记录\" AS t1 JOIN \"教练\" AS t2 ON t1.\"教练编号\" = t2.\"教练编号\" GROUP BY t2.\"教练编号\", t2.\"教练姓名\" HAVING CAST(count_if(t1.\"考试结果\" = '通过') AS double) / nullif(count(*), 0) < 0.5",
		"补考费一共收了多少":        "SELECT sum(\"补考费\") AS \"total_补考费\" FROM \"考试记录\"",
		"每个分部里考试次数最多的教练是谁": "SELECT \"所属分部\", \"教练姓名\", \"number_of_考试记录\" FROM (SELECT t2.\"所属分部\" AS \"所属分部\", t2.\"教练姓名\" AS \"教练姓名\", count(*) AS \"number_of_考试记录\", rank() OVER (PARTITION BY t2.\"所属分部\" ORDER BY count(*) DESC) AS place_no FROM \"考试记录\" AS t1 JOIN \"教练\" AS t2 ON t1.\"教练编号\" = t2.\"教练编号\" GROUP BY t2.\"教练编号\", t2.\"教练姓名\", t2.\"所属分部\") AS ranked WHERE place_no <= 1 ORDER BY \"所属分部\", place_no",
		"报C2的考试有多少次":       "SELECT count(*) AS \"number_of_考试记录\" FROM \"考试记录\" WHERE \"报考证型\" = 'C2'",
		"通过和未到的比例":         "SELECT CAST(count_if(\"考试结果\" = '通过') AS double) / nullif(count_if(\"考试结果\" = '未到'), 0) AS ratio FROM \"考试记录\"",
	})
}

// TestWhoseValueAndWhatAmount: a value that more tables have is of the one that is named, and a word
// of money names no number of days.
func TestWhoseValueAndWhatAmount(t *testing.T) {
	t.Parallel()
	town := texts("town", "Bern", "Basel")
	days := catalog.Column{Name: "payment_terms_days", Type: "bigint", NotNull: true, Distinct: 4, Unit: "days"}
	pointer := func(name string) catalog.Column {
		return catalog.Column{Name: name, Type: "bigint", NotNull: true, Distinct: 40}
	}
	s := open(t,
		catalog.Table{Name: catalog.Name{Table: "halls"}, RowCount: 40, Columns: []catalog.Column{key("hall_id"), col("hall_name", "varchar"), town}},
		catalog.Table{Name: catalog.Name{Table: "guests"}, RowCount: 300, Columns: []catalog.Column{key("guest_id"), col("guest_name", "varchar"), town, days}},
		catalog.Table{Name: catalog.Name{Table: "bookings"}, RowCount: 4000, Columns: []catalog.Column{key("booking_id"), pointer("hall_id"), pointer("guest_id"), col("booked_on", "date")}, ForeignKeys: []catalog.ForeignKey{to("hall_id", "halls"), to("guest_id", "guests")}},
	)
	agree(t, s, map[string]string{
		"How many bookings did halls in Bern have?":  "SELECT count(*) AS number_of_bookings FROM bookings AS t1 JOIN halls AS t2 ON t1.hall_id = t2.hall_id WHERE t2.town = 'Bern'",
		"How many bookings did guests in Bern have?": "SELECT count(*) AS number_of_bookings FROM bookings AS t1 JOIN guests AS t2 ON t1.guest_id = t2.guest_id WHERE t2.town = 'Bern'",
	})
	got, _ := s.ask(t, "revenue by town")
	require.NotContains(t, got, "payment_terms_days")
	require.Equal(t, "以外的", s.reader.Question("Bern以外的halls有多少", s.view, today).Demands().Deny)
}

// agree asks questions and compares their SQL; no word of theirs is unread.
func agree(t *testing.T, s shop, cases map[string]string) {
	t.Helper()
	for question, want := range cases {
		got, x := s.ask(t, question)
		require.Equal(t, want, got, question)
		require.Empty(t, x.Unread, question)
	}
}
