package eval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Use is the suite of what comes of questions in use: those of the demo are asked through the
// router by a person who knows which tables they want, answers what is asked back and says of the
// tables shown which are right. The figures are those that find data counts itself, as
// `dibrain findata stats` prints them.
type Use struct{}

// Name implements Suite.
func (Use) Name() string { return "use" }

// DefaultData implements suiteWithData.
func (Use) DefaultData() string { return Demo{}.DefaultData() }

// useFiles are the demo's own sets of questions with the SQL of their answers.
var useFiles = []string{demoFile, "held-out.jsonl", "fresh.jsonl"}

// useQuestion is a line of the questions: of suite demo, or of suite clarify.
type useQuestion struct {
	demoQuestion
	// Marts that the person may mean; none: those of the tables that SQL reads, or any.
	Marts []string `json:"marts"`
}

type useRun struct {
	served

	questions []useQuestion
	verdicts  []verdict
	router    routerv1.RouterServiceClient
	find      findatav1.FindDataServiceClient
	catalog   findatav1.CatalogServiceClient
}

// Open implements Suite. With Queries the questions of that file alone are asked: those of suite
// clarify have no SQL, and their tables are not judged.
func (Use) Open(ctx context.Context, opt Options) (Run, error) {
	files := []string{opt.Queries}
	if opt.Queries == "" {
		files = nil
		for _, name := range useFiles {
			files = append(files, filepath.Join(opt.Data, name))
		}
	}
	r := &useRun{}
	for _, file := range files {
		questions, err := readJSONLines[useQuestion](file)
		if err != nil {
			return nil, err
		}
		for i, q := range questions {
			if strings.TrimSpace(q.Question) == "" {
				return nil, fmt.Errorf("%w: line %d of %s has no question", ErrData, i+1, file)
			}
		}
		r.questions = append(r.questions, questions...)
	}
	var err error
	if r.served, err = openDemo(ctx, opt, nil, nil); err != nil {
		return nil, err
	}
	conn := r.local.Conn()
	r.router, r.find, r.catalog = routerv1.NewRouterServiceClient(conn), findatav1.NewFindDataServiceClient(conn), findatav1.NewCatalogServiceClient(conn)
	return r, nil
}

// maxWanted bounds the tables that one question wants; SQL that reads more is not fit to be used.
const maxWanted = 20

// Len implements Run.
func (r *useRun) Len() int { return len(r.questions) }

// Answer implements Run. The score is 1 where a table that the person wants is shown, and where
// nothing is shown to one who wants what no table has.
func (r *useRun) Answer(ctx context.Context, i int) (Item, error) {
	q := r.questions[i]
	item := Item{ID: q.ID, Question: q.Question, Gold: q.SQL}
	wanted, err := tablesRead(q.SQL)
	if err != nil {
		return item, fmt.Errorf("%w: the SQL of question %s: %w", ErrData, q.ID, err)
	}
	began := time.Now()
	answer, err := r.ask(ctx, &routerv1.Turn{Question: q.Question})
	if err != nil {
		return item, err
	}
	found := discovered(answer)
	asked := found.GetOutcome() == findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK
	if asked {
		option, err := r.meant(ctx, q.Marts, wanted, found.GetQuestion().GetOptions())
		if err != nil {
			return item, err
		}
		if answer, err = r.ask(ctx, &routerv1.Turn{Question: option.GetLabel(), ChosenOptionId: option.GetId(), SessionId: answer.GetSessionId()}); err != nil {
			return item, err
		}
		found = discovered(answer)
	}
	item.Milliseconds = milliseconds(time.Since(began))
	shown := shownTables(found)
	right := slices.DeleteFunc(slices.Clone(shown), func(t string) bool { return !slices.Contains(wanted, t) })
	item.Prediction, item.Detail = shown, map[string]any{"asked": asked, "outcome": found.GetOutcome().String(), "marts": found.GetMarts(), "right": right}
	item.Score = float64(count(len(right) > 0 || len(wanted)+len(shown) == 0))
	if q.SQL != "" { // else nobody knows which tables are right
		r.verdicts = append(r.verdicts, verdict{answer.GetRunId(), shown, right})
	}
	return item, nil
}

// verdict is what the person thinks of the tables of an answer.
type verdict struct {
	run          string
	shown, right []string
}

func (r *useRun) ask(ctx context.Context, turn *routerv1.Turn) (*routerv1.Answer, error) {
	turn.Source, turn.UserContext = demo.Name, &commonv1.UserContext{TimeZone: "UTC"}
	out, err := r.router.Ask(ctx, &routerv1.AskRequest{Turn: turn}, grpc.WaitForReady(true))
	if err != nil {
		return nil, fmt.Errorf("ask the router: %w", err)
	}
	return out.GetAnswer(), nil
}

