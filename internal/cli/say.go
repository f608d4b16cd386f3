package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/dibrain/dibrain/internal/term"
)

// say writes a sentence, in a terminal with its lines broken at words; paint colours it, nil
// does not. A pipe or a file has it on one line.
func (f *Factory) say(to io.Writer, terminal bool, paint func(string) string, sentence string) error {
	if paint == nil {
		paint = func(text string) string { return text }
	}
	if !terminal {
		_, err := fmt.Fprintln(to, paint(sentence))
		return err
	}
	for _, line := range term.Wrap(sentence, f.IO.Width()) {
		if _, err := fmt.Fprintln(to, paint(line)); err != nil {
			return err
		}
	}
	return nil
}

// sayAside writes a sentence on the error stream, beside what was asked for. It is lost where
// that stream is closed.
func (f *Factory) sayAside(paint func(string) string, sentence string) {
	_ = f.say(f.IO.Err, f.IO.ErrTTY, paint, strings.TrimSpace(sentence))
}
