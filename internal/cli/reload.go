package cli

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"syscall"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/telemetry"
)

// liveKey is the setting that a process takes on while it serves.
const liveKey = "log.level"

// reloader reads the configuration of a serving process again. What can be changed while it
// serves is; of the rest the log says which keys wait for a restart, without their values.
type reloader struct {
	running config.Config // what is in use
	load    func() (*config.Config, error)
	verify  func(context.Context, config.Config) error
	level   *slog.LevelVar
	log     *slog.Logger
}

// onSignal reads it again at each SIGHUP, which would end the process otherwise, until the
// returned function is called.
func (r *reloader) onSignal(ctx context.Context) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-signals:
				r.reload(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		cancel()
		<-ended
	}
}

// reload reads and checks the configuration. One that is not valid changes nothing.
func (r *reloader) reload(ctx context.Context) {
	fresh, err := r.load()
	if err == nil {
		err = r.verify(ctx, *fresh)
	}
	if err != nil {
		r.log.ErrorContext(ctx, "the configuration was read again and is not valid: what was in use stays; mend it and send SIGHUP once more", "error", fault.OperatorText(err))
		return
	}
	was := make(map[string]any)
	for _, f := range r.running.Fields() {
		was[f.Key] = f.Value
	}
	var taken, waiting []string
	for _, f := range fresh.Fields() {
		switch {
		case reflect.DeepEqual(f.Value, was[f.Key]):
		case f.Key != liveKey:
			waiting = append(waiting, f.Key)
		case telemetry.SetLevel(r.level, fresh.Log.Level) == nil:
			taken = append(taken, f.Key)
			r.running.Log.Level = fresh.Log.Level
		}
	}
	said := slog.LevelInfo
	if len(waiting) > 0 {
		said = slog.LevelWarn
	}
	r.log.Log(ctx, said, "the configuration was read again; files that it names are read by themselves when they change", "changed", taken, "wait_for_a_restart", waiting)
}
