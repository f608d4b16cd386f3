package text2sql

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/examples"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// TestCandidates: the best one first, then as many as the caller asks for and the
// configuration allows, each with its own tables; it is called validated where both the
// answer and the candidate were.
func TestCandidates(t *testing.T) {
	t.Parallel()
	out := Out{Result: pipeline.Result{SQL: "SELECT 0", Labels: []pipeline.Label{{Column: "n", Label: "number", Unit: "pieces", Better: semantic.BetterLow, Level: true}}, Assumptions: []string{"all"}},
		Tables: []string{"s.t0"}, Validated: true}
	out.Reason = "the best"
	for i := range 4 {
		out.Further = append(out.Further, team.Candidate{SQL: fmt.Sprint("SELECT ", i+1), Reason: "r", Checked: i%2 == 0, Assumptions: []string{"some"}, Tables: []string{"s.a", "s.b"}})
	}
	for _, c := range []struct{ asked, allowed, want int }{{0, 3, 1}, {1, 3, 1}, {2, 3, 2}, {4, 3, 4}, {9, 3, 4}, {9, 0, 1}, {9, 9, 5}, {-1, 3, 1}} {
		s := &Service{config: Config{MaxAlternatives: c.allowed}}
		got := s.candidates(&text2sqlv1.GenerateQuery{MaxCandidates: int32(c.asked)}, out)
		require.Len(t, got, c.want, "%+v", c)
		for i, one := range got {
			require.Equal(t, fmt.Sprint("SELECT ", i), one.GetSql())
			require.Equal(t, "presto", one.GetDialect())
			require.Equal(t, i%2 == 1 || i == 0, one.GetValidated(), i)
			if i > 0 {
				require.Equal(t, "r", one.GetReason())
				require.Equal(t, []string{"some"}, one.GetAssumptions())
				require.Equal(t, []*commonv1.TableName{{Name: "s.a"}, {Name: "s.b"}}, one.GetTables())
			}
		}
		require.Equal(t, "the best", got[0].GetReason())
		require.Equal(t, []string{"all"}, got[0].GetAssumptions())
		require.Equal(t, []*commonv1.ColumnLabel{{Column: "n", Label: "number", Unit: "pieces", Better: commonv1.BetterEnd_BETTER_END_LOW, Level: true}}, got[0].GetLabels())
		require.Equal(t, []*commonv1.TableName{{Name: "s.t0"}}, got[0].GetTables())
	}
	out.Validated = false
	for _, one := range (&Service{config: Config{MaxAlternatives: 9}}).candidates(&text2sqlv1.GenerateQuery{MaxCandidates: 9}, out) {
		require.False(t, one.GetValidated())
	}
}

func TestVerifiedReasons(t *testing.T) {
	t.Parallel()
	person := examples.Example{Origin: examples.Person, ApprovedBy: "carol", ApprovedAt: time.Date(2026, 3, 4, 23, 0, 0, 0, time.FixedZone("", -3*3600)), Question: "guests in Porto"}
	layer := examples.Example{Origin: examples.Layer, Question: "guests in Porto"}
	nameless := person
	nameless.ApprovedBy = "" // as the deletion of a person's data leaves it
	for want, m := range map[string]examples.Match{
		"Verified by carol on 2026-03-05.|由 carol 于 2026-03-05 验证。":                                                            {Example: person, Exact: true},
		"Verified by carol on 2026-03-05 for the question \"guests in Porto\".|由 carol 于 2026-03-05 验证，对应问题“guests in Porto”。": {Example: person},
		"Verified on 2026-03-05.|于 2026-03-05 验证。":                                                                             {Example: nameless, Exact: true},
		"Verified in the semantic layer.|语义层中已验证的查询。":                                                                          {Example: layer, Exact: true},
		"Verified in the semantic layer for the question \"guests in Porto\".|语义层中已验证的查询，对应问题“guests in Porto”。":               {Example: layer},
	} {
		require.Equal(t, want, verifiedReason(lang.English, &m)+"|"+verifiedReason(lang.Chinese, &m))
	}
}

func TestExamplesOfALayer(t *testing.T) {
	t.Parallel()
	require.Empty(t, ofLayer("guide", nil))
	got := ofLayer("guide", &semantic.Layer{Examples: []semantic.Example{
		{ID: "both", Mart: "m", Question: semantic.Text{EN: "how many", ZH: "多少"}, SQL: "SELECT 1"}, {ID: "zh", Question: semantic.Text{ZH: "几个"}, SQL: "SELECT 2"}, {ID: "none", SQL: "SELECT 3"},
	}})
	base := examples.Example{Source: "guide", Status: examples.Approved, Origin: examples.Layer}
	want := []examples.Example{base, base, base}
	want[0].ID, want[0].Mart, want[0].Question, want[0].SQL = examples.PrefixLayer+"both", "m", "how many", "SELECT 1"
	want[1].ID, want[1].Mart, want[1].Question, want[1].SQL = examples.PrefixLayer+"both", "m", "多少", "SELECT 1"
	want[2].ID, want[2].Question, want[2].SQL = examples.PrefixLayer+"zh", "几个", "SELECT 2"
	require.Equal(t, want, got)
}

func TestNamesThatASQLHasForATable(t *testing.T) {
	t.Parallel()
	table := catalog.Name{Region: "sg", Schema: "mart", Table: "Orders"}
	for name, want := range map[string]bool{
		"orders": true, "mart.orders": true, "sg.mart.orders": true, `"SG"."Mart".ORDERS`: true,
		"rders": false, "art.orders": false, "us.mart.orders": false, "orders.id": false, "x.sg.mart.orders": false,
	} {
		require.Equal(t, want, named(table, name), name)
	}
}
