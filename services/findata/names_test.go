package findata

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestNamesOfAllKinds finds, describes and lists tables whose names have quotes,
// points, emoji and 500 characters, and one of 3,000 columns.
func TestNamesOfAllKinds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("penguin_", 62) + "tail" // 500 characters
	names := []string{`say "hi"`, `"quoted"`, "v1.orders", "订单_🙂🐧", long, "wide"}
	s := &catalog.Snapshot{}
	for i, name := range names {
		s.Tables = append(s.Tables, catalog.Table{
			Name: catalog.Name{Region: "books", Schema: "erp.dbo", Table: name}, RowCount: -1,
			Columns:     []catalog.Column{{Name: fmt.Sprintf("col \"%d\" 🐧", i), Type: "varchar"}},
			Description: fmt.Sprintf("about subject%c", 'a'+i),
		})
	}
	for i := range 3_000 {
		s.Tables[5].Columns = append(s.Tables[5].Columns, catalog.Column{Name: fmt.Sprintf("measure_%d", i), Type: "double"})
	}
	service := serviceOver(t, snapshotStore(t, "books", s), nil)
	server := &catalogServer{service: service}
	list, err := server.ListTables(as(t, "ann"), &findatav1.ListTablesRequest{Source: "books"})
	require.NoError(t, err)
	require.Len(t, list.GetTables(), len(names))
	for i, name := range names {
		full := s.Tables[i].Name.String()
		if name[0] == '"' { // as a part that begins with a quote is written
			full = `books."erp.dbo"."` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		described, err := server.DescribeTables(as(t, "ann"), &findatav1.DescribeTablesRequest{Source: "books", Tables: []string{full}})
		require.NoError(t, err)
		require.Len(t, described.GetTables(), 1, full)
		require.Equal(t, name, described.GetTables()[0].GetRef().GetTable())

		found := discover(t, service, "ann", &findatav1.DiscoverQuery{Source: "books", UserQuery: fmt.Sprintf("which table is about subject%c", 'a'+i)})
		require.NotEmpty(t, found.GetRelatedTables())
		require.Equal(t, name, found.GetRelatedTables()[0].GetTable().GetRef().GetTable())
	}
}
