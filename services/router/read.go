package router

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"unicode"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/structpb"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/run/runpb"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/tools"
)

// Sizes of pages that a request leaves open.
const (
	defaultPage     = 20
	defaultMessages = 50
)

func page(size int32, token string, otherwise int) store.Page {
	if size <= 0 {
		return store.Page{Size: otherwise, Token: token}
	}
	return store.Page{Size: int(size), Token: token}
}

func principal(ctx context.Context) run.Principal { return run.From(ctx).Principal }

// GetRun implements the contract.
func (s *Service) GetRun(ctx context.Context, r *routerv1.GetRunRequest) (*routerv1.GetRunResponse, error) {
	owner, err := s.ownerOfRuns(ctx, r.GetPrincipal())
	if err != nil {
		return nil, err
	}
	u, records, err := s.deps.Store.Run(ctx, owner, r.GetRunId())
	if err != nil {
		return nil, err
	}
	out := &routerv1.GetRunResponse{Question: u.Question, SessionId: u.SessionID}
	for _, rec := range treeOf(u, records) {
		out.Records = append(out.Records, runpb.FromRecord(rec))
	}
	return out, nil
}

// ReasonAuditors is the reason of a refusal to read somebody else's runs.
const ReasonAuditors = "AUDITORS_ONLY"

// ownerOfRuns is the person whose runs somebody reads: their own, or an auditor anybody's. To
// administer is no such right.
func (s *Service) ownerOfRuns(ctx context.Context, asked string) (run.Principal, error) {
	p := principal(ctx)
	if asked == "" || asked == p.ID {
		return p, nil
	}
	rpc.AuditObject(ctx, asked)
	if !p.InAny(s.config().Auditors) {
		return run.Principal{}, fault.New(codes.PermissionDenied, ReasonAuditors,
			"Only a member of a group in router.auditors may read the runs of somebody else: leave the principal out for your own.")
	}
	return run.Principal{ID: asked}, nil
}

// attributeStepsRemoved of a run's root says why there are no steps below it.
const attributeStepsRemoved = "steps_removed"

// treeOf is a run's tree as it is shown: parents first, and the root says where its
// steps have gone.
func treeOf(u store.Run, records []run.Record) []run.Record {
	out := parentsFirst(records)
	if len(out) > 0 && !u.StepsRemovedAt.IsZero() {
		told := maps.Clone(out[0].Attributes)
		if told == nil {
			told = map[string]string{}
		}
		told[attributeStepsRemoved] = store.StepsRemoved(u.StepsRemovedAt)
		out[0].Attributes = told
	}
	return out
}

// parentsFirst keeps the order but puts a record behind its parent: a service's
// records arrive in one piece, after others of the same time.
func parentsFirst(records []run.Record) []run.Record {
	here := make(map[string]bool, len(records))
	for _, r := range records {
		here[r.RunID] = true
	}
	placed, out := map[string]bool{}, make([]run.Record, 0, len(records))
	for len(out) < len(records) {
		before := len(out)
		for _, r := range records {
			if placed[r.RunID] || (here[r.ParentRunID] && !placed[r.ParentRunID]) {
				continue
			}
			placed[r.RunID] = true
			out = append(out, r)
		}
		if len(out) == before { // parents in a circle: shown as they are
			for _, r := range records {
				if !placed[r.RunID] {
					out = append(out, r)
				}
			}
			break
		}
	}
	return out
}

// ListRuns implements the contract.
func (s *Service) ListRuns(ctx context.Context, r *routerv1.ListRunsRequest) (*routerv1.ListRunsResponse, error) {
	f := store.RunFilter{SessionID: r.GetSessionId(), Status: runpb.ToStatus(r.GetStatus())}
	owner, err := s.ownerOfRuns(ctx, r.GetPrincipal())
	if err != nil {
		return nil, err
	}
	runs, next, err := s.deps.Store.Runs(ctx, owner, f, page(r.GetPageSize(), r.GetPageToken(), defaultPage))
	if err != nil {
		return nil, err
	}
	out := &routerv1.ListRunsResponse{NextPageToken: next}
	for _, u := range runs {
		out.Runs = append(out.Runs, &routerv1.RunSummary{Record: runpb.FromRecord(u.Record), Question: u.Question, SessionId: u.SessionID})
	}
	return out, nil
}

// CancelRun implements the contract. A run of this process is waited for, as
// long as the caller waits; one of another process ends at its next sign of
// life.
func (s *Service) CancelRun(ctx context.Context, r *routerv1.CancelRunRequest) (*routerv1.CancelRunResponse, error) {
	status, err := s.deps.Store.RequestCancel(ctx, principal(ctx), r.GetRunId())
	if err != nil {
		return nil, err
	}
	if ended := s.active.cancel(r.GetRunId(), errCancelled); ended != nil {
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		u, _, err := s.deps.Store.Run(ctx, principal(ctx), r.GetRunId())
		if err != nil {
			return nil, err
		}
		status = u.Record.Status
	}
	return &routerv1.CancelRunResponse{Status: runpb.FromStatus(status)}, nil
}

