package text2sql_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/text2sql"
	"github.com/dibrain/dibrain/services/text2sql/examples"
)

// fullNames describes tables by names with the idc_region too.
type fullNames struct{ catalogOf }

func (c *fullNames) DescribeTables(_ context.Context, req *findatav1.DescribeTablesRequest, _ ...grpc.CallOption) (*findatav1.DescribeTablesResponse, error) {
	resp := &findatav1.DescribeTablesResponse{}
	for _, name := range req.GetTables() {
		for _, t := range c.tables {
			if strings.HasSuffix("."+t.Name.String(), "."+name) {
				resp.Tables = append(resp.Tables, catalogpb.FromTable(t))
			}
		}
	}
	return resp, nil
}

const exampleLayer = `
examples:
  - id: opened
    question: {en: "how many museums are open", zh: 有多少博物馆开放}
    sql: SELECT count(*) AS n FROM museums WHERE city <> 'Porto'
`

// verifiedService is a service over a table "museums"; rules may be empty.
func verifiedService(t *testing.T, rules string) (*text2sql.Service, *fullNames) {
	t.Helper()
	dir := t.TempDir()
	store, err := source.Open(dir)
	require.NoError(t, err)
	_, err = store.Make(context.Background(), "guide", func(_ context.Context, dir string) (source.Manifest, *catalog.Snapshot, error) {
		if err := os.MkdirAll(filepath.Join(dir, "semantic"), 0o750); err != nil {
			return source.Manifest{}, nil, err
		}
		return source.Manifest{Engine: source.EngineDuckDB, DefaultRegion: "sg", DefaultSchema: "s"}, &catalog.Snapshot{}, os.WriteFile(filepath.Join(dir, "semantic", "g.yaml"), []byte(exampleLayer), 0o600)
	})
	require.NoError(t, err)
	c := &fullNames{catalogOf{tables: []catalog.Table{{Name: catalog.Name{Region: "sg", Schema: "s", Table: "museums"}, Columns: []catalog.Column{
		{Name: "city", Type: "varchar", Samples: []string{"Porto", "Lisbon"}}, {Name: "visitors", Type: "bigint"}}}}}}
	deps := text2sql.Deps{Sources: store, Catalog: c, DataDir: dir, Clock: func() time.Time { return time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC) }}
	if rules != "" {
		file := filepath.Join(dir, "policy.yaml")
		require.NoError(t, os.WriteFile(file, []byte(rules), 0o600))
		deps.Policy, err = policy.Open(file, nil, nil)
		require.NoError(t, err)
	}
	s, err := text2sql.New(text2sql.Config{DefaultSource: "guide", Curators: []string{"stewards"}}, deps)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, c
}

func as(id string, groups ...string) context.Context {
	return run.With(context.Background(), run.Context{Principal: run.Principal{ID: id, Groups: groups}, Now: time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)})
}

func answerOf(ctx context.Context, t *testing.T, s *text2sql.Service, question string) *text2sqlv1.GenerateResult {
	t.Helper()
	resp, err := s.GenerateSQLUnary(ctx, &text2sqlv1.GenerateSQLUnaryRequest{Query: &text2sqlv1.GenerateQuery{UserQuestion: question}})
	require.NoError(t, err)
	return resp.GetResult()
}

const visitorsSQL = "SELECT sum(visitors) AS guests FROM s.museums WHERE city = 'Porto'"

func TestVerifiedQueriesAnswerFirst(t *testing.T) {
	t.Parallel()
	s, c := verifiedService(t, "")
	proposed, err := s.AddExample(as("bob"), &text2sqlv1.AddExampleRequest{Question: "guests in Porto", Sql: visitorsSQL})
	require.NoError(t, err)
	require.Equal(t, "proposed", proposed.GetExample().GetStatus())
	require.Equal(t, []string{"sg.s.museums"}, proposed.GetExample().GetTables())
	require.Nil(t, answerOf(as("bob"), t, s, "guests in Porto").GetVerified(), "a proposal answers nothing")

	_, err = s.ApproveExample(as("bob"), &text2sqlv1.ApproveExampleRequest{ExampleId: proposed.GetExample().GetExampleId()})
	require.Equal(t, examples.ReasonCurators, fault.ReasonOf(err))
	_, err = s.ApproveExample(as("carol", "stewards"), &text2sqlv1.ApproveExampleRequest{ExampleId: proposed.GetExample().GetExampleId()})
	require.NoError(t, err)

	exact := answerOf(as("dave"), t, s, "Guests in Porto?")
	require.True(t, exact.GetVerified().GetExact())
	require.Equal(t, "carol", exact.GetVerified().GetApprovedBy())
	require.Equal(t, "Verified by carol on 2026-03-04.", exact.GetCandidates()[0].GetReason())
	require.Equal(t, []*commonv1.TableName{{Name: "sg.s.museums"}}, exact.GetCandidates()[0].GetTables())
	near := answerOf(as("dave"), t, s, "please show the guests in Lisbon")
	require.Equal(t, []string{"Porto -> Lisbon"}, near.GetVerified().GetReplaced())
	require.Contains(t, near.GetCandidates()[0].GetSql(), "'Lisbon'")
	require.Less(t, near.GetConfidence(), exact.GetConfidence())
	layer := answerOf(as("dave"), t, s, "有多少博物馆开放？")
	require.Equal(t, "layer", layer.GetVerified().GetOrigin())
	require.Equal(t, "语义层中已验证的查询。", layer.GetCandidates()[0].GetReason())

	// A column goes: the example is stale, and answers nothing.
	c.tables[0].Columns[1].Name = "guests_total"
	require.Nil(t, answerOf(as("dave"), t, s, "guests in Porto").GetVerified())
	checked, err := s.CheckExamples(as("carol", "stewards"), &text2sqlv1.CheckExamplesRequest{})
	require.NoError(t, err)
	require.EqualValues(t, 3, checked.GetChecked())
	require.Len(t, checked.GetStale(), 1)
	require.Contains(t, checked.GetStale()[0].GetReason(), "visitors")
	_, err = s.CheckExamples(as("dave"), &text2sqlv1.CheckExamplesRequest{})
	require.Equal(t, examples.ReasonCurators, fault.ReasonOf(err))
}

