package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// historyFile, in the data directory, holds the newest lines of chats on this
// machine, at most liner.HistoryLimit of them.
const historyFile = "chat_history"

// historyPath is where earlier lines are kept; empty where there is no place.
func historyPath(f *Factory) string {
	cfg, err := f.Config()
	if err != nil || cfg.DataDir == "" {
		return ""
	}
	return filepath.Join(cfg.DataDir, historyFile)
}

// lineHistory is the part of a line editor that holds its history.
type lineHistory interface {
	ReadHistory(io.Reader) (int, error)
	WriteHistory(io.Writer) (int, error)
}

func readLines(h lineHistory, path string) error {
	if path == "" {
		return nil
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = h.ReadHistory(file)
	return errors.Join(err, file.Close())
}

// writeLines replaces the file, which only its owner may read: questions can hold
// what others should not see.
func writeLines(h lineHistory, path string) error {
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), historyFile+"-*")
	if err != nil {
		return err
	}
	_, err = h.WriteHistory(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), path)
}
