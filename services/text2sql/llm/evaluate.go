package llm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// judge is the evaluator: checks and choices by rules, and by the model where
// these leave something open.
type judge struct {
	*desk
	rules team.RulesEvaluator
}

// Evaluate implements team.Evaluator.
func (j judge) Evaluate(ctx context.Context, b *team.Board) (team.Verdict, error) {
	if b.Move.Repair {
		b.Repairs++
		if err := j.repair(ctx, b); err != nil {
			return team.Verdict{}, err
		}
	}
	if err := j.rules.Check(ctx, b); err != nil {
		return team.Verdict{}, err
	}
	v := team.Choose(b)
	if !v.OK {
		return v, nil
	}
	if odd, ok := worthARepair(b, &v); ok {
		return team.Verdict{Finding: odd}, nil
	}
	var err error
	if rivals := rivals(b, &v); len(rivals) > 0 {
		if v, err = j.choose(ctx, b, v, rivals); err != nil || v.Ask {
			return v, err
		}
	}
	if j.cfg.SelfCheck && v.Agreed < 2 {
		if v, err = j.check(ctx, b, v); err != nil || !v.OK {
			return v, err
		}
	}
	best := &b.Draft.Candidates[v.Best]
	best.Confidence = confidence(b, &v)
	return v, nil
}

// worthARepair is what is so odd in the result of the best candidate that the
// model is told of it, once for each class.
func worthARepair(b *team.Board, v *team.Verdict) (team.Finding, bool) {
	best := &b.Draft.Candidates[v.Best]
	if best.By != team.ByModel || v.Agreed > 1 {
		return team.Finding{}, false
	}
	for _, d := range best.Doubts {
		told := slices.ContainsFunc(b.Learned, func(f team.Finding) bool { return f.Class == d.Class })
		switch d.Class {
		case team.ClassAllNull, team.ClassFanOut, team.ClassTextOrder, team.ClassCastLoss, team.ClassUnjoined, team.ClassApart:
		case team.ClassValueUnknown:
			if len(d.Near) == 0 {
				continue
			}
		default:
			continue
		}
		if !told {
			return d, true
		}
	}
	return team.Finding{}, false
}

// repaired is the form of the model's answer.
type repaired struct {
	Why string `json:"why" doc:"what was wrong, in a short sentence"`
	SQL string `json:"sql" doc:"the whole statement; empty where there is none" verbatim:"true"`
}

// repair has rules repair first, and the model what is still wrong then: one call
// for the best candidate that has a problem.
func (j judge) repair(ctx context.Context, b *team.Board) error {
	if err := j.rules.Repair(ctx, b); err != nil {
		return err
	}
	if err := j.rules.Check(ctx, b); err != nil {
		return err
	}
	finding := b.Verdict.Finding
	at := slices.IndexFunc(b.Draft.Candidates, func(c team.Candidate) bool { return c.By == team.ByModel && c.SQL == finding.SQL })
	if at < 0 {
		return nil // rules have changed it
	}
	c := &b.Draft.Candidates[at]
	req, err := j.prompts.repair.Request(map[string]any{
		"Language": language(b.Task.Language), "Tables": j.schema(&b.Task, c.Tables), "Question": lang.Shorten(b.Task.Question, maxQuestion),
		"SQL": c.SQL, "Problem": finding.Class + ": " + lang.Shorten(finding.Message, maxTold),
	})
	if err != nil {
		return err
	}
	req.CacheKey = b.Task.Session
	answer, err := chat.Ask[repaired](ctx, j.model, req, nil)
	if err != nil {
		return err
	}
	if sql := statement(answer.SQL); sql != "" && sql != c.SQL {
		c.Replace(sql)
	}
	return nil
}

// judged is the form of the model's answer.
type judged struct {
	Readings []string `json:"readings" doc:"the question that each query answers, in their order"`
	Best     int      `json:"best" doc:"number of the query that answers the question, from 1; 0: the question leaves it open"`
	Why      string   `json:"why" doc:"in a short sentence"`
}

