package term

import (
	"encoding/csv"
	"io"
	"strings"
)

// WriteCSV writes titles and rows as CSV, texts as they came.
func WriteCSV(w io.Writer, columns []Column, rows [][]string) error {
	out := csv.NewWriter(w)
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.Title
	}
	if err := out.Write(titles); err != nil {
		return err
	}
	return out.WriteAll(rows)
}

// Markdown writes titles and rows as a table of GitHub's Markdown. What would end a
// cell or begin markup is escaped.
func Markdown(columns []Column, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	titles, rule := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		titles[i], rule[i] = markdownCell(c.Title), "---"
		if c.Right {
			rule[i] = "---:"
		}
	}
	line(titles)
	line(rule)
	for _, row := range rows {
		cells := make([]string, len(columns))
		for i := range cells {
			if i < len(row) {
				cells[i] = markdownCell(row[i])
			}
		}
		line(cells)
	}
	return b.String()
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "*", `\*`, "`", "\\`", "[", `\[`, "_", `\_`)

func markdownCell(text string) string { return markdownEscapes.Replace(Clean(text)) }
