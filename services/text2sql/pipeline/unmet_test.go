package pipeline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// TestWhatStatementsDo: what demands look for in a statement.
func TestWhatStatementsDo(t *testing.T) {
	t.Parallel()
	s := &Schema{tables: []catalog.Table{{Name: catalog.Name{Table: "t"}, Columns: []catalog.Column{
		{Name: "id", Type: "bigint", PrimaryKey: true}, {Name: "name", Type: "varchar"}, {Name: "fee", Type: "double"}, {Name: "late", Type: "boolean"}, {Name: "tax_rate", Type: "double"},
	}}}}
	for sql, want := range map[string]struct{ picks, divides, numbers bool }{
		"SELECT name FROM t WHERE fee <> 3":                                                   {},
		"SELECT DISTINCT name FROM t WHERE fee <> 3":                                          {picks: true},
		"SELECT name FROM t WHERE fee <> 3 GROUP BY name":                                     {picks: true},
		"SELECT count(DISTINCT name) FROM t WHERE fee <> 3":                                   {picks: true},
		"SELECT name FROM t GROUP BY name HAVING count_if(fee = 3) = 0":                       {},
		"SELECT DISTINCT name FROM t AS a WHERE NOT EXISTS (SELECT 1 FROM t WHERE id = a.id)": {},
		"SELECT DISTINCT name FROM t WHERE id NOT IN (SELECT id FROM t)":                      {},
		"SELECT name FROM t EXCEPT SELECT name FROM t WHERE fee = 3":                          {},
		"SELECT CAST(count_if(late) AS double) / count(*) FROM t":                             {divides: true},
		"SELECT avg(fee) FROM t":                                                              {divides: true},
		"SELECT max(tax_rate) FROM t":                                                         {divides: true},
		"SELECT count(*) FROM t":                                                              {},
		"SELECT fee FROM t":                                                                   {numbers: true},
		"SELECT late, fee FROM t":                                                             {numbers: true},
		"SELECT name, fee FROM t":                                                             {},
		"SELECT id FROM t":                                                                    {},
		"SELECT sum(fee) FROM t":                                                              {},
		"SELECT fee + 1 FROM t":                                                               {},
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		require.Equal(t, want.picks, picksRows(stmt), "picks rows: %s", sql)
		require.Equal(t, want.divides, s.divides(stmt), "divides: %s", sql)
		require.Equal(t, want.numbers, s.listsNumbersAlone(stmt), "lists numbers alone: %s", sql)
	}
	for sql, want := range map[string]bool{
		"SELECT 1 FROM t WHERE d >= DATE '2030-05-01' AND d >= DATE '2030-04-01' AND d < DATE '2030-05-01'":     true,
		"SELECT 1 FROM t WHERE d >= DATE '2030-05-01' AND d < DATE '2030-06-01'":                                false,
		"SELECT 1 FROM t WHERE (d >= DATE '2030-05-01') OR d < DATE '2030-04-01'":                               false,
		"SELECT 1 FROM t WHERE d >= DATE '2030-05-01' AND e < DATE '2030-04-01'":                                false,
		"SELECT 1 FROM t WHERE d < DATE '2030-05-01' AND d < DATE '2030-08-01' AND d > DATE '2030-06-01' AND x": true,
		"SELECT 1 FROM t": false,
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		require.Equal(t, want, noDay(stmt), sql)
	}
	for sql, want := range map[string]string{
		"SELECT 1 FROM t WHERE fee > 40 AND fee < 30":                                                "30",
		"SELECT 1 FROM t WHERE fee > 30 AND fee < 40":                                                "",
		"SELECT 1 FROM t WHERE fee >= 30 AND fee <= 30":                                              "",
		"SELECT 1 FROM t WHERE fee > 40 AND id < 30":                                                 "",
		"SELECT 1 FROM t WHERE (fee > 40 OR fee < 30)":                                               "",
		"SELECT 1 FROM t WHERE name IN (SELECT name FROM t WHERE fee > 4 AND fee > 9 AND fee < 5.5)": "5.5",
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		require.Equal(t, want, noNumber(stmt), sql)
	}
	channel, kind := intent.Field{Kind: intent.KindDimension, ID: "t.channel"}, intent.Field{Kind: intent.KindDimension, ID: "t.kind"}
	rate := intent.Output{Agg: intent.AggRate, Field: channel, Value: "phone"}
	require.True(t, sharesItself(&intent.Intent{GroupBy: []intent.Field{channel}, Select: []intent.Output{{Field: channel}, rate}}))
	require.False(t, sharesItself(&intent.Intent{GroupBy: []intent.Field{kind}, Select: []intent.Output{{Field: kind}, rate}}))
}

