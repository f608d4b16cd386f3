package trino

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// within does something for each of some tables until the budget of time is used
// up; what is not reached, and what fails, is reported once, and is tried again by
// the next ingest. The error is the caller's end.
func (r *reader) within(ctx context.Context, stage int, what string, tables []*entry, do func(context.Context, *entry) error) error {
	if len(tables) == 0 {
		return nil
	}
	r.step(len(tables), 0, "")
	limited, cancel := context.WithTimeout(ctx, r.options.Budget)
	defer cancel()
	var missed, failed atomic.Int64
	var first atomic.Pointer[string]
	group := errgroup.Group{}
	group.SetLimit(r.options.Concurrency)
	for _, t := range tables {
		group.Go(func() error {
			defer r.step(0, 1, t.stored.String())
			if limited.Err() != nil {
				t.missed = true
				missed.Add(1)
				return nil
			}
			err := do(limited, t)
			switch {
			case err == nil && !t.missed: // a stage that was missed is not passed over
				r.before.journal.stageDone(stage, t)
			case err == nil:
			case limited.Err() != nil:
				t.missed = true
				missed.Add(1)
			default:
				t.missed = true
				failed.Add(1)
				why := t.stored.String() + ": " + inWords(err)
				first.CompareAndSwap(nil, &why)
			}
			return nil
		})
	}
	_ = group.Wait() // its functions count their errors
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if n := missed.Load(); n > 0 {
		r.problem(ingest.KindNote, "", "%s of %d of %d tables are left out: the time for them (%s) was used up", what, n, len(tables), r.options.Budget)
	}
	if n := failed.Load(); n > 0 {
		r.problem(ingest.KindNote, "", "%s of %d of %d tables cannot be read and are left out; one of them is %s", what, n, len(tables), *first.Load())
	}
	return nil
}

// fresh are the tables that were read now, that still need a stage, and that fit.
func (r *reader) fresh(stage int, fits func(*entry) bool) []*entry {
	var tables []*entry
	for _, t := range r.tables {
		if !t.kept && t.stage < stage && t.Kind == catalog.KindTable && fits(t) {
			tables = append(tables, t)
		}
	}
	return tables
}

// partitions finds the partition columns where information_schema does not tell.
func (r *reader) partitions(ctx context.Context) error {
	elsewhere := r.fresh(stagePartitions, func(t *entry) bool {
		return slices.Contains([]string{"iceberg", "delta_lake"}, t.place.connector)
	})
	return r.within(ctx, stagePartitions, "the partition columns", elsewhere, func(ctx context.Context, t *entry) error {
		rows, err := r.server.Metadata(ctx, run.Principal{}, meta.PartitionRow(t.stored), r.options.statement())
		if err != nil {
			if nameOf(err) == "COLUMN_NOT_FOUND" { // of a table that has no partitions
				return nil
			}
			return err
		}
		if columns := rows.Columns(); len(columns) == 1 {
			markPartitions(&t.Table, types.Parse(columns[0].Type))
		}
		return rows.Close()
	})
}

// markPartitions marks the columns that a row type of $partitions names. A name
// that is no column's is a transform of one: day_day, created_month. Those of time
// let the server leave out files, as the column itself would; bucket and truncate
// serve single values only and count for nothing.
func markPartitions(t *catalog.Table, row types.Type) {
	for _, name := range row.Names {
		for i := range t.Columns {
			c := &t.Columns[i]
			if strings.EqualFold(c.Name, name) {
				c.Partition = true
				break
			}
			of, transform, found := cutLast(name, "_")
			if found && strings.EqualFold(c.Name, of) && slices.Contains([]string{"year", "month", "day", "hour"}, transform) {
				c.Partition = true
			}
		}
	}
}

func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}

// statistics reads row counts and distinct counts.
func (r *reader) statistics(ctx context.Context) error {
	if r.options.NoStatistics {
		return nil
	}
	return r.within(ctx, stageStatistics, "the statistics", r.fresh(stageStatistics, func(*entry) bool { return true }), func(ctx context.Context, t *entry) error {
		return r.each(ctx, meta.Stats(t.stored), func(row []any) { takeStats(&t.Table, row) })
	})
}

// takeStats takes a row of SHOW STATS.
func takeStats(t *catalog.Table, row []any) {
	column := text(row, 0)
	if column == "" {
		if n, ok := whole(row, 4); ok {
			t.RowCount = n
		}
		return
	}
	for i := range t.Columns {
		if t.Columns[i].Name == column {
			if n, ok := whole(row, 2); ok {
				t.Columns[i].Distinct = n
			}
		}
	}
}

// whole is a count that is told as a double, or not at all.
func whole(row []any, i int) (int64, bool) {
	if i >= len(row) {
		return 0, false
	}
	f, ok := row[i].(float64)
	if !ok || math.IsNaN(f) || f < 0 || f > math.MaxInt64/2 {
		return 0, false
	}
	return int64(math.Round(f)), true
}
