// Package decide is the decision of the router: what a message wants, which tool
// comes next, and with which arguments. Strategy is the interface of its two
// strategies; Rules is the one that needs no model. Its words and rules are data
// (lexicon.yaml, rules.yaml), its Go code finds facts and reads the history.
package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// Offers that a turn may end with.
const (
	OfferExecute  = "execute?"
	OfferWithout  = "without?" // an earlier change that could not be made
	OfferGenerate = "generate sql?"
	OfferContinue = "continue?"
	AskedChoice   = "which one?"
	AskedCost     = "cost ok?"
)

// Message is one message of the history: what a person sent, or one step that
// they saw.
type Message struct {
	Role    string `json:"role"` // store.RoleUser or store.RoleAssistant
	Content string `json:"content"`
	// The rest is for an assistant's message.
	Tool   string   `json:"tool,omitempty"`
	CallID string   `json:"tool_call_id,omitempty"`
	SQL    string   `json:"sql,omitempty"`    // that the step used or made
	Tables []string `json:"tables,omitempty"` // likewise
	// Asked is what the step ended with: an offer or a question; empty: neither.
	Asked string `json:"asked,omitempty"`
	// Open is the person's change that the turn could not make; empty: none.
	Open string `json:"open,omitempty"`
	// Offered is the one reading that the person was asked about; zero: none.
	Offered Offered `json:"offered,omitzero"`
	// Personal tells that Content shows data of persons, which no model is told.
	Personal bool `json:"personal,omitempty"`
	// Topic is the request that the SQL was made for, in a summary.
	Topic string `json:"topic,omitempty"`
}

// Offered is a reading of a request, or a change of one, of which a person was asked whether it is
// what they mean. Whoever goes on from it without a word against it takes it.
type Offered struct {
	CallID string `json:"call_id,omitempty"` // of the call that asked, whose intent the reading is
	Label  string `json:"label,omitempty"`   // the reading in words
}

// Call is a tool call of the turn that has ended.
type Call struct {
	ID, Tool string
	Outcome  Outcome
	// Arguments and Brief, what came of it in a few lines without bulk, are for a
	// model.
	Arguments json.RawMessage
	Brief     string
}

// Outcome is what came of a call, as far as the decision is concerned.
type Outcome string

// The outcomes.
const (
	Done    Outcome = "done"
	Nothing Outcome = "nothing" // no tables found, no SQL written, nothing repaired
)

// In is what a decision is made from.
type In struct {
	Question string
	Language lang.Language
	History  []Message // the newest messages, oldest first
	// Before is what the messages before those come to, and the first Known of
	// them; nil: there are none.
	Before *Summary
	Known  int
	// Earlier says that there are messages before those of History.
	Earlier        bool
	SelectedTables []string
	SelectedGroups []string
	// Source says that the conversation names the source that it is about, SourceName how
	// it is called.
	Source     bool
	SourceName string
	// Today is the asker's day, YYYY-MM-DD. Person is what is known of the asker, a fact each.
	Today        string
	Person       []string
	OriginalSQL  string
	SQLDialect   string
	ErrorMessage string
	// Goal is the final intent that the caller fixed; empty: the message decides.
	Goal string
	// Turn is the turn's first decision; nil while there is none.
	Turn *Decision
	// Calls are the turn's calls, oldest first.
	Calls []Call
	// Outside are tools that the configuration added.
	Outside []Outside
	// Tools that a model may call.
	Tools []Tool
	// Session groups requests to a model that begin alike.
	Session string
	// OnText is told of a model's words while they come; nil: nobody listens.
	OnText func(piece string)
	// Refused is why a tool did not accept the arguments of the newest decision;
	// empty: it did. Refusals is how often in a row that came.
	Refused  string
	Refusals int
}

// Tool is a tool that a model may call.
type Tool struct {
	Name, Description string
	Schema            map[string]any // JSON schema of its arguments
}

// Outside is what the rules know of a tool that the configuration added.
type Outside struct {
	tool     string
	words    signal
	question string
}

// NewOutside tells of a tool by which words, of any language, a message is known
// to be for it, and into which argument the message goes. Without words it is
// never taken.
func NewOutside(tool string, words []string, question string) Outside {
	return Outside{tool: tool, words: newSignal(tool, words), question: question}
}