// discovered is what find data last found in a turn; nil: it was not asked.
func discovered(a *routerv1.Answer) *findatav1.DiscoverResult {
	for _, call := range slices.Backward(a.GetToolCalls()) {
		if found := call.GetDataDiscovery(); found != nil {
			return found
		}
	}
	return nil
}

// meant is the option that a person takes: one of the marts that they mean, that
// of a table that they want, or the first.
func (r *useRun) meant(ctx context.Context, marts, wanted []string, options []*commonv1.Option) (*commonv1.Option, error) {
	if len(options) == 0 {
		return nil, errors.New("find data asks back and offers nothing")
	}
	if len(marts) == 0 && len(wanted) > 0 {
		out, err := r.catalog.DescribeTables(ctx, &findatav1.DescribeTablesRequest{Source: demo.Name, Tables: wanted})
		if err != nil {
			return nil, fmt.Errorf("describe the tables of the answer: %w", err)
		}
		for _, t := range out.GetTables() {
			marts = append(marts, t.GetMart())
		}
	}
	return optionMeant(options, marts), nil
}

// shownTables are the names of the tables of an answer, as SQL has them. Those of the general
// layer, shown where nothing matches, are no answer.
func shownTables(found *findatav1.DiscoverResult) []string {
	if found.GetOutcome() != findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND {
		return nil
	}
	var names []string
	for _, c := range found.GetRelatedTables() {
		ref := c.GetTable().GetRef()
		names = append(names, strings.ToLower(ref.GetIdcRegion()+"."+ref.GetSchema()+"."+ref.GetTable()))
	}
	return names
}

// judge tells what the person thinks of the tables of an answer: those that they want are right;
// where none is, the first one is wrong.
func (r *useRun) judge(ctx context.Context, v verdict) error {
	f := &routerv1.SubmitFeedbackRequest{RunId: v.run, Rating: routerv1.Rating_RATING_UP, AcceptedTables: v.right}
	switch {
	case len(v.shown) == 0:
		return nil
	case len(v.right) == 0:
		f.Rating, f.RejectedTables = routerv1.Rating_RATING_DOWN, v.shown[:1]
	}
	if _, err := r.router.SubmitFeedback(ctx, f); err != nil {
		return fmt.Errorf("say what the tables are worth: %w", err)
	}
	return nil
}

// tablesRead are the tables that a statement reads, in lower case; none of "".
func tablesRead(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	statement, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	var names []string
	tree.Walk(statement, func(n tree.Node) bool {
		t, ok := n.(*tree.Table)
		if !ok || len(t.Name.Parts) < 3 { // what WITH names has one part
			return true
		}
		var parts []string
		for _, p := range t.Name.Parts {
			parts = append(parts, p.Name)
		}
		if name := strings.ToLower(strings.Join(parts, ".")); !slices.Contains(names, name) {
			names = append(names, name)
		}
		return true
	})
	if len(names) > maxWanted {
		return nil, fmt.Errorf("it reads %d tables, and at most %d can be wanted", len(names), maxWanted)
	}
	return names, nil
}

// Metrics implements Run. The tables are judged now that all has been asked: what somebody accepts
// decides which marts they mean from then on, so that fewer of their questions are asked back.
func (r *useRun) Metrics(items []Item) (metrics map[string]float64, notes []string) {
	right := 0.0
	for _, item := range items {
		right += item.Score
	}
	metrics = map[string]float64{"right": right / float64(max(len(items), 1))}
	ctx := context.Background()
	for _, v := range r.verdicts {
		if err := r.judge(ctx, v); err != nil {
			return metrics, []string{err.Error()}
		}
	}
	stats, err := r.find.GetUseStats(ctx, &findatav1.GetUseStatsRequest{Source: demo.Name})
	if err != nil {
		return metrics, []string{"what the service counted is missing: " + err.Error()}
	}
	metrics["questions"], metrics["asked"], metrics["replies"] = float64(stats.GetQuestions()), float64(stats.GetClarified()), float64(stats.GetReplies())
	metrics["clarification_rate"], metrics["one_round_rate"] = stats.GetClarificationRate(), stats.GetOneRoundRate()
	use := stats.GetUse()
	metrics["answers"], metrics["click_rate"] = float64(use.GetShown()), use.GetClickRate()
	metrics["judged"], metrics["acceptance_rate"] = float64(use.GetJudged()), use.GetAcceptanceRate()
	return metrics, nil
}
