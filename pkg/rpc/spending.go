package rpc

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/llm/budget"
)

// budgetLink gives a handler the caller's budget for the model, and tells the
// caller what of it was used. It stands before the link that takes foreign keys
// out of the metadata.
func budgetLink() Link {
	return Link{Name: linkBudget, After: []string{linkRun}, Wrap: func(ctx context.Context, _ *Call, next func(context.Context) error) error {
		ctx, carried := budget.Incoming(ctx)
		if carried == nil {
			return next(ctx)
		}
		err := next(ctx)
		if used := carried.Trailer(); used != nil {
			if terr := grpc.SetTrailer(ctx, used); err == nil {
				err = terr
			}
		}
		return err
	}}
}

// spending is the budget of one call of another service, and where it is noted which tables were
// read. Only services of ours are asked to keep to it and believed what they used.
type spending struct {
	budget *budget.Budget
	notes  *auditNotes
}

func (c *caller) spending(ctx context.Context) (context.Context, spending) {
	if c.deps.Hops == nil {
		return ctx, spending{}
	}
	return budget.Outgoing(ctx), spending{budget.From(ctx), notesOf(ctx)}
}

// settle counts what the trailer says was used and read.
func (s spending) settle(trailer metadata.MD) {
	s.notes.settle(trailer)
	if s.budget != nil {
		s.budget.Settle(trailer)
	}
}
