package workflow

import (
	"context"
	"errors"

	"github.com/dibrain/dibrain/services/analysis/plan"
)

// table is the whole first table of a step's result, for a computation over it. The state
// keeps its first rows alone; the service that has the result is asked for the others.
func (w *Workflow) table(ctx context.Context, s *State, id string) (Table, error) {
	r := s.result(id)
	if r == nil || r.Status != StepDone || len(r.Tables) == 0 {
		return Table{}, w.cannot(s, "input_missing", "step", id)
	}
	return w.whole(ctx, s, id, r.Tables[0])
}

// whole is a table of a step with all its rows. Rows that were cut off would make every
// figure wrong, so they are a reason not to compute.
func (w *Workflow) whole(ctx context.Context, s *State, id string, t Table) (Table, error) {
	switch {
	case t.Truncated: // the engine had more, which nobody has
		return Table{}, w.cannot(s, "rows_cut", "step", id)
	case t.Total <= int64(len(t.Rows)):
		return t, nil
	case t.ResultID == "":
		return Table{}, w.cannot(s, "rows_cut", "step", id)
	}
	rows, err := w.agents.Rows(ctx, s.Query, t)
	if cannot := (*CannotError)(nil); errors.As(err, &cannot) || ctx.Err() != nil {
		return Table{}, err
	}
	if err != nil {
		if reason := ownText(err); reason != "" {
			return Table{}, w.cannot(s, "rows_gone", "step", id, "reason", reason)
		}
		return Table{}, err
	}
	t.Rows = rows
	return t, nil
}

// input is a table that a program works on, and what it is called.
type input struct {
	title string
	table Table
}

// inputTables are the tables of the steps that a step works on, as far as the state has them.
func (w *Workflow) inputTables(s *State, step plan.Step) ([]input, error) {
	var out []input
	for _, id := range step.Inputs {
		r := s.result(id)
		if r == nil || r.Status != StepDone || len(r.Tables) == 0 {
			return nil, w.cannot(s, "input_missing", "step", id)
		}
		for i, t := range r.Tables {
			if t.Truncated {
				return nil, w.cannot(s, "rows_cut", "step", id)
			}
			title := id
			if earlier, ok := s.Plan.Step(id); ok && i == 0 {
				title = id + ": " + earlier.Title
			}
			out = append(out, input{title: title, table: t})
		}
	}
	return out, nil
}
