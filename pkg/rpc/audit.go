package rpc

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// maxAuditTables bounds the tables that one line names; of more the line has the number.
const maxAuditTables = 200

// keyTables is the trailer in which a service of ours tells its caller which tables it read.
const keyTables = "x-dibrain-tables-bin"

// auditKey is where the context of a call has what the line is to say besides.
type auditKey struct{}

// auditNotes is what a handler, and the services that it calls, say for the line of a call.
type auditNotes struct {
	// of is who else is told of tables: the call that began the work which these notes are of.
	of     *auditNotes
	mu     sync.Mutex
	object string
	tables map[string]struct{}
	more   int // tables beyond those that are named; one may be counted more than once
}

func notesOf(ctx context.Context) *auditNotes {
	notes, _ := ctx.Value(auditKey{}).(*auditNotes)
	return notes
}

// AuditObject has the audit line of the present call say on what it was, such as whose data were
// exported: an id, never a value.
func AuditObject(ctx context.Context, object string) {
	if notes := notesOf(ctx); notes != nil {
		notes.mu.Lock()
		defer notes.mu.Unlock()
		notes.object = object
	}
}

// AuditWork begins work that goes on after the call which began it has ended, or that nobody
// called for, such as what a schedule starts. end writes its line: on whose behalf it was, what
// it was (method, which is no call's name) and on what, which tables were read for it, and what
// came of it. A nil log writes none.
func AuditWork(ctx context.Context, log *slog.Logger, method, object string) (_ context.Context, end func(error)) {
	if log == nil {
		return ctx, func(error) {}
	}
	notes := &auditNotes{of: notesOf(ctx), object: object}
	ctx = context.WithValue(ctx, auditKey{}, notes)
	return ctx, func(err error) {
		rc, outcome := run.From(ctx), "done"
		if err != nil {
			outcome = "failed"
		}
		_, tables, more := notes.told()
		log.LogAttrs(context.WithoutCancel(ctx), slog.LevelInfo, "work",
			slog.String("principal", rc.Principal.ID), slog.String("method", method), slog.String("object", object),
			slog.Any("tables", tables), slog.Int("more_tables", more), slog.String("decision", decisionOn(err)),
			slog.String("reason", fault.ReasonOf(err)), slog.String("outcome", outcome), slog.String("run_id", rc.RunID))
	}
}

// What a line says was decided.
const (
	allowed = "allowed"
	refused = "refused"
)

// decisionOn says whether what ended with an error was allowed.
func decisionOn(err error) string {
	if code := status.Code(err); code == codes.PermissionDenied || code == codes.Unauthenticated {
		return refused
	}
	return allowed
}

// AuditTables has the audit line of the call from outside, for which the present call is made,
// name the tables that a statement reads.
func AuditTables(ctx context.Context, tables ...string) { notesOf(ctx).add(tables, 0) }

func (n *auditNotes) add(tables []string, more int) {
	if n == nil || len(tables)+more == 0 {
		return
	}
	n.of.add(tables, more)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.more += more
	for _, t := range tables {
		if _, ok := n.tables[t]; ok {
			continue
		}
		if len(n.tables) == maxAuditTables {
			n.more++
			continue
		}
		if n.tables == nil {
			n.tables = make(map[string]struct{})
		}
		n.tables[t] = struct{}{}
	}
}

// told returns what was noted; tables are in order.
func (n *auditNotes) told() (object string, tables []string, more int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.object, slices.Sorted(maps.Keys(n.tables)), n.more
}

// settle takes what a service of ours said in its trailer.
func (n *auditNotes) settle(trailer metadata.MD) {
	var said toldTables
	if text := trailer.Get(keyTables); n != nil && len(text) > 0 && json.Unmarshal([]byte(text[0]), &said) == nil {
		n.add(said.Tables, said.More)
	}
}

// toldTables is the trailer's form.
type toldTables struct {
	Tables []string `json:"tables"`
	More   int      `json:"more,omitempty"`
}

// tablesLink tells another service of ours which tables were read for it.
func tablesLink() Link {
	return Link{Name: linkTables, After: []string{linkAudit, linkAuth}, Wrap: func(ctx context.Context, call *Call, next func(context.Context) error) error {
		err := next(ctx)
		notes := notesOf(ctx)
		if !call.Inside || notes == nil {
			return err
		}
		if _, tables, more := notes.told(); len(tables) > 0 {
			text, merr := json.Marshal(toldTables{tables, more})
			if merr == nil {
				merr = grpc.SetTrailer(ctx, metadata.Pairs(keyTables, string(text)))
			}
			if err == nil {
				err = merr
			}
		}
		return err
	}}
}

// auditLink writes a line for each call: who made it, from where, what it was, whether it was
// allowed, which tables were read for it, and what came of it. No word of a request or an answer
// is in it. nil: nobody keeps them.
func auditLink(log *slog.Logger) Link {
	return Link{Name: linkAudit, After: []string{linkMetrics}, Wrap: func(ctx context.Context, call *Call, next func(context.Context) error) error {
		notes := &auditNotes{}
		err := next(context.WithValue(ctx, auditKey{}, notes))
		if log == nil || isOpen(call.Method) {
			return err
		}
		rc := run.From(call.Context)
		decision := decisionOn(err)
		if status.Code(err) == codes.ResourceExhausted && rc.Principal.IsZero() { // so many had failed that nobody looked who it is
			decision = refused
		}
		object, tables, more := notes.told()
		// The line is written whatever has become of the call's context.
		log.LogAttrs(context.WithoutCancel(ctx), slog.LevelInfo, "call",
			slog.String("principal", rc.Principal.ID), slog.Bool("admin", rc.Principal.Admin), slog.String("token", rc.Principal.Token), slog.String("from", from(ctx)),
			slog.String("method", strings.TrimPrefix(call.Method, "/")), slog.String("object", object), slog.Any("tables", tables), slog.Int("more_tables", more), slog.String("decision", decision), slog.String("code", status.Code(err).String()),
			slog.String("reason", fault.ReasonOf(err)), slog.String("outcome", string(call.Outcome)), slog.String("run_id", rc.RunID), slog.String("session_id", rc.SessionID))
		return err
	}}
}
