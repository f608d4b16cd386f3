package eval

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/services/findata/scope"
)

// Demo is the suite of questions over the demo warehouse and its semantic layer.
// It makes the demo of a fixed day in a temporary data directory, starts all
// services in this process and asks the text2sql service, which sees the whole
// catalog. The SQL that it writes and that of the question run the same way:
// guarded, transpiled, on the embedded engine. eval/demo/README.md says how
// answers are scored.
type Demo struct{}

// Name implements Suite.
func (Demo) Name() string { return "demo" }

// DefaultData implements suiteWithData: the questions are in this repository.
func (Demo) DefaultData() string { return filepath.Join("eval", "demo") }

const demoFile = "questions.jsonl"

// demoNow is when all questions are asked, in UTC: a Friday. Its data ends the day
// before, and the 400 days of it hold two 11.11.
var demoNow = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// demoQuestion is a line of the questions.
type demoQuestion struct {
	ID       string `json:"id"`
	Language string `json:"language"`
	Kind     string `json:"kind"`
	Question string `json:"question"`
	// SQL of the answer; empty: the warehouse does not know it.
	SQL string `json:"sql"`
	// Also are further statements whose rows are as right, such as the periods of
	// a comparison below each other instead of side by side.
	Also []string `json:"also,omitempty"`
	// Ordered: the rows have to come in the order of SQL.
	Ordered bool `json:"ordered"`
}

func (q demoQuestion) answerable() bool { return q.SQL != "" }

// served is what a run over sources has open: a scratch directory, all services over it, and the tables of one
// source.
type served struct {
	scratch  string
	local    *app.Local // nil: not started
	database *database  // nil: none is open
}

// Close implements Run.
func (s *served) Close() error {
	var err error
	if s.database != nil {
		err = s.database.close()
	}
	if s.local != nil {
		err = errors.Join(err, s.local.Close())
	}
	return errors.Join(err, os.RemoveAll(s.scratch))
}

type demoRun struct {
	served

	questions []demoQuestion
	service   text2sqlv1.Text2SQLServiceClient
}

