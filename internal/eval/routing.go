package eval

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/services/router/decide"
	routerllm "github.com/dibrain/dibrain/services/router/llm"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// Routing asks the router's decision for the tools of a message, as if every call
// succeeded.
type Routing struct{}

// Name implements Suite.
func (Routing) Name() string { return "routing" }

// routingCase is a line of the cases; kind and lang are for reports.
type routingCase struct {
	ID             string           `json:"id"`
	Kind           string           `json:"kind"`
	Lang           string           `json:"lang"`
	History        []decide.Message `json:"history"`
	AgentName      string           `json:"agent_name"`
	SelectedTables []string         `json:"selected_tables"`
	Question       string           `json:"question"`
	FinalIntent    string           `json:"final_intent"`
	FirstTool      string           `json:"first_tool"`
	Chain          []string         `json:"chain"`
	MustMention    []string         `json:"rewritten_must_mention"`
}

// routed is what the router decides.
type routed struct {
	FinalIntent string   `json:"final_intent"`
	FirstTool   string   `json:"first_tool"`
	Chain       []string `json:"chain"`
	Rewritten   string   `json:"rewritten,omitempty"`
}

const (
	routingFile   = "cases.jsonl"
	routingFolder = "routing"
	// nothing stands in the cases where no tool is called or no goal pursued.
	nothing = "none"
	// maxChain ends a decision that goes round in circles.
	maxChain = 8
)

// Open implements Suite. With Lang the cases of that language are asked.
func (Routing) Open(_ context.Context, opt Options) (Run, error) {
	path := opt.Queries
	if path == "" {
		folder, err := findFolder(opt.Data, routingFolder, routingFile)
		if err != nil {
			return nil, err
		}
		path = filepath.Join(folder, routingFile)
	}
	cases, err := readJSONLines[routingCase](path)
	if err != nil {
		return nil, err
	}
	if opt.Lang != "" {
		cases = slices.DeleteFunc(cases, func(c routingCase) bool { return c.Lang != opt.Lang })
		if len(cases) == 0 {
			return nil, fmt.Errorf("%w: %s has no case in language %s", ErrData, path, opt.Lang)
		}
	}
	book, err := words.Open()
	if err != nil {
		return nil, fmt.Errorf("open the router's words: %w", err)
	}
	rules, err := decide.NewRules(book)
	if err != nil {
		return nil, fmt.Errorf("open the router's rules: %w", err)
	}
	r := &routingRun{cases: cases, strategy: rules}
	if opt.Strategy == strategyLLM {
		if opt.Limit > 0 { // a fair sample: a model costs
			r.cases = lowestHashes(r.cases, func(c routingCase) string { return c.ID }, opt.Limit)
		}
		err = r.byModel(opt.Model, rules)
	}
	return r, err
}

// lowestHashes returns the n entries whose ids have the lowest SHA-256.
func lowestHashes[T any](list []T, id func(T) string, n int) []T {
	hash := func(v T) string {
		sum := sha256.Sum256([]byte(id(v)))
		return string(sum[:])
	}
	out := slices.SortedFunc(slices.Values(list), func(a, b T) int { return strings.Compare(hash(a), hash(b)) })
	return out[:min(n, len(out))]
}

// byModel has a model decide.
func (r *routingRun) byModel(model llm.Model, rules decide.Strategy) (err error) {
	if r.strategy, err = routerllm.New(routerllm.Config{}, model, rules); err != nil {
		return err
	}
	set, err := tools.New()
	if err != nil {
		return err
	}
	for _, d := range set.All() {
		schema, err := d.Arguments.Schema(context.Background())
		if err != nil {
			return err
		}
		if !d.Unbound {
			r.tools = append(r.tools, decide.Tool{Name: d.Name, Description: d.Description, Schema: schema})
		}
	}
	return nil
}

// strategyLLM is the strategy that asks a model.
const strategyLLM = "llm"

type routingRun struct {
	cases    []routingCase
	strategy decide.Strategy
	tools    []decide.Tool // that a model may call
}

// Len implements Run.
func (r *routingRun) Len() int { return len(r.cases) }

