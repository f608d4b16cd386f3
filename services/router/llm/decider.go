// Package llm is the router's decision by a model: decide.Strategy over any
// endpoint of pkg/llm, with the tools bound. One call of the model is enough for
// a turn in which all goes well: the steps that follow from its decision are
// taken by the rules. Where the model is away, too slow or out of budget, the
// rules decide the whole turn, and the decision says why.
package llm

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/prompt"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

//go:embed prompts
var promptFiles embed.FS

// Config bounds what the model is sent. The zero value of a field means its
// default.
type Config struct {
	// MaxTextRunes bounds one earlier message, one SQL, one error text.
	MaxTextRunes int
	// MaxTables bounds the tables that are named of one step.
	MaxTables int
	// MaxDecisions bounds the decisions of one turn that the model makes.
	MaxDecisions int
	// MaxRefused bounds the calls of the model that may be refused before the first one of
	// a turn is made; then the rules decide.
	MaxRefused int
}

func (c Config) complete() Config {
	for _, f := range []struct {
		value *int
		byDef int
	}{{&c.MaxTextRunes, 1500}, {&c.MaxTables, 10}, {&c.MaxDecisions, 5}, {&c.MaxRefused, 2}} {
		if *f.value <= 0 {
			*f.value = f.byDef
		}
	}
	return c
}

// Decider decides by a model. It may be used concurrently.
type Decider struct {
	cfg    Config
	model  chat.Model
	rules  decide.Strategy
	prompt *prompt.Prompt
}

// New returns a decider that goes on by rules where the model does not answer.
func New(cfg Config, model chat.Model, rules decide.Strategy) (*Decider, error) {
	if model == nil || rules == nil {
		return nil, errors.New("router: a model and rules are needed to decide by a model")
	}
	p, err := prompt.Read(promptFiles, "prompts/decide.md")
	if err != nil {
		return nil, fmt.Errorf("router: %w", err)
	}
	return &Decider{cfg: cfg.complete(), model: model, rules: rules, prompt: p}, nil
}

// Name implements decide.Strategy.
func (d *Decider) Name() string { return "llm" }

// Decide implements decide.Strategy.
func (d *Decider) Decide(ctx context.Context, in decide.In) (decide.Decision, error) {
	if d.followsFromBefore(in) {
		return d.rules.Decide(ctx, in)
	}
	if in.Turn == nil && in.Refused == "" {
		if byRules, err := d.rules.Decide(ctx, in); err == nil && byRules.Sure {
			return byRules, nil
		}
	}
	if looksThrough(in) {
		return lookThrough(in)
	}
	if in.Refused != "" && in.Refusals >= d.cfg.MaxRefused && begins(in) {
		return d.anew(ctx, in)
	}
	decision, err := d.ask(ctx, in)
	if err == nil {
		return d.secondView(ctx, in, decision)
	}
	reason, ok := chat.FallBack(ctx, err)
	if !ok {
		return decide.Decision{}, err
	}
	decision, err = d.rules.Decide(ctx, in)
	decision.FellBack = reason
	return decision, err
}

// anew has the rules decide a turn whose calls by the model were all refused: a weak model
// makes the same call again, and the person has asked nothing wrong.
func (d *Decider) anew(ctx context.Context, in decide.In) (decide.Decision, error) {
	in.Turn, in.Refused = nil, ""
	decision, err := d.rules.Decide(ctx, in)
	decision.FellBack = ReasonCallRefused
	return decision, err
}

// ReasonCallRefused is why rules decide where no call of a model could be made: a tool that
// there is not, arguments that its tool does not take.
const ReasonCallRefused = "LLM_CALL_REFUSED"

// ReasonNoCall is why rules decide where a model answered a request with words of its
// own, which may hold figures that nobody computed.
const ReasonNoCall = "LLM_NO_CALL"

