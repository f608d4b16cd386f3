// Package store holds what the router keeps: sessions with their messages, tool
// calls with their typed inputs and outputs, runs as trees of records, and
// feedback. This package has the values, the page tokens and the faults that
// every implementation shares; pkg/store/sqlite is the embedded implementation,
// pkg/store/postgres the one for several routers,
// and pkg/store/storetest is the suite that each implementation has to pass.
// The interface is declared by who uses it (services/router).
//
// Three rules hold everywhere:
//
//   - The principal is an argument of every call that reads or writes somebody's
//     data. What belongs to somebody else is NOT_FOUND, exactly as the unknown.
//   - What a turn writes is fenced: the writer shows the lock that it holds on
//     the session, and a writer whose lock was taken over is refused.
//   - A run belongs to the process that works on it. When that process dies, the
//     run is marked interrupted by the next one that opens the store, and its
//     session can be locked again at once.
package store

import (
	"time"

	"github.com/dibrain/dibrain/pkg/run"
)

// Session is a conversation of one principal.
type Session struct {
	ID        string // "ses_" and 24 hex digits
	Title     string // first question, shortened
	Source    string // source that it asks; empty: the server's default
	CreatedAt time.Time
	UpdatedAt time.Time
	Turns     int
}

// Chat is one thread within a session. State is the router's own and opaque to
// the store.
type Chat struct {
	SessionID string
	ID        string
	State     []byte
	UpdatedAt time.Time
}

// Thread is what a turn needs to know of a chat before it begins.
type Thread struct {
	Session  Session
	Chat     Chat      // State is empty where the chat has none yet
	Messages []Message // the newest of the chat, oldest first
	Earlier  bool      // there are messages before those
}

// Message roles.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Message is one message of a session.
type Message struct {
	SessionID string
	ChatID    string
	RunID     string
	Role      string // RoleUser or RoleAssistant
	Content   string
	CreatedAt time.Time
	// ToolCallIDs are the calls of the turn, for an assistant's message.
	ToolCallIDs []string
	// Detail is the router's own and opaque to the store.
	Detail []byte
}

// ToolCall is a call of a tool with its typed input and output.
type ToolCall struct {
	ID        string // "call_" and 24 hex digits; unique for ever
	SessionID string
	ChatID    string
	RunID     string // root run that made it
	ToolName  string
	AgentName string
	// Arguments is JSON, as the decision gave it.
	Arguments []byte
	// SourceID is the call whose output this one builds on; empty: none.
	SourceID string
	// NextID is the newest call that builds on this one. The store keeps it.
	NextID    string
	Status    run.Status
	StartedAt time.Time
	EndedAt   time.Time // zero while at work
	// OutputType is the full name of the protobuf message in Output; empty while
	// there is none.
	OutputType string
	Output     []byte
	// OutputRemovedAt is when Output was removed, for its session held too much;
	// zero: it was not.
	OutputRemovedAt time.Time
	Error           string // a sentence
	// ErrorReason is UPPER_SNAKE.
	ErrorReason string
}

// Run is the root of a run tree, with the turn that it worked on.
type Run struct {
	Record    run.Record
	SessionID string
	ChatID    string
	Question  string
	// Owner is the instance that works on it, empty once it ended.
	Owner string
	// StepsRemovedAt is when the records below the root were removed, for the session
	// held too much; zero: they were not.
	StepsRemovedAt time.Time
	// CancelRequested is set when its owner asked for its end while another
	// instance works on it.
	CancelRequested bool
}

// RunFilter narrows a list of runs.
type RunFilter struct {
	SessionID string     // empty: all sessions
	Status    run.Status // empty: any
}

// Rating is a verdict on an answer.
type Rating string

// The verdicts.
const (
	RatingUp   Rating = "up"
	RatingDown Rating = "down"
)

// Feedback is what a person thinks of an answer.
type Feedback struct {
	RunID          string
	Rating         Rating
	Comment        string
	CorrectedSQL   string
	AcceptedTables []string
	RejectedTables []string
	CreatedAt      time.Time
}

// Page asks for a part of a list.
type Page struct {
	Size  int    // most entries; 1 or more
	Token string // empty: the first page
}

// Retention says what a sweep removes: what is beyond an age, and of each principal
// the oldest beyond a number. Zero or less: no bound.
type Retention struct {
	SessionsFor time.Duration // since a session's last use
	RunsFor     time.Duration // since a run began; its tool calls go with it
	MaxSessions int           // of a principal
	MaxRuns     int           // of a principal
	// Batch bounds what one sweep removes of each kind.
	Batch int
	// MaxRemoved bounds what is remembered of removed sessions and runs.
	MaxRemoved int
}

// The rules by which something is removed: the settings of whoever runs the server.
const (
	RuleSessionsFor     = "router.retention.sessions_for"
	RuleMaxSessions     = "router.retention.max_sessions"
	RuleRunsFor         = "router.retention.runs_for"
	RuleMaxRuns         = "router.retention.max_runs"
	RuleMaxSessionBytes = "router.retention.max_session_bytes"
)

// Swept is what a sweep removed. More says that there is work left.
type Swept struct {
	Sessions, Runs int64
	More           bool
}

// Lock is the right to write to a session until ExpiresAt. Token grows with
// every holder of the session's lock, so a late writer is told from the present
// one.
type Lock struct {
	SessionID string
	Token     int64
	ExpiresAt time.Time
}

// InterruptedWords is what a run says whose process died, and each of its steps and
// calls that were at work.
const InterruptedWords = "interrupted: the process that worked on it ended"

// FirstLock is the lock of a session that its first Commit makes: nobody else can
// know the session before.
func FirstLock(sessionID string, expires time.Time) Lock {
	return Lock{SessionID: sessionID, Token: 1, ExpiresAt: expires}
}

// Changes is what one step of a turn writes, all of it or nothing. Nil and empty
// parts are left as they are.
type Changes struct {
	// Open makes the session, held by the FirstLock that Commit is given, before
	// the rest is written; Session is then not needed.
	Open *Session
	// Session replaces title, source, turns and the time of the last use.
	Session *Session
	Chat    *Chat
	// Run is inserted, or replaces what is stored under its id.
	Run *Run
	// Records are inserted into the run's tree, or replace those with their id.
	Records []run.Record
	// Messages are appended.
	Messages []Message
	// ToolCalls are inserted, or replace those with their id. A call that has
	// succeeded is never replaced: its output is given again for its id.
	// DropToolCalls are removed: calls whose arguments the tool did not accept.
	ToolCalls     []ToolCall
	DropToolCalls []string
	// MaxSessionBytes is what the outputs of calls and the steps of runs of this session
	// may take, as they are stored; those of its oldest turns go until it is kept. Those
	// of the newest turn stay in any case. Zero or less: no bound.
	MaxSessionBytes int64
	// Unlock gives the lock up together with the step, the turn's last.
	Unlock bool
}
