package chatbi

import (
	"context"
	"time"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/resultpb"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// Bounds of a table that advice is asked for.
const (
	maxAdvisedRows    = 5000
	maxAdvisedColumns = 50
)

// AdviseChart implements chatbiv1.ChatBIServiceServer.
func (s *Service) AdviseChart(ctx context.Context, req *chatbiv1.AdviseChartRequest) (*chatbiv1.AdviseChartResponse, error) {
	if _, err := principal(ctx); err != nil {
		return nil, err
	}
	page := req.GetPage()
	if len(page.GetColumns()) == 0 {
		return nil, fault.Invalid("page", "TABLE_INVALID", "The table has no columns: give at least one.")
	}
	if len(page.GetRows()) > maxAdvisedRows || len(page.GetColumns()) > maxAdvisedColumns {
		return nil, fault.Invalid("page", "TABLE_TOO_LARGE", "The table has %d rows and %d columns: at most %d and %d are drawn. Aggregate it first.",
			len(page.GetRows()), len(page.GetColumns()), maxAdvisedRows, maxAdvisedColumns)
	}
	table, err := resultpb.FromPage(page)
	if err != nil {
		return nil, fault.Invalid("page", "TABLE_INVALID", "The table cannot be read: %s.", err)
	}
	for _, row := range table.Rows {
		for i, v := range row {
			if !fits(v, table.Columns[i]) {
				return nil, fault.Invalid("page", "TABLE_INVALID", "Column %d of the table has a value that is not of type %s.", i+1, prose.Safe(prose.Line(table.Columns[i].Type)))
			}
		}
	}
	language := lang.English
	if req.GetUserContext().GetLanguage() == commonv1.Language_LANGUAGE_ZH {
		language = lang.Chinese
	}
	out := s.analyst.Analyse(analyse.Input{
		Table: table, Language: language, Now: run.Now(ctx), Wanted: chart.Kind(req.GetChartKind()), MaxPoints: maxAdvisedRows,
	})
	return &chatbiv1.AdviseChartResponse{Chart: fromChart(out.Chart)}, nil
}

// fits reports a value of the column's type, as an engine would give it: analysis
// relies on that.
func fits(v any, c result.Column) bool {
	if v == nil {
		return true
	}
	switch kind := c.Kind(); {
	case kind.Numeric():
		_, ok := result.NumberOf(v, c)
		return ok
	case kind == result.KindBool:
		_, ok := v.(bool)
		return ok
	case kind == result.KindDate || kind == result.KindTimestamp:
		text, ok := v.(string)
		if ok {
			_, _, ok = result.ParseMoment(text, time.UTC)
		}
		return ok
	}
	_, ok := v.(string)
	return ok
}
