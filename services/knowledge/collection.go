package knowledge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// collection keeps the current generation of some documents. Who asks reads what is
// there: a newer generation is made beside it and swapped in when it is whole.
type collection struct {
	Settings
	files  func() (fs.FS, func() error, error) // opens the folder
	reader reader
	log    *slog.Logger
	// life ends with the service; readings that nobody waits for end with it.
	life context.Context
	work *sync.WaitGroup

	mu      sync.Mutex
	current *generation
	checked time.Time
	failed  error         // of the last look, nil where it went well
	reading chan struct{} // closed when the reading under way is over; nil: none is
}

// openFolder opens a folder so that nothing outside of it can be reached.
func openFolder(dir string) func() (fs.FS, func() error, error) {
	return func() (fs.FS, func() error, error) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, nil, err
		}
		return root.FS(), root.Close, nil
	}
}

// embedded opens files that are always there.
func embedded(files fs.FS) func() (fs.FS, func() error, error) {
	return func() (fs.FS, func() error, error) { return files, func() error { return nil }, nil }
}

// generation returns the current generation. The first one is waited for; later ones
// are made in the background when it is time to look, and the answer goes on with the
// one that is there. failed tells why the last look came to nothing.
func (c *collection) generation(ctx context.Context) (g *generation, failed error, err error) {
	c.mu.Lock()
	if c.reading == nil && (c.current == nil || c.reader.clock().Sub(c.checked) >= c.reader.config.CheckEvery) {
		c.begin(func(int, int, string) {})
	}
	g, failed, reading := c.current, c.failed, c.reading
	c.mu.Unlock()
	if g != nil {
		return g, failed, nil
	}
	select {
	case <-reading:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == nil {
		return nil, c.failed, c.failed
	}
	return c.current, c.failed, nil
}

// begin starts a reading; c.mu is held and none is under way.
func (c *collection) begin(tell progress) {
	c.reading = make(chan struct{})
	before := c.current
	c.work.Go(func() {
		g, err := c.read(before, tell)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.checked, c.failed = c.reader.clock(), err
		if err == nil {
			c.current = g
		} else if c.life.Err() == nil {
			c.log.WarnContext(c.life, "a collection of documents cannot be read; answers go on with what was read before", "collection", c.Name, "error", err)
		}
		close(c.reading)
		c.reading = nil
	})
}

// read makes a generation, or returns the one before where no file has changed.
func (c *collection) read(before *generation, tell progress) (g *generation, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read collection %s: %v", c.Name, p)
		}
	}()
	files, closeFiles, err := c.files()
	if err != nil {
		return nil, c.unreadable(err)
	}
	defer func() { err = errors.Join(err, closeFiles()) }()
	list, state, err := c.reader.list(c.life, files)
	if err != nil {
		return nil, c.unreadable(err)
	}
	if before != nil && before.state == state {
		return before, nil
	}
	if g, err = c.reader.readAll(c.life, files, list, c.committed(list), state, before, tell); err != nil {
		return nil, c.unreadable(err)
	}
	return g, nil
}

// committed tells when commits changed the files. A history that cannot be read is told
// to the operator; the dates of the files count then.
func (c *collection) committed(list []file) map[string]time.Time {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.name
	}
	ctx, cancel := context.WithTimeout(c.life, c.reader.config.ReadTimeout)
	defer cancel()
	dates, err := gitDates(ctx, c.Path, names)
	if err != nil && c.life.Err() == nil {
		c.log.WarnContext(c.life, "dates of documents are not from the checkout's history", "collection", c.Name, "error", err)
	}
	return dates
}

func (c *collection) unreadable(err error) error {
	if own := new(*fault.Error); errors.As(err, own) {
		return err
	}
	return fault.New(codes.Unavailable, "COLLECTION_UNREADABLE",
		fmt.Sprintf("The documents of collection %s cannot be read. Its path and rights have to be checked.", c.Name)).
		ForOperator("%s", c.Path).Because(err)
}

// reread reads the collection at once, telling how far it is, and waits for the end.
// A reading that is under way already is waited for first: it may have begun before
// what the caller wants to be read was there.
func (c *collection) reread(ctx context.Context, tell progress) (*generation, error) {
	var own chan struct{}
	for own == nil {
		c.mu.Lock()
		other := c.reading
		if other == nil {
			c.begin(tell)
			own = c.reading
		}
		c.mu.Unlock()
		if other != nil {
			if err := wait(ctx, other); err != nil {
				return nil, err
			}
		}
	}
	if err := wait(ctx, own); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current, c.failed
}

func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
