package store

import (
	"context"
	"fmt"
	"slices"
)

// evictedAtATime bounds the results that one transaction removes, so that none is long
// however far beyond its bounds a store is.
const evictedAtATime = 200

// Why a result was removed, as the table removed keeps it.
const (
	whyAge   = "age"
	whyQuota = "quota"
	whyOwner = "owner" // who deleted it
)

// spare is which part of a bound for all is made free where it is passed: to find what goes
// takes a look at every result, and so many new ones do not have to look again.
const spare = 100

// maxRemoved bounds what is remembered of removed results.
const maxRemoved = 10_000

// choice is a SELECT of the ids of results that are to go, those that go first first. A
// LIMIT can be put behind it.
type choice struct {
	why  string
	text string
	args []any
}

// evicted is what a transaction has removed. more says that it stopped at evictedAtATime,
// so that others may be beyond the bounds still.
type evicted struct {
	ids  []string
	more bool
}

// take removes what is chosen, as many results as the transaction may remove still.
func (e *evicted) take(ctx context.Context, q querier, now int64, of choice) error {
	left := evictedAtATime - len(e.ids)
	if left <= 0 {
		e.more = true
		return nil
	}
	ids, err := q.remove(ctx, of, now, left)
	e.ids = append(e.ids, ids...)
	e.more = e.more || len(ids) == left
	return err
}

// old chooses what is too old.
func (s *Store) old() choice {
	return choice{whyAge, `SELECT id FROM results WHERE created_ms <= $1 ORDER BY created_ms, id`, []any{s.oldest()}}
}

// beyondOwn chooses the oldest results of an owner that are beyond what one may keep, of
// every owner where none is named. What is being written counts.
func (s *Store) beyondOwn(owner string) choice {
	args, whose := []any{s.config.MaxOwnResults, s.config.MaxOwnBytes}, ""
	if owner != "" {
		args, whose = append(args, owner), `WHERE owner = $3`
	}
	return choice{whyQuota, `SELECT id FROM (
			SELECT id, owner, created_ms, row_number() OVER newest AS position, sum(bytes) OVER newest AS total
			FROM results ` + whose + ` WINDOW newest AS (PARTITION BY owner ORDER BY created_ms DESC, id DESC ROWS UNBOUNDED PRECEDING)
		) AS theirs LEFT JOIN (SELECT owner AS writer, sum(bytes) AS bytes FROM results_writing GROUP BY owner) AS held ON writer = owner
		WHERE position > $1 OR total > CAST($2 AS BIGINT) - coalesce(bytes, 0) ORDER BY created_ms, id`, args}
}

// Measures of what is kept.
const (
	ofBytes  = `sum(bytes)`
	ofNumber = `count(*)`
)

// beyondAll chooses what is beyond most by a measure, of all owners: again and again the
// oldest of whoever has most, until the rest is within. So a result goes the sooner the more
// its owner has in it and in newer ones together.
func beyondAll(measure string, most int64) choice {
	return choice{whyQuota, fmt.Sprintf(`SELECT id FROM (
			SELECT id, %[1]s OVER (ORDER BY total, owner DESC, created_ms DESC, id DESC ROWS UNBOUNDED PRECEDING) AS held FROM (
				SELECT id, owner, created_ms, bytes, %[1]s OVER (PARTITION BY owner ORDER BY created_ms DESC, id DESC ROWS UNBOUNDED PRECEDING) AS total FROM results
			) AS theirs
		) AS ranked WHERE held > $1 ORDER BY held DESC`, measure), []any{most}}
}

// prune removes what is too old, then what is beyond the bounds: of the owner, who has just
// stored, that owner's oldest (of each owner where none is named); of all together, the oldest
// of whoever has most, so that nobody loses a result to somebody who stores more. Results that
// are being written count and stay. A bound for all that is passed leaves a hundredth of it free.
func (s *Store) prune(ctx context.Context, q querier, owner string, e *evicted) error {
	now := s.config.Clock().UnixMilli()
	for _, c := range []choice{s.old(), s.beyondOwn(owner)} {
		if err := e.take(ctx, q, now, c); err != nil {
			return err
		}
	}
	// The bytes go before the number: what they take away counts no more.
	for _, measure := range []string{ofBytes, ofNumber} {
		var number, bytes, writing int64
		if err := q.one(ctx, `SELECT count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT), (SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM results_writing) FROM results`,
			nil, &number, &bytes, &writing); err != nil {
			return err
		}
		have, most := bytes, s.config.MaxBytes-writing
		if measure == ofNumber {
			have, most = number, int64(s.config.MaxResults)
		}
		if have <= most {
			continue
		}
		if err := e.take(ctx, q, now, beyondAll(measure, most-most/spare)); err != nil {
			return err
		}
	}
	_, err := q.exec(ctx, `DELETE FROM results_removed WHERE id IN (SELECT id FROM results_removed ORDER BY removed_ms DESC, id DESC LIMIT 1000000000 OFFSET $1)`, maxRemoved)
	return err
}

// evict removes what is beyond the bounds, batch by batch. each gets the ids of one once it
// is certain that they are gone.
func (s *Store) evict(ctx context.Context, each func(ids []string)) error {
	for more := true; more; {
		gone, err := s.change(ctx, "remove old results", func(ctx context.Context, q querier, e *evicted) error { return s.prune(ctx, q, "", e) })
		if err != nil {
			return err
		}
		each(slices.Clone(gone.ids))
		more = gone.more
	}
	return nil
}

// change changes the index. What it says is gone has files still.
func (s *Store) change(ctx context.Context, doing string, do func(ctx context.Context, q querier, e *evicted) error) (evicted, error) {
	var e evicted
	err := s.index.write(ctx, doing, func(ctx context.Context, q querier) error {
		e = evicted{}
		if err := q.begin(ctx); err != nil {
			return err
		}
		return do(ctx, q, &e)
	})
	return e, err
}

// changeAs changes the index for somebody who waits: files of what it let go, and what is
// beyond the bounds still, are left to the background.
func (s *Store) changeAs(ctx context.Context, doing string, do func(ctx context.Context, q querier, e *evicted) error) error {
	e, err := s.change(ctx, doing, do)
	if err != nil {
		return err
	}
	s.background.letGo(ctx, e)
	return nil
}