func TestVerifiedQueriesOfHiddenTablesAreInvisible(t *testing.T) {
	t.Parallel()
	s, c := verifiedService(t, "")
	added, err := s.AddExample(as("carol", "stewards"), &text2sqlv1.AddExampleRequest{Question: "guests in Porto", Sql: visitorsSQL})
	require.NoError(t, err)
	id := added.GetExample().GetExampleId()
	c.tables = nil // this asker may read nothing
	require.Nil(t, answerOf(as("dave"), t, s, "guests in Porto").GetVerified())
	list, err := s.ListExamples(as("dave"), &text2sqlv1.ListExamplesRequest{})
	require.NoError(t, err)
	require.Empty(t, list.GetExamples())
	_, err = s.RemoveExample(as("dave"), &text2sqlv1.RemoveExampleRequest{ExampleId: id})
	require.Equal(t, examples.ReasonUnknown, fault.ReasonOf(err))
	_, unknown := s.RemoveExample(as("dave"), &text2sqlv1.RemoveExampleRequest{ExampleId: "ex_0"})
	require.Equal(t, fault.ReasonOf(unknown), fault.ReasonOf(err))
	_, err = s.AddExample(as("dave"), &text2sqlv1.AddExampleRequest{Question: "x", Sql: visitorsSQL})
	require.Equal(t, examples.ReasonSQLInvalid, fault.ReasonOf(err))
}

func TestConstantsOfFilteredTablesStayHidden(t *testing.T) {
	t.Parallel()
	s, _ := verifiedService(t, `
rules:
  - {user: carol}
  - {filter: "city = 'Lisbon'"}
`)
	for question, sql := range map[string]string{"guests in Porto": visitorsSQL, "guests of our partner": visitorsSQL} {
		_, err := s.AddExample(as("carol", "stewards"), &text2sqlv1.AddExampleRequest{Question: question, Sql: sql})
		require.NoError(t, err)
	}
	require.NotNil(t, answerOf(as("dave"), t, s, "guests in Porto").GetVerified(), "dave named the value")
	require.Nil(t, answerOf(as("dave"), t, s, "guests of our partner").GetVerified(), "the SQL would tell it")
	list, err := s.ListExamples(as("dave"), &text2sqlv1.ListExamplesRequest{})
	require.NoError(t, err)
	require.Empty(t, list.GetExamples())
}

func TestExamplesThatAreRefused(t *testing.T) {
	t.Parallel()
	s, _ := verifiedService(t, "")
	carol := as("carol", "stewards")
	for name, tc := range map[string]struct{ question, sql, reason string }{
		"no question":   {"?!", visitorsSQL, "QUESTION_EMPTY"},
		"no SQL":        {"guests", "SELEC 1", examples.ReasonSQLInvalid},
		"writes":        {"guests", "DELETE FROM s.museums", examples.ReasonSQLInvalid},
		"unknown table": {"guests", "SELECT 1 FROM s.nowhere", examples.ReasonSQLInvalid},
		"frozen day":    {"guests yesterday", "SELECT sum(visitors) FROM s.museums WHERE city = '2026-03-03'", examples.ReasonSQLInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := s.AddExample(carol, &text2sqlv1.AddExampleRequest{Question: tc.question, Sql: tc.sql})
			require.Equal(t, tc.reason, fault.ReasonOf(err), "%v", err)
		})
	}
	_, err := s.RemoveExample(carol, &text2sqlv1.RemoveExampleRequest{ExampleId: "layer:opened"})
	require.Equal(t, examples.ReasonOfLayer, fault.ReasonOf(err))
}