// secondView asks the rules where the model calls no tool, or turns the first message of
// a conversation away: a weak model does either with plain questions on data. Where the
// rules see a request that they can carry out, they decide. What the model holds to be
// unsafe stays refused, and a conversation is read better by the model. Its own words are
// told only where they hold no figure and rules have no tool for the message either.
func (d *Decider) secondView(ctx context.Context, in decide.In, made decide.Decision) (decide.Decision, error) {
	if begins(in) && in.Goal == "" && !saysGoal(made) {
		return d.withGoal(ctx, in, made)
	}
	words := made.Tool == ""
	first := begins(in) && len(in.History) == 0 && !in.Earlier
	if !words && (!first || !turnsAway(made)) {
		return made, nil
	}
	if !begins(in) { // it has seen results; figures come from the tools' own sentences
		if words && hasFigure(made.Text) {
			byRules, err := d.rules.Decide(ctx, in)
			byRules.FellBack = ReasonNoCall
			return byRules, err
		}
		tell(in, made.Text)
		return made, nil
	}
	byRules, err := d.rules.Decide(ctx, in)
	if err != nil {
		return decide.Decision{}, err
	}
	switch {
	case words && (carriedOut(byRules) || hasFigure(made.Text) || made.Text == ""):
		byRules.FellBack = ReasonNoCall
		return byRules, nil
	case !words && carriedOut(byRules):
		return byRules, nil
	}
	tell(in, made.Text)
	return made, nil
}

// begins reports a turn in which no call was made: what was said of its goal in one that
// was refused does not count.
func begins(in decide.In) bool { return in.Turn == nil || len(in.Calls) == 0 }

// saysGoal reports a decision that says what is finally wanted, or one whose tool is on no
// way to a result.
func saysGoal(made decide.Decision) bool {
	var args map[string]any
	if json.Unmarshal(made.Arguments, &args) != nil || !slices.Contains([]string{tools.DataDiscovery, tools.GenerateSQL}, made.Tool) {
		return true
	}
	return slices.Contains(tools.Intents(), textOf(args, goalField))
}

// withGoal takes the goal of the rules, where the model's tool is on the way to it.
func (d *Decider) withGoal(ctx context.Context, in decide.In, made decide.Decision) (decide.Decision, error) {
	byRules, err := d.rules.Decide(ctx, in)
	if err != nil {
		return decide.Decision{}, err
	}
	plan := planOf(made.Tool, byRules.Goal)
	if len(plan) < 2 {
		return made, nil
	}
	made.Goal, made.Plan = byRules.Goal, plan
	var args map[string]any
	if json.Unmarshal(made.Arguments, &args) != nil || args == nil {
		return made, nil //nolint:nilerr // whoever checks the arguments says what is wrong
	}
	args[goalField] = made.Goal
	made.Arguments, err = json.Marshal(args)
	return made, err
}

// tell passes a model's own words on once they are what the person gets.
func tell(in decide.In, text string) {
	if in.OnText != nil && text != "" {
		in.OnText(text)
	}
}

// reasonUnsafe is the reason of reject_out_of_scope for what must not be done.
const reasonUnsafe = "unsafe"

// turnsAway reports a decision that does nothing for the person, but for refusals of
// what is unsafe.
func turnsAway(d decide.Decision) bool {
	if d.Tool == tools.AskHuman {
		return true
	}
	var args struct {
		Reason string `json:"reason"`
	}
	return d.Tool == tools.Reject && (json.Unmarshal(d.Arguments, &args) != nil || args.Reason != reasonUnsafe)
}

// carriedOut reports a decision that looks for data or works on SQL.
func carriedOut(d decide.Decision) bool { return slices.Contains(tools.Intents(), d.Tool) }

// hasFigure reports a text with a number in it.
func hasFigure(text string) bool { return strings.ContainsFunc(text, unicode.IsNumber) }

// followsFromBefore reports a step for which nothing is left to be decided: the
// rules were sure of the turn or the model was away before, it has decided often
// enough, or the plan goes on.
func (d *Decider) followsFromBefore(in decide.In) bool {
	if in.Turn == nil {
		return false
	}
	if in.Turn.FellBack != "" || in.Turn.Sure && in.Refused == "" || len(in.Calls) >= d.cfg.MaxDecisions {
		return true
	}
	return in.Refused == "" && len(in.Calls) > 0 && in.Calls[len(in.Calls)-1].Outcome == decide.Done
}

// looksThrough reports a search of tables by words that found none on the way to a query:
// the words of a question need not be those of the tables, so that text to SQL looks at
// the tables themselves before anybody says that there are none.
func looksThrough(in decide.In) bool {
	if in.Turn == nil || in.Refused != "" || len(in.Calls) != 1 || !slices.Contains(in.Turn.Plan, tools.GenerateSQL) {
		return false
	}
	only := in.Calls[0]
	return only.Tool == tools.DataDiscovery && only.Outcome == decide.Nothing && len(in.SelectedTables) == 0 && len(in.SelectedGroups) == 0
}

