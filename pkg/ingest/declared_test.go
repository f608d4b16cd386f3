package ingest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

func TestDeclared(t *testing.T) {
	t.Parallel()
	tables, problems, err := Declared(strings.NewReader(`create table shop.orders (id bigint not null comment 'key', name varchar(10),
		price decimal(10,2), at timestamp(3), tags array(varchar), extra row(a int), day date, primary key (id)) with (format = 'orc');
		create table plain (x int primary key, y json, z double, q real, s text)`), catalog.Defaults{Region: "sg", Schema: "main"})
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Len(t, tables, 2)
	require.Equal(t, "sg.shop.orders", tables[0].Name.String())
	require.Equal(t, "sg.main.plain", tables[1].Name.String())
	types := map[string]string{}
	for _, c := range append(tables[0].Columns, tables[1].Columns...) {
		types[c.Name] = c.Type
	}
	require.Equal(t, map[string]string{
		"id": "bigint", "name": "varchar", "price": "decimal(10,2)", "at": "timestamp", "tags": "", "extra": "", "day": "date",
		"x": "integer", "y": "", "z": "double", "q": "double", "s": "varchar",
	}, types, "what is not known for certain is left empty")
	cased, _, err := Declared(strings.NewReader(`create table t (Order_Id bigint, name varchar, primary key (ORDER_ID))`), catalog.Defaults{})
	require.NoError(t, err)
	require.Equal(t, []bool{true, false}, []bool{cased[0].Columns[0].PrimaryKey, cased[0].Columns[1].PrimaryKey}, "names of a key differ in case")
	require.Equal(t, []bool{true, true}, []bool{tables[0].Columns[0].NotNull, tables[0].Columns[0].PrimaryKey})
}
