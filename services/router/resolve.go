package router

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
)

// Reasons of a look-up that fails.
const (
	reasonCycle      = "TOOL_CALL_CYCLE"
	reasonNoSQL      = "TOOL_CALL_WITHOUT_SQL"
	reasonChainSteps = "TOOL_CALL_CHAIN_TOO_LONG"
)

// maxChain bounds a look-up, in calls.
const maxChain = 64

// known is what a call and those that it builds on hold: the newest SQL, and
// the tables, terms and rules of the discovery at its root.
type known struct {
	sql         string
	tables      []*commonv1.TableDetail
	terms       []*commonv1.GlossaryTerm
	rules       []*commonv1.BusinessRule
	metrics     []string
	labels      []*commonv1.ColumnLabel
	assumptions []string
	confidence  float64
	generated   bool   // a generate_sql was passed
	failure     string // the engine's error, when an execution stands at the head
}

// link is a call of a chain with its unpacked output.
type link struct {
	call   store.ToolCall
	output proto.Message
}

// chain follows a call to those that it builds on: execute, fix, generate,
// data_discovery. An id that is unknown, of another session, or that leads back
// to itself is a fault that names it.
func (s *Service) chain(ctx context.Context, t *turn, id string) ([]link, error) {
	var out []link
	seen := map[string]bool{}
	for id != "" {
		if seen[id] {
			return nil, fault.New(codes.FailedPrecondition, reasonCycle,
				fmt.Sprintf("The tool calls that %s builds on lead back to %s itself. Ask the question anew.", out[0].call.ID, id), "tool_call_id", id)
		}
		if len(out) == maxChain {
			return nil, fault.New(codes.FailedPrecondition, reasonChainSteps,
				fmt.Sprintf("More than %d tool calls stand behind %s. Ask the question anew.", maxChain, out[0].call.ID), "tool_call_id", id)
		}
		seen[id] = true
		l, err := s.link(ctx, t, id)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
		id = l.call.SourceID
	}
	return out, nil
}

// link reads a call of the session: of this turn from memory, else from the
// store. All chats of the session may refer to each other's calls.
func (s *Service) link(ctx context.Context, t *turn, id string) (link, error) {
	if i := slices.IndexFunc(t.calls, func(c *call) bool { return c.ID == id }); i >= 0 && t.calls[i].output != nil {
		return link{call: t.calls[i].ToolCall, output: t.calls[i].output}, nil
	}
	c, err := s.deps.Store.ToolCall(ctx, t.principal, id)
	if err != nil {
		return link{}, err
	}
	if c.SessionID != t.session.ID {
		return link{}, store.ToolCallUnknown(id)
	}
	output, err := unpack(c)
	return link{call: c, output: output}, err
}

// resolve collects what a call and its sources hold. What is nearer to the call,
// which is newer, wins.
func (s *Service) resolve(ctx context.Context, t *turn, id string) (known, error) {
	chain, err := s.chain(ctx, t, id)
	if err != nil {
		return known{}, err
	}
	k := known{sql: newestSQL(chain)}
	for _, l := range chain {
		k.take(l)
	}
	return k, nil
}

// resolveSQL is resolve for a call that must lead to a SQL.
func (s *Service) resolveSQL(ctx context.Context, t *turn, id string) (known, error) {
	k, err := s.resolve(ctx, t, id)
	if err == nil && k.sql == "" {
		err = fault.New(codes.FailedPrecondition, reasonNoSQL,
			fmt.Sprintf("There is no SQL in tool call %s or in those that it builds on. Ask for the SQL first.", id), "tool_call_id", id)
	}
	return k, err
}

// take adds what a call holds beside its SQL, where no nearer one had it.
func (k *known) take(l link) {
	switch o := l.output.(type) {
	case *findatav1.DiscoverResult:
		if k.tables != nil {
			return
		}
		for _, c := range o.GetRelatedTables() {
			if !c.GetLocked() { // its name may be known, and nothing may be built on it
				k.tables = append(k.tables, c.GetTable())
			}
		}
		k.terms, k.rules = o.GetGlossaryTerms(), o.GetRules()
	case *text2sqlv1.GenerateResult:
		if len(o.GetCandidates()) == 0 || k.generated {
			return
		}
		k.generated = true
		best := o.GetCandidates()[0]
		k.metrics, k.labels, k.confidence = o.GetMetrics(), best.GetLabels(), o.GetConfidence()
		k.assumptions = slices.Concat(o.GetChanges(), best.GetAssumptions())
		if o.GetVerified() != nil {
			k.assumptions = slices.Concat([]string{best.GetReason()}, k.assumptions)
		}
	case *chatbiv1.ExecuteResult:
		if e := o.GetError(); k.failure == "" && e != nil {
			k.failure = e.GetCode() + ": " + e.GetMessage()
		}
	}
}

// newestSQL is the SQL that a call stands for: that of the first call of the chain
// that has one. A chain begins at the call that was asked for and goes back in
// time, so a repair comes before the SQL that it repaired, and a newer repair
// before an older one.
func newestSQL(chain []link) string {
	for _, l := range chain {
		if sql := l.sql(); sql != "" {
			return sql
		}
	}
	return ""
}

// sql is the statement that a call brought: what it wrote or repaired. One that
// came with the message stands in its arguments; beside a source those repeat what
// the source holds, perhaps wrongly, and are not read.
func (l link) sql() string {
	switch o := l.output.(type) {
	case *text2sqlv1.GenerateResult:
		if len(o.GetCandidates()) > 0 {
			return o.GetCandidates()[0].GetSql()
		}
	case *fixsqlv1.FixSQLResponse:
		if sql := o.GetFixed().GetSql(); sql != "" {
			return sql
		}
	}
	if l.call.SourceID != "" {
		return ""
	}
	return argumentSQL(l.call.Arguments)
}

// intentOf is the intent of the newest SQL that was written among a call and those
// that it builds on; empty where it has none, as a SQL by hand.
func (s *Service) intentOf(ctx context.Context, t *turn, id string) (string, error) {
	chain, err := s.chain(ctx, t, id)
	if err != nil {
		return "", err
	}
	for _, l := range chain {
		if o, ok := l.output.(*text2sqlv1.GenerateResult); ok {
			return o.GetIntentJson(), nil
		}
	}
	return "", nil
}

func argumentSQL(raw []byte) string {
	var a struct {
		SQL string `json:"sql"`
	}
	if json.Unmarshal(raw, &a) != nil {
		return ""
	}
	return a.SQL
}

// unpack reads a stored output; a call without one gives nil, and one whose output
// was removed a fault that says so.
func unpack(c store.ToolCall) (proto.Message, error) {
	if !c.OutputRemovedAt.IsZero() {
		return nil, store.OutputRemoved(c.ID, c.OutputRemovedAt)
	}
	if c.OutputType == "" {
		return nil, nil
	}
	mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(c.OutputType))
	if err != nil {
		return nil, fmt.Errorf("output of %s: %w", c.ID, err)
	}
	m := mt.New().Interface()
	return m, errors.Join(proto.Unmarshal(c.Output, m))
}
