package report_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"

	"github.com/dibrain/dibrain/pkg/chart"
	pages "github.com/dibrain/dibrain/pkg/document"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/report"
	"github.com/dibrain/dibrain/pkg/result"
)

// spec is a small line chart.
func spec() chart.Spec {
	return chart.Spec{
		Kind: chart.Line, Title: "GMV over time", X: chart.Axis{Name: "day", Labels: []string{"2026-11-01", "2026-11-02", "2026-11-03"}},
		Series: []chart.Series{{Name: "gmv", Values: []float64{10.5, 12, 8}}},
	}
}

func document(l lang.Language) report.Document {
	return report.Document{
		Language: l, Title: "GMV in Singapore",
		Asked:    report.Asked{Question: "What was the daily GMV?", By: "ana", At: time.Date(2026, 11, 19, 8, 0, 0, 0, time.UTC), RunID: "run_1"},
		Summary:  []string{"GMV was 30.50 USD."},
		Warnings: []string{"The last day is not whole."},
		Sections: []report.Section{{
			Heading: "By day", Paragraphs: []string{"It fell on the last day."}, Findings: []string{"Peak on 2 Nov."},
			Chart: &report.Chart{Option: spec().Option()},
			Table: &report.Table{Table: result.Table{
				Columns: []result.Column{{Name: "day", Type: "timestamp(3)"}, {Name: "gmv", Type: "decimal(18,2)"}},
				Rows:    [][]any{{"2026-11-01 00:00:00.000", "10.50"}, {"2026-11-02 00:00:00.000", nil}},
			}, Labels: []string{"Day", ""}, Total: 1234},
			Method: []string{"Sums of paid orders."}, SQL: []report.Statement{{Label: "By day", Text: "SELECT day,\n  sum(x)\nFROM t"}},
			Certificate: &report.Certificate{
				Sources: []report.Source{{Name: "sg.mart.t", Newest: "2026-11-18", Updated: time.Date(2026, 11, 19, 1, 2, 3, 0, time.UTC)}},
				Metrics: []string{"gmv: sum of paid"}, Filters: []string{"country is SG"}, Assumptions: []string{"today is 2026-11-19"},
				GuardChanges: []string{"LIMIT 10000 was added"}, Rows: 1234, Bytes: 4096, Confidence: .87, SHA256: "abc",
			},
		}},
	}
}

func written(t *testing.T, write func(d report.Document, o report.Options) (string, error), d report.Document) string {
	t.Helper()
	text, err := write(d, report.Options{})
	require.NoError(t, err)
	return text
}

func toHTML(d report.Document, o report.Options) (string, error) {
	var out bytes.Buffer
	err := report.HTML(&out, d, o)
	return out.String(), err
}

func toMarkdown(d report.Document, o report.Options) (string, error) {
	var out bytes.Buffer
	err := report.Markdown(&out, d, o)
	return out.String(), err
}

