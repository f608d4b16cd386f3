//go:build unix && !linux

package duckdb

import "syscall"

// attributes are none: the child ends when its socket does.
func attributes() *syscall.SysProcAttr { return nil }

// residentBytes is not known: DuckDB's own limit and the deadline are what bounds
// a child.
func residentBytes(int) (int64, bool) { return 0, false }