// rivals are the model's other candidates with other results, where no majority
// has decided. That rules read the question otherwise makes an answer less sure,
// and is no reason for another call.
func rivals(b *team.Board, v *team.Verdict) []int {
	if v.Agreed > 1 || b.Draft.Candidates[v.Best].By != team.ByModel {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(v.Apart), func(i int) bool { return b.Draft.Candidates[i].By != team.ByModel })
}

// choose asks which of the candidates with different results answers the question.
// The model is told the shape of the results and none of their values.
func (j judge) choose(ctx context.Context, b *team.Board, v team.Verdict, rivals []int) (team.Verdict, error) {
	apart := append([]int{v.Best}, rivals...)
	var queries []string
	var tables []string
	for n, i := range apart {
		c := &b.Draft.Candidates[i]
		queries = append(queries, fmt.Sprintf("query %d\n%s\n%s", n+1, c.SQL, shape(c)))
		tables = append(tables, c.Tables...)
	}
	req, err := j.prompts.judge.Request(map[string]any{
		"Language": language(b.Task.Language), "Tables": j.schemaOf(&b.Task, tables), "Question": lang.Shorten(b.Task.Question, maxQuestion), "Queries": queries,
	})
	if err != nil {
		return v, err
	}
	req.CacheKey = b.Task.Session
	answer, err := chat.Ask(ctx, j.model, req, func(a *judged) []string {
		if a.Best < 0 || a.Best > len(apart) {
			return []string{fmt.Sprintf("best is %d: it has to be from 0 to %d", a.Best, len(apart))}
		}
		if a.Best == 0 && len(a.Readings) != len(apart) {
			return []string{fmt.Sprintf("readings has %d entries, one for each of the %d queries is needed", len(a.Readings), len(apart))}
		}
		return nil
	})
	if err != nil {
		return v, err
	}
	if answer.Best == 0 {
		for n, i := range apart {
			b.Draft.Candidates[i].Reason = text(answer.Readings[n])
		}
		v.OK, v.Ask, v.Apart = false, true, rivals
		return v, nil
	}
	v.Apart = append(v.Apart, v.Best)
	v.Best = apart[answer.Best-1]
	v.Apart = slices.DeleteFunc(v.Apart, func(i int) bool { return i == v.Best })
	return v, nil
}

// shape says of a result how many rows and columns it has.
func shape(c *team.Candidate) string {
	if c.Result == nil {
		return "not run"
	}
	more := ""
	if c.Result.Truncated {
		more = "more than "
	}
	return fmt.Sprintf("result: %s%d rows, columns %s", more, len(c.Result.Rows), strings.Join(c.Result.Columns, ", "))
}

// checked is the form of the model's answer.
type checked struct {
	Answers    string `json:"answers" doc:"the question that the query answers"`
	Same       bool   `json:"same" doc:"whether that is what was asked"`
	Difference string `json:"difference" doc:"what the query would have to do instead; empty where it is the same" optional:"true"`
}

// check compares the question that the SQL answers with the one that was asked.
func (j judge) check(ctx context.Context, b *team.Board, v team.Verdict) (team.Verdict, error) {
	best := &b.Draft.Candidates[v.Best]
	if slices.ContainsFunc(b.Learned, func(f team.Finding) bool { return f.Class == team.ClassMisread }) {
		return v, nil // once is enough: two models' words would go round in circles
	}
	req, err := j.prompts.check.Request(map[string]any{
		"Language": language(b.Task.Language), "Tables": j.schemaOf(&b.Task, best.Tables), "Question": lang.Shorten(b.Task.Question, maxQuestion), "SQL": best.SQL,
	})
	if err != nil {
		return v, err
	}
	req.CacheKey = b.Task.Session
	answer, err := chat.Ask[checked](ctx, j.model, req, nil)
	if err != nil {
		return v, err
	}
	if answer.Same {
		return v, nil
	}
	return team.Verdict{Finding: team.Finding{Class: team.ClassMisread, Message: text(answer.Difference), SQL: best.SQL}}, nil
}
