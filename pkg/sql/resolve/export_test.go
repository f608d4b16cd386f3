package resolve

// Steps returns how many expressions were resolved, each as often as it was.
func (r *Resolution) Steps() int { return r.steps }
