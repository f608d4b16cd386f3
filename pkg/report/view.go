package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/result"
)

// view is a document made ready: all texts visible and on one line, tables cut to their
// bounds, charts read. Writers add nothing but their own marks.
type view struct {
	Language lang.Language
	Words    words
	Title    string
	Asked    []pair
	Summary  []string
	Warnings []string
	Sections []sectionView
}

type pair struct{ Name, Text string }

type sectionView struct {
	Heading    string
	Paragraphs []string
	Findings   []string
	Chart      *chartView
	Table      *tableView
	Method     []string
	SQL        []Statement
	Code       string
	Evidence   []listed
}

// listed is a line of evidence: one text, or several.
type listed struct {
	Name  string
	Texts []string
}

type chartView struct {
	ID, Title, Alt string
	// Height in pixels; 0: as the page has it.
	Height int
	Spec   chart.Spec
	// Option for ECharts, presented for a page.
	Option json.RawMessage
}

type tableView struct {
	Caption string
	Columns []columnView
	Rows    [][]cellView
	// More says how many rows are left out; empty: none.
	More string
}

type columnView struct {
	Title string
	// Number columns are aligned at the right.
	Number bool
}

// shortCell is how many characters of a cell are not broken over lines.
const shortCell = 10

type cellView struct {
	Text         string
	Number, Null bool
	// Short texts, such as a percentage or a day, stay on one line.
	Short bool
}

func newView(d Document, o Options) (view, error) {
	if d.Language != lang.Chinese {
		d.Language = lang.English
	}
	v := view{
		Language: d.Language, Words: wordsOf(d.Language), Title: prose.Line(d.Title),
		Summary: lines(d.Summary), Warnings: lines(d.Warnings),
	}
	v.Asked = asked(d.Asked, v.Words)
	for i, s := range d.Sections {
		section, err := v.section(s, o)
		if err != nil {
			return view{}, err
		}
		if section.Chart != nil {
			section.Chart.ID = "chart-" + strconv.Itoa(i+1)
		}
		v.Sections = append(v.Sections, section)
	}
	return v, nil
}

// lines are the texts that are not empty, each on one line.
func lines(texts []string) []string {
	var out []string
	for _, text := range texts {
		if text = strings.TrimSpace(prose.Line(text)); text != "" {
			out = append(out, text)
		}
	}
	return out
}

func asked(a Asked, w words) []pair {
	at := ""
	if !a.At.IsZero() {
		at = a.At.Format("2006-01-02 15:04 MST")
	}
	var out []pair
	for _, p := range []pair{{w.Question, a.Question}, {w.AskedBy, a.By}, {w.ReadAt, at}, {w.Run, a.RunID}} {
		if p.Text = strings.TrimSpace(prose.Line(p.Text)); p.Text != "" {
			out = append(out, p)
		}
	}
	return out
}

func (v view) section(s Section, o Options) (sectionView, error) {
	out := sectionView{
		Heading: prose.Line(s.Heading), Paragraphs: lines(s.Paragraphs), Findings: lines(s.Findings), Method: lines(s.Method),
		Evidence: v.evidence(s.Certificate), Code: strings.TrimSpace(prose.Visible(s.Code)),
	}
	for _, statement := range s.SQL {
		if text := strings.TrimSpace(prose.Visible(statement.Text)); text != "" {
			out.SQL = append(out.SQL, Statement{Label: prose.Line(statement.Label), Text: text})
		}
	}
	if s.Chart != nil {
		c, err := v.chart(*s.Chart)
		if err != nil {
			return out, err
		}
		out.Chart = c
	}
	switch {
	case s.Table != nil && len(s.Table.Columns) > 0:
		out.Table = v.table(*s.Table, o)
	case out.Chart != nil:
		out.Table = v.table(dataOf(out.Chart.Spec, v.Words), o)
	}
	return out, nil
}

// Spec reads the chart with its title and description; one that draws nothing says so by
// Drawn.
func (c Chart) Spec(l lang.Language) (chart.Spec, error) {
	spec, err := chart.ReadOption(c.Option)
	if err != nil || !spec.Drawn() {
		return spec, err
	}
	spec.Visible(prose.Line)
	spec.Title = cmp.Or(prose.Line(c.Title), spec.Title)
	spec.Alt = cmp.Or(prose.Line(c.Alt), spec.Alt, spec.Describe(l))
	return spec, nil
}