// TestStatementsOfWhatIsMissing: what is missing is not found by what is there, and the most
// fines are not the highest sum of them.
func TestStatementsOfWhatIsMissing(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]bool{
		"SELECT 1 FROM t WHERE a IS NULL":                    true,
		"SELECT 1 FROM t WHERE a IS NOT NULL":                false,
		"SELECT 1 FROM t WHERE NOT EXISTS (SELECT 1 FROM u)": true,
		"SELECT 1 FROM t WHERE a = 'not known'":              true,
		"SELECT 1 FROM t WHERE a = 'Not Known yet'":          true,
		"SELECT 1 FROM t WHERE a = 'known'":                  false,
		"SELECT count(a) FROM t":                             false,
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		require.Equal(t, want, lacks(stmt, "not known"), sql)
	}
	p, err := New(Config{})
	require.NoError(t, err)
	schema := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "t"}, Columns: []catalog.Column{
		{Name: "Fine", Type: "double", Unit: "USD"}, {Name: "weight", Type: "double", Unit: "kg"}, {Name: "sales", Type: "double", Unit: "USD"},
	}}}, nil)
	for _, c := range []struct{ question, sql, want string }{
		{"Which street got the most fines?", "SELECT sum(fine) FROM t", "fines"},
		{"Which street got the most fines?", "SELECT count(*) FROM t", ""},
		{"Which street got the highest fine?", "SELECT sum(fine) FROM t", ""},
		{"Which street has the most weights?", "SELECT sum(weight) FROM t", ""},
		{"Which street has the most sales?", "SELECT sum(sales) FROM t", ""},
	} {
		stmt, err := parser.Parse(c.sql)
		require.NoError(t, err)
		require.Equal(t, c.want, schema.addedUp(stmt, c.question), c.question)
	}
}

