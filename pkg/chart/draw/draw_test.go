package draw_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	imagedraw "image/draw"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/chart/draw"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
)

// out is a folder that the pictures of all shapes are written into, to be looked at, with
// chart-shapes.png, which has all of them and stands in docs/pictures.
var out = flag.String("out", "", "folder for the pictures of the shapes")

func names(n int, format string) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(format, i+1))
	}
	return all
}

func wave(n int, base, swing float64) []float64 {
	var all []float64
	for i := range n {
		all = append(all, base+swing*math.Sin(float64(i)/3)+swing*float64(i%7)/10)
	}
	return all
}

type shape struct {
	name string
	spec chart.Spec
}

// shapes are results as they come, the odd ones too.
func shapes() []shape {
	day := chart.Axis{Labels: names(30, "2026-10-%02d")}
	countries := []string{"Singapore", "Thailand", "Việt Nam", "Indonesia", "Malaysia"}
	many := func(n, points int) (all []chart.Series) {
		for i := range n {
			all = append(all, chart.Series{Name: fmt.Sprintf("category %d", i+1), Values: wave(points, float64(100*(i+1)), 30)})
		}
		return all
	}
	gap := wave(30, 5000, 900)
	gap[11], gap[12] = math.NaN(), math.NaN()
	spike := wave(5000, 100, 5)
	spike[3217] = 900
	var cloud []chart.Point
	for i := range 300 {
		x := float64(i%83) * 3.7
		cloud = append(cloud, chart.Point{X: x, Y: 40 + x*1.4 + float64(i%29)*5})
	}
	var cells []chart.Cell
	for h := range 24 {
		for d := range 7 {
			cells = append(cells, chart.Cell{Column: h, Row: d, Value: math.Round(1000 * math.Abs(math.Sin(float64(h)/6)*math.Cos(float64(d)/5)))})
		}
	}
	return []shape{
		{"01-days", chart.Spec{Kind: chart.Line, Title: "GMV over time", X: day, Y: chart.Axis{Name: "USD"}, Series: []chart.Series{{Name: "GMV", Values: wave(30, 5000, 900)}}}},
		{"02-days-with-a-gap", chart.Spec{Kind: chart.Line, Title: "随时间变化的成交总额", X: day, Y: chart.Axis{Name: "USD"}, Series: []chart.Series{{Name: "成交总额", Values: gap}}}},
		{"03-five-series", chart.Spec{Kind: chart.Line, Title: "Orders over time by country", X: day, Series: many(5, 30)}},
		{"04-twelve-series", chart.Spec{Kind: chart.Line, Title: "Orders over time by category", X: day, Series: many(12, 30)}},
		{"05-a-rate", chart.Spec{Kind: chart.Line, Title: "Cancellation rate over time", X: day, Y: chart.Axis{Name: chart.Percent}, Series: []chart.Series{{Name: "rate", Values: wave(30, 12, 2)}}}},
		{"06-five-thousand-points", chart.Spec{Kind: chart.Line, Title: "Requests by minute", X: chart.Axis{Labels: names(5000, "minute %d")}, Series: []chart.Series{{Name: "requests", Values: spike}}}},
		{"07-two-points", chart.Spec{Kind: chart.Line, Title: "GMV over time", X: chart.Axis{Labels: []string{"2025", "2026"}}, Series: []chart.Series{{Name: "GMV", Values: []float64{1.2e9, 1.5e9}}}}},
		{"08-bars", chart.Spec{Kind: chart.Bar, Title: "GMV by country", X: chart.Axis{Labels: countries}, Y: chart.Axis{Name: "USD"}, Series: []chart.Series{{Name: "GMV", Values: []float64{147516.3, 98211, 76500.25, 32110, 1200}}}}},
		{"09-bars-zh", chart.Spec{Kind: chart.Bar, Title: "各品类的订单数", X: chart.Axis{Labels: []string{"手机与配件", "女装", "家居生活", "美妆个护", "食品饮料", "母婴", "运动户外"}}, Series: []chart.Series{{Name: "订单数", Values: []float64{5200, 4800, 3100, 2900, 1500, 900, 300}}}}},
		{"10-fifteen-upright-bars", chart.Spec{Kind: chart.Bar, Title: "Orders by shop", X: chart.Axis{Labels: names(15, "Shop no. %d")}, Series: []chart.Series{{Name: "orders", Values: wave(15, 50, 20)}}}},
		{"11-fifty-lying-bars", chart.Spec{Kind: chart.Bar, Horizontal: true, Title: "Orders by shop", X: chart.Axis{Labels: names(50, "The shop around corner no. %d")}, Series: []chart.Series{{Name: "orders", Values: wave(50, 500, 200)}}}},
		{"12-bars-below-zero", chart.Spec{Kind: chart.Bar, Title: "Change of GMV by country", X: chart.Axis{Labels: countries}, Y: chart.Axis{Name: chart.Percent}, Series: []chart.Series{{Name: "change", Values: []float64{12, -8.5, 3.2, -15, 0.4}}}}},
		{"13-two-measures", chart.Spec{Kind: chart.Bar, Title: "This month and last by country", X: chart.Axis{Labels: countries}, Y: chart.Axis{Name: "USD"}, Series: []chart.Series{{Name: "this month", Values: []float64{147516.3, 98211, 76500.25, 32110, 1200}}, {Name: "last month", Values: []float64{120516.3, 108211, 70500.25, 30110, 5200}}}}},
		{"14-stacked", chart.Spec{Kind: chart.StackedBar, Title: "Orders over time by country", X: chart.Axis{Labels: names(12, "2026-%02d")}, Series: many(5, 12)}},
		{"15-stacked-lying", chart.Spec{Kind: chart.StackedBar, Horizontal: true, Title: "Orders by shop and status", X: chart.Axis{Labels: names(18, "A shop with a long name %d")}, Series: many(3, 18)}},
		{"16-pie", chart.Spec{Kind: chart.Pie, Title: "Orders by payment method", X: chart.Axis{Labels: []string{"CREDIT_CARD", "BANK_TRANSFER", "COD", "E_WALLET", "分期付款", "3 others"}}, Series: []chart.Series{{Name: "orders", Values: []float64{420, 380, 250, 120, 40, 8}}}}},
		{"17-scatter", chart.Spec{Kind: chart.Scatter, Title: "Units sold against price", X: chart.Axis{Name: "price (USD)"}, Y: chart.Axis{Name: "units sold"}, Series: []chart.Series{{Points: cloud}}}},
		{"18-scatter-of-groups", chart.Spec{Kind: chart.Scatter, Title: "Units sold against price", X: chart.Axis{Name: "price (USD)"}, Y: chart.Axis{Name: "units sold"}, Series: []chart.Series{{Name: "phones", Points: cloud[:100]}, {Name: "女装", Points: cloud[100:200]}}}},
		{"19-heat-map", chart.Spec{Kind: chart.Heatmap, Title: "Orders by hour and weekday", X: chart.Axis{Labels: names(24, "%d h")}, Y: chart.Axis{Labels: []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}}, Series: []chart.Series{{Name: "orders"}}, Cells: cells}},
		{"20-odd-names", chart.Spec{Kind: chart.Bar, Title: "<script>alert(1)</script> & \"so on\"", X: chart.Axis{Labels: []string{"<b>bold</b>", "a & b", "שלום עולם", "مرحبا", "a\x00b\u202ec", strings.Repeat("long ", 40), ""}}, Series: []chart.Series{{Name: "n", Values: []float64{5, 4, math.Inf(1), math.NaN(), 2, 1, 3}}}}},
		{"21-one-value-many-times", chart.Spec{Kind: chart.Line, Title: "Stock over time", X: day, Series: []chart.Series{{Name: "stock", Values: make([]float64, 30)}}}},
		{"22-small-numbers", chart.Spec{Kind: chart.Line, Title: "Error share over time", X: day, Series: []chart.Series{{Name: "share", Values: wave(30, 0.00012, 0.00003)}}}},
		{"23-heat-map-of-names", chart.Spec{Kind: chart.Heatmap, Title: "各城市与品类的成交额", X: chart.Axis{Labels: []string{"手机与配件", "女装", "家居生活", "美妆个护", "食品饮料"}}, Y: chart.Axis{Labels: countries}, Series: []chart.Series{{Name: "GMV (USD)"}}, Cells: []chart.Cell{{Value: 5200}, {Column: 1, Row: 1, Value: 48000}, {Column: 2, Row: 2, Value: -3100}, {Column: 3, Row: 3, Value: 2900}, {Column: 4, Row: 4, Value: 15000}}}},
	}
}

