package report

// Line is one line of a document that is told as a list: what it is, and its text.
type Line struct{ Name, Text string }

// Lines tells a document without its tables and charts as a list, for files that have no
// other place for it, such as a workbook's second sheet.
func Lines(d Document) []Line {
	d.Sections = append([]Section(nil), d.Sections...)
	for i := range d.Sections {
		d.Sections[i].Chart, d.Sections[i].Table = nil, nil
	}
	v, err := newView(d, Options{}.withDefaults())
	if err != nil { // only a chart can be wrong
		return nil
	}
	var out []Line
	all := func(name string, texts []string) {
		for _, text := range texts {
			out = append(out, Line{name, text})
			name = ""
		}
	}
	for _, p := range v.Asked {
		out = append(out, Line(p))
	}
	all(v.Words.Summary, v.Summary)
	all(v.Words.Warnings, v.Warnings)
	for _, s := range v.Sections {
		all(s.Heading, append(s.Paragraphs, s.Findings...))
		all(v.Words.Method, s.Method)
		for _, statement := range s.SQL {
			out = append(out, Line{v.Words.SQL, statement.Text})
		}
		for _, e := range s.Evidence {
			all(e.Name, e.Texts)
		}
	}
	return out
}
