package bind_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// ferries is a small schema: lines run ferries, ferries make trips, people book trips;
// and harbours, which no key leads to.
func ferries() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	to := func(column, table string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{column}, RefTable: name(table), RefColumns: []string{column}}
	}
	return []catalog.Table{
		{Name: name("lines"), RowCount: 6, Columns: []catalog.Column{
			{Name: "line_id", Type: "bigint", PrimaryKey: true, Distinct: 6},
			{Name: "name", Type: "varchar", Distinct: 6},
			{Name: "country", Type: "varchar", Distinct: 3, Samples: []string{"Norway", "Greece", "Japan"}},
			{Name: "founded", Type: "bigint"}, {Name: "phone", Type: "varchar", Distinct: 5},
		}},
		{Name: name("ferries"), RowCount: 30, Columns: []catalog.Column{
			{Name: "ferry_id", Type: "bigint", PrimaryKey: true, Distinct: 30},
			{Name: "name", Type: "varchar", Distinct: 29}, {Name: "line_id", Type: "bigint"},
			{Name: "length", Type: "double"}, {Name: "capacity", Type: "bigint"}, {Name: "occupancy_rate", Type: "double"},
			{Name: "built_year", Type: "bigint"},
			{Name: "fuel", Type: "varchar", Distinct: 3, Samples: []string{"diesel", "electric", "gas"}},
			{Name: "active", Type: "boolean", Distinct: 2, Samples: []string{"true", "false"}},
			{Name: "remark", Type: "varchar", Distinct: 12},
		}, ForeignKeys: []catalog.ForeignKey{to("line_id", "lines")}},
		{Name: name("trips"), RowCount: 900, Columns: []catalog.Column{
			{Name: "trip_id", Type: "bigint", PrimaryKey: true, Distinct: 900}, {Name: "ferry_id", Type: "bigint"},
			{Name: "departed_at", Type: "timestamp"}, {Name: "arrived_at", Type: "timestamp"},
			{Name: "fare", Type: "double"}, {Name: "cost", Type: "double"}, {Name: "tax", Type: "double"},
			{Name: "weather", Type: "varchar", Distinct: 3, Samples: []string{"calm", "windy", "storm"}},
			{Name: "cancelled", Type: "boolean", Distinct: 2, Samples: []string{"true", "false"}},
		}, ForeignKeys: []catalog.ForeignKey{to("ferry_id", "ferries")}},
		{Name: name("passengers"), RowCount: 400, Columns: []catalog.Column{
			{Name: "passenger_id", Type: "bigint", PrimaryKey: true, Distinct: 400},
			{Name: "first_name", Type: "varchar", Distinct: 200}, {Name: "last_name", Type: "varchar", Distinct: 300},
			{Name: "age", Type: "bigint"}, {Name: "city", Type: "varchar", Distinct: 3, Samples: []string{"Bergen", "Kobe", "Patras"}},
			{Name: "email", Type: "varchar", Distinct: 300},
		}},
		{Name: name("bookings"), RowCount: 3000, Columns: []catalog.Column{
			{Name: "booking_id", Type: "bigint", PrimaryKey: true, Distinct: 3000},
			{Name: "trip_id", Type: "bigint"}, {Name: "passenger_id", Type: "bigint"},
			{Name: "booking_date", Type: "date"}, {Name: "seats", Type: "bigint"}, {Name: "price", Type: "double"},
			{Name: "class", Type: "varchar", Distinct: 2, Samples: []string{"first", "economy"}},
		}, ForeignKeys: []catalog.ForeignKey{to("trip_id", "trips"), to("passenger_id", "passengers")}},
		{Name: name("harbours"), RowCount: 8, Columns: []catalog.Column{
			{Name: "harbour_code", Type: "varchar", PrimaryKey: true, Distinct: 8, Samples: []string{"BGO", "KOB"}},
			{Name: "depth", Type: "double"}, {Name: "latitude", Type: "double"},
		}},
	}
}

