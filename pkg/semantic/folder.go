package semantic

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// reloadEvery is how long a change of a layer's files may go unseen.
const reloadEvery = 2 * time.Second

// Folder is a layer kept in a folder, read again when its files change. While a
// change has mistakes the layer before it stays in force, and State says so. It is
// looked at when somebody asks, at most once every two seconds; safe for
// concurrent use.
type Folder struct {
	dir   string
	clock func() time.Time
	log   *slog.Logger

	mu      sync.Mutex
	state   State
	stamps  []stamp
	checked time.Time
}

// State is what is known of a folder's layer.
type State struct {
	// Layer in force; nil where none was ever without mistakes. Another state with
	// the same Layer pointer has the same layer.
	Layer *Layer
	// ReadAt is when Layer was read.
	ReadAt time.Time
	// Problems of the files as they are now: with errors in them, Layer is that of
	// an earlier state; warnings are those of Layer.
	Problems Problems
}

// Stale reports whether the files hold mistakes, and an earlier layer is in force.
func (s State) Stale() bool { return len(s.Problems.Errors()) > 0 }

// stamp tells a state of a file from another without reading it.
type stamp struct {
	name     string
	size     int64
	modified time.Time
}

// NewFolder returns the layer of a folder, which is read when it is first asked
// for. A nil clock is the wall clock, a nil log none.
func NewFolder(dir string, clock func() time.Time, log *slog.Logger) *Folder {
	if clock == nil {
		clock = time.Now
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Folder{dir: dir, clock: clock, log: log}
}

// Dir is the folder.
func (f *Folder) Dir() string { return f.dir }

// Current returns the layer as it is now.
func (f *Folder) Current() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock()
	if !f.checked.IsZero() && now.Sub(f.checked) < reloadEvery && !now.Before(f.checked) {
		return f.state
	}
	first := f.checked.IsZero()
	f.checked = now
	stamps := stampsOf(f.dir)
	if !first && slices.Equal(stamps, f.stamps) {
		return f.state
	}
	f.stamps = stamps
	f.read(now, first)
	return f.state
}

func (f *Folder) read(now time.Time, first bool) {
	layer, problems := Check(f.dir, nil)
	f.state.Problems = problems
	switch {
	case layer != nil:
		f.state.Layer, f.state.ReadAt = layer, now
		if !first {
			f.log.Info("semantic layer read again", "folder", f.dir, "metrics", len(layer.Metrics), "dimensions", len(layer.Dimensions))
		}
	case f.state.Layer != nil:
		f.log.Error("the semantic layer has mistakes: the one before stays in force until they are mended",
			"folder", f.dir, "mistakes", len(problems.Errors()), "first", problems.Errors()[0].Error())
	default:
		f.log.Error("the semantic layer has mistakes and cannot be used", "folder", f.dir,
			"mistakes", len(problems.Errors()), "first", problems.Errors()[0].Error())
	}
}

// stampsOf lists the files of a layer as they are; what cannot be read has no size.
func stampsOf(dir string) []stamp {
	names, err := layerFiles(dir)
	if err != nil {
		return nil
	}
	out := make([]stamp, len(names))
	for i, n := range names {
		out[i].name = n
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(n)))
		if err != nil {
			out[i].size = -1
			continue
		}
		out[i].size, out[i].modified = info.Size(), info.ModTime()
	}
	return out
}

// OwnDir is the folder of the data directory where people keep the layer of a
// source: DATA_DIR/semantic/SOURCE.
func OwnDir(dataDir, source string) string { return filepath.Join(dataDir, "semantic", source) }

// DraftDir is where a draft of the layer of a source is, which nothing reads until it
// is applied: DATA_DIR/drafts/SOURCE.
func DraftDir(dataDir, source string) string { return filepath.Join(dataDir, "drafts", source) }

// DirOf is where the layer of a source is: OwnDir where that folder is there, else
// the one that came with the source's data, which may be empty for none.
func DirOf(dataDir, source, ingested string) string {
	if dataDir == "" {
		return ingested
	}
	own := OwnDir(dataDir, source)
	if info, err := os.Stat(own); err == nil && info.IsDir() {
		return own
	}
	return ingested
}
