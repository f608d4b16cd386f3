package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"github.com/dibrain/dibrain/pkg/chart/draw"
)

// Measures of a page, in millimetres, and of letters, in points.
const (
	pdfMargin   = 18.0
	pdfWidth    = 210 - 2*pdfMargin
	pdfBottom   = 297 - pdfMargin
	pdfCellMost = 62.0 // of a column, before columns are made to fit
	pdfCellText = 400  // characters of a cell
	pdfPad      = 1.5
	pdfText     = 9.5
	pdfSmall    = 7.5
)

// pdfFamily is the one font: Latin, Greek, Cyrillic, Hebrew, Arabic and the characters of GB
// 2312. Of other characters there is a box.
const pdfFamily = "noto"

// PDF writes a document as A4 pages. Charts are pictures. The same document makes the same
// bytes. Nothing in it is a link, a form or a script.
func PDF(w io.Writer, d Document, o Options) error {
	v, err := newView(d, o.withDefaults())
	if err != nil {
		return err
	}
	font, err := draw.Font()
	if err != nil {
		return err
	}
	f := fpdf.New("P", "mm", "A4", "")
	f.AddUTF8FontFromBytes(pdfFamily, "", slices.Clone(font))
	at := d.Asked.At
	if at.IsZero() {
		at = time.Unix(0, 0)
	}
	f.SetCreationDate(at.UTC())
	f.SetModificationDate(at.UTC())
	f.SetCatalogSort(true)
	f.SetDisplayMode("default", "default")
	f.SetTitle(v.Title, true)
	f.SetMargins(pdfMargin, pdfMargin, pdfMargin)
	f.SetAutoPageBreak(true, pdfMargin)
	p := &pdf{Fpdf: f}
	f.SetFooterFunc(func() {
		f.SetY(-pdfMargin + 6)
		p.size(pdfSmall, 110)
		f.CellFormat(0, 5, strconv.Itoa(f.PageNo()), "", 0, "C", false, 0, "")
	})
	f.AddPage()
	p.document(v)
	if err := f.Error(); err != nil {
		return fmt.Errorf("write a PDF: %w", err)
	}
	if err := p.err; err != nil {
		return err
	}
	return f.Output(w)
}

// pdf writes from the top of a page to its end.
type pdf struct {
	*fpdf.Fpdf
	err error
}

func (p *pdf) size(points float64, grey int) {
	p.SetFont(pdfFamily, "", points)
	p.SetTextColor(grey, grey, grey)
}

// text is a paragraph.
func (p *pdf) text(points float64, grey int, text string) {
	if text == "" {
		return
	}
	p.size(points, grey)
	for _, line := range strings.Split(text, "\n") {
		line = strings.ReplaceAll(line, "\t", "    ")
		if draw.Visual(line) == line {
			p.MultiCell(0, points*0.5, line, "", "L", false)
			continue
		}
		for _, part := range p.broken(line, pdfWidth) { // before it is put in the order in which it is seen
			p.CellFormat(0, points*0.5, draw.Visual(part), "", 1, "L", false, 0, "")
		}
	}
	p.Ln(1.2)
}

// heading stays with what follows it.
func (p *pdf) heading(points float64, text string) {
	if p.GetY() > pdfBottom-25 {
		p.AddPage()
	}
	p.Ln(2)
	p.text(points, 20, text)
}

func (p *pdf) document(v view) {
	p.text(18, 20, v.Title)
	for _, one := range v.Asked {
		p.text(pdfSmall, 90, one.Name+": "+one.Text)
	}
	for _, text := range v.Summary {
		p.text(11.5, 20, text)
	}
	if len(v.Warnings) > 0 {
		p.heading(11, v.Words.Warnings)
		p.items(v.Warnings)
	}
	for i, s := range v.Sections {
		p.section(i, s, v.Words)
	}
}

func (p *pdf) items(texts []string) {
	for _, text := range texts {
		p.text(pdfText, 40, "– "+text)
	}
}

func (p *pdf) section(i int, s sectionView, w words) {
	if s.Heading != "" {
		p.heading(14, s.Heading)
	}
	for _, text := range s.Paragraphs {
		p.text(pdfText, 40, text)
	}
	p.items(s.Findings)
	if s.Chart != nil {
		p.chart(i, s.Chart)
	}
	if s.Table != nil {
		p.table(s.Table)
	}
	if len(s.Method) > 0 {
		p.heading(10.5, w.Method)
		for _, text := range s.Method {
			p.text(pdfText, 40, text)
		}
	}
	if len(s.SQL) > 0 {
		p.heading(10.5, w.SQL)
		for _, statement := range s.SQL {
			p.text(pdfText, 40, statement.Label)
			p.text(pdfSmall, 40, statement.Text)
		}
	}
	if s.Code != "" {
		p.heading(10.5, "Python")
		p.text(pdfSmall, 40, s.Code)
	}
	if len(s.Evidence) > 0 {
		p.heading(10.5, w.Evidence)
		for _, one := range s.Evidence {
			p.text(pdfSmall, 40, one.Name+": "+strings.Join(one.Texts, "; "))
		}
	}
}

