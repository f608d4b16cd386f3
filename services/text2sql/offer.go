package text2sql

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// offer asks which reading of a question is meant that was not answered, where some of
// its readings hold: they pass the checks of any statement and, where statements can be
// run here, have rows. What cannot be offered leaves the outcome as it is.
func (s *Service) offer(ctx context.Context, task *team.Task, out *Out) error {
	in := inputOf(task)
	tables := task.Tables
	if more, schema, ok, err := task.More(ctx, out.Result); err != nil {
		return err
	} else if ok {
		tables, in.Schema = more, schema
	}
	list := s.pipeline.Offers(in)
	if len(list) == 0 {
		return nil
	}
	held, tried, err := s.held(ctx, task.Source, tables, list)
	if err != nil {
		return err
	}
	if len(held) == 0 {
		return nil
	}
	out.Outcome, out.Question, out.Options = pipeline.Asked, s.pipeline.OfferQuestion(in, held), s.options(in, held, tried)
	out.Intent = nil
	if len(held) == 1 && len(held[0].Unread) == 0 { // the next change may be one of it
		asked := *held[0].Intent()
		asked.Unconfirmed = true
		out.Intent = &asked
	}
	return nil
}

// inputOf is what the pipeline reads a task's question with.
func inputOf(task *team.Task) pipeline.Input {
	return pipeline.Input{
		Question: task.Question, Language: task.Language, Now: task.Now, Schema: task.Schema, Previous: task.Previous, FollowUp: task.FollowUp,
		Alone: task.Alone, Terms: task.Terms, Rules: task.Rules, ShowBasis: task.ShowBasis,
	}
}

// options are offers as people choose them, with what each came to.
func (s *Service) options(in pipeline.Input, held []pipeline.Offer, tried []team.Candidate) []pipeline.Option {
	out := make([]pipeline.Option, len(held))
	for i, o := range held {
		out[i] = pipeline.Option{ID: o.ID, Label: o.Label, Description: s.comesTo(in, tried[i].Result)}
	}
	return out
}

// held are the offers that hold, as many as are offered, with what came of trying each.
func (s *Service) held(ctx context.Context, source string, tables []catalog.Table, list []pipeline.Offer) (held []pipeline.Offer, tried []team.Candidate, err error) {
	within, cancel := context.WithTimeout(ctx, s.config.OfferTimeout)
	defer cancel()
	for i := range list[:min(len(list), s.config.MaxOffersTried)] {
		c := team.Candidate{SQL: list[i].SQL()}
		holds, err := s.holds(within, source, tables, &c)
		if within.Err() != nil {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			break // what was tried in time is offered
		}
		if err != nil {
			return nil, nil, err
		}
		if !holds || sameAsAny(tried, &c) {
			continue
		}
		held, tried = append(held, list[i]), append(tried, c)
		if len(held) == s.config.MaxOffers {
			break
		}
	}
	return held, tried, nil
}

// elsewhere reports whether the statements of a source run on a server of its own, where each one more costs.
func (s *Service) elsewhere(source string) bool {
	g, err := s.layers.store.Current(source)
	return err == nil && g.Manifest.Trino != nil
}

// doubtNothing tries an answer with conditions that comes to nothing: no rows, NULL, or 0. Where another
// reading of the question holds, or the same one without one of its conditions, it is put to the asker with
// the answer that comes to nothing; where none does, or it cannot be tried in time, the answer stands.
func (s *Service) doubtNothing(ctx context.Context, task *team.Task, out *Out) error {
	within, cancel := context.WithTimeout(ctx, s.config.OfferTimeout)
	defer cancel()
	own := team.Candidate{SQL: out.SQL}
	holds, err := s.holds(within, task.Source, task.Tables, &own)
	if err != nil || holds || own.Result == nil {
		return ctx.Err()
	}
	in := inputOf(task)
	list := s.pipeline.Offers(in)
	stands, ok := s.pipeline.Stands(in, &out.Result)
	if !ok {
		return nil // no words say it, so that nobody could choose it
	}
	held, tried, err := s.held(within, task.Source, task.Tables, list)
	if err == nil && len(held) == 0 {
		held, tried, err = s.held(within, task.Source, task.Tables, s.pipeline.Loosened(in, &out.Result))
	}
	if err != nil || len(held) == 0 {
		return ctx.Err()
	}
	held, tried = append(held, stands), append(tried, own)
	out.Result = pipeline.Result{Outcome: pipeline.Asked, Question: s.pipeline.NothingQuestion(in, stands.Said), Options: s.options(in, held, tried)}
	out.Further, out.Restatement, out.Warnings = nil, "", nil
	return nil
}

// holds reports whether a statement passes the guard as the asker's and, where it was
// run, has values. One that nothing here runs, or that is too dear to be tried, holds
// unseen.
func (s *Service) holds(ctx context.Context, source string, tables []catalog.Table, c *team.Candidate) (bool, error) {
	v, err := s.tools.ValidateOver(ctx, tools.StatementArgs{Source: source, SQL: c.SQL}, tables)
	if err != nil || !v.Valid {
		return false, err
	}
	c.Canonical = c.SQL
	if s.deps.ChatBI == nil {
		return true, nil
	}
	rows, err := s.tools.Run(ctx, tools.ExecuteArgs{Source: source, SQL: c.SQL, MaxRows: s.config.Team.ProbeRows})
	switch {
	case errors.Is(err, tools.ErrNotRun):
		return true, nil
	case err != nil:
		s.deps.Log.DebugContext(ctx, "a reading that could be offered does not run", "error", err)
		return false, nil
	}
	c.Result = &rows
	return hasValue(&rows), nil
}

// hasValue reports whether a result tells anything: it has rows, and not a single one of
// nothing but NULL and 0, which is what conditions come to that no row fulfils.
func hasValue(r *tools.Rows) bool {
	if len(r.Rows) != 1 {
		return len(r.Rows) > 1
	}
	return slices.ContainsFunc(r.Rows[0], func(v any) bool {
		switch v := v.(type) {
		case nil:
			return false
		case int64:
			return v != 0
		case float64:
			return v != 0
		}
		return true
	})
}

func sameAsAny(tried []team.Candidate, c *team.Candidate) bool {
	for i := range tried {
		if team.Same(&tried[i], c) {
			return true
		}
	}
	return false
}

// comesTo says what a reading comes to: its number, or how many rows it has; empty where
// it was not tried.
func (s *Service) comesTo(in pipeline.Input, r *tools.Rows) string {
	if r == nil {
		return ""
	}
	if len(r.Rows) == 1 && len(r.Columns) == 1 {
		return shown(in.Language, r.Rows[0][0])
	}
	return s.pipeline.OfferRows(in, len(r.Rows), r.Truncated)
}

// maxShown bounds a value that an option shows, in characters.
const maxShown = 60

// shownDigits is how many digits behind the point an option shows.
const shownDigits = 2

func shown(l lang.Language, v any) string {
	p := message.NewPrinter(map[bool]language.Tag{true: language.Chinese, false: language.English}[l == lang.Chinese])
	switch v.(type) {
	case int64, int32, int, float64, float32:
		return p.Sprint(number.Decimal(v, number.MaxFractionDigits(shownDigits)))
	}
	return lang.Shorten(p.Sprint(v), maxShown)
}
