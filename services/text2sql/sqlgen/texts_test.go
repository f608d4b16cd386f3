package sqlgen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

// TestTextsAreNotAddedUp: texts are not added up, whether their values are known or not.
func TestTextsAreNotAddedUp(t *testing.T) {
	t.Parallel()
	tables := []catalog.Table{{Name: catalog.Name{Table: "ships"}, RowCount: 9, Columns: []catalog.Column{
		{Name: "ship_id", Type: "bigint", PrimaryKey: true, Distinct: 9}, {Name: "remark", Type: "varchar", Distinct: 9}}}}
	layer := semantic.Derive(tables)
	g := sqlgen.New(layer, plan.New([]string{"ships"}, layer.Joins), tables)
	_, err := g.Statement(&intent.Intent{Entity: "ships", Select: []intent.Output{agg(intent.AggSum, "ships.remark")}})
	require.ErrorIs(t, err, sqlgen.ErrShape)
}
