package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"golang.org/x/term"

	draw "github.com/dibrain/dibrain/internal/term"
)

// defaultWidth is used where there is no terminal to ask.
const defaultWidth = 100

// IO is where a command reads and writes. Tests put buffers in.
type IO struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	// IsTTY says whether a person reads Out, InTTY whether one writes to In.
	IsTTY, InTTY bool
	// ErrTTY says whether Err is a terminal.
	ErrTTY bool
	// Key waits for a key of the terminal and returns it; nil: there is no terminal.
	Key func() (rune, error)
	// Width returns the columns of the terminal.
	Width func() int
	// Sizeless says that a terminal is there which does not tell its size, as some editors and containers have.
	Sizeless bool
}

// SystemIO returns that of the process.
func SystemIO() *IO {
	out := int(os.Stdout.Fd())
	var key func() (rune, error)
	if in := int(os.Stdin.Fd()); term.IsTerminal(in) {
		key = func() (rune, error) { return readKey(os.Stdin, in) }
	}
	columns, _, sizeErr := term.GetSize(out)
	return &IO{
		Key: key, Sizeless: sizeErr == nil && columns == 0,
		In: os.Stdin, Out: screen(os.Stdout, term.IsTerminal(out)), Err: os.Stderr,
		IsTTY: term.IsTerminal(out), InTTY: term.IsTerminal(int(os.Stdin.Fd())), ErrTTY: term.IsTerminal(int(os.Stderr.Fd())),
		Width: func() int {
			if w, _, err := term.GetSize(out); err == nil && w > 0 {
				return w
			}
			return defaultWidth
		},
	}
}

// screen is where a person reads: whatever a command prints there moves no cursor and
// hides nothing, even where it forgot to clean a text. A file or a pipe gets all bytes.
func screen(w io.Writer, isTTY bool) io.Writer {
	if !isTTY {
		return w
	}
	return draw.Screen{To: w}
}

// maxKeyBytes is how many bytes a key has at most: an arrow key is a sequence.
const maxKeyBytes = 16

// readKey waits for a key without the line that a terminal makes of keys. A key that is no
// character is 0.
func readKey(in io.Reader, fd int) (key rune, err error) {
	before, err := term.MakeRaw(fd)
	if err != nil {
		return 0, fmt.Errorf("read a key: %w", err)
	}
	defer func() { err = errors.Join(err, term.Restore(fd, before)) }()
	var pressed [maxKeyBytes]byte
	n, err := in.Read(pressed[:])
	if err != nil || n == 0 {
		return 0, err
	}
	r, size := utf8.DecodeRune(pressed[:n])
	if size != n {
		return 0, nil
	}
	return r, nil
}
