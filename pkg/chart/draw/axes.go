package draw

import (
	"math"
	"unicode/utf8"

	"github.com/go-analyze/charts"
	"golang.org/x/image/math/fixed"

	"github.com/dibrain/dibrain/pkg/chart"
)

// upright are lines and standing bars.
func (d *drawing) upright() error {
	n := len(d.X.Labels)
	low, high := d.bounds()
	ticks := spread(low, high)
	low, high = ticks[0], ticks[len(ticks)-1]
	f := d.frame(ticks)
	names := d.shownAll(d.X.Labels, nameCells)
	step := float64(f.x1-f.x0) / float64(n)
	every, slant, longest := d.spacing(names, step)
	if slant {
		f.y1 -= int(float64(longest) * math.Sqrt2 / 2)
	}
	y := func(v float64) int { return f.y1 + int(math.Round((v-low)/(high-low)*float64(f.y0-f.y1))) }
	for _, v := range ticks {
		d.canvas.LineStroke([]charts.Point{{X: f.x0, Y: y(v)}, {X: f.x1, Y: y(v)}}, pale(), 1)
		d.write(d.number(v), f.x0-8, y(v)+4, 1)
	}
	middle := func(i int) int { return f.x0 + int((float64(i)+0.5)*step) }
	for i := 0; i < n; i += every {
		half := d.wide(names[i]) / 2
		switch x := middle(i); {
		case slant:
			down := int(float64(d.wide(names[i])) * math.Sqrt2 / 2)
			d.canvas.Text(names[i], x-down+4, f.y1+down+14, 7*math.Pi/4, d.coloured(tick, grey))
		case x+half <= width:
			d.write(names[i], max(x, half+4), f.y1+20, 0.5)
		}
	}
	switch d.Kind {
	case chart.Line:
		d.lines(middle, y)
	default:
		d.bars(step, func(i int, from, to float64, a, b float64, colour charts.Color) {
			x := float64(f.x0) + float64(i)*step
			d.block(int(x+a*step), y(from), int(x+b*step), y(to), colour)
		})
	}
	d.canvas.LineStroke([]charts.Point{{X: f.x0, Y: y(max(low, 0))}, {X: f.x1, Y: y(max(low, 0))}}, line(), 1)
	return nil
}

// lying are bars from left to right, the first on top.
func (d *drawing) lying() error {
	low, high := d.bounds()
	ticks := spread(low, high)
	low, high = ticks[0], ticks[len(ticks)-1]
	names := d.shownAll(d.X.Labels, lyingCells)
	f := d.frame(nil)
	for _, name := range names {
		f.x0 = max(f.x0, d.wide(name)+24)
	}
	step := float64(f.y1-f.y0) / float64(len(names))
	x := func(v float64) int { return f.x0 + int(math.Round((v-low)/(high-low)*float64(f.x1-f.x0))) }
	for _, v := range ticks {
		d.canvas.LineStroke([]charts.Point{{X: x(v), Y: f.y0}, {X: x(v), Y: f.y1}}, pale(), 1)
		d.write(d.number(v), x(v), f.y1+20, 0.5)
	}
	for i, name := range names {
		d.write(name, f.x0-8, f.y0+int((float64(i)+0.5)*step)+4, 1)
	}
	d.bars(step, func(i int, from, to float64, a, b float64, colour charts.Color) {
		y := float64(f.y0) + float64(i)*step
		d.block(x(from), int(y+a*step), x(to), int(y+b*step), colour)
	})
	d.canvas.LineStroke([]charts.Point{{X: x(max(low, 0)), Y: f.y0}, {X: x(max(low, 0)), Y: f.y1}}, line(), 1)
	return nil
}

// bounds are the least and the greatest value that an axis has to show.
func (d *drawing) bounds() (low, high float64) {
	low, high, _ = d.Range()
	if d.Kind == chart.StackedBar {
		low, high = 0, 0
		for i := range d.X.Labels {
			up, down := 0.0, 0.0
			for _, s := range d.Series {
				if v, ok := valueOf(s, i); ok {
					up, down = up+max(v, 0), down+min(v, 0)
				}
			}
			low, high = min(low, down), max(high, up)
		}
	}
	if d.FromZero() {
		low, high = min(low, 0), max(high, 0)
	}
	return low, high
}

func valueOf(s chart.Series, i int) (float64, bool) {
	if i >= len(s.Values) || math.IsNaN(s.Values[i]) || math.IsInf(s.Values[i], 0) {
		return 0, false
	}
	return s.Values[i], true
}

