package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// collect reads the files that a program left in its folder for them. Only plain files
// with plain names are taken, as many and as large as the limits say; the error is for
// whoever wrote the program.
func collect(work *os.File, l Limits) ([]File, error) {
	fd, err := unix.Openat(int(work.Fd()), filepath.Base(OutputDir), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("the folder %s is gone", OutputDir)
	}
	folder := os.NewFile(uintptr(fd), OutputDir)
	defer func() { _ = folder.Close() }() // only read
	names, err := folder.Readdirnames(l.OutputFiles + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s cannot be listed", OutputDir)
	}
	if len(names) > l.OutputFiles {
		return nil, fmt.Errorf("there are more than %d files in %s (output_files)", l.OutputFiles, OutputDir)
	}
	slices.Sort(names)
	var out []File
	left := l.Output
	for _, name := range names {
		data, err := readPlain(fd, name, left)
		if err != nil {
			return nil, err
		}
		left -= int64(len(data))
		out = append(out, File{Name: name, Data: data})
	}
	return out, nil
}

// readPlain reads a file in a folder of at most so many bytes.
func readPlain(folder int, name string, most int64) ([]byte, error) {
	if !fileName.MatchString(name) {
		return nil, fmt.Errorf("a file in %s is called %q: use letters, digits, dots, dashes and underscores", OutputDir, name)
	}
	fd, err := unix.Openat(folder, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%s in %s cannot be read", name, OutputDir)
	}
	file := os.NewFile(uintptr(fd), name)
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s in %s is no plain file", name, OutputDir)
	}
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, fmt.Errorf("%s in %s cannot be read", name, OutputDir)
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("the files in %s have too many bytes at %s (output)", OutputDir, name)
	}
	return data, nil
}

// kept is the beginning of what a program prints; full is called once it is more.
type kept struct {
	most int
	text []byte
	full func()
	over bool
}

func (k *kept) Write(p []byte) (int, error) {
	fits := min(len(p), k.most-len(k.text))
	k.text = append(k.text, p[:fits]...)
	if fits < len(p) && !k.over {
		k.over = true
		k.full()
	}
	return len(p), nil
}

// tail keeps the end of what a program prints.
type tail struct {
	most int
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p[max(0, len(p)-t.most):]...)
	if n := len(t.text); n > t.most {
		t.text = append(t.text[:0], t.text[n-t.most:]...)
	}
	return len(p), nil
}