// binder reads questions over tables as the pipeline does, without its ranking.
type binder struct {
	grammar *parse.Grammar
	lex     *lexicon.Lexicon
	dates   *dates.Reader
	index   *link.Index
	layer   *bind.Layer
	gen     *sqlgen.Generator
}

func makeBinder(tables []catalog.Table) (*binder, error) {
	lex, errLex := lexicon.Load()
	grammar, errGrammar := parse.NewGrammar()
	periods, errDates := dates.New()
	if err := errors.Join(errLex, errGrammar, errDates); err != nil {
		return nil, err
	}
	derived := semantic.Derive(tables)
	names := make([]string, 0, len(derived.Entities))
	for _, e := range derived.Entities {
		names = append(names, e.Table)
	}
	graph := plan.New(names, derived.Joins)
	return &binder{
		grammar: grammar, lex: lex, dates: periods, index: link.NewIndex(derived, lex),
		layer: bind.NewLayer(derived, graph), gen: sqlgen.New(derived, graph, tables),
	}, nil
}

var ferryBinder = sync.OnceValues(func() (*binder, error) { return makeBinder(ferries()) })

// overFerries reads questions over the ferries; what it needs is loaded once.
func overFerries(t *testing.T) *binder {
	t.Helper()
	b, err := ferryBinder()
	require.NoError(t, err)
	return b
}

// plainYear is a year that any column with a year may have.
var plainYear = regexp.MustCompile(`^(in )?\d{4}$`)

// best are the readings of the likeliest draft of a question that has any.
func (b *binder) best(question string) []bind.Reading {
	tokens := token.Split(question, b.lex.Chinese().Dictionary())
	now := time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)
	for _, f := range b.dates.Find(question, now) {
		p := token.Period{Grain: f.Grain}
		if !f.From.IsZero() {
			p.First = f.From.Format(time.DateOnly)
		}
		if open := f.Unit == "" && f.To.Equal(dates.Today(now)) && f.From.Before(f.To); !f.To.IsZero() && !open {
			p.Last = f.To.AddDate(0, 0, -1).Format(time.DateOnly)
		}
		if !plainYear.MatchString(f.Text) {
			tokens = token.Merge(tokens, f.Start, f.End, p)
		}
	}
	for _, d := range b.grammar.Read(b.index.Cover(b.index.Coordinate(tokens)), b.lex) {
		if readings := bind.Bind(d, b.layer); len(readings) > 0 {
			return readings
		}
	}
	return nil
}

// reading is what a question is taken for.
type reading struct {
	Question string `yaml:"question"`
	SQL      string `yaml:"sql"`            // of the best reading
	Next     string `yaml:"next,omitempty"` // of the one after it, where there is one
	Kind     string `yaml:"kind"`
	Doubts   string `yaml:"doubts,omitempty"` // names of reasons that it may be wrong, in order
	Grave    bool   `yaml:"grave,omitempty"`  // it must not be answered with
}

func (b *binder) write(r *bind.Reading) string {
	stmt, err := b.gen.Statement(&r.Intent)
	if err != nil {
		return "none: " + err.Error()
	}
	return printer.Print(stmt)
}

func (b *binder) read(question string) reading {
	out := reading{Question: question}
	readings := b.best(question)
	if len(readings) == 0 {
		return out
	}
	r := readings[0]
	out.SQL, out.Kind = b.write(&r), string(r.Intent.Type)
	if len(readings) > 1 {
		out.Next = b.write(&readings[1])
	}
	var doubts []string
	for name := range r.Facts {
		if what, ok := strings.CutPrefix(name, "doubt/"); ok {
			doubts = append(doubts, what)
		}
	}
	slices.Sort(doubts)
	out.Doubts, out.Grave = strings.Join(doubts, " "), r.Grave() != ""
	return out
}

// TestReadings holds what names are bound to and what becomes of a draft: the columns,
// joins, groups, order and conditions of its SQL, and what is doubted.
func TestReadings(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/readings.yaml")
	require.NoError(t, err)
	var cases []reading
	require.NoError(t, yaml.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	b := overFerries(t)
	for _, c := range cases {
		t.Run(c.Question, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c, b.read(c.Question))
		})
	}
}
