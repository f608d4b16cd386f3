package ddl

import (
	"fmt"
	"strings"
)

// create reads CREATE … TABLE and passes over the other kinds.
func (p *parser) create() error {
	for {
		t, err := p.next()
		switch {
		case err != nil:
			return err
		case t.Kind == EOF, t.Is(";"):
			return nil
		case t.Is("table"):
			return p.createTable()
		case t.Is("trigger"), t.Is("procedure"), t.Is("function"):
			return p.skipBody()
		case t.Is("view"):
			return p.createView()
		case t.Is("index"), t.Is("schema"), t.Is("database"), t.Is("type"), t.Is("sequence"), t.Is("extension"):
			return p.skipStatement()
		case t.Is("("), t.Kind == String, t.Kind == NumberToken:
			return p.skipStatement()
		}
	}
}

// skipBody passes over a routine: its body may hold semicolons between BEGIN and END.
func (p *parser) skipBody() error {
	for inside := false; ; {
		t, err := p.next()
		if err != nil || t.Kind == EOF {
			return err
		}
		switch {
		case t.Is("begin"):
			inside = true
		case t.Is("end"):
			if end, err := p.accept(";"); err != nil || end {
				return err
			}
		case t.Is(";") && !inside:
			return nil
		}
	}
}

func (p *parser) createTable() error {
	line := p.last.Line
	if _, err := p.accept("if", "not", "exists"); err != nil {
		return err
	}
	name, err := p.name()
	if err != nil {
		return err
	}
	t, err := p.peek(0)
	if err != nil {
		return err
	}
	partition, err := p.accept("partition", "of")
	if err != nil {
		return err
	}
	if !partition && !t.Is("(") {
		return &Problem{t.Line, t.Column, fmt.Sprintf("table %q is not declared by a list of columns and is passed over", name.Table)}
	}
	if len(p.schema.Tables) >= p.config.MaxTables {
		return &Problem{t.Line, t.Column, fmt.Sprintf("more than %d tables: %q is passed over", p.config.MaxTables, name.Table)}
	}
	table := &Table{Name: name, Line: line}
	p.comments = p.comments[:0]
	if partition {
		err = p.partitionOf(table)
	} else {
		err = p.tableBody(table)
	}
	if err != nil {
		return err
	}
	if err := p.tableOptions(table); err != nil {
		return err
	}
	attachComments(table, p.comments)
	p.schema.add(table)
	return nil
}

// tableBody reads the parenthesised list of columns and constraints.
func (p *parser) tableBody(table *Table) error {
	if err := p.expect("("); err != nil {
		return err
	}
	for {
		if done, err := p.accept(")"); err != nil || done { // also after a trailing comma
			return err
		}
		constraint, err := p.constraintAhead()
		if err != nil {
			return err
		}
		if constraint {
			err = p.constraint(table)
		} else {
			err = p.column(table)
		}
		if err != nil {
			return err
		}
		if len(table.Columns) > p.config.MaxColumns {
			return &Problem{p.last.Line, p.last.Column, fmt.Sprintf("table %q has more than %d columns", table.Name.Table, p.config.MaxColumns)}
		}
		if _, err := p.accept(","); err != nil {
			return err
		}
	}
}

// constraintAhead tells a constraint from a column that is named like one.
func (p *parser) constraintAhead() (bool, error) {
	t, err := p.peek(0)
	if err != nil || t.Kind != Word {
		return false, err
	}
	second, err := p.peek(1)
	if err != nil {
		return false, err
	}
	switch strings.ToLower(t.Text) {
	case "primary", "foreign":
		return second.Is("key"), nil
	case "constraint", "check", "exclude", "unique", "fulltext", "spatial", "like":
		return second.Kind == QuotedName || second.Is("(") || second.Is("key") || second.Is("index") || second.Is("using") ||
			strings.EqualFold(t.Text, "constraint") || strings.EqualFold(t.Text, "like"), nil
	case "key", "index":
		if second.Is("(") || second.Kind == QuotedName {
			return true, nil
		}
		// KEY idx (col) against a column: key varchar(20)
		third, err := p.peek(2)
		if err != nil || !third.Is("(") {
			return false, err
		}
		fourth, err := p.peek(3)
		return fourth.Kind != NumberToken, err
	}
	return false, nil
}

