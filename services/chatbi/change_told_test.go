package chatbi_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi"
)

// changeStream keeps what is sent.
type changeStream struct {
	grpc.ServerStream
	ctx  context.Context
	fail error // of each message
	got  []*chatbiv1.ExplainChangeResponse
}

func (s *changeStream) Context() context.Context { return s.ctx }
func (s *changeStream) Send(r *chatbiv1.ExplainChangeResponse) error {
	s.got = append(s.got, r)
	return s.fail
}

// TestTheStreamOfAChangeEndsWithItsResult, after how far it is, and says why there is none.
func TestTheStreamOfAChangeEndsWithItsResult(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	st := &changeStream{ctx: as(t.Context(), "alice")}
	require.NoError(t, s.ExplainChange(&chatbiv1.ExplainChangeRequest{Query: &chatbiv1.ExplainQuery{Plan: plan(), UserQuestion: "why did sales rise?"}}, st))
	last := st.got[len(st.got)-1]
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, last.GetResult().GetOutcome())
	require.NotEmpty(t, last.GetTrace().GetRecords())
	var phases []string
	for _, e := range st.got[:len(st.got)-1] {
		require.Nil(t, e.GetResult())
		phases = append(phases, e.GetProgress().GetPhase())
	}
	require.Equal(t, "guard", phases[0])
	require.Equal(t, "analysing", phases[len(phases)-1])

	bad := plan()
	bad.After.To = "2026-13-01"
	for name, c := range map[string]struct {
		st   *changeStream
		plan *commonv1.ChangePlan
		code codes.Code
	}{
		"nobody is signed in": {&changeStream{ctx: t.Context()}, plan(), codes.Unauthenticated},
		"a plan that is none": {&changeStream{ctx: as(t.Context(), "alice")}, bad, codes.InvalidArgument},
		"nobody listens":      {&changeStream{ctx: as(t.Context(), "alice"), fail: status.Error(codes.Unavailable, "away")}, plan(), codes.Unavailable},
	} {
		err := s.ExplainChange(&chatbiv1.ExplainChangeRequest{Query: &chatbiv1.ExplainQuery{Plan: c.plan}}, c.st)
		require.Equal(t, c.code, status.Code(err), "%s: %v", name, err)
		for _, e := range c.st.got {
			require.True(t, c.st.fail != nil || e.GetResult() == nil, name)
		}
	}
	_, err := s.ExplainChangeUnary(t.Context(), &chatbiv1.ExplainChangeUnaryRequest{Query: &chatbiv1.ExplainQuery{Plan: plan()}})
	require.Equal(t, codes.Unauthenticated, status.Code(err))
}

// TestAChangeThatWasNotLookedIntoTellsNoFigure: a refusal, a failure and a question of cost
// say why, and nothing of a change.
func TestAChangeThatWasNotLookedIntoTellsNoFigure(t *testing.T) {
	t.Parallel()
	cost := func(ask, refuse int64) *chatbi.Service {
		return newService(t, func(c *chatbi.Config, _ *chatbi.Deps) { c.Cost.AskRows, c.Cost.RefuseRows = ask, refuse })
	}
	broken := plan()
	broken.Statements[1].Sql = "SELECT dt, 1 / (count(*) - count(*)), CAST(NULL AS double) FROM sg.shop.orders GROUP BY dt"
	for name, c := range map[string]struct {
		s       *chatbi.Service
		who     string
		plan    *commonv1.ChangePlan
		outcome chatbiv1.ExecuteOutcome
		ran     int
	}{
		"not allowed":      {newService(t, nil), "eve", plan(), chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED, 0},
		"too dear":         {cost(100, 1000), "alice", plan(), chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED, 0},
		"dear":             {cost(1000, 100_000), "alice", plan(), chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK, 0},
		"the engine fails": {newService(t, nil), "alice", broken, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_FAILED, 2},
	} {
		r, err := explainChange(t, c.s, c.who, &chatbiv1.ExplainQuery{Plan: c.plan, UserQuestion: "why?"})
		require.NoError(t, err, name)
		require.Equal(t, c.outcome, r.GetOutcome(), "%s: %s", name, r.GetAnswer())
		require.Nil(t, r.GetFigures(), name)
		require.Nil(t, r.GetPage(), name)
		require.Zero(t, r.GetChange(), name)
		require.Empty(t, r.GetElements(), name)
		require.Len(t, r.GetRuns(), c.ran, name)
		asks := c.outcome == chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK
		require.Equal(t, asks, r.GetQuestion() != nil, name)
		require.Equal(t, asks, r.GetCertificate() == nil, name)
		require.Equal(t, !asks, r.GetError().GetMessage() != "", name)
		if asks {
			require.Contains(t, r.GetQuestion().GetText(), "1,800", "what both statements read")
			require.Contains(t, r.GetQuestion().GetText(), "sg.shop.orders")
			require.Equal(t, 1, strings.Count(r.GetQuestion().GetText(), "sg.shop.orders"), "each table once")
		}
	}
}

