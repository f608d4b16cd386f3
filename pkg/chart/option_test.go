package chart_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/lang"
)

// specs are a chart of each kind that is drawn.
func specs() []chart.Spec {
	days := chart.Axis{Labels: []string{"2026-11-01", "</script>", "周三"}}
	two := []chart.Series{{Name: "a", Values: []float64{1, 2.5, -3}}, {Name: "b", Values: []float64{0, 1e9, 4}}}
	return []chart.Spec{
		{Kind: chart.Line, Title: "t", Alt: "what it shows", X: days, Series: two},
		{Kind: chart.Bar, Title: "t", X: days, Y: chart.Axis{Name: "USD"}, Series: two[:1]},
		{Kind: chart.Bar, Title: "t", X: days, Y: chart.Axis{Name: chart.Percent}, Series: two, Horizontal: true},
		{Kind: chart.StackedBar, Title: "t", X: days, Series: two},
		{Kind: chart.Pie, Title: "t", X: days, Series: two[:1]},
		{Kind: chart.Scatter, Title: "t", X: chart.Axis{Name: "price"}, Y: chart.Axis{Name: "n"}, Series: []chart.Series{{Name: "a", Points: []chart.Point{{X: 1, Y: 2}, {X: 3, Y: 4}}}}},
		{Kind: chart.Heatmap, Title: "t", X: days, Y: chart.Axis{Labels: []string{"0", "12"}}, Series: []chart.Series{{Name: "n"}}, Cells: []chart.Cell{{Column: 2, Row: 1, Value: 7}, {Value: 3}}},
	}
}

func TestAnOptionIsReadBackAsItWas(t *testing.T) {
	t.Parallel()
	for _, want := range specs() {
		got, err := chart.ReadOption(want.Option())
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestNumbersThatJSONHasNotAreGaps(t *testing.T) {
	t.Parallel()
	got, err := chart.ReadOption(chart.Spec{Kind: chart.Line, X: chart.Axis{Labels: []string{"a", "b", "c"}}, Series: []chart.Series{{Values: []float64{math.NaN(), math.Inf(1), 2}}}}.Option())
	require.NoError(t, err)
	require.True(t, math.IsNaN(got.Series[0].Values[0]) && math.IsNaN(got.Series[0].Values[1]))
	require.InDelta(t, 2, got.Series[0].Values[2], 0)
}

func TestWhatIsNoPartOfAChartIsLeftOut(t *testing.T) {
	t.Parallel()
	got, err := chart.ReadOption(`{"title":[{"text":"t","link":"javascript:alert(1)"}],"graphic":{"image":"http://evil.test/x"},"toolbox":{"feature":{}},
		"xAxis":{"type":"category","data":["a",1,null,{"value":"b"}]},"series":{"type":"bar","data":[1,"2",null,{"value":3}],"itemStyle":{"color":"url(x)"}}}`)
	require.NoError(t, err)
	text := got.Option()
	for _, gone := range []string{"javascript", "evil", "toolbox", "url("} {
		require.NotContains(t, text, gone)
	}
	require.Equal(t, "t", got.Title)
	require.Len(t, got.Series[0].Values, 4)
}

func TestOptionsThatCannotBeDrawnAreTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{":                           "no ECharts option",
		`{"series":[]}`:               "no series",
		`{"series":[{"type":"map"}]}`: `"map"`,
		`{"series":[{"type":"bar"},{"type":"pie"}]}`:                                           "together",
		strings.Repeat(" ", chart.MaxOptionBytes+1):                                            "bytes",
		`{"series":[{"type":"line","data":[` + strings.Repeat("1,", chart.MaxPoints) + `1]}]}`: "points",
	} {
		_, err := chart.ReadOption(text)
		require.ErrorContains(t, err, want)
	}
	s, err := chart.ReadOption("")
	require.NoError(t, err)
	require.False(t, s.Drawn())
}

func TestCellsOutsideOfTheirAxesAreLeftOut(t *testing.T) {
	t.Parallel()
	s, err := chart.ReadOption(`{"xAxis":{"data":["a"]},"yAxis":{"data":["b"]},"series":[{"type":"heatmap","data":[[0,0,1],[5,0,1],[-1,0,1],[null,0,1],[0]]}]}`)
	require.NoError(t, err)
	require.Equal(t, []chart.Cell{{Value: 1}}, s.Cells)
}

func TestChartsAreDescribedInBothLanguages(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Line chart: t. 3 points from 2026-11-01 to 周三, 2 series: a, b. Lowest -3 (周三, a), highest 1,000,000,000 (</script>, b).", specs()[0].Describe(lang.English))
	require.Equal(t, "散点图：t。2个点，n对price。最低2，最高4。", specs()[5].Describe(lang.Chinese))
	require.Contains(t, specs()[2].Describe(lang.English), "highest 1,000,000,000% (</script>, b)")
	require.Contains(t, specs()[1].Describe(lang.Chinese), "最高2.5 USD（</script>）")
	for i, s := range specs() {
		for _, l := range []lang.Language{lang.English, lang.Chinese} {
			require.NotContains(t, s.Describe(l), "%!", fmt.Sprint(i, l))
		}
	}
}

// TestLongNamesOfUprightAxes begin at the axis, so that nothing of them is outside the picture.
func TestLongNamesOfUprightAxes(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]bool{"percentage points": true, "平均客单价（美元）": true, "USD": false, "": false} {
		for _, s := range []chart.Spec{
			{Kind: chart.Bar, X: chart.Axis{Labels: []string{"a", "b"}}, Y: chart.Axis{Name: name}, Series: []chart.Series{{Values: []float64{1, 2}}}},
			{Kind: chart.Scatter, Y: chart.Axis{Name: name}, Series: []chart.Series{{Points: []chart.Point{{X: 1, Y: 2}, {X: 2, Y: 3}}}}},
		} {
			option := s.Option()
			require.Equal(t, left, strings.Contains(option, `"align":"left"`), option)
		}
	}
}

