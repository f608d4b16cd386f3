package llm

import (
	"context"
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// planner asks the model where repairs did not help; all else follows from what is
// missing, and rules know that.
type planner struct {
	*desk
	rules team.Planner
}

// planned is the form of the model's answer.
type planned struct {
	Next string `json:"next" enum:"result_evaluator|sql_generator|semantic_parser|give_up" doc:"who is next"`
	Why  string `json:"why" doc:"in a few words"`
}

// Next implements team.Planner.
func (p planner) Next(ctx context.Context, b *team.Board) (team.Move, error) {
	move, err := p.rules.Next(ctx, b)
	if err != nil || b.Verdict == nil || b.Verdict.OK || b.Verdict.Ask || b.Repairs == 0 || move.To == team.GiveUp {
		return move, err
	}
	repairs, returns := b.Left()
	req, err := p.prompts.plan.Request(map[string]any{
		"Question": lang.Shorten(b.Task.Question, maxQuestion), "History": history(b.History), "Repairs": repairs, "Returns": returns,
		"Problem": b.Verdict.Finding.Class + ": " + lang.Shorten(b.Verdict.Finding.Message, maxTold),
	})
	if err != nil {
		return move, err
	}
	req.CacheKey = b.Task.Session
	answer, err := chat.Ask(ctx, p.model, req, func(a *planned) []string {
		switch {
		case a.Next == team.MemberEvaluator && repairs == 0:
			return []string{"no repairs are left"}
		case a.Next == team.MemberParser && returns == 0, a.Next == team.MemberGenerator && returns == 0:
			return []string{"no returns are left"}
		}
		return nil
	})
	if err != nil {
		return move, err
	}
	return team.Move{To: answer.Next, Why: text(answer.Why), Repair: answer.Next == team.MemberEvaluator}, nil
}

// history tells the steps, a line each.
func history(records []team.Record) string {
	var lines []string
	for i, r := range records {
		state := "ok"
		if !r.OK {
			state = "failed " + r.Class
		}
		lines = append(lines, fmt.Sprintf("%d. %s (%s): %s: %s", i+1, r.Member, r.By, state, lang.Shorten(text(r.Out), maxText)))
	}
	return strings.Join(lines, "\n")
}
