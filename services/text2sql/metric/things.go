package metric

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// countedThings reads "how many shoppers placed 3 or more orders": a figure that
// counts things, and a condition on another figure of each of them. The things that
// meet it are counted.
func (r *reader) countedThings() {
	in := &r.out.Intent
	if len(r.thresholds) != 1 || len(in.Select) != 2 || len(in.GroupBy) > 0 || r.grained() || r.share > 0 || in.Select[0].Agg != intent.AggNone {
		return
	}
	left, ok := r.bounded(r.thresholds[0])
	at := slices.Index(in.Select, left)
	if !ok || at < 0 {
		return
	}
	of, ok := r.names.thing(in.Select[1-at].ID)
	if !ok {
		return
	}
	in.Select = slices.Delete(in.Select, 1-at, 2-at)
	in.GroupBy = []intent.Field{of}
	r.counts = true
}

// money reports whether a metric is an amount of money, by its unit: a code of ISO 4217,
// or the local currency.
func (n *Names) money(metric string) bool {
	m, ok := n.layer.Metric(metric)
	return ok && (len(m.Unit) == 3 && m.Unit == strings.ToUpper(m.Unit) || strings.Contains(m.Unit, "currency"))
}

// thing is the entity that a metric counts the different ones of.
func (n *Names) thing(metric string) (intent.Field, bool) {
	m, ok := n.layer.Metric(metric)
	if !ok || m.Kind() != semantic.DistinctCount {
		return intent.Field{}, false
	}
	key := []string{m.Distinct}
	for _, e := range n.layer.Entities {
		joined := slices.ContainsFunc(n.layer.Joins, func(j semantic.Join) bool {
			return j.From == m.Table && slices.Equal(j.Columns, key) && j.To == e.Table && slices.Equal(j.ToColumns, e.Key)
		})
		if joined || e.Table == m.Table && slices.Equal(e.Key, key) {
			return intent.Field{Kind: intent.KindEntity, ID: e.ID}, true
		}
	}
	return intent.Field{}, false
}
