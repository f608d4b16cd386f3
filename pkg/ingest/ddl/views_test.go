package ddl_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// TestQueriesOfViews: the query of a view is kept as its tokens, with operators whole, names
// and texts quoted, and without what is no part of it; a later view of a name takes the
// place of the earlier one, and of a table that stood in for it.
func TestQueriesOfViews(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sql     string
		dialect ddl.Dialect
		views   []string // "schema.name(columns) line: query"
		tables  string
	}{
		"plain":                         {sql: "CREATE VIEW s.v AS SELECT a,\n b FROM t WHERE a >= 1;", views: []string{".s.v() 1: SELECT a , b FROM t WHERE a >= 1"}},
		"if it is not there":            {sql: "\nCREATE VIEW IF NOT EXISTS v AS SELECT 1;", views: []string{"..v() 2: SELECT 1"}},
		"operators":                     {sql: "CREATE VIEW v AS SELECT a || b, c::int, d <> - 1, e ~~ 'x%';", views: []string{"..v() 1: SELECT a || b , c :: int , d <> - 1 , e ~~ 'x%'"}},
		"quotes":                        {sql: "CREATE VIEW v AS SELECT \"a \"\"b\"\"\", 'it''s', X'4f';", views: []string{`..v() 1: SELECT "a ""b""" , 'it''s' , X'4f'`}},
		"columns and options":           {sql: "CREATE VIEW v (a, \"b c\") WITH (security_barrier='true', x=1) AS SELECT 1, 2;", views: []string{"..v(a|b c) 1: SELECT 1 , 2"}},
		"with no data":                  {sql: "CREATE MATERIALIZED VIEW v AS SELECT 1 WITH NO DATA;", views: []string{"..v() 1: SELECT 1"}},
		"with data":                     {sql: "CREATE MATERIALIZED VIEW v AS SELECT 1 WITH DATA;", views: []string{"..v() 1: SELECT 1"}},
		"with a check":                  {sql: "CREATE VIEW v AS SELECT 1 WITH LOCAL CHECK OPTION;", views: []string{"..v() 1: SELECT 1"}},
		"a column called so":            {sql: "CREATE VIEW v AS SELECT a FROM data;", views: []string{"..v() 1: SELECT a FROM data"}},
		"a query with names":            {sql: "CREATE VIEW v AS WITH x AS (SELECT 1 AS a) SELECT a, b, c FROM data;", views: []string{"..v() 1: WITH x AS ( SELECT 1 AS a ) SELECT a , b , c FROM data"}},
		"twice":                         {sql: "CREATE VIEW v AS SELECT 1;\nCREATE VIEW w AS SELECT 2;\nCREATE OR REPLACE VIEW V AS SELECT 3;", views: []string{"..V() 3: SELECT 3", "..w() 2: SELECT 2"}},
		"behind a table that stands in": {sql: "CREATE TABLE a (n int);\nCREATE TABLE v (n int);\nCREATE VIEW v AS SELECT n FROM a;", views: []string{"..v() 3: SELECT n FROM a"}, tables: "a{n:int}"},
		"in a comment of MySQL":         {sql: "CREATE TABLE a (n int);\n/*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`r`@`h` SQL SECURITY DEFINER */\n/*!50001 VIEW `v` AS select `a`.`n` AS `n` from `a` */;", dialect: ddl.MySQL, views: []string{"..v() 4: select \"a\" . \"n\" AS \"n\" from \"a\""}, tables: "a{n:int}"},
		"without a query":               {sql: "CREATE VIEW v;\nCREATE VIEW w AS SELECT 1;", views: []string{"..w() 2: SELECT 1"}},
		"without a name":                {sql: "CREATE VIEW (a) AS SELECT 1;\nCREATE VIEW w AS SELECT 2;", views: []string{"..w() 2: SELECT 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := ddl.Read(strings.NewReader(c.sql), ddl.Config{Dialect: c.dialect})
			require.NoError(t, err)
			var got []string
			for _, v := range s.Views {
				got = append(got, "."+v.Name.Schema+"."+v.Name.Table+"("+strings.Join(v.Columns, "|")+") "+string(rune('0'+v.Line))+": "+v.Query)
			}
			for i, want := range c.views {
				require.Equal(t, strings.TrimPrefix(want, "."), strings.TrimPrefix(got[i], "."))
			}
			require.Len(t, got, len(c.views))
			require.Equal(t, c.tables, describe(s))
		})
	}
}
