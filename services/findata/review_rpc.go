package findata

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/services/findata/library"
	"github.com/dibrain/dibrain/services/findata/memory"
)

var reviewKinds = map[findatav1.ReviewKind]memory.ReviewKind{
	findatav1.ReviewKind_REVIEW_KIND_DECLINED: memory.Declined, findatav1.ReviewKind_REVIEW_KIND_UNSURE: memory.Unsure,
	findatav1.ReviewKind_REVIEW_KIND_REJECTED: memory.VotedAgainst,
}

var reviewStates = map[findatav1.ReviewStatus]memory.Status{
	findatav1.ReviewStatus_REVIEW_STATUS_UNSPECIFIED: memory.Open, findatav1.ReviewStatus_REVIEW_STATUS_OPEN: memory.Open,
	findatav1.ReviewStatus_REVIEW_STATUS_RESOLVED: memory.Resolved, findatav1.ReviewStatus_REVIEW_STATUS_DISMISSED: memory.Dismissed,
}

// ListReview implements FindDataService.
func (s *findDataServer) ListReview(ctx context.Context, r *findatav1.ListReviewRequest) (*findatav1.ListReviewResponse, error) {
	candidates := r.GetKind() == findatav1.ReviewKind_REVIEW_KIND_CANDIDATE || r.GetKind() == findatav1.ReviewKind_REVIEW_KIND_UNSPECIFIED
	only := r.GetKind() == findatav1.ReviewKind_REVIEW_KIND_CANDIDATE
	page, err := s.service.reviews(ctx, r.GetSource(), reviewStates[r.GetStatus()], reviewKinds[r.GetKind()], candidates, int(r.GetPageSize()), r.GetPageToken())
	if err != nil {
		return nil, err
	}
	out := &findatav1.ListReviewResponse{NextPageToken: page.Next}
	if only {
		page.Entries, out.NextPageToken = nil, ""
	}
	for _, e := range page.Entries {
		out.Entries = append(out.Entries, fromReview(e))
	}
	for _, c := range page.Candidates {
		entry := &findatav1.ReviewEntry{
			Kind: findatav1.ReviewKind_REVIEW_KIND_CANDIDATE, Status: findatav1.ReviewStatus_REVIEW_STATUS_OPEN,
			Times: c.Queries, Tables: c.Tables, Sql: c.SQL,
		}
		if day, err := time.Parse(time.DateOnly, c.LastDay); err == nil {
			entry.LastAt = timestamppb.New(day)
		}
		out.Entries = append(out.Entries, entry)
	}
	for _, w := range page.Missing {
		out.MissingWords = append(out.MissingWords, &findatav1.MissingWord{Word: prose.Safe(w.Word), Times: w.Times})
	}
	return out, nil
}

func fromReview(e memory.Review) *findatav1.ReviewEntry {
	out := &findatav1.ReviewEntry{
		Id: e.ID, Question: prose.Safe(e.Question), Times: e.Times, FirstAt: timestamppb.New(e.FirstAt), LastAt: timestamppb.New(e.LastAt),
		Subjects: prose.SafeAll(e.Reading.Subjects), MissingWords: prose.SafeAll(e.Reading.Missing), Tables: e.Reading.Tables,
		Options: prose.SafeAll(e.Reading.Options), Answer: prose.Safe(e.Reading.Answer), Resolution: prose.Safe(e.Resolution), ResolvedBy: prose.Safe(e.ResolvedBy),
	}
	for to, from := range reviewKinds {
		if from == e.Kind {
			out.Kind = to
		}
	}
	for to, from := range reviewStates {
		if from == e.Status && to != findatav1.ReviewStatus_REVIEW_STATUS_UNSPECIFIED {
			out.Status = to
		}
	}
	return out
}

// ResolveReview implements FindDataService.
func (s *findDataServer) ResolveReview(ctx context.Context, r *findatav1.ResolveReviewRequest) (*findatav1.ResolveReviewResponse, error) {
	in := resolution{ID: r.GetId(), Elsewhere: r.GetElsewhere(), Dismissed: r.GetDismissed(), DryRun: r.GetDryRun()}
	if w := r.GetSynonym(); w != nil {
		in.Decisions.Synonyms = []library.Synonym{{Words: w.GetWords(), Mart: w.GetMart()}}
	}
	if t := r.GetTerm(); t != nil {
		in.Decisions.Glossary = []catalog.Term{{Term: t.GetTerm(), Synonyms: t.GetSynonyms(), Definition: t.GetDefinition(), Mart: t.GetMart()}}
	}
	diff, kept, err := s.service.resolve(ctx, r.GetSource(), in)
	if err != nil {
		return nil, err
	}
	return &findatav1.ResolveReviewResponse{Diff: prose.Safe(diff), Kept: kept}, nil
}

// GetUseStats implements FindDataService.
func (s *findDataServer) GetUseStats(ctx context.Context, r *findatav1.GetUseStatsRequest) (*findatav1.GetUseStatsResponse, error) {
	stats, err := s.service.useStats(ctx, r.GetSource(), int(r.GetDays()))
	if err != nil {
		return nil, err
	}
	c := stats.Came
	return &findatav1.GetUseStatsResponse{
		Questions: c.Asked, Clarified: c.Clarified, Declined: c.Declined, Replies: c.Replied, Settled: c.Settled,
		ClarificationRate: c.ClarificationRate(), OneRoundRate: c.OneRoundRate(), Use: fromFigures(stats.Use),
	}, nil
}