// Decision is what comes next: a tool with its arguments, or words.
type Decision struct {
	// Goal is the turn's final intent, one of tools.Intents or empty.
	Goal string `json:"goal"`
	// Kind is what the message was taken for, for traces.
	Kind string `json:"kind"`
	// Plan is the tools of the turn in order, when each one succeeds.
	Plan []string `json:"plan"`
	// Rewritten is the message as a full request; equal to it when nothing had to
	// be added.
	Rewritten string `json:"rewritten"`
	// Subject is what the request is about, without the wish for a SQL around it.
	// Find data and text2sql get it.
	Subject string `json:"subject,omitempty"`
	// ChangesCall is the earlier call with a SQL whose intent the message changes, as
	// the person said it in FollowUp; empty: none.
	ChangesCall string `json:"changes_call,omitempty"`
	// Taken is the reading that ChangesCall only asked about; zero: it was answered.
	Taken    Offered `json:"taken,omitzero"`
	FollowUp string  `json:"follow_up,omitempty"`
	// Unchanged is the request before the change: later turns go on from it where
	// the change could not be made.
	Unchanged string `json:"unchanged,omitempty"`
	// Open is an earlier change that could not be made and that the answer has to tell
	// of, as it is given without it.
	Open string `json:"open,omitempty"`
	// OpenAsked says that the person was asked whether to go on without it, and went on.
	OpenAsked bool `json:"open_asked,omitempty"`
	// Topic is the earlier request that a confirmation is about, for the turns
	// after it; empty: Rewritten.
	Topic string `json:"topic,omitempty"`
	// Tables and SQL by the calls of earlier turns that hold them; the SQL may
	// also have come with the message.
	TablesCall string `json:"tables_call,omitempty"`
	SQLCall    string `json:"sql_call,omitempty"`
	SQL        string `json:"sql,omitempty"`
	Error      string `json:"error,omitempty"`
	// About are tables of the history that the message points at.
	About []string `json:"about,omitempty"`

	// Tool is the tool to call; empty: none, then Say is the key of the words to
	// answer with (package words), or words.Done to answer from the last call.
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Say       string          `json:"say,omitempty"`
	// Text is a model's own words, with which it answers instead of a tool.
	Text string `json:"text,omitempty"`
	// Extra are tools that a model wanted called beside Tool; they are not.
	Extra []string `json:"extra,omitempty"`
	// Instead says that the decision takes the place of the turn's first one, which came to
	// nothing.
	Instead bool `json:"instead,omitempty"`
	// FellBack is why the rules decided instead of a model; empty: they did not.
	FellBack string `json:"fell_back,omitempty"`
	// Sure says that the rules take a first message for a question on data and see nothing in
	// it that another tool is for: a model need not be asked.
	Sure bool `json:"sure,omitempty"`
}

// Strategy decides. It is asked at the start of a turn and after each call that
// did not end the turn.
type Strategy interface {
	Name() string
	Decide(ctx context.Context, in In) (Decision, error)
}

// Rules decides by words and rules. It is safe for concurrent use.
type Rules struct {
	lexicon *lexicon
	rules   *ruleSet
	texts   *words.Book
	wraps   wrappers // around requests for SQL
	seeks   wrappers // around requests for tables
}

// NewRules reads the embedded lexicon and rules.
func NewRules(texts *words.Book) (*Rules, error) {
	l, err := readLexicon(lexiconYAML)
	if err != nil {
		return nil, err
	}
	rs, err := readRules(rulesYAML, l)
	if err != nil {
		return nil, err
	}
	wraps, seeks, err := readWrappers(wrappersYAML)
	if err != nil {
		return nil, err
	}
	return &Rules{lexicon: l, rules: rs, texts: texts, wraps: wraps, seeks: seeks}, nil
}

// Name implements Strategy.
func (r *Rules) Name() string { return "rules" }

// Decide implements Strategy.
func (r *Rules) Decide(_ context.Context, in In) (Decision, error) {
	if in.Turn == nil {
		d := toGoal(r.understand(in), in.Goal)
		if len(d.Plan) == 0 {
			return d, nil
		}
		if d.Subject == "" {
			d.Subject = d.Rewritten
			if d.Kind == "sql" || d.Kind == "result" {
				d.Subject = r.wraps.subject(d.Rewritten)
			}
		}
		return r.call(in, d, d.Plan[0])
	}
	return r.next(in)
}

