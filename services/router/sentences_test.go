package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/prose/prosetest"
	"github.com/dibrain/dibrain/services/router/decide"
)

// TestWordsOfAStrategyAreText: a strategy may be a model, or bring along what somebody
// pasted; what it answers with reaches people as text, whatever the strategy did to it.
func TestWordsOfAStrategyAreText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withStrategy(scripted(func(decide.In) (decide.Decision, error) {
		return decide.Decision{Text: "Read " + prosetest.Active}, nil
	})))
	require.Equal(t, "Read "+prose.Safe(prosetest.Active), w.ask(t, &routerv1.Turn{Question: "q"}).GetText())
}