func drawn(t *testing.T, s chart.Spec, f draw.Format) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, draw.Draw(&b, s, f))
	return b.Bytes()
}

// textsOf are the texts of an SVG picture. It fails where the picture is no XML or has
// an element that draws nothing.
func textsOf(t *testing.T, picture []byte) []string {
	t.Helper()
	var texts []string
	d := xml.NewDecoder(bytes.NewReader(picture))
	in := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			in = token.Name.Local
			require.Contains(t, []string{"svg", "title", "desc", "path", "text", "circle", "rect", "g"}, in)
			for _, a := range token.Attr {
				require.NotContains(t, strings.ToLower(a.Name.Local), "href")
				require.False(t, strings.HasPrefix(strings.ToLower(a.Name.Local), "on"), a.Name.Local)
			}
		case xml.EndElement:
			in = ""
		case xml.CharData:
			if in == "text" {
				texts = append(texts, string(token))
			}
		}
	}
}

// TestShapesAreDrawn in both formats: the SVG is XML with all names of bars, slices and
// series and nothing that runs, the PNG a picture of the same size that is not empty.
func TestShapesAreDrawn(t *testing.T) {
	t.Parallel()
	if *out != "" {
		t.Cleanup(func() { writeSheet(t) })
	}
	for _, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.spec.Alt = s.spec.Describe(lang.English)
			vector, raster := drawn(t, s.spec, draw.SVG), drawn(t, s.spec, draw.PNG)
			if *out != "" {
				require.NoError(t, os.WriteFile(filepath.Join(*out, s.name+".svg"), vector, 0o600))
				require.NoError(t, os.WriteFile(filepath.Join(*out, s.name+".png"), raster, 0o600))
			}
			texts := textsOf(t, vector)
			require.Contains(t, texts, s.spec.Title)
			require.NotContains(t, string(vector), "NaN")
			if s.spec.Kind != chart.Line && s.name != "20-odd-names" {
				all := strings.Join(texts, "\n")
				for _, label := range append(s.spec.X.Labels, s.spec.Y.Labels...) {
					require.Contains(t, all, firstCells(label), "a name is missing")
				}
			}
			if len(s.spec.Series) > 1 {
				for _, one := range s.spec.Series {
					require.Contains(t, texts, one.Name)
				}
			}
			picture, err := png.Decode(bytes.NewReader(raster))
			require.NoError(t, err)
			require.Equal(t, 960, picture.Bounds().Dx())
			colours := map[[3]uint32]bool{}
			for y := 70; y < picture.Bounds().Dy(); y++ {
				r, g, b, _ := picture.At(480, y).RGBA()
				colours[[3]uint32{r, g, b}] = true
			}
			require.Greater(t, len(colours), 1, "nothing is drawn")
		})
	}
}

