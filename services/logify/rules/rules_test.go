package rules_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/services/logify/drain"
	"github.com/dibrain/dibrain/services/logify/rules"
)

type shop struct {
	Streams []struct {
		Labels map[string]string `yaml:"labels"`
		Lines  []string          `yaml:"lines"`
	} `yaml:"streams"`
	Cases []struct {
		Question string   `yaml:"question"`
		LogQL    string   `yaml:"logql"`
		Ask      []string `yaml:"ask"`
		Step     string   `yaml:"step"` // empty: the query is computed once
	} `yaml:"cases"`
}

func open(t *testing.T) (shop, *rules.Known, *rules.Generator) { return openFile(t, "shop") }

func openFile(t *testing.T, name string) (shop, *rules.Known, *rules.Generator) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".yaml")
	require.NoError(t, err)
	var s shop
	require.NoError(t, yaml.Unmarshal(text, &s))
	var entries []logql.Entry
	for _, stream := range s.Streams {
		for _, line := range stream.Lines {
			entries = append(entries, logql.Entry{Labels: stream.Labels, Line: line})
		}
	}
	g, err := rules.New(rules.Config{})
	require.NoError(t, err)
	return s, rules.NewKnown(nil, entries, drain.Config{}), g
}

// todays are days on which dates go wrong when they do: ends of months and years, a
// leap day, a change of clocks.
func todays(t *testing.T) []time.Time {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	var out []time.Time
	for _, d := range []string{"2026-03-01 13:30", "2026-12-31 23:59", "2027-01-01 00:00", "2028-02-29 06:15", "2026-03-29 12:00", "2026-10-25 12:00"} {
		at, err := time.ParseInLocation("2006-01-02 15:04", d, zone)
		require.NoError(t, err)
		out = append(out, at)
	}
	return out
}

func TestQuestionsBecomeLogQL(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"shop", "mail", "backup"} {
		s, known, g := openFile(t, name)
		questionsBecomeLogQL(t, s, known, g)
	}
}

func questionsBecomeLogQL(t *testing.T, s shop, known *rules.Known, g *rules.Generator) {
	t.Helper()
	for _, c := range s.Cases {
		t.Run(c.Question, func(t *testing.T) {
			t.Parallel()
			for _, now := range todays(t) {
				q := g.Generate(c.Question, now, known)
				if len(c.Ask) > 0 {
					require.NotNil(t, q.Ask)
					require.Equal(t, c.Ask, q.Ask.Options)
					return
				}
				require.Nil(t, q.Ask)
				require.Equal(t, c.LogQL, logql.Print(q.Expr))
				if c.Step == "" {
					require.Zero(t, q.Step)
				} else {
					require.Equal(t, c.Step, logql.FormatDuration(q.Step))
				}
				require.Empty(t, logql.Check(c.LogQL, q.Expr))
			}
		})
	}
}

func TestDaysAreThoseOfTheAsker(t *testing.T) {
	t.Parallel()
	_, known, g := open(t)
	for _, now := range todays(t) {
		midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
		for _, question := range []string{"how many payments were declined in checkout yesterday", "checkout 昨天有多少 declined"} {
			q := g.Generate(question, now, known)
			var r *logql.RangeAgg
			logql.Ranges(q.Expr, func(found *logql.RangeAgg) { r = found })
			require.Equal(t, now.Sub(midnight), r.Offset, question)
			require.Equal(t, midnight.Sub(midnight.AddDate(0, 0, -1)), r.Range, "%s: a day has 23 to 25 hours", question)
			require.Equal(t, midnight, q.To)
		}
		q := g.Generate("show declined payments of checkout today", now, known)
		require.Equal(t, now, q.To)
		if now.After(midnight) {
			require.Equal(t, midnight, q.From)
		}
	}
}

func TestWhatIsAssumedIsSaid(t *testing.T) {
	t.Parallel()
	_, known, g := open(t)
	q := g.Generate("show flurbs of checkout", time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), known)
	require.Equal(t, `{service="checkout"} |~ "(?i)flurb"`, logql.Print(q.Expr))
	require.Contains(t, strings.Join(q.Notes, " "), "No known line says flurb")
	require.Contains(t, strings.Join(q.Notes, " "), "the last 1h")
}

