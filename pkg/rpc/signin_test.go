package rpc_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/metadata"

	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
)

// TestSignInsReachTheServicesThatAreNamed, and no handler sees them in metadata; who calls
// without signing for somebody tells none.
func TestSignInsReachTheServicesThatAreNamed(t *testing.T) {
	t.Parallel()
	key := testKey(t, 1)
	var got string
	f := &fake{
		check: func(ctx context.Context, _ *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
			md, _ := metadata.FromIncomingContext(ctx)
			require.Empty(t, md.Get(auth.KeySignIn))
			got = auth.SignIn(ctx)
			return &fixsqlv1.CheckSQLResponse{}, nil
		},
		ask: func(ctx context.Context, _ *routerv1.AskRequest) (*routerv1.AskResponse, error) {
			got = auth.SignIn(ctx)
			return &routerv1.AskResponse{}, nil
		},
	}
	deps := rpc.ServerDeps{Gate: localGate(key)}
	_, named := serve(t, f, rpc.ServerConfig{}, deps, rpc.ClientDeps{Hops: key, SignInsFor: []string{"fixsql"}})
	_, outside := serve(t, f, rpc.ServerConfig{}, deps, rpc.ClientDeps{SignInsFor: []string{"fixsql"}})
	ctx := auth.WithSignIn(run.With(t.Context(), run.Context{Principal: run.Principal{ID: "ann"}}), "geheim")
	check := &fixsqlv1.CheckSQLRequest{Sql: "select 1"}

	_, err := fixsqlv1.NewFixSQLServiceClient(named).CheckSQL(ctx, check)
	require.NoError(t, err)
	require.Equal(t, "geheim", got)
	_, err = routerv1.NewRouterServiceClient(named).Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "q"}})
	require.NoError(t, err)
	require.Empty(t, got, "a service that is not named")
	got = "?"
	_, err = fixsqlv1.NewFixSQLServiceClient(outside).CheckSQL(metadata.AppendToOutgoingContext(ctx, auth.KeySignIn, "smuggled"), check)
	require.NoError(t, err)
	require.Empty(t, got, "from outside")
	_, err = fixsqlv1.NewFixSQLServiceClient(named).CheckSQL(metadata.AppendToOutgoingContext(run.With(t.Context(), run.From(ctx)), auth.KeySignIn, "smuggled"), check)
	require.Equal(t, "HOP_TOKEN_INVALID", fault.ReasonOf(err), "one that nobody sealed for this hop")
}
