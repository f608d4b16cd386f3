package duckdb

import (
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync"

	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/child"
)

// Launcher starts children: each holds DuckDB with a source's databases open and
// runs one statement at a time.
type Launcher interface {
	launch() (process, error)
}

// process is a child that was started.
type process interface {
	// stream is the parent's end of what the child is told by.
	stream() io.ReadWriteCloser
	// kill ends the child without asking it.
	kill()
	// done is closed when the child has ended and nothing of it is left.
	done() <-chan struct{}
	// memory is what the child takes, in bytes; false where that is not known.
	memory() (int64, bool)
	// end says how the child ended, for the log; valid once done is closed.
	end() string
}

// IsChild reports whether the arguments of a program ask it to be a child. The
// program then does nothing but to exit with what ChildMain returns.
func IsChild(args []string) bool { return len(args) == 2 && args[1] == child.Argument }

// Program is where this process's own program is: on Linux the one that it runs,
// even when a newer one has taken its place.
func Program() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return path, nil
}

// ChildMain is the main function of a child.
func ChildMain() int { return child.Main() }

// InProcess returns the Launcher for tests: its children speak the same protocol
// within this process. A statement that does not obey cannot be ended there: it
// keeps its slot until it ends by itself.
func InProcess() Launcher { return inProcess{} }

type inProcess struct{}

func (inProcess) launch() (process, error) {
	ours, theirs := net.Pipe()
	p := &served{conn: ours, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		p.err = child.Serve(theirs)
	}()
	return p, nil
}

// served is a child within this process.
type served struct {
	conn  net.Conn
	ended chan struct{}
	err   error
}

func (p *served) stream() io.ReadWriteCloser { return p.conn }
func (p *served) kill()                      { _ = p.conn.Close() } // the child takes it for its parent's end
func (p *served) done() <-chan struct{}      { return p.ended }
func (p *served) memory() (int64, bool)      { return 0, false }
func (p *served) end() string                { return fmt.Sprint(p.err) }

// maxWords bounds what is kept of the words that a child says on standard error.
const maxWords = 8 << 10

// lastWords keeps the end of what a child says on standard error.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	if n := len(w.text); n > maxWords {
		w.text = append(w.text[:0], w.text[n-maxWords:]...)
	}
	return len(p), nil
}

func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}

// kept are the variables of the environment that a child gets: where libraries and
// time zones are. Nothing else of the parent's reaches it, as there are secrets.
func kept(lookup func(name string) (string, bool)) []string {
	env := []string{} // nil would be all of them
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ", "ZONEINFO"} {
		if value, ok := lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
