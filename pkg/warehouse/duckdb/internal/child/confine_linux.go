package child

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// confine makes the kernel take this process first when memory is short, leave no
// image of its memory behind, and give it no new rights. It is help, not the
// guarantee: that is the parent's watch.
func confine() {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}

// bound is the back-stop behind the parent's watch of the process's memory.
func bound(o wire.Open) error {
	if o.DataLimit == 0 {
		return nil
	}
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: o.DataLimit, Max: o.DataLimit}); err != nil {
		return fmt.Errorf("bound the memory of the embedded engine's process: %w", err)
	}
	return nil
}

// isReset recognises that the parent is gone.
func isReset(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}
