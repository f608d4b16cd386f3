package cli

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/telemetry"
)

// process is one that takes on configurations as a test says.
type process struct {
	every time.Duration
	says  app.Reloaded
	err   error
	asked chan struct{} // one for each reload
}

func (p *process) Reload(context.Context, func() (*config.Config, error)) (app.Reloaded, error) {
	p.asked <- struct{}{}
	return p.says, p.err
}

func (p *process) ReloadEvery() time.Duration { return p.every }

// TestReloadIsTold: the log names keys, warns where some wait, and tells what is not valid.
func TestReloadIsTold(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, err := telemetry.NewLogger(&out, telemetry.LogConfig{Level: "info", Format: "json"})
	require.NoError(t, err)
	r := newReloader("/nowhere", log, nil)
	said := func(p process) string {
		defer out.Reset()
		p.asked = make(chan struct{}, 1)
		r.reload(t.Context(), &p)
		return out.String()
	}
	require.Contains(t, said(process{says: app.Reloaded{Taken: []string{"log.level"}}}), `"level":"INFO"`)
	text := said(process{says: app.Reloaded{Taken: []string{"log.level"}, Waiting: []string{"listen"}}})
	require.Contains(t, text, `"level":"WARN"`)
	require.Contains(t, text, `"changed":["log.level"],"wait_for_a_restart":["listen"]`)
	text = said(process{err: errors.New("listen is no address")})
	require.Contains(t, text, `"level":"ERROR"`)
	require.Contains(t, text, "listen is no address")
	require.Empty(t, said(process{err: errors.New("listen is no address")}), "it was told")
	require.Contains(t, said(process{err: errors.New("llm.model is missing")}), "llm.model is missing")
}

// TestAFileThatChanges is read once what it holds is the same at two looks, and not again.
func TestAFileThatChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write("a")
	p := &process{asked: make(chan struct{}, 1)}
	r := newReloader(path, slog.New(slog.DiscardHandler), nil)
	look := func(reads bool, why string) {
		t.Helper()
		r.look(t.Context(), p)
		require.Equal(t, reads, len(p.asked) == 1, why)
		if reads {
			<-p.asked
		}
	}
	look(false, "it is what it was at the start")
	write("b")
	look(false, "it may be half written")
	write("bc")
	look(false, "it was")
	look(true, "it is done")
	look(false, "it was read")
	write("b")
	look(false, "it changed")
	write("bc")
	look(false, "and changed back")
	look(false, "to what was read")

	// A mounted folder is renewed by a link; what is in it counts.
	next := filepath.Join(dir, "next")
	require.NoError(t, os.WriteFile(next, []byte("d"), 0o600))
	require.NoError(t, os.Remove(path))
	look(false, "it is away for a moment")
	require.NoError(t, os.Symlink(next, path))
	look(false, "it has come back")
	look(true, "with something else")
	p.err = errors.New("it is not valid")
	write("e")
	look(false, "it changed")
	look(true, "it is done")
	look(true, "what it names may be there by now")
	p.err = nil
	look(true, "it is")
	look(false, "it was read")
}

// TestWhatHasAProcessReadAgain: a signal, also one that came before the process served, and
// the time between two looks.
func TestWhatHasAProcessReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	r := newReloader(path, slog.New(slog.DiscardHandler), nil)
	defer r.hearSignals()()
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	p := &process{asked: make(chan struct{})}
	stop := r.watch(t.Context(), p)
	<-p.asked
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	<-p.asked
	stop()

	require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
	p.every = time.Millisecond
	stop = r.watch(t.Context(), p)
	<-p.asked
	stop()
}
