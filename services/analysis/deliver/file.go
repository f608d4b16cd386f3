package deliver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dibrain/dibrain/services/analysis/watch"
)

// write puts a message into a file of its own, called after its id. One that is there was
// written by a try before: it is written once, and whole or not at all.
func (t Target) write(m watch.Message) error {
	path := filepath.Join(t.Folder, m.At.UTC().Format("20060102T150405Z")+"-"+m.ID+".txt")
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	file, err := os.CreateTemp(t.Folder, ".watch-*")
	if err != nil {
		return unwritten(err)
	}
	text := title(m) + "\n\n" + strings.Join(lines(m), "\n") + "\n"
	_, err = file.WriteString(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil { // a link fails where the name is taken, so that nobody's file is replaced
		if err = os.Link(file.Name(), path); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	if err = errors.Join(err, os.Remove(file.Name())); err != nil {
		return unwritten(err)
	}
	return nil
}

// unwritten says why in words that name no path.
func unwritten(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	if at := (*os.LinkError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return &watch.TemporaryError{Reason: fmt.Sprintf("the file cannot be written: %v", err)}
}
