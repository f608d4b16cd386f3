package cli

import (
	"io"
	"os"

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
	// Width returns the columns of the terminal.
	Width func() int
}

// SystemIO returns that of the process.
func SystemIO() *IO {
	out := int(os.Stdout.Fd())
	return &IO{
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
