package eval

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/chart/advise"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// Charts asks chat BI how to draw the results of nvBench's statements (Luo et al.,
// "Synthesizing Natural Language to Visualization Benchmarks from NL2SQL Benchmarks",
// SIGMOD 2021), and compares kind and axes with those of the set.
type Charts struct{}

// Name implements Suite.
func (Charts) Name() string { return "chart" }

const (
	chartFolder = "chart/nvbench"
	chartFile   = "dev.csv"
	// chartDatabases are looked for beside the folder of charts.
	chartDatabases = "text2sql/spiderman/databases"
)

// chartQuestion is a line of the set.
type chartQuestion struct {
	id, db, question string
	kind             chart.Kind
	grouped          bool // a column splits it
	sql              chartSQL
}

// Open implements Suite. Questions on databases that are not there are left out.
func (Charts) Open(_ context.Context, opt Options) (Run, error) {
	folder, err := findFolder(opt.Data, chartFolder, chartFile)
	if err != nil { // the folder of charts may be given as well as the one above it
		folder, err = findFolder(opt.Data, filepath.Base(chartFolder), chartFile)
	}
	if err != nil {
		return nil, err
	}
	path := opt.Queries
	if path == "" {
		path = filepath.Join(folder, chartFile)
	}
	questions, err := readCharts(path)
	if err != nil {
		return nil, err
	}
	root, err := above(folder, chartDatabases)
	if err != nil {
		return nil, err
	}
	run := &chartsRun{}
	for _, q := range questions {
		if info, err := os.Stat(filepath.Join(root, q.db)); err != nil || !info.IsDir() {
			run.absent++
			continue
		}
		run.questions = append(run.questions, q)
	}
	if run.databases, err = newDatabases(root); err != nil {
		return nil, err
	}
	if run.adviser, err = advise.New(); err != nil {
		return nil, err
	}
	run.analyst, err = analyse.New(analyse.DefaultThresholds())
	return run, err
}

// above finds a folder beneath one of those that hold a folder.
func above(folder, name string) (string, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	for dir := absolute; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			return filepath.Join(dir, name), nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%w: no folder above %s has %s", ErrData, folder, name)
		}
	}
}

// chartKinds are the set's kinds.
var chartKinds = map[string]struct {
	kind    chart.Kind
	grouped bool
}{
	"Bar": {chart.Bar, false}, "Pie": {chart.Pie, false}, "Line": {chart.Line, false}, "Scatter": {chart.Scatter, false},
	"Stacked Bar": {chart.StackedBar, true}, "Grouping Line": {chart.Line, true}, "Grouping Scatter": {chart.Scatter, true},
}

func readCharts(path string) ([]chartQuestion, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrData, err)
	}
	defer func() { _ = f.Close() }() // read only
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, fmt.Errorf("%w: %s is no CSV: %w", ErrData, path, errors.Join(err))
	}
	at := map[string]int{}
	for i, name := range lines[0] {
		at[name] = i
	}
	for _, name := range []string{"db_id", "chart", "query", "question"} {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("%w: %s has no column %s", ErrData, path, name)
		}
	}
	var out []chartQuestion
	for i, line := range lines[1:] {
		kind, ok := chartKinds[line[at["chart"]]]
		if !ok {
			return nil, fmt.Errorf("%w: %s: line %d has chart %q", ErrData, path, i+2, line[at["chart"]])
		}
		out = append(out, chartQuestion{
			id: fmt.Sprintf("%s:%d", line[at["db_id"]], i+2), db: line[at["db_id"]], question: line[at["question"]],
			kind: kind.kind, grouped: kind.grouped, sql: readChartSQL(line[at["query"]], kind.grouped),
		})
	}
	return out, nil
}

// chartSQL is a statement of the set in parts. Its language is SQL but for a head that
// names the chart, and an end that cuts a time into periods ("BIN x BY MONTH").
type chartSQL struct {
	x, y, series string
	from         string // FROM and WHERE
	group        []string
	having       string
	order        string
	unit         string // of the periods; empty: none
}

var (
	chartHead  = regexp.MustCompile(`(?is)^\s*visualize\s+(?:stacked bar|grouping line|grouping scatter|\w+)\s+select\s+(.*?)\s+from\s+(.*)$`)
	chartBin   = regexp.MustCompile(`(?i)\s+bin\s+(\S+)\s+by\s+(\w+)\s*$`)
	chartOrder = regexp.MustCompile(`(?i)\s+order\s+by\s+([^()]*(?:\([^()]*\)[^()]*)?)$`)
	chartGroup = regexp.MustCompile(`(?i)\s+group\s+by\s+([^()]*)$`)
	chartHave  = regexp.MustCompile(`(?i)\s+having\s+(.*)$`)
	nullText   = regexp.MustCompile(`(?i)(?:!=|<>|=)\s*'null'`)
	aggregated = regexp.MustCompile(`(?i)^\s*(count|sum|avg|min|max)\s*\(`)
)

