package tree

// The children_*.go files give each node's children, in the order of its fields. A new field
// that holds a node belongs here, or neither walks nor rewrites reach it; a test
// compares them with the types.

func (n *Statement) mapChildren(m *mapper) Node {
	query := one(m, n.Query)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Query = query
	return &c
}

func (n *Ident) mapChildren(*mapper) Node { return n }

func (n *Name) mapChildren(m *mapper) Node {
	parts := list(m, n.Parts)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Parts = parts
	return &c
}

func (n *Query) mapChildren(m *mapper) Node {
	with := one(m, n.With)
	body := one(m, n.Body)
	orderBy := list(m, n.OrderBy)
	offset := one(m, n.Offset)
	limit := one(m, n.Limit)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.With, c.Body, c.OrderBy, c.Offset, c.Limit = with, body, orderBy, offset, limit
	return &c
}

func (n *With) mapChildren(m *mapper) Node {
	queries := list(m, n.Queries)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Queries = queries
	return &c
}

func (n *CommonTable) mapChildren(m *mapper) Node {
	name := one(m, n.Name)
	columns := list(m, n.Columns)
	query := one(m, n.Query)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Name, c.Columns, c.Query = name, columns, query
	return &c
}

func (n *Limit) mapChildren(m *mapper) Node {
	count := one(m, n.Count)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Count = count
	return &c
}

func (n *SortItem) mapChildren(m *mapper) Node {
	expr := one(m, n.Expr)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Expr = expr
	return &c
}

func (n *Select) mapChildren(m *mapper) Node {
	items := list(m, n.Items)
	from := list(m, n.From)
	where := one(m, n.Where)
	groupBy := one(m, n.GroupBy)
	having := one(m, n.Having)
	windows := list(m, n.Windows)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Items, c.From, c.Where, c.GroupBy, c.Having, c.Windows = items, from, where, groupBy, having, windows
	return &c
}

func (n *SelectExpr) mapChildren(m *mapper) Node {
	expr := one(m, n.Expr)
	alias := one(m, n.Alias)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Expr, c.Alias = expr, alias
	return &c
}

func (n *Star) mapChildren(m *mapper) Node {
	qualifier := one(m, n.Qualifier)
	aliases := list(m, n.Aliases)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Qualifier, c.Aliases = qualifier, aliases
	return &c
}

func (n *SetOp) mapChildren(m *mapper) Node {
	left := one(m, n.Left)
	right := one(m, n.Right)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Left, c.Right = left, right
	return &c
}

func (n *Values) mapChildren(m *mapper) Node {
	rows := list(m, n.Rows)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Rows = rows
	return &c
}

func (n *TableQuery) mapChildren(m *mapper) Node {
	table := one(m, n.Table)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Table = table
	return &c
}

func (n *ParenQuery) mapChildren(m *mapper) Node {
	query := one(m, n.Query)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Query = query
	return &c
}

func (n *GroupBy) mapChildren(m *mapper) Node {
	elements := list(m, n.Elements)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Elements = elements
	return &c
}

func (n *GroupingElement) mapChildren(m *mapper) Node {
	sets := list(m, n.Sets)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Sets = sets
	return &c
}

func (n *GroupingSet) mapChildren(m *mapper) Node {
	exprs := list(m, n.Exprs)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Exprs = exprs
	return &c
}

func (n *Table) mapChildren(m *mapper) Node {
	name := one(m, n.Name)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Name = name
	return &c
}

func (n *Aliased) mapChildren(m *mapper) Node {
	relation := one(m, n.Relation)
	alias := one(m, n.Alias)
	columns := list(m, n.Columns)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Relation, c.Alias, c.Columns = relation, alias, columns
	return &c
}

func (n *Derived) mapChildren(m *mapper) Node {
	query := one(m, n.Query)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Query = query
	return &c
}

func (n *Lateral) mapChildren(m *mapper) Node {
	query := one(m, n.Query)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Query = query
	return &c
}

func (n *Unnest) mapChildren(m *mapper) Node {
	exprs := list(m, n.Exprs)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Exprs = exprs
	return &c
}

func (n *Join) mapChildren(m *mapper) Node {
	left := one(m, n.Left)
	right := one(m, n.Right)
	on := one(m, n.On)
	using := list(m, n.Using)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Left, c.Right, c.On, c.Using = left, right, on, using
	return &c
}

func (n *ParenRelation) mapChildren(m *mapper) Node {
	relation := one(m, n.Relation)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Relation = relation
	return &c
}

func (n *Sampled) mapChildren(m *mapper) Node {
	relation := one(m, n.Relation)
	percentage := one(m, n.Percentage)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Relation, c.Percentage = relation, percentage
	return &c
}

func (n *TableFunction) mapChildren(m *mapper) Node {
	name := one(m, n.Name)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Name = name
	return &c
}
