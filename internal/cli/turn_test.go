package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

func TestStepTextOfProgress(t *testing.T) {
	t.Parallel()
	for fraction, want := range map[float64]string{-1: "  running", 0: "  running", 0.09: "  running", 0.47: "  running 40 %", 1: "  running 100 %", 7: "  running 100 %"} {
		event := &routerv1.ChatResponse{Event: &routerv1.ChatResponse_ToolProgress{ToolProgress: &routerv1.ToolProgress{Message: "running", Fraction: fraction}}}
		require.Equal(t, want, stepText(event))
	}
}
