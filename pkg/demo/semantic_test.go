package demo_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func (w *warehouse) layer(t testing.TB) *semantic.Layer {
	t.Helper()
	layer, err := semantic.Load(filepath.Join(w.dir, "semantic"))
	require.NoError(t, err)
	return layer
}

// whole gives tables of a shown query the data centres that hold them.
func (w *warehouse) whole(t testing.TB, stmt *tree.Statement) string {
	t.Helper()
	full, err := tree.Rewrite(stmt, func(n tree.Node) tree.Node {
		table, ok := n.(*tree.Table)
		if !ok || len(table.Name.Parts) != 2 {
			return n
		}
		for i := range w.snapshot.Tables {
			if name := w.snapshot.Tables[i].Name; name.Schema == table.Name.Parts[0].Name && name.Table == table.Name.Parts[1].Name {
				return tree.TableOf(name.Region, name.Schema, name.Table)
			}
		}
		return n
	})
	require.NoError(t, err)
	return printer.Format(full)
}

// TestSemantic_runs runs each expression of the layer on each table that it is of.
func TestSemantic_runs(t *testing.T) {
	t.Parallel()
	w := tinyWarehouse(t)
	layer := w.layer(t)
	on := func(what, table string, text func(*catalog.Table) string) {
		tables := semantic.Tables(table, w.snapshot.Tables)
		require.NotEmpty(t, tables, "%s: no table %s", what, table)
		for _, found := range tables {
			w.exec(t, text(found))
		}
	}
	for _, m := range layer.Metrics {
		require.NotEmpty(t, m.Names.EN, m.ID)
		require.NotEmpty(t, m.Names.ZH, m.ID)
		if m.Composed() {
			for _, c := range layer.Countries {
				stmt, err := layer.SQL(m.ID, c.CID)
				require.NoError(t, err)
				w.exec(t, w.whole(t, stmt))
			}
			require.NotEmpty(t, m.Description.EN, m.ID)
			require.NotEmpty(t, m.Description.ZH, m.ID)
			continue
		}
		on(m.ID, m.Table, func(table *catalog.Table) string {
			if m.Time != "" {
				_, ok := table.Column(m.Time)
				require.True(t, ok, "%s: no time column %s", m.ID, m.Time)
			}
			return fmt.Sprintf("SELECT %s FROM %s%s", m.Expr, table.Name, where(m.DefaultFilters))
		})
		if base, _, variant := strings.Cut(m.ID, "__"); variant {
			require.True(t, slices.ContainsFunc(layer.Metrics, func(o semantic.Metric) bool { return o.ID == base }), "%s is of no metric", m.ID)
		} else if m.ID != "gmv" {
			require.NotEmpty(t, m.Description.EN, m.ID)
			require.NotEmpty(t, m.Description.ZH, m.ID)
		}
	}
	for _, d := range layer.Dimensions {
		require.NotEmpty(t, d.Names.ZH, d.ID)
		if base, _, variant := strings.Cut(d.ID, "__"); variant {
			require.True(t, slices.ContainsFunc(layer.Dimensions, func(o semantic.Dimension) bool { return o.ID == base }), "%s is of no dimension", d.ID)
		}
		expr := d.Expr
		if expr == "" {
			expr = d.ID
		}
		on(d.ID, d.Table, func(table *catalog.Table) string {
			return fmt.Sprintf("SELECT %s FROM %s GROUP BY 1", expr, table.Name)
		})
		for _, v := range d.Values {
			stored := 0.0
			for _, table := range semantic.Tables(d.Table, w.snapshot.Tables) {
				stored += w.number(t, fmt.Sprintf("SELECT count(*) FROM %s WHERE %s = '%s'", table.Name, expr, v.Value))
			}
			require.Positive(t, stored, "%s: value %s is not stored", d.ID, v.Value)
		}
	}
	for _, f := range append(slices.Clone(layer.Filters), layer.Exclusions...) {
		require.NotEmpty(t, f.Names.ZH, f.ID)
		on(f.ID, f.Table, func(table *catalog.Table) string {
			return fmt.Sprintf("SELECT count(*) FROM %s WHERE %s", table.Name, f.Expr)
		})
	}
	for _, e := range layer.Entities {
		on(e.ID, e.Table, func(table *catalog.Table) string {
			return fmt.Sprintf("SELECT %s FROM %s LIMIT 1", e.Key[0], table.Name)
		})
	}
	for _, j := range layer.Joins {
		if j.Cardinality == semantic.ManyToMany || len(j.Columns) > 1 {
			continue
		}
		for _, from := range semantic.Tables(j.From, w.snapshot.Tables) {
			for _, to := range semantic.Tables(j.To, w.snapshot.Tables) {
				if from.Country != to.Country && to.Country != "" {
					continue
				}
				lost := fmt.Sprintf("SELECT count(*) FROM %s f WHERE f.%s IS NOT NULL AND f.%[2]s NOT IN (SELECT %s FROM %s)", from.Name, j.Columns[0], j.ToColumns[0], to.Name)
				if strings.Contains(j.To, "spx_parcel") { // not every order goes with SPX
					continue
				}
				require.Zero(t, w.number(t, lost), "%s to %s", from.Name, to.Name)
			}
		}
	}
}

