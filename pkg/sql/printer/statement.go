package printer

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// statement writes a statement. One that is known by its kind only has nothing
// but its text.
func (p *printer) statement(s *tree.Statement) {
	switch {
	case s.Query != nil:
		p.node(s.Query)
	case s.Show != nil:
		p.node(s.Show)
	case s.Explain != nil:
		p.node(s.Explain)
	default:
		p.write(s.Span().Text())
	}
}

func (p *printer) show(s *tree.Show) {
	switch kind := s.Kind; {
	case kind == tree.KindShowStatsForQuery:
		p.write("SHOW STATS FOR ")
		p.inner(s.Query)
		return
	case kind == tree.KindShowStats:
		p.write("SHOW STATS FOR ")
		p.node(s.Name)
		return
	case strings.HasPrefix(string(kind), "SHOW CREATE "):
		p.write(string(kind) + " ")
		p.node(s.Name)
		return
	}
	p.write(string(s.Kind))
	if s.Name != nil {
		p.write(" FROM ")
		p.node(s.Name)
	}
	if s.Like != nil {
		p.write(" LIKE ")
		p.node(s.Like)
	}
	if s.Escape != nil {
		p.write(" ESCAPE ")
		p.node(s.Escape)
	}
}

func (p *printer) explain(e *tree.Explain) {
	p.write("EXPLAIN")
	if e.Analyze {
		p.write(" ANALYZE")
	}
	if e.Verbose {
		p.write(" VERBOSE")
	}
	if len(e.Options) > 0 {
		p.write(" (")
		list(p, e.Options)
		p.write(")")
	}
	if p.layout != nil {
		p.newline()
	} else {
		p.write(" ")
	}
	p.node(e.Statement)
}
