package eval

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/parse/learn"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	readingrank "github.com/dibrain/dibrain/services/text2sql/rank"
	"github.com/dibrain/dibrain/services/text2sql/rank/train"
)

// ReadingsOptions say which questions are read.
type ReadingsOptions struct {
	Data    string // folder with databases/
	Queries string // file of questions with their SQL
	Limit   int    // most questions; 0: all
	Chinese bool   // those that are in Chinese, in Chinese
	// CutEvery is of how many questions one is asked once more of tables from which
	// a column that the gold query names was taken; 0: none.
	CutEvery int
	Labels   Labels
	Now      time.Time
	Progress func(done, total int) // may be nil
}

// Readings reads questions and labels each of their readings by its rows. Questions
// whose gold query does not run are left out.
func Readings(ctx context.Context, o ReadingsOptions) ([]train.Example, readingrank.Data, error) {
	data := readingrank.Data{Name: filepath.Base(o.Data)}
	text, err := os.ReadFile(o.Queries)
	if err != nil {
		return nil, data, fmt.Errorf("%w: %w", ErrData, err)
	}
	sum := sha256.Sum256(text)
	data.SHA256 = hex.EncodeToString(sum[:])
	questions, err := readQuestions(o.Queries, o.Chinese)
	if err != nil {
		return nil, data, err
	}
	if o.Limit > 0 && len(questions) > o.Limit { // a sample of all databases
		slices.SortStableFunc(questions, func(a, b textQuestion) int { return cmp.Compare(hashOf(a.ID), hashOf(b.ID)) })
		questions = questions[:o.Limit]
	}
	slices.SortStableFunc(questions, func(a, b textQuestion) int { return strings.Compare(a.DB, b.DB) })
	p, err := pipeline.New(pipeline.Config{})
	if err != nil {
		return nil, data, err
	}
	judge, err := NewJudge(filepath.Join(o.Data, "databases"))
	if err != nil {
		return nil, data, err
	}
	r := reader{ReadingsOptions: o, judge: judge, pipeline: p}
	var out []train.Example
	for i, q := range questions {
		examples, err := r.read(ctx, q)
		if err != nil {
			return nil, data, errors.Join(err, judge.Close())
		}
		for _, e := range examples {
			if e.Cut {
				data.Cut++
			} else {
				data.Questions++
			}
		}
		out = append(out, examples...)
		if o.Progress != nil {
			o.Progress(i+1, len(questions))
		}
	}
	data.Databases = r.databases
	if o.Chinese {
		return out, data, judge.Close()
	}
	own, err := wordings(p, o.Now)
	return append(out, own...), data, errors.Join(err, judge.Close())
}

// wordings are the product's own ways to word questions, right where the SQL is the
// one written for them: short ones, which sets of questions have few of.
func wordings(p *pipeline.Pipeline, now time.Time) ([]train.Example, error) {
	w, err := learn.LoadWordings()
	if err != nil {
		return nil, err
	}
	schema := p.Prepare(w.Tables, nil)
	var out []train.Example
	for _, group := range w.Groups {
		for _, q := range group.Questions {
			e := train.Example{ID: q, Group: "wordings", Own: true}
			list, _ := p.Candidates(pipeline.Input{Question: q, Schema: schema, Now: now})
			for _, c := range list {
				e.Readings = append(e.Readings, train.Reading{SQL: c.SQL, Features: c.Features, Right: c.SQL == group.SQL})
			}
			out = append(out, e)
		}
	}
	return out, nil
}

type reader struct {
	ReadingsOptions
	judge     *Judge
	pipeline  *pipeline.Pipeline
	db        string
	tables    []catalog.Table
	schema    *pipeline.Schema
	databases int
}

func (r *reader) read(ctx context.Context, q textQuestion) ([]train.Example, error) {
	if r.schema == nil || q.DB != r.db {
		tables, err := r.judge.Tables(ctx, q.DB)
		if err != nil {
			return nil, err
		}
		r.db, r.tables, r.schema = q.DB, tables, r.pipeline.Prepare(tables, nil)
		r.databases++
	}
	whole, err := r.example(ctx, q, r.schema, false)
	if errors.Is(err, ErrGold) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := []train.Example{whole}
	if h := hashOf(q.ID); r.CutEvery > 0 && h%uint64(r.CutEvery) == 0 { //nolint:gosec // not negative
		if tables := without(r.tables, q.SQL, h); tables != nil {
			cut, err := r.example(ctx, q, r.pipeline.Prepare(tables, nil), true)
			if errors.Is(err, ErrGold) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			out = append(out, cut)
		}
	}
	return out, nil
}

func (r *reader) example(ctx context.Context, q textQuestion, s *pipeline.Schema, cut bool) (train.Example, error) {
	e := train.Example{ID: q.ID, Group: q.DB, Cut: cut}
	text := q.Question
	if r.Chinese {
		text = q.QuestionZH
	}
	list, _ := r.pipeline.Candidates(pipeline.Input{Question: text, Schema: s, Now: r.Now})
	for _, c := range list {
		right, err := r.right(ctx, q, c.SQL)
		if err != nil {
			return e, err
		}
		e.Readings = append(e.Readings, train.Reading{SQL: c.SQL, Features: c.Features, Right: right})
	}
	return e, nil
}

// right asks the labels, and the databases only for what those do not know.
func (r *reader) right(ctx context.Context, q textQuestion, sql string) (bool, error) {
	key := labelKey(q.DB, q.SQL, sql)
	if label, ok := r.Labels[key]; ok {
		if label == noGold {
			return false, ErrGold
		}
		return label == right, nil
	}
	ok, err := r.judge.Right(ctx, sql, q.SQL)
	switch {
	case errors.Is(err, ErrGold):
		r.Labels.set(key, noGold)
	case ok:
		r.Labels.set(key, right)
	case err == nil:
		r.Labels.set(key, wrong)
	}
	return ok, err
}

// without returns copies of tables that lack a column which a query names; nil
// where no column of a name of its own is found. Keys stay.
func without(tables []catalog.Table, sql string, pick uint64) []catalog.Table {
	type place struct{ table, column int }
	named := map[string][]place{}
	lower := strings.ToLower(sql)
	for t := range tables {
		for c, column := range tables[t].Columns {
			if name := strings.ToLower(column.Name); !column.PrimaryKey && strings.Contains(lower, `"`+name+`"`) {
				named[name] = append(named[name], place{t, c})
			}
		}
	}
	var names []string
	for name := range named {
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	out := slices.Clone(tables)
	for _, p := range named[names[pick/7%uint64(len(names))]] {
		t := &out[p.table]
		t.Columns = slices.Delete(slices.Clone(t.Columns), p.column, p.column+1)
	}
	return out
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // a hash takes everything
	return h.Sum64()
}
