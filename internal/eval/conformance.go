package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// Conformance runs statements that a Trino server has answered, the way the
// product runs them: read, resolved, guarded, transpiled, executed. A statement
// gives the same rows, is refused as not supported, or is different, which it
// must never be.
type Conformance struct {
	// Engine is "duckdb" or empty, which means it.
	Engine string
}

// Name implements Suite.
func (Conformance) Name() string { return "conformance" }

// answered is a statement with Trino's answer to it.
type answered struct {
	SQL     string `json:"sql"`
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
	if s.Engine != "" && s.Engine != "duckdb" {
		return nil, fmt.Errorf("there is no engine %q to compare with yet: use duckdb", s.Engine)
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
	engine, err := duckdb.Open(ctx, duckdb.Config{
		Databases: map[string]string{lakeRegion: lake.path}, DefaultRegion: lakeRegion, DefaultSchema: lakeSchema,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the engine: %w", err), lake.close())
	}
	return &conformanceRun{
		statements: statements, lake: lake, engine: engine,
		guard: guard.New(guard.Config{DefaultLimit: maxConformanceRows, MaxLimit: maxConformanceRows}),
	}, nil
}

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
	who := run.Principal{ID: "eval"}
	approved, err := r.guard.Approve(ctx, who, s.SQL, r.lake.scope())
	if err != nil {
		return refused(err)
	}
	rows, err := r.engine.Query(ctx, who, approved, warehouse.Options{})
	if unsupported := (*transpile.NotSupported)(nil); errors.As(err, &unsupported) {
		return outcomeNotSupported, err.Error(), nil
	}
	if err != nil {
		return "", "", err
	}
	defer func() { _ = rows.Close() }() // read to the end or given up
	got, err := readAll(ctx, rows)
	if err != nil {
		return "", "", err
	}
	if why := difference(got, rows.Columns(), s); why != "" {
		return outcomeDifferent, why + "\n" + rows.Stats().SQL, nil
	}
	return outcomeSame, "", nil
}

// refused tells a refusal for what is not supported, or for being no query, from
// one that calls a right statement wrong.
func refused(err error) (outcome, why string, _ error) {
	var refusal *guard.Refusal
	if !errors.As(err, &refusal) {
		return "", "", err
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
