package catalogpb_test

import (
	"reflect"
	"slices"
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
			NotNull: true, Distinct: 7, Samples: []string{"1", "2"}, Unit: "EUR", Written: "a comma between thousands", Unread: 2, Resembles: catalog.ResemblesNumber, Absent: 3, Missing: 5, Low: "-2", High: "40.5", NotJoined: true,
			Personal: &catalog.Personal{Kind: "person_id", Reason: "its name"},
		}},
		ForeignKeys: []catalog.ForeignKey{{
			Columns: []string{"shop_id"}, RefTable: catalog.Name{Region: "sg", Schema: "mp_item", Table: "shop"}, RefColumns: []string{"id"},
			Found: &catalog.Evidence{Reason: "its name", Person: true, Values: 3, Sampled: true},
		}},
		Mart: "Order", Layer: "dwd", Country: "SG", Manifest: "dwd_order_{cid}", Grain: "one order", Owner: "order-team",
		RowCount: -1, UnreadRows: 4, RowKey: []string{"id", "day"}, Dependencies: []catalog.Dependency{{Column: "shop", Determines: []string{"town"}}}, UpdatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), QueryCount30d: 12, Successor: "sg.mp_order.dwd_order_v2", Upstream: []catalog.Name{{Region: "sg", Schema: "ods", Table: "order"}},
		Topic: "orders", Tags: []string{"core"}, Quality: 0.5,
		Usage: &catalog.Usage{
			Until:   time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			Columns: []catalog.ColumnUse{{Column: "id", Queries: 3, LastDay: "2026-01-02"}},
			Joins: []catalog.Join{{
				Table: catalog.Name{Region: "sg", Schema: "mp_item", Table: "shop"}, Columns: []string{"shop_id"}, RefColumns: []string{"id"}, Queries: 2, LastDay: "2026-01-01",
			}},
		},
	}
	atHome := []string{"Uses", "ProfiledAt", "Templates", "Words", "Filters", "Groups"} // what is not for others
	for _, v := range []any{table, table.Columns[0], table.ForeignKeys[0], *table.Usage, table.Usage.Columns[0], table.Usage.Joins[0]} {
		value := reflect.ValueOf(v)
		for i := range value.NumField() {
			if slices.Contains(atHome, value.Type().Field(i).Name) {
				continue
			}
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

// TestPersonsStayAtHome holds that a message counts persons, and names none.
func TestPersonsStayAtHome(t *testing.T) {
	t.Parallel()
	table := full(t)
	table.Usage.Uses = []catalog.Use{{Day: "2026-01-02", User: "ann.secret", Queries: 3}, {Day: "2026-01-01", User: "bob", Queries: 1}}
	m := catalogpb.FromTable(table)
	require.EqualValues(t, 2, m.GetUsage().GetPeople())
	require.Equal(t, "2026-01-02", m.GetUsage().GetLastDay())
	require.NotContains(t, m.String(), "secret")
}