// spread are round numbers that hold a range between them.
func spread(low, high float64) []float64 {
	if low == high {
		if low == 0 {
			return []float64{0, 1}
		}
		low, high = min(low, 0), max(high, 0)
	}
	inner := steps(low, high)
	if len(inner) < 2 { // numbers so near each other that no round ones lie between
		return []float64{low, high}
	}
	size := inner[1] - inner[0]
	if inner[0] > low {
		inner = append([]float64{inner[0] - size}, inner...)
	}
	if last := inner[len(inner)-1]; last < high {
		inner = append(inner, last+size)
	}
	return inner
}

// spacing says which names are written under an axis: every first, second, ... and
// whether aslant. Names of bars are all written where they can be; of a line, and of a
// great many bars, as many as do not touch.
func (d *drawing) spacing(names []string, step float64) (every int, slant bool, longest int) {
	for _, name := range names {
		longest = max(longest, d.wide(name))
	}
	const margin, leastAslant = 14, 14
	if float64(longest+margin) <= step {
		return 1, false, longest
	}
	if d.Kind != chart.Line && step >= leastAslant {
		return 1, true, longest
	}
	return int(math.Ceil(float64(longest+margin) / step)), false, longest
}

// lines are drawn with a gap where there is no value; a value alone is a dot.
func (d *drawing) lines(x func(int) int, y func(float64) int) {
	const dotted = 40
	for k, s := range d.Series {
		colour := d.theme.GetSeriesColor(k)
		var run []charts.Point
		flush := func() {
			if len(run) > 1 {
				d.canvas.LineStroke(run, colour, 2)
			}
			if len(run) == 1 || len(d.X.Labels) <= dotted {
				d.canvas.Dots(run, colour, colour, 1, 2.5)
			}
			run = nil
		}
		for i := range d.X.Labels {
			v, ok := valueOf(s, i)
			if !ok {
				flush()
				continue
			}
			run = append(run, charts.Point{X: x(i), Y: y(v)})
		}
		flush()
	}
}

// bars hands over each bar: its place on the axis, its ends in values, and its sides as
// shares of the place's width.
func (d *drawing) bars(step float64, block func(i int, from, to, a, b float64, colour charts.Color)) {
	margin := 0.14
	if step < 8 {
		margin = 0.05
	}
	each := (1 - 2*margin) / float64(len(d.Series))
	for i := range d.X.Labels {
		up, down := 0.0, 0.0
		for k, s := range d.Series {
			v, ok := valueOf(s, i)
			if !ok {
				continue
			}
			colour := d.theme.GetSeriesColor(k)
			switch {
			case d.Kind != chart.StackedBar:
				a := margin + float64(k)*each
				block(i, 0, v, a, a+each, colour)
			case v >= 0:
				block(i, up, up+v, margin, 1-margin, colour)
				up += v
			default:
				block(i, down, down+v, margin, 1-margin, colour)
				down += v
			}
		}
	}
}

// block is a rectangle between two corners, at least one pixel wide and high.
func (d *drawing) block(x0, y0, x1, y1 int, colour charts.Color) {
	x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
	d.canvas.FilledRect(x0, y0, max(x1, x0+1), max(y1, y0+1), colour, colour, 0)
}

func (d *drawing) pie() error {
	o := charts.PieChartOption{Theme: d.theme, Padding: charts.NewBox(14, 14, 28, 14), Title: charts.TitleOption{Text: d.shown(d.Title, titleCells), FontStyle: d.coloured(15, "#1f2328"), Offset: charts.OffsetStr{Left: "2", Top: "2"}}, Radius: "34%", Legend: charts.LegendOption{Show: charts.Ptr(false)}}
	s, sum := d.Series[0], 0.0
	for _, v := range s.Values {
		if v > 0 && !math.IsInf(v, 0) {
			sum += v
		}
	}
	for i, v := range s.Values {
		if v > 0 && !math.IsInf(v, 0) && i < len(d.X.Labels) {
			name := d.shown(d.X.Labels[i], nameCells)
			label := charts.SeriesLabel{Show: charts.Ptr(true), FontStyle: d.coloured(11, grey), LabelFormatter: func(int, string, float64) (string, *charts.LabelStyle) {
				return name + ": " + figure(v) + " (" + figure(math.Round(v/sum*1000)/10) + "%)", nil
			}}
			o.SeriesList = append(o.SeriesList, charts.PieSeries{Name: name, Value: v, Label: label})
		}
	}
	return d.canvas.PieChart(o)
}

// Text sizes and places, in pixels, and colours of texts.
const (
	right, bottom = 40, 56
	tick          = 10.5
	grey          = "#57606a"
)

func line() charts.Color { return charts.ParseColor("#8c959f") }
func pale() charts.Color { return charts.ParseColor("#e4e7eb") }

// field is what is left for the values beside names and numbers.
type field struct{ x0, y0, x1, y1 int }

