// Command make writes the pages of repairs and of lint rules into a folder of documents.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/dibrain/dibrain/internal/sqldocs"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "sqldocs: give the folder of documents")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sqldocs:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	pages, err := sqldocs.Pages()
	if err != nil {
		return err
	}
	for _, folder := range []string{"repairs", "lint"} {
		if err := os.RemoveAll(filepath.Join(dir, folder)); err != nil {
			return fmt.Errorf("clear the pages: %w", err)
		}
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o750); err != nil {
			return fmt.Errorf("make the folder of pages: %w", err)
		}
	}
	for path, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(path)), []byte(text), 0o600); err != nil {
			return fmt.Errorf("write a page: %w", err)
		}
	}
	return nil
}
