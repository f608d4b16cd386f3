package cli

import (
	"context"
	"crypto/sha256"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/fault"
)

// maxLooked bounds what is compared of the configuration file, in bytes: one that is larger
// is refused when it is read.
const maxLooked = 2 << 20

// reloader has a serving process read its configuration again: at each SIGHUP, and where the
// content of its file has changed. A mounted ConfigMap changes by a link, so that times and
// names say nothing.
type reloader struct {
	path    string // of the configuration file, which may not be there
	log     *slog.Logger
	load    func() (*config.Config, error)
	signals chan os.Signal

	read content // what the file held when it was read last
	seen content // what it held at the last look
	// refused is why it was not taken on when it was read last, empty where it was. The reason may lie in
	// another file, such as one of a key that is still to come.
	refused string
}

// content tells what a file holds; the zero value stands for one that cannot be read.
type content [sha256.Size]byte

func newReloader(path string, log *slog.Logger, load func() (*config.Config, error)) *reloader {
	r := &reloader{path: path, log: log, load: load, signals: make(chan os.Signal, 1)}
	r.read = r.content()
	r.seen = r.read
	return r
}

// reloading is a process that takes on another configuration; app.App does.
type reloading interface {
	Reload(ctx context.Context, load func() (*config.Config, error)) (app.Reloaded, error)
	ReloadEvery() time.Duration
}

// hearSignals keeps SIGHUP from ending the process; one that comes before watch is heeded
// then. The returned function gives it up.
func (r *reloader) hearSignals() (stop func()) {
	signal.Notify(r.signals, syscall.SIGHUP)
	return func() { signal.Stop(r.signals) }
}

// watch reads the configuration again when that is called for, until the returned function is
// called.
func (r *reloader) watch(ctx context.Context, process reloading) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			var due <-chan time.Time // nil, which never comes, where nobody is to look
			if every := process.ReloadEvery(); every > 0 {
				due = time.After(every)
			}
			select {
			case <-r.signals:
				r.reload(ctx, process)
			case <-due:
				r.look(ctx, process)
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// look reads the configuration again where its file has another content than when it was read
// last, and the same as at the look before: one that is being written is left until it is done.
// One that was refused is read at each look.
func (r *reloader) look(ctx context.Context, process reloading) {
	now := r.content()
	settled := now == r.seen
	r.seen = now
	if settled && (now != r.read || r.refused != "") {
		r.reload(ctx, process)
	}
}

// content returns what the file holds.
func (r *reloader) content() (sum content) {
	file, err := os.Open(r.path)
	if err != nil {
		return content{}
	}
	defer file.Close() //nolint:errcheck // opened for reading
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(file, maxLooked)); err != nil {
		return content{}
	}
	return content(h.Sum(nil))
}

// reload has the process take on the configuration, and tells what came of it.
func (r *reloader) reload(ctx context.Context, process reloading) {
	r.read = r.content()
	got, err := process.Reload(ctx, r.load)
	if err != nil {
		why := fault.OperatorText(err)
		if why == r.refused {
			return // it was told
		}
		r.refused = why
		r.log.ErrorContext(ctx, "the configuration was read again and is not valid: what was in use stays; mend it and it is read once more, at SIGHUP at once", "error", why)
		return
	}
	r.refused = ""
	level := slog.LevelInfo
	if len(got.Waiting) > 0 {
		level = slog.LevelWarn
	}
	r.log.Log(ctx, level, "the configuration was read again; most files that it names are read by themselves when they change", "changed", got.Taken, "wait_for_a_restart", got.Waiting)
}
