package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// storageFault says what people can do about an error of the file system.
func (s *Store) storageFault(doing string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return fault.New(codes.FailedPrecondition, "DATA_DIR_NOT_WRITABLE",
			"cannot "+doing+": the data directory is not a directory that this user may write to: change its rights, or choose another with --data-dir").
			ForOperator("the data directory is %s", s.dataDir).Because(err)
	case errors.Is(err, syscall.ENOSPC):
		return fault.New(codes.ResourceExhausted, "DATA_DIR_FULL",
			"cannot "+doing+": the disk of the data directory is full: make room, or choose another with --data-dir").
			ForOperator("the data directory is %s", s.dataDir).Because(err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// syncTree brings all files and folders below dir to the disk.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return syncDir(path)
		case !d.Type().IsRegular():
			return nil
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// syncDir brings a folder's entries to the disk, where the system can do that.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func writeSynced(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}