// TestSemantic_variantsAgree computes each metric x and its variants x__y for
// each country on one day: by the layer's convention they are one number.
func TestSemantic_variantsAgree(t *testing.T) {
	t.Parallel()
	w := tinyWarehouse(t)
	layer := w.layer(t)
	const day = "DATE '2026-11-15'"
	value := func(m semantic.Metric, code string) (float64, bool) {
		for _, table := range semantic.Tables(m.Table, w.snapshot.Tables) {
			if table.Country != "" && table.Country != code {
				continue
			}
			conditions := append([]string{m.Time + " = " + day}, m.DefaultFilters...)
			if _, ok := table.Column("grass_region"); ok {
				conditions = append(conditions, "grass_region = '"+code+"'")
			}
			return w.number(t, fmt.Sprintf("SELECT %s FROM %s%s", m.Expr, table.Name, where(conditions))), true
		}
		return 0, false
	}
	compared := 0
	for _, variant := range layer.Metrics {
		base, _, ok := strings.Cut(variant.ID, "__")
		if !ok {
			continue
		}
		i := slices.IndexFunc(layer.Metrics, func(m semantic.Metric) bool { return m.ID == base })
		require.Equal(t, layer.Metrics[i].Unit, variant.Unit, variant.ID)
		for _, c := range layer.Countries {
			got, ok := value(variant, c.Code)
			if !ok { // page views are kept for three countries
				continue
			}
			want, ok := value(layer.Metrics[i], c.Code)
			require.True(t, ok)
			require.InDelta(t, want, got, 1e-9, "%s in %s", variant.ID, c.Code)
			compared++
		}
	}
	require.Greater(t, compared, 100)
}

// TestSemantic_words finds the words that people of a warehouse use, in one
// metric each.
func TestSemantic_words(t *testing.T) {
	t.Parallel()
	w := tinyWarehouse(t)
	layer := w.layer(t)
	owners := map[string][]string{}
	for _, m := range layer.Metrics {
		seen := map[string]bool{}
		for _, word := range append([]string{m.Names.EN, m.Names.ZH}, m.Synonyms...) {
			if word = semantic.Fold(word); !seen[word] {
				seen[word] = true
				owners[word] = append(owners[word], m.ID)
			}
		}
	}
	for word, ids := range owners {
		require.Len(t, ids, 1, "%q names more than one metric", word)
	}
	for word, id := range map[string]string{
		"gmv": "gmv", "成交额": "gmv", "销售额": "gmv", "交易额": "gmv", "订单数": "orders", "单量": "orders", "net gmv": "net_gmv", "净成交额": "net_gmv",
		"aov": "aov", "客单价": "aov", "买家数": "buyers", "取消率": "cancellation_rate", "退款率": "refund_rate", "dau": "dau", "日活": "dau", "新增用户": "new_users",
		"动销卖家数": "active_sellers", "pv": "page_views", "uv": "visitors", "转化率": "conversion_rate", "准时率": "on_time_rate", "平均配送时长": "average_delivery_days",
		"工单数": "tickets", "首次响应时间": "first_response_minutes", "csat": "csat", "满意度": "csat", "机器人会话数": "chatbot_sessions", "机器人解决率": "chatbot_resolution_rate",
	} {
		require.Equal(t, []string{id}, owners[semantic.Fold(word)], word)
	}
}

// TestSemantic_check holds the layer against the warehouse's catalog.
func TestSemantic_check(t *testing.T) {
	t.Parallel()
	w := tinyWarehouse(t)
	layer, problems := semantic.Check(filepath.Join(w.dir, "semantic"), w.snapshot.Tables)
	require.Empty(t, problems)
	kinds := map[semantic.MetricType]bool{}
	levels := false
	for _, m := range layer.Metrics {
		kinds[m.Kind()] = true
		levels = levels || m.OverTime != ""
	}
	require.Len(t, kinds, 5, "the demo has a metric of every type")
	require.True(t, levels, "and a level with a value over time")
}

func where(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return " WHERE (" + strings.Join(conditions, ") AND (") + ")"
}
