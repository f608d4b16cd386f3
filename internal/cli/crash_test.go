package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/build"
)

// broken is an output that breaks whatever writes to it.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("no \x1b[2J page") }

// TestAPanicIsToldInASentence: a person reads what to do, and developers get a report
// that says what ran where, and nothing that was typed.
func TestAPanicIsToldInASentence(t *testing.T) {
	t.Parallel()
	run := func(dir string) (told string) {
		var errs bytes.Buffer
		f := &Factory{
			IO:      &IO{In: strings.NewReader("select 'the secret'"), Out: broken{}, Err: &errs, Width: func() int { return 80 }},
			Environ: []string{"XDG_CONFIG_HOME=" + t.TempDir(), "XDG_DATA_HOME=" + t.TempDir()}, Getenv: func(string) string { return "" },
			Clock: func() time.Time { return time.Date(2026, 3, 1, 2, 3, 4, 0, time.UTC) }, Build: build.Info{Version: "v9.9.9", Commit: "abc"},
		}
		require.Equal(t, exitPanic, Main(t.Context(), f, []string{"sql", "explain", "--data-dir", dir, "-"}))
		return errs.String()
	}
	dir := t.TempDir()
	told := run(dir)
	reports, err := filepath.Glob(filepath.Join(dir, "dibrain-panic-20260301T020304Z-*.txt"))
	require.NoError(t, err)
	require.Len(t, reports, 1)
	require.Contains(t, told, reports[0])
	lines := strings.Split(strings.TrimSpace(told), "\n") // the demo is told of before it
	require.Len(t, lines, 2, "a sentence and no stack: %s", told)
	require.Contains(t, lines[0], "Making a demo warehouse")
	info, err := os.Stat(reports[0])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	report, err := os.ReadFile(reports[0])
	require.NoError(t, err)
	for _, part := range []string{"dibrain v9.9.9, commit abc", "command: dibrain sql explain --data-dir\n", "panic: no ", "crash_test.go"} {
		require.Contains(t, string(report), part)
	}
	require.NotContains(t, string(report), "secret")
	require.NotContains(t, told, "secret")
}

// TestAPanicReportGoesWhereItCan: to the next folder where one cannot be written to,
// and to the terminal where none can.
func TestAPanicReportGoesWhereItCan(t *testing.T) {
	t.Parallel()
	f := &Factory{Clock: time.Now}
	tell := func(dirs ...string) string {
		var out bytes.Buffer
		f.tellPanic(io.Writer(&out), &panicked{value: "x", stack: []byte("the stack")}, "dibrain", dirs...)
		return out.String()
	}
	dir := t.TempDir()
	require.Contains(t, tell("", filepath.Join(dir, "absent"), dir), dir)
	require.Contains(t, tell(""), "the stack")
}
