package guard

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	// rereadEvery is how long a change of a file may go unseen.
	rereadEvery = 2 * time.Second
	// maxFileBytes bounds a file of rules.
	maxFileBytes = 1 << 20
)

// File is rules kept in a file, which is read again when it changes. A change that
// cannot be read is an error until it is mended: what the earlier rules let through
// may be what the change was to forbid.
type File[T any] struct {
	path  string
	parse func([]byte) (T, error)
	clock func() time.Time

	mu       sync.Mutex
	value    T
	err      error
	modified time.Time
	size     int64
	checked  time.Time
}

// OpenFile reads the file at path; one that cannot be read is an error here, so that a
// process does not start with it.
func OpenFile[T any](path string, parse func([]byte) (T, error), clock func() time.Time) (*File[T], error) {
	f := &File[T]{path: path, parse: parse, clock: clock, checked: clock()}
	f.load()
	return f, f.err
}

// Current returns the rules in force, or why the file cannot be read.
func (f *File[T]) Current() (T, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.clock(); now.Sub(f.checked) >= rereadEvery || now.Before(f.checked) {
		f.checked = now
		if info, err := os.Stat(f.path); err != nil || f.err != nil || !info.ModTime().Equal(f.modified) || info.Size() != f.size {
			f.load()
		}
	}
	return f.value, f.err
}

func (f *File[T]) load() {
	var none T
	text, err := f.read()
	if err == nil {
		f.value, err = f.parse(text)
	}
	if f.err = err; err != nil {
		f.value = none
	}
}

func (f *File[T]) read() ([]byte, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // read only
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("it has more than %d bytes", maxFileBytes)
	}
	f.modified, f.size = info.ModTime(), info.Size()
	return text, nil
}
