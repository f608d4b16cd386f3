package ddl

// alter reads the changes of ALTER TABLE to keys, partitions and parents.
func (p *parser) alter() error {
	if is, err := p.accept("table"); err != nil || !is {
		return orSkip(err, p)
	}
	if _, err := p.accept("only"); err != nil {
		return err
	}
	if _, err := p.accept("if", "exists"); err != nil {
		return err
	}
	if _, err := p.accept("only"); err != nil {
		return err
	}
	name, err := p.name()
	if err != nil {
		return err
	}
	table, known := p.schema.Table(name)
	if !known {
		return p.skipStatement()
	}
	for {
		t, err := p.next()
		switch {
		case err != nil || t.Kind == EOF || t.Is(";"):
			return err
		case t.Is("primary"):
			err = p.keyColumns(&table.PrimaryKey)
		case t.Is("foreign"):
			err = p.foreignKey(table)
		case t.Is("attach"):
			err = p.attach(table)
		case t.Is("inherit"):
			err = p.inherit(table)
		case t.Is("no"):
			err = p.noInherit(table)
		case t.Is("detach"):
			err = p.detach(table)
		}
		if err != nil {
			return err
		}
	}
}

func orSkip(err error, p *parser) error {
	if err != nil {
		return err
	}
	return p.skipStatement()
}

// commentOn reads COMMENT ON TABLE t IS 'x' and COMMENT ON COLUMN t.c IS 'x'.
func (p *parser) commentOn() error {
	if _, err := p.accept("on"); err != nil {
		return err
	}
	onColumn, err := p.accept("column")
	if err != nil {
		return err
	}
	if !onColumn {
		if onTable, err := p.accept("table"); err != nil || !onTable {
			return orSkip(err, p)
		}
	}
	var parts []string
	for more := true; more; {
		part, err := p.identifier()
		if err != nil {
			return err
		}
		parts = append(parts, part)
		if more, err = p.accept("."); err != nil {
			return err
		}
	}
	if _, err := p.accept("is"); err != nil {
		return err
	}
	text, err := p.text()
	if err != nil {
		return err
	}
	p.setComment(parts, onColumn, text)
	return p.skipStatement()
}

func (p *parser) setComment(parts []string, onColumn bool, text string) {
	column := ""
	if onColumn {
		column, parts = parts[len(parts)-1], parts[:len(parts)-1]
	}
	if len(parts) == 0 {
		return
	}
	name := Name{Table: parts[len(parts)-1]}
	if len(parts) > 1 {
		name.Schema = parts[len(parts)-2]
	}
	table, known := p.schema.Table(name)
	if !known {
		return
	}
	if !onColumn {
		table.Comment = text
	} else if i := table.Column(column); i >= 0 {
		table.Columns[i].Comment = text
	}
}