// chart reads the chart of a section; nil: it has none that is drawn.
func (v view) chart(c Chart) (*chartView, error) {
	spec, err := c.Spec(v.Language)
	if err != nil || !spec.Drawn() {
		return nil, err
	}
	out := &chartView{Title: spec.Title, Alt: spec.Alt, Spec: spec}
	if height := chartAround + spec.Tall(); height > chartHeight {
		out.Height = height
	}
	out.Option, err = pageOption(spec)
	return out, err
}

// pageOption is the option of a chart on a page, which has the title and the description
// outside of the picture.
func pageOption(spec chart.Spec) (json.RawMessage, error) {
	spec.Title, spec.Alt = "", ""
	var o map[string]any
	if err := json.Unmarshal([]byte(spec.Option()), &o); err != nil {
		return nil, fmt.Errorf("write a chart: %w", err)
	}
	delete(o, "title")
	o["animation"] = false // a page that is printed at once shows all of it
	o["textStyle"] = map[string]any{"color": "#1f2328", "fontFamily": "sans-serif"}
	if tooltip, ok := o["tooltip"].(map[string]any); ok {
		tooltip["renderMode"] = "richText" // drawn, so that no value becomes part of the page
	}
	top, bottom := 40, 16
	if legend, ok := o["legend"].(map[string]any); ok {
		legend["top"] = 0
		top += (legendLines(spec.Series) - 1) * legendLine
	}
	if scale, ok := o["visualMap"].(map[string]any); ok {
		scale["orient"], scale["left"], scale["bottom"] = "horizontal", "center", 0
		bottom = 80
	}
	if x, ok := o["xAxis"].(map[string]any); ok && x["name"] != nil {
		x["nameLocation"], x["nameGap"] = "middle", 28
		bottom = max(bottom, 36)
	}
	if len(spec.X.Labels) > maxUnzoomed && spec.Kind == chart.Line {
		o["dataZoom"] = []any{map[string]any{"type": "inside"}, map[string]any{"type": "slider", "bottom": 8}}
		bottom = 72
	}
	o["grid"] = map[string]any{"left": 16, "right": 32, "top": top, "bottom": bottom, "containLabel": true}
	return json.Marshal(o)
}

// Heights of a chart in pixels: what page.css gives each, and what is around its rows.
const chartHeight, chartAround = 384, 110

// legendLine is how high a line of a legend is, in pixels.
const legendLine = 24

// legendLines is how many lines the names of series take on a page of its full width. On a
// narrow one, page.js leaves one line to turn over.
func legendLines(series []chart.Series) int {
	const width, letter, around = 880, 7, 45
	lines, used := 1, 0
	for _, s := range series {
		wide := letter*runewidth.StringWidth(s.Name) + around
		if used > 0 && used+wide > width {
			lines, used = lines+1, 0
		}
		used += wide
	}
	return lines
}

// maxUnzoomed is how many points of a line are shown without a part to choose.
const maxUnzoomed = 60

