package policy

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// reloadEvery is how long a change of the file may go unseen.
const reloadEvery = 2 * time.Second

// Reasons of errors.
const (
	ReasonUnreadable = "POLICY_UNREADABLE"
)

// File is a policy kept in a file, read again when the file changes. A change
// that cannot be read closes everything until it is mended: what the earlier
// state allowed may be what the change was to forbid. A nil *File is that of an
// installation without a policy.
type File struct {
	path  string
	clock func() time.Time
	log   *slog.Logger
	told  []Option // how the policy tells the time

	mu      sync.Mutex
	policy  *Policy
	err     error
	stamp   stamp
	checked time.Time
}

type stamp struct {
	modified time.Time
	size     int64
}

// Open reads the file at path; one that cannot be read is an error here, so that
// a process does not start with it. A nil clock is the wall clock; the conditions of
// the policy read it too.
func Open(path string, clock func() time.Time, log *slog.Logger, options ...Option) (*File, error) {
	if clock == nil {
		clock = time.Now
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	f := &File{path: path, clock: clock, log: log, told: append([]Option{WithClock(clock)}, options...), checked: clock()}
	if f.policy, f.stamp, f.err = load(path, f.told); f.err != nil {
		return nil, f.err
	}
	return f, nil
}

// Current returns the policy in force; nil where there is none at all. The error
// is a fault: the file has become unreadable, and nothing may be read until it is
// mended.
func (f *File) Current() (*Policy, error) {
	if f == nil {
		return nil, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refresh()
	if f.err != nil {
		return nil, fault.New(codes.FailedPrecondition, ReasonUnreadable,
			"The access policy cannot be read, so nothing may be read at all: an administrator has to mend it.").
			ForOperator("%v", f.err).Because(f.err)
	}
	return f.policy, nil
}

func (f *File) refresh() {
	now := f.clock()
	if now.Sub(f.checked) < reloadEvery && !now.Before(f.checked) {
		return
	}
	f.checked = now
	info, err := os.Stat(f.path)
	if err == nil && stampOf(info) == f.stamp {
		return
	}
	had := f.err
	f.policy, f.stamp, f.err = load(f.path, f.told)
	switch {
	case f.err == nil:
		f.log.Info("access policy read again", "rules", len(f.policy.rules))
	case had == nil || had.Error() != f.err.Error():
		f.log.Error("the access policy cannot be read: everything is refused until it is mended", "error", f.err)
	}
}

func load(path string, told []Option) (*Policy, stamp, error) {
	fail := func(err error) (*Policy, stamp, error) {
		return nil, stamp{}, fmt.Errorf("read the access policy (policy.file): %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return fail(err)
	}
	defer func() { _ = file.Close() }() // read only
	info, err := file.Stat()
	if err != nil {
		return fail(err)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err != nil {
		return fail(err)
	}
	p, err := Parse(filepath.Base(path), text, told...)
	if err != nil {
		return fail(errors.Join(err))
	}
	return p, stampOf(info), nil
}

func stampOf(info os.FileInfo) stamp { return stamp{modified: info.ModTime(), size: info.Size()} }