// frame draws what is around the values: the title, the legend, and the unit.
func (d *drawing) frame(ticks []float64) field {
	d.head()
	f := field{x0: 40, y0: d.legend(), x1: width - right, y1: d.height() - bottom}
	for _, v := range ticks {
		f.x0 = max(f.x0, d.wide(d.number(v))+24)
	}
	if unit := d.unit(); unit != "" {
		f.y0 += 20
		d.write(unit, 16, f.y0-12, 0)
	}
	if d.X.Name != "" && d.Kind != chart.Heatmap {
		d.write(d.shown(d.X.Name, 2*nameCells), (f.x0+f.x1)/2, f.y1+44, 0.5)
	}
	return f
}

func (d *drawing) head() {
	white := charts.ParseColor("#ffffff")
	d.canvas.FilledRect(0, 0, width, d.height(), white, white, 0)
	d.canvas.Text(d.shown(d.Title, titleCells), 16, 30, 0, d.coloured(15, "#1f2328"))
}

// legend names the series in as many lines as that takes, and returns where it ends.
func (d *drawing) legend() int {
	x, y := 16, 54
	if len(d.Series) < 2 {
		return y
	}
	for k, s := range d.Series {
		name := d.shown(s.Name, legendCells)
		wide := d.wide(name) + 40
		if x+wide > width-right && x > 16 {
			x, y = 16, y+20
		}
		d.block(x, y-9, x+12, y+2, d.theme.GetSeriesColor(k))
		d.write(name, x+18, y+2, 0)
		x += wide
	}
	return y + 20
}

func (d *drawing) coloured(size float64, colour string) charts.FontStyle {
	return charts.FontStyle{FontSize: size, Font: d.font, FontColor: charts.ParseColor(colour)}
}

// wide is the width of a text of an axis, by the advances of its characters: to lay each
// text out as the canvas measures it takes a hundred times as long.
func (d *drawing) wide(text string) int {
	if d.scale == 0 {
		const sample = "0000000000"
		d.scale = float64(d.canvas.MeasureText(sample, 0, d.coloured(tick, grey)).Width()) / d.advance(sample)
	}
	return int(math.Ceil(d.advance(text) * d.scale))
}

// advance is the width of a text in units of the font.
func (d *drawing) advance(text string) float64 {
	em := fixed.Int26_6(d.font.FUnitsPerEm())
	sum := 0
	for _, r := range Visual(text) {
		sum += int(d.font.HMetric(em, d.font.Index(r)).AdvanceWidth)
	}
	return float64(sum)
}

// write puts a text with a point of it at x: 0 its beginning, 0.5 its middle, 1 its end.
func (d *drawing) write(text string, x, y int, at float64) {
	d.canvas.Text(text, x-int(at*float64(d.wide(text))), y, 0, d.coloured(tick, grey))
}

// steps are round numbers within a range, five or so.
func steps(low, high float64) []float64 {
	if low == high {
		return []float64{low}
	}
	size := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if (high-low)/(size*factor) <= 6 {
			size *= factor
			break
		}
	}
	var out []float64
	for i := math.Ceil(low / size); i*size <= high*(1+1e-12) && len(out) < 20; i++ {
		out = append(out, i*size)
	}
	return out
}

