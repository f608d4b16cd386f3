// Package draw draws charts as SVG and PNG, without a browser: lines, bars and pies on the
// canvas of go-analyze/charts, which measures and rasterises. Texts are in Noto Sans
// SC, which is inside of the program (assets, made by scripts/chartfont): Latin, Greek,
// Cyrillic, Hebrew, Arabic and the characters of GB 2312. A PNG shows a box for any other
// character; an SVG leaves it to the viewer's fonts, and the order of what is written from
// right to left to the viewer.
package draw

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/go-analyze/charts"
	"github.com/golang/freetype/truetype"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
)

//go:embed assets/font.ttf.gz
var packedFont []byte

// Format of a picture.
type Format string

// Formats.
const (
	SVG Format = charts.ChartOutputSVG
	PNG Format = charts.ChartOutputPNG
)

// Bounds of a picture, in pixels and characters.
const (
	width, height = 960, 540
	maxHeight     = 2400
	titleCells    = 96
	nameCells     = 28
	lyingCells    = 44
	legendCells   = 20
	// maxPoints is how many points of a line are drawn: more than two for a pixel show
	// nothing new.
	maxPoints = 2 * width
	// maxDots is how many points of a scatter chart are drawn.
	maxDots = 20_000
)

// Font is the font as a TrueType file; nobody changes it.
var Font = sync.OnceValues(func() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packedFont))
	if err != nil {
		return nil, fmt.Errorf("read the font of charts: %w", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read the font of charts: %w", err)
	}
	return text, nil
})

// font is read when it is first needed.
var font = sync.OnceValues(func() (*truetype.Font, error) {
	text, err := Font()
	if err != nil {
		return nil, err
	}
	f, err := truetype.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read the font of charts: %w", err)
	}
	return f, nil
})

var errNoPoints = errors.New("no point has two finite numbers")

// Draw writes the picture of a chart. A table, a number and a chart without numbers
// have none: the error says so.
func Draw(to io.Writer, s chart.Spec, f Format) error {
	if _, _, ok := s.Range(); !s.Drawn() || !ok {
		return fault.Invalid("chart", "CHART_EMPTY", "There is no chart to draw: the answer is a table, one number, or has no numbers. Export it as .csv, .xlsx or .html instead.")
	}
	face, err := font()
	if err != nil {
		return err
	}
	if s.Kind == chart.Line {
		s = s.Thinned(maxPoints)
	}
	s = s.Copy()
	s.Visible(func(text string) string { return plain(text, f) })
	d := drawing{Spec: s, raster: f == PNG, theme: theme(len(s.Series) + len(s.X.Labels)*one(s.Kind == chart.Pie)), font: face}
	d.canvas = charts.NewPainter(charts.PainterOptions{OutputFormat: string(f), Width: width, Height: d.height(), Font: face, Theme: d.theme})
	if err := d.draw(); err != nil {
		return fmt.Errorf("draw a chart: %w", err)
	}
	picture, err := d.canvas.Bytes()
	if err != nil {
		return fmt.Errorf("draw a chart: %w", err)
	}
	if f == SVG {
		picture = d.finish(picture)
	}
	_, err = to.Write(picture)
	return err
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// The library writes texts into SVG as they are. These stand for the marks of XML until
// the picture is finished, so that no text becomes a part of its structure.
const (
	ampersand, less, greater = '\ue000', '\ue001', '\ue002'
)

// plain makes a text fit to be drawn.
func plain(text string, f Format) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '&', '<', '>':
			if f == SVG {
				return map[rune]rune{'&': ampersand, '<': less, '>': greater}[r]
			}
			return r
		case ampersand, less, greater, unicode.ReplacementChar:
			return -1
		}
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// finish escapes the texts of an SVG picture and gives it a title and a description for
// whoever does not see it.
func (d *drawing) finish(picture []byte) []byte {
	if at := bytes.IndexByte(picture, '>'); at > 0 {
		head := "\n<title>" + d.Title + "</title>\n<desc>" + d.Alt + "</desc>"
		picture = append(append(bytes.Clone(picture[:at+1]), head...), picture[at+1:]...)
		picture = bytes.Replace(picture, []byte("<svg "), []byte(`<svg role="img" `), 1)
	}
	picture = drawnText.ReplaceAllFunc(picture, d.fixed)
	return []byte(strings.NewReplacer(string(ampersand), "&amp;", string(less), "&lt;", string(greater), "&gt;").Replace(string(picture)))
}

