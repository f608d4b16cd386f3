package findata

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
)

// library of books: a small source as `ingest csv` makes them, without marts,
// descriptions or usage.
func bookSnapshot() *catalog.Snapshot {
	name := func(t string) catalog.Name { return catalog.Name{Region: "books", Schema: "main", Table: t} }
	column := func(names ...string) []catalog.Column {
		var out []catalog.Column
		for _, n := range names {
			out = append(out, catalog.Column{Name: n, Type: "varchar"})
		}
		return out
	}
	loan := catalog.Table{Name: name("loan"), RowCount: -1, Columns: column("book_id", "reader_id", "due"), ForeignKeys: []catalog.ForeignKey{
		{Columns: []string{"book_id"}, RefTable: name("book"), RefColumns: []string{"id"}},
		{Columns: []string{"reader_id"}, RefTable: name("reader"), RefColumns: []string{"id"}},
	}}
	reader := catalog.Table{Name: name("reader"), RowCount: -1, Columns: column("id", "full_name", "city")}
	reader.Columns[2].Samples = []string{"Singapore", "Lisbon"}
	return &catalog.Snapshot{Tables: []catalog.Table{
		{Name: name("book"), RowCount: -1, Columns: column("id", "title", "pages")}, reader, loan,
		{Name: name("shelf"), RowCount: -1, Columns: column("id", "floor")},
	}}
}

func TestSmallSource(t *testing.T) {
	t.Parallel()
	s := serviceOver(t, snapshotStore(t, "books", bookSnapshot()), nil)
	ask := func(text string) (*findatav1.DiscoverResult, []string) {
		r := discover(t, s, "ann", &findatav1.DiscoverQuery{Source: "books", UserQuery: text})
		return r, namesOf(r.GetRelatedTables())
	}
	_, names := ask("titles of books that readers in Lisbon have")
	require.Contains(t, names, "books.main.loan", "the table between two found ones comes along")
	require.Contains(t, names, "books.main.book")
	require.Contains(t, names, "books.main.reader")

	_, names = ask("How many readers are from Singapore?")
	require.Equal(t, "books.main.reader", names[0], "a country is a value where no table is kept by country")

	r, names := ask("一共有多少记录")
	require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK, r.GetOutcome())
	require.Len(t, names, 4, "a small source is handed over whole")

	r, names = ask("What is the weather today?")
	require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND, r.GetOutcome())
	require.Empty(t, names)

	r, names = ask("longest zeppelin")
	require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND, r.GetOutcome(), "whoever looks for tables wants none that nothing speaks for")
	require.Empty(t, names)
	r = discover(t, s, "ann", &findatav1.DiscoverQuery{Source: "books", UserQuery: "longest zeppelin", ForSql: true})
	require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK, r.GetOutcome(), "SQL may find in the columns what the words do not say")
	require.Len(t, r.GetRelatedTables(), 4)
}

func TestUnknownSource(t *testing.T) {
	t.Parallel()
	s := serviceOver(t, snapshotStore(t, "books", bookSnapshot()), nil)
	_, err := (&findDataServer{service: s}).DiscoverUnary(as(t, "ann"), &findatav1.DiscoverUnaryRequest{Query: &findatav1.DiscoverQuery{Source: "boks", UserQuery: "x"}})
	require.Equal(t, codes.NotFound, status.Code(err))
	require.Equal(t, "SOURCE_UNKNOWN", fault.ReasonOf(err))
	require.Contains(t, err.Error(), "books")
	_, err = (&findDataServer{service: s}).DiscoverUnary(as(t, "ann"), &findatav1.DiscoverUnaryRequest{Query: &findatav1.DiscoverQuery{Source: "books", UserQuery: "  "}})
	require.Equal(t, "QUESTION_EMPTY", fault.ReasonOf(err))
}

func TestNewGenerationIsNoticed(t *testing.T) {
	t.Parallel()
	store := snapshotStore(t, "books", bookSnapshot())
	s, err := New(Config{CheckEvery: 1, SwapWait: time.Hour}, Deps{Sources: store, DataDir: t.TempDir()})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	q := &findatav1.DiscoverQuery{Source: "books", UserQuery: "how many shelves"}
	require.Equal(t, "books.main.shelf", namesOf(discover(t, s, "ann", q).GetRelatedTables())[0])

	changed := bookSnapshot()
	changed.Tables[3].Name.Table = "shelf_v2"
	remake(t, store, "books", changed)
	require.Equal(t, "books.main.shelf_v2", namesOf(discover(t, s, "ann", q).GetRelatedTables())[0])

	require.NoError(t, store.Remove(t.Context(), "books"))
	_, err = (&findDataServer{service: s}).DiscoverUnary(as(t, "ann"), &findatav1.DiscoverUnaryRequest{Query: q})
	require.Equal(t, "SOURCE_UNKNOWN", fault.ReasonOf(err))
}