// readChartSQL reads a statement. The set leaves the column that splits the series out
// of what is selected: it is the group that is no axis.
func readChartSQL(text string, grouped bool) chartSQL {
	m := chartHead.FindStringSubmatch(text)
	if m == nil {
		return chartSQL{}
	}
	// "null" in quotes is how the set writes what is missing.
	s := chartSQL{from: nullText.ReplaceAllStringFunc(strings.ReplaceAll(m[2], `"`, `'`), func(test string) string {
		if strings.HasPrefix(test, "!") || strings.HasPrefix(test, "<") {
			return "IS NOT NULL"
		}
		return "IS NULL"
	})}
	items := strings.SplitN(m[1], " , ", 2)
	if len(items) < 2 {
		return chartSQL{}
	}
	s.x, s.y = strings.TrimSpace(items[0]), strings.TrimSpace(items[1])
	cut := func(pattern *regexp.Regexp) string {
		m := pattern.FindStringSubmatchIndex(s.from)
		if m == nil {
			return ""
		}
		part := s.from[m[2]:m[3]]
		if pattern == chartBin {
			s.unit = strings.ToLower(s.from[m[4]:m[5]])
		}
		s.from = s.from[:m[0]]
		return strings.TrimSpace(part)
	}
	cut(chartBin)
	s.order = cut(chartOrder)
	if at := chartHave.FindStringIndex(s.from); at != nil && !strings.Contains(s.from[at[0]:], "SELECT") {
		s.having = cut(chartHave)
	}
	for part := range strings.SplitSeq(cut(chartGroup), ",") {
		if part = strings.TrimSpace(part); part != "" {
			s.group = append(s.group, part)
		}
	}
	for _, g := range s.group {
		if grouped && !sameColumn(g, s.x) {
			s.series = g
		}
	}
	return s
}

// sameColumn compares names without their tables.
func sameColumn(a, b string) bool {
	bare := func(s string) string { return strings.ToLower(s[strings.LastIndexByte(s, '.')+1:]) }
	return bare(a) == bare(b)
}

// text is the statement for DuckDB; ordered says whether with its order.
func (s chartSQL) text(ordered bool) string {
	x := s.x
	// The set's files write times in several ways, years as numbers among them.
	moment := "coalesce(try_cast(" + s.x + "::VARCHAR AS TIMESTAMP), try_strptime(" + s.x + "::VARCHAR, ['%m/%d/%Y', '%Y']))"
	switch s.unit {
	case "year":
		x = "date_trunc('year', " + moment + ")::DATE"
	case "month":
		x = "monthname(" + moment + ")"
	case "weekday":
		x = "dayname(" + moment + ")"
	}
	items := []string{x + " AS " + quoteName(s.x), s.y + " AS " + quoteName(s.y)}
	if s.series != "" {
		items = append(items, s.series+" AS "+quoteName(s.series))
	}
	text := "SELECT " + strings.Join(items, ", ") + " FROM " + s.from
	if aggregated.MatchString(s.x) || aggregated.MatchString(s.y) {
		text += " GROUP BY ALL"
		if s.having != "" {
			text += " HAVING " + s.having
		}
	}
	if ordered && s.order != "" && s.unit == "" {
		text += " ORDER BY " + s.order
	}
	return text
}

// quoteName makes a column's name of an expression, without its table.
func quoteName(text string) string {
	if !aggregated.MatchString(text) {
		text = text[strings.LastIndexByte(text, '.')+1:]
	}
	return `"` + strings.ReplaceAll(text, `"`, "") + `"`
}

type chartsRun struct {
	questions []chartQuestion
	absent    int
	databases *databases
	analyst   *analyse.Analyst
	adviser   *advise.Adviser
}

// Len implements Run.
func (r *chartsRun) Len() int { return len(r.questions) }

// Close implements Run.
func (r *chartsRun) Close() error { return r.databases.close() }

// charted is what is advised, or right.
type charted struct {
	Kind    string   `json:"kind"`
	X       string   `json:"x"`
	Y       []string `json:"y"`
	Series  string   `json:"series,omitempty"`
	Next    []string `json:"next,omitempty"`
	Because string   `json:"because,omitempty"`
}

// Answer implements Run.
func (r *chartsRun) Answer(ctx context.Context, i int) (Item, error) {
	q := r.questions[i]
	gold := charted{Kind: q.kind.Name(), X: strings.Trim(quoteName(q.sql.x), `"`), Y: []string{strings.Trim(quoteName(q.sql.y), `"`)}}
	if q.sql.series != "" {
		gold.Series = strings.Trim(quoteName(q.sql.series), `"`)
	}
	named := r.adviser.Read(q.question).Kind != chart.None
	item := Item{ID: q.id, Question: q.question, Gold: gold, Detail: map[string]any{"chart_word": named}}
	db, err := r.databases.open(ctx, q.db)
	if err != nil {
		return item, err
	}
	table, err := db.chartTable(ctx, q.sql)
	if err != nil {
		return item, err
	}
	columns := make([]analyse.Column, len(table.Columns))
	if m := aggregated.FindStringSubmatch(q.sql.y); m != nil {
		columns[1].Aggregate = map[string]string{"count": analyse.AggregateCount, "sum": analyse.AggregateSum}[strings.ToLower(m[1])]
		if columns[1].Aggregate == "" {
			columns[1].Aggregate = analyse.AggregateOther
		}
	}
	started := time.Now()
	out := r.analyst.Analyse(analyse.Input{
		Table: table, Columns: columns, Language: lang.English, Now: started, Question: q.question, MaxPoints: pageRows,
	})
	item.Milliseconds = milliseconds(time.Since(started))
	got := charted{Kind: out.Chart.Kind.Name(), X: out.Chart.X, Y: out.Chart.Y, Series: out.Chart.Series, Because: out.Chart.Reason}
	for _, other := range out.Chart.Others {
		got.Next = append(got.Next, other.Kind.Name())
	}
	for _, w := range out.Warnings {
		if w.Code == analyse.WarnDeclined {
			item.Detail["declined"] = w.Message
		}
	}
	item.Prediction = got
	item.Detail["rows"] = len(table.Rows)
	item.Score = one(got.Kind == gold.Kind)
	return item, nil
}

