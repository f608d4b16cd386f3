// Package findata finds the right tables for a question and serves the catalog.
//
// This file translates between the contract and the use cases, and does nothing
// else: discover.go and choose.go find tables, lookups.go answers the smaller
// rpcs, own.go keeps what the asker did before, access.go is the one door
// through which tables leave. The stages have rooms of their own: preprocess,
// country, scope, rank, filter, answer; library keeps sources indexed, memory
// keeps preferences and feedback. What an asker may not see does not exist: not
// by name, not by count, not in a hint.
package findata

import (
	"context"
	"slices"
	"time"

	"google.golang.org/grpc"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/run/runpb"
	"github.com/dibrain/dibrain/services/findata/answer"
	"github.com/dibrain/dibrain/services/findata/memory"
	"github.com/dibrain/dibrain/services/findata/scope"
)

// toolName is the router's name of the tool that this service is.
const toolName = "data_discovery"

// findDataServer is FindDataService over the use cases.
type findDataServer struct {
	findatav1.UnimplementedFindDataServiceServer
	service *Service
}

// Discover implements FindDataService.
func (s *findDataServer) Discover(r *findatav1.DiscoverRequest, stream grpc.ServerStreamingServer[findatav1.DiscoverResponse]) error {
	var sendErr error
	result, trace, err := s.discover(stream.Context(), r.GetQuery(), &told{
		stage: func(name, message string, took time.Duration) {
			if sendErr == nil {
				sendErr = stream.Send(&findatav1.DiscoverResponse{Event: &findatav1.DiscoverResponse_Stage{Stage: &findatav1.DiscoverStage{
					Name: name, Message: message, Milliseconds: milliseconds(took),
				}}})
			}
		},
		first: func(tables []answer.Shown, final bool, took time.Duration) {
			if sendErr == nil {
				sendErr = stream.Send(&findatav1.DiscoverResponse{Event: &findatav1.DiscoverResponse_Preview{Preview: &findatav1.DiscoverPreview{
					Tables: fromShown(tables), Milliseconds: milliseconds(took), Final: final,
				}}})
			}
		},
	})
	if err != nil {
		return err
	}
	if sendErr != nil {
		return sendErr
	}
	return stream.Send(&findatav1.DiscoverResponse{Event: &findatav1.DiscoverResponse_Result{Result: result}, Trace: trace})
}

