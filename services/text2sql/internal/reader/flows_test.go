package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// ledger is an account of a club, with what came in and what went out.
func ledger() catalog.Table {
	return catalog.Table{Name: catalog.Name{Table: "ledger"}, RowCount: 800, Columns: []catalog.Column{
		{Name: "Day", Type: "date", NotNull: true, Distinct: 300},
		texts("Purpose", "Rent", "Dues", "Coaching"),
		{Name: "Money In", Type: "double", Distinct: 200}, {Name: "Money Out", Type: "double", Distinct: 300}, {Name: "Balance", Type: "double", NotNull: true, Distinct: 780},
	}}
}

// TestMoneyGoesItsWay: what was spent is what went out, what was received is what came in, whatever of the
// columns is called by more of the word.
func TestMoneyGoesItsWay(t *testing.T) {
	t.Parallel()
	english := open(t, ledger())
	chinese := open(t, catalog.Table{Name: catalog.Name{Table: "流水"}, RowCount: 800, Columns: []catalog.Column{
		{Name: "日期", Type: "date", NotNull: true, Distinct: 300}, texts("用途", "房租", "会费"),
		{Name: "收入金额", Type: "double", Distinct: 200}, {Name: "支出金额", Type: "double", Distinct: 300},
	}})
	for _, c := range []struct {
		over          shop
		question, sql string
	}{
		{english, "How much did we spend on rent?", `SELECT sum("Money Out") AS total_money_out FROM ledger WHERE Purpose = 'Rent'`},
		{english, "How much did we receive in dues?", `SELECT sum("Money In") AS total_money_in FROM ledger WHERE Purpose = 'Dues'`},
		{english, "spending per purpose, biggest first", `SELECT Purpose, sum("Money Out") AS total_money_out FROM ledger GROUP BY Purpose ORDER BY total_money_out DESC`},
		{chinese, "房租一共花了多少？", `SELECT sum("支出金额") AS "total_支出金额" FROM "流水" WHERE "用途" = '房租'`},
	} {
		sql, read := c.over.ask(t, c.question)
		require.Equal(t, c.sql, sql, "%s: %+v", c.question, read.Notes)
	}
}

// TestOneWayIsNoChoice: where one column alone says a way, words for money are no name of it.
func TestOneWayIsNoChoice(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "trips"}, RowCount: 90, Columns: []catalog.Column{
		texts("Driver", "Ann", "Ben"), {Name: "Km Out", Type: "double", Distinct: 60}, {Name: "Fuel Cost", Type: "double", Distinct: 60},
	}})
	sql, _ := s.ask(t, "How much did Ann spend?")
	require.NotContains(t, sql, "Km Out")

	stock := open(t, catalog.Table{Name: catalog.Name{Table: "moves"}, RowCount: 90, Columns: []catalog.Column{ // pieces go in and out, beside what they cost
		texts("Item", "Bolt", "Nut"), {Name: "Stock In", Type: "bigint", Distinct: 60}, {Name: "Stock Out", Type: "bigint", Distinct: 60}, {Name: "Unit Cost", Type: "double", Distinct: 60},
	}})
	sql, _ = stock.ask(t, "How much did we spend on bolt?")
	require.NotContains(t, sql, "Stock")
}

// TestTimesAreRows: how often something was are rows, and no different values of what it is of; an amount
// asked of a value that is money is summed.
func TestTimesAreRows(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "保养记录"}, RowCount: 900, Columns: []catalog.Column{
		texts("门店", "东店", "西店"), texts("保养类型", "小保养", "大保养"), texts("收费项目", "工时费", "材料费"), {Name: "金额(元)", Type: "double", NotNull: true, Distinct: 500},
		{Name: "日期", Type: "date", NotNull: true, Distinct: 300},
	}})
	for _, c := range []struct{ question, sql string }{
		{"每个门店的保养次数", `SELECT "门店", count(*) AS "number_of_保养记录" FROM "保养记录" GROUP BY "门店" ORDER BY "number_of_保养记录" DESC, "门店"`},
		{"2024年的工时费是多少？", `SELECT sum("金额(元)") AS "total_金额_元" FROM "保养记录" WHERE "收费项目" = '工时费' AND "日期" >= DATE '2024-01-01' AND "日期" < DATE '2025-01-01'`},
		{"工时费有多少笔？", `SELECT count(*) AS "number_of_保养记录" FROM "保养记录" WHERE "收费项目" = '工时费'`},
	} {
		sql, read := s.ask(t, c.question)
		require.Equal(t, c.sql, sql, "%s: %+v", c.question, read.Notes)
	}
}

// TestACauseIsNoVerb: a noun that may be a verb is one before "of", and is not passed over.
func TestACauseIsNoVerb(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "outages"}, RowCount: 300, Columns: []catalog.Column{
		texts("Delay", "short", "long"), texts("Line", "North", "South"),
	}})
	list, _ := s.reader.Question("What was the most common cause of delay?", s.view, today).Readings()
	for _, x := range list {
		require.Contains(t, x.Unread, "cause")
	}
}

