package printer

import "github.com/dibrain/dibrain/pkg/sql/tree"

func (p *printer) matchRecognize(m *tree.MatchRecognize) {
	p.node(m.Relation)
	p.write(" MATCH_RECOGNIZE (")
	if len(m.PartitionBy) > 0 {
		p.write("PARTITION BY ")
		p.exprs(m.PartitionBy)
	}
	if len(m.OrderBy) > 0 {
		p.blank()
		p.write("ORDER BY ")
		list(p, m.OrderBy)
	}
	p.measures(m.Measures)
	p.words(m.RowsPerMatch, "")
	p.search(m.Skip, m.Search)
	p.pattern(m.Pattern)
	p.subsets(m.Subsets)
	p.definitions(m.Define)
	p.write(")")
}

func (p *printer) measures(measures []*tree.Measure) {
	if len(measures) > 0 {
		p.blank()
		p.write("MEASURES ")
		list(p, measures)
	}
}

func (p *printer) search(skip, search string) {
	if skip != "" {
		p.blank()
		p.write("AFTER MATCH " + skip)
	}
	p.words(search, "")
}

func (p *printer) pattern(pattern *tree.RowPattern) {
	if pattern != nil {
		p.blank()
		p.write("PATTERN (")
		p.node(pattern)
		p.write(")")
	}
}

func (p *printer) subsets(subsets []*tree.Subset) {
	if len(subsets) > 0 {
		p.write(" SUBSET ")
		list(p, subsets)
	}
}

func (p *printer) definitions(definitions []*tree.Definition) {
	if len(definitions) > 0 {
		p.write(" DEFINE ")
		list(p, definitions)
	}
}

// patternPart writes the nodes that row pattern recognition is made of.
func (p *printer) patternPart(n tree.Node) bool {
	switch n := n.(type) {
	case *tree.Measure:
		p.node(n.X)
		p.write(" AS ")
		p.node(n.Name)
	case *tree.RowPattern:
		p.write(n.Text)
	case *tree.Subset:
		p.node(n.Name)
		p.write(" =")
		p.columns(n.Variables)
	case *tree.Definition:
		p.node(n.Name)
		p.write(" AS ")
		p.node(n.Cond)
	case *tree.Frame:
		p.frame(n)
	default:
		return false
	}
	return true
}

func (p *printer) frame(f *tree.Frame) {
	if len(f.Measures) > 0 {
		p.measures(f.Measures)
		p.write(" ")
	}
	p.write(f.Unit + " ")
	if f.End == nil {
		p.node(f.Start)
	} else {
		p.write("BETWEEN ")
		p.node(f.Start)
		p.write(" AND ")
		p.node(f.End)
	}
	p.search(f.Skip, f.Search)
	p.pattern(f.Pattern)
	p.subsets(f.Subsets)
	p.definitions(f.Define)
}
