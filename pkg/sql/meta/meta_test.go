package meta_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// TestServerStatements holds the text of each statement, and that it is one
// statement whatever names a catalog, a schema or a column has.
func TestServerStatements(t *testing.T) {
	t.Parallel()
	table := catalog.Name{Region: "hive", Schema: `mp"x`, Table: "o'1"}
	const odd = "it's; DROP"
	for want, s := range map[string]meta.Statement{
		`SELECT "catalog_name", "connector_name" FROM "system"."metadata"."catalogs" ORDER BY "catalog_name"`:                                                                                                               meta.Catalogs(),
		`SELECT "schema_name" FROM "hive"."information_schema"."schemata" WHERE "schema_name" <> 'information_schema' ORDER BY "schema_name"`:                                                                               meta.Schemas("hive"),
		`SELECT "table_name", "table_type" FROM "hive"."information_schema"."tables" WHERE "table_schema" = 'it''s; DROP' ORDER BY "table_name"`:                                                                            meta.SchemaTables("hive", odd),
		`SELECT "table_name", "column_name", "data_type", "is_nullable", "comment", "extra_info" FROM "hive"."information_schema"."columns" WHERE "table_schema" = 'it''s; DROP' ORDER BY "table_name", "ordinal_position"`: meta.SchemaColumns("hive", odd),
		`SELECT "table_name", "column_name", "data_type", "is_nullable" FROM "hive"."information_schema"."columns" WHERE "table_schema" = 'mp' ORDER BY "table_name", "ordinal_position"`:                                   meta.PlainColumns("hive", "mp"),
		`SELECT "table_name", "view_definition" FROM "hive"."information_schema"."views" WHERE "table_schema" = 'mp' ORDER BY "table_name"`:                                                                                 meta.SchemaViews("hive", "mp"),
		`SELECT "table_name", "column_name", "remarks" FROM "system"."jdbc"."columns" WHERE "table_cat" = 'hive' AND "table_schem" = 'mp' AND "remarks" IS NOT NULL`:                                                        meta.ColumnRemarks("hive", "mp"),
		`SELECT "table_name", "comment" FROM "system"."metadata"."table_comments" WHERE "catalog_name" = 'hive' AND "schema_name" = 'mp' AND "comment" IS NOT NULL`:                                                         meta.TableComments("hive", "mp"),
		`SELECT "partition" FROM "hive"."mp""x"."o'1$partitions" LIMIT 0`:                                                                                                                                                   meta.PartitionRow(table),
		`SHOW STATS FOR "hive"."mp""x"."o'1"`: meta.Stats(table),
		`SELECT "a""b" FROM "hive"."mp""x"."o'1" WHERE "a""b" <> '' AND length("a""b") <= 80 GROUP BY "a""b" ORDER BY count(*) DESC, "a""b" LIMIT 51`: meta.FrequentValues(table, `a"b`, 80, 51),
		`SELECT count(*) AS row_count, count(DISTINCT "id") AS distinct_count FROM "hive"."mp""x"."o'1"`:                                              meta.KeyCheck(table, "id"),
		`SELECT count(*) AS orphan_count FROM "hive"."mp""x"."o'1" WHERE "c" NOT IN (SELECT "id" FROM "hive"."mp""x"."o'1")`:                          meta.Orphans(table, "c", table, "id"),
	} {
		require.Equal(t, want, s.SQL())
		parsed, err := parser.Parse(s.SQL())
		require.NoError(t, err, want)
		require.Equal(t, s.Tree().Kind, parsed.Kind)
		require.NotEmpty(t, s.Kind())
	}
	require.True(t, meta.Statement{}.IsZero())
}

// TestStatsIsATree holds that the name in SHOW STATS can be rewritten, as engines
// do that give regions other names.
func TestStatsIsATree(t *testing.T) {
	t.Parallel()
	var names []string
	tree.Walk(meta.Stats(catalog.Name{Region: "sg", Schema: "mp", Table: "t"}).Tree(), func(n tree.Node) bool {
		if name, ok := n.(*tree.Name); ok {
			names = append(names, name.String())
		}
		return true
	})
	require.Equal(t, []string{"sg.mp.t"}, names)
}
