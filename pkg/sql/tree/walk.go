package tree

import "fmt"

// Walk calls visit for n and, while visit returns true, for all nodes below it,
// parents before children, in the order of the fields.
func Walk(n Node, visit func(Node) bool) {
	if n == nil {
		return
	}
	var walk func(Node)
	walk = func(n Node) {
		if visit(n) {
			n.eachChild(walk)
		}
	}
	walk(n)
}

// Children returns the children of n in the order of the fields. An absent
// optional child, and the end of a list, are nil: so two nodes of one type have
// the same shape when their children are nil in the same places.
func Children(n Node) []Node {
	var children []Node
	m := mapper{replace: func(child Node) Node {
		children = append(children, child)
		return child
	}}
	n.mapChildren(&m)
	return children
}

// Rewrite returns the tree with every node replaced by what replace returns for
// it, children before parents. Nodes without a change below them are shared, not
// copied; the original stays as it was. An error means that replace gave a node
// that cannot stand where the old one stood.
func Rewrite[N Node](n N, replace func(Node) Node) (N, error) {
	m := &mapper{}
	m.replace = func(child Node) Node {
		if child == nil || m.err != nil {
			return child
		}
		changed := m.changed
		m.changed = false
		mapped := child.mapChildren(m)
		m.changed = changed
		return replace(mapped)
	}
	out := m.replace(n)
	if m.err != nil {
		return n, m.err
	}
	typed, ok := out.(N)
	if !ok {
		return n, fmt.Errorf("rewrite: %T cannot stand for %T", out, n)
	}
	return typed, nil
}

// mapper hands each child to replace and keeps what comes back.
type mapper struct {
	replace func(Node) Node
	changed bool
	err     error
}

// nodeType is a field's type: a pointer to a node or a node interface.
type nodeType interface {
	comparable
	Node
}

// one maps an optional child.
func one[T nodeType](m *mapper, child T) T {
	var none T
	if child == none {
		m.replace(nil)
		return child
	}
	out := m.replace(child)
	typed, ok := out.(T)
	if !ok {
		if m.err == nil {
			m.err = fmt.Errorf("rewrite: %T cannot stand for %T", out, child)
		}
		return child
	}
	if typed != child {
		m.changed = true
	}
	return typed
}

// list maps the children of a list; a nil marks its end.
func list[T nodeType](m *mapper, children []T) []T {
	var out []T
	for i, child := range children {
		mapped := one(m, child)
		if mapped != child && out == nil {
			out = append(make([]T, 0, len(children)), children[:i]...)
		}
		if out != nil {
			out = append(out, mapped)
		}
	}
	m.replace(nil)
	if out == nil {
		return children
	}
	return out
}

// rewritten returns the Meta of a copy of n that differs in its children only.
func (m Meta) rewritten(n Node) Meta {
	if m.original == nil && !m.span.IsZero() {
		m.original = n
	}
	return m
}
