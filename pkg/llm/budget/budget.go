// Package budget bounds what the work on one question may spend on a model:
// calls, tokens and time. A budget is carried by the context, also from service
// to service: the callee gets what is left and tells what it used.
package budget

import (
	"context"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Reason of the fault of a budget that is used up.
const Reason = "LLM_BUDGET_SPENT"

// Limits of a budget. Zero means no limit.
type Limits struct {
	Calls  int
	Tokens int // of input and output together
	// Time from the first call on; waiting for the model, not for anything else.
	Time time.Duration
}

// Used is what was spent.
type Used struct {
	Calls  int
	Tokens int
	Time   time.Duration
	// Cost in the currency of the models' prices; 0 where nobody configured prices.
	Cost float64
}

// Budget is what is left. It is safe for concurrent use; a nil Budget has no
// limits and counts nothing.
type Budget struct {
	limits Limits

	mu   sync.Mutex
	used Used
}

// New returns a budget of which nothing is spent.
func New(l Limits) *Budget { return &Budget{limits: l} }

// Used returns what was spent so far.
func (b *Budget) Used() Used {
	if b == nil {
		return Used{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// Left returns what is left; a field is zero where there is no limit, and below
// zero where nothing is left.
func (b *Budget) Left() Limits {
	if b == nil {
		return Limits{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return Limits{
		Calls: left(b.limits.Calls, b.used.Calls), Tokens: left(b.limits.Tokens, b.used.Tokens),
		Time: left(b.limits.Time, b.used.Time),
	}
}

func left[T int | time.Duration](limit, used T) T {
	switch {
	case limit == 0:
		return 0
	case used >= limit:
		return -1
	}
	return limit - used
}

// Begin takes one call that will send about so many tokens. The error is a fault
// with Reason where something is used up; it says what.
func (b *Budget) Begin(tokens int) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.limits.Calls != 0 && b.used.Calls >= max(b.limits.Calls, 0):
		return spent("%d model calls", max(b.limits.Calls, 0))
	case b.limits.Tokens != 0 && b.used.Tokens+tokens > b.limits.Tokens:
		return spent("%d tokens", max(b.limits.Tokens, 0))
	case b.limits.Time != 0 && b.used.Time >= b.limits.Time:
		return spent("%s of waiting for the model", max(b.limits.Time, 0))
	}
	b.used.Calls++
	return nil
}

// Spend adds what was used beside calls that Begin took.
func (b *Budget) Spend(u Used) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used.Calls += u.Calls
	b.used.Tokens += u.Tokens
	b.used.Time += u.Time
	b.used.Cost += u.Cost
}

func spent(format string, args ...any) error {
	return fault.New(codes.ResourceExhausted, Reason, "The budget of this question for the model is spent: "+fmt.Sprintf(format, args...)+".")
}

type contextKey struct{}

// With returns a context that carries b.
func With(ctx context.Context, b *Budget) context.Context {
	return context.WithValue(ctx, contextKey{}, b)
}

// From returns the budget of ctx, nil where there is none.
func From(ctx context.Context) *Budget {
	b, _ := ctx.Value(contextKey{}).(*Budget)
	return b
}

// Ensure returns a context with a budget of at most these limits: the one that
// ctx carries, narrowed to them, else a new one. So a service keeps its own
// limits, whatever a caller allows.
func Ensure(ctx context.Context, l Limits) context.Context {
	b := From(ctx)
	if b == nil {
		return With(ctx, New(l))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limits = Limits{
		Calls: narrower(b.limits.Calls, b.used.Calls, l.Calls), Tokens: narrower(b.limits.Tokens, b.used.Tokens, l.Tokens),
		Time: narrower(b.limits.Time, b.used.Time, l.Time),
	}
	return ctx
}

// narrower returns the limit that leaves at most more beyond what is used.
func narrower[T int | time.Duration](limit, used, more T) T {
	switch {
	case more == 0:
		return limit
	case limit == 0:
		return used + more
	}
	return min(limit, used+more)
}
