package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestListsAreCalledByTheirRows: 训练记录 are asked for as 训练, also by who never had one.
func TestListsAreCalledByTheirRows(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "队员"}, RowCount: 80, Columns: []catalog.Column{
		{Name: "队员编号", Type: "varchar", PrimaryKey: true, Distinct: 80},
		{Name: "姓名", Type: "varchar", Distinct: 80},
	}}, catalog.Table{Name: catalog.Name{Table: "训练记录"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "记录号", Type: "bigint", PrimaryKey: true, Distinct: 900},
		{Name: "队员编号", Type: "varchar", Distinct: 70},
		{Name: "分钟", Type: "double", Distinct: 90},
	}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"队员编号"}, RefTable: catalog.Name{Table: "队员"}, RefColumns: []string{"队员编号"}}}})
	sql, read := s.ask(t, "哪些队员从来没训练过？")
	require.Empty(t, read.Unread)
	require.Equal(t, `SELECT t1."姓名" FROM "队员" AS t1 WHERE NOT EXISTS (SELECT 1 FROM "训练记录" AS t2 WHERE t1."队员编号" = t2."队员编号")`, sql)
}
