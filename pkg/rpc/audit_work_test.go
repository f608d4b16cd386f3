package rpc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/rpc"
)

// TestWorkThatIsRefusedIsToldAsRefused: the line of work that nobody waits for says whether it was allowed.
func TestWorkThatIsRefusedIsToldAsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err               error
		decision, outcome string
	}{
		"done":    {nil, "allowed", "done"},
		"failed":  {errors.New("the engine is away"), "allowed", "failed"},
		"refused": {fault.New(codes.PermissionDenied, "TABLE_FORBIDDEN", "You may not read it."), "refused", "failed"},
		"nobody":  {fault.New(codes.Unauthenticated, "GRANT_ENDED", "The grant has ended."), "refused", "failed"},
	} {
		var out bytes.Buffer
		_, end := rpc.AuditWork(t.Context(), slog.New(slog.NewJSONHandler(&out, nil)), "watch", "w1")
		end(c.err)
		var line struct{ Decision, Outcome, Object string }
		require.NoError(t, json.Unmarshal(out.Bytes(), &line), name)
		require.Equal(t, []string{c.decision, c.outcome, "w1"}, []string{line.Decision, line.Outcome, line.Object}, name)
	}
}
