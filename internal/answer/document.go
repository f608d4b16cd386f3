package answer

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/report"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// Document is an answer as a report, without the rows of its result: the question, the
// sentence, the findings, the chart, the SQL as it ran, and the evidence. at is when the
// question was asked.
func Document(a *routerv1.Answer, question string, at time.Time) report.Document {
	out := collect(a)
	language := lang.English
	if a.GetLanguage() == commonv1.Language_LANGUAGE_ZH {
		language = lang.Chinese
	}
	chart := Chart(a)
	d := report.Document{
		Language: language, Title: cmp.Or(chart.GetTitle(), lang.Shorten(lang.OneLine(question), maxTitle), "DI-Brain"),
		Asked: report.Asked{Question: question, At: at, RunID: a.GetRunId()},
	}
	for text := range strings.SplitSeq(a.GetText(), "\n") {
		if text = strings.TrimSpace(text); text != "" {
			d.Summary = append(d.Summary, text)
		}
	}
	for _, w := range warningsOf(a, out) {
		d.Warnings = append(d.Warnings, w.GetMessage())
	}
	section := report.Section{Certificate: certificate(out.execute.GetCertificate())}
	for _, f := range out.execute.GetFindings() {
		if f.GetKind() != "value" { // the answer itself says a single value
			section.Findings = append(section.Findings, f.GetText())
		}
	}
	if option := chart.GetEchartsOptionJson(); option != "" {
		section.Chart = &report.Chart{Option: option, Title: chart.GetTitle()}
	}
	if text := sqlOf(out); text != "" {
		section.SQL = []report.Statement{{Text: text}}
	}
	d.Sections = []report.Section{section}
	return d
}

// maxTitle is how long a question may be to be a title, in characters.
const maxTitle = 120

// Chart is the chart of what Page returns; nil where there is none.
func Chart(a *routerv1.Answer) *commonv1.Chart {
	out := collect(a)
	if len(out.execute.GetPage().GetColumns()) > 0 {
		return out.execute.GetChart()
	}
	return out.numbers.GetChart()
}

func certificate(c *commonv1.Certificate) *report.Certificate {
	if c == nil {
		return nil
	}
	r := &report.Certificate{
		Metrics: c.GetMetrics(), Filters: c.GetFilters(), Assumptions: c.GetAssumptions(),
		Rows: c.GetRows(), Bytes: c.GetBytesScanned(), Confidence: c.GetConfidence(), SHA256: c.GetStatementSha256(), Paragraph: c.GetParagraph(),
	}
	for _, change := range c.GetGuardChanges() {
		r.GuardChanges = append(r.GuardChanges, change.GetMessage())
	}
	for _, t := range c.GetTables() {
		r.Sources = append(r.Sources, report.Source{Name: t.GetTable(), Newest: t.GetLatestPartition(), Updated: timeOf(t.GetUpdatedAt())})
	}
	return r
}

func timeOf(t *timestamppb.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.AsTime().Local()
}

// warningsOf are the warnings of all parts of an answer, each text once.
func warningsOf(a *routerv1.Answer, out outputs) (all []*commonv1.Warning) {
	for _, list := range [][]*commonv1.Warning{a.GetWarnings(), out.execute.GetWarnings(), out.generate.GetWarnings(), out.discover.GetWarnings()} {
		for _, w := range list {
			if !slices.ContainsFunc(all, func(seen *commonv1.Warning) bool { return seen.GetMessage() == w.GetMessage() }) {
				all = append(all, w)
			}
		}
	}
	return all
}