// chartTable runs a statement of the set. Where its order is of what is not selected, it
// runs without.
func (db *database) chartTable(ctx context.Context, s chartSQL) (result.Table, error) {
	if s.x == "" {
		return result.Table{}, errors.New("the statement of the set cannot be read")
	}
	table, err := db.rawTable(ctx, s.text(true))
	if err != nil && ctx.Err() == nil {
		table, err = db.rawTable(ctx, s.text(false))
	}
	return table, err
}

// rawTable runs a statement and gives its rows as the product's engines do.
func (db *database) rawTable(ctx context.Context, text string) (result.Table, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	rows, err := db.raw.QueryContext(ctx, text)
	if err != nil {
		return result.Table{}, fmt.Errorf("the statement of the set: %w", err)
	}
	defer func() { _ = rows.Close() }() // read to the end
	types, err := rows.ColumnTypes()
	if err != nil {
		return result.Table{}, err
	}
	var t result.Table
	for _, c := range types {
		t.Columns = append(t.Columns, result.Column{Name: c.Name(), Type: prestoType(c.DatabaseTypeName())})
	}
	for rows.Next() && len(t.Rows) < maxRows {
		values, into := make([]any, len(types)), make([]any, len(types))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return t, err
		}
		for i, v := range values {
			values[i] = presto(v, t.Columns[i])
		}
		t.Rows = append(t.Rows, values)
	}
	return t, rows.Err()
}

// prestoType is the Presto name of a DuckDB type, as far as the set has them.
func prestoType(name string) string {
	switch base, _, _ := strings.Cut(name, "("); base {
	case "HUGEINT", "UBIGINT", "UINTEGER":
		return "bigint"
	case "FLOAT":
		return "real"
	case "TIMESTAMP":
		return "timestamp(3)"
	default:
		return strings.ToLower(name)
	}
}

// presto is a value of DuckDB as an engine of the product gives it.
func presto(v any, c result.Column) any {
	switch v := v.(type) {
	case int8:
		return int64(v)
	case int16:
		return int64(v)
	case int32:
		return int64(v)
	case float32:
		return float64(v)
	case *big.Int:
		return v.Int64()
	case duckdb.Decimal:
		return v.String()
	case time.Time:
		if c.Kind() == result.KindDate {
			return v.Format(time.DateOnly)
		}
		return v.Format(time.DateTime)
	}
	return v
}

// Metrics implements Run. Questions whose statement does not run count as wrong.
func (r *chartsRun) Metrics(items []Item) (map[string]float64, []string) {
	var worded, plain, all, axes proportion
	var firstTwo, table proportion
	for _, it := range items {
		gold, _ := it.Gold.(charted)
		got, _ := it.Prediction.(charted) // the zero value where it failed
		named, _ := it.Detail["chart_word"].(bool)
		right := got.Kind == gold.Kind
		all.add(right)
		table.add(got.Kind == chart.Table.Name())
		axes.add(strings.EqualFold(got.X, gold.X) && len(got.Y) > 0 && strings.EqualFold(got.Y[0], gold.Y[0]) && strings.EqualFold(got.Series, gold.Series))
		if named {
			worded.add(right)
			continue
		}
		plain.add(right)
		firstTwo.add(right || len(got.Next) > 0 && got.Next[0] == gold.Kind)
	}
	notes := []string{"of questions with a series, its column is put beside the two that the set selects"}
	if r.absent > 0 {
		notes = append(notes, fmt.Sprintf("%d questions are left out: their databases are not there", r.absent))
	}
	return map[string]float64{
		"chart_type": all.share(), "chart_type.worded": worded.share(), "chart_type.plain": plain.share(),
		"first_two.plain": firstTwo.share(), "axes": axes.share(), "table": table.share(),
		"n.worded": float64(worded.n), "n.plain": float64(plain.n), "n.absent": float64(r.absent),
	}, notes
}

// proportion counts what is right.
type proportion struct{ n, right int }

func (t *proportion) add(right bool) {
	t.n++
	t.right += count(right)
}

func (t proportion) share() float64 { return share(t.right, t.n) }
