package store

import (
	"fmt"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Reasons of the store's faults.
const (
	ReasonSessionUnknown  = "SESSION_UNKNOWN"
	ReasonRunUnknown      = "RUN_UNKNOWN"
	ReasonToolCallUnknown = "TOOL_CALL_UNKNOWN"
	ReasonOutputRemoved   = "TOOL_CALL_OUTPUT_REMOVED"
	ReasonSessionBusy     = "SESSION_BUSY"
	ReasonLockLost        = "SESSION_LOCK_LOST"
	ReasonIDTaken         = "ID_TAKEN"
	ReasonPageToken       = "PAGE_TOKEN_INVALID"
	ReasonCorrupt         = "STORE_CORRUPT"
	ReasonTooNew          = "STORE_TOO_NEW"
	ReasonUnavailable     = "STORE_UNAVAILABLE"
	ReasonClosed          = "STORE_CLOSED"
)

// SessionUnknown says that a session does not exist for the asker.
func SessionUnknown(id string) *fault.Error {
	return fault.NotFound(ReasonSessionUnknown, "There is no session %q, or it was removed because it was old or one of too many (router.retention). List yours (ListSessions, or dibrain sessions list), or leave session_id empty for a new one.", id)
}

// RunUnknown says that a run does not exist for the asker.
func RunUnknown(id string) *fault.Error {
	return fault.NotFound(ReasonRunUnknown, "There is no run %q, or it was removed because it was old or one of too many (router.retention): ask its question again. List yours (ListRuns, or dibrain runs list).", id)
}

// ToolCallUnknown says that a tool call does not exist for the asker.
func ToolCallUnknown(id string) *fault.Error {
	return fault.NotFound(ReasonToolCallUnknown, "There is no tool call %q, or it was removed with its run because it was old (router.retention): ask the question again. The tool calls of a turn are in its answer and in its run.", id)
}

// SessionRemoved says when and by which rule a session of the asker's was removed.
// Its reason is that of the unknown, so that programs do the same.
func SessionRemoved(id string, at time.Time, rule string) *fault.Error {
	why := "it had not been used for as long as " + rule + " keeps one"
	if rule == RuleMaxSessions {
		why = "you had more newer ones than " + rule + " keeps"
	}
	return fault.NotFound(ReasonSessionUnknown, "The session %q was removed at %s: %s. List yours (ListSessions, or dibrain sessions list), or leave session_id empty for a new one.", id, moment(at), why)
}

// RunRemoved says when and by which rule a run of the asker's was removed.
func RunRemoved(id string, at time.Time, rule string) *fault.Error {
	why := "it was older than " + rule + " keeps one"
	switch rule {
	case RuleMaxRuns:
		why = "you had more newer ones than " + rule + " keeps"
	case RuleSessionsFor, RuleMaxSessions:
		why = "its session was removed by " + rule
	}
	return fault.NotFound(ReasonRunUnknown, "The run %q was removed at %s: %s. Ask its question again.", id, moment(at), why)
}

// OutputRemoved says that a call is there, and what it gave is not.
func OutputRemoved(id string, at time.Time) *fault.Error {
	return fault.New(codes.FailedPrecondition, ReasonOutputRemoved, fmt.Sprintf(
		"What tool call %s gave was removed at %s, with that of the oldest turns, for its session held more than %s allows. What was said is still there: ask its question again.",
		id, moment(at), RuleMaxSessionBytes), "tool_call_id", id)
}

// StepsRemoved says in a run's tree why there are no steps in it.
func StepsRemoved(at time.Time) string {
	return "removed at " + moment(at) + ", with those of the oldest turns, for the session held more than " + RuleMaxSessionBytes + " allows"
}

// moment writes a time for people, in UTC.
func moment(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }

// SessionBusy says that another turn of the session is at work.
func SessionBusy(id string, retryAfter time.Duration) *fault.Error {
	e := fault.New(codes.Aborted, ReasonSessionBusy,
		"Another turn of this session is still at work. Wait for its answer or cancel its run, then send this again.", "session_id", id)
	e.RetryAfter = retryAfter
	return e
}

// LockLost says that another turn took the session over.
func LockLost(id string) *fault.Error {
	return fault.New(codes.Aborted, ReasonLockLost,
		"This turn took too long without a sign of life, and another one took its session over. Nothing more of it was stored; send it again.", "session_id", id)
}

// IDTaken says that an id belongs to something that exists already.
func IDTaken(id string) *fault.Error {
	return fault.New(codes.AlreadyExists, ReasonIDTaken, "The id "+id+" is in use already. Leave it empty, and a new one is made.")
}
