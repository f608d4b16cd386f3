package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// Text2SQL is the suite of questions over databases. The data is a folder with
// databases/ and dev.jsonl. Every database is ingested by the product's own
// ingest into a temporary data directory when its first question comes; gold SQL
// runs on DuckDB as it is written, predictions as in the product: guarded,
// transpiled, on the embedded engine.
type Text2SQL struct{}

// Name implements Suite.
func (Text2SQL) Name() string { return "text2sql" }

// textQuestion is a line of the data.
type textQuestion struct {
	ID           string `json:"id"`
	DB           string `json:"db"`
	Category     string `json:"category"`
	Question     string `json:"question"`
	QuestionZH   string `json:"question_zh"`
	Instructions string `json:"instructions"`
	SQL          string `json:"sql"`
	Answerable   *bool  `json:"answerable"`
}

func (q textQuestion) answerable() bool { return q.Answerable == nil || *q.Answerable }

// rules are the instructions that come with a question.
func (q textQuestion) rules() []catalog.Rule {
	if q.Instructions == "" {
		return nil
	}
	return []catalog.Rule{{ID: q.ID, Text: q.Instructions}}
}

type textRun struct {
	questions []textQuestion
	pipeline  *pipeline.Pipeline
	databases *databases
	zh        bool
	model     llm.Model // nil: rules alone
}

// maxLineBytes bounds a line of a questions file.
const maxLineBytes = 1 << 20

// Open implements Suite.
func (Text2SQL) Open(_ context.Context, opt Options) (Run, error) {
	file := opt.Queries
	if file == "" {
		file = filepath.Join(opt.Data, "dev.jsonl")
	}
	zh := opt.Lang == "zh"
	questions, err := readQuestions(file, zh)
	if err != nil {
		return nil, err
	}
	p, err := pipeline.New(pipeline.Config{})
	if err != nil {
		return nil, err
	}
	if opt.Strategy == strategyLLM && opt.Limit > 0 { // a fair sample: a model costs
		questions = sampled(questions, opt.Limit)
	}
	dbs, err := newDatabases(filepath.Join(opt.Data, "databases"))
	if err != nil {
		return nil, err
	}
	return &textRun{questions: questions, pipeline: p, databases: dbs, zh: zh, model: opt.Model}, nil
}

// readQuestions reads a questions file; for Chinese only those that have it.
func readQuestions(file string, zh bool) ([]textQuestion, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrData, err)
	}
	defer func() { _ = f.Close() }() // read only
	var out []textQuestion
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLineBytes)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var q textQuestion
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("%w: %s:%d: %w", ErrData, file, n, err)
		}
		if zh && q.QuestionZH == "" {
			continue
		}
		out = append(out, q)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrData, file, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: %s has no questions", ErrData, file)
	}
	return out, nil
}

// Len implements Run.
func (r *textRun) Len() int { return len(r.questions) }

// Close implements Run.
func (r *textRun) Close() error { return r.databases.close() }

// What an item's detail holds, and what Metrics reads from it.
const (
	detailDB         = "db"
	detailCategory   = "category"
	detailAnswerable = "answerable"
	detailAnswered   = "answered"
	detailValid      = "valid"
	detailConfidence = "confidence"
	detailGoldError  = "gold_error"
)

// Answer implements Run.
func (r *textRun) Answer(ctx context.Context, i int) (Item, error) {
	q := r.questions[i]
	text := q.Question
	if r.zh {
		text = q.QuestionZH
	}
	item := Item{ID: q.ID, Question: text, Gold: q.SQL, Detail: map[string]any{
		detailDB: q.DB, detailCategory: q.Category, detailAnswerable: q.answerable(), detailAnswered: false, detailValid: false,
	}}
	db, err := r.databases.open(ctx, q.DB)
	if err != nil {
		return item, err
	}
	began := time.Now()
	res, err := r.result(ctx, db, text, q.rules(), item.Detail)
	item.Milliseconds = float64(time.Since(began)) / float64(time.Millisecond)
	if err != nil {
		return item, err
	}
	item.Detail[detailConfidence] = round(res.Confidence)
	if res.Outcome != pipeline.Answered {
		item.Prediction = nil
		item.Detail["reason"] = res.Reason
		if !q.answerable() {
			item.Score = 1
		}
		return item, nil
	}
	item.Prediction = res.SQL
	item.Detail[detailAnswered] = true
	if !q.answerable() {
		return item, nil
	}
	return r.score(ctx, item, db, q, res.SQL)
}