func TestEveryPartIsWritten(t *testing.T) {
	t.Parallel()
	parts := []string{
		"GMV in Singapore", "What was the daily GMV?", "ana", "2026-11-19 08:00 UTC", "run_1", "GMV was 30.50 USD.", "The last day is not whole.",
		"By day", "It fell on the last day.", "Peak on 2 Nov.", "GMV over time", "Lowest 8 (2026-11-03), highest 12 (2026-11-02).",
		"Day", "2026-11-01", "10.50", "NULL", "1,232 more rows", "Sums of paid orders.", "FROM t", "2026-11-19 01:02:03", "2026-11-18",
		"gmv: sum of paid", "country is SG", "today is 2026-11-19", "LIMIT 10000 was added", "1,234", "4,096", "87%",
	}
	page := textOf(t, written(t, toHTML, document(lang.English)))
	plain := strings.NewReplacer(`\`, "", "&#46;", ".").Replace(written(t, toMarkdown, document(lang.English)))
	for _, part := range parts {
		require.Contains(t, page, part)
		require.Contains(t, plain, part)
	}
	for _, text := range []string{page, plain} {
		require.NotContains(t, text, "00:00:00", "days are written as days")
	}
}

func TestHeadingsSpeakTheLanguageOfTheDocument(t *testing.T) {
	t.Parallel()
	page := written(t, toHTML, document(lang.Chinese))
	for _, text := range []string{textOf(t, page), written(t, toMarkdown, document(lang.Chinese))} {
		for _, word := range []string{"问题", "计算方法", "依据", "折线图", "还有 1,232 行"} {
			require.Contains(t, text, word)
		}
		for _, word := range []string{"Evidence", "Method", "more rows", "Line chart"} {
			require.NotContains(t, text, word)
		}
	}
	require.True(t, strings.Contains(page, `<html lang="zh-CN">`))
}

// hostile are texts that break a page out of its bounds where one is not escaped.
func hostile() []string {
	return []string{
		`<script>alert(1)</script>`, `</script><script>alert(1)</script>`, `<!--<script>`, `]]>`, `"><img src=x onerror=alert(1)>`,
		`' onmouseover='alert(1)`, `javascript:alert(1)`, "{{.}}", "a\u202etxt.exe", "\x1b[31mred", "bad\xff\xfe", "line\nbreak", `</style><b>`, `&lt;b&gt;`,
		"[a](http://evil.test)", "![a](http://evil.test/x.png)", "http://evil.test", "www.evil.test", "a@evil.test", "| a | b |", "```\ncode", "# head", "- item", "1. one", "1) one", "---", "===", "+ item", "> said", "1.", "$x$", "<http://evil.test>", "[^1]", "___",
	}
}

// everywhere is a document with a text in all its places.
func everywhere(text string) report.Document {
	c := chart.Spec{Kind: chart.Bar, Title: text, Alt: text, X: chart.Axis{Name: text, Labels: []string{text, "b"}}, Series: []chart.Series{{Name: text, Values: []float64{1, 2}}, {Name: text, Values: []float64{1, 2}}}}
	one := []string{text}
	return report.Document{
		Title: text, Asked: report.Asked{Question: text, By: text, RunID: text}, Summary: one, Warnings: one,
		Sections: []report.Section{
			{Heading: text, Paragraphs: one, Findings: one, Chart: &report.Chart{Option: c.Option(), Title: text, Alt: text}, Method: one, SQL: []report.Statement{{Label: text, Text: text}},
				Table:       &report.Table{Table: result.Table{Columns: []result.Column{{Name: text, Type: "varchar"}}, Rows: [][]any{{text}, {[]any{text}}, {map[string]any{text: text}}}}, Caption: text, Labels: one},
				Certificate: &report.Certificate{Sources: []report.Source{{Name: text, Newest: text}}, Metrics: one, Filters: one, Assumptions: one, GuardChanges: one, SHA256: text}},
			{Chart: &report.Chart{Option: c.Option()}},
		},
	}
}

func TestNothingInAPageIsObeyed(t *testing.T) {
	t.Parallel()
	harmless := elements(t, written(t, toHTML, everywhere("harmless")))
	for _, value := range hostile() {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			page := written(t, toHTML, everywhere(value))
			require.Equal(t, harmless, elements(t, page), "a value must not become a part of the page")
			for _, unseen := range []string{"\u202e", "\x1b", "\xff"} {
				require.False(t, strings.Contains(page, unseen), "%q is in the page", unseen)
			}
		})
	}
}

func TestAPageLoadsNothing(t *testing.T) {
	t.Parallel()
	page := written(t, toHTML, document(lang.English))
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	require.Len(t, policy, 2)
	require.Contains(t, policy[1], "default-src &#39;none&#39;")
	require.NotContains(t, policy[1], "unsafe")
	require.NotContains(t, policy[1], "http")
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	for node := range root.Descendants() {
		for _, a := range node.Attr {
			require.NotContains(t, []string{"src", "href", "srcset", "style", "action", "data"}, a.Key, "%s loads or styles by itself", node.Data)
			require.False(t, strings.HasPrefix(a.Key, "on"), "%s has code in %s", node.Data, a.Key)
		}
	}
}

