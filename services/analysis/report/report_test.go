package report

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/words"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// TestWordsHoldNoNumber: a number that stands in a sentence of the report itself would be
// one that nobody measured.
func TestWordsHoldNoNumber(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../words/words.yaml")
	require.NoError(t, err)
	var texts map[string]map[string]string
	require.NoError(t, yaml.Unmarshal(raw, &texts))
	for key, by := range texts {
		for _, text := range by {
			require.False(t, strings.HasPrefix(key, "r_") && strings.ContainsFunc(text, unicode.IsDigit), "%s: %s", key, text)
		}
	}
}

func state(l lang.Language) *workflow.State {
	usd := func(name, label string) workflow.Column {
		return workflow.Column{Name: name, Type: "double", Label: label, Unit: "USD"}
	}
	s := &workflow.State{ID: "ana_1", Query: workflow.Query{Question: "compare 2 clinics", Language: l, Now: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)}}
	s.Request.Metrics = []string{"fees"}
	s.Plan = plan.Plan{Version: 1, Steps: []plan.Step{
		{ID: "s1", Kind: plan.SQL, Title: "Fees by clinic", Instruction: "fees by clinic", Expects: plan.Categories},
		{ID: "s2", Kind: plan.SQL, Title: "A part for country 7", Instruction: "beds", Expects: plan.Figures},
		{ID: "report", Kind: plan.Report, Title: "Report", Instruction: "write", Inputs: []string{"s1", "s2"}},
	}, Unanswered: []plan.Part{{Text: "a forecast for 30 days", Reason: "Python is off"}}, Assumptions: []string{"No period: 2 months."}}
	s.Results = []workflow.Result{
		{Step: "s1", Status: workflow.StepDone, Tables: []workflow.Table{{
			Name: workflow.TableResult,
			Columns: []workflow.Column{
				{Name: "clinic", Type: "varchar"}, usd("fees", "fees"), usd("previous_fees", "fees before"), usd("fees_change", "change"),
				{Name: "fees_change_rate", Type: "double", Unit: "%"},
			},
			Rows: [][]any{{"Clinic 9", 120.5, 100.0, 20.5, 0.205}, {"South", 30.0, 80.0, -50.0, -0.625}, {"East", 7.0, nil, nil, nil}},
		}}, SQL: []string{"SELECT 1"}, Warnings: []workflow.Warning{{Code: "LATE", Text: "3 days are late."}}},
		{Step: "s2", Status: workflow.StepUnanswered, Problem: "nothing has that name in 12 tables"},
	}
	return s
}

func writer(t *testing.T) *Writer {
	t.Helper()
	said, err := words.New()
	require.NoError(t, err)
	return New(said, 100)
}

// TestAReportSaysWhatTheCellsSay: the numbers of its sentences are those of the results,
// what moved most comes first, and what was not answered is said.
func TestAReportSaysWhatTheCellsSay(t *testing.T) {
	t.Parallel()
	for language, want := range map[lang.Language][]string{
		lang.English: {"fees fell most in South: from 80 USD to 30 USD: -50 USD (-62.5%)", "could not be answered. nothing has that name in 12 tables", "Left out: a forecast for 30 days"},
		lang.Chinese: {"South的fees下降最多：从80 USD到30 USD，变化-50 USD（-62.5%）", "无法回答。nothing has that name in 12 tables", "未包含：a forecast for 30 days"},
	} {
		kept, err := writer(t).Check(state(language))
		require.NoError(t, err)
		summary := strings.Join(kept.Summary, "\n")
		for _, text := range want {
			require.Contains(t, summary, text)
		}
		var markdown, page strings.Builder
		require.NoError(t, writer(t).Markdown(&markdown, state(language)))
		require.NoError(t, writer(t).HTML(&page, state(language)))
		for _, text := range []string{"SELECT 1", "3 days are late.", "No period: 2 months.", "Clinic 9"} {
			require.Contains(t, markdown.String(), text)
			require.Contains(t, page.String(), text)
		}
		require.NotRegexp(t, regexp.MustCompile(`(?i)src=["']https?://`), page.String(), "it needs nothing else")
	}
}

// TestASummaryHasItsDates: of a change that is accounted for, which says the figure once and
// with its periods, else of what the first step took its days to be.
func TestASummaryHasItsDates(t *testing.T) {
	t.Parallel()
	s := state(lang.English)
	const days = "2026-01-01 to 2026-01-31, both days included"
	s.Results[0].Evidence.Assumptions = []string{days}
	kept, err := writer(t).Check(s)
	require.NoError(t, err)
	require.Equal(t, days, kept.Summary[1])

	number := func(name string) workflow.Column { return workflow.Column{Name: name, Type: "double"} }
	text := func(name string) workflow.Column { return workflow.Column{Name: name, Type: "varchar"} }
	s.Plan.Steps[1] = plan.Step{ID: "s2", Kind: plan.SQL, Title: "Fees", Instruction: "fees", Expects: plan.Figures}
	s.Results[1] = workflow.Result{Step: "s2", Status: workflow.StepDone, Tables: []workflow.Table{{
		Name: workflow.TableResult, Columns: []workflow.Column{number("fees")}, Rows: [][]any{{157.5}},
	}}}
	require.Contains(t, summaryOf(t, s), "fees: 157.5.")
	s.Plan.Steps = slices.Insert(s.Plan.Steps, 2, plan.Step{ID: "s3", Kind: plan.ExplainChange, Title: "Why", Instruction: "why", Inputs: []string{"s2"}, Expects: plan.Change})
	s.Results = append(s.Results, workflow.Result{Step: "s3", Status: workflow.StepDone, Tables: []workflow.Table{{
		Name:    workflow.TableFigures,
		Columns: []workflow.Column{text("metric"), text("before_period"), number("before"), text("after_period"), number("after"), number("change"), number("change_rate")},
		Rows:    [][]any{{"fees", "December", 180.0, "January", 157.5, -22.5, nil}},
	}}})
	require.Contains(t, summaryOf(t, s), "fees fell from 180 (December) to 157.5 (January): -22.5.")
	require.NotContains(t, summaryOf(t, s), days)
	require.NotContains(t, summaryOf(t, s), "fees: 157.5.", "it is said once")
}

func summaryOf(t *testing.T, s *workflow.State) []string {
	t.Helper()
	kept, err := writer(t).Check(s)
	require.NoError(t, err)
	return kept.Summary
}

// TestANumberThatIsNoCellIsHeldBack: what stands in a report in place of a cell is the
// cell's, a number of the words is none, and a quotation is somebody's.
func TestANumberThatIsNoCellIsHeldBack(t *testing.T) {
	t.Parallel()
	c := cellsOf(state(lang.English))
	good := Ref{"s1", workflow.TableResult, 0, "fees"}
	for name, s := range map[string]sentence{
		"another value":  {{ref: &good, shown: "120.6 USD"}},
		"no such cell":   {{ref: &Ref{"s1", workflow.TableResult, 9, "fees"}, shown: "1"}},
		"no such column": {{ref: &Ref{"s1", workflow.TableResult, 0, "profit"}, shown: "1"}},
		"no such step":   {{ref: &Ref{"s7", workflow.TableResult, 0, "fees"}, shown: "1"}},
		"its own number": {{words: "about 120"}},
		"nobody's words": {{quote: "profits doubled"}},
	} {
		require.Error(t, c.check(s), name)
	}
	require.NoError(t, c.check(sentence{{words: "Fees are "}, {ref: &good, shown: "120.50 USD"}, {quote: "3 days are late."}}))
}