// TestStatementsOfWhoAndWhich: what asks which of many, or who, and of which things a part is
// asked for, is seen in a statement.
func TestStatementsOfWhoAndWhich(t *testing.T) {
	t.Parallel()
	parse := func(sql string) *tree.Statement {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		return stmt
	}
	for sql, want := range map[string]bool{
		"SELECT count(*) FROM t":                               true,
		"SELECT CAST(count_if(a) AS double) / count(*) FROM t": true,
		"SELECT max(fee) FROM t":                               false,
		"SELECT min_by(a, fee) FROM t":                         false,
		"SELECT a FROM t":                                      false,
		"SELECT a, count(*) FROM t GROUP BY a":                 false,
		"SELECT count(*) FROM t GROUP BY a ORDER BY 1 DESC":    false,
	} {
		require.Equal(t, want, onlyNumber(parse(sql)), sql)
	}
	require.True(t, countsIf(parse("SELECT count_if(a = 'DOG') FROM t"), "Dog "))
	require.False(t, countsIf(parse("SELECT count_if(a = 'DOG') FROM t"), "Cat"))
	require.False(t, countsIf(parse("SELECT count(*) FROM t WHERE a = 'DOG'"), "DOG"))
	require.True(t, groupsBy(parse("SELECT t.a, count(*) FROM t GROUP BY t.A"), "a"))
	require.False(t, groupsBy(parse("SELECT a FROM t WHERE a"), "a"))

	p, err := New(Config{})
	require.NoError(t, err)
	s := p.Prepare([]catalog.Table{
		{Name: catalog.Name{Table: "staff"}, RowCount: 30, Columns: []catalog.Column{{Name: "staff_id", Type: "bigint", PrimaryKey: true, Distinct: 30}, {Name: "first_name", Type: "varchar", Distinct: 29}}},
		{Name: catalog.Name{Table: "finds"}, RowCount: 900, Columns: []catalog.Column{
			{Name: "find_id", Type: "bigint", PrimaryKey: true, Distinct: 900}, {Name: "kind", Type: "varchar", Distinct: 3, Samples: []string{"pot", "Pot", "bone"}},
			{Name: "restorer", Type: "varchar", Distinct: 4, Samples: []string{"Ada", "Bo"}}, {Name: "found_on", Type: "date"},
		}},
	}, nil)
	for _, c := range []struct {
		sql, question string
		want          bool
	}{
		{"SELECT kind, count(*) FROM finds GROUP BY kind", "Who found the most?", true},
		{"SELECT first_name, count(*) FROM staff GROUP BY first_name", "Who found the most?", false},
		{"SELECT restorer, count(*) FROM finds GROUP BY restorer", "Who restored the most?", false},
		{"SELECT restorer, count(*) FROM finds GROUP BY restorer", "Who found the most?", true},
		{"SELECT count(*) FROM finds", "Who found the most?", false},
	} {
		require.Equal(t, c.want, s.namesNobody(parse(c.sql), c.question), "%s: %s", c.question, c.sql)
	}
	require.False(t, (&Schema{view: s.view}).namesNobody(parse("SELECT count(*) FROM finds"), "Who?"))
	for sql, want := range map[string][]string{
		"SELECT 1 FROM finds WHERE kind = 'pot'":            {"pot"},
		"SELECT 1 FROM finds WHERE kind <> 'Pot'":           {"Pot"},
		"SELECT 1 FROM finds WHERE kind IN ('pot', 'Pot')":  nil,
		"SELECT 1 FROM finds WHERE kind IN ('pot', 'bone')": {"pot"},
		"SELECT 1 FROM finds WHERE kind = 'bone'":           nil,
		"SELECT 1 FROM finds WHERE lower(kind) = 'pot'":     nil,
		"SELECT 1 FROM finds WHERE kind = 'POT'":            nil, // nothing is written so
	} {
		require.Equal(t, want, s.otherSpellings(parse(sql)), sql)
	}
	shop := p.Prepare([]catalog.Table{
		{Name: catalog.Name{Table: "payments"}, RowCount: 900, Columns: []catalog.Column{{Name: "member", Type: "varchar"}, {Name: "amount", Type: "double", Unit: "EUR"}}},
		{Name: catalog.Name{Table: "loans"}, RowCount: 900, Columns: []catalog.Column{{Name: "member", Type: "varchar"}, {Name: "weight", Type: "double", Unit: "kg"}}},
	}, nil)
	for sql, want := range map[string]bool{
		"SELECT member, count(*) FROM payments GROUP BY member":                                          true,
		"SELECT l.member, count(*) FROM payments AS p JOIN loans AS l ON p.member = l.member GROUP BY 1": true,
		"SELECT l.member, count(*) FROM loans AS l JOIN payments AS p ON p.member = l.member GROUP BY 1": false,
		"SELECT member, count(*) FROM loans GROUP BY member":                                             false,
	} {
		require.Equal(t, want, shop.holdsMoney(parse(sql)), sql)
	}
	points := p.Prepare([]catalog.Table{
		{Name: catalog.Name{Table: "members"}, RowCount: 90, Columns: []catalog.Column{
			{Name: "member_id", Type: "bigint", PrimaryKey: true, Distinct: 90}, {Name: "full_name", Type: "varchar", Distinct: 90}, {Name: "points", Type: "bigint", Distinct: 70}, {Name: "goal", Type: "double", Distinct: 20},
		}},
		{Name: catalog.Name{Table: "sales"}, RowCount: 900, Columns: []catalog.Column{{Name: "member_id", Type: "bigint"}, {Name: "unit_price", Type: "double", Distinct: 40}, {Name: "paid", Type: "double", Distinct: 400}}},
	}, nil)
	for sql, want := range map[string]struct{ noMoney, amountsAlone, ofOne, noNumber bool }{
		"SELECT avg(points) FROM members":                           {noMoney: true},
		"SELECT avg(unit_price) FROM sales":                         {},
		"SELECT sum(paid), max(goal) FROM sales":                    {},
		"SELECT goal FROM members":                                  {amountsAlone: true},
		"SELECT goal, points FROM members":                          {amountsAlone: true},
		"SELECT full_name, goal FROM members":                       {},
		"SELECT goal FROM members WHERE full_name = 'Ada'":          {amountsAlone: true, ofOne: true},
		"SELECT paid FROM sales WHERE member_id = 4":                {amountsAlone: true, ofOne: true},
		"SELECT paid FROM sales WHERE unit_price > 4":               {amountsAlone: true},
		"SELECT member_id FROM members WHERE goal > 3":              {noNumber: true},
		"SELECT date_trunc('year', DATE '2030-01-01') FROM members": {noNumber: true},
	} {
		stmt := parse(sql)
		require.Equal(t, want.noMoney, points.figuresNoMoney(stmt), sql)
		require.Equal(t, want.amountsAlone, points.listsAmountsAlone(stmt), sql)
		require.Equal(t, want.ofOne, points.ofOne(stmt), sql)
		require.Equal(t, want.noNumber, points.listsNoNumber(stmt), sql)
	}
	require.True(t, s.showsTime(parse("SELECT date_trunc('month', found_on) FROM finds")))
	require.False(t, s.showsTime(parse("SELECT kind FROM finds WHERE found_on > DATE '2030-01-01'")))
}

