package app

import (
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// MemoryLimit is what the runtime of a server may use of a container's memory: what
// the processes of one embedded engine leave, half of it at least, and of that nine
// tenths, as not all memory is the runtime's.
func MemoryLimit(container int64, c config.Config) int64 {
	engine := c.ChatBI.Config.Engine
	children := int64(0)
	if each, err := duckdb.ProcessMemory(engine.MemoryLimit, engine.ProcessMemory); err == nil {
		children = each * int64(engine.MaxConcurrent)
	}
	rest := max(container-children, container/2)
	return rest / 10 * 9
}