func firstCells(label string) string {
	runes := []rune(label)
	return string(runes[:min(len(runes), 5)])
}

// mean is the colour of a square of points.
func mean(of image.Image, x, y, side int) color.Color {
	var r, g, b uint32
	for dy := range side {
		for dx := range side {
			red, green, blue, _ := of.At(x+dx, y+dy).RGBA()
			r, g, b = r+red, g+green, b+blue
		}
	}
	n := uint32(side * side)                                                             //nolint:gosec // a few points
	return color.RGBA64{R: uint16(r / n), G: uint16(g / n), B: uint16(b / n), A: 0xffff} //nolint:gosec // means of 16 bits
}

// writeSheet puts the pictures of all shapes beside one another, at half their size.
func writeSheet(t *testing.T) {
	t.Helper()
	const columns, wide, high, margin = 4, 480, 270, 8
	all := shapes()
	sheet := image.NewRGBA(image.Rect(0, 0, columns*(wide+margin)+margin, (len(all)+columns-1)/columns*(high+margin)+margin))
	imagedraw.Draw(sheet, sheet.Bounds(), image.NewUniform(color.Gray{Y: 0xdd}), image.Point{}, imagedraw.Src)
	for i, s := range all {
		picture, err := png.Decode(bytes.NewReader(drawn(t, s.spec, draw.PNG)))
		require.NoError(t, err)
		left, top := margin+i%columns*(wide+margin), margin+i/columns*(high+margin)
		size := picture.Bounds().Size()
		k := max((size.X+wide-1)/wide, (size.Y+high-1)/high) // a tall one is made smaller
		imagedraw.Draw(sheet, image.Rect(left, top, left+wide, top+high), image.White, image.Point{}, imagedraw.Src)
		for y := range size.Y / k {
			for x := range size.X / k {
				sheet.Set(left+x, top+y, mean(picture, k*x, k*y, k))
			}
		}
	}
	var b bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, sheet))
	require.NoError(t, os.WriteFile(filepath.Join(*out, "chart-shapes.png"), b.Bytes(), 0o600))
}

func TestTextsBecomeNoMarks(t *testing.T) {
	t.Parallel()
	for _, kind := range []chart.Kind{chart.Line, chart.Bar, chart.StackedBar, chart.Pie, chart.Scatter, chart.Heatmap} {
		evil := `</text><script>alert(1)</script>&"'` + "\ue001\x1b\u202e"
		s := chart.Spec{
			Kind: kind, Title: evil, Alt: evil, X: chart.Axis{Name: evil, Labels: []string{evil, evil + "2"}}, Y: chart.Axis{Name: evil, Labels: []string{evil, evil}},
			Series: []chart.Series{{Name: evil, Values: []float64{1, 2}, Points: []chart.Point{{X: 1, Y: 2}, {X: 2, Y: 3}}}, {Name: evil, Values: []float64{1, 2}, Points: []chart.Point{{X: 1, Y: 2}}}},
			Cells:  []chart.Cell{{Value: 1}, {Column: 1, Row: 1, Value: 2}},
		}
		picture := drawn(t, s, draw.SVG)
		textsOf(t, picture)
		require.NotContains(t, string(picture), "<script")
		require.Contains(t, string(picture), "&lt;script&gt;")
	}
}

