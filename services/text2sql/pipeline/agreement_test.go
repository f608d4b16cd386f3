package pipeline

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

func statementOf(t *testing.T, sql string) *tree.Statement {
	t.Helper()
	stmt, err := parser.Parse(sql)
	require.NoError(t, err)
	return stmt
}

// Two statements agree that ask for the same in other words, and only those.
func TestStatementsThatAskForTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b            string
		agree, narrower bool
	}{
		{"SELECT DISTINCT name FROM club", "SELECT name FROM club", true, false},
		{"SELECT name FROM club", "SELECT name FROM club WHERE name IS NOT NULL", true, false},
		{"SELECT name FROM club", "SELECT name FROM club WHERE name IS NULL", false, false},
		{"SELECT t1.name FROM club AS t1 JOIN town AS t2 ON t1.town_id = t2.id WHERE t2.name = 'Bern' AND t1.size > 3", "SELECT t2.name FROM town AS t1 JOIN club AS t2 ON t1.id = t2.town_id WHERE t2.size > 3 AND t1.name = 'Bern'", true, false},
		{"SELECT t1.name FROM club AS t1 JOIN town AS t2 ON t1.town_id = t2.id", "SELECT t2.name FROM club AS t1 JOIN town AS t2 ON t1.town_id = t2.id", false, false},
		{"SELECT t1.town_id, count(*) AS n FROM club AS t1 JOIN town AS t2 ON t1.town_id = t2.id GROUP BY t1.town_id ORDER BY n DESC", "SELECT t2.id, count(*) FROM club AS t1 JOIN town AS t2 ON t1.town_id = t2.id GROUP BY t2.id, t2.name ORDER BY count(*) DESC, t2.name", true, false},
		{"SELECT name FROM club ORDER BY size LIMIT 1", "SELECT name, id FROM club ORDER BY size LIMIT 1", true, true},
		{"SELECT name FROM club GROUP BY name ORDER BY count(*) DESC LIMIT 1", "SELECT name, count(*) FROM club GROUP BY name ORDER BY count(*) DESC LIMIT 1", true, false},
		{"SELECT name FROM club ORDER BY size LIMIT 1", "SELECT name FROM club ORDER BY size DESC LIMIT 1", false, false},
		{"SELECT name FROM club ORDER BY size LIMIT 1", "SELECT name FROM club ORDER BY size LIMIT 2", false, false},
		{"SELECT count(size) FROM club", "SELECT count(*) FROM club", true, false},
		{"SELECT count(DISTINCT size) FROM club", "SELECT count(*) FROM club", false, false},
		{"SELECT t1.name FROM club AS t1 WHERE EXISTS (SELECT 1 FROM town AS t2 WHERE t1.town_id = t2.id)", "SELECT t3.name FROM club AS t3 WHERE EXISTS (SELECT 1 FROM town AS t4 WHERE t3.town_id = t4.id)", true, false},
		{"SELECT t1.name FROM club AS t1 WHERE EXISTS (SELECT 1 FROM town AS t2 WHERE t1.town_id = t2.id)", "SELECT t1.name FROM club AS t1 WHERE NOT EXISTS (SELECT 1 FROM town AS t2 WHERE t1.town_id = t2.id)", false, false},
		{"SELECT size FROM club", "SELECT size FROM club GROUP BY size", false, false},
		{"SELECT size FROM club GROUP BY size HAVING count(*) > 1", "SELECT size FROM club GROUP BY size HAVING count(*) > 2", false, false},
		{"SELECT name FROM club UNION SELECT name FROM town", "SELECT name FROM club INTERSECT SELECT name FROM town", false, false},
	} {
		a, b := sketchOf(statementOf(t, c.a)), sketchOf(statementOf(t, c.b))
		require.Equal(t, c.agree, a.agrees(b), "%s\n%s\n%v\n%v", c.a, c.b, a, b)
		require.Equal(t, c.agree, b.agrees(a), "%s\n%s", c.b, c.a)
		require.Equal(t, c.narrower, a.narrower(b), "%s\n%s", c.a, c.b)
		require.False(t, b.narrower(a), "%s\n%s", c.b, c.a)
	}
}

