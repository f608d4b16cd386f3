package router

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

// turn is the state of one turn on its way through the graph.
type turn struct {
	request   *routerv1.Turn
	principal run.Principal
	language  lang.Language
	source    string
	events    func(*routerv1.ChatResponse) error // nil: nobody listens

	session store.Session
	chat    chatState
	chatID  string
	history []decide.Message
	known   int  // of those, how many the thread's summary has in it
	earlier bool // there are messages before those
	lock    *heldLock

	root     *run.Step
	recorder *run.Recorder
	written  map[string]run.Status // records in the store, as they were written

	// first is the turn's first decision, which holds its goal; decision is the
	// newest, fresh until action_dispatch has acted on it.
	first    *decide.Decision
	decision decide.Decision
	fresh    bool
	direct   bool   // the newest call was made by direct_tool
	again    []byte // arguments of the execution that is to be made again; nil: none is
	answered bool   // the message is an answer to a tool's question
	// chosen is the option that the person took; it is for the call answering.
	chosen string
	// clarified is a reply in other words than the options of the call answering.
	clarified string
	confirmed bool // a dear statement may run
	notRun    bool // one waited for a yes, and the message is another question

	calls   []*call
	current *call           // made by the newest decision
	dropped []string        // calls that their tool did not accept, not yet removed
	message store.Message   // what the person sent
	unsaved []store.Message // of the person, not yet stored
	refusal string          // why the newest of them was not accepted

	refusals int             // calls dropped in a row
	repairs  int             // repairs made by themselves
	repaired map[string]bool // error classes that were tried
	failure  error           // an internal error

	// next is what action_dispatch decided: the name of a node.
	next string

	say          string // key of the words to answer with; empty: from the last call
	text         string // a model's own words, instead
	fellBack     string // why the rules decided instead of a model
	question     *commonv1.Question
	asked        string // an offer at the end of the answer
	pending      *pendingQuestion
	interruption routerv1.InterruptionReason
}

// call is a tool call of the turn.
type call struct {
	store.ToolCall
	args   any           // parsed arguments
	output proto.Message // nil until it ended well
	err    error
	dirty  bool // not yet stored as it is
	fresh  bool // its id was made for it, so that nothing can be stored under it
	// repair marks a fix_sql that the router called by itself.
	repair bool
}

// last returns the newest call, nil when there is none.
func (t *turn) last() *call {
	if len(t.calls) == 0 {
		return nil
	}
	return t.calls[len(t.calls)-1]
}

// sourceFault returns the error of a turn whose first call already said that the
// source cannot be asked: it is unknown, misnamed or damaged, and no other call
// would fare better. It is nil for all other turns.
func (t *turn) sourceFault() error {
	if len(t.calls) == 0 || !strings.HasPrefix(fault.ReasonOf(t.calls[0].err), reasonSource) {
		return nil
	}
	e := *fault.FromStatus(t.calls[0].err)
	e.Meta = maps.Clone(e.Meta)
	if e.Meta == nil {
		e.Meta = make(map[string]string, 1)
	}
	e.Meta["run_id"] = t.root.RunID()
	return &e
}

// reasonSource begins the reasons of errors about a whole source.
const reasonSource = "SOURCE_"

func (t *turn) goal() string {
	if t.first == nil {
		return ""
	}
	return t.first.Goal
}

// chatState is what a thread keeps between turns.
type chatState struct {
	// Pending is the question of a tool that waits for the person.
	Pending *pendingQuestion `json:"pending,omitempty"`
	// Summary is what the thread's messages come to, up to its newest answer.
	Summary *decide.Summary `json:"summary,omitempty"`
	// Source is what the thread asks, once it was said.
	Source string `json:"source,omitempty"`
}

// pendingQuestion is a question that a tool asked: which tool and call
// (ask_human_sub_tool_name, ask_human_sub_tool_call_id), and how the turn goes
// on with the answer.
type pendingQuestion struct {
	// Kept says that another message came in between, which was not answered: only a
	// number, an id or the whole words of an option choose it then.
	Kept      bool            `json:"kept,omitempty"`
	Tool      string          `json:"ask_human_sub_tool_name"`
	CallID    string          `json:"ask_human_sub_tool_call_id"`
	Arguments json.RawMessage `json:"arguments"`
	SourceID  string          `json:"source_tool_call_id,omitempty"`
	Options   []option        `json:"options,omitempty"`
	First     decide.Decision `json:"first"`
	// Language is that of the question; an option's number has none.
	Language lang.Language `json:"language,omitempty"`
}