// drawnText is a text as the library writes it, with its size in pixels.
var drawnText = regexp.MustCompile(`<text [^>]*font-size:([0-9.]+)px[^>]*>([^<]*)</text>`)

// fixed gives a text of an SVG the width that it was laid out for: who looks at it may have
// another font, whose letters would run into the bars.
func (d *drawing) fixed(text []byte) []byte {
	m := drawnText.FindSubmatch(text)
	size, err := strconv.ParseFloat(string(m[1]), 64)
	words := strings.NewReplacer(string(ampersand), "&", string(less), "<", string(greater), ">").Replace(string(m[2]))
	if err != nil || strings.TrimSpace(words) == "" || strings.ContainsFunc(words, func(r rune) bool { return d.font.Index(r) == 0 }) {
		return text // of other scripts the width is not known
	}
	width := d.advance(words) * size / float64(d.font.FUnitsPerEm())
	return bytes.Replace(text, []byte("<text "), fmt.Appendf(nil, `<text textLength="%.1f" lengthAdjust="spacingAndGlyphs" `, width), 1)
}

// drawing is one picture.
type drawing struct {
	chart.Spec
	theme  charts.ColorPalette
	font   *truetype.Font
	canvas *charts.Painter
	// raster pictures have their texts in the order in which they are seen.
	raster bool
	// scale is how many pixels a unit of the font has in texts of axes; 0: not known yet.
	scale float64
}

func theme(colours int) charts.ColorPalette {
	grey := charts.ParseColor("#57606a")
	option := charts.ThemeOption{
		AxisStrokeColor: charts.ParseColor("#8c959f"), AxisSplitLineColor: charts.ParseColor("#e4e7eb"), BackgroundColor: charts.ParseColor("#ffffff"),
		TextColor: charts.ParseColor("#1f2328"), TextColorXAxis: grey, TextColorYAxis: grey,
	}
	for _, c := range chart.Palette(colours) {
		option.SeriesColors = append(option.SeriesColors, charts.ParseColor(c))
	}
	return charts.MakeTheme(option)
}

// height grows with what lies below each other.
func (d *drawing) height() int {
	return min(max(height, 140+d.Tall()), maxHeight)
}

func (d *drawing) draw() error {
	switch d.Kind {
	case chart.Scatter:
		return d.scatter()
	case chart.Heatmap:
		return d.heatmap()
	case chart.Pie:
		return d.pie()
	}
	if d.Horizontal {
		return d.lying()
	}
	return d.upright()
}

// shown is a text as it is drawn, cut where it is too long.
func (d *drawing) shown(text string, cells int) string {
	return d.shownAll([]string{text}, cells)[0]
}

// shownAll are names beside each other, which stay different where they are cut.
func (d *drawing) shownAll(texts []string, cells int) []string {
	out := chart.ShortNames(texts, cells)
	if d.raster {
		for i, text := range out {
			out[i] = Visual(text)
		}
	}
	return out
}

// number writes a number of an axis with its percent sign; another unit stands beside
// the axis.
func (d *drawing) number(v float64) string {
	if d.Y.Name == chart.Percent {
		return figure(v) + "%"
	}
	return figure(v)
}

// figure writes a number with at most four digits that count, more where it is whole.
func figure(v float64) string {
	if v == 0 {
		return "0"
	}
	if a := math.Abs(v); a < 1000 {
		scale := math.Pow(10, 3-math.Floor(math.Log10(a)))
		v = math.Round(v*scale) / scale
	} else {
		v = math.Round(v)
	}
	n, ok := result.Float(v)
	if !ok {
		return ""
	}
	return n.String()
}

func (d *drawing) unit() string {
	if d.Y.Name == chart.Percent {
		return ""
	}
	return d.shown(d.Y.Name, nameCells)
}