// TestTextsKeepTheirWidthInOtherFonts: each text of an SVG says how wide it was laid out, so
// that the letters of another font do not run into the bars; of scripts that the font lacks
// no width is known.
func TestTextsKeepTheirWidthInOtherFonts(t *testing.T) {
	t.Parallel()
	s := chart.Spec{
		Kind: chart.Bar, Horizontal: true, Title: "T", X: chart.Axis{Labels: []string{"a & b <c>", "a & b <c> and as much again", "مرحبا"}},
		Series: []chart.Series{{Name: "n", Values: []float64{1, 2, 3}}},
	}
	width := map[string]float64{}
	for _, m := range regexp.MustCompile(`<text ([^>]*)>([^<]*)</text>`).FindAllStringSubmatch(string(drawn(t, s, draw.SVG)), -1) {
		if w := regexp.MustCompile(`^textLength="([0-9.]+)" lengthAdjust="spacingAndGlyphs" x=`).FindStringSubmatch(m[1]); w != nil {
			n, err := strconv.ParseFloat(w[1], 64)
			require.NoError(t, err)
			width[m[2]] = n
		}
	}
	require.InDelta(t, 60, width["a &amp; b &lt;c&gt;"], 25)
	require.Greater(t, width["a &amp; b &lt;c&gt; and as much again"], 2*width["a &amp; b &lt;c&gt;"])
	require.Contains(t, width, "T")
	require.NotContains(t, width, "مرحبا")
}

func TestWhatHasNothingToDrawIsTold(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]chart.Spec{
		"a table": {Kind: chart.Table}, "a number": {Kind: chart.BigNumber},
		"no rows":    {Kind: chart.Line},
		"only nulls": {Kind: chart.Bar, X: chart.Axis{Labels: []string{"a", "b"}}, Series: []chart.Series{{Values: []float64{math.NaN(), math.Inf(1)}}}},
	} {
		var b bytes.Buffer
		err := draw.Draw(&b, s, draw.SVG)
		require.Equal(t, "CHART_EMPTY", fault.ReasonOf(err), name)
		require.Empty(t, b.Bytes())
	}
}

// TestWhatIsNoNumberIsNotDrawn: an infinite value is no bar and no point, as one that is not there.
func TestWhatIsNoNumberIsNotDrawn(t *testing.T) {
	t.Parallel()
	for _, kind := range []chart.Kind{chart.Line, chart.Bar, chart.StackedBar} {
		of := func(v float64) chart.Spec {
			return chart.Spec{Kind: kind, X: chart.Axis{Labels: []string{"a", "b", "c"}}, Series: []chart.Series{{Name: "n", Values: []float64{1, v, 3}}}}
		}
		none := drawn(t, of(math.NaN()), draw.SVG)
		require.Equal(t, string(none), string(drawn(t, of(math.Inf(1)), draw.SVG)))
		require.Equal(t, string(none), string(drawn(t, of(math.Inf(-1)), draw.SVG)))
	}
}

func TestPicturesAreAlike(t *testing.T) {
	t.Parallel()
	for _, f := range []draw.Format{draw.SVG, draw.PNG} {
		require.Equal(t, drawn(t, shapes()[7].spec, f), drawn(t, shapes()[7].spec, f))
	}
}

// TestManyPointsCostAsFew: a line of a hundred times as many points is drawn with about the same
// work, since no more are drawn than there are pixels for. Counted in objects made, which are
// the same on a busy machine.
func TestManyPointsCostAsFew(t *testing.T) { // not beside others: it counts the objects of the process
	of := func(points int) float64 {
		s := chart.Spec{Kind: chart.Line, X: chart.Axis{Labels: names(points, "%d")}, Series: []chart.Series{{Name: "n", Values: wave(points, 100, 5)}}}
		return testing.AllocsPerRun(2, func() { require.NoError(t, draw.Draw(io.Discard, s, draw.SVG)) })
	}
	few, many := of(2000), of(200_000)
	require.Less(t, many, 1.5*few)
}

// BenchmarkSVG draws an ordinary chart; the goal is 5 ms.
func BenchmarkSVG(b *testing.B) {
	for _, i := range []int{0, 3, 7, 15, 18} {
		s := shapes()[i]
		b.Run(s.name, func(b *testing.B) {
			for b.Loop() {
				if err := draw.Draw(io.Discard, s.spec, draw.SVG); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
