package fixsql_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/services/fixsql"
)

// fakeEngine is chat BI whose engine explains in one way.
type fakeEngine struct {
	chatbiv1.ChatBIServiceClient
	method string
	err    error
}

func (f fakeEngine) EstimateCost(context.Context, *chatbiv1.EstimateCostRequest, ...grpc.CallOption) (*chatbiv1.EstimateCostResponse, error) {
	return &chatbiv1.EstimateCostResponse{Method: f.method}, f.err
}

// TestEngineExplainsARepair: who found a repaired statement valid is told; an engine that
// refuses it is believed, one that is away is not waited for.
func TestEngineExplainsARepair(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		engine fakeEngine
		sql    string
		by     fixsqlv1.SqlValidator
		left   string
	}{
		"explained":        {fakeEngine{method: "explain"}, "SELECT qty FORM orders", fixsqlv1.SqlValidator_SQL_VALIDATOR_EXPLAIN, ""},
		"by the catalog":   {fakeEngine{method: "catalog"}, "SELECT qty FORM orders", fixsqlv1.SqlValidator_SQL_VALIDATOR_RESOLVER, ""},
		"nothing repaired": {fakeEngine{method: "explain"}, "SELECT qty FROM orders", fixsqlv1.SqlValidator_SQL_VALIDATOR_RESOLVER, ""},
		"away":             {fakeEngine{err: fault.New(codes.Unavailable, "ENGINE_AWAY", "away")}, "SELECT qty FORM orders", fixsqlv1.SqlValidator_SQL_VALIDATOR_RESOLVER, ""},
		"refused": {fakeEngine{err: fault.New(codes.InvalidArgument, "FUNCTION_NOT_FOUND", "there is no such function")},
			"SELECT qty FORM orders", fixsqlv1.SqlValidator_SQL_VALIDATOR_UNSPECIFIED, "FUNCTION_NOT_FOUND"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := fixsql.New(fixsql.Config{}, fixsql.Deps{Catalog: newCatalog(), ChatBI: c.engine})
			require.NoError(t, err)
			res, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: c.sql})
			require.NoError(t, err)
			require.Equal(t, c.by, res.GetValidatedBy())
			require.Equal(t, c.left == "", res.GetFixed().GetValidated())
			if c.left != "" {
				require.Equal(t, c.left, res.GetRemaining()[0].GetCode())
				require.False(t, res.GetCertain())
			}
		})
	}
}
