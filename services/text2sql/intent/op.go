package intent

// Ordered reports whether an operator compares by order.
func (op Op) Ordered() bool {
	switch op {
	case Gt, Ge, Lt, Le, Between:
		return true
	}
	return false
}

// Turned is the operator between values with their order turned around: to fall by
// more than ten is to change by less than minus ten.
func (op Op) Turned() Op {
	switch op {
	case Gt:
		return Lt
	case Ge:
		return Le
	case Lt:
		return Gt
	case Le:
		return Ge
	}
	return op
}

// Negated is the operator that holds where a comparison of two values does not.
func (op Op) Negated() Op {
	switch op {
	case Gt:
		return Le
	case Ge:
		return Lt
	case Lt:
		return Ge
	case Le:
		return Gt
	case Eq:
		return Ne
	case Ne:
		return Eq
	}
	return op
}
