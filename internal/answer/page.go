package answer

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dibrain/dibrain/internal/term"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

func pageTable(page *commonv1.ResultPage, o Options) string {
	columns := Columns(page)
	days := dayColumns(page)
	rows := make([][]string, 0, min(len(page.GetRows()), o.MaxRows))
	for _, row := range page.GetRows()[:min(len(page.GetRows()), o.MaxRows)] {
		texts := make([]string, len(row.GetValues()))
		for i, v := range row.GetValues() {
			texts[i] = Text(v)
			if i < len(days) && days[i] {
				texts[i] = dayOf(texts[i])
			}
		}
		rows = append(rows, texts)
	}
	return term.Table(columns, rows, o.TableWidth, o.Style)
}

// Columns are those of a result, numbers at the right.
func Columns(page *commonv1.ResultPage) []term.Column {
	columns := make([]term.Column, len(page.GetColumns()))
	for i, c := range page.GetColumns() {
		columns[i] = term.Column{Title: c.GetName(), Right: isNumber(c.GetType())}
	}
	return columns
}

// dayColumns tells the columns of times that are all at midnight: they are days, as
// date_trunc makes them of a timestamp.
func dayColumns(page *commonv1.ResultPage) []bool {
	days := make([]bool, len(page.GetColumns()))
	for i, c := range page.GetColumns() {
		days[i] = strings.HasPrefix(strings.ToLower(c.GetType()), "timestamp")
		for _, row := range page.GetRows() {
			if !days[i] || i >= len(row.GetValues()) {
				break
			}
			_, isNull := row.GetValues()[i].GetKind().(*structpb.Value_NullValue)
			days[i] = isNull || dayOf(Text(row.GetValues()[i])) != Text(row.GetValues()[i])
		}
	}
	return days
}

// dayOf leaves midnight out of a time: "2026-09-28" of "2026-09-28 00:00:00.000000".
func dayOf(text string) string {
	day, clock, ok := strings.Cut(text, " ")
	if ok && clock != "" && strings.Trim(clock, "0:.") == "" {
		return day
	}
	return text
}

func isNumber(prestoType string) bool {
	base, _, _ := strings.Cut(strings.ToLower(prestoType), "(")
	switch base {
	case "tinyint", "smallint", "integer", "int", "bigint", "real", "double", "decimal":
		return true
	}
	return false
}

// Text writes a value for a person: doubles with at most four decimals, null as
// NULL, everything else as it came.
func Text(v *structpb.Value) string {
	switch k := v.GetKind().(type) {
	case *structpb.Value_NullValue, nil:
		return "NULL"
	case *structpb.Value_NumberValue:
		return number(k.NumberValue)
	case *structpb.Value_StringValue:
		return k.StringValue
	case *structpb.Value_BoolValue:
		return strconv.FormatBool(k.BoolValue)
	}
	text, err := json.Marshal(v.AsInterface())
	if err != nil {
		return "?"
	}
	return string(text)
}

func number(f float64) string {
	if f == math.Trunc(f) || math.IsInf(f, 0) || math.IsNaN(f) {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	if math.Abs(f) < 0.001 {
		return strconv.FormatFloat(f, 'g', 4, 64)
	}
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 4, 64), "0"), ".")
}

// Result prints a table that is no answer to a question, with the chart that is advised
// for it; nil: none is.
func Result(w io.Writer, page *commonv1.ResultPage, chart *commonv1.Chart, o Options) {
	p := printer{w: w, o: o, words: wordsOf(commonv1.Language_LANGUAGE_UNSPECIFIED)}
	p.result(&chatbiv1.ExecuteResult{Page: page, Chart: chart})
}

// maxLinesDrawn is how many series of a line chart are drawn, one below the other.
const maxLinesDrawn = 4

// seriesCharts draws a line for each series of a chart, all over the same axis.
func seriesCharts(page *commonv1.ResultPage, chart *commonv1.Chart, width int) string {
	x, y, of := columnOf(page, chart.GetX()), columnOf(page, chart.GetY()[0]), columnOf(page, chart.GetSeries())
	if x < 0 || y < 0 || of < 0 || chart.GetKind() != commonv1.ChartKind_CHART_KIND_LINE {
		return ""
	}
	var axis, names []string
	at := map[string]int{}
	series := map[string]map[string]float64{}
	for _, row := range page.GetRows() {
		if max(x, y, of) >= len(row.GetValues()) {
			return ""
		}
		label, name := Text(row.GetValues()[x]), Text(row.GetValues()[of])
		if _, known := at[label]; !known {
			at[label] = len(axis)
			axis = append(axis, label)
		}
		if series[name] == nil {
			series[name] = map[string]float64{}
			names = append(names, name)
		}
		if value, ok := floatOf(row.GetValues()[y]); ok {
			series[name][label] = value
		}
	}
	var out strings.Builder
	for _, name := range names[:min(len(names), maxLinesDrawn)] {
		values := make([]float64, len(axis))
		for i, label := range axis {
			values[i] = math.NaN() // a gap: the series has no number there
			if v, ok := series[name][label]; ok {
				values[i] = v
			}
		}
		if line := term.Line(axis, values, width); line != "" {
			out.WriteString(term.Clean(name) + "\n" + line)
		}
	}
	if left := len(names) - maxLinesDrawn; left > 0 && out.Len() > 0 {
		fmt.Fprintf(&out, "+%d\n", left)
	}
	return out.String()
}

// pageChart draws what the chart advises, where a terminal can: lines over an ordered
// axis, or one series of bars.
func pageChart(page *commonv1.ResultPage, chart *commonv1.Chart, width int) string {
	if chart == nil || len(chart.GetY()) == 0 {
		return ""
	}
	if chart.GetSeries() != "" {
		return seriesCharts(page, chart, width)
	}
	x, y := columnOf(page, chart.GetX()), columnOf(page, chart.GetY()[0])
	if x < 0 || y < 0 {
		return ""
	}
	isDay := dayColumns(page)[x]
	var labels []string
	var values []float64
	var bars []term.Bar
	for _, row := range page.GetRows() {
		if x >= len(row.GetValues()) || y >= len(row.GetValues()) {
			return ""
		}
		value, ok := floatOf(row.GetValues()[y])
		if !ok {
			value = math.NaN()
		}
		label := Text(row.GetValues()[x])
		if isDay {
			label = dayOf(label)
		}
		labels, values = append(labels, label), append(values, value)
		if ok {
			bars = append(bars, term.Bar{Label: label, Value: value, Text: Text(row.GetValues()[y])})
		}
	}
	switch chart.GetKind() {
	case commonv1.ChartKind_CHART_KIND_LINE:
		return term.Line(labels, values, width)
	case commonv1.ChartKind_CHART_KIND_BAR, commonv1.ChartKind_CHART_KIND_PIE:
		return term.Bars(bars, width)
	}
	return ""
}

func columnOf(page *commonv1.ResultPage, name string) int {
	for i, c := range page.GetColumns() {
		if strings.EqualFold(c.GetName(), name) {
			return i
		}
	}
	return -1
}

func floatOf(v *structpb.Value) (float64, bool) {
	switch k := v.GetKind().(type) {
	case *structpb.Value_NumberValue:
		return k.NumberValue, true
	case *structpb.Value_StringValue:
		f, err := strconv.ParseFloat(k.StringValue, 64)
		return f, err == nil
	}
	return 0, false
}
