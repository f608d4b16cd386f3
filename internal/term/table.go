package term

import "strings"

// Column of a table to draw.
type Column struct {
	Title string
	Right bool // numbers stand at the right
	Whole bool // an id or a name that is copied: it is never cut
}

// Table draws rows under a header, fitted to width cells: the widest columns are
// cut first, none below minColumn cells and none that is Whole. A width of 0 cuts
// nothing. Rows hold one text a column.
func Table(columns []Column, rows [][]string, width int, style Style) string {
	widths := columnWidths(columns, rows)
	fit(columns, widths, width)
	var b strings.Builder
	titles := make([]string, len(columns))
	rule := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = style.Bold(pad(Shorten(Clean(c.Title), widths[i]), widths[i], c.Right))
		rule[i] = strings.Repeat("─", widths[i])
	}
	writeRow(&b, titles)
	writeRow(&b, rule)
	for _, row := range rows {
		line := make([]string, len(columns))
		for i, c := range columns {
			text := ""
			if i < len(row) {
				text = row[i]
			}
			line[i] = pad(Shorten(Clean(text), widths[i]), widths[i], c.Right)
		}
		writeRow(&b, line)
	}
	return b.String()
}

const (
	columnGap = "  "
	minColumn = 6
)

func writeRow(b *strings.Builder, parts []string) {
	b.WriteString(strings.TrimRight(strings.Join(parts, columnGap), " "))
	b.WriteByte('\n')
}

func columnWidths(columns []Column, rows [][]string) []int {
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = cells(Clean(c.Title))
		for _, row := range rows {
			if i < len(row) {
				widths[i] = max(widths[i], cells(Clean(row[i])))
			}
		}
	}
	return widths
}

// Fitting is how many of the columns, from the first, have room beside each other once they are
// cut as far as Table cuts them: one at least. A width of 0 has room for all.
func Fitting(columns []Column, rows [][]string, width int) int {
	total := -len(columnGap)
	for i, w := range columnWidths(columns, rows) {
		if !columns[i].Whole {
			w = min(w, minColumn)
		}
		if total += len(columnGap) + w; width > 0 && total > width {
			return max(i, 1)
		}
	}
	return len(columns)
}

// fit takes cells from the widest column until the row fits, or until no column
// may be cut further.
func fit(columns []Column, widths []int, width int) {
	if width <= 0 || len(widths) == 0 {
		return
	}
	total := len(columnGap) * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for total > width {
		widest := -1
		for i, w := range widths {
			if !columns[i].Whole && w > minColumn && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
		total--
	}
}
