package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/store/small"
)

// ReviewKind says what went wrong with a question.
type ReviewKind string

// Kinds of what is reviewed.
const (
	Declined     ReviewKind = "declined" // nothing was found
	Unsure       ReviewKind = "unsure"   // the person was asked back
	VotedAgainst ReviewKind = "rejected" // tables shown were called wrong
)

// Status is what became of an entry of the queue.
type Status string

// States of an entry.
const (
	Open      Status = "open"
	Resolved  Status = "resolved"
	Dismissed Status = "dismissed"
)

// Reading is how a question was read.
type Reading struct {
	Subjects []string `json:"subjects,omitempty"` // words that name something
	Missing  []string `json:"missing,omitempty"`  // of them: no table knows them
	Tables   []string `json:"tables,omitempty"`   // that were shown, or called wrong
	Options  []string `json:"options,omitempty"`  // that were offered
	Answer   string   `json:"answer,omitempty"`
}

// Review is an entry of the queue.
type Review struct {
	ID              int64
	Kind            ReviewKind
	Question        string
	Times           int64
	FirstAt, LastAt time.Time
	Reading         Reading
	Status          Status
	Resolution      string // what a curator made of it
	ResolvedBy      string
	ResolvedAt      time.Time
}

// AddReview puts a question into the queue, or counts it once more. One that a curator
// has dismissed stays dismissed; one that is resolved and goes wrong again is open
// again. Beyond most open entries the oldest goes; most 0 keeps none.
func (s *Store) AddReview(ctx context.Context, source string, kind ReviewKind, question string, r Reading, most int) error {
	if most <= 0 {
		return nil
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write how a question was read as JSON: %w", err)
	}
	asked := strings.ToLower(strings.TrimSpace(question))
	return s.tables.Write(ctx, "store a question for review", func(ctx context.Context, tx small.Tx) error {
		if err := tx.Lock(ctx, fmt.Sprintf("review of %q", source)); err != nil {
			return err
		}
		at := s.clock().UnixMilli()
		var id int64
		again, err := tx.First(ctx, `SELECT id FROM {review} WHERE source = $1 AND kind = $2 AND asked = $3`, []any{source, string(kind), asked}, &id)
		if err == nil && again {
			err = tx.Exec(ctx, `UPDATE {review} SET times = times + 1, last_at = $1, question = $2, reading = $3,
				status = CASE status WHEN 'resolved' THEN 'open' ELSE status END WHERE id = $4`, at, question, string(raw), id)
		} else if err == nil {
			err = tx.Exec(ctx, `INSERT INTO {review} (source, kind, asked, question, times, first_at, last_at, reading) VALUES ($1, $2, $3, $4, 1, $5, $6, $7)`,
				source, string(kind), asked, question, at, at, string(raw))
		}
		if err != nil {
			return err
		}
		return tx.Exec(ctx, `DELETE FROM {review} WHERE source = $1 AND id NOT IN (
			SELECT id FROM {review} WHERE source = $1 ORDER BY last_at DESC, id DESC LIMIT $2)`, source, most)
	})
}

const reviewColumns = `id, kind, question, times, first_at, last_at, reading, status, resolution, resolved_by, resolved_at`