func (d *drawing) scatter() error {
	low, high := chart.Point{X: math.Inf(1), Y: math.Inf(1)}, chart.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	total := 0
	for _, s := range d.Series {
		for _, p := range s.Points {
			if finite(p) {
				low, high = chart.Point{X: min(low.X, p.X), Y: min(low.Y, p.Y)}, chart.Point{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
				total++
			}
		}
	}
	if total == 0 {
		return errNoPoints
	}
	named := d.Spec
	d.X.Name, d.Y.Name = "", ""
	vertical := steps(low.Y, high.Y)
	f := d.frame(vertical)
	d.Spec = named
	f.y0, f.y1 = f.y0+20, f.y1-8
	place := func(v, low, high float64, from, to int) int {
		if low == high {
			return (from + to) / 2
		}
		return from + int(math.Round((v-low)/(high-low)*float64(to-from)))
	}
	for _, v := range vertical {
		y := place(v, low.Y, high.Y, f.y1-8, f.y0+8)
		d.canvas.LineStroke([]charts.Point{{X: f.x0, Y: y}, {X: f.x1, Y: y}}, pale(), 1)
		d.write(figure(v), f.x0-8, y+4, 1)
	}
	for _, v := range steps(low.X, high.X) {
		x := place(v, low.X, high.X, f.x0+8, f.x1-8)
		d.canvas.LineStroke([]charts.Point{{X: x, Y: f.y1}, {X: x, Y: f.y1 + 5}}, line(), 1)
		d.write(figure(v), x, f.y1+20, 0.5)
	}
	d.canvas.LineStroke([]charts.Point{{X: f.x0, Y: f.y1}, {X: f.x1, Y: f.y1}}, line(), 1)
	d.write(d.shown(d.X.Name, 2*nameCells), (f.x0+f.x1)/2, f.y1+44, 0.5)
	d.write(d.shown(d.Y.Name, 2*nameCells), 16, f.y0-12, 0)
	every := (total + maxDots - 1) / maxDots
	drawn := 0
	for i, s := range d.Series {
		colour := d.theme.GetSeriesColor(i)
		var dots []charts.Point
		for _, p := range s.Points {
			if drawn++; finite(p) && drawn%every == 0 {
				dots = append(dots, charts.Point{X: place(p.X, low.X, high.X, f.x0+8, f.x1-8), Y: place(p.Y, low.Y, high.Y, f.y1-8, f.y0+8)})
			}
		}
		d.canvas.Dots(dots, colour.WithAlpha(180), colour, 1, 3.5)
	}
	return nil
}

func finite(p chart.Point) bool {
	return !math.IsNaN(p.X+p.Y) && !math.IsInf(p.X, 0) && !math.IsInf(p.Y, 0)
}

func (d *drawing) heatmap() error {
	columns, rows := d.shownAll(d.X.Labels, nameCells/2), d.shownAll(d.Y.Labels, nameCells)
	aside, longest := 0, 0
	for _, name := range rows {
		aside = max(aside, d.wide(name))
	}
	for _, name := range columns {
		longest = max(longest, d.wide(name))
	}
	const top = 76
	f := field{aside + 28, top, width - right, d.height() - bottom}
	wide := float64(f.x1-f.x0) / float64(len(columns))
	slant := float64(longest+8) > wide
	if slant {
		f.y1 -= int(float64(longest)*math.Sqrt2/2) - 10
	}
	high := float64(f.y1-f.y0) / float64(len(rows))
	d.head()
	low, most, shades := d.Scale()
	shown := wide >= 46 && high >= 18
	for _, c := range d.Cells {
		if math.IsNaN(c.Value) || math.IsInf(c.Value, 0) {
			continue
		}
		share := (c.Value - low) / max(most-low, math.SmallestNonzeroFloat64)
		colour := shade(share, shades)
		x, y := f.x0+int(float64(c.Column)*wide), f.y0+int(float64(c.Row)*high)
		x1, y1 := f.x0+int(float64(c.Column+1)*wide)-1, f.y0+int(float64(c.Row+1)*high)-1
		d.canvas.FilledRect(x, y, x1, y1, colour, colour, 0)
		if text := figure(c.Value); shown && utf8.RuneCountInString(text)*7 < x1-x {
			style := d.coloured(9.5, "#1f2328")
			if dark(colour) {
				style = d.coloured(9.5, "#ffffff")
			}
			d.canvas.Text(text, (x+x1-d.canvas.MeasureText(text, 0, style).Width())/2, (y+y1)/2+5, 0, style)
		}
	}
	for i, name := range rows {
		d.write(name, f.x0-8, f.y0+int((float64(i)+0.5)*high)+4, 1)
	}
	for i, name := range columns {
		x := f.x0 + int((float64(i)+0.5)*wide)
		if slant {
			down := int(float64(d.wide(name)) * math.Sqrt2 / 2)
			d.canvas.Text(name, x-down+4, f.y1+down+14, 7*math.Pi/4, d.coloured(tick, grey))
		} else {
			d.write(name, x, f.y1+18, 0.5)
		}
	}
	d.key(low, most, shades)
	return nil
}

// key tells what the colours of a heat map mean.
func (d *drawing) key(low, high float64, shades []string) {
	const cells, wide = 40, 4
	y := 46
	name := ""
	if len(d.Series) > 0 {
		name = d.shown(d.Series[0].Name, nameCells)
	}
	from := figure(low)
	x := 16 + d.wide(name+"  "+from) + 12
	d.write(name+"  "+from, 16, y+12, 0)
	for i := range cells {
		colour := shade(float64(i)/(cells-1), shades)
		d.canvas.FilledRect(x+i*wide, y, x+(i+1)*wide, y+14, colour, colour, 0)
	}
	d.write(figure(high), x+cells*wide+8, y+12, 0)
}

// dark reports whether a text on a colour has to be white, by its luma (ITU-R BT.601).
func dark(c charts.Color) bool {
	return 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) < 128
}

// shade is the colour of a share from 0 to 1 between others.
func shade(share float64, shades []string) charts.Color {
	at := min(max(share, 0), 1) * float64(len(shades)-1)
	i := min(int(at), len(shades)-2)
	a, b := charts.ParseColor(shades[i]), charts.ParseColor(shades[i+1])
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + (float64(y)-float64(x))*(at-float64(i)))) }
	return charts.Color{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 255}
}
