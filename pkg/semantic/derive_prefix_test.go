package semantic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

func TestPrefixesOfAHouse(t *testing.T) {
	t.Parallel()
	table := func(name string, columns ...string) catalog.Table {
		out := catalog.Table{Name: catalog.Name{Table: name}}
		for _, c := range columns {
			out.Columns = append(out.Columns, catalog.Column{Name: c, Type: "varchar"})
		}
		return out
	}
	l := Derive([]catalog.Table{
		table("qxClient", "qxClientId", "qxClientName", "qxCity"), table("qxOrder", "qxOrderId", "qxTotal"), table("qxShop", "qxShopId", "qxShopName", "qxShopCity"),
	})
	require.Equal(t, "client", l.Entities[0].Names.EN)
	require.Contains(t, l.Entities[0].Synonyms, "qx client")
	require.Equal(t, "client name", l.Dimensions[1].Names.EN)
	require.Equal(t, "name", l.Dimensions[6].Names.EN, "all columns of the table begin with its name")
	require.Contains(t, l.Dimensions[6].Synonyms, "shop name")
	require.Contains(t, l.Dimensions[6].Synonyms, "qx shop name")

	plain := Derive([]catalog.Table{table("qx_client", "client_id", "client_name"), table("qx_order", "order_id"), table("shop", "shop_id")})
	require.Equal(t, "qx client", plain.Entities[0].Names.EN, "one table is called otherwise")
}
