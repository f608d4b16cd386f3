package tree

func (n *Window) mapChildren(m *mapper) Node {
	base := one(m, n.Base)
	partitionBy := list(m, n.PartitionBy)
	orderBy := list(m, n.OrderBy)
	frame := one(m, n.Frame)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Base, c.PartitionBy, c.OrderBy, c.Frame = base, partitionBy, orderBy, frame
	return &c
}

func (n *Frame) mapChildren(m *mapper) Node {
	start := one(m, n.Start)
	end := one(m, n.End)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Start, c.End = start, end
	return &c
}

func (n *Bound) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X = x
	return &c
}

func (n *Special) mapChildren(m *mapper) Node {
	precision := one(m, n.Precision)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Precision = precision
	return &c
}

func (n *Extract) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X = x
	return &c
}

func (n *AtTimeZone) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	zone := one(m, n.Zone)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X, c.Zone = x, zone
	return &c
}

func (n *Position) mapChildren(m *mapper) Node {
	sub := one(m, n.Sub)
	x := one(m, n.X)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Sub, c.X = sub, x
	return &c
}

func (n *Trim) mapChildren(m *mapper) Node {
	chars := one(m, n.Chars)
	x := one(m, n.X)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Chars, c.X = chars, x
	return &c
}

func (n *Substring) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	from := one(m, n.From)
	count := one(m, n.For)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X, c.From, c.For = x, from, count
	return &c
}

func (n *Normalize) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X = x
	return &c
}

func (n *Array) mapChildren(m *mapper) Node {
	items := list(m, n.Items)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Items = items
	return &c
}

func (n *Row) mapChildren(m *mapper) Node {
	items := list(m, n.Items)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Items = items
	return &c
}

func (n *Subscript) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	index := one(m, n.Index)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X, c.Index = x, index
	return &c
}

func (n *Lambda) mapChildren(m *mapper) Node {
	params := list(m, n.Params)
	body := one(m, n.Body)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Params, c.Body = params, body
	return &c
}

func (n *Grouping) mapChildren(m *mapper) Node {
	columns := list(m, n.Columns)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.Columns = columns
	return &c
}

func (n *Paren) mapChildren(m *mapper) Node {
	x := one(m, n.X)
	if !m.changed {
		return n
	}
	c := *n
	c.Meta = n.rewritten(n)
	c.X = x
	return &c
}

func (n *Bool) mapChildren(*mapper) Node { return n }

func (n *Number) mapChildren(*mapper) Node { return n }

func (n *String) mapChildren(*mapper) Node { return n }

func (n *Bytes) mapChildren(*mapper) Node { return n }

func (n *Typed) mapChildren(*mapper) Node { return n }

func (n *Interval) mapChildren(*mapper) Node { return n }

func (n *Null) mapChildren(*mapper) Node { return n }

func (n *Param) mapChildren(*mapper) Node { return n }