// TestLinesFarFromZero have an axis of their own; bars and other lines begin at zero.
func TestLinesFarFromZero(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		zero   bool
	}{{[]float64{100, 110, 95}, false}, {[]float64{1.2e9, 1.5e9}, true}, {[]float64{10, 15}, true}, {[]float64{-100, -90}, false}, {[]float64{-1, 1}, true}, {[]float64{0, 0}, true}} {
		s := chart.Spec{Kind: chart.Line, X: chart.Axis{Labels: []string{"a", "b", "c"}[:len(c.values)]}, Series: []chart.Series{{Values: c.values}}}
		require.Equal(t, c.zero, s.FromZero(), c.values)
		require.Equal(t, !c.zero, strings.Contains(s.Option(), `"scale":true`), c.values)
		s.Kind = chart.Bar
		require.True(t, s.FromZero())
	}
}

// TestColoursOfHeatMaps: zero has the same colour whichever numbers are beside it, and what is
// below zero has another than what is above.
func TestColoursOfHeatMaps(t *testing.T) {
	t.Parallel()
	of := func(values ...float64) chart.Spec {
		s := chart.Spec{Kind: chart.Heatmap, X: chart.Axis{Labels: []string{"a"}}, Y: chart.Axis{Labels: []string{"1", "2", "3"}}, Series: []chart.Series{{Name: "n"}}}
		for i, v := range values {
			s.Cells = append(s.Cells, chart.Cell{Row: i, Value: v})
		}
		return s
	}
	low, high, shades := of(3, 7).Scale()
	require.Equal(t, []float64{0, 7}, []float64{low, high})
	require.Equal(t, chart.Shades(), shades)
	low, high, shades = of(-9, 7).Scale()
	require.Equal(t, []float64{-9, 9}, []float64{low, high})
	require.Equal(t, chart.ShadesOfBoth(), shades)
	low, high, _ = of(math.NaN()).Scale()
	require.Equal(t, []float64{0, 0}, []float64{low, high})
	require.Contains(t, of(-9, 7).Option(), `"inverse":true`, "the first row is on top")
}