func TestNothingInMarkdownIsObeyed(t *testing.T) {
	t.Parallel()
	reader := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser()
	kinds := func(t *testing.T, source string) (out []string) {
		t.Helper()
		err := ast.Walk(reader.Parse(text.NewReader([]byte(source))), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && n.Kind() != ast.KindText && n.Kind() != ast.KindString {
				out = append(out, n.Kind().String())
			}
			return ast.WalkContinue, nil
		})
		require.NoError(t, err)
		return out
	}
	harmless := kinds(t, written(t, toMarkdown, everywhere("harmless")))
	require.Contains(t, harmless, "Table")
	for _, value := range hostile() {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, harmless, kinds(t, written(t, toMarkdown, everywhere(value))))
		})
	}
}

func TestMarkdownLeavesNumbersAsTheyAre(t *testing.T) {
	t.Parallel()
	d := report.Document{Title: "t", Sections: []report.Section{{Table: &report.Table{Table: result.Table{
		Columns: []result.Column{{Name: "n", Type: "decimal(9,2)"}}, Rows: [][]any{{"161858.76"}, {"-5.10"}},
	}}}}}
	text := written(t, toMarkdown, d)
	require.Contains(t, text, "| 161858.76 |")
	require.Contains(t, text, "| -5.10 |")
}

func TestTheLibraryIsThereOnlyForCharts(t *testing.T) {
	t.Parallel()
	d := document(lang.English)
	require.True(t, strings.Contains(written(t, toHTML, d), "Apache Software Foundation"))
	d.Sections[0].Chart = nil
	without := written(t, toHTML, d)
	require.NotContains(t, without, "<script")
	require.Less(t, len(without), 20_000)
}

// TestShortCellsStayOnOneLine: on paper columns are narrow, and a percentage is not broken.
func TestShortCellsStayOnOneLine(t *testing.T) {
	t.Parallel()
	table := &report.Table{Table: result.Table{Columns: []result.Column{{Name: "what", Type: "varchar"}}, Rows: [][]any{{"34.6%"}, {"2026-11-11"}, {"Of more than ten characters"}}}}
	page := written(t, toHTML, report.Document{Title: "t", Sections: []report.Section{{Table: table}}})
	for _, text := range []string{"34.6%", "2026-11-11"} {
		require.Contains(t, page, `<td class="short"><bdi>`+text+`</bdi></td>`)
	}
	require.Contains(t, page, `<td class="text"><bdi>Of more than ten characters</bdi></td>`)
}

func TestAChartHasATableOfItsData(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]chart.Spec{
		"line": spec(),
		"pie":  {Kind: chart.Pie, X: chart.Axis{Labels: []string{"a", "b"}}, Series: []chart.Series{{Name: "n", Values: []float64{12.25, 8}}}},
		"scatter": {Kind: chart.Scatter, X: chart.Axis{Name: "x"}, Y: chart.Axis{Name: "y"},
			Series: []chart.Series{{Name: "s", Points: []chart.Point{{X: 12.25, Y: 8}}}}},
		"heat map": {Kind: chart.Heatmap, X: chart.Axis{Labels: []string{"a"}}, Y: chart.Axis{Labels: []string{"b"}}, Series: []chart.Series{{Name: "n"}}, Cells: []chart.Cell{{Value: 12.25}, {Value: 8}}},
		"bars":     {Kind: chart.Bar, Horizontal: true, X: chart.Axis{Labels: []string{"a", "b"}}, Series: []chart.Series{{Name: "n", Values: []float64{12.25, 8}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := report.Document{Title: "t", Sections: []report.Section{{Chart: &report.Chart{Option: c.Option()}}}}
			require.True(t, regexp.MustCompile(`<td class="number"><bdi>8(\.0+)?</bdi></td>`).MatchString(written(t, toHTML, d)))
			require.Regexp(t, `\| 8(\.0+)? \|`, written(t, toMarkdown, d))
		})
	}
}

