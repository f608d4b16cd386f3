package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// exitPanic is the code of a command that broke off by a mistake of the program's own.
const exitPanic = 70 // EX_SOFTWARE of sysexits.h

// panicked is a panic of a command, kept for the report.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// tellPanic writes the report and tells a person in two sentences where it is. dirs
// are tried in turn; where none can be written to, the report goes to w.
func (f *Factory) tellPanic(w io.Writer, p *panicked, command string, dirs ...string) {
	report := f.panicReport(p, command)
	for _, dir := range dirs {
		if path, err := writeReport(dir, f.Clock(), report); err == nil {
			_, _ = fmt.Fprintf(w, "dibrain: This is a mistake of the program, not yours: it broke off. Please send %s to its developers; it holds no values of the command line.\n", path)
			return
		}
	}
	_, _ = fmt.Fprintf(w, "dibrain: This is a mistake of the program, not yours: it broke off. Please send this to its developers.\n\n%s", report)
}

// panicReport says what a developer needs: what was built, what ran, and where.
func (f *Factory) panicReport(p *panicked, command string) string {
	return fmt.Sprintf("dibrain %s, commit %s, modified %t, %s, %s\nat %s\ncommand: %s\npanic: %v\n\n%s\n",
		f.Build.Version, f.Build.Commit, f.Build.Modified, f.Build.Go, f.Build.Platform,
		f.Clock().UTC().Format(time.RFC3339), command, p.value, p.stack)
}

// writeReport writes a report that only its owner can read.
func writeReport(dir string, now time.Time, report string) (string, error) {
	if info, err := os.Stat(dir); dir == "" || err != nil || !info.IsDir() {
		return "", errors.New("there is no such folder")
	}
	file, err := os.CreateTemp(dir, "dibrain-panic-"+now.UTC().Format("20060102T150405Z")+"-*.txt") // mode 0600
	if err != nil {
		return "", err
	}
	_, err = io.WriteString(file, report)
	return file.Name(), errors.Join(err, file.Close())
}

// commandLine names the command and the flags that were given, without any value:
// questions and names of files are nobody's business.
func commandLine(root *cobra.Command, args []string) string {
	cmd, _, err := root.Find(args)
	if err != nil {
		cmd = root
	}
	words := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(flag *pflag.Flag) { words = append(words, "--"+flag.Name) })
	return strings.Join(words, " ")
}
