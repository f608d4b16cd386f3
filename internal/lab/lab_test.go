package lab

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/dibrain/dibrain/internal/build"
	"github.com/dibrain/dibrain/internal/cli"
)

// result is what a command line did.
type result struct {
	code     int
	out, err string
}

func execute(t *testing.T, env []string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	dir := t.TempDir()
	f := &cli.Factory{
		IO:      &cli.IO{In: strings.NewReader(""), Out: &out, Err: &errs, Width: func() int { return 80 }},
		Environ: append([]string{"XDG_CONFIG_HOME=" + dir, "XDG_DATA_HOME=" + dir}, env...),
		Getenv:  func(string) string { return "" },
		Clock:   func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
		Build:   build.Info{Version: "v1.2.3", Commit: "abc", Modified: true, Go: "go1", Platform: "p/q"},
	}
	code := cli.Run(t.Context(), f, Root(f), args)
	return result{code: code, out: out.String(), err: errs.String()}
}
