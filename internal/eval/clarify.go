package eval

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/demo"
)

// Clarify is the suite of questions to find data over the demo warehouse that need to be
// asked back, that do not, and that its catalog cannot answer.
type Clarify struct{}

// Name implements Suite.
func (Clarify) Name() string { return "clarify" }

const clarifyFile = "clarify.jsonl"

// What a question of suite clarify wants.
const (
	wantAsks     = "asks"     // to be asked back
	wantAnswers  = "answers"  // tables
	wantDeclines = "declines" // to be told that there are none
)

// clarifyQuestion is a line of the questions.
type clarifyQuestion struct {
	Question string `json:"question"`
	Want     string `json:"want"`
	// Marts that the person may mean who asks it; none: any that is offered.
	Marts []string `json:"marts"`
}

type clarifyRun struct {
	served

	questions []clarifyQuestion
	find      findatav1.FindDataServiceClient
}

// Open implements Suite.
func (Clarify) Open(ctx context.Context, opt Options) (Run, error) {
	path := opt.Queries
	if path == "" {
		path = filepath.Join(opt.Data, clarifyFile)
	}
	questions, err := readJSONLines[clarifyQuestion](path)
	if err != nil {
		return nil, err
	}
	for i, q := range questions {
		if strings.TrimSpace(q.Question) == "" || !slices.Contains([]string{wantAsks, wantAnswers, wantDeclines}, q.Want) {
			return nil, fmt.Errorf("%w: line %d of %s needs a question, and want has to be asks, answers or declines", ErrData, i+1, path)
		}
	}
	s, err := openDemo(ctx, opt, nil, nil)
	if err != nil {
		return nil, err
	}
	return &clarifyRun{served: s, questions: questions, find: findatav1.NewFindDataServiceClient(s.local.Conn())}, nil
}

// Len implements Run.
func (r *clarifyRun) Len() int { return len(r.questions) }

// Answer implements Run.
func (r *clarifyRun) Answer(ctx context.Context, i int) (Item, error) {
	q := r.questions[i]
	item := Item{ID: fmt.Sprint(i + 1), Question: q.Question, Gold: q.Want}
	began := time.Now()
	out, err := r.find.DiscoverUnary(ctx, &findatav1.DiscoverUnaryRequest{Query: &findatav1.DiscoverQuery{
		Source: demo.Name, UserQuery: q.Question, UserContext: &commonv1.UserContext{TimeZone: "UTC"},
	}}, grpc.WaitForReady(true))
	item.Milliseconds = milliseconds(time.Since(began))
	if err != nil {
		return item, fmt.Errorf("ask find data: %w", err)
	}
	did := whatCame(out.GetResult())
	item.Prediction, item.Score = did, float64(count(did == q.Want))
	if did == wantAsks {
		err = r.reply(ctx, q, out.GetResult().GetQuestion().GetOptions())
	}
	return item, err
}

// reply answers what was asked back as the person would: with a mart that they mean, or
// with the first. What comes of it, the service counts itself.
func (r *clarifyRun) reply(ctx context.Context, q clarifyQuestion, options []*commonv1.Option) error {
	option := optionMeant(options, q.Marts)
	if option == nil {
		return nil
	}
	_, err := r.find.DiscoverUnary(ctx, &findatav1.DiscoverUnaryRequest{Query: &findatav1.DiscoverQuery{
		Source: demo.Name, UserQuery: q.Question, UserContext: &commonv1.UserContext{TimeZone: "UTC"}, ClarificationReply: option.GetLabel(),
	}})
	if err != nil {
		return fmt.Errorf("answer what find data asks: %w", err)
	}
	return nil
}

// whatCame names the outcome as questions want it. Tables of the general layer, told to
// be those where nothing matches, are a refusal.
func whatCame(r *findatav1.DiscoverResult) string {
	switch r.GetOutcome() {
	case findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK:
		return wantAsks
	case findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND:
		return wantAnswers
	default:
		return wantDeclines
	}
}

// Metrics implements Run.
func (r *clarifyRun) Metrics(items []Item) (metrics map[string]float64, notes []string) {
	metrics = clarifyMetrics(items)
	stats, err := r.find.GetUseStats(context.Background(), &findatav1.GetUseStatsRequest{Source: demo.Name})
	if err != nil {
		return metrics, []string{"what the service counted is missing: " + err.Error()}
	}
	metrics["clarification_rate"], metrics["one_round_rate"] = stats.GetClarificationRate(), stats.GetOneRoundRate()
	return metrics, nil
}

func clarifyMetrics(items []Item) map[string]float64 {
	share := func(want, did string) float64 {
		of, n := 0, 0
		for _, item := range items {
			if item.Gold != want {
				continue
			}
			of++
			if item.Prediction == did {
				n++
			}
		}
		if of == 0 {
			return 0
		}
		return float64(n) / float64(of)
	}
	return map[string]float64{
		"asked_rightly": share(wantAsks, wantAsks), "asked_needlessly": share(wantAnswers, wantAsks),
		"answered_rightly": share(wantAnswers, wantAnswers), "declined_rightly": share(wantDeclines, wantDeclines),
		"declined_needlessly": share(wantAnswers, wantDeclines),
	}
}