func TestNothingKnownAsksBack(t *testing.T) {
	t.Parallel()
	g, err := rules.New(rules.Config{})
	require.NoError(t, err)
	q := g.Generate("errors", time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), rules.NewKnown(nil, nil, drain.Config{}))
	require.NotNil(t, q.Ask)
	require.Contains(t, q.Ask.Text, "No label")
}

func FuzzGenerate(f *testing.F) {
	for _, s := range []string{"top 3 users by logins", "最近三天 checkout 错误", `"declined" more than 5 per user`, "p99 of /cart {id} 'x", "since 25:99pm {*}"} {
		f.Add(s)
	}
	g, err := rules.New(rules.Config{})
	require.NoError(f, err)
	known := rules.NewKnown(nil, []logql.Entry{
		{Labels: map[string]string{"service": "checkout", "level": "error"}, Line: "payment 17 declined for user=ann after 20 ms"},
		{Labels: map[string]string{"service": "checkout", "level": "error"}, Line: "payment 18 declined for user=bob after 30 ms"},
	}, drain.Config{})
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, question string) {
		q := g.Generate(question, now, known)
		if q.Ask != nil {
			return
		}
		text := logql.Print(q.Expr)
		e, err := logql.Parse(text)
		require.NoError(t, err, "%q: %s", question, text)
		require.Empty(t, logql.Check(text, e), "%q: %s", question, text)
	})
}

// TestSpansDivideTheTime holds that the spans of a question begin where its time does,
// and that the last of them ends with it or after it.
func TestSpansDivideTheTime(t *testing.T) {
	t.Parallel()
	_, known, g := open(t)
	for _, now := range todays(t) {
		midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
		for question, c := range map[string]struct {
			begin, end time.Time
			step       time.Duration
		}{
			"errors of checkout per hour yesterday":               {midnight.AddDate(0, 0, -1), midnight, time.Hour},
			"checkout 昨天每小时有多少错误":                                 {midnight.AddDate(0, 0, -1), midnight, time.Hour},
			"daily errors of checkout in the last week":           {now.AddDate(0, 0, 0).Add(-7 * 24 * time.Hour), now, 24 * time.Hour},
			"errors of checkout per minute":                       {now.Add(-time.Hour), now, time.Minute},
			"errors of checkout per hour":                         {now.Add(-10 * time.Hour), now, time.Hour},
			"trend of errors of checkout in the last 24 hours":    {now.Add(-24 * time.Hour), now, time.Hour},
			"最近24小时 checkout 的错误趋势":                               {now.Add(-24 * time.Hour), now, time.Hour},
			"errors of checkout each hour in the last 90 minutes": {now.Add(-90 * time.Minute), now.Add(30 * time.Minute), time.Hour},
		} {
			q := g.Generate(question, now, known)
			require.Nil(t, q.Ask, question)
			require.Equal(t, c.step, q.Step, question)
			require.Equal(t, `sum(count_over_time({level="error", service="checkout"}[`+logql.FormatDuration(c.step)+`]))`, sorted(t, q.Expr), question)
			require.Equal(t, c.begin.Add(c.step), q.From, question)
			require.Equal(t, c.end, q.To, question)
		}
	}
	q := g.Generate("average number of errors per hour of checkout in the last 24 hours", todays(t)[0], known)
	require.Zero(t, q.Step, "an average is one number")
	require.Equal(t, `sum(count_over_time({level="error", service="checkout"}[24h])) / 24`, sorted(t, q.Expr))
	q = g.Generate("how many errors per hour had checkout in the last hour", todays(t)[0], known)
	require.Zero(t, q.Step, "the time is one span")
}

// sorted prints a query with the labels of its selectors in order.
func sorted(t *testing.T, e logql.Expr) string {
	t.Helper()
	logql.Logs(e, func(l *logql.LogExpr) {
		slices.SortFunc(l.Matchers, func(a, b logql.Matcher) int { return strings.Compare(a.Label, b.Label) })
	})
	return logql.Print(e)
}