// DiscoverUnary implements FindDataService.
func (s *findDataServer) DiscoverUnary(ctx context.Context, r *findatav1.DiscoverUnaryRequest) (*findatav1.DiscoverUnaryResponse, error) {
	result, trace, err := s.discover(ctx, r.GetQuery(), nil)
	if err != nil {
		return nil, err
	}
	return &findatav1.DiscoverUnaryResponse{Result: result, Trace: trace}, nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (s *findDataServer) discover(ctx context.Context, q *findatav1.DiscoverQuery, told *told) (*findatav1.DiscoverResult, *commonv1.RunTrace, error) {
	recorder := run.NewRecorder(s.service.config().MaxTraceBytes)
	found, desk, err := s.service.discover(run.WithRecorder(ctx, recorder), queryOf(q), told)
	if err != nil {
		return nil, nil, err
	}
	desk.release()
	switch found.Outcome {
	case outcomeAsk:
		run.Conclude(ctx, run.OutcomeAsked)
	case outcomeNotFound, outcomeFallback:
		run.Conclude(ctx, run.OutcomeAbstained)
	}
	return fromDiscovery(found, run.From(ctx).ToolCallID), runpb.ToTrace(recorder), nil
}

// SearchTables implements FindDataService.
func (s *findDataServer) SearchTables(ctx context.Context, r *findatav1.SearchTablesRequest) (*findatav1.SearchTablesResponse, error) {
	found, err := s.service.searchTables(ctx, r.GetSource(), r.GetQuery(), r.GetMart(), int(r.GetPageSize()), r.GetPageToken(), r.GetWhy())
	if err != nil {
		return nil, err
	}
	return &findatav1.SearchTablesResponse{Tables: fromShown(found.Tables), NextPageToken: found.Next, Explanations: fromExplanations(found.Why), Warnings: fromWarnings(found.Warnings)}, nil
}

// ClarifyScope implements FindDataService.
func (s *findDataServer) ClarifyScope(ctx context.Context, r *findatav1.ClarifyScopeRequest) (*findatav1.ClarifyScopeResponse, error) {
	clarified, err := s.service.clarifyScope(ctx, queryOf(r.GetQuery()))
	if err != nil {
		return nil, err
	}
	result := clarified.Scope
	out := &findatav1.ClarifyScopeResponse{Outcome: findatav1.ScopeOutcome_SCOPE_OUTCOME_NO_MATCH}
	switch result.Outcome {
	case scope.Identified:
		out.Outcome = findatav1.ScopeOutcome_SCOPE_OUTCOME_SCOPE_IDENTIFIED
	case scope.Ask:
		run.Conclude(ctx, run.OutcomeAsked)
		out.Outcome = findatav1.ScopeOutcome_SCOPE_OUTCOME_INSUFFICIENT_INFO
		out.Question = fromQuestion(result, run.From(ctx).ToolCallID)
	case scope.NoMarts, scope.NoMatch:
		run.Conclude(ctx, run.OutcomeAbstained)
	}
	out.Scopes = fromScopes(clarified)
	out.FallbackTables, out.Warnings = fromShown(clarified.Fallback), fromWarnings(clarified.Warnings)
	return out, nil
}

// AnswerQuestion implements FindDataService.
func (s *findDataServer) AnswerQuestion(ctx context.Context, r *findatav1.AnswerQuestionRequest) (*findatav1.AnswerQuestionResponse, error) {
	a, err := s.service.answerQuestion(ctx, queryOf(r.GetQuery()))
	if err != nil {
		return nil, err
	}
	if a.DontKnow != "" {
		run.Conclude(ctx, run.OutcomeAbstained)
	}
	return fromAnswered(a), nil
}

// SimilarTables implements FindDataService.
func (s *findDataServer) SimilarTables(ctx context.Context, r *findatav1.SimilarTablesRequest) (*findatav1.SimilarTablesResponse, error) {
	tables, err := s.service.similarTables(ctx, r.GetSource(), r.GetTable(), int(r.GetMaxTables()))
	if err != nil {
		return nil, err
	}
	return &findatav1.SimilarTablesResponse{Tables: fromShown(tables)}, nil
}

// Feedback implements FindDataService.
func (s *findDataServer) Feedback(ctx context.Context, r *findatav1.FeedbackRequest) (*findatav1.FeedbackResponse, error) {
	kinds := map[findatav1.FeedbackKind]memory.Kind{
		findatav1.FeedbackKind_FEEDBACK_KIND_SHOWN: memory.Shown, findatav1.FeedbackKind_FEEDBACK_KIND_CLICKED: memory.Clicked,
		findatav1.FeedbackKind_FEEDBACK_KIND_ACCEPTED: memory.Accepted, findatav1.FeedbackKind_FEEDBACK_KIND_REJECTED: memory.Rejected,
	}
	if err := s.service.feedback(ctx, r.GetSource(), r.GetQuestion(), r.GetTables(), kinds[r.GetKind()]); err != nil {
		return nil, err
	}
	return &findatav1.FeedbackResponse{}, nil
}

// GetPreferences implements FindDataService.
func (s *findDataServer) GetPreferences(ctx context.Context, r *findatav1.GetPreferencesRequest) (*findatav1.GetPreferencesResponse, error) {
	p, err := s.service.preferences(ctx, r.GetSource())
	if err != nil {
		return nil, err
	}
	return &findatav1.GetPreferencesResponse{Preferences: fromPreferences(p.Now), Learned: fromPreferences(p.Learned), Use: fromFigures(p.Use)}, nil
}

// SetPreferences implements FindDataService.
func (s *findDataServer) SetPreferences(ctx context.Context, r *findatav1.SetPreferencesRequest) (*findatav1.SetPreferencesResponse, error) {
	in := r.GetPreferences()
	p, err := s.service.setPreferences(ctx, r.GetSource(), memory.Preferences{
		Marts: slices.Clone(in.GetMarts()), Tables: slices.Clone(in.GetTables()), Region: in.GetRegion(), Grain: in.GetGrain(),
	})
	if err != nil {
		return nil, err
	}
	return &findatav1.SetPreferencesResponse{Preferences: fromPreferences(p)}, nil
}
