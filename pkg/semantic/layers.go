package semantic

import (
	"log/slog"
	"sync"
	"time"
)

// Layers keeps the layers of sources for whoever needs them: each is read when it
// is first asked for, and again when its files change. Safe for concurrent use.
type Layers struct {
	dataDir string
	clock   func() time.Time
	log     *slog.Logger

	mu      sync.Mutex
	folders map[string]*Folder // by source
}

// NewLayers returns the layers of the sources of a data directory; "" has no
// layers of its own, and those that came with a source's data count. A nil clock
// is the wall clock, a nil log none.
func NewLayers(dataDir string, clock func() time.Time, log *slog.Logger) *Layers {
	return &Layers{dataDir: dataDir, clock: clock, log: log, folders: map[string]*Folder{}}
}

// Of returns the layer of a source as it is now, and whether the source has one.
// ingested is the folder of the one that came with its data; empty: none did.
func (l *Layers) Of(source, ingested string) (State, bool) {
	dir := DirOf(l.dataDir, source, ingested)
	l.mu.Lock()
	defer l.mu.Unlock()
	if dir == "" {
		delete(l.folders, source)
		return State{}, false
	}
	f := l.folders[source]
	if f == nil || f.Dir() != dir {
		f = NewFolder(dir, l.clock, l.log)
		l.folders[source] = f
	}
	return f.Current(), true
}
