package printer

import "github.com/dibrain/dibrain/pkg/sql/tree"

func (p *printer) json(x tree.Expr) {
	switch x := x.(type) {
	case *tree.JSONExists:
		p.write("JSON_EXISTS(")
		p.node(x.Path)
		p.words(x.OnError, " ON ERROR")
	case *tree.JSONValue:
		p.write("JSON_VALUE(")
		p.node(x.Path)
		p.returning(x.Returning, "")
		p.behaviors(x.OnEmpty, x.OnError)
	case *tree.JSONQuery:
		p.write("JSON_QUERY(")
		p.node(x.Path)
		p.returning(x.Returning, x.Format)
		p.words(x.Wrapper, " WRAPPER")
		p.quotes(x.Quotes)
		p.behaviors(x.OnEmpty, x.OnError)
	case *tree.JSONObject:
		p.write("JSON_OBJECT(")
		list(p, x.Members)
		p.words(x.Nulls, " ON NULL")
		p.words(x.Unique, " UNIQUE KEYS")
		p.returning(x.Returning, x.Format)
	case *tree.JSONArray:
		p.write("JSON_ARRAY(")
		list(p, x.Items)
		p.words(x.Nulls, " ON NULL")
		p.returning(x.Returning, x.Format)
	}
	p.write(")")
}

// words writes a choice and the words that go with it, where one was made.
func (p *printer) words(choice, rest string) {
	if choice != "" {
		p.blank()
		p.write(choice + rest)
	}
}

// blank writes a blank unless a parenthesis or a blank is last.
func (p *printer) blank() {
	if last := p.last(); last != '(' && last != ' ' && last != 0 {
		p.write(" ")
	}
}

func (p *printer) quotes(quotes string) {
	switch quotes {
	case "KEEP", "OMIT":
		p.words(quotes, " QUOTES")
	case "KEEP ON SCALAR STRING", "OMIT ON SCALAR STRING":
		p.words(quotes[:4], " QUOTES ON SCALAR STRING")
	}
}

func (p *printer) returning(typ *tree.TypeName, format string) {
	if typ == nil {
		return
	}
	p.blank()
	p.write("RETURNING ")
	p.node(typ)
	if format != "" {
		p.write(" FORMAT " + format)
	}
}

func (p *printer) behaviors(onEmpty, onError *tree.JSONBehavior) {
	if onEmpty != nil {
		p.write(" ")
		p.node(onEmpty)
		p.write(" ON EMPTY")
	}
	if onError != nil {
		p.write(" ")
		p.node(onError)
		p.write(" ON ERROR")
	}
}

// jsonPart writes the nodes that JSON functions are made of.
func (p *printer) jsonPart(n tree.Node) bool {
	switch n := n.(type) {
	case *tree.JSONInput:
		p.node(n.X)
		if n.Format != "" {
			p.write(" FORMAT " + n.Format)
		}
	case *tree.JSONPath:
		p.jsonPath(n)
	case *tree.JSONArgument:
		p.node(n.Value)
		p.write(" AS ")
		p.node(n.Name)
	case *tree.JSONBehavior:
		p.write(n.Kind)
		if n.Default != nil {
			p.write(" ")
			p.node(n.Default)
		}
	case *tree.JSONMember:
		p.node(n.Key)
		p.write(" VALUE ")
		p.node(n.Value)
	case *tree.JSONColumn:
		p.jsonColumn(n)
	default:
		return false
	}
	return true
}

func (p *printer) jsonPath(n *tree.JSONPath) {
	p.node(n.Input)
	p.write(", ")
	p.node(n.Path)
	if n.Name != nil {
		p.write(" AS ")
		p.node(n.Name)
	}
	if len(n.Passing) > 0 {
		p.write(" PASSING ")
		list(p, n.Passing)
	}
}

func (p *printer) jsonColumn(n *tree.JSONColumn) {
	if n.Kind == tree.JSONColumnNested {
		p.write("NESTED PATH ")
		p.node(n.Path)
		if n.Name != nil {
			p.write(" AS ")
			p.node(n.Name)
		}
		p.jsonColumns(n.Columns)
		return
	}
	p.node(n.Name)
	if n.Kind == tree.JSONColumnOrdinality {
		p.write(" FOR ORDINALITY")
		return
	}
	p.write(" ")
	p.node(n.Type)
	if n.Format != "" {
		p.write(" FORMAT " + n.Format)
	}
	if n.Path != nil {
		p.write(" PATH ")
		p.node(n.Path)
	}
	p.words(n.Wrapper, " WRAPPER")
	p.quotes(n.Quotes)
	p.behaviors(n.OnEmpty, n.OnError)
}

func (p *printer) jsonColumns(columns []*tree.JSONColumn) {
	p.write(" COLUMNS (")
	list(p, columns)
	p.write(")")
}

func (p *printer) jsonTable(t *tree.JSONTable) {
	p.write("JSON_TABLE(")
	p.node(t.Path)
	p.jsonColumns(t.Columns)
	p.words(t.Plan, "")
	p.words(t.OnError, " ON ERROR")
	p.write(")")
}