func TestABrokenChartIsTold(t *testing.T) {
	t.Parallel()
	d := report.Document{Title: "t", Sections: []report.Section{{Chart: &report.Chart{Option: `{"series":[{"type":"graph"}]}`}}}}
	_, err := toHTML(d, report.Options{})
	require.ErrorContains(t, err, `"graph"`)
}

func TestRowsAreBounded(t *testing.T) {
	t.Parallel()
	d := document(lang.English)
	table := d.Sections[0].Table
	table.Total = 0
	for range 4 {
		table.Rows = append(table.Rows, table.Rows...)
	}
	text, err := toMarkdown(d, report.Options{MaxRows: 31})
	require.NoError(t, err)
	require.Contains(t, text, "… 1 more row\n")
}

// elements are the tags of a page with their attributes' names, in order.
func elements(t *testing.T, page string) (out []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	for node := range root.Descendants() {
		if node.Type != html.ElementNode {
			require.NotEqual(t, html.CommentNode, node.Type)
			continue
		}
		tag := node.Data
		for _, a := range node.Attr {
			tag += " " + a.Key
		}
		out = append(out, tag)
	}
	return out
}

// textOf is what a page says.
func textOf(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var out strings.Builder
	for node := range root.Descendants() {
		if node.Type == html.TextNode && node.Parent.Data != "script" && node.Parent.Data != "style" {
			out.WriteString(node.Data + "\n")
		}
	}
	return out.String()
}

// TestAPDFHoldsThePartsOfTheDocument: its text can be read again, in both languages, its pages
// hold charts as pictures; the same document makes the same bytes.
func TestAPDFHoldsThePartsOfTheDocument(t *testing.T) {
	t.Parallel()
	for _, l := range []lang.Language{lang.English, lang.Chinese} {
		d := document(l)
		var one, again bytes.Buffer
		require.NoError(t, report.PDF(&one, d, report.Options{}))
		require.NoError(t, report.PDF(&again, d, report.Options{}))
		require.Equal(t, one.Bytes(), again.Bytes(), "the same document, the same bytes")
		require.Contains(t, one.String(), "/Subtype /Image")
		read, err := pages.Read(t.Context(), "report.pdf", one.Bytes(), pages.Limits{MaxBytes: 1 << 20, MaxText: 1 << 20, MaxSections: 100, MaxPages: 50, MaxPassage: 2000})
		require.NoError(t, err)
		text := ""
		for _, section := range read.Sections {
			text += strings.Join(section.Blocks, "\n") + "\n"
		}
		squeezed := func(text string) string { return strings.Join(strings.Fields(text), "") }
		for _, part := range append([]string{d.Title, d.Asked.Question}, d.Summary...) {
			require.Contains(t, squeezed(text), squeezed(part), l)
		}
		require.Contains(t, squeezed(text), "2026-11-0110.50", "a row of the table")
	}
}

// TestNothingInAPDFIsObeyed: texts make no links, actions, scripts or files, and texts of any
// length and many columns stay on the page.
func TestNothingInAPDFIsObeyed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Join(hostile(), " "), strings.Repeat("x", 5000), strings.Repeat("国", 3000)} {
		d := everywhere(text)
		var out bytes.Buffer
		require.NoError(t, report.PDF(&out, d, report.Options{}))
		for _, mark := range []string{"/JavaScript", "/URI", "/Launch", "/OpenAction", "/Type /EmbeddedFile", "/AcroForm"} {
			require.False(t, bytes.Contains(out.Bytes(), []byte(mark)), "%s of %.60q", mark, text)
		}
	}
}