// GetToolCall implements the contract.
func (s *Service) GetToolCall(ctx context.Context, r *routerv1.GetToolCallRequest) (*routerv1.GetToolCallResponse, error) {
	c, err := s.deps.Store.ToolCall(ctx, principal(ctx), r.GetToolCallId())
	if err != nil {
		return nil, err
	}
	output, err := unpack(c)
	if err != nil {
		return nil, err
	}
	return &routerv1.GetToolCallResponse{ToolCall: toProtoCall(&c, output)}, nil
}

// CreateSession implements the contract.
func (s *Service) CreateSession(ctx context.Context, r *routerv1.CreateSessionRequest) (*routerv1.CreateSessionResponse, error) {
	if err := checkSource("source", r.GetSource()); err != nil {
		return nil, err
	}
	if i := strings.IndexFunc(r.GetTitle(), unicode.IsControl); i >= 0 {
		return nil, fault.Invalid("title", "TITLE_INVALID", "The title holds a control character at byte %d. Leave out line breaks, tabs and escapes.", i)
	}
	now := s.deps.Clock()
	ses := store.Session{ID: s.deps.IDs(run.PrefixSession), Title: r.GetTitle(), Source: r.GetSource(), CreatedAt: now, UpdatedAt: now}
	if err := s.deps.Store.CreateSession(ctx, principal(ctx), ses); err != nil {
		return nil, err
	}
	return &routerv1.CreateSessionResponse{Session: toProtoSession(ses)}, nil
}

// GetSession implements the contract.
func (s *Service) GetSession(ctx context.Context, r *routerv1.GetSessionRequest) (*routerv1.GetSessionResponse, error) {
	ses, err := s.deps.Store.Session(ctx, principal(ctx), r.GetSessionId())
	if err != nil {
		return nil, err
	}
	messages, next, err := s.deps.Store.Messages(ctx, principal(ctx), ses.ID, "", page(r.GetPageSize(), r.GetPageToken(), defaultMessages))
	if err != nil {
		return nil, err
	}
	out := &routerv1.GetSessionResponse{Session: toProtoSession(ses), NextPageToken: next}
	for _, m := range messages {
		out.Messages = append(out.Messages, toProtoMessage(m))
	}
	return out, nil
}

// ListSessions implements the contract.
func (s *Service) ListSessions(ctx context.Context, r *routerv1.ListSessionsRequest) (*routerv1.ListSessionsResponse, error) {
	sessions, next, err := s.deps.Store.Sessions(ctx, principal(ctx), page(r.GetPageSize(), r.GetPageToken(), defaultPage))
	if err != nil {
		return nil, err
	}
	out := &routerv1.ListSessionsResponse{NextPageToken: next}
	for _, ses := range sessions {
		out.Sessions = append(out.Sessions, toProtoSession(ses))
	}
	return out, nil
}

// DeleteSession implements the contract.
func (s *Service) DeleteSession(ctx context.Context, r *routerv1.DeleteSessionRequest) (*routerv1.DeleteSessionResponse, error) {
	if err := s.deps.Store.DeleteSession(ctx, principal(ctx), r.GetSessionId()); err != nil {
		return nil, err
	}
	return &routerv1.DeleteSessionResponse{}, nil
}

// ListTools implements the contract.
func (s *Service) ListTools(ctx context.Context, _ *routerv1.ListToolsRequest) (*routerv1.ListToolsResponse, error) {
	out := &routerv1.ListToolsResponse{}
	for _, d := range s.tools.All() {
		schema, err := d.Arguments.Schema(ctx)
		served := s.served(d.Name)
		if _, others := s.outside[d.Name]; others && err != nil {
			s.deps.Log.WarnContext(ctx, "an agent of the configuration cannot be asked for its schema", "tool", d.Name, "error", err)
			schema, served = nil, false
		} else if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", d.Name, err)
		}
		fields, err := structpb.NewStruct(schema)
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", d.Name, err)
		}
		out.Tools = append(out.Tools, &routerv1.Tool{Name: d.Name, AgentName: d.Agent, Description: d.Description,
			ArgumentsSchema: fields, Served: served})
	}
	return out, nil
}

func (s *Service) served(tool string) bool {
	switch tool {
	case tools.DatasuiteFAQ, tools.DataSuiteExpert:
		return s.deps.Knowledge != nil
	case tools.SearchLog:
		return s.deps.Logify != nil
	case tools.Analyze:
		return s.deps.Analysis != nil
	default:
		return true
	}
}