// TestStatementsOfMeansAndEnds: a mean is computed, what goes on is looked at for its end, and what
// became of rows is not told by there being none.
func TestStatementsOfMeansAndEnds(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	s := p.Prepare([]catalog.Table{
		{Name: catalog.Name{Table: "members"}, Columns: []catalog.Column{{Name: "id", Type: "bigint", PrimaryKey: true}, {Name: "score", Type: "double"}, {Name: "avg_score", Type: "double"}, {Name: "left_on", Type: "date", Missing: 3}}},
		{Name: catalog.Name{Table: "lessons"}, Columns: []catalog.Column{{Name: "member_id", Type: "bigint"}, {Name: "status", Type: "varchar"}}},
		{Name: catalog.Name{Table: "gifts"}, Columns: []catalog.Column{{Name: "member_id", Type: "bigint"}, {Name: "wrapping", Type: "varchar"}}},
	}, nil)
	for sql, want := range map[string]struct{ averages, passesEnds, lacksStates bool }{
		"SELECT count(*) FROM members":                                 {passesEnds: true},
		"SELECT count(*) FROM members WHERE left_on IS NULL":           {},
		"SELECT avg(score) FROM members WHERE left_on IS NULL":         {averages: true},
		"SELECT approx_percentile(score, 0.5) FROM lessons":            {averages: true},
		"SELECT sum(score) / count(*) FROM lessons":                    {averages: true},
		"SELECT avg_score FROM members WHERE left_on IS NULL":          {averages: true},
		"SELECT sum(score) FROM lessons":                               {},
		"SELECT 1 FROM lessons JOIN members ON member_id = members.id": {},
		"SELECT score FROM members WHERE left_on IS NULL AND NOT EXISTS (SELECT 1 FROM lessons WHERE member_id = members.id)": {lacksStates: true},
		"SELECT score FROM members WHERE left_on IS NULL AND NOT EXISTS (SELECT 1 FROM gifts WHERE member_id = members.id)":   {},
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		require.Equal(t, want.averages, s.averages(stmt), "averages: %s", sql)
		require.Equal(t, want.passesEnds, s.passesEnds(stmt), "passes ends: %s", sql)
		require.Equal(t, want.lacksStates, s.lacksStates(stmt), "lacks states: %s", sql)
	}
}

