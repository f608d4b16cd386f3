package knowledge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/document"
)

// Limits of a folder: it is meant for documents of people.
const (
	maxFiles     = 5_000
	maxFileBytes = 1 << 20
	maxBytes     = 64 << 20
	maxPassage   = 1_500 // characters; a longer one is cut at a paragraph
)

// Folder is a knowledge base over the Markdown files of a folder and those below
// it. It is read when it is first asked and again when its files have changed.
type Folder struct {
	name, dir  string
	checkEvery time.Duration
	clock      func() time.Time

	mu      sync.Mutex
	checked time.Time
	state   string // of the files that were read
	pages   *Pages
}

// NewFolder returns the knowledge base of a folder. It reads nothing yet.
func NewFolder(name, dir string, checkEvery time.Duration, clock func() time.Time) *Folder {
	return &Folder{name: name, dir: dir, checkEvery: checkEvery, clock: clock}
}

// Name implements Base.
func (f *Folder) Name() string { return f.name }

// Search implements Base.
func (f *Folder) Search(ctx context.Context, q Query) ([]Passage, error) {
	pages, err := f.current(ctx)
	if err != nil {
		return nil, err
	}
	return pages.Search(ctx, q)
}

// Close frees what was read.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pages = nil // the index lies in memory: searches under way end on it
	return nil
}

// current returns the pages of the files as they are, looking at most so often.
func (f *Folder) current(ctx context.Context) (*Pages, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pages != nil && f.clock().Sub(f.checked) < f.checkEvery {
		return f.pages, nil
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder of knowledge base %s: %w", f.name, err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	files, state, err := list(ctx, root.FS())
	if err != nil {
		return nil, fmt.Errorf("list the folder of knowledge base %s: %w", f.name, err)
	}
	f.checked = f.clock()
	if f.pages != nil && state == f.state {
		return f.pages, nil
	}
	var pages []Page
	for _, name := range files {
		text, err := readFile(root.FS(), name)
		if err != nil {
			return nil, fmt.Errorf("read %s of knowledge base %s: %w", name, f.name, err)
		}
		of, err := Split(ctx, name, text)
		if err != nil {
			return nil, fmt.Errorf("read %s of knowledge base %s: %w", name, f.name, err)
		}
		pages = append(pages, of...)
	}
	read, err := NewPages(ctx, f.name, pages)
	if err != nil {
		return nil, err
	}
	f.pages, f.state = read, state
	return read, nil
}

// list returns the Markdown files by name, and a text that differs when they do.
func list(ctx context.Context, in fs.FS) (files []string, state string, err error) {
	var b strings.Builder
	var total int64
	err = fs.WalkDir(in, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || strings.ToLower(path.Ext(name)) != ".md" {
			return ctx.Err()
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if total += min(info.Size(), maxFileBytes); len(files) == maxFiles || total > maxBytes {
			return fmt.Errorf("there are more than %d files or %d bytes: choose a smaller folder", maxFiles, int64(maxBytes))
		}
		files = append(files, name)
		fmt.Fprintf(&b, "%s\x00%d\x00%d\n", name, info.Size(), info.ModTime().UnixNano())
		return ctx.Err()
	})
	slices.Sort(files)
	return files, b.String(), err
}

// readFile returns the head of a file, as much as is read of one.
func readFile(in fs.FS, name string) (text string, err error) {
	file, err := in.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	raw, err := io.ReadAll(io.LimitReader(file, maxFileBytes))
	return strings.ToValidUTF8(string(raw), ""), err
}

// Split cuts a Markdown text into passages at its headings, and long ones at blocks
// and sentences. A passage's title is the path of its headings.
func Split(ctx context.Context, name, text string) ([]Page, error) {
	// A text within maxFileBytes cannot have more sections or text than that.
	limits := document.Limits{MaxBytes: maxFileBytes, MaxText: 2 * maxFileBytes, MaxSections: maxFileBytes, MaxPages: 1, MaxPassage: maxPassage}
	doc, err := document.Read(ctx, name, []byte(text), limits)
	if errors.Is(err, document.ErrNoText) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var pages []Page
	for _, p := range doc.Passages(maxPassage) {
		pages = append(pages, Page{
			ID: fmt.Sprintf("%s#%d", name, len(pages)+1), Title: strings.Join(doc.Sections[p.Section].Path, " › "), Text: p.Text,
		})
	}
	return pages, nil
}
