package chatbi_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/fault/faulttest"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
	"github.com/dibrain/dibrain/services/chatbi"
)

// failing is all that a statement needs of others, one call of which fails.
type failing struct {
	calls *faulttest.Calls
	with  func(error) error // what the engine makes of it
}

func (f failing) next(name string) error {
	if err := f.calls.Next(name); err != nil {
		return f.with(err)
	}
	return nil
}

type failingCatalog struct {
	fakeCatalog
	calls *faulttest.Calls
}

func (c failingCatalog) DescribeTables(ctx context.Context, in *findatav1.DescribeTablesRequest, o ...grpc.CallOption) (*findatav1.DescribeTablesResponse, error) {
	if err := c.calls.Next("describe"); err != nil {
		return nil, status.Error(codes.Unavailable, err.Error())
	}
	return c.fakeCatalog.DescribeTables(ctx, in, o...)
}

type failingEngine struct {
	warehouse.Engine
	failing
}

func (e failingEngine) Explain(ctx context.Context, p run.Principal, a guard.Approved) (warehouse.Plan, error) {
	if err := e.next("explain"); err != nil {
		return warehouse.Plan{}, err
	}
	return e.Engine.Explain(ctx, p, a)
}

func (e failingEngine) Query(ctx context.Context, p run.Principal, a guard.Approved, o warehouse.Options) (warehouse.Rows, error) {
	return e.rows("query", func() (warehouse.Rows, error) { return e.Engine.Query(ctx, p, a, o) })
}

func (e failingEngine) Metadata(ctx context.Context, p run.Principal, s meta.Statement, o warehouse.Options) (warehouse.Rows, error) {
	return e.rows("metadata", func() (warehouse.Rows, error) { return e.Engine.Metadata(ctx, p, s, o) })
}

func (e failingEngine) rows(name string, start func() (warehouse.Rows, error)) (warehouse.Rows, error) {
	if err := e.next(name); err != nil {
		return nil, err
	}
	rows, err := start()
	if err != nil {
		return nil, err
	}
	return &failingRows{rows, e.failing, name}, nil
}

type failingRows struct {
	warehouse.Rows
	failing
	of string
}

func (r *failingRows) Next(ctx context.Context, n int) ([][]any, error) {
	page, err := r.Rows.Next(ctx, n)
	name := "a row of " + r.of
	if err == io.EOF { //nolint:errorlint // Next returns it bare
		name = "the end of " + r.of
	}
	if failed := r.next(name); failed != nil {
		return nil, failed
	}
	return page, err
}

func (r *failingRows) Close() error {
	_ = r.Rows.Close()
	return r.next("closing " + r.of)
}

// TestEveryCallThatFails fails each call that a statement makes of others, as a
// service that is away does and as a statement that goes wrong does. What the answer
// is made of is told; what only adorns it is left out; nothing half is shown, and the
// statement leaves nothing behind: the next one runs, and the service closes.
func TestEveryCallThatFails(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]func(error) error{
		"away": func(err error) error { return err },
		"wrong": func(err error) error {
			return &warehouse.Error{Name: "DIVISION_BY_ZERO", Message: "it is by zero", Cause: err}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var whole string
			var broken []string
			tried := faulttest.EveryCall(t, func(t *testing.T, calls *faulttest.Calls) {
				s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
					d.Catalog = failingCatalog{d.Catalog.(fakeCatalog), calls}
					c.Cost.AskRows = 100 // so that the engine is asked for its plan
					d.OpenEngine = func(ctx context.Context, g *source.Generation) (warehouse.Engine, error) {
						if err := calls.Next("open"); err != nil {
							return nil, err
						}
						e, err := duckdb.Open(ctx, duckdb.Config{
							Databases: g.DatabasePaths(), DefaultRegion: g.DefaultRegion, DefaultSchema: g.DefaultSchema, Launcher: duckdb.InProcess(), MemoryLimit: "256MB", Threads: 1,
						})
						return failingEngine{e, failing{calls, with}}, err
					}
				})
				q := &chatbiv1.ExecuteQuery{Sql: "SELECT country, count(*) AS n FROM orders GROUP BY country", UserQuestion: "How many orders per country?", CostConfirmed: true}
				res, err := unary(as(t.Context(), "alice"), s, q)
				calls.Stop()
				again, errAgain := unary(as(t.Context(), "alice"), s, q)
				require.NoError(t, errAgain, "the next one runs")
				require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, again.GetOutcome())
				switch failed := calls.Failed(); {
				case failed == "":
					require.NoError(t, err)
					whole = res.GetAnswer()
				case err != nil:
					require.NotEqual(t, codes.OK, status.Code(err))
					require.Nil(t, res)
					broken = append(broken, failed)
				case res.GetOutcome() == chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_FAILED:
					require.Equal(t, "DIVISION_BY_ZERO", res.GetError().GetCode())
					require.Equal(t, "it is by zero", res.GetError().GetMessage())
					require.Nil(t, res.GetPage(), "no half result")
					require.Nil(t, res.GetChart())
					require.NotEmpty(t, res.GetCertificate().GetAbstainedReason())
					broken = append(broken, "told: "+failed)
				default:
					require.Contains(t, failed, "metadata", "only what adorns an answer may be missing in silence")
					require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, res.GetOutcome())
				}
			})
			require.NotEmpty(t, whole)
			t.Log(tried, broken)
			for _, call := range []string{"explain", "query", "a row of query", "the end of query", "closing query"} {
				if name == "wrong" {
					call = "told: " + call
				}
				require.Contains(t, broken, call)
			}
			require.Contains(t, broken, "open")
			require.Contains(t, broken, "describe")
		})
	}
}
