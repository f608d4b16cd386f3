package printer

import "github.com/dibrain/dibrain/pkg/sql/tree"

func (p *printer) tableFunction(f *tree.TableFunction) {
	p.write("TABLE(")
	p.function(f.Name)
	p.write("(")
	list(p, f.Args)
	if len(f.Copartition) > 0 {
		p.blank()
		p.write("COPARTITION ")
		list(p, f.Copartition)
	}
	p.write("))")
}

func (p *printer) tableArgument(a *tree.TableArgument) {
	if a.Name != nil {
		p.node(a.Name)
		p.write(" => ")
	}
	switch {
	case a.Value != nil:
		p.node(a.Value)
	case a.NoColumns:
		p.write("CAST(NULL AS DESCRIPTOR)")
	case a.Relation == nil:
		p.write("DESCRIPTOR(")
		list(p, a.Descriptor)
		p.write(")")
	default:
		p.argumentRelation(a)
	}
}

func (p *printer) argumentRelation(a *tree.TableArgument) {
	relation := a.Relation
	aliased, isAliased := relation.(*tree.Aliased)
	if isAliased {
		relation = aliased.Relation
	}
	p.write("TABLE(")
	if d, ok := relation.(*tree.Derived); ok {
		p.node(d.Query)
	} else {
		p.node(relation)
	}
	p.write(")")
	if isAliased {
		p.write(" AS ")
		p.node(aliased.Alias)
		p.columns(aliased.Columns)
	}
	if a.Partitioned {
		p.write(" PARTITION BY (")
		p.exprs(a.PartitionBy)
		p.write(")")
	}
	p.words(a.Empty, " WHEN EMPTY")
	if len(a.OrderBy) > 0 {
		p.write(" ORDER BY (")
		list(p, a.OrderBy)
		p.write(")")
	}
}