// TestStatementsOfHowManyTimes: what was done to things is not their number, there is most of nothing
// where each has one, and how much is no list of years.
func TestStatementsOfHowManyTimes(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	s := p.Prepare([]catalog.Table{
		{Name: catalog.Name{Table: "books"}, RowCount: 90, Columns: []catalog.Column{{Name: "id", Type: "bigint", PrimaryKey: true, Distinct: 90}, {Name: "title", Type: "varchar", Distinct: 90}, {Name: "author", Type: "varchar", Distinct: 9}}},
		{Name: catalog.Name{Table: "days"}, RowCount: 400, Columns: []catalog.Column{{Name: "date", Type: "date", Distinct: 400}, {Name: "weather", Type: "varchar", Distinct: 3, Samples: []string{"rain", "sun", "fog"}}, {Name: "wind", Type: "double", Distinct: 80}}},
		{Name: catalog.Name{Table: "门诊记录"}, RowCount: 90, Columns: []catalog.Column{{Name: "就诊编号", Type: "bigint", PrimaryKey: true, Distinct: 90}, {Name: "患者姓名", Type: "varchar", Distinct: 80}}},
		{Name: catalog.Name{Table: "患者信息"}, RowCount: 90, Columns: []catalog.Column{{Name: "患者编号", Type: "bigint", PrimaryKey: true, Distinct: 90}, {Name: "患者姓名", Type: "varchar", Distinct: 80}}},
	}, nil)
	for sql, want := range map[string]struct{ things, once, noNumber bool }{
		"SELECT count(*) FROM books WHERE author = 'x'":                                           {things: true},
		"SELECT count(*) FROM days WHERE weather = 'rain'":                                        {},
		`SELECT count(*) FROM "门诊记录"`:                                                             {}, // whoever they are of
		`SELECT count(*) FROM "患者信息"`:                                                             {things: true},
		"SELECT date, count(*) FROM days GROUP BY date ORDER BY 2 DESC LIMIT 5":                   {once: true},
		"SELECT d.date, count(*) FROM days AS d WHERE weather = 'rain' GROUP BY d.date":           {once: true},
		"SELECT weather, count(*) FROM days GROUP BY weather":                                     {},
		"SELECT date_trunc('month', date), count(*) FROM days GROUP BY date_trunc('month', date)": {},
		"SELECT date_trunc('year', date) FROM days GROUP BY date_trunc('year', date)":             {noNumber: true},
		"SELECT date_trunc('year', date), sum(wind) FROM days GROUP BY date_trunc('year', date)":  {},
		"SELECT weather FROM days":                                                                {noNumber: true},
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		require.Equal(t, want.things, s.countsThings(stmt), "counts things: %s", sql)
		require.Equal(t, want.once, s.countsEachOnce(stmt), "counts each once: %s", sql)
		require.Equal(t, want.noNumber, s.listsNoNumber(stmt), "lists no number: %s", sql)
	}
	for question, want := range map[string]string{"how many times were the books of x borrowed": "how many times", "x的书被借了多少次": "多少次", "how many books are there": ""} {
		require.Equal(t, want, p.reader.Question(question, s.view, time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)).Demands().Often, question)
	}
}