// Reviews returns entries of a state ("": any), most asked first, of equals the latest,
// at most limit from an offset.
func (s *Store) Reviews(ctx context.Context, source string, status Status, kind ReviewKind, limit, offset int) (list []Review, err error) {
	err = s.tables.Read(ctx, "read what is to be reviewed", func(ctx context.Context, q small.Querier) error {
		list = nil
		return q.Each(ctx, `SELECT `+reviewColumns+` FROM {review} WHERE source = $1 AND (CAST($2 AS TEXT) = '' OR status = $2) AND (CAST($3 AS TEXT) = '' OR kind = $3)
			ORDER BY times DESC, last_at DESC, id LIMIT $4 OFFSET $5`, []any{source, string(status), string(kind), limit, offset}, func(row small.Row) error {
			r, err := scanReview(row)
			list = append(list, r)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

func scanReview(row small.Row) (r Review, err error) {
	var first, last, resolved int64
	var raw string
	if err := row.Scan(&r.ID, &r.Kind, &r.Question, &r.Times, &first, &last, &raw, &r.Status, &r.Resolution, &r.ResolvedBy, &resolved); err != nil {
		return r, err
	}
	r.FirstAt, r.LastAt = time.UnixMilli(first), time.UnixMilli(last)
	if resolved > 0 {
		r.ResolvedAt = time.UnixMilli(resolved)
	}
	return r, json.Unmarshal([]byte(raw), &r.Reading)
}

// Review returns one entry; ok is false where there is none of that id in the source.
func (s *Store) Review(ctx context.Context, source string, id int64) (r Review, ok bool, err error) {
	err = s.tables.Read(ctx, "read what is to be reviewed", func(ctx context.Context, q small.Querier) error {
		r, ok = Review{}, false
		return q.Each(ctx, `SELECT `+reviewColumns+` FROM {review} WHERE source = $1 AND id = $2`, []any{source, id}, func(row small.Row) (err error) {
			r, err = scanReview(row)
			ok = err == nil
			return err
		})
	})
	return r, ok && err == nil, err
}

// Resolve notes what a curator made of an entry.
func (s *Store) Resolve(ctx context.Context, source string, id int64, status Status, resolution, by string) error {
	return s.tables.Write(ctx, "store what a curator made of a question", func(ctx context.Context, tx small.Tx) error {
		return tx.Exec(ctx, `UPDATE {review} SET status = $1, resolution = $2, resolved_by = $3, resolved_at = $4 WHERE source = $5 AND id = $6`,
			string(status), resolution, by, s.clock().UnixMilli(), source, id)
	})
}

// Came counts what came of questions.
type Came struct {
	Asked     int64 // questions
	Clarified int64 // of them: the person was asked back
	Declined  int64 // of them: nothing was found
	Replied   int64 // answers to what was asked back
	Settled   int64 // of them: tables were found
}

// ClarificationRate is the share of questions that were asked back.
func (c Came) ClarificationRate() float64 { return share(c.Clarified, c.Asked) }

// OneRoundRate is the share of answers to what was asked back that settled it.
func (c Came) OneRoundRate() float64 { return share(c.Settled, c.Replied) }

// AddCame counts on.
func (s *Store) AddCame(ctx context.Context, source string, c Came) error {
	return s.tables.Write(ctx, "count what came of a question", func(ctx context.Context, tx small.Tx) error {
		return tx.Exec(ctx, `INSERT INTO {use_day} (source, day, asked, clarified, declined, replied, settled) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (source, day) DO UPDATE SET asked = {use_day}.asked + excluded.asked, clarified = {use_day}.clarified + excluded.clarified,
			declined = {use_day}.declined + excluded.declined, replied = {use_day}.replied + excluded.replied, settled = {use_day}.settled + excluded.settled`,
			source, s.clock().UTC().Format(time.DateOnly), c.Asked, c.Clarified, c.Declined, c.Replied, c.Settled)
	})
}

// CameSince sums what came of questions from a day on ("2006-01-02", "": all).
func (s *Store) CameSince(ctx context.Context, source, day string) (c Came, err error) {
	err = s.tables.Read(ctx, "count what came of questions", func(ctx context.Context, q small.Querier) error {
		c = Came{}
		return q.Each(ctx, `SELECT asked, clarified, declined, replied, settled FROM {use_day} WHERE source = $1 AND day >= $2`, []any{source, day}, func(row small.Row) error {
			var d Came
			if err := row.Scan(&d.Asked, &d.Clarified, &d.Declined, &d.Replied, &d.Settled); err != nil {
				return err
			}
			c = Came{c.Asked + d.Asked, c.Clarified + d.Clarified, c.Declined + d.Declined, c.Replied + d.Replied, c.Settled + d.Settled}
			return nil
		})
	})
	return c, err
}