// asksCost reports whether explain_change asked whether what it reads may be read; it
// also asks which figure is meant.
func (p *pendingQuestion) asksCost() bool {
	return p.Tool == tools.ExplainChange && slices.ContainsFunc(p.Options, func(o option) bool { return o.ID == optionRun })
}

// optionRun is the id of chatbi's option to run what is dear.
const optionRun = "run"

type option struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// messageDetail is what the router keeps beside an assistant's message, to read
// the history with.
type messageDetail struct {
	// Rewritten is the message as later turns should read it.
	Rewritten string `json:"rewritten,omitempty"`
	Asked     string `json:"asked,omitempty"`
	// Open is the message itself, where it is a change that could not be made.
	Open string `json:"open,omitempty"`
	// Offered is the one reading that the answer asks about.
	Offered decide.Offered `json:"offered,omitzero"`
	Steps   []step         `json:"steps,omitempty"`
	// Personal tells that the answer shows data of persons: no model is told its text.
	Personal bool `json:"personal,omitempty"`
}

type step struct {
	Tool   string   `json:"tool"`
	CallID string   `json:"tool_call_id"`
	SQL    string   `json:"sql,omitempty"`
	Tables []string `json:"tables,omitempty"`
}

// readHistory turns stored messages into what a decision reads: one entry for
// what a person sent, as it was understood, and one for each step of an answer.
func readHistory(messages []store.Message) []decide.Message {
	var out []decide.Message
	for _, m := range messages {
		if m.Role != store.RoleAssistant {
			out = append(out, decide.Message{Role: m.Role, Content: m.Content})
			continue
		}
		var d messageDetail
		if len(m.Detail) > 0 && json.Unmarshal(m.Detail, &d) != nil {
			d = messageDetail{} // of a later version: the text still says something
		}
		if n := len(out); d.Rewritten != "" && n > 0 && out[n-1].Role == store.RoleUser {
			out[n-1].Content = d.Rewritten
		}
		if len(d.Steps) == 0 {
			out = append(out, decide.Message{Role: m.Role, Content: m.Content, Asked: d.Asked, Open: d.Open, Offered: d.Offered, Personal: d.Personal})
			continue
		}
		for i, s := range d.Steps {
			e := decide.Message{Role: m.Role, Tool: s.Tool, CallID: s.CallID, SQL: s.SQL, Tables: s.Tables}
			if i == len(d.Steps)-1 {
				e.Content, e.Asked, e.Open, e.Offered, e.Personal = m.Content, d.Asked, d.Open, d.Offered, d.Personal
			}
			out = append(out, e)
		}
	}
	return out
}

// summarized is the number of messages that the thread's summary has in it: those
// up to the newest answer. A message whose turn was cut off comes after.
func summarized(c *chatState, history []decide.Message) int {
	if c.Summary == nil {
		return 0
	}
	n := len(history)
	for n > 0 && history[n-1].Role == store.RoleUser {
		n--
	}
	return n
}

// outcome is what a decision needs to know of a call.
func (c *call) outcome() decide.Outcome {
	if c.output == nil {
		return decide.Nothing
	}
	if usable(c.output) {
		return decide.Done
	}
	return decide.Nothing
}

func (t *turn) decisionCalls() []decide.Call {
	out := make([]decide.Call, 0, len(t.calls))
	for _, c := range t.calls {
		out = append(out, decide.Call{ID: c.ID, Tool: c.ToolName, Outcome: c.outcome(), Arguments: c.Arguments, Brief: c.brief()})
	}
	return out
}

// sourceOf is the call that arguments build on.
func sourceOf(args any) string {
	switch a := args.(type) {
	case *tools.GenerateSQLArgs:
		return a.RelatedTableSourceToolCallID
	case *tools.FixSQLArgs:
		return a.ToolCallID
	case *tools.ExplainSQLArgs:
		return a.ToolCallID
	case *tools.ExecuteArgs:
		return a.ToolCallID
	case *tools.AnalyzeArgs:
		return a.RelatedTableSourceToolCallID
	default:
		return ""
	}
}
