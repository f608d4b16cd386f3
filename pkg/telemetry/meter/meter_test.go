package meter_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
)

// everything measures each thing once.
func everything(ctx context.Context, m *meter.Set) {
	m.Call(ctx, "p.S/M")(codes.OK, run.OutcomeAnswered)
	m.Ask(ctx, meter.Loki, meter.OpQuery)(meter.Timeout)
	m.Spent(ctx, "small", 7, 5, .25, "USD")
	m.Looked(ctx, meter.CacheResults, true)
	m.ResultFile(ctx, meter.FileLeft, 3)
	m.ResultFile(ctx, meter.FileSwept, 0)
	m.Looked(ctx, meter.CacheResults, false)
	leave := m.Wait(ctx, meter.QueueTurns)(true, false)
	leave()
	m.Wait(ctx, meter.QueueTurns)(false, true)
	m.Ran(ctx, meter.Trino, meter.OpQuery, meter.OK, time.Second, 3, 40)
	m.Turn(ctx, "generate_sql", run.OutcomeAnswered, time.Second, meter.High)
	m.Turn(ctx, "", run.OutcomeAsked, time.Second, meter.NotTold)
	m.Module(ctx, "findata", "degraded")
	m.TokenFileUnreadable(ctx, time.Minute)
	m.Build(ctx, "1", "go")
	m.TablesShown(ctx)
	m.QuestionCame(ctx, false, "found")
	m.QuestionCame(ctx, true, "declined")
	m.TablesJudged(ctx, "clicked", 2)
	m.Rates(ctx, "shop", .5, .25)
}

// TestPrometheusShowsWhatIsDefined holds that names and labels of the definitions, which
// dashboards, alerts and docs are held against, are those of the endpoint.
func TestPrometheusShowsWhatIsDefined(t *testing.T) {
	t.Parallel()
	m, read := metertest.New(t)
	everything(t.Context(), m)
	shown := map[string]bool{}
	for series := range read() {
		name, _, _ := strings.Cut(series, "{")
		shown[name] = true
	}
	defined := map[string]bool{}
	for _, d := range meter.Definitions() {
		name, _ := strings.CutSuffix(d.Prometheus()[0], "_bucket")
		defined[name] = true
		require.NotEmpty(t, d.Help, d.Name)
		for _, l := range d.Labels {
			require.True(t, len(l.Values) > 0 != (l.Bound != ""), "%s: what bounds %s?", d.Name, l.Key)
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(defined)), slices.Sorted(maps.Keys(shown)))
}

func TestEverythingIsCounted(t *testing.T) {
	t.Parallel()
	m, read := metertest.New(t)
	everything(t.Context(), m)
	require.Equal(t, map[string]float64{
		`dibrain_rpc_requests_total{code="OK",method="p.S/M"}`:                             1,
		`dibrain_rpc_seconds{code="OK",method="p.S/M"}`:                                    1,
		`dibrain_rpc_outcomes_total{method="p.S/M",outcome="answered"}`:                    1,
		`dibrain_rpc_in_flight{method="p.S/M"}`:                                            0,
		`dibrain_dependency_seconds{dependency="loki",operation="query",result="timeout"}`: 1,
		`dibrain_dependency_in_flight{dependency="loki"}`:                                  0,
		`dibrain_model_tokens_total{direction="input",model="small"}`:                      7,
		`dibrain_model_tokens_total{direction="output",model="small"}`:                     5,
		`dibrain_model_cost_total{currency="USD",model="small"}`:                           .25,
		`dibrain_cache_requests_total{cache="results",found="hit"}`:                        1,
		`dibrain_cache_requests_total{cache="results",found="miss"}`:                       1,
		`dibrain_result_files_total{end="left"}`:                                           3,
		`dibrain_queue_seconds{queue="turns"}`:                                             2,
		`dibrain_queue_waiting{queue="turns"}`:                                             0,
		`dibrain_queue_in_use{queue="turns"}`:                                              0,
		`dibrain_queue_rejected_total{queue="turns"}`:                                      1,
		`dibrain_engine_seconds{engine="trino",operation="query",result="ok"}`:             1,
		`dibrain_engine_rows_total{engine="trino"}`:                                        3,
		`dibrain_engine_bytes_total{engine="trino"}`:                                       40,
		`dibrain_turn_seconds{intent="generate_sql",outcome="answered"}`:                   1,
		`dibrain_turn_seconds{intent="none",outcome="asked"}`:                              1,
		`dibrain_answers_total{confidence="high",intent="generate_sql"}`:                   1,
		`dibrain_clarifications_total{intent="none"}`:                                      1,
		`dibrain_module_state{module="findata",state="ready"}`:                             0,
		`dibrain_module_state{module="findata",state="degraded"}`:                          1,
		`dibrain_module_state{module="findata",state="not_ready"}`:                         0,
		`dibrain_token_file_unreadable_seconds`:                                            60,
		`dibrain_build_info{go="go",version="1"}`:                                          1,
		`dibrain_findata_answers_total`:                                                    1,
		`dibrain_findata_feedback_tables_total{kind="clicked"}`:                            2,
		`dibrain_findata_questions_total{kind="question",outcome="found"}`:                 1,
		`dibrain_findata_questions_total{kind="reply",outcome="declined"}`:                 1,
		`dibrain_findata_click_rate{source="shop"}`:                                        .5,
		`dibrain_findata_acceptance_rate{source="shop"}`:                                   .25,
	}, read())
}

