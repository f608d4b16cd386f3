package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// EnsureDataDir makes the data directory, for its owner only, and checks that
// files can be made in it.
func EnsureDataDir(dir string) error {
	if !filepath.IsAbs(dir) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return unusable(dir, err)
		}
		dir = abs
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return unusable(dir, err)
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return unusable(dir, err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return unusable(dir, err)
	}
	return nil
}

func unusable(dir string, cause error) error {
	var path *os.PathError
	why := cause
	if errors.As(cause, &path) {
		why = path.Err
	}
	return fault.New(codes.FailedPrecondition, "DATA_DIR_NOT_WRITABLE", fmt.Sprintf(
		"The data directory %s cannot be written: %v. Make it writable, or choose another with --data-dir or DIBRAIN_DATA_DIR.",
		dir, why)).Because(cause)
}
