// Package wire is what the embedded engine's parent and child say to each other,
// over one stream: frames of a length, a kind and a payload. The parent opens the
// databases once, then sends one statement at a time; the child answers with the
// columns, the pages and the end of its result, or with a failure. A cancel may
// come at any time and is for the statement sent last.
package wire

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/types"
)

// Kind of a frame.
type Kind byte

// Kinds of frames.
const (
	KindOpen    Kind = iota + 1 // parent: Open
	KindQuery                   // parent: Query
	KindCancel                  // parent: nothing
	KindOpened                  // child: nothing
	KindBegun                   // child: nothing; it has the statement
	KindColumns                 // child: Columns
	KindPage                    // child: a page, as Page writes it
	KindEnd                     // child: End
	KindFailed                  // child: Failed
)

// MaxFrame bounds a frame in both directions. A row is never cut, so that a row
// larger than this cannot be returned.
const MaxFrame = 128 << 20

// ErrTooLarge is that a frame is over MaxFrame.
var ErrTooLarge = errors.New("a message of the embedded engine is larger than 128 MiB")

// Open asks the child to open the databases and to take everything else away from
// itself.
type Open struct {
	Databases   map[string]string // path by region
	MemoryLimit string            // in DuckDB's words
	Threads     int
	TimeZone    string
	// DataLimit bounds the process's data segment, in bytes, where the system can; 0:
	// it does not. It is the back-stop behind the parent's watch.
	DataLimit uint64
}

// Query is a statement in DuckDB's words.
type Query struct {
	Text     string
	Outputs  []Output // empty: the engine's own names and types
	MaxRows  int64
	MaxBytes int64
	Timeout  time.Duration
}

// Output is a column as Presto has it; an unknown type leaves it to the engine.
type Output struct {
	Name string
	Type types.Type
}

// Columns of a result.
type Columns struct {
	Names []string
	Types []string // Presto types as text
}

// End of a result.
type End struct {
	Truncated bool
}

// Failed is what went wrong, in the engine's own words: the parent turns them into
// an error for people.
type Failed struct {
	Text string
	// Region is the database that could not be attached; empty: it was something else.
	Region string
}

// Conn sends and receives frames. One goroutine may receive; any may send.
type Conn struct {
	stream io.ReadWriteCloser
	reader *bufio.Reader
	mu     sync.Mutex // one frame is written at a time
}

// readBuffer holds a small frame, header and all.
const readBuffer = 64 << 10

// New returns a Conn over a stream.
func New(stream io.ReadWriteCloser) *Conn {
	return &Conn{stream: stream, reader: bufio.NewReaderSize(stream, readBuffer)}
}

// header is the length of a payload and the kind of the frame.
const header = 5

// Frame begins a frame: its payload is appended to what is returned.
func Frame(buffer []byte) []byte { return append(buffer[:0], make([]byte, header)...) }

// SendFrame sends what Frame began.
func (c *Conn) SendFrame(kind Kind, frame []byte) error {
	if len(frame)-header > MaxFrame {
		return ErrTooLarge
	}
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-header))
	frame[4] = byte(kind)
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.stream.Write(frame)
	return err
}

// Send sends a message; nil has no payload.
func (c *Conn) Send(kind Kind, message any) error {
	frame := Frame(nil)
	if message != nil {
		text, err := json.Marshal(message)
		if err != nil {
			return fmt.Errorf("write a message of the embedded engine: %w", err)
		}
		frame = append(frame, text...)
	}
	return c.SendFrame(kind, frame)
}

// Receive returns the next frame. After the last one it returns io.EOF.
func (c *Conn) Receive() (Kind, []byte, error) {
	var head [header]byte
	if _, err := io.ReadFull(c.reader, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > MaxFrame {
		return 0, nil, ErrTooLarge
	}
	payload := make([]byte, n)
	if _, err := io.ReadFull(c.reader, payload); err != nil {
		return 0, nil, err
	}
	return Kind(head[4]), payload, nil
}

// Close closes the stream.
func (c *Conn) Close() error { return c.stream.Close() }

// Read reads a message.
func Read[T any](payload []byte) (message T, err error) {
	if err := json.Unmarshal(payload, &message); err != nil {
		return message, fmt.Errorf("read a message of the embedded engine: %w", err)
	}
	return message, nil
}
