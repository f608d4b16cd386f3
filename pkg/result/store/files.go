package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Files keep the rows of results, a file for each by the result's id. Directory has them in
// a folder of this machine or of several; pkg/result/store/objects in object storage.
type Files interface {
	// Create begins a file. Nobody reads it before Commit has returned.
	Create(ctx context.Context, id string) (Upload, error)
	// Read reads n bytes of a file from a place on, and says how long all of it is; fewer
	// bytes come where it ends before. An error of a file that is not there is
	// fs.ErrNotExist.
	Read(ctx context.Context, id string, from, n int64) (part []byte, size int64, err error)
	// Remove removes a file. One that is not there is no error.
	Remove(ctx context.Context, id string) error
	// List names all files, also those of which a part is there only.
	List(ctx context.Context, each func(id string) error) error
	// Ready says whether files can be kept and read at present.
	Ready(ctx context.Context) error
}

// Upload is a file that is being written.
type Upload interface {
	io.Writer
	// Commit ends the file. Where it fails, a part of the file may be there.
	Commit(ctx context.Context) error
	// Abort gives the file up and frees what it took on this machine. After Commit it does
	// nothing; what is there of the file goes by Remove.
	Abort()
}

// rowsFile is the ending of a file of rows.
const rowsFile = ".arrow"

// FileName is the name of a result's file.
func FileName(id string) string { return id + rowsFile }

// ResultOf returns the id of the result whose file has a name; false: it is no result's.
func ResultOf(name string) (id string, ok bool) {
	id, ok = strings.CutSuffix(name, rowsFile)
	return id, ok && strings.HasPrefix(id, idPrefix)
}

// Directory keeps files in a folder, which several machines may share.
type Directory string

func (d Directory) file(id string) string { return filepath.Join(string(d), FileName(id)) }

// Create implements Files.
func (d Directory) Create(_ context.Context, id string) (Upload, error) {
	f, err := os.OpenFile(d.file(id), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return localFile{f}, nil
}

type localFile struct{ *os.File }

func (f localFile) Commit(context.Context) error { return f.Close() }

func (f localFile) Abort() { _ = f.Close() } // closed already after Commit

// Read implements Files.
func (d Directory) Read(_ context.Context, id string, from, n int64) ([]byte, int64, error) {
	f, err := os.Open(d.file(id))
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() //nolint:errcheck // it was read only
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	part := make([]byte, max(min(n, info.Size()-from), 0))
	read, err := f.ReadAt(part, from)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return part[:read], info.Size(), err
}

// Remove implements Files.
func (d Directory) Remove(_ context.Context, id string) error { return removeFile(d.file(id)) }

// List implements Files.
func (d Directory) List(_ context.Context, each func(id string) error) error {
	folder, err := os.Open(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer folder.Close() //nolint:errcheck // it was read only
	for {
		names, err := folder.Readdirnames(256)
		for _, name := range names {
			if id, ok := ResultOf(name); ok {
				if err := each(id); err != nil {
					return err
				}
			}
		}
		if err != nil || len(names) == 0 {
			return nil
		}
	}
}

// SharedDirectory is a folder that processes of several machines mount. It is never made: where
// it is not there, what was to be mounted is not, and rows would stay on this machine.
type SharedDirectory struct{ Directory }

// Ready implements Files.
func (d SharedDirectory) Ready(context.Context) error {
	info, err := os.Stat(string(d.Directory))
	if err == nil && info.IsDir() {
		return nil
	}
	return fault.New(codes.FailedPrecondition, "RESULT_STORE_UNUSABLE",
		"The shared folder with the rows of results is not there: mount it, or make it, where results.directory says.").
		ForOperator("%s", string(d.Directory)).Because(err)
}

// Ready implements Files.
func (d Directory) Ready(context.Context) error {
	info, err := os.Stat(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the first result makes it
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", d)
	}
	return err
}
