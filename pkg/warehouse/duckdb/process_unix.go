//go:build unix

package duckdb

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/child"
)

// outputWait is how long the words of a child that has ended are waited for.
const outputWait = time.Second

// Processes returns the product's Launcher: each child is a process of the program
// at path, which calls ChildMain when IsChild says so.
func Processes(path string) Launcher { return processes{path: path} }

type processes struct{ path string }

// launch starts a process that has one end of a pair of sockets as its only open
// file beside the standard ones, and nothing of this process's environment that
// could be a secret.
func (l processes) launch() (process, error) {
	ours, theirs, err := pair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close() //nolint:errcheck // the child has its own
	p := &spawned{conn: ours, ended: make(chan struct{})}
	p.cmd = exec.Command(l.path, child.Argument)
	p.cmd.Args[0] = "dibrain" // what an operator sees, wherever the program is
	p.cmd.Env = kept(os.LookupEnv)
	p.cmd.ExtraFiles = []*os.File{theirs} // child.Descriptor is the first of them
	p.cmd.Stderr = &p.words
	p.cmd.SysProcAttr = attributes()
	p.cmd.WaitDelay = outputWait
	started := make(chan error)
	go func() {
		// The kernel ends the child with the thread that started it: this one stays
		// until the child has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("start a process of the embedded engine: %w", err)
	}
	return p, nil
}

// pair returns two sockets that are connected to each other and to nothing else.
func pair() (ours net.Conn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("connect a process of the embedded engine: %w", err)
	}
	for _, fd := range fds {
		unix.CloseOnExec(fd)
	}
	file := os.NewFile(uintptr(fds[0]), "child")
	defer file.Close() //nolint:errcheck // FileConn has its own
	theirs = os.NewFile(uintptr(fds[1]), "parent")
	if ours, err = net.FileConn(file); err != nil {
		_ = theirs.Close()
		return nil, nil, fmt.Errorf("connect a process of the embedded engine: %w", err)
	}
	return ours, theirs, nil
}

// spawned is a child process.
type spawned struct {
	cmd   *exec.Cmd
	conn  net.Conn
	words lastWords
	ended chan struct{}
	err   error // of Wait; valid once ended is closed
}

func (p *spawned) stream() io.ReadWriteCloser { return p.conn }

// kill leaves the socket open: it ends with the process, and what the child said
// before can still be read.
func (p *spawned) kill() { _ = p.cmd.Process.Kill() }

func (p *spawned) done() <-chan struct{} { return p.ended }
func (p *spawned) memory() (int64, bool) { return residentBytes(p.cmd.Process.Pid) }

func (p *spawned) end() string {
	how := "exit status 0"
	if p.err != nil {
		how = p.err.Error()
	}
	return strings.TrimSpace(how + "\n" + p.words.String())
}