// constraint reads one table constraint up to its comma or the list's end.
func (p *parser) constraint(table *Table) error {
	for {
		t, err := p.peek(0)
		if err != nil || t.Is(",") || t.Is(")") {
			return err
		}
		if _, err = p.next(); err != nil {
			return err
		}
		switch {
		case t.Kind == EOF, t.Is(";"):
			return unexpected(t, ")")
		case t.Is("("):
			err = p.skipGroup()
		case t.Is("primary"):
			err = p.keyColumns(&table.PrimaryKey)
		case t.Is("foreign"):
			err = p.foreignKey(table)
		}
		if err != nil {
			return err
		}
	}
}

// keyColumns reads KEY [words] (columns).
func (p *parser) keyColumns(into *[]string) error {
	for {
		t, err := p.peek(0)
		if err != nil {
			return err
		}
		if t.Is("(") {
			columns, err := p.columnList()
			*into = columns
			return err
		}
		if t.Kind != Word && t.Kind != QuotedName {
			return unexpected(t, "a list of columns")
		}
		if _, err := p.next(); err != nil {
			return err
		}
	}
}

func (p *parser) foreignKey(table *Table) error {
	var fk ForeignKey
	if err := p.keyColumns(&fk.Columns); err != nil {
		return err
	}
	if err := p.expect("references"); err != nil {
		return err
	}
	if err := p.references(&fk); err != nil {
		return err
	}
	table.ForeignKeys = append(table.ForeignKeys, fk)
	return nil
}

func (p *parser) references(fk *ForeignKey) (err error) {
	if fk.Ref, err = p.name(); err != nil {
		return err
	}
	if t, err := p.peek(0); err != nil || !t.Is("(") {
		return err
	}
	fk.RefColumns, err = p.columnList()
	return err
}

// column reads name, type and constraints of one column.
func (p *parser) column(table *Table) error {
	name, err := p.identifier()
	if err != nil {
		return err
	}
	c := Column{Name: name}
	if err := p.columnType(&c); err != nil {
		return err
	}
	if err := p.columnConstraints(table, &c); err != nil {
		return err
	}
	c.endLine = p.last.Line
	table.Columns = append(table.Columns, c)
	return nil
}

// columnConstraints reads what follows a column's type.
func (p *parser) columnConstraints(table *Table, c *Column) error {
	for {
		t, err := p.peek(0)
		if err != nil || t.Is(",") || t.Is(")") {
			return err
		}
		if _, err = p.next(); err != nil {
			return err
		}
		switch {
		case t.Kind == EOF, t.Is(";"):
			return unexpected(t, ", or )")
		case t.Is("("):
			err = p.skipGroup()
		case t.Is("not"):
			var null bool
			null, err = p.accept("null")
			c.NotNull = c.NotNull || null
		case t.Is("primary"):
			c.NotNull, table.PrimaryKey = true, append(table.PrimaryKey, c.Name)
		case t.Is("references"):
			fk := ForeignKey{Columns: []string{c.Name}}
			if err = p.references(&fk); err == nil {
				table.ForeignKeys = append(table.ForeignKeys, fk)
			}
		case t.Is("comment"):
			c.Comment, err = p.text()
		}
		if err != nil {
			return err
		}
	}
}

// text takes a string, if one comes next.
func (p *parser) text() (string, error) {
	t, err := p.peek(0)
	if err != nil || t.Kind != String && t.Kind != QuotedName {
		return "", err
	}
	_, err = p.next()
	return t.Text, err
}

// tableOptions reads to the semicolon and keeps COMMENT = 'x'.
func (p *parser) tableOptions(table *Table) error {
	for {
		t, err := p.next()
		if err != nil || t.Kind == EOF || t.Is(";") {
			return err
		}
		switch {
		case t.Is("inherits"):
			err = p.inherits(table)
		case t.Is("comment"):
			if _, err = p.accept("="); err == nil {
				table.Comment, err = p.text()
			}
		}
		if err != nil {
			return err
		}
	}
}

// attachComments gives a remark behind a column to the column on whose line it
// stands, unless the column has a COMMENT of its own.
func attachComments(table *Table, comments []Token) {
	byLine := make(map[int]string, len(comments))
	for _, c := range comments {
		byLine[c.Line] = c.Text
	}
	for i := range table.Columns {
		c := &table.Columns[i]
		lastOfLine := i+1 == len(table.Columns) || table.Columns[i+1].endLine != c.endLine
		if text := byLine[c.endLine]; c.Comment == "" && lastOfLine {
			c.Comment = text
		}
	}
}