// TestSwapWhileSearching is for the race detector: generations change under
// searches, and each search sees one whole generation.
func TestSwapWhileSearching(t *testing.T) {
	t.Parallel()
	store := snapshotStore(t, "books", bookSnapshot())
	s, err := New(Config{CheckEvery: 1}, Deps{Sources: store, DataDir: t.TempDir()})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				out, err := (&catalogServer{service: s}).ListTables(as(t, "ann"), &findatav1.ListTablesRequest{Source: "books"})
				if err == nil && len(out.GetTables()) > 0 {
					owner := out.GetTables()[0].GetOwner()
					for _, table := range out.GetTables() {
						if table.GetOwner() != owner {
							t.Errorf("two generations in one answer: %s and %s", owner, table.GetOwner())
						}
					}
				}
				if _, discoverErr := (&findDataServer{service: s}).DiscoverUnary(as(t, "ann"), &findatav1.DiscoverUnaryRequest{Query: &findatav1.DiscoverQuery{Source: "books", UserQuery: "how many books"}}); discoverErr != nil || err != nil {
					t.Errorf("search failed during a swap: %v %v", err, discoverErr)
				}
			}
		})
	}
	for i := range 8 {
		next := bookSnapshot()
		for j := range next.Tables {
			next.Tables[j].Owner = fmt.Sprint("team ", i)
		}
		remake(t, store, "books", next)
		_, _, err := s.ingest(admin(t), "books", nil)
		require.NoError(t, err)
	}
	close(stop)
	wg.Wait()
	out, err := (&catalogServer{service: s}).GetIndexStatus(admin(t), &findatav1.GetIndexStatusRequest{Source: "books"})
	require.NoError(t, err)
	g, err := store.Current("books")
	require.NoError(t, err)
	require.Equal(t, g.Generation, out.GetGeneration())
}

func TestIngestIsForAdministrators(t *testing.T) {
	t.Parallel()
	s := serviceOver(t, snapshotStore(t, "books", bookSnapshot()), nil)
	_, _, err := s.ingest(as(t, "ann"), "books", nil)
	require.Equal(t, codes.PermissionDenied, status.Code(err))
	_, err = (&catalogServer{service: s}).GetIndexStatus(as(t, "ann"), &findatav1.GetIndexStatusRequest{Source: "books"})
	require.Equal(t, codes.PermissionDenied, status.Code(err))
	tables, swapped, err := s.ingest(admin(t), "books", nil)
	require.NoError(t, err)
	require.True(t, swapped)
	require.Equal(t, 4, tables)
	_, swapped, err = s.ingest(admin(t), "books", nil)
	require.NoError(t, err)
	require.False(t, swapped, "nothing new")
}

func TestListTablesPages(t *testing.T) {
	t.Parallel()
	s := serviceOver(t, snapshotStore(t, "books", bookSnapshot()), nil)
	var names []string
	token := ""
	for {
		out, err := (&catalogServer{service: s}).ListTables(as(t, "ann"), &findatav1.ListTablesRequest{Source: "books", PageSize: 3, PageToken: token})
		require.NoError(t, err)
		require.EqualValues(t, 4, out.GetTotal())
		for _, table := range out.GetTables() {
			names = append(names, table.GetRef().GetTable())
			require.Empty(t, table.GetColumns())
		}
		if token = out.GetNextPageToken(); token == "" {
			break
		}
	}
	require.Equal(t, "book loan reader shelf", strings.Join(names, " "))
	_, err := (&catalogServer{service: s}).ListTables(as(t, "ann"), &findatav1.ListTablesRequest{Source: "books", PageToken: "zzz"})
	require.Equal(t, "PAGE_TOKEN_INVALID", fault.ReasonOf(err))
}

func TestFeedbackCountsAtOnce(t *testing.T) {
	t.Parallel()
	s := serviceOver(t, snapshotStore(t, "books", bookSnapshot()), nil)
	find := &findDataServer{service: s}
	const text = "list the id of books, readers and shelves"
	before := namesOf(discover(t, s, "ann", &findatav1.DiscoverQuery{Source: "books", UserQuery: text}).GetRelatedTables())
	last := before[len(before)-1]
	for range 3 {
		_, err := find.Feedback(as(t, "ann"), &findatav1.FeedbackRequest{Source: "books", Question: text, Tables: []string{last}, Kind: findatav1.FeedbackKind_FEEDBACK_KIND_ACCEPTED})
		require.NoError(t, err)
		_, err = find.Feedback(as(t, "ann"), &findatav1.FeedbackRequest{Source: "books", Question: text, Tables: before[:1], Kind: findatav1.FeedbackKind_FEEDBACK_KIND_REJECTED})
		require.NoError(t, err)
	}
	after := namesOf(discover(t, s, "ann", &findatav1.DiscoverQuery{Source: "books", UserQuery: text}).GetRelatedTables())
	require.NotEqual(t, before[0], after[0], "what was called wrong is no longer first")
	others := namesOf(discover(t, s, "bob", &findatav1.DiscoverQuery{Source: "books", UserQuery: text}).GetRelatedTables())
	require.Equal(t, before, others, "one person's use is nobody else's")

	got, err := find.GetPreferences(as(t, "ann"), &findatav1.GetPreferencesRequest{Source: "books"})
	require.NoError(t, err)
	require.Equal(t, []string{last}, got.GetPreferences().GetTables(), "learned from what was accepted")
	_, err = find.SetPreferences(as(t, "ann"), &findatav1.SetPreferencesRequest{Source: "books", Preferences: &findatav1.Preferences{Tables: []string{"book"}, Region: "SG"}})
	require.NoError(t, err)
	got, err = find.GetPreferences(as(t, "ann"), &findatav1.GetPreferencesRequest{Source: "books"})
	require.NoError(t, err)
	require.Equal(t, []string{"books.main.book"}, got.GetPreferences().GetTables())
	require.Equal(t, "SG", got.GetPreferences().GetRegion())
}
