package memory

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/dibrain/dibrain/pkg/store/small"
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
	return s.tables.Write(ctx, "store what was shown", func(ctx context.Context, tx small.Tx) error {
		if err := lockPerson(ctx, tx, person, source); err != nil {
			return err
		}
		features, err := numberOf(ctx, tx, string(names))
		if err != nil {
			return err
		}
		var id int64
		if _, err := tx.First(ctx, `INSERT INTO {answer} (person, source, question, features, at) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
			[]any{person, source, a.Question, features, s.clock().UnixMilli()}, &id); err != nil {
			return err
		}
		for i, c := range a.Candidates {
			if err := tx.Exec(ctx, `INSERT INTO {shown} (answer, place, table_name, features) VALUES ($1, $2, $3, $4)`, id, i+1, c.Table, pack(c.Features)); err != nil {
				return err
			}
		}
		const old = `SELECT id FROM {answer} WHERE person = $1 AND source = $2 AND id <= (
			SELECT id FROM {answer} WHERE person = $1 AND source = $2 ORDER BY id DESC LIMIT 1 OFFSET $3)`
		for _, drop := range []string{`DELETE FROM {shown} WHERE answer IN (` + old + `)`, `DELETE FROM {answer} WHERE id IN (` + old + `)`} {
			if err := tx.Exec(ctx, drop, person, source, s.cfg.MaxShown); err != nil {
				return err
			}
		}
		return nil
	})
}

// numberOf is the number of a list of names of features, which is stored once.
func numberOf(ctx context.Context, tx small.Tx, names string) (id int64, err error) {
	const find = `SELECT id FROM {feature_names} WHERE names = $1`
	ok, err := tx.First(ctx, find, []any{names}, &id)
	if err != nil || ok {
		return id, err
	}
	if err := tx.Lock(ctx, "names of features"); err != nil {
		return 0, err
	}
	if ok, err := tx.First(ctx, find, []any{names}, &id); err != nil || ok {
		return id, err
	}
	_, err = tx.First(ctx, `INSERT INTO {feature_names} (names) VALUES ($1) RETURNING id`, []any{names}, &id)
	return id, err
}

// judge notes in the latest answers to a question what the person did with a table.
// A click never takes back a judgement.
func judge(ctx context.Context, tx small.Tx, person, source, question, table string, kind Kind) error {
	if kind == Shown {
		return nil
	}
	return tx.Exec(ctx, `UPDATE {shown} SET kind = $1
		WHERE lower(table_name) = $2 AND (CAST($1 AS TEXT) <> 'clicked' OR kind = 'shown') AND answer IN (
			SELECT id FROM {answer} WHERE person = $3 AND source = $4 AND question = $5 ORDER BY id DESC LIMIT 10)`,
		string(kind), strings.ToLower(table), person, source, question)
}

// Use counts what became of the answers in a source, those of one person or, with
// "", of all.
func (s *Store) Use(ctx context.Context, person, source string) (f Figures, err error) {
	err = s.tables.Read(ctx, "count what became of answers", func(ctx context.Context, q small.Querier) error {
		if _, err := q.First(ctx, `SELECT count(*), coalesce(sum(CASE WHEN EXISTS (SELECT 1 FROM {shown} s WHERE s.answer = a.id AND s.kind IN ('clicked', 'accepted')) THEN 1 ELSE 0 END), 0)
			FROM {answer} a WHERE source = $1 AND (CAST($2 AS TEXT) = '' OR person = $2)`, []any{source, person}, &f.Shown, &f.Clicked); err != nil {
			return err
		}
		_, err := q.First(ctx, `SELECT coalesce(sum(CASE kind WHEN 'accepted' THEN 1 ELSE 0 END), 0), coalesce(sum(CASE kind WHEN 'rejected' THEN 1 ELSE 0 END), 0)
			FROM {feedback} WHERE source = $1 AND (CAST($2 AS TEXT) = '' OR person = $2)`, []any{source, person}, &f.Accepted, &f.Rejected)
		return err
	})
	return f, err
}

// judgedAtOnce is how many answers are read at once.
const judgedAtOnce = 100

// EachJudged tells of each answer of a source of which a table was opened, used or
// called wrong, the oldest first: what ranking is learned from. It ends with the
// first error of tell.
func (s *Store) EachJudged(ctx context.Context, source string, tell func(Answer) error) error {
	for after := int64(0); ; {
		answers, last, err := s.judged(ctx, source, after)
		if err != nil {
			return err
		}
		for _, a := range answers {
			if err := tell(a); err != nil {
				return err
			}
		}
		if len(answers) < judgedAtOnce {
			return nil
		}
		after = last
	}
}

// judged reads some answers, and the number of the last of them.
func (s *Store) judged(ctx context.Context, source string, after int64) (answers []Answer, last int64, err error) {
	err = s.tables.Read(ctx, "read what became of answers", func(ctx context.Context, q small.Querier) error {
		answers, last = nil, 0
		return q.Each(ctx, `SELECT a.id, a.question, n.names, s.table_name, s.kind, s.features
			FROM (SELECT id, question, features FROM {answer} o WHERE source = $1 AND id > $2
				AND EXISTS (SELECT 1 FROM {shown} j WHERE j.answer = o.id AND j.kind <> 'shown') ORDER BY id LIMIT $3) a
			JOIN {feature_names} n ON n.id = a.features JOIN {shown} s ON s.answer = a.id ORDER BY a.id, s.place`,
			[]any{source, after, judgedAtOnce}, func(row small.Row) error {
				var id int64
				var question, names string
				var c Candidate
				var raw []byte
				if err := row.Scan(&id, &question, &names, &c.Table, &c.Kind, &raw); err != nil {
					return err
				}
				if id != last {
					answers = append(answers, Answer{Question: question})
					if err := json.Unmarshal([]byte(names), &answers[len(answers)-1].Names); err != nil {
						return err
					}
					last = id
				}
				c.Features = unpack(raw)
				of := &answers[len(answers)-1]
				of.Candidates = append(of.Candidates, c)
				return nil
			})
	})
	return answers, last, err
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
