package duckdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Explain implements warehouse.Engine, from the optimizer's estimates.
func (e *Engine) Explain(ctx context.Context, principal run.Principal, approved guard.Approved) (warehouse.Plan, error) {
	if err := warehouse.CheckApproval(principal, approved); err != nil {
		return warehouse.Plan{}, err
	}
	text, err := transpile.TranspileResolved(approved.Resolution())
	if err != nil {
		return warehouse.Plan{}, err
	}
	plan, err := e.plan(ctx, principal, text)
	if err != nil {
		return warehouse.Plan{}, err
	}
	var roots []operator
	if err := json.Unmarshal([]byte(plan), &roots); err != nil {
		return warehouse.Plan{}, fmt.Errorf("read the embedded engine's plan: %w", err)
	}
	out := warehouse.Plan{Rows: -1, Text: plan}
	for i, root := range roots {
		if i == 0 {
			out.Rows = root.firstEstimate()
		}
		root.scans(&out.Scans)
	}
	return out, nil
}

// plan is DuckDB's plan of a statement, as JSON.
func (e *Engine) plan(ctx context.Context, principal run.Principal, text string) (_ string, err error) {
	rows, err := e.start(ctx, principal, "EXPLAIN (FORMAT json) "+text, nil, warehouse.Options{})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	page, err := rows.Next(ctx, 1)
	if err != nil {
		return "", err
	}
	if len(page[0]) == 2 { // its kind comes first
		if plan, ok := page[0][1].(string); ok {
			return plan, nil
		}
	}
	return "", errors.New("the embedded engine's plan has another form than it is known to have")
}

// operator is a node of DuckDB's plan.
type operator struct {
	Name     string         `json:"name"`
	Children []operator     `json:"children"`
	Extra    map[string]any `json:"extra_info"`
}

func (o operator) estimate() float64 {
	if text, ok := o.Extra["Estimated Cardinality"].(string); ok {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
	}
	return -1
}

// firstEstimate is the estimate of the topmost operator that has one.
func (o operator) firstEstimate() float64 {
	if n := o.estimate(); n >= 0 {
		return n
	}
	for _, c := range o.Children {
		if n := c.firstEstimate(); n >= 0 {
			return n
		}
	}
	return -1
}

func (o operator) scans(into *[]warehouse.Scan) {
	if table, ok := o.Extra["Table"].(string); ok && strings.Contains(strings.ToUpper(o.Name), "SCAN") {
		*into = append(*into, warehouse.Scan{Table: table, Rows: o.estimate(), Bytes: -1})
	}
	for _, c := range o.Children {
		c.scans(into)
	}
}
