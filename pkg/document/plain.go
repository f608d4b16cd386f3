package document

import "strings"

// plain reads a text: paragraphs between empty lines. A line that is underlined with
// "=" or "-" is a heading.
func (b *builder) plain(text string) error {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	var paragraph []string
	flush := func() error {
		err := b.block(strings.Join(paragraph, "\n"))
		paragraph = paragraph[:0]
		return err
	}
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " \t")
		if level := underline(lines, i+1); level > 0 && line != "" && len(paragraph) == 0 {
			b.heading(level, line, "")
			i++
			continue
		}
		if line != "" {
			paragraph = append(paragraph, line)
			continue
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return flush()
}

// leastUnderline is how many signs a line under a heading has at least.
const leastUnderline = 3

// underline returns the level of the heading that line i underlines; 0: it does not.
func underline(lines []string, i int) int {
	if i >= len(lines) {
		return 0
	}
	line := strings.TrimSpace(lines[i])
	switch {
	case len(line) < leastUnderline:
		return 0
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}
