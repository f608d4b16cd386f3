package cli

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/internal/answer"
	"github.com/dibrain/dibrain/internal/term"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

// stepLine shows what a turn is at in one line of the terminal, each step over the
// one before, and takes it away for the answer. Above it are the first rows of a result
// while the rest of it comes. It says nothing where nobody reads.
type stepLine struct {
	f     *Factory
	drawn bool
	above int // lines of first rows above it
}

// eraseLine goes to the begin of the line and takes away what is on it. eraseUp goes up
// some lines and takes away all from there.
const (
	eraseLine = "\r\x1b[2K"
	eraseUp   = "\x1b[%dA\x1b[J"
)

// maxFirstRows is how many rows are shown while the rest comes: with the step they fit a
// small terminal, from which lines that have scrolled away could not be taken.
const maxFirstRows = 10

func newStepLine(f *Factory) *stepLine { return &stepLine{f: f} }

// silent reports whether nobody reads.
func (s *stepLine) silent() bool { return !s.f.IO.IsTTY || !s.f.IO.ErrTTY }

// show tells the step that is at work.
func (s *stepLine) show(text string) {
	if s.silent() {
		return
	}
	s.drawn = true
	fmt.Fprint(s.f.IO.Err, eraseLine+s.f.style().Dim(term.Shorten(term.Clean(text), s.f.IO.Width()-1)))
}

// firstRows shows the first rows of a result, with the columns that there is room for. Where one has more than that, they wait
// for the answer: the terminal would break their lines, and these could not be counted.
func (s *stepLine) firstRows(page *commonv1.ResultPage) {
	if s.silent() {
		return
	}
	width := s.f.IO.Width() - 1
	options := answer.Options{TableWidth: width, MaxRows: maxFirstRows}
	lines := 0
	for line := range strings.Lines(answer.Table(page, options)) { // without colours, which take no width
		if line = strings.TrimSuffix(line, "\n"); term.Shorten(line, width) != line {
			return
		}
		lines++
	}
	options.Style = s.f.style()
	s.clear()
	s.above = lines
	fmt.Fprintln(s.f.IO.Err, strings.TrimSuffix(answer.Table(page, options), "\n"))
}

// clear takes the line away, and what is above it.
func (s *stepLine) clear() {
	if s.drawn {
		fmt.Fprint(s.f.IO.Err, eraseLine)
		s.drawn = false
	}
	if s.above > 0 {
		fmt.Fprintf(s.f.IO.Err, eraseUp, s.above)
		s.above = 0
	}
}