// TestListsOfWhatManyRowsHave: row by row is not each once, unless the rows are what is shown.
func TestListsOfWhatManyRowsHave(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	s := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "sales"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "id", Type: "bigint", PrimaryKey: true, Distinct: 900}, {Name: "buyer", Type: "varchar", Distinct: 3, Samples: []string{"a", "b", "c"}}, {Name: "crop", Type: "varchar", Distinct: 2, Samples: []string{"kale", "leeks"}},
	}}}, nil)
	for sql, want := range map[string]bool{
		"SELECT buyer FROM sales WHERE crop <> 'kale'":                                             true,
		"SELECT buyer FROM sales":                                                                  false,
		"SELECT id FROM sales WHERE crop <> 'kale'":                                                false,
		"SELECT id, buyer FROM sales WHERE crop <> 'kale'":                                         false,
		"SELECT buyer FROM sales WHERE buyer NOT IN (SELECT buyer FROM sales WHERE crop = 'kale')": false,
		"SELECT buyer FROM sales WHERE crop = 'kale' GROUP BY buyer":                               false,
		"SELECT count(buyer) FROM sales WHERE crop <> 'kale'":                                      false,
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		require.Equal(t, want, s.listsMany(stmt), sql)
	}
	plays := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "plays"}, RowCount: 3600, RowKey: []string{"play", "week"}, Columns: []catalog.Column{
		{Name: "seats", Type: "bigint", Distinct: 400}, {Name: "play", Type: "varchar", NotNull: true, Distinct: 300, Samples: []string{"Faust", "Medea"}}, {Name: "week", Type: "bigint", NotNull: true, Distinct: 12},
		{Name: "stage", Type: "varchar", NotNull: true, Distinct: 5, Samples: []string{"Barn", "Yard"}},
	}}}, nil)
	stmt, err := parser.Parse("SELECT play FROM plays WHERE stage <> 'Barn'")
	require.NoError(t, err)
	require.True(t, plays.listsMany(stmt), "plays that were in other weeks elsewhere")
	require.Equal(t, "Who", p.reader.Question("Who is our newest buyer?", s.view, time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)).Demands().Who)
}

// TestWhatIsDemandedOfMeans: the words for a mean, for what goes on and for what was never done hold
// of any statement, unless they are part of a name.
func TestWhatIsDemandedOfMeans(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	s := p.Prepare([]catalog.Table{
		{Name: catalog.Name{Table: "members"}, Columns: []catalog.Column{{Name: "id", Type: "bigint", PrimaryKey: true}, {Name: "average_score", Type: "double"}, {Name: "left_on", Type: "date", Missing: 3}}},
		{Name: catalog.Name{Table: "lessons"}, Columns: []catalog.Column{{Name: "member_id", Type: "bigint"}, {Name: "fee", Type: "double"}, {Name: "status", Type: "varchar"}}},
	}, nil)
	for question, want := range map[string]struct{ mean, now, undone string }{
		"average fee of lessons":                   {mean: "average"},
		"课程的平均fee":                                 {mean: "平均"},
		"highest average score of members":         {},
		"how many members are there at the moment": {now: "at the moment"},
		"how many members are there":               {},
		"members who never skipped a lesson":       {undone: "skipped"},
		"members who never had a lesson":           {},
		"members who never took a lesson":          {},
		"members that have never been in a lesson": {},
	} {
		d := p.reader.Question(question, s.view, time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)).Demands()
		require.Equal(t, want.mean, d.Mean, question)
		require.Equal(t, want.now, d.Now, question)
		require.Equal(t, want.undone, d.Undone, question)
	}
}

// TestWhatNothingKnowsIsDemanded: which of things that nothing knows, and how much of what nothing knows, no number
// answers.
func TestWhatNothingKnowsIsDemanded(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	s := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "rates"}, Columns: []catalog.Column{{Name: "id", Type: "bigint", PrimaryKey: true}, {Name: "trade", Type: "varchar"}, {Name: "rate", Type: "double"}}}}, nil)
	for question, want := range map[string][2]string{
		"Which county had the highest rate?":     {"Which county", ""},
		"Which trade had the highest rate?":      {},
		"How satisfied are people in each trade": {"", "How satisfied"},
		"How many rates are there":               {},
	} {
		d := p.reader.Question(question, s.view, time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)).Demands()
		require.Equal(t, want, [2]string{d.Whose, d.Size}, question)
	}
	in := p.Rooms(Input{Question: "How satisfied are people in each trade?", Schema: s, Now: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)})
	require.NotEqual(t, Answered, in.Answer.Outcome, in.Answer.SQL)
	in = p.Rooms(Input{Question: "Which county had the highest rate?", Schema: s, Now: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)})
	require.NotEqual(t, Answered, in.Answer.Outcome, in.Answer.SQL)
}
