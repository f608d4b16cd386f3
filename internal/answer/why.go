package answer

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dibrain/dibrain/internal/term"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// PrintWhy writes what an answer can be trusted for: how sure it is, whose query it
// is, how it was understood, how the numbers are defined, how new the data are, and
// what was assumed, changed or warned of.
func PrintWhy(w io.Writer, a *routerv1.Answer, o Options) {
	p := printer{w: w, o: o, words: wordsOf(a.GetLanguage())}
	out := collect(a)
	certificate := out.execute.GetCertificate()
	if certificate == nil && out.generate == nil {
		p.line(p.words.noWhy)
		return
	}
	if text := certificate.GetParagraph(); text != "" {
		p.said(text)
	}
	if text := p.confidence(out); text != "" {
		p.said(text)
	}
	if v := out.generate.GetVerified(); v != nil && len(out.generate.GetCandidates()) > 0 {
		p.said(out.generate.GetCandidates()[0].GetReason())
	}
	for _, t := range certificate.GetTables() {
		text := t.GetTable()
		if t.GetLatestPartition() != "" {
			text += " · " + p.words.newest + t.GetLatestPartition()
		}
		if t.GetUpdatedAt() != nil {
			text += " · " + p.words.changed + t.GetUpdatedAt().AsTime().Local().Format(time.DateTime)
		}
		p.said(text)
	}
	if certificate != nil {
		p.said(fmt.Sprintf(p.words.rows, certificate.GetRows()))
	}
	p.details(outputs{generate: out.generate, execute: out.execute})
	p.warnings(a, out)
}

// confidence says how sure an answer is, where that tells something: a semantic layer
// defines its figures. Without one the number does not tell right answers from wrong ones
// (docs/decisions/0045-no-percentage-without-a-layer.md), and the evidence has to do.
func (p printer) confidence(out outputs) string {
	certificate := out.execute.GetCertificate()
	confidence, defined := certificate.GetConfidence(), certificate.GetMetrics()
	if confidence == 0 {
		confidence, defined = out.generate.GetConfidence(), append(slices.Clone(defined), out.generate.GetMetrics()...)
	}
	if confidence == 0 || len(defined) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %.0f %%", p.words.confidence, confidence*100)
}

// said writes a line of evidence.
func (p printer) said(text string) { p.item("  ", term.Clean(text), nil) }

// PrintChart writes the chart of an answer alone.
func PrintChart(w io.Writer, a *routerv1.Answer, o Options) {
	r := collect(a).execute
	p := printer{w: w, o: o, words: wordsOf(a.GetLanguage())}
	drawn := pageChart(r.GetChart(), o.Width)
	note := p.chartNote(r.GetChart(), drawn != "")
	fmt.Fprint(w, drawn)
	switch {
	case note != "":
		fmt.Fprintln(w, note)
	case drawn == "":
		fmt.Fprintln(w, p.words.noChart)
	}
}

// Page is the first page of the result of an answer, or the table beside its text; nil
// where it has none.
func Page(a *routerv1.Answer) *commonv1.ResultPage {
	out := collect(a)
	if page := out.execute.GetPage(); len(page.GetColumns()) > 0 {
		return page
	}
	return out.numbers.GetPage()
}

// Exact writes a value as it came, for other programs: an empty text for null.
func Exact(v *structpb.Value) string {
	switch k := v.GetKind().(type) {
	case *structpb.Value_NullValue, nil:
		return ""
	case *structpb.Value_StringValue:
		return k.StringValue
	}
	text, err := v.MarshalJSON()
	if err != nil {
		return fmt.Sprint(v.AsInterface())
	}
	return strings.TrimSpace(string(text))
}