// next goes on along the plan, or stops where the last call came to nothing.
func (r *Rules) next(in In) (Decision, error) {
	d := *in.Turn
	d.Tool, d.Arguments, d.Say, d.Instead = "", nil, "", false
	if in.Refused != "" || len(in.Calls) == 0 { // the same rules would say the same again
		d.Say = words.ArgumentsRefused
		return d, nil
	}
	last := in.Calls[len(in.Calls)-1]
	if last.Outcome != Done {
		if last.Tool == tools.DataDiscovery && d.ChangesCall != "" && d.TablesCall != "" && slices.Contains(d.Plan, tools.GenerateSQL) {
			return r.call(in, d, tools.GenerateSQL) // no topic of its own: a change of the one before
		}
		if data, ok := r.fromTheData(in, d); ok {
			return r.call(in, data, data.Plan[0])
		}
		d.Say = words.Done
		return d, nil
	}
	if last.Tool == tools.FixSQL && d.Goal == tools.Execute {
		return r.call(in, d, tools.Execute)
	}
	at := slices.Index(d.Plan, last.Tool)
	if at < 0 || at+1 >= len(d.Plan) {
		d.Say = words.Done
		return d, nil
	}
	return r.call(in, d, d.Plan[at+1])
}

// call fills in the arguments of a tool.
func (r *Rules) call(in In, d Decision, tool string) (Decision, error) {
	var args any
	switch tool {
	case tools.AskHuman:
		args = tools.AskHumanArgs{Question: r.texts.Say(in.Language, words.AskForMore)}
	case tools.DataDiscovery:
		args = tools.DataDiscoveryArgs{UserQuestion: d.Subject, SelectedTables: firstSet(in.SelectedTables, d.About),
			SelectedTableGroups: in.SelectedGroups, FinalIntent: d.Goal}
	case tools.GenerateSQL:
		args = tools.GenerateSQLArgs{UserQuestion: d.Subject, FinalIntent: d.Goal,
			RelatedTableSourceToolCallID: latest(in.Calls, d.TablesCall, tools.DataDiscovery),
			PreviousToolCallID:           d.ChangesCall, FollowUp: d.FollowUp}
	case tools.FixSQL:
		args = tools.FixSQLArgs{SQL: d.SQL, SQLDialect: in.SQLDialect, ErrorInfo: d.Error, FinalIntent: d.Goal, ToolCallID: d.SQLCall}
	case tools.ExplainSQL:
		args = tools.ExplainSQLArgs{SQL: d.SQL, SQLDialect: in.SQLDialect, ToolCallID: d.SQLCall}
	case tools.Execute:
		a := tools.ExecuteArgs{SQL: d.SQL, UserQuestion: d.Rewritten, FinalIntent: d.Goal,
			ToolCallID: latest(in.Calls, d.SQLCall, tools.FixSQL, tools.GenerateSQL)}
		if a.ToolCallID != "" {
			a.SQL = ""
		}
		args = a
	case tools.ExplainChange:
		args = tools.ExplainChangeArgs{UserQuestion: d.Rewritten, PreviousToolCallID: d.ChangesCall, FollowUp: d.FollowUp}
	case tools.Analyze:
		args = tools.AnalyzeArgs{Question: d.Rewritten}
	case tools.DatasuiteFAQ:
		args = tools.FAQArgs{UserQuestion: d.Rewritten}
	case tools.SearchLog:
		args = tools.SearchLogArgs{UserQuestion: d.Rewritten, FinalIntent: d.Goal}
	case tools.Reject:
		reason := "out_of_scope"
		if d.Kind == "unsafe" {
			reason = "unsafe"
		}
		args = tools.RejectArgs{Reason: reason}
	default:
		i := slices.IndexFunc(in.Outside, func(o Outside) bool { return o.tool == tool })
		if i < 0 {
			return d, fmt.Errorf("the rules have no arguments for tool %q", tool)
		}
		args = map[string]string{in.Outside[i].question: d.Rewritten}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return d, errors.Join(fmt.Errorf("arguments of %s", tool), err)
	}
	d.Tool, d.Arguments = tool, raw
	return d, nil
}

// latest returns the newest call of the turn of one of the tools, else the id
// given.
func latest(calls []Call, otherwise string, of ...string) string {
	for _, c := range slices.Backward(calls) {
		if c.Outcome == Done && slices.Contains(of, c.Tool) {
			return c.ID
		}
	}
	return otherwise
}

