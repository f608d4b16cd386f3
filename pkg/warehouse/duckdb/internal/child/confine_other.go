//go:build !linux

package child

import (
	"errors"
	"syscall"

	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// confine has nothing to do on systems without the kernel's means for it.
func confine() {}

// bound leaves memory to DuckDB's own limit.
func bound(wire.Open) error { return nil }

// isReset recognises that the parent is gone.
func isReset(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}
