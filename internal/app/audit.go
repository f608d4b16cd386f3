package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"

	"github.com/dibrain/dibrain/pkg/rpc"
)

// auditFile is what lines of the audit log are appended to. A line that cannot be written
// shows in readiness.
type auditFile struct {
	file    *os.File
	problem atomic.Pointer[error]
}

// Write implements io.Writer.
func (f *auditFile) Write(line []byte) (int, error) {
	n, err := f.file.Write(line)
	if err != nil {
		f.problem.Store(&err)
	} else {
		f.problem.Store(nil)
	}
	return n, err
}

// Ready tells that calls are made whose lines are not kept.
func (f *auditFile) Ready(context.Context) error {
	if err := f.problem.Load(); err != nil {
		return rpc.Degraded(fmt.Errorf("calls are made that auth.audit_file does not tell of: %w", *err))
	}
	return nil
}

// openAudit opens the audit log where there is one, before anything is served: calls from
// outside and work in the background tell what they did there. A command line's own process
// has no calls from outside.
func (a *App) openAudit() error {
	path := a.config.Auth.AuditFile
	if path == "" || a.headless {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the audit log (auth.audit_file): %w", err)
	}
	a.closers.add("audit log", file.Close)
	sink := &auditFile{file: file}
	a.ready.add("audit", sink.Ready)
	a.auditLog = slog.New(slog.NewJSONHandler(sink, nil))
	return nil
}
