package answer

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

// Table draws the rows of a page, as many as the options say, with nothing beside them.
func Table(page *commonv1.ResultPage, o Options) string {
	text, _ := pageTable(page, o)
	return text
}

// pageTable draws the columns that there is room for; left are those that there is none for.
func pageTable(page *commonv1.ResultPage, o Options) (text string, left int) {
	columns := Columns(page)
	days := dayColumns(page)
	rows := make([][]string, 0, min(len(page.GetRows()), o.MaxRows))
	for _, row := range page.GetRows()[:min(len(page.GetRows()), o.MaxRows)] {
		texts := make([]string, len(row.GetValues()))
		for i, v := range row.GetValues() {
			texts[i] = shown(v, page.GetColumns(), i)
			if i < len(days) && days[i] {
				texts[i] = dayOf(texts[i])
			}
		}
		rows = append(rows, texts)
	}
	for i, c := range columns {
		if c.Right {
			var cells []*string
			for r := range rows {
				if i < len(rows[r]) {
					cells = append(cells, &rows[r][i])
				}
			}
			result.AlikeColumn(cells)
		}
	}
	fitting := term.Fitting(columns, rows, o.TableWidth)
	for i := range rows {
		rows[i] = rows[i][:min(len(rows[i]), fitting)]
	}
	return term.Table(columns[:fitting], rows, o.TableWidth, o.Style), len(columns) - fitting
}

// Shown writes a value of a column for a person who reads a file: percent and periods as
// such, all else with all it has.
func Shown(v *structpb.Value, columns []*commonv1.ResultColumn, i int) string {
	if text := shown(v, columns, i); text != Text(v) {
		return text
	}
	return Exact(v)
}

// shown writes a value of a column for a person.
func shown(v *structpb.Value, columns []*commonv1.ResultColumn, i int) string {
	if i < len(columns) {
		c := result.Column{Name: columns[i].GetName(), Type: columns[i].GetType(), Unit: columns[i].GetUnit(), Period: columns[i].GetPeriod()}
		if text, ok := c.Shown(v.AsInterface()); ok {
			return text
		}
	}
	return Text(v)
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
	if math.Abs(f) >= term.HugeNumber && !math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	if f == math.Trunc(f) || math.IsInf(f, 0) || math.IsNaN(f) {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	if math.Abs(f) < 0.001 {
		return strconv.FormatFloat(f, 'g', 4, 64)
	}
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 4, 64), "0"), ".")
}

// mostDigits is how many digits after the point tables have too.
const mostDigits = 2

// digitsOf is how many digits after the point the numbers of bars need, one below the other:
// mostDigits at most. Below zero: they are too small for that, and each is written by itself.
func digitsOf(values []float64) (digits int) {
	largest := 0.0
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		largest = max(largest, math.Abs(v))
		text := strings.TrimRight(strconv.FormatFloat(v, 'f', mostDigits, 64), "0")
		digits = max(digits, len(text)-1-strings.IndexByte(text, '.'))
	}
	if largest > 0 && largest < 0.1 {
		return -1
	}
	return digits
}

// alike writes a number with so many digits after the point, and one that would be nothing with
// them, or any where digits is below zero, as it is by itself.
func alike(v float64, digits int) string {
	if digits < 0 || math.Abs(v) >= term.HugeNumber || v != 0 && math.Abs(v) < math.Pow10(-digits)/2 {
		return number(v)
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// Result prints a table that is no answer to a question, with the chart that is advised
// for it; nil: none is.
func Result(w io.Writer, page *commonv1.ResultPage, chart *commonv1.Chart, o Options) {
	p := printer{w: w, o: o, words: wordsOf(commonv1.Language_LANGUAGE_UNSPECIFIED)}
	p.result(&chatbiv1.ExecuteResult{Page: page, Chart: chart})
}

// maxLinesDrawn is how many series of a line chart are drawn, one below the other.
const maxLinesDrawn = 4

// pageChart draws what the chart holds, where a terminal can: lines over an ordered axis
// and bars, the series one below the other. The chart has the whole series, of which the
// page may be a part.
func pageChart(c *commonv1.Chart, width int) string {
	spec, err := chart.ReadOption(c.GetEchartsOptionJson())
	if err != nil || !spec.Drawn() {
		return ""
	}
	switch spec.Kind {
	case chart.Line:
		if len(spec.Series) == 1 {
			return term.Line(spec.X.Labels, spec.Series[0].Values, width)
		}
		return seriesCharts(spec, width)
	case chart.Bar, chart.Pie, chart.StackedBar:
		if len(spec.Series) == 1 {
			return term.Bars(barsOf(spec, 0), width)
		}
		return seriesCharts(spec, width)
	}
	return ""
}

// inFiles are the kinds of charts that are drawn in files and not in a terminal.
var inFiles = []chart.Kind{chart.Pie, chart.StackedBar, chart.Scatter, chart.Heatmap}

// chartNote says in words what became of a chart that a terminal does not draw as it is;
// empty: it does, or there is none.
func (p printer) chartNote(c *commonv1.Chart, drawn bool) string {
	spec, err := chart.ReadOption(c.GetEchartsOptionJson())
	if err != nil || !spec.Drawn() || !slices.Contains(inFiles, spec.Kind) {
		return ""
	}
	language := lang.English
	if p.words.language == commonv1.Language_LANGUAGE_ZH {
		language = lang.Chinese
	}
	text := p.words.chartInFile
	if drawn {
		text = p.words.chartAsBars
	}
	return lang.Capital(fmt.Sprintf(text, spec.Kind.Title(language)))
}

// seriesCharts draws each series of a chart under its name, all over the same axis.
func seriesCharts(spec chart.Spec, width int) string {
	var out strings.Builder
	largest := 0.0
	if spec.Kind != chart.Line {
		for i := range spec.Series[:min(len(spec.Series), maxLinesDrawn)] {
			largest = max(largest, term.Largest(barsOf(spec, i)))
		}
	}
	for i, s := range spec.Series[:min(len(spec.Series), maxLinesDrawn)] {
		var line string
		if spec.Kind == chart.Line {
			line = term.Line(spec.X.Labels, s.Values, width)
		} else {
			line = term.BarsBeside(barsOf(spec, i), largest, width)
		}
		if line != "" {
			out.WriteString(term.Clean(s.Name) + "\n" + line)
		}
	}
	if left := len(spec.Series) - maxLinesDrawn; left > 0 && out.Len() > 0 {
		fmt.Fprintf(&out, "+%d\n", left)
	}
	return out.String()
}

// barsOf are the bars of a series that have a number.
func barsOf(spec chart.Spec, series int) []term.Bar {
	unit := ""
	if spec.Y.Name == chart.Percent {
		unit = chart.Percent
	}
	var bars []term.Bar
	values := spec.Series[series].Values
	digits := digitsOf(values)
	for i, label := range spec.X.Labels {
		if i < len(values) && !math.IsNaN(values[i]) {
			v := values[i]
			bars = append(bars, term.Bar{Label: label, Value: v, Text: alike(v, digits) + unit})
		}
	}
	return bars
}
