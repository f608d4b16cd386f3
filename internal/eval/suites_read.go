package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxLine bounds a line of a data file: tables of thousands of columns fit.
const maxLine = 64 << 20

// readJSONLines reads a file with a JSON value a line, unpacked where its name
// ends in .gz. What cannot be read wraps ErrData and names file and line.
func readJSONLines[T any](path string) (values []T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrData, err)
	}
	defer func() { _ = f.Close() }() // read only
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		unpacked, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("%w: unpack %s: %w", ErrData, path, err)
		}
		r = unpacked
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%w: %s line %d: %w", ErrData, path, n, err)
		}
		values = append(values, v)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrData, path, err)
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("%w: %s is empty", ErrData, path)
	}
	return values, nil
}

// findFolder returns dir, or the folder sub in it, whichever holds a file of one
// of the names: both a suite's own folder and the one that holds all data may be
// given.
func findFolder(dir, sub string, names ...string) (string, error) {
	for _, folder := range []string{dir, filepath.Join(dir, sub)} {
		if _, ok := firstFile(folder, names...); ok {
			return folder, nil
		}
	}
	return "", fmt.Errorf("%w: there is no %s in %s: give the folder that holds it as --data", ErrData, strings.Join(names, " or "), dir)
}

// firstFile returns the path of the first of the files that is there.
func firstFile(dir string, names ...string) (string, bool) {
	for _, name := range names {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, true
		}
	}
	return "", false
}

// share is part of whole, 0 of nothing.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
