package duckdb

// Pids returns the processes of an engine's children.
func (e *Engine) Pids() []int {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	var pids []int
	for w := range e.pool.all {
		if p, ok := w.process.(*spawned); ok {
			pids = append(pids, p.cmd.Process.Pid)
		}
	}
	return pids
}

// Children returns how many children there are, and how many of them run nothing.
func (e *Engine) Children() (all, idle int) {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	return len(e.pool.all), len(e.pool.idle)
}

// DataLimit returns the bound of a child's data segment.
func (e *Engine) DataLimit() uint64 { return e.pool.open.DataLimit }
