package router

import (
	"context"
	"errors"
	"io"
	"strings"

	"google.golang.org/protobuf/proto"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/router/tools"
)

// maxFixQuestion bounds the message that goes with a statement to repair, in bytes: it may
// hold the statement.
const maxFixQuestion = 16384

func (s *Service) fixSQL(ctx context.Context, t *turn, a *tools.FixSQLArgs) (proto.Message, error) {
	req := &fixsqlv1.FixSQLRequest{
		Source: t.source, Sql: a.SQL, SqlDialect: a.SQLDialect, ErrorInfo: a.ErrorInfo,
		UserQuestion: lang.Clip(t.rewritten(), maxFixQuestion), UserContext: s.userContext(t),
	}
	// What a person wants changed about a statement that came apart from the message is
	// read as if it had been pasted into it.
	if original := t.request.GetOriginalSql(); original != "" && original == a.SQL && a.ErrorInfo == "" && !strings.Contains(req.GetUserQuestion(), original) {
		req.UserQuestion = lang.Clip(req.GetUserQuestion()+"\n"+original, maxFixQuestion)
	}
	if a.ToolCallID != "" {
		known, err := s.resolveSQL(ctx, t, a.ToolCallID)
		if err != nil {
			return nil, err
		}
		req.Sql, req.Tables = known.sql, known.tables
		if req.ErrorInfo == "" {
			req.ErrorInfo = known.failure
		}
	}
	if req.Sql == "" {
		return nil, &tools.ArgumentError{Tool: tools.FixSQL, Problems: []string{"sql or tool_call_id is required"}}
	}
	resp, err := s.deps.FixSQL.FixSQL(ctx, req)
	if err != nil {
		return nil, err
	}
	t.keep(resp.GetTrace())
	resp.Trace = nil // it is in the run tree
	return resp, nil
}

func (s *Service) explainSQL(ctx context.Context, t *turn, a *tools.ExplainSQLArgs) (proto.Message, error) {
	req := &fixsqlv1.ExplainSQLRequest{Source: t.source, Sql: a.SQL, SqlDialect: a.SQLDialect, UserContext: s.userContext(t)}
	if a.ToolCallID != "" {
		known, err := s.resolveSQL(ctx, t, a.ToolCallID)
		if err != nil {
			return nil, err
		}
		req.Sql = known.sql
	}
	if req.Sql == "" {
		return nil, &tools.ArgumentError{Tool: tools.ExplainSQL, Problems: []string{"sql or tool_call_id is required"}}
	}
	resp, err := s.deps.FixSQL.ExplainSQL(ctx, req)
	if err != nil {
		return nil, err
	}
	t.keep(resp.GetTrace())
	resp.Trace = nil
	return resp, nil
}

func (s *Service) faq(ctx context.Context, t *turn, a *tools.FAQArgs) (proto.Message, error) {
	if s.deps.Knowledge == nil {
		return nil, errNotServed
	}
	resp, err := s.deps.Knowledge.AnswerFAQUnary(ctx, &knowledgev1.AnswerFAQUnaryRequest{
		Query: &knowledgev1.FAQQuery{Question: a.UserQuestion, UserContext: s.userContext(t)}})
	if err != nil {
		return nil, err
	}
	out := resp.GetAnswer()
	t.keep(out.GetTrace())
	out.Trace = nil // it is in the run tree
	return out, nil
}

func (s *Service) expert(ctx context.Context, t *turn, a *tools.ExpertArgs) (proto.Message, error) {
	if s.deps.Knowledge == nil {
		return nil, errNotServed
	}
	resp, err := s.deps.Knowledge.AskExpertUnary(ctx, &knowledgev1.AskExpertUnaryRequest{Query: &knowledgev1.ExpertQuery{
		UserQuestion: a.UserQuestion, ProductName: a.ProductName, SessionId: a.SessionID, UserContext: s.userContext(t)}})
	if err != nil {
		return nil, err
	}
	out := resp.GetAnswer()
	t.keep(out.GetAnswer().GetTrace())
	if out.GetAnswer() != nil {
		out.Answer.Trace = nil
	}
	return out, nil
}

func (s *Service) searchLog(ctx context.Context, t *turn, a *tools.SearchLogArgs) (proto.Message, error) {
	if s.deps.Logify == nil {
		return nil, errNotServed
	}
	found, err := s.deps.Logify.GenerateLogQL(ctx, &logifyv1.GenerateLogQLRequest{
		UserQuestion: a.UserQuestion, Execute: true, UserContext: s.userContext(t)})
	if err != nil {
		return nil, err
	}
	if len(found.GetPage().GetRows()) > 1 && s.deps.ChatBI != nil {
		advice, err := s.deps.ChatBI.AdviseChart(ctx, &chatbiv1.AdviseChartRequest{Page: found.GetPage(), UserContext: s.userContext(t)})
		if err != nil { // the numbers are the answer, with a chart or without
			s.deps.Log.WarnContext(ctx, "no chart is advised for the numbers of a metric of logs", "error", err)
		}
		found.Chart = advice.GetChart()
	}
	return found, nil
}

// analyze follows an analysis to its last event.
func (s *Service) analyze(ctx context.Context, t *turn, _ *call, a *tools.AnalyzeArgs) (proto.Message, error) {
	if s.deps.Analysis == nil {
		return nil, errNotServed
	}
	// A turn of a talk has nobody to show a plan to until it ends: the plan runs at once,
	// and its statements are guarded and priced as those of other turns.
	source := t.source
	if t.request.GetAgentId() != "" { // whose source is asked where nobody has named one
		source = firstText(t.request.GetSource(), t.chat.Source, t.session.Source)
	}
	query := &analysisv1.AnalysisQuery{Source: source, Question: a.Question, UserContext: s.userContext(t), Review: analysisv1.Review_REVIEW_NONE, AgentId: t.request.GetAgentId()}
	if a.RelatedTableSourceToolCallID != "" {
		known, err := s.resolve(ctx, t, a.RelatedTableSourceToolCallID)
		if err != nil {
			return nil, err
		}
		for _, table := range known.tables {
			query.Tables = append(query.Tables, tableName(table.GetRef()))
		}
	}
	events, err := s.deps.Analysis.StartAnalysis(ctx, &analysisv1.StartAnalysisRequest{Query: query})
	if err != nil {
		return nil, err
	}
	var last *analysisv1.Analysis
	for {
		m, err := events.Recv()
		switch {
		case errors.Is(err, io.EOF) && last != nil:
			return last, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("the analysis ended without an event")
		case err != nil:
			return nil, err
		}
		last = m.GetAnalysis()
		if t.current == nil {
			continue
		}
		progress := &routerv1.ToolProgress{ToolCallId: t.current.ID, Message: last.GetMessage(), Fraction: -1}
		if err := t.send(&routerv1.ChatResponse{Event: &routerv1.ChatResponse_ToolProgress{ToolProgress: progress}}); err != nil {
			return nil, err
		}
	}
}
