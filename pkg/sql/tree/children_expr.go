package tree

func (n *ColumnRef) mapChildren(m *mapper) Node {
	parts := list(m, n.Parts)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Parts = parts
	return &c
}

func (n *Field) mapChildren(m *mapper) Node {
	base := one(m, n.Base)
	name := one(m, n.Name)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Base, c.Name = base, name
	return &c
}

func (n *Unary) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X = x
	return &c
}

func (n *Binary) mapChildren(m *mapper) Node {
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

func (n *Not) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X = x
	return &c
}

func (n *IsNull) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X = x
	return &c
}

func (n *Between) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	low := one(m, n.Low)
	high := one(m, n.High)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X, c.Low, c.High = x, low, high
	return &c
}

func (n *InList) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	list := list(m, n.List)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X, c.List = x, list
	return &c
}

func (n *InQuery) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	query := one(m, n.Query)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X, c.Query = x, query
	return &c
}

func (n *Like) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	pattern := one(m, n.Pattern)
	escape := one(m, n.Escape)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X, c.Pattern, c.Escape = x, pattern, escape
	return &c
}

func (n *Quantified) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	query := one(m, n.Query)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X, c.Query = x, query
	return &c
}

func (n *Exists) mapChildren(m *mapper) Node {
	query := one(m, n.Query)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Query = query
	return &c
}

func (n *ScalarQuery) mapChildren(m *mapper) Node {
	query := one(m, n.Query)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Query = query
	return &c
}

func (n *Case) mapChildren(m *mapper) Node {
	operand := one(m, n.Operand)
	whens := list(m, n.Whens)
	otherwise := one(m, n.Else)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Operand, c.Whens, c.Else = operand, whens, otherwise
	return &c
}

func (n *When) mapChildren(m *mapper) Node {
	cond := one(m, n.Cond)
	result := one(m, n.Result)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Cond, c.Result = cond, result
	return &c
}

func (n *Cast) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	typ := one(m, n.Type)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X, c.Type = x, typ
	return &c
}

func (n *TypeName) mapChildren(*mapper) Node { return n }

func (n *Call) mapChildren(m *mapper) Node {
	name := one(m, n.Name)
	args := list(m, n.Args)
	orderBy := list(m, n.OrderBy)
	filter := one(m, n.Filter)
	over := one(m, n.Over)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Name, c.Args, c.OrderBy, c.Filter, c.Over = name, args, orderBy, filter, over
	return &c
}

func (n *ListAgg) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	separator := one(m, n.Separator)
	orderBy := list(m, n.OrderBy)
	filter := one(m, n.Filter)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X, c.Separator, c.OrderBy, c.Filter = x, separator, orderBy, filter
	return &c
}

func (n *Over) mapChildren(m *mapper) Node {
	name := one(m, n.Name)
	spec := one(m, n.Spec)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Name, c.Spec = name, spec
	return &c
}

func (n *NamedWindow) mapChildren(m *mapper) Node {
	name := one(m, n.Name)
	spec := one(m, n.Spec)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Name, c.Spec = name, spec
	return &c
}