// TestTheFactorsOfAChange are told by their names, each with what it accounts for; one
// without a name by its id.
func TestTheFactorsOfAChange(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	p := plan()
	p.Factors = []*commonv1.ChangeItem{{Id: "orders", Name: "number of orders"}, {Id: "basket", Name: "order value", Unit: "USD"}}
	p.Statements = append(p.Statements, &commonv1.ChangeStatement{
		Role: commonv1.ChangeRole_CHANGE_ROLE_FACTORS,
		Sql: `SELECT period, CAST(count(*) AS double), CAST(sum(amount) AS double) / count(*) FROM (SELECT amount, CASE WHEN dt >= DATE '2026-11-16' THEN 'after' ELSE 'before' END AS period
			FROM sg.shop.orders WHERE dt >= DATE '2026-11-10' AND dt < DATE '2026-11-13' OR dt >= DATE '2026-11-16' AND dt < DATE '2026-11-19') AS x GROUP BY period`,
	})
	r, err := explainChange(t, s, "alice", &chatbiv1.ExplainQuery{Plan: p, UserQuestion: "why did sales rise?"})
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome(), r.GetAnswer())
	require.Len(t, r.GetFactors(), 2)
	total := 0.0
	for i, name := range []string{"number of orders", "order value"} {
		f := r.GetFactors()[i]
		require.Equal(t, name, f.GetName())
		require.Equal(t, p.GetFactors()[i].GetId(), f.GetId())
		require.Contains(t, r.GetAnswer(), name)
		total += f.GetAccounts()
	}
	change := r.GetFigures().GetAfter() - r.GetFigures().GetBefore()
	require.InDelta(t, change, total, 1e-6*change, "together they are the change")
	require.InDelta(t, 300, r.GetFactors()[0].GetFigures().GetBefore(), 1e-9)
	require.InDelta(t, 300, r.GetFactors()[0].GetFigures().GetAfter(), 1e-9)
	require.InDelta(t, r.GetFigures().GetBefore()/300, r.GetFactors()[1].GetFigures().GetBefore(), 1e-9)

	p.Factors[0].Name = ""
	r, err = explainChange(t, s, "alice", &chatbiv1.ExplainQuery{Plan: p, UserQuestion: "why did sales rise?"})
	require.NoError(t, err)
	require.Equal(t, "orders", r.GetFactors()[0].GetName())
}

// TestTheEvidenceOfAChange is that of all its statements: each run with its rows, the rows
// together, the tables once, the statement of the cells by its hash.
func TestTheEvidenceOfAChange(t *testing.T) {
	t.Parallel()
	p := plan()
	p.Filters, p.Assumptions = []string{"only paid"}, []string{"dt is the day of payment"}
	r, err := explainChange(t, newService(t, nil), "alice", &chatbiv1.ExplainQuery{Plan: p, UserQuestion: "why did sales rise?"})
	require.NoError(t, err)
	cert := r.GetCertificate()
	require.Equal(t, []string{"only paid"}, cert.GetFilters())
	require.Equal(t, []string{"dt is the day of payment"}, cert.GetAssumptions())
	require.Len(t, cert.GetTables(), 1)
	require.Len(t, cert.GetStatementSha256(), 64)
	var rows int64
	for i, run := range r.GetRuns() {
		rows += run.GetRows()
		require.Equal(t, p.GetStatements()[i].GetRole(), run.GetRole())
		require.Positive(t, run.GetEngineMilliseconds())
	}
	require.Equal(t, rows, cert.GetRows())
	first := r.GetCertificate().GetStatementSha256()
	other := plan() // the course alone is another statement
	other.Statements[1].Sql = strings.Replace(dailySQL, "GROUP BY dt", "GROUP BY dt ORDER BY dt", 1)
	r, err = explainChange(t, newService(t, nil), "alice", &chatbiv1.ExplainQuery{Plan: other, UserQuestion: "why did sales rise?"})
	require.NoError(t, err)
	require.Equal(t, first, r.GetCertificate().GetStatementSha256())

	page := r.GetPage()
	require.Equal(t, []string{"10 Nov 2026 to 12 Nov 2026", "16 Nov 2026 to 18 Nov 2026"}, []string{page.GetColumns()[1].GetName(), page.GetColumns()[2].GetName()})
	for i, e := range r.GetElements() {
		row := page.GetRows()[i].GetValues()
		require.Equal(t, "country: "+result.CountryName(e.GetPlaces()[0].GetValue(), lang.English), row[0].GetStringValue())
		for k, want := range []float64{e.GetFigures().GetBefore(), e.GetFigures().GetAfter(), e.GetAccounts()} {
			require.Equal(t, strconv.FormatFloat(want, 'f', 0, 64), row[k+1].GetStringValue(), "whole as all of them")
		}
	}
}