// lookThrough writes SQL without tables that were found.
func lookThrough(in decide.In) (decide.Decision, error) {
	out := *in.Turn
	out.Say, out.Text, out.Extra = "", "", nil
	out.Tool = tools.GenerateSQL
	args := map[string]string{"user_question": out.Rewritten}
	if out.Goal != "" {
		args[goalField] = out.Goal
	}
	var err error
	out.Arguments, err = json.Marshal(args)
	return out, err
}

func (d *Decider) ask(ctx context.Context, in decide.In) (decide.Decision, error) {
	r, err := d.request(in)
	if err != nil {
		return decide.Decision{}, err
	}
	answer, err := d.model.Chat(ctx, r)
	if err != nil {
		return decide.Decision{}, err
	}
	return d.decision(in, answer), nil
}

// rewrittenField is the argument that each tool gets for the message as a full
// request; no tool sees it.
const rewrittenField = "rewritten_question"

// request puts the conversation, the message and the calls of the turn together.
func (d *Decider) request(in decide.In) (chat.Request, error) {
	r, err := d.prompt.Request(map[string]any{
		"Language": in.Language.Pick("English", "Chinese"), "Selected": strings.Join(slices.Concat(in.SelectedTables, in.SelectedGroups), "\n"),
		"Today": in.Today, "Source": in.SourceName, "Person": d.text(strings.Join(in.Person, "\n")),
		"SQL": d.text(in.OriginalSQL), "Dialect": in.SQLDialect, "Failure": d.text(in.ErrorMessage), "Goal": in.Goal, "Question": d.text(in.Question),
	})
	if err != nil {
		return r, err
	}
	system, last := r.Messages[0], r.Messages[1]
	r.Messages = []chat.Message{system}
	if in.Earlier && in.Before != nil {
		r.Messages = append(r.Messages, d.earlier(in.Before))
	}
	r.Messages = append(r.Messages, d.history(in.History)...)
	r.Messages = append(r.Messages, last)
	r.Messages = append(r.Messages, d.turn(in)...)
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, chat.Tool{Name: t.Name, Description: t.Description, Schema: withRewritten(t.Schema)})
	}
	r.CacheKey = in.Session
	return r, nil
}

// withRewritten adds the argument for the rewritten question to a schema.
func withRewritten(schema map[string]any) map[string]any {
	out := maps.Clone(schema)
	properties, _ := schema["properties"].(map[string]any)
	more := maps.Clone(properties)
	if more == nil {
		more = map[string]any{}
	}
	more[rewrittenField] = map[string]any{"type": "string", "description": "The last message as a full request that stands alone."}
	required, _ := schema["required"].([]any)
	out["properties"], out["required"] = more, append(slices.Clone(required), rewrittenField)
	return out
}

func (d *Decider) text(s string) string { return lang.Shorten(s, d.cfg.MaxTextRunes) }

// earlier tells what the messages before those that are shown come to.
func (d *Decider) earlier(s *decide.Summary) chat.Message {
	lines := []string{"Earlier in this conversation (its messages are not shown):"}
	for _, say := range []struct{ what, text string }{
		{"request", d.text(s.Topic)}, {"newest SQL", d.text(s.SQL.SQL)}, {"of", callName(s.SQL.CallID)},
		{"newest tables", strings.Join(s.Tables.Tables[:min(len(s.Tables.Tables), d.cfg.MaxTables)], ", ")}, {"found by", callName(s.Tables.CallID)},
	} {
		if say.text != "" {
			lines = append(lines, say.what+": "+say.text)
		}
	}
	return chat.Message{Speaker: chat.User, Text: prompt.Fence("earlier", strings.Join(lines, "\n"))}
}

// history tells the conversation: what people sent, and each step that they saw
// with the id by which it can be named.
func (d *Decider) history(messages []decide.Message) []chat.Message {
	var out []chat.Message
	for _, m := range messages {
		if m.Tool == "" && m.Role != roleAssistant {
			out = append(out, chat.Message{Speaker: chat.User, Text: prompt.Fence("message", d.text(m.Content))})
			continue
		}
		var lines []string
		if m.Tool != "" {
			lines = append(lines, strings.TrimSpace("tool "+m.Tool+" "+callName(m.CallID)))
		}
		if len(m.Tables) > 0 {
			lines = append(lines, "tables: "+strings.Join(m.Tables[:min(len(m.Tables), d.cfg.MaxTables)], ", "))
		}
		if m.SQL != "" {
			lines = append(lines, "sql: "+d.text(m.SQL))
		}
		switch {
		case m.Personal:
			lines = append(lines, "answer: shown to the person, with data of persons that are kept from you")
		case m.Content != "":
			lines = append(lines, "answer: "+d.text(m.Content))
		}
		if m.Asked != "" {
			lines = append(lines, "asked the person: "+m.Asked)
		}
		out = append(out, chat.Message{Speaker: chat.Assistant, Text: prompt.Fence("step", strings.Join(lines, "\n"))})
	}
	return out
}

