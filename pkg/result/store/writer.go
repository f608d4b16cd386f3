package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
)

// Bounds of one batch: what a page has to read at least, and what a writer holds.
const (
	batchRows  = 4096
	batchBytes = 512 << 10
)

// roomStep is how much room a result takes at a time while it is written.
const roomStep = 16 << 20

// Writer keeps a result whose rows come one after another. It holds one batch of them,
// however many come. It is for one goroutine, and ends with Finish or Discard.
type Writer struct {
	store   *Store
	owner   run.Principal
	id      string
	columns []result.Column
	names   string // the columns as JSON

	claim   claim
	file    Upload
	to      *bufio.Writer
	batches *batches

	pending      [][]any
	pendingBytes int64
	where        marks
	sum          uint32 // CRC-32C of the part of the file that is being written
	rows         int64
	bytes        int64 // written to the file
	room         int64 // taken in the index
	entering     bool  // the index may know it
	ended        bool
}

// Begin begins a result of an owner.
func (s *Store) Begin(ctx context.Context, owner run.Principal, columns []result.Column) (*Writer, error) {
	if owner.IsZero() {
		return nil, fault.New(codes.Unauthenticated, "UNAUTHENTICATED", "a result needs an owner: sign in")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	names, err := json.Marshal(columns)
	if err != nil {
		return nil, fmt.Errorf("store a result: %w", err)
	}
	w := &Writer{store: s, owner: owner, columns: columns, names: string(names)}
	if w.claim, err = s.index.claim(ctx, owner); err != nil {
		return nil, fmt.Errorf("store a result: %w", err)
	}
	w.id = w.claim.id()
	if w.file, err = s.files.Create(ctx, w.id); err != nil {
		return nil, errors.Join(fmt.Errorf("store a result: %w", err), w.claim.drop(context.WithoutCancel(ctx), false), w.claim.release())
	}
	w.to = bufio.NewWriterSize(counting{w}, 64<<10)
	if w.batches, err = newBatches(w.to, columns); err != nil {
		return nil, errors.Join(fmt.Errorf("store a result: %w", err), w.Discard())
	}
	return w, nil
}

// counting writes to a writer's file and counts.
type counting struct{ w *Writer }

func (c counting) Write(p []byte) (int, error) {
	n, err := c.w.file.Write(p)
	c.w.bytes += int64(n)
	c.w.sum = crc32.Update(c.w.sum, castagnoli, p[:n])
	return n, err
}

// Append adds rows. The error RESULT_TOO_LARGE is of a result that is larger than one
// person may keep, RESULT_STORE_FULL of one for which results that are being written
// leave no room. After an error the result can only be discarded.
func (w *Writer) Append(ctx context.Context, rows [][]any) error {
	for len(rows) > 0 {
		n := 0
		for n < len(rows) && len(w.pending)+n < batchRows && w.pendingBytes < batchBytes {
			w.pendingBytes += result.Size(rows[n])
			n++
		}
		w.pending = append(w.pending, rows[:n]...)
		rows = rows[n:]
		if len(w.pending) < batchRows && w.pendingBytes < batchBytes {
			continue
		}
		if err := w.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// flush writes what is pending as one batch.
func (w *Writer) flush(ctx context.Context) error {
	if len(w.pending) == 0 {
		return nil
	}
	if err := w.batches.write(w.pending); err != nil {
		return fmt.Errorf("store a result: %w", err)
	}
	if err := w.mark(); err != nil {
		return err
	}
	w.rows += int64(len(w.pending))
	clear(w.pending)
	w.pending, w.pendingBytes = w.pending[:0], 0
	return w.takeRoom(ctx)
}

// mark notes the end of a part of the file.
func (w *Writer) mark() error {
	if err := w.to.Flush(); err != nil {
		return fmt.Errorf("store a result: %w", err)
	}
	w.where, w.sum = w.where.add(w.rows, w.bytes, w.sum), 0
	return nil
}

// takeRoom takes more room in the index where the file has outgrown what it has. A result
// of less than one step takes its room when it is finished.
func (w *Writer) takeRoom(ctx context.Context) error {
	most := w.store.most()
	if w.bytes > most {
		return w.store.tooLarge(most)
	}
	step := min(roomStep, max(most/8, 1))
	if w.bytes < step || w.bytes <= w.room {
		return nil
	}
	room := min(w.bytes+step, most)
	err := w.store.changeAs(ctx, "take room for a result", func(ctx context.Context, q querier, e *evicted) error {
		if err := w.claim.take(ctx, q, room); err != nil {
			return err
		}
		return w.makeRoom(ctx, q, e)
	})
	if err != nil {
		return fmt.Errorf("store a result: %w", err)
	}
	w.room = room
	return nil
}

// Rows is the number of rows so far.
func (w *Writer) Rows() int64 { return w.rows + int64(len(w.pending)) }

// Describe keeps what was learned of the columns, their units and periods, while the rows
// came. Names, types and number stay those of Begin.
func (w *Writer) Describe(columns []result.Column) error {
	if len(columns) != len(w.columns) {
		return fmt.Errorf("store a result: %d columns are described, it has %d", len(columns), len(w.columns))
	}
	described := slices.Clone(w.columns)
	for i := range described {
		described[i].Unit, described[i].Period = columns[i].Unit, columns[i].Period
	}
	names, err := json.Marshal(described)
	if err != nil {
		return fmt.Errorf("store a result: %w", err)
	}
	w.names = string(names)
	return nil
}

// Finish keeps the result and returns its id. key says which statement gives the same
// rows again, for this owner; empty: none does. The result is gone where this fails.
func (w *Writer) Finish(ctx context.Context, truncated bool, key string) (id string, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Discard())
		}
	}()
	if err := w.flush(ctx); err != nil {
		return "", err
	}
	if err := errors.Join(w.batches.close(), w.mark()); err != nil {
		return "", fmt.Errorf("store a result: %w", err)
	}
	if most := w.store.most(); w.bytes > most {
		return "", w.store.tooLarge(most)
	}
	if err := w.file.Commit(ctx); err != nil {
		return "", fmt.Errorf("store a result: %w", err)
	}
	w.entering = true
	err = w.store.changeAs(ctx, "keep a result", func(ctx context.Context, q querier, e *evicted) error {
		if err := w.enter(ctx, q, truncated, key); err != nil {
			return err
		}
		return w.makeRoom(ctx, q, e)
	})
	if err != nil {
		return "", fmt.Errorf("store a result: %w", err)
	}
	w.ended = true
	return w.id, w.claim.release()
}