// result answers a question by the strategy of the run.
func (r *textRun) result(ctx context.Context, db *database, text string, rules []catalog.Rule, detail map[string]any) (pipeline.Result, error) {
	if r.model == nil {
		return r.pipeline.Answer(pipeline.Input{Question: text, Schema: r.pipeline.Prepare(db.tables, nil), Now: time.Now().UTC(), Rules: rules}), nil
	}
	out, err := r.byTeam(ctx, db, text)
	if err != nil {
		return pipeline.Result{}, err
	}
	var steps []string
	for _, s := range out.History {
		steps = append(steps, s.Member+" ("+string(s.By)+"): "+s.Out)
	}
	detail["steps"], detail["warnings"] = steps, out.Warnings
	return out.Result, nil
}

// score runs prediction and gold. A gold that fails is noted and the prediction
// counts as wrong: what was asked for is not known.
func (r *textRun) score(ctx context.Context, item Item, db *database, q textQuestion, sql string) (Item, error) {
	got, err := db.predicted(ctx, sql)
	if err != nil {
		item.Detail["prediction_error"] = err.Error()
		return item, nil //nolint:nilerr // a wrong answer of the product, not a failure of the run
	}
	item.Detail[detailValid] = true
	var failure error
	for _, gold := range goldVariants(q.SQL) {
		want, err := db.gold(ctx, gold)
		if err != nil {
			failure = errors.Join(failure, err)
			continue
		}
		if SameResult(got, want, Comparison{Ordered: orders(gold), IgnoreCase: db.mysql}) {
			item.Score = 1
			return item, nil
		}
	}
	if failure != nil {
		item.Detail[detailGoldError] = failure.Error()
	}
	return item, nil
}

// Metrics implements Run. An abstention counts as wrong in execution_accuracy.
func (r *textRun) Metrics(items []Item) (map[string]float64, []string) {
	var c textCounts
	byDB := map[string]*[2]float64{}
	for _, it := range items {
		c.add(it)
		if is(it, detailAnswerable) {
			db, _ := it.Detail[detailDB].(string)
			if byDB[db] == nil {
				byDB[db] = &[2]float64{}
			}
			byDB[db][0] += it.Score
			byDB[db][1]++
		}
	}
	m := c.metrics()
	if len(byDB) > 0 {
		sum := 0.0
		for _, v := range byDB {
			sum += v[0] / v[1]
		}
		m["execution_accuracy_macro"] = sum / float64(len(byDB))
	}
	var notes []string
	if c.goldErrors > 0 {
		notes = append(notes, fmt.Sprintf("%d answered questions have gold SQL that does not run on DuckDB as it is written; they count as wrong", c.goldErrors))
	}
	return m, notes
}

func is(it Item, detail string) bool {
	v, _ := it.Detail[detail].(bool)
	return v
}

type textCounts struct {
	answerable, answered, right, valid    float64
	unanswerable, refused, catC, refused3 float64
	abstained                             float64
	goldErrors                            int
}

func (c *textCounts) add(it Item) {
	answered := is(it, detailAnswered)
	if !answered {
		c.abstained++
	}
	if it.Detail[detailGoldError] != nil {
		c.goldErrors++
	}
	if is(it, detailAnswerable) {
		c.answerable++
		c.right += it.Score
		if answered {
			c.answered++
		}
		if is(it, detailValid) {
			c.valid++
		}
		return
	}
	c.unanswerable++
	hard := it.Detail[detailCategory] == "cat_c"
	if hard {
		c.catC++
	}
	if answered {
		return
	}
	c.refused++
	if hard {
		c.refused3++
	}
}

func (c *textCounts) metrics() map[string]float64 {
	m := map[string]float64{}
	ratio := func(name string, a, b float64) {
		if b > 0 {
			m[name] = a / b
		}
	}
	ratio("execution_accuracy", c.right, c.answerable)
	ratio("precision", c.right, c.answered)
	ratio("coverage", c.answered, c.answerable)
	ratio("valid_rate", c.valid, c.answered)
	if c.unanswerable > 0 {
		ratio("abstain_recall", c.refused, c.unanswerable)
		ratio("abstain_recall_cat_c", c.refused3, c.catC)
		ratio("abstain_precision", c.refused, c.abstained)
	}
	return m
}
