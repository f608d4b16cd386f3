package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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

// fillFault recognises a full disk in what making a generation failed with. The
// engine tells of it in words only.
func (s *Store) fillFault(name string, err error) error {
	if errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "No space left on device") {
		return s.storageFault("make a generation of source "+name, fmt.Errorf("%w: %w", syscall.ENOSPC, err))
	}
	return err
}

// linkTree makes dir a copy of the files and folders below from; files that never
// change are linked where the file system can.
func linkTree(from, dir string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, relative)
		switch {
		case d.IsDir():
			return os.MkdirAll(to, 0o700)
		case !d.Type().IsRegular():
			return nil
		}
		if os.Link(path, to) == nil {
			return nil
		}
		return copyFile(path, to)
	})
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // read only: nothing to lose
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
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
