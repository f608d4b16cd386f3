package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
)

func TestMemoryLimitLeavesRoomForChildren(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.ChatBI.Config.Engine.MaxProcesses, c.ChatBI.Config.Engine.ProcessMemory = 2, 1<<30
	require.EqualValues(t, 8<<30/10*9, app.MemoryLimit(10<<30, c), "what two children leave")
	require.EqualValues(t, 1<<30/10*9, app.MemoryLimit(2<<30, c), "half of it at least")
	c.ChatBI.Config.Engine.MaxProcesses = 0
	require.EqualValues(t, 5<<30/10*9, app.MemoryLimit(10<<30, c), "five places are what half of the memory holds")
	require.EqualValues(t, 3<<30/10*9, app.MemoryLimit(5<<30, c), "what two places leave")
}
