package app

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/rpc"
)

// TestAPartThatWaitsInVainStillAnswers: one that asks another server, which never answers, can say that it serves with
// less before it counts as one that does not serve; one that heeds nothing does not serve.
func TestAPartThatWaitsInVainStillAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("the issuer is away")
		patient := check{busy: new(atomic.Bool), ask: func(ctx context.Context) error {
			<-ctx.Done()
			return rpc.Degraded(away)
		}}
		require.ErrorIs(t, patient.put(t.Context()), away)
		free := make(chan struct{})
		deaf := check{busy: new(atomic.Bool), ask: func(context.Context) error { <-free; return nil }}
		require.ErrorContains(t, deaf.put(t.Context()), "no answer")
		close(free)
	})
}
