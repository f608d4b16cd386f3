package answer

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/chart"
)

// TestChartsOfATerminal: all shapes of charts as a terminal shows them, and in words what it
// does not draw as it is. The pictures stand in testdata/charts.golden, to be looked at.
func TestChartsOfATerminal(t *testing.T) {
	t.Parallel()
	wave := func(n int, base, swing float64) (all []float64) {
		for i := range n {
			all = append(all, math.Round(base+swing*math.Sin(float64(i)/3)))
		}
		return all
	}
	numbered := func(n int, format string) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf(format, i+1))
		}
		return all
	}
	gap := wave(30, 5000, 900)
	gap[11], gap[12] = math.NaN(), math.NaN()
	spike := wave(5000, 100, 5)
	spike[3217] = 900
	days := chart.Axis{Labels: numbered(30, "2026-10-%02d")}
	three := func(n int) (all []chart.Series) {
		for i, name := range []string{"Singapore", "泰国", "Việt Nam", "Brazil", "India"} {
			all = append(all, chart.Series{Name: name, Values: wave(n, float64(100*(i+1)), 30)})
		}
		return all
	}
	countries := []string{"Singapore", "泰国", "Việt Nam", "a country with quite a long name"}
	var got bytes.Buffer
	for _, s := range []struct {
		name     string
		spec     chart.Spec
		language commonv1.Language
	}{
		{"days", chart.Spec{Kind: chart.Line, X: days, Series: []chart.Series{{Values: wave(30, 5000, 900)}}}, 0},
		{"days with a gap", chart.Spec{Kind: chart.Line, X: days, Series: []chart.Series{{Values: gap}}}, 0},
		{"five thousand points, one of them a peak", chart.Spec{Kind: chart.Line, X: chart.Axis{Labels: numbered(5000, "minute %d")}, Series: []chart.Series{{Values: spike}}}, 0},
		{"one value many times", chart.Spec{Kind: chart.Line, X: days, Series: []chart.Series{{Values: make([]float64, 30)}}}, 0},
		{"small numbers below zero", chart.Spec{Kind: chart.Line, X: days, Series: []chart.Series{{Values: func() []float64 {
			x := wave(30, 0, 9)
			for i := range x {
				x[i] /= 10
			}
			return x
		}()}}}, 0},
		{"five series", chart.Spec{Kind: chart.Line, X: days, Series: three(30)}, 0},
		{"bars", chart.Spec{Kind: chart.Bar, X: chart.Axis{Labels: countries}, Series: []chart.Series{{Values: []float64{147516.3, 98211, math.NaN(), 1200}}}}, 0},
		{"bars in percent below zero", chart.Spec{Kind: chart.Bar, X: chart.Axis{Labels: countries}, Y: chart.Axis{Name: chart.Percent}, Series: []chart.Series{{Values: []float64{12, -8.5, 3.2, 0}}}}, 0},
		{"fifty bars", chart.Spec{Kind: chart.Bar, Horizontal: true, X: chart.Axis{Labels: numbered(50, "shop %d")}, Series: []chart.Series{{Values: wave(50, 500, 200)}}}, 0},
		{"two measures", chart.Spec{Kind: chart.Bar, X: chart.Axis{Labels: countries}, Series: []chart.Series{{Name: "this month", Values: []float64{14, 9, 7, 3}}, {Name: "上月", Values: []float64{12, 10, 7, 3}}}}, 0},
		{"stacked", chart.Spec{Kind: chart.StackedBar, X: chart.Axis{Labels: numbered(3, "2026-%02d")}, Series: three(3)}, 0},
		{"pie", chart.Spec{Kind: chart.Pie, X: chart.Axis{Labels: countries}, Series: []chart.Series{{Values: []float64{14, 9, 7, 3}}}}, 0},
		{"pie in Chinese", chart.Spec{Kind: chart.Pie, X: chart.Axis{Labels: countries}, Series: []chart.Series{{Values: []float64{14, 9, 7, 3}}}}, commonv1.Language_LANGUAGE_ZH},
		{"scatter", chart.Spec{Kind: chart.Scatter, X: chart.Axis{Name: "x"}, Y: chart.Axis{Name: "y"}, Series: []chart.Series{{Points: []chart.Point{{X: 1, Y: 2}, {X: 2, Y: 3}}}}}, 0},
		{"heat map in Chinese", chart.Spec{
			Kind: chart.Heatmap, X: chart.Axis{Labels: []string{"1", "2"}}, Y: chart.Axis{Labels: []string{"Mon", "Tue"}},
			Series: []chart.Series{{Name: "orders"}}, Cells: []chart.Cell{{Value: 1}, {Column: 1, Row: 1, Value: 2}},
		}, commonv1.Language_LANGUAGE_ZH},
		{"odd names", chart.Spec{Kind: chart.Bar, X: chart.Axis{Labels: []string{"<b>bold</b>", "שלום עולם", "a\x1b[31m\u202ec", strings.Repeat("long ", 40), ""}}, Series: []chart.Series{{Values: []float64{5, 4, 3, 2, 1}}}}, 0},
	} {
		p := printer{w: &got, o: Options{Width: 80, MaxRows: 5}, words: wordsOf(s.language)}
		fmt.Fprintf(&got, "--- %s\n", s.name)
		p.result(&chatbiv1.ExecuteResult{Chart: &commonv1.Chart{EchartsOptionJson: s.spec.Option()}})
	}
	const path = "testdata/charts.golden"
	if *update {
		require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run with -update to make it")
	require.Equal(t, string(want), got.String())
}

// TestNumbersBesideBars have the same digits after the point, as few as they need and two at most.
func TestNumbersBesideBars(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   []string
	}{
		{[]float64{95.6729, 2, -0.0752}, []string{"95.67", "2.00", "-0.08"}},
		{[]float64{12, math.NaN(), 8.5}, []string{"12.0", "NaN", "8.5"}},
		{[]float64{14, 9}, []string{"14", "9"}},
		{[]float64{0, 0}, []string{"0", "0"}},
		{[]float64{0.0123, 0.05}, []string{"0.0123", "0.05"}},
		{[]float64{3.25, 0.0004, 0}, []string{"3.25", "0.0004", "0.00"}},
	} {
		digits := digitsOf(c.values)
		for i, v := range c.values {
			require.Equal(t, c.want[i], alike(v, digits), "%v", c.values)
		}
	}
}
