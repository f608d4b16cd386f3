package catalogpb_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
)

// full returns a table in which every field is set, checked by reflection, so
// that a field added to the catalog later and forgotten here fails the test.
func full(t *testing.T) catalog.Table {
	t.Helper()
	table := catalog.Table{
		Name:        catalog.Name{Region: "sg", Schema: "mp_order", Table: "dwd_order_sg"},
		Kind:        catalog.KindDataset,
		Description: "orders",
		Columns: []catalog.Column{{
			Name: "id", Type: "bigint", Comment: "order id", PrimaryKey: true, Partition: true,
			NotNull: true, Distinct: 7, Samples: []string{"1", "2"},
		}},
		ForeignKeys: []catalog.ForeignKey{{
			Columns: []string{"shop_id"}, RefTable: catalog.Name{Region: "sg", Schema: "mp_item", Table: "shop"}, RefColumns: []string{"id"},
		}},
		Mart: "Order", Layer: "dwd", Country: "SG", Manifest: "dwd_order_{cid}", Grain: "one order", Owner: "order-team",
		RowCount: -1, UpdatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), QueryCount30d: 12, Successor: "sg.mp_order.dwd_order_v2",
	}
	for _, v := range []any{table, table.Columns[0], table.ForeignKeys[0]} {
		value := reflect.ValueOf(v)
		for i := range value.NumField() {
			require.False(t, value.Field(i).IsZero(), "field %s of %T is not covered", value.Type().Field(i).Name, v)
		}
	}
	return table
}

func TestTableRoundTrip(t *testing.T) {
	t.Parallel()
	want := full(t)
	wire, err := proto.Marshal(catalogpb.FromTable(want))
	require.NoError(t, err)
	var read commonv1.TableDetail
	require.NoError(t, proto.Unmarshal(wire, &read))
	require.Equal(t, want, catalogpb.ToTable(&read))
	require.Equal(t, []catalog.Table{want}, catalogpb.ToTables(catalogpb.FromTables([]catalog.Table{want})))
}

func TestMessageSharesNoMemory(t *testing.T) {
	t.Parallel()
	table := full(t)
	message := catalogpb.FromTable(table)
	message.Columns[0].SampleValues[0] = "changed"
	message.ForeignKeys[0].Columns[0] = "changed"
	require.Equal(t, full(t), table)
}

func TestNilMessages(t *testing.T) {
	t.Parallel()
	require.Zero(t, catalogpb.ToTable(nil))
	require.Zero(t, catalogpb.ToName(nil))
	require.Zero(t, catalogpb.ToTerm(nil))
	require.Zero(t, catalogpb.ToRule(nil))
}

func TestTermAndRuleRoundTrip(t *testing.T) {
	t.Parallel()
	term := catalog.Term{Term: "GMV", Synonyms: []string{"sales"}, Definition: "gross value", Mart: "Order"}
	require.Equal(t, term, catalogpb.ToTerm(catalogpb.FromTerm(term)))
	rule := catalog.Rule{ID: "r1", Text: "leave test orders out", Mart: "Order"}
	require.Equal(t, rule, catalogpb.ToRule(catalogpb.FromRule(rule)))
}
