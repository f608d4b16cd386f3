package findata

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
)

// clinic is a catalog with values that not everybody may know.
func clinic() *catalog.Snapshot {
	name := func(table string) catalog.Name { return catalog.Name{Region: "clinic", Schema: "main", Table: table} }
	column := func(name, typ, comment string, samples ...string) catalog.Column {
		return catalog.Column{Name: name, Type: typ, Comment: comment, Samples: samples, Distinct: int64(len(samples))}
	}
	return &catalog.Snapshot{Tables: []catalog.Table{
		{
			Name: name("patient"), Description: "patients; hiv_status is kept by the laboratory", RowCount: 4711,
			Columns: []catalog.Column{
				column("patient_id", "bigint", "number of the patient"), column("city", "varchar", "home town", "Quuxville", "Barfoo"),
				column("hiv_status", "varchar", "laboratory result"), column("surname", "varchar", "last name, see hiv_status", "Zaphodson"),
			},
			ForeignKeys: []catalog.ForeignKey{{Columns: []string{"hiv_status"}, RefTable: name("result"), RefColumns: []string{"code"}}},
		},
		{Name: name("visit"), Description: "visits", RowCount: 815_000_185, Columns: []catalog.Column{
			column("visit_id", "bigint", ""), column("patient_id", "bigint", ""), column("reason", "varchar", "reason of the visit", "Wobblefoot", "Grumblitis"),
		}},
		{Name: name("result"), Description: "codes of results", RowCount: 3, Columns: []catalog.Column{column("code", "varchar", "", "neg"), column("label", "varchar", "")}},
		{Name: name("wage"), Description: "wages of the staff", RowCount: 99, Columns: []catalog.Column{column("wage_id", "bigint", ""), column("amount", "bigint", "")}},
	}}
}

const clinicPolicy = `
rules:
  - {name: boss, user: boss}
  - {name: wages, table: wage, access: deny}
  - name: patients
    table: patient
    columns:
      - {name: hiv_status, access: deny}
      - {name: surname, mask: "substr(surname, 1, 1)"}
  - {name: visits, table: visit, filter: patient_id = 1}
  - {name: rest}
`

func clinicService(t *testing.T, text string) (s *Service, write func(string)) {
	t.Helper()
	clock := today
	path := filepath.Join(t.TempDir(), "policy.yaml")
	write = func(text string) {
		clock = clock.Add(time.Hour)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, clock, clock))
	}
	write(text)
	rules, err := policy.Open(path, func() time.Time { return clock }, nil)
	require.NoError(t, err)
	store := snapshotStore(t, "clinic", clinic())
	s, err = New(Config{DefaultSource: "clinic"}, Deps{Sources: store, DataDir: t.TempDir(), Policy: rules, Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, write
}

// everything asks every rpc that tells of tables.
func everything(ctx context.Context, t *testing.T, s *Service, texts []string) string {
	t.Helper()
	find, cat := &findDataServer{service: s}, &catalogServer{service: s}
	var b strings.Builder
	note := func(m proto.Message, err error) {
		if err != nil {
			b.WriteString(err.Error())
			return
		}
		b.WriteString(prototext.Format(m))
	}
	for _, text := range texts {
		q := &findatav1.DiscoverQuery{UserQuery: text, SummaryLevel: findatav1.SummaryLevel_SUMMARY_LEVEL_EXPERT}
		discovered, err := find.DiscoverUnary(ctx, &findatav1.DiscoverUnaryRequest{Query: q})
		note(discovered, err)
		answered, err := find.AnswerQuestion(ctx, &findatav1.AnswerQuestionRequest{Query: q})
		note(answered, err)
		searched, err := find.SearchTables(ctx, &findatav1.SearchTablesRequest{Query: text, PageSize: 100})
		note(searched, err)
	}
	similar, err := find.SimilarTables(ctx, &findatav1.SimilarTablesRequest{Table: "patient"})
	note(similar, err)
	described, err := cat.DescribeTables(ctx, &findatav1.DescribeTablesRequest{Tables: []string{"patient", "visit", "wage", "wages"}})
	note(described, err)
	listed, err := cat.ListTables(ctx, &findatav1.ListTablesRequest{PageSize: 1000, WithColumns: true})
	note(listed, err)
	return b.String()
}

// TestProtectedValuesNeverLeak asks for everything as somebody under a policy, and
// looks for the values, figures and names that the policy keeps.
func TestProtectedValuesNeverLeak(t *testing.T) {
	t.Parallel()
	s, _ := clinicService(t, clinicPolicy)
	texts := []string{"patients by city", "visits and their reason", "what columns has patient?", "last name", "laboratory result", "how many rows has visit?"}
	said := everything(as(t, "ann"), t, s, texts)
	for _, kept := range []string{"hiv_status", "Zaphodson", "Wobblefoot", "Grumblitis", "815000185", "row_count: 99", "wage_id"} {
		require.NotContains(t, said, kept)
	}
	for _, open := range []string{"Quuxville", "4711", "surname"} {
		require.Contains(t, said, open, "what is not protected is told")
	}
	boss := everything(as(t, "boss"), t, s, texts)
	for _, kept := range []string{"hiv_status", "Zaphodson", "Wobblefoot", "815000185", "wage_id"} {
		require.Contains(t, boss, kept, "the policy is the asker's, not the index's")
	}
}

// TestProtectedValuesFindNothing: a stored value that the asker must not see finds
// no table, or its being found would say that it is there.
func TestProtectedValuesFindNothing(t *testing.T) {
	t.Parallel()
	s, _ := clinicService(t, clinicPolicy)
	search := func(who, text string) (names []string) {
		res, err := (&findDataServer{service: s}).SearchTables(as(t, who), &findatav1.SearchTablesRequest{Query: text, PageSize: 10})
		require.NoError(t, err)
		for _, f := range res.GetTables() {
			names = append(names, f.GetTable().GetRef().GetTable())
		}
		return names
	}
	for text, who := range map[string][2]bool{ // found by boss, by ann
		"Quuxville":  {true, true},
		"Zaphodson":  {true, false},
		"Wobblefoot": {true, false},
		"hiv status": {true, false},
		"wages":      {true, false},
	} {
		require.Equal(t, who[0], len(search("boss", text)) > 0, text)
		require.Equal(t, who[1], len(search("ann", text)) > 0, text)
	}
}

func TestAnUnreadablePolicyClosesTheCatalog(t *testing.T) {
	t.Parallel()
	s, write := clinicService(t, clinicPolicy)
	cat := &catalogServer{service: s}
	_, err := cat.ListTables(as(t, "boss"), &findatav1.ListTablesRequest{})
	require.NoError(t, err)
	write("rules: nonsense")
	_, err = cat.ListTables(as(t, "boss"), &findatav1.ListTablesRequest{})
	require.Equal(t, codes.FailedPrecondition, status.Code(err))
	require.Contains(t, err.Error(), "access policy")
}