// dataOf is the table of a chart's data.
func dataOf(s chart.Spec, w words) Table {
	number := func(f float64) any {
		if math.IsNaN(f) {
			return nil
		}
		return f
	}
	t := Table{}
	column := func(name, kind string) {
		t.Columns = append(t.Columns, result.Column{Name: name, Type: kind})
	}
	switch s.Kind {
	case chart.Scatter:
		column(w.Series, "varchar")
		column(s.X.Name, "double")
		column(s.Y.Name, "double")
		for _, one := range s.Series {
			for _, p := range one.Points {
				t.Rows = append(t.Rows, []any{one.Name, number(p.X), number(p.Y)})
			}
		}
	case chart.Heatmap:
		column(s.X.Name, "varchar")
		column(s.Y.Name, "varchar")
		column("", "double")
		for _, c := range s.Cells {
			t.Rows = append(t.Rows, []any{s.X.Labels[c.Column], s.Y.Labels[c.Row], number(c.Value)})
		}
	default:
		column(s.X.Name, "varchar")
		for _, one := range s.Series {
			column(one.Name, "double")
		}
		for i, label := range s.X.Labels {
			row := []any{label}
			for _, one := range s.Series {
				var value any
				if i < len(one.Values) {
					value = number(one.Values[i])
				}
				row = append(row, value)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func (v view) table(t Table, o Options) *tableView {
	out := &tableView{Caption: prose.Line(t.Caption)}
	for i, c := range t.Columns {
		title := c.Name
		if i < len(t.Labels) && t.Labels[i] != "" {
			title = t.Labels[i]
		}
		out.Columns = append(out.Columns, columnView{Title: prose.Line(title), Number: c.Kind().Numeric()})
	}
	shown := t.Rows[:min(len(t.Rows), o.MaxRows)]
	days := dayColumns(t.Columns, shown)
	for _, row := range shown {
		cells := make([]cellView, len(t.Columns))
		for i := range cells {
			var value any
			if i < len(row) {
				value = row[i]
			}
			text, ok := Text(value, t.Columns[i])
			if days[i] && t.Columns[i].Period == "" {
				text, _, _ = strings.Cut(text, " ")
			}
			cells[i] = cellView{Text: prose.Line(text), Number: out.Columns[i].Number, Null: !ok, Short: utf8.RuneCountInString(text) <= shortCell}
		}
		out.Rows = append(out.Rows, cells)
	}
	out.alike()
	switch left := max(t.Total, int64(len(t.Rows))) - int64(len(shown)); {
	case left == 1:
		out.More = v.Words.MoreRow
	case left > 1:
		out.More = fmt.Sprintf(v.Words.MoreRows, result.Int(left))
	}
	return out
}

// alike gives the numbers of each column the same decimals.
func (t *tableView) alike() {
	for i, c := range t.Columns {
		if !c.Number {
			continue
		}
		cells := make([]*string, len(t.Rows))
		for r, row := range t.Rows {
			cells[r] = &row[i].Text
		}
		result.AlikeColumn(cells)
	}
}

// dayColumns tells the columns of times that are all at midnight: they are days.
func dayColumns(columns []result.Column, rows [][]any) []bool {
	days := make([]bool, len(columns))
	for i, c := range columns {
		days[i] = c.Kind() == result.KindTimestamp && len(rows) > 0
		for _, row := range rows {
			if i >= len(row) || row[i] == nil {
				continue
			}
			text, _ := row[i].(string)
			day, clock, ok := strings.Cut(text, " ")
			days[i] = days[i] && ok && day != "" && strings.Trim(clock, "0:.") == ""
		}
	}
	return days
}

// longestFraction is how many digits of a double stand after the point.
const longestFraction = 4

// Text writes a value of a table for a person: percent and periods as Column.Shown does, doubles with at most four digits after the
// point, all else with all it has; false: it is null. Numbers have no separators, since
// some are identifiers and years.
func Text(value any, column result.Column) (string, bool) {
	if text, ok := column.Shown(value); ok {
		return text, true
	}
	switch v := value.(type) {
	case nil:
		return "NULL", false
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return result.Text(v, column)
		}
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return strconv.FormatFloat(v, 'f', -1, 64), true
		}
		if a := math.Abs(v); a < 0.001 || a >= 1e15 {
			return strconv.FormatFloat(v, 'g', longestFraction, 64), true
		}
		return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', longestFraction, 64), "0"), "."), true
	case string:
		return v, true
	}
	return result.Text(value, column)
}

func (v view) evidence(c *Certificate) []listed {
	if c == nil {
		return nil
	}
	w := v.Words
	var sources []string
	for _, s := range c.Sources {
		text := s.Name
		if s.Newest != "" {
			text += " · " + w.Newest + s.Newest
		}
		if !s.Updated.IsZero() {
			text += " · " + w.Updated + s.Updated.Format(time.DateTime)
		}
		sources = append(sources, text)
	}
	number := func(n int64) []string {
		if n == 0 {
			return nil
		}
		return []string{result.Int(n).String()}
	}
	var confidence []string
	if c.Confidence > 0 && len(c.Metrics) > 0 {
		confidence = []string{result.Percent(c.Confidence)}
	}
	var out []listed
	for _, one := range []listed{
		{w.InShort, []string{c.Paragraph}},
		{w.Tables, sources},
		{w.Metrics, c.Metrics},
		{w.Filters, c.Filters},
		{w.Assumptions, c.Assumptions},
		{w.Guard, c.GuardChanges},
		{w.Rows, number(c.Rows)},
		{w.Bytes, number(c.Bytes)},
		{w.Confidence, confidence},
		{w.Statement, []string{c.SHA256}},
	} {
		if one.Texts = lines(one.Texts); len(one.Texts) > 0 {
			out = append(out, one)
		}
	}
	return out
}
