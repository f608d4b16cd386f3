package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
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
	return s.file.Change(ctx, true, func(tx *sql.Tx) error {
		at := s.clock().UnixMilli()
		if _, err := tx.ExecContext(ctx, `INSERT INTO review (source, kind, asked, question, times, first_at, last_at, reading) VALUES (?, ?, ?, ?, 1, ?, ?, ?)
			ON CONFLICT (source, kind, asked) DO UPDATE SET times = times + 1, last_at = excluded.last_at, question = excluded.question,
			reading = excluded.reading, status = CASE status WHEN 'resolved' THEN 'open' ELSE status END`,
			source, string(kind), strings.ToLower(strings.TrimSpace(question)), question, at, at, string(raw)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM review WHERE source = ? AND id IN (
			SELECT id FROM review WHERE source = ? ORDER BY last_at DESC, id DESC LIMIT -1 OFFSET ?)`, source, source, most)
		return err
	})
}

// Reviews returns entries of a state ("": any), most asked first, of equals the latest,
// at most limit from an offset.
func (s *Store) Reviews(ctx context.Context, source string, status Status, kind ReviewKind, limit, offset int) (list []Review, err error) {
	db, err := s.file.Open(ctx, false)
	if err != nil || db == nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT id, kind, question, times, first_at, last_at, reading, status, resolution, resolved_by, resolved_at
		FROM review WHERE source = ? AND (? = '' OR status = ?) AND (? = '' OR kind = ?) ORDER BY times DESC, last_at DESC, id LIMIT ? OFFSET ?`,
		source, string(status), string(status), string(kind), string(kind), limit, offset)
	if err != nil {
		return nil, s.file.Fault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r, err := scanReview(rows)
		if err != nil {
			return nil, s.file.Fault("read", err)
		}
		list = append(list, r)
	}
	if err := rows.Err(); err != nil {
		return nil, s.file.Fault("read", err)
	}
	return list, nil
}

func scanReview(row interface{ Scan(to ...any) error }) (r Review, err error) {
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
	db, err := s.file.Open(ctx, false)
	if err != nil || db == nil {
		return r, false, err
	}
	r, err = scanReview(db.QueryRowContext(ctx, `SELECT id, kind, question, times, first_at, last_at, reading, status, resolution, resolved_by, resolved_at
		FROM review WHERE source = ? AND id = ?`, source, id))
	if errors.Is(err, sql.ErrNoRows) {
		return r, false, nil
	}
	if err != nil {
		return r, false, s.file.Fault("read", err)
	}
	return r, true, nil
}

// Resolve notes what a curator made of an entry.
func (s *Store) Resolve(ctx context.Context, source string, id int64, status Status, resolution, by string) error {
	return s.file.Change(ctx, true, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE review SET status = ?, resolution = ?, resolved_by = ?, resolved_at = ? WHERE source = ? AND id = ?`,
			string(status), resolution, by, s.clock().UnixMilli(), source, id)
		return err
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
	return s.file.Change(ctx, true, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO use_day (source, day, asked, clarified, declined, replied, settled) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (source, day) DO UPDATE SET asked = asked + excluded.asked, clarified = clarified + excluded.clarified,
			declined = declined + excluded.declined, replied = replied + excluded.replied, settled = settled + excluded.settled`,
			source, s.clock().UTC().Format(time.DateOnly), c.Asked, c.Clarified, c.Declined, c.Replied, c.Settled)
		return err
	})
}

// CameSince sums what came of questions from a day on ("2006-01-02", "": all).
func (s *Store) CameSince(ctx context.Context, source, day string) (c Came, err error) {
	db, err := s.file.Open(ctx, false)
	if err != nil || db == nil {
		return c, err
	}
	if err := db.QueryRowContext(ctx, `SELECT coalesce(sum(asked), 0), coalesce(sum(clarified), 0), coalesce(sum(declined), 0), coalesce(sum(replied), 0), coalesce(sum(settled), 0)
		FROM use_day WHERE source = ? AND day >= ?`, source, day).Scan(&c.Asked, &c.Clarified, &c.Declined, &c.Replied, &c.Settled); err != nil {
		return c, s.file.Fault("read", err)
	}
	return c, nil
}