// What two readings say together: agreement makes an answer that neither is sure enough of, and
// where they differ the surer one answers with less confidence, or neither.
func TestTwoReadingsTogether(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	name := func(table string) catalog.Name { return catalog.Name{Region: "eu", Schema: "main", Table: table} }
	tables := []catalog.Table{
		{Name: name("member"), RowCount: 100, Columns: []catalog.Column{{Name: "id", Type: "bigint", PrimaryKey: true, Distinct: 100}, {Name: "name", Type: "varchar", Distinct: 100}, {Name: "plan", Type: "varchar", Distinct: 2, Samples: []string{"gold", "basic"}}}},
		{Name: name("visit"), RowCount: 900, Columns: []catalog.Column{{Name: "id", Type: "bigint", PrimaryKey: true, Distinct: 900}, {Name: "member_id", Type: "bigint", Distinct: 90}},
			ForeignKeys: []catalog.ForeignKey{{Columns: []string{"member_id"}, RefTable: name("member"), RefColumns: []string{"id"}}}},
	}
	read := func(question string, tables []catalog.Table) (Input, *likely, Result, draft) {
		in := p.ask(Input{Question: question, Language: "en", Schema: p.Prepare(tables, nil), Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
		first := p.likeliest(in, p.readings(in))
		require.NotNil(t, first, question)
		res, said := p.free(in)
		require.Equal(t, Answered, res.Outcome, question)
		return in, first, res, said
	}
	const own, other = "count(*)", "gold"
	for _, c := range []struct {
		why             string
		agree, single   bool
		reader, draft   float64
		outcome         Outcome
		sql             string
		confidence      float64
		withinTolerance float64
	}{
		{"both a little sure", true, false, 0.70, 0.70, Answered, own, 0.84, 0.01},
		{"neither is sure", true, false, 0.50, 0.40, Abstained, "", 0, 0},
		{"the reader alone is sure", true, false, 0.90, 0.10, Answered, own, 0.90, 0.001},
		{"they differ, and the grammar is by far the surer", false, false, 0.80, 0.95, Answered, other, 0.89, 0.02},
		{"they differ, and the reader is firm", false, false, 0.90, 0.95, Answered, own, readThreshold, 0},
		{"they differ, and the grammar is not much surer", false, false, 0.80, 0.70, Answered, own, readThreshold, 0},
		{"they differ, and the reader is not sure", false, false, 0.50, 0.80, Answered, other, 0.73, 0.02},
		{"they differ, and neither is sure", false, false, 0.50, 0.63, Abstained, "", 0, 0},
		{"they differ over one table, where no join may be another", false, true, 0.80, 0.95, Answered, own, 0.80, 0},
	} {
		over := tables
		if c.single {
			over = tables[:1]
		}
		in, first, res, said := read("How many members are there?", over)
		if !c.agree {
			_, _, res, said = read("Which members have the gold plan?", over)
		}
		first.sure, said.sure, res.Confidence = c.reader, c.draft, c.draft
		if c.draft < p.threshold {
			res = p.abstain(in, res, "")
		}
		if c.agree && c.outcome == Abstained {
			res = p.abstain(in, res, "")
		}
		got := p.together(in, first, res, said)
		require.Equal(t, c.outcome, got.Outcome, c.why)
		if c.outcome != Answered {
			continue
		}
		require.Contains(t, got.SQL, c.sql, c.why)
		require.InDelta(t, c.confidence, got.Confidence, c.withinTolerance, c.why)
	}
}

// The average of one value is that value: a word that nothing names does not ask for it of each row.
func TestNothingIsAveragedOverOneRow(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	s := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "pets"}, RowCount: 80, Columns: []catalog.Column{
		{Name: "pet_id", Type: "bigint", PrimaryKey: true, Distinct: 80}, {Name: "kind", Type: "varchar", Distinct: 3, Samples: []string{"dog", "cat", "bird"}}, {Name: "age", Type: "bigint", Distinct: 14},
	}}, {Name: catalog.Name{Table: "firms"}, RowCount: 200, Columns: []catalog.Column{
		{Name: "firm", Type: "varchar", Distinct: 200}, {Name: "branch", Type: "varchar", Distinct: 4, Samples: []string{"oil", "food"}}, {Name: "sales", Type: "double", Distinct: 190},
	}}}, nil)
	for _, c := range []struct {
		by, of string
		one    bool
	}{{"pets.pet_id", "pets.age", true}, {"pets.kind", "pets.age", false}, {"firms.firm", "firms.sales", true}, {"firms.branch", "firms.sales", false}, {"pets.pet_id", "firms.sales", false}} {
		require.NotNil(t, s.view.ColumnOf(c.by), c.by)
		require.Equal(t, c.one, s.averagesOne(&intent.Intent{Select: []intent.Output{{Agg: intent.AggAvg, Field: intent.Field{Kind: intent.KindDimension, ID: c.of}}}, GroupBy: []intent.Field{{Kind: intent.KindDimension, ID: c.by}}}), "%s by %s", c.of, c.by)
	}
	companies := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "companies"}, RowCount: 200, Columns: []catalog.Column{
		{Name: "name", Type: "varchar", Distinct: 200}, {Name: "category", Type: "varchar", Distinct: 4, Samples: []string{"oil", "food"}}, {Name: "sales", Type: "double", Distinct: 190},
	}}}, nil)
	ask := func(question string) Result {
		return p.Answer(Input{Question: question, Schema: companies, Language: "en"})
	}
	require.NotEqual(t, Answered, ask("Average sales by industry").Outcome)
	require.Equal(t, Answered, ask("Average sales by company").Outcome)
}

