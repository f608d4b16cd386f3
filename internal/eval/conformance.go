package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
)

// Conformance runs statements that a Trino server has answered, the way the
// product runs them: read, resolved, guarded, transpiled, executed. A statement
// gives the same rows, is refused as not supported, or is different, which it
// must never be.
type Conformance struct {
	// Engine is "duckdb" or empty, which means it, or "trino".
	Engine string
	// Server is the address of the Trino server, such as http://127.0.0.1:18080, with
	// the user that runs the statements before the host where it has to be a certain one.
	Server string
}

// Name implements Suite.
func (Conformance) Name() string { return "conformance" }

// answered is a statement with Trino's answer to it: rows, or an error's name.
type answered struct {
	SQL     string `json:"sql"`
	Error   string `json:"error_name"`
	Columns []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"columns"`
	Rows    exactRows `json:"rows"`
	Ordered bool      `json:"ordered"`
}

// conformanceFile and mistakesFile lie beside the tables.
const (
	conformanceFile = "conformance.jsonl"
	mistakesFile    = "errors.jsonl"
	trinoFolder     = "trino"
)

// Outcomes of a statement.
const (
	outcomeSame         = "same"
	outcomeNotSupported = "not_supported"
	outcomeDifferent    = "different"
)

// maxConformanceRows bounds a result; every answer in the data is far smaller.
const maxConformanceRows = 100_000

// Open implements Suite.
func (s Conformance) Open(ctx context.Context, opt Options) (Run, error) {
	switch {
	case s.Engine == engineTrino && s.Server == "":
		return nil, fmt.Errorf("the address of the Trino server is missing")
	case s.Engine != "" && s.Engine != engineDuckDB && s.Engine != engineTrino:
		return nil, fmt.Errorf("there is no engine %q: use duckdb or trino", s.Engine)
	}
	folder, err := findFolder(opt.Data, trinoFolder, conformanceFile)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, conformanceFile)
	if opt.Queries != "" {
		path = opt.Queries
	}
	statements, err := readJSONLines[answered](path)
	if err != nil {
		return nil, err
	}
	lake, err := openLake(ctx, folder)
	if err != nil {
		return nil, err
	}
	engine, err := s.open(ctx, lake)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the engine: %w", err), lake.close())
	}
	return &conformanceRun{
		statements: statements, lake: lake, engine: engine,
		guard: guard.New(guard.Config{DefaultLimit: maxConformanceRows, MaxLimit: maxConformanceRows}).Under(guard.Terms{Directory: lake}),
	}, nil
}

// Engines that the suite can run.
const (
	engineDuckDB = "duckdb"
	engineTrino  = "trino"
)

// open opens the engine: DuckDB over the lake, or the server, which has the tables
// of its own.
func (s Conformance) open(ctx context.Context, l *lake) (warehouse.Engine, error) {
	if s.Engine != engineTrino {
		return duckdb.Open(ctx, duckdb.Config{
			Launcher: duckdb.InProcess(), Databases: map[string]string{lakeRegion: l.path}, DefaultRegion: lakeRegion, DefaultSchema: lakeSchema,
		})
	}
	server, err := url.Parse(s.Server)
	if err != nil {
		return nil, fmt.Errorf("%w: the address of the Trino server cannot be read", ErrData)
	}
	user := cmp.Or(server.User.Username(), conformanceUser)
	server.User = nil
	return trino.Open(ctx, trino.Config{
		Connection: source.TrinoConnection{
			URL: server.String(), User: user, Regions: map[string]source.TrinoPlace{lakeRegion: {Catalog: lakeRegion}},
		},
		DefaultRegion: lakeRegion, DefaultSchema: lakeSchema,
	})
}

// conformanceUser asks, and runs the statements where the server's address names
// nobody.
const conformanceUser = "eval"

type conformanceRun struct {
	statements []answered
	lake       *lake
	engine     warehouse.Engine
	guard      *guard.Guard
}

// Len implements Run.
func (r *conformanceRun) Len() int { return len(r.statements) }

// Answer implements Run.
func (r *conformanceRun) Answer(ctx context.Context, i int) (Item, error) {
	s := r.statements[i]
	item := Item{
		ID: fmt.Sprintf("conformance-%d", i+1), Question: s.SQL, Gold: outcomeSame, Prediction: outcomeDifferent,
		Detail: map[string]any{"constructs": constructsOf(s.SQL)},
	}
	started := time.Now()
	outcome, why, err := r.run(ctx, s)
	item.Milliseconds = milliseconds(time.Since(started))
	if err != nil {
		return item, err
	}
	item.Prediction = outcome
	if why != "" {
		item.Detail["why"] = why
	}
	if outcome == outcomeSame {
		item.Score = 1
	}
	return item, nil
}

// run runs one statement. An error is a failure where there should have been
// rows or a refusal.
func (r *conformanceRun) run(ctx context.Context, s answered) (outcome, why string, err error) {
	who := run.Principal{ID: conformanceUser}
	approved, err := r.guard.Approve(ctx, who, s.SQL, r.lake.scope())
	if err != nil {
		return refused(err, s)
	}
	rows, err := r.engine.Query(ctx, who, approved, warehouse.Options{})
	if err != nil {
		return afterError(err, s)
	}
	defer func() { _ = rows.Close() }() // read to the end or given up
	got, err := readAll(ctx, rows)
	if err != nil {
		return afterError(err, s)
	}
	if s.Error != "" {
		return outcomeDifferent, "there are rows, Trino fails with " + s.Error + "\n" + rows.Stats().SQL, nil
	}
	if why := difference(got, rows.Columns(), s); why != "" {
		return outcomeDifferent, why + "\n" + rows.Stats().SQL, nil
	}
	return outcomeSame, "", nil
}

// afterError tells what an engine's failure means: what is not supported shows before
// a statement runs, or while it does.
func afterError(err error, s answered) (outcome, why string, _ error) {
	var failure *warehouse.Error
	switch unsupported := (*transpile.NotSupported)(nil); {
	case errors.As(err, &unsupported):
		return outcomeNotSupported, err.Error(), nil
	case !errors.As(err, &failure):
		return "", "", err
	case failure.Name == s.Error:
		return outcomeSame, "", nil
	case failure.Name == string(resolve.NotSupported):
		return outcomeNotSupported, err.Error(), nil
	case s.Error != "":
		return outcomeDifferent, "fails with " + failure.Name + ", Trino with " + s.Error, nil
	}
	return "", "", err
}

// refused tells a refusal for what is not supported, or for being no query, from
// one that calls a right statement wrong.
func refused(err error, s answered) (outcome, why string, _ error) {
	var refusal *guard.Refusal
	if !errors.As(err, &refusal) {
		return "", "", err
	}
	if s.Error != "" { // with another name too: suite errors counts those
		return outcomeSame, "", nil
	}
	switch refusal.Code {
	case string(resolve.NotSupported), guard.CodeReadOnly, guard.CodeNotQuery, guard.CodeFunctionDenied, guard.CodeSystemTable, guard.CodeTableFunction:
		return outcomeNotSupported, refusal.Error(), nil
	}
	return outcomeDifferent, "called wrong: " + refusal.Code + ": " + refusal.Error(), nil
}

func readAll(ctx context.Context, rows warehouse.Rows) ([][]any, error) {
	const page = 1000
	var all [][]any
	for {
		some, err := rows.Next(ctx, page)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
}

// Metrics implements Run.
func (r *conformanceRun) Metrics(items []Item) (map[string]float64, []string) {
	counts := newTally()
	var notes []string
	for _, it := range items {
		outcome, _ := it.Prediction.(string)
		constructs, _ := it.Detail["constructs"].([]string)
		counts.add(outcome, "")
		for _, c := range constructs {
			counts.add(outcome, "."+c)
		}
		if outcome == outcomeDifferent {
			notes = append(notes, "different: "+it.Question)
		}
	}
	metrics := make(map[string]float64)
	for _, outcome := range []string{outcomeSame, outcomeNotSupported, outcomeDifferent} {
		counts.shares(metrics, outcome)
	}
	return metrics, notes
}

// Close implements Run.
func (r *conformanceRun) Close() error { return errors.Join(r.engine.Close(), r.lake.close()) }

// tally counts outcomes by group; group "" is all.
type tally struct {
	count map[string]map[string]int // by group, then outcome
	total map[string]int
}

func newTally() *tally {
	return &tally{count: make(map[string]map[string]int), total: make(map[string]int)}
}

func (t *tally) add(outcome, group string) {
	if t.count[group] == nil {
		t.count[group] = make(map[string]int)
	}
	t.count[group][outcome]++
	t.total[group]++
}

// shares writes the share of an outcome in every group.
func (t *tally) shares(metrics map[string]float64, outcome string) {
	for group, total := range t.total {
		metrics[outcome+group] = share(t.count[group][outcome], total)
	}
	metrics[outcome] = share(t.count[""][outcome], t.total[""])
}

// base leaves out the length of texts, which the product does not keep, and what
// is layout: blanks, and the case in which the server writes intervals.
func base(typ string) string {
	return strings.ToLower(strings.ReplaceAll(textLength.ReplaceAllString(typ, "varchar"), " ", ""))
}
