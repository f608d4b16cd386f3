package chatbi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestTextOfOthersInMessagesIsText: an engine quotes values in its errors, and
// warnings name tables; they leave this service fit to be shown.
func TestTextOfOthersInMessagesIsText(t *testing.T) {
	t.Parallel()
	const (
		active = "[here](http://evil.example/a) ![x](http://evil.example/b)<img src=x>\u202e\x1b[31m"
		shown  = "here (http://evil.example/a) x (http://evil.example/b)‹img src=x>"
	)
	var a Answer
	a.Outcome = OutcomeFailed
	a.Analysis.Answer = active
	a.Analysis.Warnings = []analyse.Warning{{Code: "CODE", Message: active}}
	a.Problem = &Problem{Code: "INVALID_CAST_ARGUMENT", Message: active}
	got, err := (&Service{}).fromAnswer(Query{}, a)
	require.NoError(t, err)
	require.Equal(t, shown, got.GetAnswer())
	require.Equal(t, shown, got.GetWarnings()[0].GetMessage())
	require.Equal(t, shown, got.GetError().GetMessage())
}

// TestAQueryKeepsWhatWasAsked: each field of the request has its place, and what is
// not said is the service's.
func TestAQueryKeepsWhatWasAsked(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 1, 0, 0, 0, time.UTC)
	s := serving(Config{DefaultSource: "demo"}, &Service{deps: Deps{Clock: func() time.Time { return now }}})
	full := &chatbiv1.ExecuteQuery{
		Source: "other", Sql: "select 1", UserQuestion: "how many?", Metrics: []string{"m: d"}, Assumptions: []string{"a"}, Confidence: .5,
		PageSize: 7, ChartKind: commonv1.ChartKind_CHART_KIND_LINE, CostConfirmed: true,
		Labels:      []*commonv1.ColumnLabel{{Column: "c", Label: "l", Unit: "%", Better: commonv1.BetterEnd_BETTER_END_LOW, Level: true}},
		UserContext: &commonv1.UserContext{TimeZone: "Asia/Tokyo", Language: commonv1.Language_LANGUAGE_ZH},
	}
	q := s.toQuery(t.Context(), full)
	require.Equal(t, "2026-03-01 10:00", q.Now.Format("2006-01-02 15:04"))
	q.Now = time.Time{}
	require.Equal(t, Query{
		Source: "other", SQL: "select 1", Question: "how many?", Metrics: []string{"m: d"}, Labels: []Label{{"c", "l", "%", -1, true}}, Assumptions: []string{"a"},
		Confidence: .5, Language: lang.Chinese, PageSize: 7, Wanted: chart.Kind(commonv1.ChartKind_CHART_KIND_LINE), CostConfirmed: true,
	}, q)
	for language, want := range map[commonv1.Language][2]lang.Language{
		commonv1.Language_LANGUAGE_UNSPECIFIED: {lang.English, lang.Chinese}, commonv1.Language_LANGUAGE_EN: {lang.English, lang.English},
		commonv1.Language_LANGUAGE_ZH: {lang.Chinese, lang.Chinese},
	} {
		for i, question := range []string{"how many orders?", "有多少订单？"} {
			q := &chatbiv1.ExecuteQuery{UserQuestion: question, UserContext: &commonv1.UserContext{Language: language}}
			require.Equal(t, want[i], s.toQuery(t.Context(), q).Language)
			require.Equal(t, "demo", s.toQuery(t.Context(), q).Source)
		}
	}
	then := now.AddDate(0, 0, -7)
	for _, c := range []struct {
		in   run.Context
		want string
	}{
		{run.Context{}, "2026-03-01 10:00"}, {run.Context{Now: then}, "2026-02-22 10:00"},
		{run.Context{TimeZone: "Europe/Berlin"}, "2026-03-01 02:00"}, {run.Context{TimeZone: "Europe/Berlin", Now: then}, "2026-02-22 02:00"},
	} {
		got := s.nowOf(run.With(t.Context(), c.in), full.GetUserContext())
		require.Equal(t, c.want, got.Format("2006-01-02 15:04"))
	}
}

