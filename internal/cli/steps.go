package cli

import (
	"fmt"

	"github.com/dibrain/dibrain/internal/term"
)

// stepLine shows what a turn is at in one line of the terminal, each step over the
// one before, and takes it away for the answer. It says nothing where nobody reads.
type stepLine struct {
	f     *Factory
	drawn bool
}

// eraseLine goes to the begin of the line and takes away what is on it.
const eraseLine = "\r\x1b[2K"

func newStepLine(f *Factory) *stepLine { return &stepLine{f: f} }

// show tells the step that is at work.
func (s *stepLine) show(text string) {
	if !s.f.IO.IsTTY || !s.f.IO.ErrTTY {
		return
	}
	s.drawn = true
	fmt.Fprint(s.f.IO.Err, eraseLine+s.f.style().Dim(term.Shorten(term.Clean(text), s.f.IO.Width()-1)))
}

// clear takes the line away.
func (s *stepLine) clear() {
	if s.drawn {
		fmt.Fprint(s.f.IO.Err, eraseLine)
		s.drawn = false
	}
}
