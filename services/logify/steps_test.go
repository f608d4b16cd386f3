package logify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/logify"
)

// hours has n errors of checkout in the n-th hour of the day, and two of login in each.
func hours() logql.Entries {
	var out logql.Entries
	add := func(at time.Time, service string) {
		out = append(out, logql.Entry{Time: at, Labels: map[string]string{"service": service, "level": "error"}, Line: fmt.Sprintf("request %d failed", len(out))})
	}
	midnight := now().Truncate(24 * time.Hour)
	for hour := range 12 {
		begin := midnight.Add(time.Duration(hour) * time.Hour)
		for i := range hour + 1 {
			add(begin.Add(time.Duration(i+1)*time.Minute), "checkout")
		}
		add(begin.Add(10*time.Minute), "login")
		add(begin.Add(20*time.Minute), "login")
	}
	return out
}

// asLog writes lines as a log file has them, with labels of their own.
func asLog(entries logql.Entries) string {
	var text strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&text, `{"timestamp":%q,"labels":{"service":%q,"level":"error"},"line":%q}`+"\n", e.Time.Format(time.RFC3339), e.Labels["service"], e.Line)
	}
	return text.String()
}

// both returns the service over a Loki and over a file with the same lines.
func both(t *testing.T, entries logql.Entries, c logify.Config) map[string]*logify.Service {
	t.Helper()
	_, url := startLoki(t, map[string]logql.Entries{"shop": entries})
	file := filepath.Join(t.TempDir(), "all.log")
	require.NoError(t, os.WriteFile(file, []byte(asLog(entries)), 0o600))
	loki, files := c, c
	loki.LokiURL, loki.Tenant, files.Files = url, "shop", []string{file}
	return map[string]*logify.Service{"loki": open(t, loki), "files": open(t, files)}
}

func TestNumbersOverTimeAreATableInItsOrder(t *testing.T) {
	t.Parallel()
	for name, s := range both(t, hours(), logify.Config{}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, question := range []string{"errors per hour today by service", "今天每小时每个服务有多少错误"} {
				res, err := ask(t, s, "ann", question)
				require.NoError(t, err)
				require.Equal(t, `sum by (service) (count_over_time({level="error"}[1h]))`, res.GetLogql(), question)
				require.Equal(t, time.Hour, res.GetStep().AsDuration())
				require.Equal(t, logifyv1.Strategy_STRATEGY_RULES, res.GetStrategy())
				require.Equal(t, now().Truncate(24*time.Hour).Add(time.Hour), res.GetStart().AsTime(), "the end of the first hour")
				require.Equal(t, now(), res.GetEnd().AsTime())
				require.Len(t, res.GetSamples(), 24)
				var columns []string
				for _, c := range res.GetPage().GetColumns() {
					columns = append(columns, c.GetName()+" "+c.GetType())
				}
				require.Equal(t, []string{"time timestamp", "service varchar", "value double"}, columns)
				counts := map[string]float64{}
				before := ""
				for _, row := range res.GetPage().GetRows() {
					at := row.GetValues()[0].GetStringValue()
					require.GreaterOrEqual(t, at, before)
					before = at
					counts[at+" "+row.GetValues()[1].GetStringValue()] = row.GetValues()[2].GetNumberValue()
				}
				require.InDelta(t, 1, counts["2026-03-01 01:00:00 checkout"], 0)
				require.InDelta(t, 12, counts["2026-03-01 12:00:00 checkout"], 0)
				require.InDelta(t, 2, counts["2026-03-01 07:00:00 login"], 0)
			}
			res, err := ask(t, s, "ann", "errors per hour today by service")
			require.NoError(t, err)
			require.Equal(t, "24 numbers over time; the highest is 12 (service checkout), up to 2026-03-01 12:00:00 UTC.", res.GetAnswer())
			require.Equal(t, "The number of lines of streams where level is error, over 1h, for each service, computed every 1h.", res.GetExplanation())
		})
	}
}