// TestAnAnswerKeepsWhatIsKnown: each part of an answer has its place in the message of
// its outcome, and none in another's.
func TestAnAnswerKeepsWhatIsKnown(t *testing.T) {
	t.Parallel()
	analyst, err := analyse.New(analyse.Thresholds{})
	require.NoError(t, err)
	s := &Service{analyst: analyst}
	at := time.Date(2026, 3, 1, 1, 0, 0, 0, time.UTC)
	table := func(name string) catalog.Name { return catalog.Name{Region: "sg", Schema: "s", Table: name} }
	a := Answer{
		SQL: "SELECT 1", EngineTime: 1500 * time.Microsecond, Changes: []guard.Change{{Rule: "limit", Message: "m"}},
		Problem: &Problem{Code: "C", Message: "p", Line: 2, Column: 3, Suggestions: []string{"s"}},
		Page:    store.Page{Table: result.Table{Columns: []result.Column{{Name: "a", Type: "bigint"}}, Rows: [][]any{{int64(1)}}}, ResultID: "res_1", TotalRows: 9, NextToken: "n"},
		Certificate: Certificate{Tables: []Freshness{{Table: table("a"), UpdatedAt: at, LatestPartition: "2026-02-28"}, {Table: table("b")}}, Metrics: []string{"m"},
			Filters: []string{"f"}, Changes: []guard.Change{{Rule: "mask", Message: "x"}}, Rows: 9, Assumptions: []string{"as"}, Confidence: .25, AbstainedReason: "r", SHA256: "sha"},
	}
	a.Analysis = analyse.Output{Answer: "yes", Findings: []analyse.Finding{{Kind: "k", Text: "t", Evidence: map[string]float64{"e": 1}}},
		Warnings: []analyse.Warning{{Code: "W", Message: "w"}}, Chart: analyse.Chart{Kind: chart.Kind(commonv1.ChartKind_CHART_KIND_BAR), Title: "T", X: "x", Y: []string{"y"}, Series: "z", Option: "{}", Alt: "alt", Reason: "because", Others: []analyse.Alternative{{Kind: chart.Pie, Reason: "a few"}}}}
	certificate := &commonv1.Certificate{
		Tables:  []*commonv1.TableFreshness{{Table: "sg.s.a", UpdatedAt: timestamppb.New(at), LatestPartition: "2026-02-28"}, {Table: "sg.s.b"}},
		Metrics: []string{"m"}, Filters: []string{"f"}, GuardChanges: []*commonv1.GuardChangeNote{{Rule: "mask", Message: "x"}}, Rows: 9, Assumptions: []string{"as"},
		Confidence: .25, AbstainedReason: "r", StatementSha256: "sha",
	}
	for _, outcome := range []Outcome{OutcomeDone, OutcomeAsk, OutcomeRefused, OutcomeFailed} {
		a.Outcome = outcome
		got, err := s.fromAnswer(Query{Language: lang.English}, a)
		require.NoError(t, err)
		want := &chatbiv1.ExecuteResult{
			Outcome: chatbiv1.ExecuteOutcome(outcome), Answer: "yes", ExecutedSql: "SELECT 1", EngineMilliseconds: 1.5,
			GuardChanges: []*commonv1.GuardChange{{Rule: "limit", Message: "m"}}, Warnings: []*commonv1.Warning{{Code: "W", Message: "w"}},
			Findings: []*commonv1.Finding{{Kind: "k", Text: "t", Evidence: map[string]float64{"e": 1}}}, Certificate: certificate,
			Error: &commonv1.SqlDiagnostic{Code: "C", Message: "p", Suggestions: []string{"s"}, Position: &commonv1.SqlPosition{Line: 2, Column: 3}},
		}
		switch outcome {
		case OutcomeDone:
			want.Page, err = fromPage(a.Page)
			require.NoError(t, err)
			require.Equal(t, []any{"res_1", int64(9), "n"}, []any{want.GetPage().GetResultId(), want.GetPage().GetTotalRows(), want.GetPage().GetNextPageToken()})
			want.Chart = &commonv1.Chart{Kind: commonv1.ChartKind_CHART_KIND_BAR, Title: "T", X: "x", Y: []string{"y"}, Series: "z", EchartsOptionJson: "{}", AltText: "alt", Reason: "because",
				Alternatives: []*commonv1.ChartAlternative{{Kind: commonv1.ChartKind_CHART_KIND_PIE, Reason: "a few"}}}
		case OutcomeAsk:
			want.Certificate = nil
			want.Question = got.GetQuestion()
			require.Equal(t, "yes", got.GetQuestion().GetText())
			require.Equal(t, "execute_sql_and_analyze_result", got.GetQuestion().GetToolName())
			require.Len(t, got.GetQuestion().GetOptions(), 2)
			for i, id := range []string{"run", "narrow"} {
				o := got.GetQuestion().GetOptions()[i]
				require.Equal(t, []string{id, analyst.Sentence(lang.English, "cost_"+id, nil), analyst.Sentence(lang.English, "cost_"+id+"_why", nil)},
					[]string{o.GetId(), o.GetLabel(), o.GetDescription()})
				require.NotEmpty(t, o.GetLabel())
			}
		}
		require.True(t, proto.Equal(want, got), "%s", got)
	}
	a.Problem.Line = 0
	got, err := s.fromAnswer(Query{}, a)
	require.NoError(t, err)
	require.Nil(t, got.GetError().GetPosition())
	a.Outcome, a.Page.Rows = OutcomeDone, [][]any{{struct{}{}}}
	_, err = s.fromAnswer(Query{}, a)
	require.Error(t, err)
}