// One row has no order, and its group is the first of one: a part of its name is no word for many.
func TestOneRowIsNotPutInOrder(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	firms := []string{"Swedish Match", "Bank", "Acme Oil", "Volvo Group"}
	companies := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "companies"}, RowCount: 4, Columns: []catalog.Column{
		{Name: "name", Type: "varchar", Distinct: 4, Samples: firms}, {Name: "country", Type: "varchar", Distinct: 2, Samples: []string{"Sweden", "Japan"}}, {Name: "sales", Type: "double", Distinct: 4},
	}}}, nil)
	ask := func(question string) Result {
		return p.Answer(Input{Question: question, Schema: companies, Language: "en"})
	}
	require.NotEqual(t, Answered, ask("List the Volvo companies by sales, largest first").Outcome)
	require.Contains(t, ask("List the Swedish companies by sales, largest first").SQL, "country = 'Sweden'", "those of Sweden, and no Swedish Match")
	require.NotEqual(t, Answered, ask("Which country has the most banks?").Outcome)
	require.Equal(t, Answered, ask("What are the sales of Volvo Group?").Outcome)
	require.Equal(t, Answered, ask("List the companies in Japan by sales, largest first").Outcome)
}

// What both readings could do nothing with is told, though they say the same.
func TestWhatIsUnplacedIsTold(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	s := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "harvests"}, RowCount: 420, Columns: []catalog.Column{
		{Name: "harvest_id", Type: "bigint", PrimaryKey: true, Distinct: 420}, {Name: "gardener", Type: "varchar", NotNull: true, Distinct: 5, Samples: []string{"Nora", "Ivo"}},
		{Name: "picked_on", Type: "date", NotNull: true, Distinct: 300}, {Name: "weight_kg", Type: "double", NotNull: true, Distinct: 300}}}}, nil)
	res := p.Rooms(Input{Question: "How many harvests does a gardener have per month on average?", Schema: s, Now: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)}).Answer
	require.True(t, res.Outcome != Answered || strings.Contains(strings.Join(res.Assumptions, " "), "gardener"), "%s %v", res.SQL, res.Assumptions)
	told := p.tellUnplaced(Input{}, Result{Outcome: Answered, Confidence: 0.7}, []reader.Note{{ID: "unplaced", Args: []string{"gardener"}}, {ID: "summed", Args: []string{"x"}}})
	require.Equal(t, Result{Outcome: Answered, Confidence: either, Assumptions: []string{`"gardener" changes nothing in this reading.`}}, told)
	require.Equal(t, Result{Outcome: Abstained}, p.tellUnplaced(Input{}, Result{Outcome: Abstained}, []reader.Note{{ID: "unplaced", Args: []string{"gardener"}}}))
}