// TestTheMostDifferentThings: it is counted how many of them each has that is asked for.
func TestTheMostDifferentThings(t *testing.T) {
	t.Parallel()
	s := open(t,
		catalog.Table{Name: catalog.Name{Table: "growers"}, RowCount: 9, Columns: []catalog.Column{key("grower_id"), texts("grower_name", "Hill", "Dale")}},
		catalog.Table{Name: catalog.Name{Table: "seeds"}, RowCount: 90, Columns: []catalog.Column{key("seed_id"), texts("seed_name", "Kale", "Leek"), col("grower_id", "bigint")}, ForeignKeys: []catalog.ForeignKey{to("grower_id", "growers")}},
	)
	sql, read := s.ask(t, "Which grower do we get the most different seeds from?")
	require.Contains(t, sql, "SELECT t2.grower_name FROM seeds AS t1 JOIN growers AS t2", "%+v", read.Notes)
}

// TestNobodyDenies: what nobody did has none of it, and is not what somebody did.
func TestNobodyDenies(t *testing.T) {
	t.Parallel()
	s := open(t,
		catalog.Table{Name: catalog.Name{Table: "tours"}, RowCount: 30, Columns: []catalog.Column{key("tour_id"), texts("tour_name", "Coast", "Peak")}},
		catalog.Table{Name: catalog.Name{Table: "bookings"}, RowCount: 900, Columns: []catalog.Column{key("booking_id"), col("tour_id", "bigint"), col("booked_on", "date")}, ForeignKeys: []catalog.ForeignKey{to("tour_id", "tours")}},
	)
	for _, question := range []string{"list the tours nobody ever booked", "Which tours has no one booked?"} {
		list, _ := s.reader.Question(question, s.view, today).Readings()
		for _, x := range list {
			stmt, err := s.gen.Statement(&x.Intent)
			if err == nil && len(x.Unread) == 0 {
				require.NotContains(t, printer.Print(stmt), "WHERE EXISTS", question)
			}
		}
	}
	sql, read := s.ask(t, "list the tours nobody ever booked")
	require.Contains(t, sql, "NOT EXISTS", "%+v", read.Notes)
}

// TestTheLastIsNoVerb: behind an article stands no verb, so that the last of a time is not all of it.
func TestTheLastIsNoVerb(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "matches"}, RowCount: 60, Columns: []catalog.Column{
		{Name: "opponent", Type: "varchar", NotNull: true, Distinct: 40, Samples: []string{"Reds", "Blues"}}, {Name: "played_on", Type: "date", NotNull: true, Distinct: 60},
	}})
	sql, read := s.ask(t, "Who was the last opponent of 2024?")
	require.Contains(t, sql, "ORDER BY max(played_on) DESC LIMIT 1", "%+v", read.Notes)
}

// TestWhatIsOwedIsNoNumber: where a bill has what is due and what was paid, who owes the most is not told by how many
// bills there are.
func TestWhatIsOwedIsNoNumber(t *testing.T) {
	t.Parallel()
	s := open(t,
		catalog.Table{Name: catalog.Name{Table: "租户"}, RowCount: 40, Columns: []catalog.Column{key("租户编号"), texts("租户姓名", "张三", "李四")}},
		catalog.Table{Name: catalog.Name{Table: "账单"}, RowCount: 900, Columns: []catalog.Column{
			key("账单编号"), col("租户编号", "bigint"), {Name: "应缴金额", Type: "double", Distinct: 400}, {Name: "实缴金额", Type: "double", Distinct: 400},
			{Name: "缴费日期", Type: "date", Distinct: 300},
		}, ForeignKeys: []catalog.ForeignKey{to("租户编号", "租户")}},
	)
	sql, _ := s.ask(t, "欠费最多的5个租户是谁？")
	require.NotContains(t, sql, "count(*)")
}

// TestPerIsNoPerson: the word of a rate in a name is no short form of people.
func TestPerIsNoPerson(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "answers"}, RowCount: 600, Columns: []catalog.Column{
		{Name: "Hours slept per night", Type: "double", Distinct: 20}, texts("Wakes rested", "Often", "Rarely"),
	}})
	sql, _ := s.ask(t, "How many people answered often?")
	require.NotContains(t, sql, "slept")
}

// TestPolitenessCarriesNothing: greetings and wishes to know leave nothing unread.
func TestPolitenessCarriesNothing(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "walks"}, RowCount: 90, Columns: []catalog.Column{key("walk_id"), texts("Guide", "Ann", "Ben"), col("price_eur", "double")}})
	for _, question := range []string{
		"Hi, I'd like to know how many walks there are per guide", "Hello, I would like to see the number of walks per guide", "hey, how many walks per guide are in here?", "你好，每个 guide 有多少 walks？",
	} {
		sql, read := s.ask(t, question)
		require.Empty(t, read.Unread, "%s: %s", question, sql)
		require.Contains(t, sql, "SELECT Guide, count(*)", question)
	}
}
