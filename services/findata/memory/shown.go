package memory

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Candidate is a table that a person was shown for a question.
type Candidate struct {
	Table    string // idc_region.schema.table
	Kind     Kind   // what became of it: Shown, or what the person did
	Features []float32
}

// Answer is what a person was shown for one question, in its order.
type Answer struct {
	Question string
	// Names are those of the features, by their number.
	Names      []string
	Candidates []Candidate
}

// Figures count what became of answers.
type Figures struct {
	Shown    int64 // answers with tables
	Clicked  int64 // of them, those of which a table was opened or used
	Accepted int64 // tables called right or used
	Rejected int64 // tables called wrong
}

// ClickRate is the share of answers of which a table was opened or used.
func (f Figures) ClickRate() float64 { return share(f.Clicked, f.Shown) }

// AcceptanceRate is the share of right ones among the tables judged.
func (f Figures) AcceptanceRate() float64 { return share(f.Accepted, f.Accepted+f.Rejected) }

func share(part, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(part) / float64(of)
}

// AddShown notes what a person was shown, and drops their oldest answers beyond
// the bound. The kinds of the candidates are not looked at.
func (s *Store) AddShown(ctx context.Context, person, source string, a Answer) error {
	if s.cfg.MaxShown <= 0 || len(a.Candidates) == 0 {
		return nil
	}
	names, err := json.Marshal(a.Names)
	if err != nil {
		return fmt.Errorf("write names of features as JSON: %w", err)
	}
	return s.file.Change(ctx, true, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO feature_names (names) VALUES (?) ON CONFLICT (names) DO NOTHING`, string(names)); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO answer (person, source, question, features, at)
			SELECT ?, ?, ?, id, ? FROM feature_names WHERE names = ?`, person, source, a.Question, s.clock().UnixMilli(), string(names))
		if err != nil {
			return err
		}
		id, err := res.LastInsertId()
		if err != nil {
			return err
		}
		for i, c := range a.Candidates {
			if _, err := tx.ExecContext(ctx, `INSERT INTO shown (answer, place, table_name, features) VALUES (?, ?, ?, ?)`, id, i+1, c.Table, pack(c.Features)); err != nil {
				return err
			}
		}
		const old = `SELECT id FROM answer WHERE person = ? AND source = ? AND id <= (
			SELECT id FROM answer WHERE person = ? AND source = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`
		for _, drop := range []string{`DELETE FROM shown WHERE answer IN (` + old + `)`, `DELETE FROM answer WHERE id IN (` + old + `)`} {
			if _, err := tx.ExecContext(ctx, drop, person, source, person, source, s.cfg.MaxShown); err != nil {
				return err
			}
		}
		return nil
	})
}

// judge notes in the latest answers to a question what the person did with a table.
// A click never takes back a judgement.
func judge(ctx context.Context, tx *sql.Tx, person, source, question, table string, kind Kind) error {
	if kind == Shown {
		return nil
	}
	_, err := tx.ExecContext(ctx, `UPDATE shown SET kind = ?
		WHERE lower(table_name) = ? AND (? <> 'clicked' OR kind = 'shown') AND answer IN (
			SELECT id FROM answer WHERE person = ? AND source = ? AND question = ? ORDER BY id DESC LIMIT 10)`,
		string(kind), strings.ToLower(table), string(kind), person, source, question)
	return err
}

// Use counts what became of the answers in a source, those of one person or, with
// "", of all.
func (s *Store) Use(ctx context.Context, person, source string) (f Figures, err error) {
	db, err := s.file.Open(ctx, false)
	if err != nil || db == nil {
		return f, err
	}
	err = db.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(EXISTS (SELECT 1 FROM shown WHERE answer = answer.id AND kind IN ('clicked', 'accepted'))), 0)
		FROM answer WHERE source = ? AND (? = '' OR person = ?)`, source, person, person).Scan(&f.Shown, &f.Clicked)
	if err == nil {
		err = db.QueryRowContext(ctx, `SELECT coalesce(sum(kind = 'accepted'), 0), coalesce(sum(kind = 'rejected'), 0)
			FROM feedback WHERE source = ? AND (? = '' OR person = ?)`, source, person, person).Scan(&f.Accepted, &f.Rejected)
	}
	if err != nil {
		return f, s.file.Fault("read", err)
	}
	return f, nil
}

// EachJudged tells of each answer of a source of which a table was opened, used or
// called wrong, the oldest first: what ranking is learned from. It ends with the
// first error of tell.
func (s *Store) EachJudged(ctx context.Context, source string, tell func(Answer) error) (err error) {
	db, err := s.file.Open(ctx, false)
	if err != nil || db == nil {
		return err
	}
	rows, err := db.QueryContext(ctx, `SELECT a.id, a.question, n.names, s.table_name, s.kind, s.features
		FROM answer a JOIN feature_names n ON n.id = a.features JOIN shown s ON s.answer = a.id
		WHERE a.source = ? AND EXISTS (SELECT 1 FROM shown j WHERE j.answer = a.id AND j.kind <> 'shown')
		ORDER BY a.id, s.place`, source)
	if err != nil {
		return s.file.Fault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var last int64
	var answer Answer
	for rows.Next() {
		var id int64
		var question, names string
		var c Candidate
		var raw []byte
		if err := rows.Scan(&id, &question, &names, &c.Table, &c.Kind, &raw); err != nil {
			return s.file.Fault("read", err)
		}
		if id != last {
			if last != 0 {
				if err := tell(answer); err != nil {
					return err
				}
			}
			last, answer = id, Answer{Question: question}
			if err := json.Unmarshal([]byte(names), &answer.Names); err != nil {
				return s.file.Fault("read", err)
			}
		}
		c.Features = unpack(raw)
		answer.Candidates = append(answer.Candidates, c)
	}
	if err := rows.Err(); err != nil {
		return s.file.Fault("read", err)
	}
	if last != 0 {
		return tell(answer)
	}
	return nil
}

func pack(values []float32) []byte {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return raw
}

func unpack(raw []byte) []float32 {
	values := make([]float32, 0, len(raw)/4)
	for ; len(raw) >= 4; raw = raw[4:] {
		values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	}
	return values
}
