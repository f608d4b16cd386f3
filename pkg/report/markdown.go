package report

import (
	"io"
	"regexp"
	"strings"
)

// Markdown writes a document in GitHub's flavour of Markdown. A chart is told by its
// description and by the table of its data. Texts keep what they are: nothing in them
// becomes a link, a picture, HTML or a heading.
func Markdown(w io.Writer, d Document, o Options) error {
	v, err := newView(d, o.withDefaults())
	if err != nil {
		return err
	}
	m := &markdown{}
	m.block("# " + inline(v.Title))
	for _, p := range v.Asked {
		m.item("**" + inline(p.Name) + ":** " + inline(p.Text))
	}
	m.end()
	for _, text := range v.Summary {
		m.block("**" + inline(text) + "**")
	}
	if len(v.Warnings) > 0 {
		m.block("### " + inline(v.Words.Warnings))
		m.items(v.Warnings)
	}
	for _, s := range v.Sections {
		m.section(s, v.Words)
	}
	_, err = io.WriteString(w, strings.TrimRight(m.text.String(), "\n")+"\n")
	return err
}

// markdown gathers blocks, an empty line between two.
type markdown struct{ text strings.Builder }

func (m *markdown) block(text string) { m.text.WriteString(text + "\n\n") }

func (m *markdown) item(text string) { m.text.WriteString("- " + text + "\n") }

func (m *markdown) end() { m.text.WriteString("\n") }

func (m *markdown) items(texts []string) {
	for _, text := range texts {
		m.item(inline(text))
	}
	m.end()
}

func (m *markdown) section(s sectionView, w words) {
	if s.Heading != "" {
		m.block("## " + inline(s.Heading))
	}
	for _, text := range s.Paragraphs {
		m.block(inline(text))
	}
	if len(s.Findings) > 0 {
		m.items(s.Findings)
	}
	if c := s.Chart; c != nil {
		if c.Title != "" {
			m.block("**" + inline(c.Title) + "**")
		}
		m.block(inline(c.Alt))
	}
	if s.Table != nil {
		m.table(s.Table)
	}
	if len(s.Method) > 0 {
		m.block("### " + inline(w.Method))
		for _, text := range s.Method {
			m.block(inline(text))
		}
	}
	if len(s.SQL) > 0 {
		m.block("### " + inline(w.SQL))
		for _, statement := range s.SQL {
			if statement.Label != "" {
				m.block(inline(statement.Label))
			}
			m.block(fenced(statement.Text, "sql"))
		}
	}
	if s.Code != "" {
		m.block("### Python")
		m.block(fenced(s.Code, "python"))
	}
	if len(s.Evidence) > 0 {
		m.block("### " + inline(w.Evidence))
		for _, one := range s.Evidence {
			m.item("**" + inline(one.Name) + ":** " + inline(strings.Join(one.Texts, "; ")))
		}
		m.end()
	}
}

func (m *markdown) table(t *tableView) {
	if t.Caption != "" {
		m.block(inline(t.Caption))
	}
	row := func(cells []string) { m.text.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	titles, rule := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		titles[i], rule[i] = inline(c.Title), "---"
		if c.Number {
			rule[i] = "---:"
		}
	}
	row(titles)
	row(rule)
	for _, cells := range t.Rows {
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = inline(c.Text)
		}
		row(texts)
	}
	m.end()
	if t.More != "" {
		m.block(inline(t.More))
	}
}

var (
	// marks are the characters that mean something anywhere in a line of Markdown.
	marks = regexp.MustCompile("[\\\\`*_{}\\[\\]<>|~$&]")
	// leading are those that mean something at the begin of one: of a heading, an item of a
	// list, a rule, or an underline.
	leading = regexp.MustCompile(`^\s*(?:#{1,6}|[+-]|\d+[.)])(?:\s|$)|^\s*(?:-+|=+)\s*$`)
	// address is what GitHub makes a link of although nobody marked it.
	address = regexp.MustCompile(`(?i)(https?|ftp|mailto|xmpp)(:)|(www)(\.)|(@)`)
)

// inline writes a text inside of a line, as it is.
func inline(text string) string {
	text = marks.ReplaceAllStringFunc(text, func(mark string) string {
		switch mark { // older readers know no escape of these
		case "<":
			return "&lt;"
		case ">":
			return "&gt;"
		case "&":
			return "&amp;"
		}
		return `\` + mark
	})
	text = address.ReplaceAllStringFunc(text, func(found string) string {
		return strings.NewReplacer(":", "&#58;", ".", "&#46;", "@", "&#64;").Replace(found)
	})
	return leading.ReplaceAllStringFunc(text, func(begin string) string {
		at := strings.IndexAny(begin, "#+-=.)")
		return begin[:at] + `\` + begin[at:]
	})
}

// fenced is a block of code; its fence is longer than any run of backticks in it.
func fenced(text, language string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + "\n" + fence
}