// Open implements Suite. With Lang the questions of that language are asked.
func (Demo) Open(ctx context.Context, opt Options) (Run, error) {
	questions, err := readDemoQuestions(opt)
	if err != nil {
		return nil, err
	}
	r := &demoRun{questions: questions}
	if err := r.start(ctx, opt); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func readDemoQuestions(opt Options) ([]demoQuestion, error) {
	path := opt.Queries
	if path == "" {
		path = filepath.Join(opt.Data, demoFile)
	}
	questions, err := readJSONLines[demoQuestion](path)
	if err != nil {
		return nil, err
	}
	if opt.Lang != "" {
		questions = slices.DeleteFunc(questions, func(q demoQuestion) bool { return q.Language != opt.Lang })
	}
	if len(questions) == 0 {
		return nil, fmt.Errorf("%w: %s has no question in language %s", ErrData, path, opt.Lang)
	}
	return questions, nil
}

// openDemo serves the demo from a scratch directory of its own.
func openDemo(ctx context.Context, opt Options, flags map[string]any, model llm.Model) (served, error) {
	scratch, err := os.MkdirTemp("", "dibrain-eval-")
	if err != nil {
		return served{}, fmt.Errorf("make a temporary data directory: %w", err)
	}
	s := served{scratch: scratch}
	if s.local, err = serveDemo(ctx, opt, scratch, flags, model); err != nil {
		return served{}, errors.Join(err, s.Close())
	}
	return s, nil
}

// optionMeant is the option that a person takes who is asked which mart they mean: the first
// one of those marts, and the first of all where none is; nil where nothing is offered.
func optionMeant(options []*commonv1.Option, marts []string) *commonv1.Option {
	if len(options) == 0 {
		return nil
	}
	i := slices.IndexFunc(options, func(o *commonv1.Option) bool {
		mart, ok := strings.CutPrefix(o.GetId(), scope.OptionPrefix)
		return ok && slices.Contains(marts, mart)
	})
	return options[max(i, 0)]
}

// serveDemo serves the demo of demoNow from a scratch directory, with flags beyond those
// that every suite over it has. Nothing of the machine's own configuration is read: the
// figures do not depend on it. What was started is returned with an error, too, to be closed.
func serveDemo(ctx context.Context, opt Options, scratch string, flags map[string]any, model llm.Model) (*app.Local, error) {
	all := map[string]any{"data_dir": scratch, "router.time_zone": "UTC", "source": demo.Name}
	maps.Copy(all, flags)
	cfg, err := config.Load(config.Options{Environ: []string{"XDG_CONFIG_HOME=" + scratch}, Flags: all})
	if err != nil {
		return nil, err
	}
	local, err := app.InProcess(ctx, cfg, app.Options{Clock: func() time.Time { return demoNow }, Version: opt.Build.Version, Model: model})
	if err != nil {
		return nil, err
	}
	return local, local.EnsureDemo(ctx, nil)
}

func (r *demoRun) start(ctx context.Context, opt Options) error {
	flags := map[string]any{}
	var model llm.Model
	if opt.Strategy == strategyLLM {
		flags["text2sql.strategy"], model = strategyLLM, opt.Model
		// The configuration wants an endpoint with it; the model of the run is asked instead.
		flags["llm.base_url"], flags["llm.model"] = "http://127.0.0.1:9/v1", "of the run"
		// Nor is its patience: somebody may answer by hand.
		for _, key := range []string{"text2sql.max_time", "llm.max_time", "client.call_timeout"} {
			flags[key] = "2h"
		}
	}
	var err error
	if r.served, err = openDemo(ctx, opt, flags, model); err != nil {
		return err
	}
	generation, err := r.local.Sources().Current(demo.Name)
	if err != nil {
		return err
	}
	r.database, err = openDatabase(ctx, generation, guard.New(guard.Config{DefaultLimit: maxRows, MaxLimit: maxRows}))
	if err != nil {
		return err
	}
	r.service = text2sqlv1.NewText2SQLServiceClient(r.local.Conn())
	return nil
}

// Len implements Run.
func (r *demoRun) Len() int { return len(r.questions) }

// Answer implements Run. Gold that does not run, or has no rows, is an error: the
// question is not fit to score by.
func (r *demoRun) Answer(ctx context.Context, i int) (Item, error) {
	q := r.questions[i]
	item := Item{ID: q.ID, Question: q.Question, Gold: q.SQL, Detail: map[string]any{detailAnswered: false}}
	gold, err := r.gold(ctx, q)
	if err != nil {
		return item, err
	}
	began := time.Now()
	text, result, err := r.ask(ctx, q.Question)
	item.Milliseconds = milliseconds(time.Since(began))
	if err != nil {
		return item, err
	}
	item.Detail["outcome"] = result.GetOutcome().String()
	item.Detail[detailConfidence] = round(result.GetConfidence())
	if text == "" {
		item.Detail["reason"] = result.GetAbstainedReason() + result.GetQuestion().GetText()
		item.Score = float64(count(!q.answerable()))
		return item, nil
	}
	item.Prediction, item.Detail[detailAnswered] = text, true
	if !q.answerable() {
		return item, nil
	}
	got, err := r.database.predicted(ctx, text)
	if err != nil {
		item.Detail["prediction_error"] = err.Error()
		return item, nil //nolint:nilerr // a wrong answer of the product, not a failure of the run
	}
	item.Score = float64(count(slices.ContainsFunc(gold, func(want Table) bool { return answers(got, want, q.Ordered) })))
	return item, nil
}

// gold runs the statements of a question.
func (r *demoRun) gold(ctx context.Context, q demoQuestion) ([]Table, error) {
	if !q.answerable() {
		return nil, nil
	}
	var tables []Table
	for _, text := range append([]string{q.SQL}, q.Also...) {
		table, err := r.database.predicted(ctx, text)
		if err == nil && len(table.Rows) == 0 {
			err = errors.New("it has no rows")
		}
		if err != nil {
			return nil, fmt.Errorf("gold of %s: %w: %s", q.ID, err, text)
		}
		tables = append(tables, table)
	}
	return tables, nil
}

// ask returns the SQL that the service writes; empty where it asks back, refuses
// or abstains.
func (r *demoRun) ask(ctx context.Context, question string) (string, *text2sqlv1.GenerateResult, error) {
	answer, err := r.service.GenerateSQLUnary(ctx, &text2sqlv1.GenerateSQLUnaryRequest{Query: &text2sqlv1.GenerateQuery{
		Source: demo.Name, UserQuestion: question, ShowBasis: true, // as people are answered
		UserContext: &commonv1.UserContext{TimeZone: "UTC"},
	}}, grpc.WaitForReady(true))
	if err != nil {
		return "", nil, fmt.Errorf("ask the text2sql service: %w", err)
	}
	result := answer.GetResult()
	if result.GetOutcome() != text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL || len(result.GetCandidates()) == 0 {
		return "", result, nil
	}
	return result.GetCandidates()[0].GetSql(), result, nil
}
