package text2sql

import (
	"context"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// suggest adds the changes of an answered question that people make next: each is read as
// one and passes the guard as the asker's. They adorn an answer, so none that fails makes
// it fail.
func (s *Service) suggest(ctx context.Context, in In, task *team.Task, out *Out) {
	if in.Suggest <= 0 || out.Outcome != pipeline.Answered || !in.Validate {
		return
	}
	ctx, step := run.Start(ctx, "text2sql.suggest")
	defer step.End(nil)
	list := s.pipeline.Suggestions(pipeline.Input{
		Language: task.Language, Now: task.Now, Schema: task.Schema, Terms: task.Terms, Rules: task.Rules, ShowBasis: task.ShowBasis,
	}, out.Intent, in.Suggest)
	for _, c := range list {
		if c.SQL != "" {
			v, err := s.tools.ValidateOver(ctx, tools.StatementArgs{Source: task.Source, SQL: c.SQL}, task.Tables)
			if err != nil || !v.Valid {
				s.deps.Log.DebugContext(ctx, "a change that could be suggested does not hold", "error", err)
				continue
			}
		}
		out.Suggestions = append(out.Suggestions, c)
	}
}

func toSuggestions(list []pipeline.Suggestion) []*text2sqlv1.Suggestion {
	var out []*text2sqlv1.Suggestion
	for _, c := range list {
		out = append(out, &text2sqlv1.Suggestion{FollowUp: prose.Safe(prose.Line(c.Text)), Sql: c.SQL})
	}
	return out
}
