package app

import (
	"github.com/dibrain/dibrain/internal/config"
)

// MemoryLimit is what the runtime of a server may use of a container's memory: what
// the processes of the embedded engines leave, half of it at least, and of that nine
// tenths, as not all memory is the runtime's.
func MemoryLimit(container int64, c config.Config) int64 {
	children := int64(0)
	if places, each, err := c.ChatBI.Config.Engine.Places(container); err == nil {
		children = each * int64(places)
	}
	rest := max(container-children, container/2)
	return rest / 10 * 9
}