// Answer implements Run. An item's score is 1 where the chain is right.
func (r *routingRun) Answer(ctx context.Context, i int) (Item, error) {
	c := r.cases[i]
	item := Item{
		ID: c.ID, Question: c.Question,
		Gold:   routed{FinalIntent: c.FinalIntent, FirstTool: c.FirstTool, Chain: c.Chain},
		Detail: map[string]any{"kind": c.Kind, "lang": c.Lang},
	}
	started := time.Now()
	got, err := route(ctx, r.strategy, c, r.tools)
	item.Milliseconds = milliseconds(time.Since(started))
	if err != nil {
		return item, err
	}
	item.Prediction = got
	item.Score = float64(count(slices.Equal(got.Chain, c.Chain)))
	return item, nil
}

// route follows the decisions of a turn to its end.
func route(ctx context.Context, strategy decide.Strategy, c routingCase, bound []decide.Tool) (routed, error) {
	if tool, direct := tools.Direct(c.AgentName); direct {
		goal := nothing
		if slices.Contains(tools.Intents(), tool.Name) {
			goal = tool.Name
		}
		return routed{FinalIntent: goal, FirstTool: tool.Name, Chain: []string{tool.Name}, Rewritten: c.Question}, nil
	}
	in := decide.In{Question: c.Question, History: c.History, SelectedTables: c.SelectedTables, Language: lang.Detect(c.Question), Tools: bound}
	first, err := strategy.Decide(ctx, in)
	if err != nil {
		return routed{}, fmt.Errorf("decide: %w", err)
	}
	if first.FellBack != "" {
		return routed{}, fmt.Errorf("the model did not decide: %s", first.FellBack)
	}
	out := routed{FinalIntent: orNothing(first.Goal), FirstTool: orNothing(first.Tool), Rewritten: first.Rewritten}
	for d := first; d.Tool != "" && len(out.Chain) < maxChain; {
		out.Chain = append(out.Chain, d.Tool)
		if d.Tool == d.Goal || d.Tool == tools.AskHuman || d.Tool == tools.Reject {
			break // the turn is over with it
		}
		in.Turn = &first
		in.Calls = append(in.Calls, decide.Call{ID: fmt.Sprint("call_turn_", len(out.Chain)), Tool: d.Tool, Outcome: decide.Done})
		if d, err = strategy.Decide(ctx, in); err != nil {
			return routed{}, fmt.Errorf("decide after %s: %w", strings.Join(out.Chain, ", "), err)
		}
	}
	return out, nil
}

func orNothing(s string) string {
	if s == "" {
		return nothing
	}
	return s
}

// Metrics implements Run: shares of all cases; rewrite of those that say what has
// to be mentioned.
func (r *routingRun) Metrics(items []Item) (map[string]float64, []string) {
	scores := make(map[string]*routingScore)
	for i, it := range items {
		c := r.cases[i]
		got, _ := it.Prediction.(routed) // the zero value, right in nothing, where it failed
		for _, group := range []string{"", ".lang." + c.Lang, ".kind." + c.Kind} {
			if scores[group] == nil {
				scores[group] = &routingScore{}
			}
			scores[group].add(got, c)
		}
	}
	metrics := make(map[string]float64)
	for group, s := range scores {
		metrics["final_intent"+group] = share(s.intent, s.n)
		metrics["first_tool"+group] = share(s.first, s.n)
		metrics["chain"+group] = share(s.chain, s.n)
		if s.rewrites > 0 {
			metrics["rewrite"+group] = share(s.rewritten, s.rewrites)
		}
	}
	return metrics, nil
}

// Close implements Run.
func (r *routingRun) Close() error { return nil }

// routingScore counts what is right.
type routingScore struct{ n, intent, first, chain, rewrites, rewritten int }

func (s *routingScore) add(got routed, c routingCase) {
	s.n++
	s.intent += count(got.FinalIntent == c.FinalIntent)
	s.first += count(got.FirstTool == c.FirstTool)
	s.chain += count(got.FirstTool != "" && slices.Equal(got.Chain, c.Chain))
	if len(c.MustMention) > 0 {
		s.rewrites++
		s.rewritten += count(mentions(got.Rewritten, c.MustMention))
	}
}

// mentions reports whether a text holds all the others, without case.
func mentions(text string, must []string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(must, func(m string) bool { return !strings.Contains(text, strings.ToLower(m)) })
}
