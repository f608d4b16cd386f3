package ddl

import (
	"slices"
	"strings"
)

// inherits reads (parent, …) behind INHERITS. The columns of the parents come before
// those that a table declares itself.
func (p *parser) inherits(table *Table) error {
	if err := p.expect("("); err != nil {
		return err
	}
	var inherited []Column
	for more := true; more; {
		name, err := p.name()
		if err != nil {
			return err
		}
		for _, c := range p.columnsOf(name) {
			if !slices.ContainsFunc(inherited, func(known Column) bool { return sameName(known.Name, c.Name) }) {
				inherited = append(inherited, c)
			}
		}
		p.belongs(table, name)
		if more, err = p.accept(","); err != nil {
			return err
		}
	}
	for _, own := range table.Columns {
		at := slices.IndexFunc(inherited, func(known Column) bool { return sameName(known.Name, own.Name) })
		if at < 0 {
			inherited = append(inherited, own)
			continue
		}
		inherited[at] = own // declared again: it is one column
	}
	table.Columns = inherited
	return p.expect(")")
}

// partitionOf reads the parent of a partition, whose columns it has. A list of
// constraints and the bounds that follow say nothing of columns.
func (p *parser) partitionOf(table *Table) error {
	name, err := p.name()
	if err != nil {
		return err
	}
	table.Columns = slices.Clone(p.columnsOf(name))
	p.belongs(table, name)
	return nil
}

// columnsOf are the columns of a table that was declared before.
func (p *parser) columnsOf(name Name) []Column {
	if parent, ok := p.schema.Table(name); ok {
		return parent.Columns
	}
	return nil
}

// belongs notes, once, whose rows those of the table are as well.
func (p *parser) belongs(table *Table, parent Name) {
	if declared, ok := p.schema.Table(parent); ok {
		parent = declared.Name
	}
	if !slices.Contains(table.Parents, parent) {
		table.Parents = append(table.Parents, parent)
	}
}

// attach reads PARTITION t behind ALTER TABLE … ATTACH.
func (p *parser) attach(parent *Table) error {
	if is, err := p.accept("partition"); err != nil || !is {
		return err
	}
	name, err := p.name()
	if err != nil {
		return err
	}
	if part, ok := p.schema.Table(name); ok {
		p.belongs(part, parent.Name)
	}
	return nil
}

// inherit reads the parent behind ALTER TABLE … INHERIT.
func (p *parser) inherit(table *Table) error {
	name, err := p.name()
	if err != nil {
		return err
	}
	p.belongs(table, name)
	return nil
}

// noInherit reads INHERIT and the parent behind ALTER TABLE … NO.
func (p *parser) noInherit(table *Table) error {
	if is, err := p.accept("inherit"); err != nil || !is {
		return err
	}
	name, err := p.name()
	if err == nil {
		leave(table, name)
	}
	return err
}

// detach reads PARTITION t behind ALTER TABLE … DETACH.
func (p *parser) detach(parent *Table) error {
	if is, err := p.accept("partition"); err != nil || !is {
		return err
	}
	name, err := p.name()
	if part, ok := p.schema.Table(name); err == nil && ok {
		leave(part, parent.Name)
	}
	return err
}

// leave makes a table's rows its own from then on.
func leave(table *Table, parent Name) {
	table.Parents = slices.DeleteFunc(table.Parents, func(n Name) bool {
		return sameName(n.Table, parent.Table) && (parent.Schema == "" || sameName(n.Schema, parent.Schema))
	})
}

func sameName(a, b string) bool { return strings.EqualFold(a, b) }
