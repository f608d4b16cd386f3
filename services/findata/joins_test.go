package findata

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestTablesThatPeopleJoinComeAlong holds that joint use counts where no key says
// that tables belong together, and that the reason tells of it.
func TestTablesThatPeopleJoinComeAlong(t *testing.T) {
	t.Parallel()
	s := bookSnapshot()
	for i := range s.Tables {
		s.Tables[i].ForeignKeys = nil
		if s.Tables[i].Name.Table == "shelf" {
			s.Tables[i].Usage = &catalog.Usage{Joins: []catalog.Join{
				{Table: catalog.Name{Region: "books", Schema: "main", Table: "book"}, Columns: []string{"id"}, RefColumns: []string{"id"}, Queries: 1200},
				{Table: catalog.Name{Region: "books", Schema: "main", Table: "gone"}, Queries: 5},
			}}
		}
	}
	r := discover(t, serviceOver(t, snapshotStore(t, "books", s), nil), "ann", &findatav1.DiscoverQuery{Source: "books", UserQuery: "on which floor is a shelf"})
	require.Contains(t, namesOf(r.GetRelatedTables()), "books.main.book")
	for _, table := range r.GetRelatedTables() {
		if table.GetTable().GetRef().GetTable() == "book" {
			require.Contains(t, strings.Join(table.GetReasons(), "; "), "joined with books.main.shelf by id in 1,200 queries")
		}
	}
}
