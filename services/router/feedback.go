package router

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/tools"
)

// reasonNoExample says that a run has nothing that could be proposed.
const reasonNoExample = "RUN_WITHOUT_EXAMPLE"

// SubmitFeedback implements the contract. The caller of what fails sends it again, so
// the steps are in an order in which that counts nothing twice: a proposal takes the place
// of the one before it, the store keeps the same verdict once, and find data, which adds
// up, is told last.
func (s *Service) SubmitFeedback(ctx context.Context, r *routerv1.SubmitFeedbackRequest) (*routerv1.SubmitFeedbackResponse, error) {
	rating := store.RatingUp
	if r.GetRating() == routerv1.Rating_RATING_DOWN {
		rating = store.RatingDown
	}
	u, records, err := s.deps.Store.Run(ctx, principal(ctx), r.GetRunId())
	if err != nil {
		return nil, err
	}
	ses, err := s.deps.Store.Session(ctx, principal(ctx), u.SessionID)
	if err != nil {
		return nil, err
	}
	done, err := s.worked(ctx, u, records)
	if err != nil {
		return nil, err
	}
	f := store.Feedback{
		RunID: r.GetRunId(), Rating: rating, Comment: r.GetComment(), CorrectedSQL: r.GetCorrectedSql(),
		AcceptedTables: r.GetAcceptedTables(), RejectedTables: r.GetRejectedTables(), CreatedAt: s.deps.Clock(),
	}
	source := firstText(ses.Source, s.config().DefaultSource)
	out := &routerv1.SubmitFeedbackResponse{}
	if r.GetProposeExample() {
		if out.ExampleId, err = s.proposeExample(ctx, source, f, done); err != nil {
			return nil, err
		}
	}
	if err := s.deps.Store.SaveFeedback(ctx, principal(ctx), f); err != nil {
		return nil, err
	}
	if err := s.tellFindData(ctx, source, f, done); err != nil {
		return nil, err
	}
	return out, nil
}

// work is what a run came to.
type work struct {
	question string   // as a whole
	sql      string   // newest; empty: none
	tables   []string // that the SQL reads
	failed   bool     // it did not run
}

// worked reads the calls of a run.
func (s *Service) worked(ctx context.Context, u store.Run, records []run.Record) (work, error) {
	w := work{question: u.Question}
	var seen []string
	for _, r := range records {
		if r.ToolCallID == "" || slices.Contains(seen, r.ToolCallID) {
			continue
		}
		seen = append(seen, r.ToolCallID)
		c, err := s.deps.Store.ToolCall(ctx, principal(ctx), r.ToolCallID)
		if fault.ReasonOf(err) == store.ReasonToolCallUnknown { // it was refused and made again
			continue
		}
		if err != nil {
			return work{}, err
		}
		output, err := unpack(c)
		if err != nil {
			return work{}, err
		}
		w.take(c, output)
	}
	return w, nil
}

func (w *work) take(c store.ToolCall, output proto.Message) {
	switch o := output.(type) {
	case *text2sqlv1.GenerateResult:
		w.sql, w.tables = "", nil
		if len(o.GetCandidates()) == 0 {
			return
		}
		w.sql = o.GetCandidates()[0].GetSql()
		for _, t := range o.GetCandidates()[0].GetTables() {
			w.tables = append(w.tables, t.GetName())
		}
		var args tools.GenerateSQLArgs
		if json.Unmarshal(c.Arguments, &args) == nil && args.UserQuestion != "" {
			w.question = args.UserQuestion
		}
	case *fixsqlv1.FixSQLResponse:
		w.sql = o.GetFixed().GetSql()
	case *chatbiv1.ExecuteResult:
		w.failed = failed(o)
		if tables := o.GetCertificate().GetTables(); len(tables) > 0 {
			w.tables = nil
			for _, t := range tables {
				w.tables = append(w.tables, t.GetTable())
			}
		}
	}
}

// tellFindData hands on what concerns tables. An answer called right was right in
// its tables, unless the person says which were.
func (s *Service) tellFindData(ctx context.Context, source string, f store.Feedback, w work) error {
	accepted := f.AcceptedTables
	if f.Rating == store.RatingUp && len(accepted) == 0 && !w.failed {
		accepted = slices.DeleteFunc(slices.Clone(w.tables), func(t string) bool { return slices.Contains(f.RejectedTables, t) })
	}
	for _, told := range []struct {
		kind   findatav1.FeedbackKind
		tables []string
	}{
		{findatav1.FeedbackKind_FEEDBACK_KIND_ACCEPTED, accepted},
		{findatav1.FeedbackKind_FEEDBACK_KIND_REJECTED, f.RejectedTables},
	} {
		if len(told.tables) == 0 {
			continue
		}
		if _, err := s.deps.FindData.Feedback(ctx, &findatav1.FeedbackRequest{Source: source, Question: w.question, Tables: told.tables, Kind: told.kind}); err != nil {
			return fmt.Errorf("hand the feedback on tables to find data: %w", err)
		}
	}
	return nil
}

// proposeExample proposes the question with the SQL that the person calls right.
func (s *Service) proposeExample(ctx context.Context, source string, f store.Feedback, w work) (string, error) {
	sql := f.CorrectedSQL
	if sql == "" && f.Rating == store.RatingUp && !w.failed {
		sql = w.sql
	}
	if sql == "" || w.question == "" {
		return "", fault.Invalid("propose_example", reasonNoExample,
			"Nothing is kept, as there is no SQL to propose: call an answer with a SQL right, send the right one as corrected_sql, or leave propose_example out.")
	}
	added, err := s.deps.Text2SQL.AddExample(ctx, &text2sqlv1.AddExampleRequest{Source: source, Question: w.question, Sql: sql, RunId: f.RunID, ProposeOnly: true})
	if err != nil {
		return "", fmt.Errorf("propose the question and its SQL as a verified query: %w", err)
	}
	return added.GetExample().GetExampleId(), nil
}
