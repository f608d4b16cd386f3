package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dibrain/dibrain/internal/term"
)

// What other command lines over the same product share with this one; cmd/dibrain-lab is one.

// BadUsage returns an error about the command line; it ends the process with exit code 2.
func BadUsage(format string, args ...any) error { return badUsage(format, args...) }

// ErrFailed ends the process with exit code 1 and prints nothing more: the command has said what there is to say.
var ErrFailed = exitWith(exitFailure)

// WriteJSON prints one JSON object that is no message of the contract.
func WriteJSON(w io.Writer, v any) error { return writeOwnJSON(w, v) }

// Style is how the output is drawn.
func (f *Factory) Style() term.Style { return f.style() }

// Bar is a progress bar on a terminal, and nothing elsewhere. End it.
type Bar struct{ bar *bar }

// NewBar draws a bar on the error stream.
func NewBar(f *Factory) Bar { return Bar{newBar(f)} }

// Step tells how much of how many parts of what is done.
func (b Bar) Step(done, total int, what string) { b.bar.step(done, total, what) }

// End takes the bar away.
func (b Bar) End() { b.bar.end() }

// InDataDir runs a command line of the product over a data directory, as a person's own would run but for the
// configuration, of which nothing is read. What it prints is dropped.
func (f *Factory) InDataDir(ctx context.Context, dataDir string, args []string) error {
	quiet := &IO{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Width: f.IO.Width}
	own := &Factory{
		IO: quiet, Environ: []string{"XDG_CONFIG_HOME=" + filepath.Dir(dataDir)}, Getenv: func(string) string { return "" },
		Clock: f.Clock, Build: f.Build, Program: f.Program, Memory: f.Memory,
	}
	root := Root(own)
	root.SetArgs(append([]string{"--data-dir", dataDir}, args...))
	return recovered(ctx, root)
}

// WriteModel writes a fitted model to a file, unless out is empty, and as JSON to
// the output where that was asked for: then there is nothing more to say.
func WriteModel(f *Factory, m interface{ Write(io.Writer) error }, out string, asJSON bool) (done bool, err error) {
	if out != "" {
		file, err := os.Create(out)
		if err != nil {
			return true, badUsage("--out: %w", err)
		}
		if err := errors.Join(m.Write(file), file.Close()); err != nil {
			return true, err
		}
	}
	if asJSON {
		return true, json.NewEncoder(f.IO.Out).Encode(m)
	}
	return false, nil
}
