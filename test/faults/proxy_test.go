package faults

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// trouble is what happens to a server that others depend on.
type trouble string

// The faults. After each the server is back as it was.
const (
	down     trouble = "down"      // nobody listens, and open connections end
	slow     trouble = "slow"      // each piece of an answer comes late
	halfOpen trouble = "half-open" // connections are taken and stay; nothing is ever answered
	rubbish  trouble = "rubbish"   // answers are bytes that no such server says
	killed   trouble = "killed"    // it dies in the middle of an answer, and starts again
)

var allFaults = []trouble{down, slow, halfOpen, rubbish, killed}

const (
	// late is how long a slow server takes for each piece of an answer.
	late = 400 * time.Millisecond
	// away is how long a server that was killed takes to start again.
	away = 300 * time.Millisecond
)

// proxy stands before a server and makes faults. It listens on one address for good, as
// the server would.
type proxy struct {
	t       *testing.T
	address string // host:port
	server  string

	mu       sync.Mutex
	fault    trouble // "": none
	listener net.Listener
	open     map[net.Conn]bool
	kills    int // how often the server was killed
	over     chan struct{}
	healed   chan struct{} // closed when the fault ends
	working  sync.WaitGroup
}

// before starts a proxy of a server, host:port, that ends with the test.
func before(t *testing.T, server string) *proxy {
	t.Helper()
	p := &proxy{t: t, server: server, open: make(map[net.Conn]bool), over: make(chan struct{}), healed: make(chan struct{})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p.address = l.Addr().String()
	p.listen(l)
	t.Cleanup(func() {
		close(p.over)
		p.mu.Lock()
		p.hangUp()
		p.mu.Unlock()
		p.working.Wait()
	})
	return p
}

// listen takes connections of a listener. The lock is held, or nobody else knows of p.
func (p *proxy) listen(l net.Listener) {
	p.listener = l
	p.working.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // closed
			}
			p.working.Go(func() { p.serve(c) })
		}
	})
}

// hangUp closes the listener and all connections, which are reset. The lock is held.
func (p *proxy) hangUp() {
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
	for c := range p.open {
		p.reset(c)
	}
}

func (p *proxy) reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
	delete(p.open, c)
}

// again listens on the address as before. The lock is held.
func (p *proxy) again() {
	if p.listener != nil {
		return
	}
	select {
	case <-p.over:
		return
	default:
	}
	l, err := net.Listen("tcp", p.address)
	if err != nil {
		p.t.Errorf("listen on %s again: %v", p.address, err)
		return
	}
	p.listen(l)
}

// make lets a fault happen. killed happens with the next answer.
func (p *proxy) make(f trouble) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.healed = f, make(chan struct{})
	if f == down {
		p.hangUp()
	}
}

// heal ends the fault. Connections on which nothing was answered are reset, as they are
// where a machine comes back.
func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.fault
	p.fault = ""
	close(p.healed)
	if was == halfOpen || was == rubbish {
		for c := range p.open {
			p.reset(c)
		}
	}
	p.again()
}

// killings is how often the server was killed.
func (p *proxy) killings() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kills
}

// die kills the server once; it is back after a moment.
func (p *proxy) die() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault != killed {
		return
	}
	p.fault = ""
	p.kills++
	p.hangUp()
	p.working.Go(func() {
		p.wait(away, nil)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.fault != down {
			p.again()
		}
	})
}

// wait waits so long, or until the fault or the test is over.
func (p *proxy) wait(d time.Duration, healed <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-healed:
	case <-p.over:
	}
}

// now returns the fault of the moment, and what is closed when it ends.
func (p *proxy) now() (trouble, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault, p.healed
}

func (p *proxy) hold(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.over:
		_ = c.Close()
	default:
		p.open[c] = true
	}
}

func (p *proxy) drop(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = c.Close()
	delete(p.open, c)
}

// serve forwards a connection in both directions.
func (p *proxy) serve(client net.Conn) {
	p.hold(client)
	defer p.drop(client)
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	p.hold(server)
	defer p.drop(server)
	p.working.Go(func() {
		defer p.drop(server)
		p.forward(client, server, false)
	})
	p.forward(server, client, true)
}

// noise is what a server of another kind says.
const noise = "\x00\xffSSH-2.0-teapot\r\n\r\n<html>?\x17\x03"

// forward copies what one says to the other; answers have the fault of the moment.
func (p *proxy) forward(from, to net.Conn, answers bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !p.pass(to, buffer[:n], answers) {
			return
		}
		if err != nil {
			return
		}
	}
}

// pass hands on one piece. false: the connection is over.
func (p *proxy) pass(to net.Conn, piece []byte, answers bool) bool {
	f, healed := p.now()
	switch {
	case f == halfOpen: // swallowed, in both directions
		return true
	case !answers:
	case f == slow:
		p.wait(late, healed)
	case f == rubbish:
		_, _ = to.Write([]byte(noise))
		return false
	case f == killed:
		_, _ = to.Write(piece[:len(piece)/2])
		p.die()
		return false
	}
	_, err := to.Write(piece)
	return err == nil
}
