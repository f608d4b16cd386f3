package text2sql_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/shorttest"
	"github.com/dibrain/dibrain/services/text2sql"
)

// runs is a chat BI that answers statements by what stands in them, and notes them.
type runs struct {
	chatbiv1.ChatBIServiceClient
	answer func(sql string) (*chatbiv1.ExecuteResult, error)

	mu   sync.Mutex
	seen []string
}

func (r *runs) ExecuteAndAnalyzeUnary(_ context.Context, q *chatbiv1.ExecuteAndAnalyzeUnaryRequest, _ ...grpc.CallOption) (*chatbiv1.ExecuteAndAnalyzeUnaryResponse, error) {
	r.mu.Lock()
	r.seen = append(r.seen, q.GetQuery().GetSql())
	r.mu.Unlock()
	res, err := r.answer(q.GetQuery().GetSql())
	return &chatbiv1.ExecuteAndAnalyzeUnaryResponse{Result: res}, err
}

func numbers(values ...float64) *chatbiv1.ExecuteResult {
	page := &commonv1.ResultPage{Columns: []*commonv1.ResultColumn{{Name: "n", Type: "double"}}, TotalRows: int64(len(values))}
	for _, v := range values {
		page.Rows = append(page.Rows, &commonv1.ResultRow{Values: []*structpb.Value{structpb.NewNumberValue(v)}})
	}
	return &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Page: page}
}

func parcels() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Region: "sg", Schema: "mp", Table: "parcel"}, RowCount: 50, Columns: []catalog.Column{
		{Name: "parcel_id", Type: "bigint", PrimaryKey: true}, {Name: "depot", Type: "varchar", Distinct: 2, Samples: []string{"North", "South"}},
		{Name: "ordered_on", Type: "date"}, {Name: "shipped_on", Type: "date"}, {Name: "weight_kg", Type: "double"}, {Name: "weight_charged_kg", Type: "double"},
	}}}
}

// TestOffersAreTried: what is offered ran as the asker, has rows, and no two come to the
// same; a number is shown with its reading.
func TestOffersAreTried(t *testing.T) {
	shorttest.Rules(t, "which offers are shown after which answers")
	t.Parallel()
	const question = "How many zenlux parcels are there in North?"
	for name, c := range map[string]struct {
		answer    func(sql string) (*chatbiv1.ExecuteResult, error)
		execution text2sqlv1.Execution
		silent    bool // the caller did not ask for offers
		offered   string
		ran       bool
	}{
		"a number": {answer: func(string) (*chatbiv1.ExecuteResult, error) { return numbers(1204), nil }, offered: "1,204", ran: true},
		"rows":     {answer: func(string) (*chatbiv1.ExecuteResult, error) { return numbers(1, 2, 3), nil }, offered: "3 rows", ran: true},
		"no rows":  {answer: func(string) (*chatbiv1.ExecuteResult, error) { return numbers(), nil }, ran: true},
		"a zero":   {answer: func(string) (*chatbiv1.ExecuteResult, error) { return numbers(0), nil }, ran: true},
		"it fails": {answer: func(string) (*chatbiv1.ExecuteResult, error) { return nil, status.Error(codes.Unavailable, "away") }, ran: true},
		"it is refused": {answer: func(string) (*chatbiv1.ExecuteResult, error) {
			return &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED, Error: &commonv1.SqlDiagnostic{Code: "DENIED"}}, nil
		}, ran: true},
		"too dear to try": {answer: func(string) (*chatbiv1.ExecuteResult, error) {
			return &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK}, nil
		}, offered: "-", ran: true},
		"nothing may be run":  {answer: func(string) (*chatbiv1.ExecuteResult, error) { return numbers(1), nil }, execution: text2sqlv1.Execution_EXECUTION_NONE},
		"nobody asked for it": {answer: func(string) (*chatbiv1.ExecuteResult, error) { return numbers(1), nil }, silent: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := &runs{answer: c.answer}
			s, catalogOf := newServiceWith(t, text2sql.Config{}, text2sql.Deps{ChatBI: engine})
			catalogOf.tables = parcels()
			query := &text2sqlv1.GenerateQuery{UserQuestion: question, Tables: catalogpb.FromTables(parcels()), OfferReadings: !c.silent, Execution: c.execution}
			resp, err := s.GenerateSQLUnary(askAt(), &text2sqlv1.GenerateSQLUnaryRequest{Query: query})
			require.NoError(t, err)
			r := resp.GetResult()
			require.Equal(t, c.ran, len(engine.seen) > 0)
			if c.offered == "" {
				require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, r.GetOutcome())
				require.NotEmpty(t, r.GetAbstainedReason())
				return
			}
			require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK, r.GetOutcome(), r.GetAbstainedReason())
			require.Equal(t, `I read: number of parcels; where depot = North. I do not know "zenlux". Do you mean this?`, r.GetQuestion().GetText())
			o := r.GetQuestion().GetOptions()[0]
			require.Equal(t, `number of parcels; where depot = North; without "zenlux"`, o.GetLabel())
			require.Equal(t, strings.TrimPrefix(c.offered, "-"), o.GetDescription())
			require.LessOrEqual(t, len(r.GetQuestion().GetOptions()), 3)
			require.Empty(t, r.GetCandidates())

			query.ChosenOptionId = o.GetId()
			resp, err = s.GenerateSQLUnary(askAt(), &text2sqlv1.GenerateSQLUnaryRequest{Query: query})
			require.NoError(t, err)
			r = resp.GetResult()
			require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, r.GetOutcome())
			require.InDelta(t, 0.95, r.GetConfidence(), 1e-9)
			require.Equal(t, []string{`You chose: number of parcels; where depot = North; without "zenlux".`}, r.GetChanges())
			require.Contains(t, r.GetCandidates()[0].GetSql(), "depot = 'North'")
		})
	}
}