func firstSet(lists ...[]string) []string {
	for _, l := range lists {
		if len(l) > 0 {
			return l
		}
	}
	return nil
}

// understand judges the message, with the history where it leans on it.
func (r *Rules) understand(in In) Decision {
	in, f := r.readAfter(in)
	return heldBack(r.kindAndPlan(in, f), f)
}

// heldBack keeps a SQL from running that the message wants not to run: whatever else it was
// taken for, the plan ends before.
func heldBack(d Decision, f found) Decision {
	at := slices.Index(d.Plan, tools.Execute)
	switch {
	case at < 0 || !f.on("no_run"):
		return d
	case at == 0: // nothing else was wanted
		return Decision{Kind: "decline", Rewritten: d.Rewritten, Say: words.Declined}
	}
	d.Plan = slices.Clone(d.Plan[:at])
	d.Goal = d.Plan[at-1]
	return d
}

func (r *Rules) kindAndPlan(in In, f found) Decision {
	p := r.Summarize(in.Before, in.History[min(in.Known, len(in.History)):])
	if f.on("only_social") && !(p.Last.Asked != "" && r.accepts(f)) {
		return r.social(in, f)
	}
	if f.on("capabilities") && f.sql == "" {
		return r.social(in, f)
	}
	if d, ok := r.forOutside(in, f); ok {
		return d
	}
	if f.on("inventory") && f.sql == "" { // leans on nothing that was said before
		return r.judge(in, f, p)
	}
	if d, ok := r.handedIn(in, f, p); ok {
		return d
	}
	if !p.empty() && f.sql == "" && !f.on("new_topic") {
		if d, ok := r.fromHistory(in, f, p); ok {
			return d
		}
	}
	return r.judge(in, f, p)
}

// toGoal makes the chain of the data tools end where the caller wants it to end,
// whatever the words of the message ask for. Messages of other kinds, and those
// that bring their SQL, keep what they were taken for.
func toGoal(d Decision, goal string) Decision {
	chain := []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}
	to := slices.Index(chain, goal)
	if to < 0 || len(d.Plan) == 0 || d.SQL != "" || !slices.Contains(chain, d.Goal) {
		return d
	}
	from := slices.Index(chain, d.Plan[0])
	if from < 0 {
		return d
	}
	d.Goal, d.Plan = goal, chain[min(from, to):to+1]
	return d
}

// judge judges the message by itself.
func (r *Rules) judge(in In, f found, p Summary) Decision {
	name := r.rules.kindOf(f.on)
	k := r.rules.Kinds[name]
	d := Decision{Kind: name, Goal: k.Goal, Plan: slices.Clone(k.Plan), Rewritten: in.Question, SQL: f.sql, Error: f.failure}
	d.Sure = name == r.rules.Sure.Kind && len(in.History) == 0 && !in.Earlier && in.Goal == "" && len(in.Outside) == 0 && r.rules.Sure.fits(f.on)
	// Tables whose columns the conversation has shown need no discovery.
	if len(d.Plan) > 1 && d.Plan[0] == tools.DataDiscovery {
		wanted := firstSet(in.SelectedTables, named(in.Question))
		if call, ok := describedIn(p.Discoveries, wanted); ok {
			d.TablesCall, d.Plan = call, d.Plan[1:]
		}
	}
	r.mayChange(in, f, p, &d)
	return d
}

// forOutside finds the agent of the configuration that a message is for.
func (r *Rules) forOutside(in In, f found) (Decision, bool) {
	for i := range in.Outside {
		if o := &in.Outside[i]; f.sql == "" && o.words.holds(f.message) {
			return Decision{Kind: "outside", Plan: []string{o.tool}, Rewritten: in.Question}, true
		}
	}
	return Decision{}, false
}

// describedIn returns the newest discovery that covers all tables; false also
// where there are none.
func describedIn(discoveries []Message, tables []string) (string, bool) {
	if len(tables) == 0 {
		return "", false
	}
	for _, m := range slices.Backward(discoveries) {
		covers := func(table string) bool {
			return slices.ContainsFunc(m.Tables, func(t string) bool { return strings.EqualFold(t, table) })
		}
		if !slices.ContainsFunc(tables, func(t string) bool { return !covers(t) }) {
			return m.CallID, true
		}
	}
	return "", false
}
