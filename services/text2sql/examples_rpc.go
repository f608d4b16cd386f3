package text2sql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/text2sql/examples"
)

const (
	defaultExamples = 50
	// maxChecked bounds the reasons that CheckExamples gives.
	maxChecked = 1000
)

// curates reports whether somebody may approve verified queries: an administrator,
// or a member of a group of text2sql.curators.
func (s *Service) curates(p run.Principal) bool {
	return p.Admin || p.InAny(s.config.Curators)
}

func (s *Service) requireCurator(p run.Principal, doing string) error {
	if s.curates(p) {
		return nil
	}
	return fault.New(codes.PermissionDenied, examples.ReasonCurators, fmt.Sprintf(
		"Only an administrator, or a member of a group in text2sql.curators, may %s. Ask one of them.", doing))
}

// AddExample implements the rpc.
func (s *Service) AddExample(ctx context.Context, req *text2sqlv1.AddExampleRequest) (*text2sqlv1.AddExampleResponse, error) {
	p, now := run.From(ctx).Principal, s.now()
	e := examples.Example{
		ID: run.NewID(examples.PrefixID, s.deps.Random), Source: cmp.Or(req.GetSource(), s.config.DefaultSource), Mart: req.GetMart(),
		Question: strings.TrimSpace(req.GetQuestion()), SQL: strings.TrimSpace(req.GetSql()), Status: examples.Proposed, Origin: examples.Person,
		AddedBy: p.ID, AddedAt: now, RunID: req.GetRunId(),
	}
	question := s.examples.parser.Parse(e.Question)
	if question.Key == "" {
		return nil, fault.Invalid("question", "QUESTION_EMPTY", "The question is empty: give the question that the SQL answers.")
	}
	prepared, err := s.examples.parser.Prepare(e, s.examples.dates)
	if err != nil {
		return nil, fault.Invalid("sql", examples.ReasonSQLInvalid, "The example cannot be used: %v.", err)
	}
	approved, err := s.checkedSQL(ctx, e.Source, prepared)
	if err != nil {
		if !refused(err) {
			return nil, err
		}
		return nil, fault.Invalid("sql", examples.ReasonSQLInvalid, "The SQL does not pass the checks: %v", err)
	}
	for _, t := range approved.Tables() {
		e.Tables = append(e.Tables, t.String())
	}
	if s.curates(p) && !req.GetProposeOnly() {
		e.Status, e.ApprovedBy, e.ApprovedAt = examples.Approved, p.ID, now
	}
	if err := s.examples.store.Add(ctx, e, question.Key); err != nil {
		return nil, err
	}
	return &text2sqlv1.AddExampleResponse{Example: toExample(e)}, nil
}

// ListExamples implements the rpc.
func (s *Service) ListExamples(ctx context.Context, req *text2sqlv1.ListExamplesRequest) (*text2sqlv1.ListExamplesResponse, error) {
	status := examples.Status(req.GetStatus())
	if status != "" && status != examples.Approved && status != examples.Proposed {
		return nil, fault.Invalid("status", "EXAMPLE_STATUS_UNKNOWN", "%q is no status of a verified query. Give approved, proposed, or nothing for both.", status)
	}
	source := cmp.Or(req.GetSource(), s.config.DefaultSource)
	layer, err := s.layers.get(source)
	if err != nil {
		return nil, err
	}
	list, next, err := s.examples.store.List(ctx, source, status, store.Page{Size: int(cmp.Or(req.GetPageSize(), defaultExamples)), Token: req.GetPageToken()})
	if err != nil {
		return nil, err
	}
	if req.GetPageToken() == "" && status != examples.Proposed {
		list = slices.Concat(ofLayer(source, layer.written), list)
	}
	out := &text2sqlv1.ListExamplesResponse{NextPageToken: next}
	for _, e := range list {
		sees, err := s.seesExample(ctx, e)
		if err != nil {
			return nil, err
		}
		if sees {
			out.Examples = append(out.Examples, toExample(e))
		}
	}
	return out, nil
}

// seesExample reports whether the asker may know of an example: its tables are
// theirs to read in full, and it is approved, their own, or they are a curator.
func (s *Service) seesExample(ctx context.Context, e examples.Example) (bool, error) {
	p := run.From(ctx).Principal
	if e.Status == examples.Proposed && e.AddedBy != p.ID && !s.curates(p) {
		return false, nil
	}
	names := e.Tables
	if len(names) == 0 {
		prepared, unfit := s.examples.parser.Prepare(e, s.examples.dates)
		if unfit != nil { // nobody can say what it reads
			return s.curates(p), nil //nolint:nilerr // CheckExamples tells it
		}
		names = prepared.TablesRead()
	}
	tables, whole, err := s.mayRead(ctx, e.Source, names)
	return tables != nil && (whole || e.AddedBy == p.ID), err
}

