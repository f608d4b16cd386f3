package ingest

import (
	"embed"
	"os"
	"path/filepath"
)

//go:embed sample
var sampleFiles embed.FS

// SampleDir writes a small example of own data into dir: two CSV files and a
// schema.sql that names their keys. Files that are there already are an error.
func SampleDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := sampleFiles.ReadDir("sample")
	if err != nil {
		return err
	}
	for _, e := range entries {
		content, err := sampleFiles.ReadFile("sample/" + e.Name())
		if err != nil {
			return err
		}
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		if _, err := f.Write(content); err != nil {
			_ = f.Close() // the write error says more
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