// makeRoom has older results make room for this one.
func (w *Writer) makeRoom(ctx context.Context, q querier, e *evicted) error {
	if err := w.store.room(ctx, q, w.owner); err != nil {
		return err
	}
	return w.store.prune(ctx, q, w.owner.ID, e)
}

// enter writes the result into the index.
func (w *Writer) enter(ctx context.Context, q querier, truncated bool, key string) error {
	if err := w.claim.enter(ctx, q); err != nil {
		return err
	}
	if _, err := q.exec(ctx, `INSERT INTO results (id, owner, created_ms, columns, rows, truncated, bytes) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		w.id, w.owner.ID, w.store.config.Clock().UnixMilli(), w.names, w.rows, truncated, w.bytes); err != nil {
		return err
	}
	if _, err := q.exec(ctx, `INSERT INTO results_batches (result_id, marks) VALUES ($1, $2)`, w.id, []byte(w.where)); err != nil {
		return err
	}
	if key == "" {
		return nil
	}
	_, err := q.exec(ctx, `INSERT INTO results_reusable (owner, key, result_id) VALUES ($1, $2, $3)
		ON CONFLICT (owner, key) DO UPDATE SET result_id = excluded.result_id`, w.owner.ID, key, w.id)
	return err
}

// Discard removes what was written. It may be called after Finish, where it does nothing.
func (w *Writer) Discard() error {
	if w.ended {
		return nil
	}
	w.ended, w.pending = true, nil
	w.file.Abort()
	ctx := context.Background() // whoever wanted the result may have gone
	err := w.claim.drop(ctx, w.room > 0)
	if err == nil || !w.entering { // else the index may have it; the sweep decides
		err = errors.Join(err, w.store.files.Remove(ctx, w.id))
	}
	return errors.Join(err, w.claim.release())
}

// most is how many bytes one result may have.
func (s *Store) most() int64 { return min(s.config.MaxBytes, s.config.MaxOwnBytes) }

func (s *Store) tooLarge(most int64) error {
	return fault.New(codes.ResourceExhausted, "RESULT_TOO_LARGE",
		fmt.Sprintf("the result has more than %s, as much as one person may keep (chatbi.store.max_own_bytes): ask for fewer rows or columns", result.Bytes(most)))
}
