// Command sqlspeed times the stages of SQL work over the queries of queries.sql
// and prints the medians in microseconds as JSON. scripts/bench-sql.sh compares
// them with sqlglot in one run.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
)

//go:embed queries.sql
var queries string

//go:embed tables.tsv
var schema string

const (
	rounds = 40
	long   = 20 // lines from which a query counts as long
)

func main() {
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "sqlspeed:", err)
		os.Exit(1)
	}
}

// stages are the medians over all queries and rounds, in microseconds.
type stages struct {
	Queries        int     `json:"queries"`
	Parse          float64 `json:"parse_us"`
	ParseTranspile float64 `json:"parse_transpile_us"` // with names and types resolved between
	Chain          float64 `json:"parse_resolve_guard_print_us"`
	ChainLong      float64 `json:"parse_resolve_guard_print_20_lines_us"`
}

func measure() error {
	scope := resolve.Scope{Catalog: resolve.NewTables(tables()), DefaultRegion: "tpch", DefaultSchema: "tiny"}
	g := guard.New(guard.Config{})
	var parse, transpile, chain, chainLong []float64
	texts := strings.Split(strings.TrimSpace(queries), ";\n")
	for round := range rounds {
		for _, text := range texts {
			text = strings.TrimSuffix(strings.TrimSpace(text), ";")
			parsed, transpiled, guarded, err := times(g, scope, text)
			if err != nil {
				return fmt.Errorf("%w: %s", err, text)
			}
			if round < rounds/4 { // warm up
				continue
			}
			parse, transpile, chain = append(parse, parsed), append(transpile, transpiled), append(chain, guarded)
			if strings.Count(text, "\n")+1 >= long {
				chainLong = append(chainLong, guarded)
			}
		}
	}
	return json.NewEncoder(os.Stdout).Encode(stages{len(texts), median(parse), median(transpile), median(chain), median(chainLong)})
}

// times runs each piece of work once, in microseconds.
func times(g *guard.Guard, scope resolve.Scope, text string) (parse, transpile, chain float64, err error) {
	clock := time.Now()
	lap := func() float64 {
		d := time.Since(clock)
		clock = time.Now()
		return float64(d.Nanoseconds()) / 1_000
	}
	stmt, err := parser.Parse(text)
	if err != nil {
		return 0, 0, 0, err
	}
	parse = lap()
	resolution, mistakes := resolve.Resolve(stmt, scope)
	if len(mistakes) > 0 {
		return 0, 0, 0, fmt.Errorf("%s: %s", mistakes[0].Code, mistakes[0].Message)
	}
	if _, err := duckdb.TranspileResolved(resolution); err != nil {
		return 0, 0, 0, err
	}
	transpile = parse + lap()
	approved, err := g.Approve(context.Background(), run.Principal{ID: "bench"}, text, scope)
	if err != nil {
		return 0, 0, 0, err
	}
	_ = printer.Print(approved.Statement())
	return parse, transpile, lap(), nil
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func tables() []catalog.Table {
	var out []catalog.Table
	for line := range strings.Lines(schema) {
		name, columns, _ := strings.Cut(strings.TrimSpace(line), "\t")
		t := catalog.Table{Name: catalog.Name{Region: "tpch", Schema: "tiny", Table: name}, RowCount: -1}
		for _, c := range strings.Split(columns, ", ") {
			column, typ, _ := strings.Cut(c, " ")
			t.Columns = append(t.Columns, catalog.Column{Name: column, Type: typ})
		}
		out = append(out, t)
	}
	return out
}
