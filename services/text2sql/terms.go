package text2sql

import (
	"cmp"
	"context"
	"slices"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/metric"
)

// maxTerms bounds the terms of one answer.
const maxTerms = 2000

// DescribeTerms implements the rpc. Tables that findata does not describe to the asker
// have no terms, and of the others he is told what ListMetrics and a question may tell.
func (s *Service) DescribeTerms(ctx context.Context, req *text2sqlv1.DescribeTermsRequest) (*text2sqlv1.DescribeTermsResponse, error) {
	source := cmp.Or(req.GetSource(), s.config.DefaultSource)
	held, err := s.layers.get(source)
	if err != nil {
		return nil, err
	}
	if held, err = s.permitted(ctx, source, held); err != nil {
		return nil, err
	}
	resp := &text2sqlv1.DescribeTermsResponse{}
	layer := held.written
	if layer == nil {
		return resp, nil
	}
	sees, err := s.seesMetrics(ctx, source, layer)
	if err != nil {
		return nil, err
	}
	tables, err := s.describe(ctx, source, req.GetTables())
	if err != nil {
		return nil, err
	}
	for i := range tables {
		resp.Terms = append(resp.Terms, termsOf(layer, &tables[i], sees)...)
	}
	slices.SortStableFunc(resp.Terms, func(a, b *text2sqlv1.LayerTerm) int {
		return cmp.Or(cmp.Compare(a.GetTable(), b.GetTable()), cmp.Compare(a.GetId(), b.GetId()))
	})
	resp.Terms = resp.GetTerms()[:min(len(resp.GetTerms()), maxTerms)]
	return resp, nil
}

// termsOf are the terms of a layer over one table: its dimensions, and the metrics that
// are an aggregate over it. sees tells which metrics the asker may know.
func termsOf(layer *semantic.Layer, t *catalog.Table, sees func(*semantic.Metric) bool) []*text2sqlv1.LayerTerm {
	var terms []*text2sqlv1.LayerTerm
	for i := range layer.Dimensions {
		x := &layer.Dimensions[i]
		// A column that the asker may not see is not in the description of the table.
		if reads := x.Reads().Columns; !semantic.Matches(x.Table, t) || len(reads) == 0 ||
			slices.ContainsFunc(reads, func(c string) bool { _, there := t.Column(c); return !there }) {
			continue
		}
		terms = append(terms, &text2sqlv1.LayerTerm{
			Id: x.ID, NameEn: x.Names.EN, NameZh: x.Names.ZH, Synonyms: x.Synonyms, Table: t.Name.String(), Expr: cmp.Or(x.Expr, metric.Base(x.ID)),
		})
	}
	for i := range layer.Metrics {
		m := &layer.Metrics[i]
		if m.Composed() || m.Expr == "" || !semantic.Matches(m.Table, t) || !sees(m) {
			continue
		}
		terms = append(terms, &text2sqlv1.LayerTerm{
			Id: m.ID, NameEn: m.Names.EN, NameZh: m.Names.ZH, Synonyms: m.Synonyms, Table: t.Name.String(), Expr: m.Expr,
			Metric: true, DefaultFilters: m.DefaultFilters,
		})
	}
	return terms
}
