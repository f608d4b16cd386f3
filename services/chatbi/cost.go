package chatbi

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/cost"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Estimate is what a statement would read.
type Estimate struct {
	Rows  int64 // -1: not known
	Bytes int64 // -1: not known
	// Partitions that are read of all tables that have some; 0: not known.
	Partitions int64
	Method     string
	Plan       string
	// Unbounded says that a table of unknown size is read without a condition that
	// leaves out partitions of it.
	Unbounded bool
}

// told is the estimate as it may be known: how many rows a filter leaves out, and
// what their values are, could be found out by asking for estimates.
func (e Estimate) told(approved guard.Approved) Estimate {
	if approved.Protected() {
		return Estimate{Rows: -1, Bytes: -1, Method: methodWithheld}
	}
	return e
}

// Methods of estimates.
const (
	methodWithheld = "withheld"
	methodExplain  = "explain"
	methodCatalog  = "catalog"
)

// fromCatalog estimates from the statistics that the catalog keeps and from the
// partitions that the statement's predicates leave.
func (s *Service) fromCatalog(approved guard.Approved, now time.Time) Estimate {
	e := cost.Of(approved.Resolution(), cost.Options{Now: now})
	out := Estimate{Rows: e.Rows, Bytes: e.Bytes, Method: methodCatalog}
	for _, read := range cost.Reads(approved.Resolution(), cost.Options{Now: now}) {
		out.Unbounded = out.Unbounded || read.Table.RowCount < 0 && !s.prunes(read)
	}
	out.Partitions = partitions(approved, nil, now)
	return out
}

// partitions counts the partitions that a statement reads: by the engine's constraints
// where it tells them, else by the statement's own conditions. 0: they cannot be counted,
// or no table has any.
func partitions(approved guard.Approved, scans []warehouse.Scan, now time.Time) int64 {
	total := int64(0)
	for _, read := range cost.Reads(approved.Resolution(), cost.Options{Now: now}) {
		of := int64(0) // 0: no partition column was seen yet
		for _, c := range read.Table.Columns {
			if !c.Partition {
				continue
			}
			n := constrained(scans, read.Table.Name, c.Name)
			if n == 0 {
				n = values(read.Domain(c.Name))
			}
			if n == 0 || of > math.MaxInt32 || n > math.MaxInt32 {
				return 0
			}
			of = max(of, 1) * n
		}
		total += of
	}
	return total
}

// values is how many single values or days a domain has; 0: it cannot be counted.
func values(d cost.Domain) int64 {
	if d.IsAll() {
		return 0
	}
	if n, ok := d.Points(); ok {
		return n
	}
	n, _ := d.Days()
	return n
}

// constrained is how many values of a column an engine says that it reads; 0: it does not
// say.
func constrained(scans []warehouse.Scan, table catalog.Name, column string) int64 {
	for _, scan := range scans {
		if !strings.EqualFold(scan.Table, table.String()) {
			continue
		}
		for _, c := range scan.Constraints {
			if !strings.EqualFold(c.Column, column) {
				continue
			}
			total := int64(0)
			for _, r := range c.Ranges {
				n := inRange(r)
				if n == 0 {
					return 0
				}
				total += n
			}
			return total
		}
	}
	return 0
}

// inRange is how many values a range of one value, or of days, has; 0: it cannot be counted.
func inRange(r warehouse.Range) int64 {
	if !r.Low.Bounded || !r.High.Bounded {
		return 0
	}
	if r.Low.Value == r.High.Value && r.Low.Inclusive && r.High.Inclusive {
		return 1
	}
	from, err := time.Parse(time.DateOnly, r.Low.Value)
	if err != nil {
		return 0
	}
	to, err := time.Parse(time.DateOnly, r.High.Value)
	if err != nil {
		return 0
	}
	n := int64(to.Sub(from)/(24*time.Hour)) + 1
	if !r.Low.Inclusive {
		n--
	}
	if !r.High.Inclusive {
		n--
	}
	return max(n, 0)
}

// prunes reports that a condition leaves out partitions of a table, today.
func (s *Service) prunes(read cost.Read) bool {
	return slices.ContainsFunc(read.Table.Columns, func(c catalog.Column) bool {
		return c.Partition && read.Prunes(c.Name, s.deps.Clock(), s.config().Cost.PartitionDays)
	})
}

// estimateOf is what a statement reads, by the catalog where that settles the gate, else by
// the engine.
func (s *Service) estimateOf(ctx context.Context, p run.Principal, x *engine, approved guard.Approved, now time.Time) (Estimate, error) {
	if e := s.fromCatalog(approved, now); !s.needsExplain(e) {
		return e, nil
	}
	return s.explain(ctx, p, x, approved, now)
}

