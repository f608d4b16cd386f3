package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/transpile/trino"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Gold is the suite of statements that people wrote in another dialect: each is
// translated to Presto, parsed, resolved, and run on the embedded engine; its rows
// are compared with those of the reference statement, as it is, on DuckDB. The
// data is a folder of suite text2sql (the gold statements are the questions), or
// one of sql_repair (what its kind dialect_error has as broken; the reference is
// the repaired one).
type Gold struct{}

// Name implements Suite.
func (Gold) Name() string { return "gold" }

// goldItem is a statement to translate.
type goldItem struct {
	id, db, sql, reference string
	dialect                trino.Dialect
}

// repairItem is a line of sql_repair.
type repairItem struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	DB       string `json:"db_id"`
	Question string `json:"question"`
	Broken   string `json:"broken_sql"`
	Error    string `json:"duckdb_error"`
	Fixed    string `json:"fixed_sql_duckdb"`
}

type goldRun struct {
	items     []goldItem
	databases *databases
}

// Open implements Suite.
func (Gold) Open(_ context.Context, opt Options) (Run, error) {
	if file, ok := repairFile(opt); ok {
		items, err := repairItems(file)
		if err != nil {
			return nil, err
		}
		dbs, err := newDatabases(filepath.Join(opt.Data, "..", "..", "text2sql", "spiderman", "databases"))
		return &goldRun{items: items, databases: dbs}, err
	}
	file := opt.Queries
	if file == "" {
		file = filepath.Join(opt.Data, "dev.jsonl")
	}
	questions, err := readQuestions(file, false)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(opt.Data, "databases")
	r := &goldRun{}
	for _, q := range questions {
		if !q.answerable() || q.SQL == "" {
			continue
		}
		first := goldVariants(q.SQL)[0]
		r.items = append(r.items, goldItem{id: q.ID, db: q.DB, sql: first, reference: first, dialect: dialectOf(folder, q.DB)})
	}
	r.databases, err = newDatabases(folder)
	return r, err
}

// repairFile is the file of broken statements, where the data is of that kind.
func repairFile(opt Options) (string, bool) {
	if opt.Queries != "" {
		return opt.Queries, strings.HasSuffix(opt.Queries, "items.jsonl")
	}
	return firstFile(opt.Data, "items.jsonl")
}

func repairItems(file string) ([]goldItem, error) {
	lines, err := readJSONLines[repairItem](file)
	if err != nil {
		return nil, err
	}
	var out []goldItem
	for _, l := range lines {
		if l.Kind == "dialect_error" {
			out = append(out, goldItem{id: l.ID, db: l.DB, sql: l.Broken, reference: l.Fixed, dialect: trino.DialectSQLite})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: %s has no statement of kind dialect_error", ErrData, file)
	}
	return out, nil
}

// dialectOf is the dialect of a database's statements: a dump comes from
// PostgreSQL; those beside CSV files were made to run on DuckDB.
func dialectOf(folder, db string) trino.Dialect {
	if _, err := os.Stat(filepath.Join(folder, db, db+".sql")); err == nil {
		return trino.DialectPostgreSQL
	}
	return trino.DialectDuckDB
}

// Len implements Run.
func (r *goldRun) Len() int { return len(r.items) }

// Close implements Run.
func (r *goldRun) Close() error { return r.databases.close() }

// What an item's detail holds, and what Metrics reads from it.
const (
	detailReference  = "reference_runs"
	detailTranslates = "translates"
	detailParses     = "parses"
	detailResolves   = "resolves"
	detailRuns       = "runs"
	detailClass      = "class"
)

// Answer implements Run.
func (r *goldRun) Answer(ctx context.Context, i int) (Item, error) {
	g := r.items[i]
	item := Item{ID: g.id, Question: g.sql, Gold: g.reference, Detail: map[string]any{detailDB: g.db, detailReference: false}}
	db, err := r.databases.open(ctx, g.db)
	if err != nil {
		return item, err
	}
	want, goldErr := db.gold(ctx, g.reference)
	if goldErr != nil {
		item.Detail[detailGoldError] = goldErr.Error()
	}
	item.Detail[detailReference] = goldErr == nil
	began := time.Now()
	res, err := trino.From(g.dialect, g.sql, trino.Options{Scope: db.scope})
	item.Milliseconds = float64(time.Since(began)) / float64(time.Millisecond)
	item.Prediction = res.Text
	if err != nil {
		return failed(item, "NOT_TRANSLATED", err), nil
	}
	item.Detail[detailTranslates] = true
	if res.Unread != nil {
		return failed(item, "SYNTAX_ERROR", res.Unread), nil //nolint:nilerr // a wrong answer of the product, not a failure of the run
	}
	item.Detail[detailParses] = true
	if _, mistakes := resolve.Resolve(res.Statement, db.scope); len(mistakes) > 0 {
		return failed(item, string(mistakes[0].Code), errors.New(mistakes[0].Message)), nil
	}
	item.Detail[detailResolves] = true
	got, err := db.predicted(ctx, res.Text)
	if err != nil {
		return failed(item, classOf(err), err), nil
	}
	item.Detail[detailRuns] = true
	switch {
	case goldErr != nil:
		item.Detail[detailClass] = "REFERENCE_FAILS"
	case SameResult(got, want, Comparison{Ordered: orders(g.reference)}):
		item.Score = 1
	default:
		item.Detail[detailClass] = "DIFFERENT"
	}
	return item, nil
}

func failed(item Item, class string, err error) Item {
	item.Detail[detailClass] = class
	item.Detail["failure"] = err.Error()
	return item
}

// classOf is the name of an engine's error.
func classOf(err error) string {
	var failure *warehouse.Error
	if errors.As(err, &failure) {
		return failure.Name
	}
	if strings.Contains(err.Error(), "not supported") {
		return "ENGINE_NOT_SUPPORTED"
	}
	return "ENGINE_ERROR"
}

// Metrics implements Run: shares of all statements, but "same", which is of those
// whose reference runs; and the share that fails of each class.
func (r *goldRun) Metrics(items []Item) (map[string]float64, []string) {
	m := map[string]float64{}
	classes := map[string]int{}
	counts := map[string]int{}
	references, same := 0, 0
	for _, it := range items {
		for _, stage := range []string{detailTranslates, detailParses, detailResolves, detailRuns} {
			if is(it, stage) {
				counts[stage]++
			}
		}
		if class, ok := it.Detail[detailClass].(string); ok {
			classes[class]++
		}
		if is(it, detailReference) {
			references++
			same += int(it.Score)
		}
	}
	for _, stage := range []string{detailTranslates, detailParses, detailResolves, detailRuns} {
		m[stage] = share(counts[stage], len(items))
	}
	for class, n := range classes {
		m["failed."+class] = share(n, len(items))
	}
	m["same"], m["same_of_all"] = share(same, references), share(same, len(items))
	var notes []string
	if n := len(items) - references; n > 0 {
		notes = append(notes, fmt.Sprintf("the reference of %d statements does not run on DuckDB as it is written; they count in same_of_all only", n))
	}
	return m, notes
}