// roleAssistant is store.RoleAssistant, which histories are written with.
const roleAssistant = "assistant"

func callName(id string) string {
	if id == "" {
		return ""
	}
	return "tool_call_id " + id
}

// turn tells the calls of this turn and, at the end, why arguments were refused.
func (d *Decider) turn(in decide.In) []chat.Message {
	var out []chat.Message
	for _, c := range in.Calls {
		arguments := string(c.Arguments)
		if arguments == "" {
			arguments = "{}"
		}
		result := "outcome: " + string(c.Outcome)
		if c.Brief != "" {
			result += "\n" + d.text(c.Brief)
		}
		out = append(out,
			chat.Message{Speaker: chat.Assistant, Calls: []chat.ToolCall{{ID: c.ID, Name: c.Tool, Arguments: arguments}}},
			chat.Message{Speaker: chat.ToolReply, CallID: c.ID, Text: prompt.Fence("result", result)})
	}
	if in.Refused != "" {
		out = append(out, chat.Message{Speaker: chat.User, Text: "The last call was not made. " + prompt.Fence("problem", d.text(in.Refused)) + "\nCorrect it."})
	}
	return out
}

// decision reads the model's answer. What it says of the goal counts once: the
// goal of a turn stays.
func (d *Decider) decision(in decide.In, answer chat.Response) decide.Decision {
	out := decide.Decision{Kind: "model", Rewritten: in.Question}
	if in.Turn != nil {
		out = *in.Turn
		out.Tool, out.Arguments, out.Say, out.Text, out.Extra = "", nil, "", "", nil
	}
	if len(answer.Calls) == 0 {
		call, ok := written(answer.Text, in.Tools)
		if !ok {
			out.Text = strings.TrimSpace(answer.Prose())
			return out
		}
		answer.Calls = []chat.ToolCall{call}
	}
	call := answer.Calls[0]
	for _, extra := range answer.Calls[1:] { // one at a time
		out.Extra = append(out.Extra, extra.Name)
	}
	out.Tool, out.Arguments = call.Name, json.RawMessage(call.Arguments)
	var args map[string]any
	if json.Unmarshal([]byte(call.Arguments), &args) != nil || args == nil {
		return out // whoever checks the arguments says what is wrong
	}
	if rewritten, _ := args[rewrittenField].(string); rewritten != "" && begins(in) {
		out.Rewritten = prose.Safe(rewritten)
	}
	delete(args, rewrittenField)
	if begins(in) {
		out.Goal = goalOf(in, call.Name, args)
		out.Plan = planOf(call.Name, out.Goal)
		out.Subject = out.Rewritten
		out.TablesCall, out.SQLCall, out.SQL = textOf(args, "related_table_source_tool_call_id"), textOf(args, "tool_call_id"), textOf(args, "sql")
	}
	if _, has := args[goalField]; has {
		args[goalField] = out.Goal
	}
	if raw, err := json.Marshal(args); err == nil { // it came from JSON
		out.Arguments = raw
	}
	return out
}

const goalField = "final_intent"

func textOf(args map[string]any, name string) string {
	text, _ := args[name].(string)
	return text
}

// goalOf is the turn's goal: what the caller fixed, what the model says, else the
// tool itself where it is a goal.
func goalOf(in decide.In, tool string, args map[string]any) string {
	chain := []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}
	said := textOf(args, goalField)
	switch {
	case !slices.Contains(tools.Intents(), tool):
		return ""
	case slices.Contains(chain, in.Goal) && slices.Contains(chain, tool):
		return in.Goal
	case slices.Contains(tools.Intents(), said):
		return said
	}
	return tool
}

// planOf is the tools that follow when each one succeeds.
func planOf(tool, goal string) []string {
	chain := []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}
	from, to := slices.Index(chain, tool), slices.Index(chain, goal)
	switch {
	case tool == tools.FixSQL && goal == tools.Execute:
		return []string{tool, goal}
	case from >= 0 && to >= from:
		return chain[from : to+1]
	}
	return []string{tool}
}
