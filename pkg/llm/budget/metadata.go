package budget

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"google.golang.org/grpc/metadata"
)

// Keys of gRPC metadata: what is left goes with a request, what was used comes
// back in the trailer. Both are "CALLS TOKENS MILLISECONDS"; what it cost, in millionths
// of the currency, comes by a key of its own, so that older services read the rest.
const (
	KeyLeft = "x-dibrain-llm-left"
	KeyUsed = "x-dibrain-llm-used"
	KeyCost = "x-dibrain-llm-cost"
)

// Outgoing returns a context whose gRPC calls carry what is left. Calls made side
// by side are each given the whole of it, so together they may spend more; what
// they used counts when they end.
func Outgoing(ctx context.Context) context.Context {
	b := From(ctx)
	if b == nil {
		return ctx
	}
	md, ok := metadata.FromOutgoingContext(ctx) // a copy
	if !ok {
		md = metadata.MD{}
	}
	l := b.Left()
	md.Set(KeyLeft, write(l.Calls, l.Tokens, l.Time))
	return metadata.NewOutgoingContext(ctx, md)
}

// Incoming returns a context with the budget that a call carries, and that
// budget: nil where it carries none. What cannot be read counts as none: the
// service's own limits apply in any case.
func Incoming(ctx context.Context) (context.Context, *Budget) {
	md, _ := metadata.FromIncomingContext(ctx)
	calls, tokens, took, ok := read(md.Get(KeyLeft))
	if !ok {
		return ctx, nil
	}
	b := New(Limits{Calls: calls, Tokens: tokens, Time: took})
	return With(ctx, b), b
}

// Trailer returns what a service used, for the trailer of its answer; nil where
// that is nothing.
func (b *Budget) Trailer() metadata.MD {
	u := b.Used()
	if u == (Used{}) {
		return nil
	}
	md := metadata.Pairs(KeyUsed, write(u.Calls, u.Tokens, u.Time))
	if u.Cost > 0 {
		md.Set(KeyCost, strconv.FormatInt(int64(math.Round(u.Cost*millionths)), 10))
	}
	return md
}

const (
	millionths = 1e6
	maxCost    = 1e6 // of one question, in currency: what is above was no cost
)

// Settle takes what a trailer says was used from the budget.
func (b *Budget) Settle(trailer metadata.MD) {
	if calls, tokens, took, ok := read(trailer.Get(KeyUsed)); ok {
		b.Spend(Used{Calls: max(calls, 0), Tokens: max(tokens, 0), Time: max(took, 0), Cost: cost(trailer.Get(KeyCost))})
	}
}

// cost reads what a service says it spent; 0 where it says nothing that can be read.
func cost(values []string) float64 {
	if len(values) != 1 {
		return 0
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil || n < 0 || n > maxCost*millionths {
		return 0
	}
	return float64(n) / millionths
}

func write(calls, tokens int, took time.Duration) string {
	ms := took.Milliseconds()
	if took != 0 && ms == 0 { // nothing left is not no limit
		ms = int64(max(-1, min(1, took)))
	}
	return fmt.Sprintf("%d %d %d", calls, tokens, ms)
}

func read(values []string) (calls, tokens int, took time.Duration, ok bool) {
	const maxBytes = 64
	if len(values) != 1 || len(values[0]) > maxBytes {
		return 0, 0, 0, false
	}
	var ms int64
	if n, err := fmt.Sscanf(values[0], "%d %d %d", &calls, &tokens, &ms); n != 3 || err != nil {
		return 0, 0, 0, false
	}
	const maxMillis = int64(24 * time.Hour / time.Millisecond)
	return calls, tokens, time.Duration(min(max(ms, -1), maxMillis)) * time.Millisecond, true
}
