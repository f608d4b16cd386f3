package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

type omMetric struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Description string `json:"description"`
	Expression  *struct {
		Language string `json:"language"`
		Code     string `json:"code"`
	} `json:"metricExpression"`
	Type        string `json:"metricType"`
	Unit        string `json:"unitOfMeasurement"`
	CustomUnit  string `json:"customUnitOfMeasurement"`
	Granularity string `json:"granularity"`
	// Of a term of a glossary, which has a glossary that it is in.
	Glossary json.RawMessage `json:"glossary"`
	Synonyms []string        `json:"synonyms"`
}

// OpenMetadata reads metrics, and terms of glossaries, as OpenMetadata's API gives them: one, a list, or a
// page {"data": [...]}. Only those are taken whose SQL is one aggregate over one
// table; their time column is not in the format.
func OpenMetadata(text []byte) (*semantic.Layer, []Skipped, error) {
	metrics, err := omMetrics(text)
	if err != nil {
		return nil, nil, fmt.Errorf("read OpenMetadata's metrics: %w", err)
	}
	im := newImporter()
	for i := range metrics {
		im.openMetadata(&metrics[i])
	}
	return &im.layer, im.skipped, nil
}

func omMetrics(text []byte) ([]omMetric, error) {
	text = bytes.TrimSpace(text)
	if bytes.HasPrefix(text, []byte("[")) {
		var list []omMetric
		err := json.Unmarshal(text, &list)
		return list, err
	}
	var page struct {
		Data []omMetric `json:"data"`
		omMetric
	}
	if err := json.Unmarshal(text, &page); err != nil {
		return nil, err
	}
	if page.Data == nil && page.Name != "" {
		return []omMetric{page.omMetric}, nil
	}
	if len(page.Data) == 0 {
		return nil, fmt.Errorf("there are none in it")
	}
	return page.Data, nil
}

func (im *importer) openMetadata(x *omMetric) {
	if len(x.Glossary) > 0 && string(x.Glossary) != "null" {
		im.term(x)
		return
	}
	what := "metric " + x.Name
	if x.Expression == nil || !strings.EqualFold(x.Expression.Language, "SQL") || strings.TrimSpace(x.Expression.Code) == "" {
		im.skip(what, "it has no expression in SQL")
		return
	}
	stmt, err := parser.Parse(strings.TrimSuffix(strings.TrimSpace(x.Expression.Code), ";"))
	if err != nil {
		im.skip(what, "%v", err)
		return
	}
	expr, table, where, ok := oneAggregate(stmt)
	if !ok {
		im.skip(what, "its SQL is not one aggregate over one table")
		return
	}
	id := im.unique("metrics", idOf(x.Name), "other")
	m := semantic.Metric{
		ID: id, Names: named(x.DisplayName, id), Synonyms: words(x.DisplayName, x.Name, nil), Description: described(x.Description), Table: table, Expr: expr,
		// Whether parts add up is not told, so that nothing is added up.
		Additivity: semantic.NonAdditive, DefaultFilters: where,
	}
	switch {
	case x.CustomUnit != "":
		m.Unit = x.CustomUnit
	case x.Unit != "" && x.Unit != "OTHER":
		m.Unit = strings.ToLower(x.Unit)
	}
	im.layer.Metrics = append(im.layer.Metrics, m)
}

// term reads a term of a glossary.
func (im *importer) term(x *omMetric) {
	if strings.TrimSpace(x.Description) == "" {
		im.skip("term "+x.Name, "it has no description")
		return
	}
	id := im.unique("glossary", idOf(x.Name), "other")
	im.layer.Glossary = append(im.layer.Glossary, semantic.Term{
		ID: id, Names: named(x.DisplayName, x.Name), Synonyms: words(x.DisplayName, x.Name, x.Synonyms), Text: described(x.Description),
	})
}

// oneAggregate takes SELECT aggregate FROM table [WHERE condition] apart.
func oneAggregate(stmt *tree.Statement) (expr, table string, where []string, ok bool) {
	if stmt.Query == nil || stmt.Query.With != nil || stmt.Query.Limit != nil {
		return "", "", nil, false
	}
	sel, ok := stmt.Query.Body.(*tree.Select)
	if !ok || len(sel.Items) != 1 || len(sel.From) != 1 || sel.GroupBy != nil || sel.Having != nil {
		return "", "", nil, false
	}
	item, isExpr := sel.Items[0].(*tree.SelectExpr)
	from, isTable := sel.From[0].(*tree.Table)
	if !isExpr || !isTable || !resolve.Aggregates(item.Expr) {
		return "", "", nil, false
	}
	parts := from.Name.Parts
	if len(parts) > 2 { // the catalog: names of a layer have no data centre
		parts = parts[len(parts)-2:]
	}
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	if sel.Where != nil {
		where = []string{printer.Print(sel.Where)}
	}
	return printer.Print(item.Expr), strings.Join(names, "."), where, true
}
