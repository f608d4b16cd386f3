package trino_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// sgTables are two tables of the region sg.
func sgTables() resolve.Scope {
	column := func(name, typ string) catalog.Column { return catalog.Column{Name: name, Type: typ} }
	name := func(table string) catalog.Name { return catalog.Name{Region: "sg", Schema: "mart", Table: table} }
	return resolve.Scope{DefaultRegion: "sg", DefaultSchema: "mart", Catalog: resolve.NewTables([]catalog.Table{
		{Name: name("orders"), Columns: []catalog.Column{column("id", "bigint"), column("sg", "row(mart row(orders bigint))"), column("shop", "varchar")}},
		{Name: name("shops"), Columns: []catalog.Column{column("id", "bigint"), column("name", "varchar")}},
	})}
}

// TestNames checks the text that the server is sent, comments and layout with it.
func TestNames(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[1]]", false)) })
	config := f.config()
	config.Connection.Regions = map[string]source.TrinoPlace{"SG": {Catalog: "lake-1", SchemaPrefix: "sg_"}}
	config.DefaultRegion, config.DefaultSchema = "sg", "mart"
	e := open(t, config)
	sent := func(approved guard.Approved) string {
		rows, err := e.Query(t.Context(), someone(), approved, warehouse.Options{})
		require.NoError(t, err)
		require.NoError(t, rows.Close())
		return f.texts[len(f.texts)-1]
	}
	for sql, want := range map[string]string{
		"select id from orders limit 1":                                                     "select id from orders limit 1",
		"select id from mart.orders limit 1":                                                "select id from sg_mart.orders limit 1",
		"select /* sg.mart.orders */ id\nfrom SG . mart.orders -- here\nlimit 1":            "select /* sg.mart.orders */ id\nfrom \"lake-1\" . sg_mart.orders -- here\nlimit 1",
		`select id from "sg"."MART"."orders" limit 1`:                                       `select id from "lake-1"."sg_MART"."orders" limit 1`,
		"select sg.mart.orders.id, orders.id, mart.orders.shop from sg.mart.orders limit 1": `select "lake-1".sg_mart.orders.id, orders.id, sg_mart.orders.shop from "lake-1".sg_mart.orders limit 1`,
		"select sg.mart.orders.*, s.* from sg.mart.orders, sg.mart.shops s limit 1":         `select "lake-1".sg_mart.orders.*, s.* from "lake-1".sg_mart.orders, "lake-1".sg_mart.shops s limit 1`,
		"select o.sg.mart.orders from sg.mart.orders o limit 1":                             `select o.sg.mart.orders from "lake-1".sg_mart.orders o limit 1`,
		"with orders as (select 1 id) select id from orders limit 1":                        "with orders as (select 1 id) select id from orders limit 1",
		"select id from sg.mart.orders where exists (select 1 from sg.mart.shops where sg.mart.shops.name = shop) order by sg.mart.orders.id limit 1": `select id from "lake-1".sg_mart.orders where exists (select 1 from "lake-1".sg_mart.shops where "lake-1".sg_mart.shops.name = shop) order by "lake-1".sg_mart.orders.id limit 1`,
		"select id, 'sg.mart.orders' as \"sg.mart.orders\" from sg.mart.orders limit 1":                                                               `select id, 'sg.mart.orders' as "sg.mart.orders" from "lake-1".sg_mart.orders limit 1`,
	} {
		require.Equal(t, want, sent(approve(t, "someone", sql, sgTables())))
	}

	rules, err := policy.Parse("policy.yaml", []byte("rules:\n  - {user: someone, table: orders, filter: \"shop = 'a'\"}\n"))
	require.NoError(t, err)
	approved, err := guard.New(guard.Config{}).Under(guard.Terms{Policy: rules, Source: "wh"}).
		Approve(t.Context(), run.Principal{ID: "someone"}, "select sg.mart.orders.id from sg.mart.orders limit 1", sgTables())
	require.NoError(t, err)
	require.True(t, approved.Protected())
	text := sent(approved)
	require.Contains(t, text, `"lake-1".sg_mart.orders`)
	require.NotRegexp(t, `\bsg\.mart`, text)

	_, err = e.Metadata(t.Context(), run.Principal{}, meta.CountRows(catalog.Name{Region: "sg", Schema: "mart", Table: "orders"}), warehouse.Options{})
	require.NoError(t, err)
	require.Equal(t, `SELECT count(*) AS row_count FROM "lake-1"."sg_mart"."orders"`, f.texts[len(f.texts)-1])
	_, err = e.Metadata(t.Context(), run.Principal{}, meta.Columns(catalog.Name{Region: "sg", Schema: "mart", Table: "orders"}), warehouse.Options{})
	require.NoError(t, err)
	require.Contains(t, f.texts[len(f.texts)-1], `FROM "lake-1"."information_schema"."columns" WHERE "table_catalog" = 'lake-1' AND "table_schema" = 'sg_mart' AND "table_name" = 'orders'`)
}
