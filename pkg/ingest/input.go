package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// CheckInput checks a path that people gave. Opening a pipe would wait for a
// writer, a device need not end: only files and folders are read, and files of at
// most maxBytes. Errors: INPUT_MISSING, INPUT_UNREADABLE, INPUT_NOT_A_FILE,
// INPUT_TOO_LARGE.
func CheckInput(path string, maxBytes int64) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Invalid("path", "INPUT_MISSING", "%s does not exist: check the path", path)
	case err != nil:
		return nil, fault.New(codes.FailedPrecondition, "INPUT_UNREADABLE", path+" cannot be read: check its rights").Because(err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, fault.Invalid("path", "INPUT_NOT_A_FILE", "%s is %s, not a file: write its content to a file first", path, kindOf(info.Mode()))
	case !info.IsDir() && info.Size() > maxBytes:
		return nil, fault.Invalid("path", "INPUT_TOO_LARGE", "%s has %d bytes: at most %d (MaxFileBytes)", path, info.Size(), maxBytes)
	}
	return info, nil
}

func (b *builder) statInput(path string) (fs.FileInfo, error) {
	return CheckInput(path, b.options.MaxFileBytes)
}

// readable tells whether what was found in the folder root is a file that may be
// read, and reports why not. A link may lead to a file of the same folder only:
// who fills a folder does not choose other files of whoever ingests it.
func (b *builder) readable(root, path string) bool {
	var why string
	info, err := os.Stat(path)
	switch {
	case err != nil:
		why = "it cannot be read; check its rights and, if it is a link, where it leads"
	case !info.Mode().IsRegular():
		why = "it is " + kindOf(info.Mode()) + ", not a file"
	case !within(root, path):
		why = "it is a link that leads out of the folder; copy the file itself if it is meant"
	default:
		return true
	}
	b.problem(Problem{Kind: KindTableSkipped, File: path, Message: "this is left out: " + why})
	return false
}

// within tells whether path, with all links followed, is below root.
func within(root, path string) bool {
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	realPath, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	relative, err := filepath.Rel(realRoot, realPath)
	return err == nil && filepath.IsLocal(relative)
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	default:
		return fmt.Sprintf("something else (%s)", mode)
	}
}

// inputFile is a file whose reading ends with its context, however long its
// lines and values are.
type inputFile struct {
	ctx context.Context
	*os.File
}

func openInput(ctx context.Context, path string) (inputFile, error) {
	f, err := os.Open(path)
	return inputFile{ctx, f}, err
}

// Read implements io.Reader.
func (f inputFile) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}