func TestAQueryRunsInSteps(t *testing.T) {
	t.Parallel()
	for name, s := range both(t, hours(), logify.Config{MaxSteps: 30, MaxPoints: 20}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query := func(text string, step time.Duration, from time.Duration) (*logifyv1.RunLogQLUnaryResponse, error) {
				return s.RunLogQLUnary(as(t, "ann"), &logifyv1.RunLogQLUnaryRequest{Query: &logifyv1.RunLogQLRequest{
					Logql: text, Start: timestamppb.New(now().Add(-from)), End: timestamppb.New(now()), Step: durationpb.New(step)}})
			}
			res, err := query(`sum(count_over_time({service="checkout"}[1h]))`, time.Hour, 3*time.Hour)
			require.NoError(t, err)
			var values []float64
			for _, v := range res.GetSamples() {
				values = append(values, v.GetValue())
			}
			require.Equal(t, []float64{9, 10, 11, 12}, values)
			require.Equal(t, "2026-03-01 09:00:00", res.GetPage().GetRows()[0].GetValues()[0].GetStringValue())

			lines, err := query(`{service="login"}`, time.Hour, 3*time.Hour)
			require.NoError(t, err)
			require.Len(t, lines.GetLines(), 6, "lines take no step")
			for text, reason := range map[string]string{
				`sum(count_over_time({service="checkout"}[1h]))`: "LOGS_TOO_MANY_STEPS",
			} {
				_, err = query(text, time.Minute, time.Hour)
				require.Equal(t, reason, fault.ReasonOf(err), "%v", err)
			}
			_, err = query(`sum by (service) (count_over_time({level="error"}[2h]))`, 20*time.Minute, 6*time.Hour)
			require.Equal(t, "LOGS_TOO_MANY_NUMBERS", fault.ReasonOf(err), "%v", err)
		})
	}
	// What a metric over time looks back is the time and its range.
	s := open(t, logify.Config{Files: []string{"unread"}, MaxRange: 24 * time.Hour})
	_, err := s.RunLogQLUnary(as(t, "ann"), &logifyv1.RunLogQLUnaryRequest{Query: &logifyv1.RunLogQLRequest{
		Logql: `sum(count_over_time({service="checkout"}[2h]))`, Start: timestamppb.New(now().Add(-23 * time.Hour)), End: timestamppb.New(now()), Step: durationpb.New(time.Hour)}})
	require.Equal(t, "LOGS_RANGE_TOO_LONG", fault.ReasonOf(err), "%v", err)
}

// A label may be called like a column of the table.
func TestLabelsCalledLikeColumnsKeepTheirNames(t *testing.T) {
	t.Parallel()
	var entries logql.Entries
	for i := range 4 {
		entries = append(entries, logql.Entry{Time: now().Add(-time.Duration(i) * time.Minute), Labels: map[string]string{"service": "web"}, Line: fmt.Sprintf("time=t%d value=v%d", i, i)})
	}
	for name, s := range both(t, entries, logify.Config{}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, err := s.RunLogQLUnary(as(t, "ann"), &logifyv1.RunLogQLUnaryRequest{Query: &logifyv1.RunLogQLRequest{
				Logql: `sum by (time, value) (count_over_time({service="web"} | logfmt [1h]))`, Start: timestamppb.New(now()), End: timestamppb.New(now()), Step: durationpb.New(time.Hour)}})
			require.NoError(t, err)
			var columns []string
			for _, c := range res.GetPage().GetColumns() {
				columns = append(columns, c.GetName())
			}
			require.Equal(t, []string{"time_", "time", "value", "value_"}, columns)
			require.Equal(t, "v0", res.GetPage().GetRows()[0].GetValues()[2].GetStringValue())
		})
	}
}

// TestHoursAreThoseOfTheAsker holds that hours begin where the asker's do: Loki computes
// at hours of UTC alone, and those of Kolkata begin at half past.
func TestHoursAreThoseOfTheAsker(t *testing.T) {
	t.Parallel()
	for name, s := range both(t, hours(), logify.Config{}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, err := s.GenerateLogQL(as(t, "ann"), &logifyv1.GenerateLogQLRequest{UserQuestion: "checkout errors per hour today", Execute: true,
				UserContext: &commonv1.UserContext{TimeZone: "Asia/Kolkata"}})
			require.NoError(t, err)
			require.Equal(t, time.Date(2026, 2, 28, 19, 30, 0, 0, time.UTC), res.GetStart().AsTime())
			require.Equal(t, time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC), res.GetEnd().AsTime(), "the last hour is not over")
			counts := map[string]float64{}
			for _, v := range res.GetSamples() {
				counts[v.GetTime().AsTime().Format("15:04")] = v.GetValue()
			}
			// The n-th hour has its lines in its first n minutes, those of an hour of
			// Kolkata in the second half of it.
			require.Equal(t, map[string]float64{"00:30": 1, "01:30": 2, "02:30": 3, "03:30": 4, "04:30": 5, "05:30": 6, "06:30": 7, "07:30": 8,
				"08:30": 9, "09:30": 10, "10:30": 11, "11:30": 12}, counts)
		})
	}
}

func TestStepsAreOfWholeSeconds(t *testing.T) {
	t.Parallel()
	for name, s := range both(t, hours(), logify.Config{}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := now().Add(17*time.Second + 123456789)
			res, err := s.GenerateLogQL(run.With(t.Context(), run.Context{Principal: run.Principal{ID: "ann"}, Now: at}),
				&logifyv1.GenerateLogQLRequest{UserQuestion: "checkout errors per hour in the last 3 hours", Execute: true})
			require.NoError(t, err)
			var values []float64
			for _, v := range res.GetSamples() {
				require.Zero(t, v.GetTime().GetNanos())
				values = append(values, v.GetValue())
			}
			require.Equal(t, []float64{10, 11, 12}, values)
		})
	}
}