// TestChartsOfManyRowsAreTall: fifty names below one another need more room than a picture has,
// and twelve names of series more than a line.
func TestChartsOfManyRowsAreTall(t *testing.T) {
	t.Parallel()
	page := func(bars, series int) string {
		s := chart.Spec{Kind: chart.Bar, Horizontal: true}
		for i := range bars {
			s.X.Labels = append(s.X.Labels, fmt.Sprint("shop ", i))
		}
		for i := range series {
			s.Series = append(s.Series, chart.Series{Name: fmt.Sprint("a long category ", i), Values: make([]float64, bars)})
		}
		var b strings.Builder
		require.NoError(t, report.HTML(&b, report.Document{Title: "t", Sections: []report.Section{{Chart: &report.Chart{Option: s.Option()}}}}, report.Options{}))
		return strings.Join(regexp.MustCompile(`data-height="\d+"|"top":\d+`).FindAllString(b.String(), -1), " ")
	}
	require.Equal(t, `"top":40`, page(5, 1))
	require.Equal(t, `data-height="1410" "top":40`, page(50, 1))
	require.Equal(t, `data-height="870" "top":88 "top":0`, page(5, 12))
}

// TestTipsAreDrawn on the picture: as HTML, ECharts would put the names of groups into the page.
func TestTipsAreDrawn(t *testing.T) {
	t.Parallel()
	axes := chart.Axis{Labels: []string{"a", "b"}}
	for _, s := range []chart.Spec{
		{Kind: chart.Line, X: axes, Series: []chart.Series{{Values: []float64{1, 2}}}},
		{Kind: chart.Pie, X: axes, Series: []chart.Series{{Values: []float64{1, 2}}}},
		{Kind: chart.Scatter, Series: []chart.Series{{Points: []chart.Point{{X: 1, Y: 2}}}}},
		{Kind: chart.Heatmap, X: axes, Y: axes, Cells: []chart.Cell{{Value: 1}}},
	} {
		var b strings.Builder
		require.NoError(t, report.HTML(&b, report.Document{Title: "t", Sections: []report.Section{{Chart: &report.Chart{Option: s.Option()}}}}, report.Options{}))
		require.True(t, strings.Contains(b.String(), `"renderMode":"richText"`), s.Kind.Name())
	}
}

// TestAPDFIsReadFromRightToLeft: a line and a cell have their letters in the order in which they
// are seen, line by line where a text is broken.
func TestAPDFIsReadFromRightToLeft(t *testing.T) {
	t.Parallel()
	d := report.Document{Title: "t", Summary: []string{strings.Repeat("שלום ", 40) + "סוף"}, Sections: []report.Section{{Table: &report.Table{
		Table: result.Table{Columns: []result.Column{{Name: "city", Type: "varchar"}}, Rows: [][]any{{"תל אביב"}}},
	}}}}
	var out bytes.Buffer
	require.NoError(t, report.PDF(&out, d, report.Options{}))
	// A word of a page is written in two bytes a letter.
	words := ""
	for _, part := range bytes.Split(out.Bytes(), []byte("stream\n"))[1:] {
		if r, err := zlib.NewReader(bytes.NewReader(part)); err == nil {
			text, _ := io.ReadAll(r) // it ends where the stream does
			words += string(text)
		}
	}
	written := func(text string) string {
		var b strings.Builder
		for _, unit := range utf16.Encode([]rune(text)) {
			b.WriteString(string([]byte{byte(unit >> 8), byte(unit)}))
		}
		return b.String()
	}
	require.Contains(t, words, written("ביבא לת"))
	require.Contains(t, words, written("םולש םולש"))
	require.Contains(t, words, written("ףוס םולש"), "the last word is at the left of the last line")
	require.NotContains(t, words, written("םולש ףוס"))
}
