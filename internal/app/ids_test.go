package app

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
)

// TestIDsBeginWithTheTime, but those of a random source that was put in.
func TestIDsBeginWithTheTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	a := &App{options: Options{Clock: func() time.Time { return at }}}
	const digits = len(run.PrefixRun) + 10
	require.Equal(t, run.NewIDAt(run.PrefixRun, at, nil)[:digits], a.newID(run.PrefixRun)[:digits])
	a.options.Random = strings.NewReader("twelve bytes")
	require.Equal(t, run.NewID(run.PrefixRun, strings.NewReader("twelve bytes")), a.newID(run.PrefixRun))
}
