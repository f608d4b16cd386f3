package text2sql

import (
	"context"
	"fmt"
	"time"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/result/resultpb"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/services/text2sql/team"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// catalogTool is findata's catalog as the tools see it.
type catalogTool struct{ service *Service }

// Tables implements tools.Catalog.
func (c catalogTool) Tables(ctx context.Context, source string, names []string) ([]catalog.Table, error) {
	return c.service.describe(ctx, c.source(source), names)
}

// Defaults implements tools.Catalog.
func (c catalogTool) Defaults(_ context.Context, source string) (catalog.Defaults, error) {
	g, err := c.service.layers.store.Current(c.source(source))
	if err != nil {
		return catalog.Defaults{}, err
	}
	return catalog.Defaults{Region: g.Manifest.DefaultRegion, Schema: g.Manifest.DefaultSchema}, nil
}

func (c catalogTool) source(name string) string {
	if name == "" {
		return c.service.config.DefaultSource
	}
	return name
}

// executor runs statements by chat BI: guarded, with the policy of the source, as
// the asker.
type executor struct {
	client  chatbiv1.ChatBIServiceClient
	timeout time.Duration
}

// Execute implements tools.Executor.
func (e executor) Execute(ctx context.Context, source, sql string, maxRows int) (tools.Rows, error) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	resp, err := e.client.ExecuteAndAnalyzeUnary(ctx, &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{
		Source: source, Sql: sql, PageSize: int32(maxRows), //nolint:gosec // the tool bounds it to 1000
	}})
	if err != nil {
		return tools.Rows{}, fmt.Errorf("run a candidate: %w", err)
	}
	res := resp.GetResult()
	switch res.GetOutcome() {
	case chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE:
	case chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_FAILED:
		p := res.GetError().GetPosition()
		return tools.Rows{}, &warehouse.Error{
			Name: res.GetError().GetCode(), Message: res.GetError().GetMessage(), Line: int(p.GetLine()), Column: int(p.GetColumn()),
		}
	default:
		return tools.Rows{}, fmt.Errorf("it needs a yes first: %w", tools.ErrNotRun)
	}
	page, err := resultpb.FromPage(res.GetPage())
	if err != nil {
		return tools.Rows{}, fmt.Errorf("read the result of a candidate: %w", err)
	}
	out := tools.Rows{Rows: page.Rows, Truncated: page.Truncated || res.GetPage().GetNextPageToken() != ""}
	for _, c := range page.Columns {
		out.Columns = append(out.Columns, c.Name)
	}
	return out, nil
}

// fixer repairs by the service of that name.
type fixer struct {
	client  fixsqlv1.FixSQLServiceClient
	timeout time.Duration
}

// maxFixTables is how many tables a repair is told of, as in its contract.
const maxFixTables = 200

// Fix implements team.Fixer.
func (f fixer) Fix(ctx context.Context, task *team.Task, sql, errorText string) (fixed string, changed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	resp, err := f.client.FixSQL(ctx, &fixsqlv1.FixSQLRequest{
		Source: task.Source, Sql: sql, ErrorInfo: errorText, UserQuestion: task.Question,
		Tables: catalogpb.FromTables(task.Tables[:min(len(task.Tables), maxFixTables)]),
	})
	if err != nil {
		return "", false, fmt.Errorf("repair a candidate: %w", err)
	}
	return resp.GetFixed().GetSql(), resp.GetChanged(), nil
}