func TestWhatIsUnderWayIsSeen(t *testing.T) {
	t.Parallel()
	m, read := metertest.New(t)
	ctx := t.Context()
	ended := m.Call(ctx, "p.S/M")
	answered := m.Ask(ctx, meter.Model, meter.OpChat)
	waited := m.Wait(ctx, meter.QueueModel)
	at := read()
	require.Equal(t, 1.0, at[`dibrain_rpc_in_flight{method="p.S/M"}`])
	require.Equal(t, 1.0, at[`dibrain_dependency_in_flight{dependency="model"}`])
	require.Equal(t, 1.0, at[`dibrain_queue_waiting{queue="model"}`])
	leave := waited(true, false)
	at = read()
	require.Equal(t, 0.0, at[`dibrain_queue_waiting{queue="model"}`])
	require.Equal(t, 1.0, at[`dibrain_queue_in_use{queue="model"}`])
	leave()
	answered(meter.OK)
	ended(codes.OK, "")
	require.Equal(t, 0.0, read()[`dibrain_queue_in_use{queue="model"}`])
}

// TestSeriesAreBounded asks for values that no label has, as a mistake or a hostile name
// would.
func TestSeriesAreBounded(t *testing.T) {
	t.Parallel()
	m, read := metertest.New(t)
	for n := range 5000 {
		text := fmt.Sprintf("SELECT %d FROM t", n)
		m.Turn(t.Context(), text, run.Outcome(text), time.Second, meter.Confidence(text))
		m.Ask(t.Context(), meter.Dependency(text), meter.Operation(text))(meter.Result(text))
		m.Rates(t.Context(), text, 1, 1) // bounded by the limit of series
	}
	each := map[string]int{}
	for series := range read() {
		name, labels, _ := strings.Cut(series, "{")
		each[name]++
		if name != "dibrain_findata_click_rate" && name != "dibrain_findata_acceptance_rate" {
			require.NotContains(t, labels, "SELECT", series)
		}
	}
	require.LessOrEqual(t, each["dibrain_findata_click_rate"], 2000)
	require.Equal(t, 1, each["dibrain_turn_seconds"])
	require.Equal(t, 1, each["dibrain_dependency_seconds"])
}

func TestNobodyMeasures(t *testing.T) {
	t.Parallel()
	everything(t.Context(), nil)
}

func TestResultsOfErrors(t *testing.T) {
	t.Parallel()
	for want, errs := range map[meter.Result][]error{
		meter.OK:        {nil},
		meter.Cancelled: {context.Canceled, fmt.Errorf("x: %w", context.Canceled), fault.New(codes.Canceled, "X", "x")},
		meter.Timeout:   {context.DeadlineExceeded, fault.New(codes.DeadlineExceeded, "X", "x")},
		meter.Busy:      {fault.New(codes.ResourceExhausted, "X", "x")},
		meter.Refused:   {fault.New(codes.NotFound, "X", "x"), fault.New(codes.FailedPrecondition, "X", "x").Because(context.Canceled)},
		meter.Failed:    {errors.New("x"), fault.New(codes.Unavailable, "X", "x"), fault.New(codes.Internal, "X", "x")},
	} {
		for _, err := range errs {
			require.Equal(t, want, meter.ResultOf(err), "%v", err)
		}
	}
}

func TestConfidenceHasClasses(t *testing.T) {
	t.Parallel()
	for c, want := range map[float64]meter.Confidence{0: meter.NotTold, .5: meter.Low, .749: meter.Low, .75: meter.Medium, .899: meter.Medium, .9: meter.High, 1: meter.High} {
		require.Equal(t, want, meter.ConfidenceOf(c), "%v", c)
	}
}