// TestOffersDifferByResult: two readings with the same rows are one offer, two with other
// rows are both shown with their numbers.
func TestOffersDifferByResult(t *testing.T) {
	t.Parallel()
	ask := func(answer func(sql string) (*chatbiv1.ExecuteResult, error)) []*commonv1.Option {
		s, c := newServiceWith(t, text2sql.Config{}, text2sql.Deps{ChatBI: &runs{answer: answer}})
		c.tables = []catalog.Table{{Name: catalog.Name{Region: "sg", Schema: "mp", Table: "driver"}, RowCount: 9, Columns: []catalog.Column{
			{Name: "driver_id", Type: "bigint", PrimaryKey: true}, {Name: "name", Type: "varchar"},
			{Name: "net_weight", Type: "double"}, {Name: "gross_weight", Type: "double"},
		}}}
		resp, err := s.GenerateSQLUnary(askAt(), &text2sqlv1.GenerateSQLUnaryRequest{Query: &text2sqlv1.GenerateQuery{
			UserQuestion: "which driver has the highest weight zenlux", Tables: catalogpb.FromTables(c.tables), OfferReadings: true,
		}})
		require.NoError(t, err)
		return resp.GetResult().GetQuestion().GetOptions()
	}
	same := ask(func(string) (*chatbiv1.ExecuteResult, error) { return numbers(7), nil })
	other := ask(func(sql string) (*chatbiv1.ExecuteResult, error) {
		return numbers(float64(len(sql))), nil
	})
	require.Len(t, same, 1, "both weights come to one thing here")
	require.Len(t, other, 2)
	require.Equal(t, `name of driver; the first 1 by net weight, highest first; without "zenlux"`, other[0].GetLabel())
	require.Equal(t, `name of driver; the first 1 by gross weight, highest first; without "zenlux"`, other[1].GetLabel())
	require.NotEqual(t, other[0].GetDescription(), other[1].GetDescription())
}

// TestAnswersThatComeToNothing: where no row fulfils all conditions of an answer, it is put to the asker beside what there is
// without one of them, and chosen it stands; where nothing is there without them either, it is the answer.
func TestAnswersThatComeToNothing(t *testing.T) {
	shorttest.Rules(t, "which answers are put to the asker again")
	t.Parallel()
	const question = "How many parcels in North were shipped on 2026-03-02?"
	ask := func(t *testing.T, answer func(sql string) float64, chosen string) (*text2sqlv1.GenerateResult, int) {
		t.Helper()
		engine := &runs{answer: func(sql string) (*chatbiv1.ExecuteResult, error) { return numbers(answer(sql)), nil }}
		s, catalogOf := newServiceWith(t, text2sql.Config{}, text2sql.Deps{ChatBI: engine})
		catalogOf.tables = parcels()
		resp, err := s.GenerateSQLUnary(askAt(), &text2sqlv1.GenerateSQLUnaryRequest{Query: &text2sqlv1.GenerateQuery{
			UserQuestion: question, Tables: catalogpb.FromTables(parcels()), OfferReadings: true, ChosenOptionId: chosen,
		}})
		require.NoError(t, err)
		return resp.GetResult(), len(engine.seen)
	}
	both := func(sql string) float64 {
		if strings.Contains(sql, "'North'") && strings.Contains(sql, "2026-03-02") {
			return 0
		}
		return float64(40 + strings.Count(sql, "'North'"))
	}
	r, _ := ask(t, both, "")
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK, r.GetOutcome())
	require.Empty(t, r.GetCandidates())
	require.Contains(t, r.GetQuestion().GetText(), "There is nothing of the kind")
	options := r.GetQuestion().GetOptions()
	require.Len(t, options, 3)
	require.Contains(t, options[0].GetLabel(), "; without depot = North")
	require.Contains(t, options[1].GetLabel(), "; without ")
	require.Contains(t, options[1].GetLabel(), "number of parcels; where depot = North;")
	require.Equal(t, []string{"40", "0"}, []string{options[0].GetDescription(), options[2].GetDescription()})

	stands, _ := ask(t, both, options[2].GetId())
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, stands.GetOutcome())
	require.Contains(t, stands.GetCandidates()[0].GetSql(), "depot = 'North'")
	loosened, _ := ask(t, both, options[0].GetId())
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, loosened.GetOutcome())
	require.NotContains(t, loosened.GetCandidates()[0].GetSql(), "North")
	require.Contains(t, loosened.GetCandidates()[0].GetSql(), "2026-03-02")

	nothing, _ := ask(t, func(string) float64 { return 0 }, "")
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, nothing.GetOutcome(), "there is none whatever is left out")
	some, tried := ask(t, func(string) float64 { return 3 }, "")
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, some.GetOutcome())
	require.Equal(t, 1, tried)
}