// chart is a picture as wide as the text; where it cannot be drawn its description stands there.
func (p *pdf) chart(i int, c *chartView) {
	var picture bytes.Buffer
	if err := draw.Draw(&picture, c.Spec, draw.PNG); err != nil {
		p.text(pdfText, 40, strings.TrimSpace(c.Title+" "+c.Alt))
		return
	}
	name := "chart-" + strconv.Itoa(i)
	options := fpdf.ImageOptions{ImageType: "PNG"}
	info := p.RegisterImageOptionsReader(name, options, &picture)
	if info == nil || p.Err() {
		return // the document's error
	}
	height := pdfWidth * info.Height() / info.Width()
	width := pdfWidth
	if most := pdfBottom - pdfMargin - 10; height > most {
		width, height = width*most/height, most
	}
	if p.GetY()+height > pdfBottom {
		p.AddPage()
	}
	p.ImageOptions(name, pdfMargin, p.GetY(), width, height, true, options, 0, "")
	p.Ln(2)
}

// table is one whose columns fit the page: letters are made smaller first, then texts are
// broken over lines.
func (p *pdf) table(t *tableView) {
	p.text(pdfText, 40, t.Caption)
	points, widths := p.fit(t)
	line := points * 0.48
	head := func() {
		titles := make([]cellView, len(t.Columns))
		for i, c := range t.Columns {
			titles[i] = cellView{Text: c.Title, Number: c.Number}
		}
		p.SetFillColor(238, 240, 243)
		p.row(titles, widths, line, true)
	}
	p.size(points, 40)
	if p.GetY() > pdfBottom-4*line {
		p.AddPage()
		p.size(points, 40)
	}
	head()
	for _, cells := range t.Rows {
		p.size(points, 40)
		if p.GetY()+p.high(cells, widths, line) > pdfBottom {
			p.AddPage()
			p.size(points, 40)
			head()
		}
		p.row(cells, widths, line, false)
	}
	p.Ln(1.5)
	p.text(pdfSmall, 90, t.More)
}

// fit chooses the size of letters and the widths of columns.
func (p *pdf) fit(t *tableView) (float64, []float64) {
	for points := 8.5; ; points-- {
		p.size(points, 40)
		widths := make([]float64, len(t.Columns))
		sum := 0.0
		for i, c := range t.Columns {
			widths[i] = p.GetStringWidth(c.Title)
			for _, cells := range t.Rows {
				widths[i] = max(widths[i], p.GetStringWidth(shortened(cells[i].Text)))
			}
			widths[i] = min(widths[i], pdfCellMost) + 2*pdfPad
			sum += widths[i]
		}
		if sum <= pdfWidth {
			return points, widths
		}
		if points <= 5.5 {
			for i := range widths {
				widths[i] *= pdfWidth / sum
			}
			return points, widths
		}
	}
}

func shortened(text string) string {
	if letters := []rune(text); len(letters) > pdfCellText {
		return string(letters[:pdfCellText-1]) + "…"
	}
	return text
}

// lines are those of a cell.
func (p *pdf) lines(text string, width float64) []string {
	return p.broken(shortened(text), width-2*pdfPad+0.01) // a text that is as wide as its column fits
}

// broken is a text broken at blanks, and within a word that is wider than the lines.
func (p *pdf) broken(text string, width float64) []string {
	letters := []rune(text)
	var out []string
	for begin := 0; begin < len(letters); {
		end, blank, wide := begin, -1, 0.0
		for ; end < len(letters); end++ {
			if wide += p.GetStringWidth(string(letters[end])); wide > width && end > begin {
				break
			}
			if letters[end] == ' ' {
				blank = end
			}
		}
		if end < len(letters) && blank > begin {
			end = blank + 1
		}
		out = append(out, strings.TrimRight(string(letters[begin:end]), " "))
		begin = end
	}
	if len(out) == 0 {
		return []string{""}
	}
	return out
}

func (p *pdf) high(cells []cellView, widths []float64, line float64) float64 {
	most := 1
	for i, c := range cells {
		most = max(most, len(p.lines(c.Text, widths[i])))
	}
	return float64(most)*line + pdfPad
}

func (p *pdf) row(cells []cellView, widths []float64, line float64, fill bool) {
	x, y := pdfMargin, p.GetY()
	height := p.high(cells, widths, line)
	if fill {
		p.Rect(x, y, sumOf(widths), height, "F")
	}
	for i, c := range cells {
		align := "L"
		if c.Number {
			align = "R"
		}
		for n, text := range p.lines(c.Text, widths[i]) {
			p.SetXY(x+pdfPad, y+pdfPad/2+float64(n)*line)
			p.CellFormat(widths[i]-2*pdfPad, line, draw.Visual(text), "", 0, align, false, 0, "")
		}
		x += widths[i]
	}
	p.SetDrawColor(215, 218, 222)
	p.Line(pdfMargin, y+height, pdfMargin+sumOf(widths), y+height)
	p.SetXY(pdfMargin, y+height)
}

func sumOf(widths []float64) float64 {
	sum := 0.0
	for _, w := range widths {
		sum += w
	}
	return sum
}
