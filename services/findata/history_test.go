package findata

import (
	"testing"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
)

// TestWordsOfQueriesFindTables: what people call what they read finds the table, in both
// languages, and says why; not for those who may not see all that was read.
func TestWordsOfQueriesFindTables(t *testing.T) {
	t.Parallel()
	s := bookSnapshot()
	book := catalog.Name{Region: "books", Schema: "main", Table: "book"}
	shelf := catalog.Name{Region: "books", Schema: "main", Table: "shelf"}
	for i := range s.Tables {
		if s.Tables[i].Name == book {
			s.Tables[i].Usage = &catalog.Usage{Words: []catalog.Word{
				{Text: "circulation_rate", Reads: []catalog.Read{{Table: book}}, Queries: 3},
				{Text: "周转率", Reads: []catalog.Read{{Table: book}}, Queries: 3},
				{Text: "overcrowding", Reads: []catalog.Read{{Table: book}, {Table: shelf}}, Queries: 2},
				{Text: "vanished", Reads: []catalog.Read{{Table: book}, {Table: catalog.Name{Region: "books", Schema: "main", Table: "gone"}}}, Queries: 2},
			}}
		}
	}
	service := serviceOver(t, snapshotStore(t, "books", s), func(p run.Principal, _ string, table *catalog.Table) bool {
		return p.ID != "guest" || table.Name.Table != "shelf"
	})
	ask := func(person, question string) (table, reasons string) {
		r := discover(t, service, person, &findatav1.DiscoverQuery{Source: "books", UserQuery: question})
		for _, c := range r.GetRelatedTables() {
			for _, reason := range c.GetReasons() {
				reasons += reason + "; "
			}
		}
		if len(r.GetRelatedTables()) == 0 {
			return "", ""
		}
		return r.GetRelatedTables()[0].GetTable().GetRef().GetTable(), reasons
	}
	table, reasons := ask("ann", "circulation rate")
	require.Equal(t, "book", table)
	require.Contains(t, reasons, "called circulation rate")
	table, reasons = ask("ann", "周转率")
	require.Equal(t, "book", table)
	require.Contains(t, reasons, "在大家的查询中称为周转率")
	table, _ = ask("ann", "overcrowding")
	require.Equal(t, "book", table)
	table, _ = ask("guest", "circulation rate")
	require.Equal(t, "book", table)
	table, _ = ask("guest", "overcrowding")
	require.Empty(t, table, "the shelves were read for it too")
	table, _ = ask("ann", "vanished")
	require.Empty(t, table)

	// What is told of a table keeps to the same.
	for person, words := range map[string][]string{"ann": {"circulation_rate", "周转率", "overcrowding"}, "guest": {"circulation_rate", "周转率"}} {
		d, err := service.open(as(t, person), "books")
		require.NoError(t, err)
		told, err := d.lookup("main.book")
		require.NoError(t, err)
		clean := d.table(told)
		d.release()
		var seen []string
		for _, w := range clean.Usage.Words {
			seen = append(seen, w.Text)
		}
		if person == "guest" {
			require.Equal(t, words, seen)
		}
		require.Subset(t, seen, words)
	}
}
