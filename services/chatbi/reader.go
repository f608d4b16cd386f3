package chatbi

import (
	"context"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// fetchRows is how many rows are fetched at a time.
const fetchRows = 1000

// fetched is what is in memory of a result.
type fetched struct {
	head      result.Table // its first rows
	rows      int64        // of the whole
	truncated bool         // the engine had more than the limits let through
	at        time.Time    // when an earlier run of the statement read them; zero: now
}

// whole is the part that is in memory as a table, cut off where it is not all.
func (f *fetched) whole() result.Table {
	t := f.head
	t.Truncated = f.truncated || f.rows > int64(len(t.Rows))
	return t
}

// all takes all rows of a statement into memory.
type all struct {
	fetched
	held     *part
	progress func(Progress)
}

func (a *all) begin(_ context.Context, columns []result.Column) error {
	a.head.Columns = columns
	return nil
}

func (a *all) most() int { return fetchRows }

func (a *all) add(ctx context.Context, rows [][]any) error {
	if err := a.held.take(ctx, rows); err != nil {
		return err
	}
	a.head.Rows, a.rows = append(a.head.Rows, rows...), a.rows+int64(len(rows))
	a.progress(Progress{Phase: "fetching", Fraction: -1, Rows: a.rows})
	return nil
}

// reader takes the rows of a statement: its first into memory, to be analysed, and all of
// them to the store, as they come.
type reader struct {
	fetched
	service  *Service
	owner    run.Principal
	held     *part
	progress func(Progress)
	limits   LimitConfig // those of the beginning, whatever they are meanwhile
	pageSize int

	headBytes int64
	headFull  bool
	told      int64 // rows at which progress was told last
	writer    *store.Writer
	stored    *store.Store
	storeErr  error  // why nothing is stored
	resultID  string // of a result that was stored before, and its rows are
	key       string // the statement's, where its rows may be used again
}

func (s *Service) reader(p run.Principal, q Query, held *part, progress func(Progress)) *reader {
	limits := s.config().Limits
	size := q.PageSize
	if size <= 0 {
		size = limits.PageSize
	}
	return &reader{service: s, owner: p, held: held, progress: progress, limits: limits, pageSize: size}
}

// reuse takes the rows that the statement gave before, where they are stored and still
// hold. What stands in the way of that is no matter: the engine has them.
func (r *reader) reuse(ctx context.Context) bool {
	if r.key == "" {
		return false
	}
	hit := r.stores(ctx)
	r.service.deps.Meter.Looked(ctx, meter.CacheResults, hit)
	return hit
}

// stores reports whether the store has the rows of the statement, and takes them.
func (r *reader) stores(ctx context.Context) bool {
	s := r.service
	pages, err := s.results.open(ctx)
	if err != nil {
		return false
	}
	id, at, err := pages.Reusable(ctx, r.owner, r.key)
	if err != nil || id == "" {
		return false
	}
	head, err := pages.Page(ctx, r.owner, id, "", int(r.limits.AnalysedRows), r.limits.AnalysedBytes)
	if err != nil || r.held.take(ctx, head.Rows) != nil {
		s.log.WarnContext(ctx, "a stored result is not used again, and the engine is asked", "run_id", run.From(ctx).RunID, "error", err)
		return false
	}
	r.fetched = fetched{head: head.Table, rows: head.TotalRows, truncated: head.Truncated, at: at}
	r.stored, r.resultID = pages, id
	return true
}

// begin makes the result in the store. Where that cannot be had, rows come all the same
// for as long as memory has them.
func (r *reader) begin(ctx context.Context, columns []result.Column) error {
	r.head.Columns = columns
	if r.stored, r.storeErr = r.service.results.open(ctx); r.storeErr == nil {
		r.writer, r.storeErr = r.stored.Begin(ctx, r.owner, columns)
	}
	return ctx.Err()
}

// most is one page at first, so that nobody waits for more than that to see the first
// rows of a slow statement.
func (r *reader) most() int {
	if r.rows == 0 {
		return min(r.pageSize, fetchRows)
	}
	return fetchRows
}

func (r *reader) add(ctx context.Context, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	if err := r.held.take(ctx, rows); err != nil {
		return err
	}
	kept := r.keepHead(rows)
	r.rows += int64(len(rows))
	err := r.store(ctx, rows)
	r.held.give(rows[kept:])
	if err != nil {
		return err
	}
	r.tell()
	return nil
}

// keepHead keeps as many of the rows as are analysed, and returns their number.
func (r *reader) keepHead(rows [][]any) (kept int) {
	for !r.headFull && kept < len(rows) {
		size := result.Size(rows[kept])
		if int64(len(r.head.Rows)) >= r.limits.AnalysedRows || len(r.head.Rows) > 0 && r.headBytes+size > r.limits.AnalysedBytes {
			r.headFull = true
			break
		}
		r.head.Rows, r.headBytes = append(r.head.Rows, rows[kept]), r.headBytes+size
		kept++
	}
	return kept
}

// store hands rows to the store. Its failure is one of the statement where the rows are
// not all in memory.
func (r *reader) store(ctx context.Context, rows [][]any) error {
	if r.storeErr == nil {
		if r.storeErr = r.writer.Append(ctx, rows); r.storeErr != nil {
			r.discard(ctx)
		}
	}
	if r.storeErr != nil && (r.headFull || ctx.Err() != nil) {
		return r.storeErr
	}
	return nil
}

// tell tells how many rows have come: the first page, and then whenever there are a
// twentieth more, so that large results do not tell it ten thousand times.
func (r *reader) tell() {
	if r.told > 0 && r.rows < r.told+max(fetchRows, r.told/20) {
		return
	}
	at := Progress{Phase: "fetching", Fraction: -1, Rows: r.rows}
	if r.told == 0 {
		page := r.firstPage()
		page.TotalRows = -1
		at.FirstPage = &page
	}
	r.told = r.rows
	r.progress(at)
}

// firstPage is the first page out of memory.
func (r *reader) firstPage() store.Page {
	page := store.Page{Table: result.Table{Columns: r.head.Columns, Truncated: r.truncated}, TotalRows: r.rows}
	bytes := int64(0)
	for i, row := range r.head.Rows[:min(len(r.head.Rows), r.pageSize)] {
		if bytes += result.Size(row); i > 0 && bytes > int64(r.limits.MaxPageBytes) {
			break
		}
		page.Rows = append(page.Rows, row)
	}
	return page
}

// describe takes what the analysis knows of the columns: how people read their values.
func (r *reader) describe(ctx context.Context, columns []result.Column) {
	r.head.Columns = columns
	if r.resultID != "" || r.storeErr != nil {
		return
	}
	if r.storeErr = r.writer.Describe(columns); r.storeErr != nil {
		r.discard(ctx)
	}
}

// finish keeps the result and reads its first page.
func (r *reader) finish(ctx context.Context) (page store.Page, err error) {
	if r.resultID == "" {
		if r.storeErr != nil {
			return page, r.storeErr
		}
		if r.resultID, err = r.writer.Finish(ctx, r.truncated, r.key); err != nil {
			return page, err
		}
	}
	return r.stored.Page(ctx, r.owner, r.resultID, "", r.pageSize, int64(r.limits.MaxPageBytes))
}

// discard removes what was stored of a result that did not come to its end.
func (r *reader) discard(ctx context.Context) {
	if r.writer == nil {
		return
	}
	if err := r.writer.Discard(); err != nil {
		r.service.log.WarnContext(ctx, "what was stored of a result that did not come to its end could not be removed; the next sweep does it", "error", err)
	}
}