// explain asks the engine; what it does not know is taken from the catalog.
func (s *Service) explain(ctx context.Context, p run.Principal, x *engine, approved guard.Approved, now time.Time) (Estimate, error) {
	fallback := s.fromCatalog(approved, now)
	plan, err := x.explain(ctx, p, approved)
	if err != nil {
		if ctx.Err() != nil {
			return Estimate{}, errors.Join(ctx.Err(), err)
		}
		return fallback, err
	}
	if !approved.Protected() { // a plan has the conditions of the policy in it
		fallback.Plan = lang.Clip(plan.Text, s.config().Limits.MaxPlanBytes)
	}
	if n := partitions(approved, plan.Scans, now); n > 0 {
		fallback.Partitions = n
	}
	if len(plan.Scans) == 0 && len(approved.Tables()) > 0 {
		return fallback, nil
	}
	e := Estimate{Method: methodExplain, Plan: fallback.Plan, Partitions: fallback.Partitions}
	for _, scan := range plan.Scans {
		if scan.Rows < 0 {
			return fallback, nil
		}
		e.Rows = sum(e.Rows, scan.Rows)
		e.Bytes = sum(e.Bytes, scan.Bytes)
	}
	return e, nil
}

// sum adds an estimate to a total; -1 where one of them is not known.
func sum(total int64, more float64) int64 {
	if total < 0 || more < 0 {
		return -1
	}
	if more >= float64(math.MaxInt64-total) {
		return math.MaxInt64
	}
	return total + int64(more)
}

// gate decides on an estimate. The question or the refusal has the numbers.
func (s *Service) gate(e Estimate, engine string, confirmed bool) CostAction {
	c := s.config().Cost
	settled := func(action CostAction) CostAction {
		if action == CostAsk && confirmed {
			return CostAllow
		}
		return action
	}
	above := func(value, limit int64) bool { return limit >= 0 && value > limit }
	if above(e.Rows, c.RefuseRows) || above(e.Bytes, c.RefuseBytes) {
		return CostRefuse
	}
	if above(e.Rows, c.AskRows) || above(e.Bytes, c.AskBytes) {
		return settled(c.AboveAsk)
	}
	if e.Rows < 0 && e.Unbounded {
		return settled(c.unknownOn(engine))
	}
	return CostAllow
}

// unknownOn is what happens to a statement of unknown cost: an embedded engine's
// tables are those of this machine, a warehouse's may have billions of rows.
func (c CostConfig) unknownOn(engine string) CostAction {
	switch {
	case c.Unknown != "":
		return c.Unknown
	case engine == string(source.EngineTrino):
		return CostAsk
	}
	return CostAllow
}

// needsExplain reports whether the catalog's figures do not settle the gate.
func (s *Service) needsExplain(e Estimate) bool {
	return e.Rows < 0 || s.gate(e, "", false) != CostAllow
}

// costText is the question or the refusal that an action of the gate is; empty: it lets pass.
func (s *Service) costText(action CostAction, e Estimate, tables []catalog.Name, l lang.Language) string {
	key := map[CostAction]string{CostAsk: "cost_ask", CostRefuse: "cost_refused"}[action]
	if key == "" {
		return ""
	}
	args, suffix := s.costArgs(e, tables)
	args["detail"] = s.costDetail(e, suffix, l)
	return s.analyst.Sentence(l, key+suffix, args)
}

// costDetail is what is known beside the number that a question or a refusal names, in
// parentheses: the bytes, the partitions, or both; empty: neither is known.
func (s *Service) costDetail(e Estimate, suffix string, l lang.Language) string {
	key := ""
	if e.Bytes > 0 && suffix == "" {
		key = "_bytes"
	}
	if e.Partitions > 0 && suffix != "_unknown" {
		key += "_partitions"
	}
	if key == "" {
		return ""
	}
	return s.analyst.Sentence(l, "cost_detail"+key, map[string]string{"bytes": result.Bytes(e.Bytes), "partitions": result.Int(e.Partitions).String()})
}

// costRefused is the problem that a refusal for its cost is.
func costRefused(text string) *Problem { return &Problem{Code: "COST_LIMIT_EXCEEDED", Message: text} }

// costArgs are the numbers of a question or a refusal.
func (s *Service) costArgs(e Estimate, tables []catalog.Name) (args map[string]string, suffix string) {
	names := make([]string, 0, len(tables))
	for _, t := range tables {
		names = append(names, t.String())
	}
	slices.Sort(names)
	args = map[string]string{"rows": result.Int(e.Rows).String(), "tables": strings.Join(names, ", ")}
	limit := s.config().Cost.RefuseRows
	if e.Rows < 0 && e.Bytes < 0 {
		return args, "_unknown"
	}
	if e.Bytes >= 0 && (e.Rows < 0 || e.Bytes > s.config().Cost.AskBytes) {
		suffix, limit = "_bytes", s.config().Cost.RefuseBytes
		args["bytes"] = result.Bytes(e.Bytes)
		args["limit"] = result.Bytes(limit)
		return args, suffix
	}
	if s.config().Cost.AboveAsk == CostRefuse && e.Rows <= limit {
		limit = s.config().Cost.AskRows
	}
	args["limit"] = result.Int(limit).String()
	return args, suffix
}