// own reads an example of the store that the asker may know of.
func (s *Service) own(ctx context.Context, id string) (examples.Example, error) {
	if strings.HasPrefix(id, examples.PrefixLayer) {
		return examples.Example{}, fault.New(codes.FailedPrecondition, examples.ReasonOfLayer,
			"This verified query is part of the semantic layer: change the layer's file.")
	}
	e, ok, err := s.examples.store.Get(ctx, id)
	if err != nil {
		return e, err
	}
	if !ok {
		return e, examples.Unknown(id)
	}
	sees, err := s.seesExample(ctx, e)
	if err != nil {
		return e, err
	}
	// Curators may remove what has become stale, and own proposals stay one's own.
	if p := run.From(ctx).Principal; !sees && !p.Admin && e.AddedBy != p.ID {
		return e, examples.Unknown(id)
	}
	return e, nil
}

// ApproveExample implements the rpc.
func (s *Service) ApproveExample(ctx context.Context, req *text2sqlv1.ApproveExampleRequest) (*text2sqlv1.ApproveExampleResponse, error) {
	p := run.From(ctx).Principal
	if err := s.requireCurator(p, "approve verified queries"); err != nil {
		return nil, err
	}
	e, err := s.own(ctx, req.GetExampleId())
	if err != nil {
		return nil, err
	}
	if e.Status == examples.Approved {
		return &text2sqlv1.ApproveExampleResponse{Example: toExample(e)}, nil
	}
	prepared, err := s.examples.parser.Prepare(e, s.examples.dates)
	if err == nil {
		if _, err = s.checkedSQL(ctx, e.Source, prepared); err != nil && !refused(err) {
			return nil, err
		}
	}
	if err != nil {
		return nil, fault.New(codes.FailedPrecondition, examples.ReasonSQLInvalid, fmt.Sprintf("The SQL does not pass the checks any more: %v", err))
	}
	e.Status, e.ApprovedBy, e.ApprovedAt = examples.Approved, p.ID, s.now()
	if err := s.examples.store.Approve(ctx, e, e.ApprovedBy, e.ApprovedAt); err != nil {
		return nil, err
	}
	return &text2sqlv1.ApproveExampleResponse{Example: toExample(e)}, nil
}

// RemoveExample implements the rpc.
func (s *Service) RemoveExample(ctx context.Context, req *text2sqlv1.RemoveExampleRequest) (*text2sqlv1.RemoveExampleResponse, error) {
	e, err := s.own(ctx, req.GetExampleId())
	if err != nil {
		return nil, err
	}
	if p := run.From(ctx).Principal; e.Status != examples.Proposed || e.AddedBy != p.ID {
		if err := s.requireCurator(p, "remove verified queries"); err != nil {
			return nil, err
		}
	}
	if err := s.examples.store.Remove(ctx, e); err != nil {
		return nil, err
	}
	return &text2sqlv1.RemoveExampleResponse{}, nil
}

// CheckExamples implements the rpc.
func (s *Service) CheckExamples(ctx context.Context, req *text2sqlv1.CheckExamplesRequest) (*text2sqlv1.CheckExamplesResponse, error) {
	if err := s.requireCurator(run.From(ctx).Principal, "check verified queries"); err != nil {
		return nil, err
	}
	source := cmp.Or(req.GetSource(), s.config.DefaultSource)
	layer, err := s.layers.get(source)
	if err != nil {
		return nil, err
	}
	have, err := s.examples.of(ctx, source, layer.written)
	if err != nil {
		return nil, err
	}
	out := &text2sqlv1.CheckExamplesResponse{Checked: int32(len(have.prepared) + len(have.stale))} //nolint:gosec // bounded by max_examples
	stale := slices.Clone(have.stale)
	for _, p := range have.prepared {
		if _, err := s.checkedSQL(ctx, source, p); err != nil {
			if !refused(err) {
				return nil, err
			}
			stale = append(stale, staleExample{p.Example, err.Error()})
		}
	}
	for _, e := range stale[:min(len(stale), maxChecked)] {
		out.Stale = append(out.Stale, &text2sqlv1.StaleExample{Example: toExample(e.Example), Reason: e.why})
	}
	return out, nil
}

// refused tells what the guard says of a SQL from what says nothing of it: a catalog
// that is away, a policy that cannot be read.
func refused(err error) bool {
	var refusal *guard.Refusal
	return errors.As(err, &refusal)
}

func toExample(e examples.Example) *text2sqlv1.Example {
	return &text2sqlv1.Example{
		ExampleId: e.ID, Source: e.Source, Mart: e.Mart, Question: e.Question, Sql: e.SQL, Status: string(e.Status), Origin: string(e.Origin),
		AddedBy: e.AddedBy, AddedAt: toTime(e.AddedAt), ApprovedBy: e.ApprovedBy, ApprovedAt: toTime(e.ApprovedAt), Tables: e.Tables, RunId: e.RunID,
	}
}

func toTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func toVerified(m *examples.Match) *text2sqlv1.Verified {
	if m == nil {
		return nil
	}
	out := &text2sqlv1.Verified{
		ExampleId: m.Example.ID, Question: m.Example.Question, ApprovedBy: m.Example.ApprovedBy, ApprovedAt: toTime(m.Example.ApprovedAt),
		Origin: string(m.Example.Origin), Exact: m.Exact,
	}
	for _, r := range m.Replaced {
		out.Replaced = append(out.Replaced, r.String())
	}
	return out
}
