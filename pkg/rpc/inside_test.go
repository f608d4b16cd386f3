package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1" // has methods without side effects
	"github.com/dibrain/dibrain/pkg/fault"
)

// TestInvalidRequestsInWords: the first violation is told, how many more there are, and
// all of them to programs.
func TestInvalidRequestsInWords(t *testing.T) {
	t.Parallel()
	field := func(name, what string) *errdetails.BadRequest_FieldViolation {
		return &errdetails.BadRequest_FieldViolation{Field: name, Description: what}
	}
	for want, violations := range map[string][]*errdetails.BadRequest_FieldViolation{
		"The request is not valid: sql is empty.":             {field("sql", "is empty")},
		"The request is not valid: sql is empty. (1 more)":    {field("sql", "is empty"), field("source", "is too long")},
		"The request is not valid: sql is empty. (2 more)":    {field("sql", "is empty"), field("a", "b"), field("c", "d")},
		"The request is not valid: one of the two is needed.": {field("", "one of the two is needed")},
	} {
		err := &requestError{violations: violations}
		require.EqualError(t, err, want)
		st := err.GRPCStatus()
		require.Equal(t, codes.InvalidArgument, st.Code())
		require.Equal(t, want, st.Message())
		require.Equal(t, "REQUEST_INVALID", fault.ReasonOf(st.Err()))
		var told []*errdetails.BadRequest_FieldViolation
		for _, d := range st.Details() {
			if bad, ok := d.(*errdetails.BadRequest); ok {
				told = bad.GetFieldViolations()
			}
		}
		require.Len(t, told, len(violations))
		for i := range told {
			require.Equal(t, violations[i].GetField(), told[i].GetField())
			require.Equal(t, violations[i].GetDescription(), told[i].GetDescription())
		}
	}
}

// TestServiceConfig: calls are spread over the addresses of a service, and those
// without side effects alone are tried again, a bounded number of times.
func TestServiceConfig(t *testing.T) {
	t.Parallel()
	read := func(c ClientConfig) (out serviceConfig) {
		text, err := retryServiceConfig(c)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal([]byte(text), &out))
		return out
	}
	const extra = "/acme.v1.Agent/Read"
	c := read(ClientConfig{RetryAttempts: 3, Idempotent: []string{extra, extra, "/dibrain.fixsql.v1.FixSQLService/CheckSQL"}})
	require.Equal(t, []map[string]struct{}{{"round_robin": {}}}, c.LoadBalancing)
	require.Equal(t, retryThrottling{MaxTokens: 10, TokenRatio: 0.1}, c.Throttling)
	require.Len(t, c.Methods, 1)
	require.Equal(t, retryPolicy{MaxAttempts: 3, InitialBackoff: "0.1s", MaxBackoff: "1s", BackoffMultiplier: 2, RetryableCodes: []string{"UNAVAILABLE"}}, c.Methods[0].Retry)
	known := idempotentMethods(protoregistry.GlobalFiles)
	require.Contains(t, known, methodName{"dibrain.fixsql.v1.FixSQLService", "CheckSQL"})
	require.IsIncreasing(t, inWords(known))
	require.Equal(t, append(known, methodName{"acme.v1.Agent", "Read"}), c.Methods[0].Names, "each once")
	for _, attempts := range []int{0, 1} {
		require.Empty(t, read(ClientConfig{RetryAttempts: attempts}).Methods)
	}
	require.Len(t, read(ClientConfig{RetryAttempts: 2}).Methods, 1)
	_, err := retryServiceConfig(ClientConfig{Idempotent: []string{"Read"}})
	require.ErrorContains(t, err, `idempotent method "Read"`)
}

func inWords(names []methodName) (out []string) {
	for _, n := range names {
		out = append(out, fmt.Sprint(n.Service, "/", n.Method))
	}
	return out
}

func TestDegraded(t *testing.T) {
	t.Parallel()
	away := errors.New("one of two is away")
	require.NoError(t, Degraded(nil))
	require.False(t, IsDegraded(away))
	err := fmt.Errorf("check: %w", Degraded(away))
	require.True(t, IsDegraded(err))
	require.ErrorIs(t, err, away)
	require.Regexp(t, `^err_[0-9a-f]{24}$`, runIDFor(nil)("err_"))
	require.Equal(t, "own err_", runIDFor(func(p string) string { return "own " + p })("err_"))
}
