package app

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/pause"
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

// MemoryEvery is how often the soft limit is held against what lives.
const MemoryEvery = time.Second

// MemoryKeeper keeps the memory of a server near a soft limit. The runtime's own limit is
// one number for good: where what lives came near it, the runtime would do little else
// than collect. So the limit follows what lives.
type MemoryKeeper struct {
	// Soft is what is kept to while what lives leaves room for garbage; 0 or less: nothing is.
	Soft int64
	// Most is never passed, whatever lives; 0: there is no such bound.
	Most int64
	// Read tells the runtime's memory and Set sets its limit; nil: those of the process.
	Read func() MemoryInUse
	Set  func(limit int64)
}

// MemoryInUse is what the runtime has, in bytes.
type MemoryInUse struct {
	Live  int64 // objects that the last collection found alive
	Other int64 // what is not of the heap: stacks, tables of the runtime
}

// Keep follows what lives until ctx ends.
func (k MemoryKeeper) Keep(ctx context.Context, every time.Duration, clock func() time.Time) {
	if k.Read == nil {
		k.Read = memoryInUse
	}
	if k.Set == nil {
		k.Set = func(limit int64) { debug.SetMemoryLimit(limit) }
	}
	last := int64(0)
	follow := func(context.Context) {
		if limit := k.limit(k.Read()); limit != last {
			k.Set(limit)
			last = limit
		}
	}
	follow(ctx)
	pause.Every(ctx, every, clock, follow)
}

// limit is the runtime's limit beside what it has now. Garbage has the rest of the soft
// limit, and at least half as much as what lives: so that little is never collected for
// the sake of less. A heap that is large of itself, such as that of an index of many
// tables, comes to what GCPercent allows, as if there were no limit.
func (k MemoryKeeper) limit(now MemoryInUse) int64 {
	limit := int64(math.MaxInt64)
	if k.Soft > 0 {
		unbounded := now.Live + now.Live*GCPercent/100
		limit = max(k.Soft, now.Live+now.Live/2+now.Other, unbounded-2*k.Soft)
	}
	if k.Most > 0 {
		limit = min(limit, k.Most)
	}
	return limit
}

// memoryInUse reads what the runtime of this process has.
func memoryInUse() MemoryInUse {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	bytes := make([]int64, len(samples))
	for i, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			bytes[i] = int64(s.Value.Uint64()) //nolint:gosec // no process has 8 EiB
		}
	}
	return MemoryInUse{Live: bytes[0], Other: bytes[1] - bytes[2] - bytes[3] - bytes[4] - bytes[5]}
}
