package logql_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/logql"
)

// evalCase is a query of testdata/eval.yaml with what it has to give.
type evalCase struct {
	Query string `yaml:"query"`
	// Lines are those of a log query, the newest first; Points are LABELS VALUE.
	Lines  []string `yaml:"lines"`
	Points []string `yaml:"points"`
	Error  string   `yaml:"error"`
}

type evalStream struct {
	Labels map[string]string `yaml:"labels"`
	// Lines are a minute apart, the last at the time of the query.
	Lines []string `yaml:"lines"`
}

func evalFile(t *testing.T) (logql.Entries, []evalCase) {
	t.Helper()
	text, err := os.ReadFile("testdata/eval.yaml")
	require.NoError(t, err)
	var file struct {
		Streams []evalStream `yaml:"streams"`
		Cases   []evalCase   `yaml:"cases"`
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	var entries logql.Entries
	for _, s := range file.Streams {
		for i, line := range s.Lines {
			at := evalNow().Add(-time.Duration(len(s.Lines)-1-i) * time.Minute)
			entries = append(entries, logql.Entry{Time: at, Labels: s.Labels, Line: line})
		}
	}
	return entries, file.Cases
}

func evalNow() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func evaluate(t *testing.T, entries logql.Source, query string, w logql.Window, b logql.Bounds) (*logql.Output, error) {
	t.Helper()
	e, err := logql.Parse(query)
	require.NoError(t, err, query)
	require.Empty(t, logql.Check(query, e), query)
	return logql.Evaluate(t.Context(), e, entries, w, b)
}

func pointText(p logql.Point) string {
	var labels []string
	for name, value := range p.Labels {
		labels = append(labels, name+"="+value)
	}
	sort.Strings(labels)
	return strings.TrimSpace(fmt.Sprintf("%s %.4g", strings.Join(labels, ","), p.Value))
}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	entries, cases := evalFile(t)
	for _, c := range cases {
		t.Run(c.Query, func(t *testing.T) {
			t.Parallel()
			out, err := evaluate(t, entries, c.Query, logql.Window{From: evalNow().Add(-time.Hour), To: evalNow()}, logql.Bounds{})
			if c.Error != "" {
				require.ErrorContains(t, err, c.Error)
				return
			}
			require.NoError(t, err)
			var lines, points []string
			for _, l := range out.Lines {
				lines = append(lines, l.Line)
			}
			for _, p := range out.Points {
				points = append(points, pointText(p))
			}
			require.Equal(t, c.Lines, lines)
			require.Equal(t, c.Points, points)
		})
	}
}

func TestEvaluateInSteps(t *testing.T) {
	t.Parallel()
	entries, _ := evalFile(t)
	w := logql.Window{From: evalNow().Add(-2 * time.Minute), To: evalNow(), Step: time.Minute}
	out, err := evaluate(t, entries, `sum(count_over_time({app="web"}[1m]))`, w, logql.Bounds{Steps: 3})
	require.NoError(t, err)
	require.Len(t, out.Points, 3)
	for i, p := range out.Points {
		require.Equal(t, w.From.Add(time.Duration(i)*time.Minute), p.Time)
		require.InDelta(t, 1, p.Value, 0)
	}
	_, err = evaluate(t, entries, `sum(count_over_time({app="web"}[1m]))`, w, logql.Bounds{Steps: 2})
	require.ErrorIs(t, err, logql.ErrTooMuch)
}

func TestEvaluateIsBounded(t *testing.T) {
	t.Parallel()
	entries, _ := evalFile(t)
	w := logql.Window{From: evalNow().Add(-time.Hour), To: evalNow(), Limit: 2}
	out, err := evaluate(t, entries, `{app=~".+"}`, w, logql.Bounds{})
	require.NoError(t, err)
	require.Len(t, out.Lines, 2)
	require.True(t, out.Cut, "more passed")
	require.True(t, slices.IsSortedFunc(out.Lines, func(a, b logql.Entry) int { return b.Time.Compare(a.Time) }))
	_, err = evaluate(t, entries, `{app=~".+"}`, w, logql.Bounds{Lines: 3})
	require.ErrorIs(t, err, logql.ErrTooMuch)
	_, err = evaluate(t, entries, `count_over_time({app="sshd"} | regexp "user (?P<user>\\S+)" [1h])`, w, logql.Bounds{Series: 1})
	require.ErrorIs(t, err, logql.ErrTooMuch)
	_, err = evaluate(t, entries, "{app=\"web\"} | line_format `{{repeat 60000 \"x\"}}{{repeat 60000 \"y\"}}` | __error__=\"\"", w, logql.Bounds{})
	require.NoError(t, err, "a template that writes too much is an error of the line")
	ended, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	cancel(reason)
	e, err := logql.Parse(`{app="web"}`)
	require.NoError(t, err)
	_, err = logql.Evaluate(ended, e, entries, w, logql.Bounds{})
	require.ErrorIs(t, err, reason)
}
