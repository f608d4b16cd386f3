package knowledge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/document"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/retrieval/passage"
)

// file is a file of a collection as a listing has it.
type file struct {
	name    string
	size    int64
	changed time.Time
}

// entry is a document of a generation, or a file that could not be read.
type entry struct {
	file
	doc      document.Document
	problem  string // why it could not be read; empty: it was
	passages int
	// committed is when the last commit changed it; zero: the folder is no checkout.
	committed time.Time
}

// place is where a passage stands.
type place struct {
	entry   int // in the generation
	section int
	text    string
}

// generation is a collection as it was read at one time. It never changes.
type generation struct {
	state   string // of the files that it was read from
	read    time.Time
	entries []entry
	places  []place // by passage
	index   *passage.Index
}

func (g *generation) section(p place) document.Section {
	return g.entries[p.entry].doc.Sections[p.section]
}

// product is what the section, its document or its collection is about.
func (g *generation) product(p place, s Settings) string {
	for _, name := range []string{g.section(p).Product, g.entries[p.entry].doc.Product} {
		if name != "" {
			return name
		}
	}
	return s.Product
}

// changed is when the section says it was changed, else its document, else the last commit
// of a checkout, else the file.
func (g *generation) changed(p place) time.Time {
	e := g.entries[p.entry]
	for _, at := range []time.Time{g.section(p).Changed, e.doc.Changed, e.committed} {
		if !at.IsZero() {
			return at
		}
	}
	return e.file.changed
}

// progress is told how far a reading is.
type progress func(done, total int, message string)

// reader reads generations.
type reader struct {
	config Config
	words  *passage.Words
	clock  func() time.Time
}

// list returns the files that are read, by name, and a text that differs when they do.
// Hidden files and folders are left out, .git among them, and links to folders.
func (r reader) list(ctx context.Context, in fs.FS) (files []file, state string, err error) {
	var b strings.Builder
	var total int64
	err = fs.WalkDir(in, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name != "." && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		isLink := d.Type()&fs.ModeSymlink != 0
		if !d.Type().IsRegular() && !isLink || !document.IsKind(name) {
			return ctx.Err()
		}
		info, err := d.Info()
		if isLink {
			// Files of a Kubernetes ConfigMap are links into a hidden folder beside them.
			// A link that leads out of the folder is told in the listing as unreadable.
			if to, wrong := fs.Stat(in, name); wrong == nil && !to.Mode().IsRegular() {
				return ctx.Err()
			} else if wrong == nil {
				info = to
			}
		}
		if err != nil {
			return err
		}
		if info.Size() <= r.config.MaxFileBytes {
			total += info.Size()
		}
		if len(files) == r.config.MaxDocuments || total > r.config.MaxTotalBytes {
			return fault.New(codes.ResourceExhausted, "COLLECTION_TOO_LARGE", fmt.Sprintf(
				"The folder has more than %d documents or %d bytes (knowledge.max_documents, knowledge.max_total_bytes). Divide it into collections.", r.config.MaxDocuments, r.config.MaxTotalBytes))
		}
		files = append(files, file{name, info.Size(), info.ModTime()})
		fmt.Fprintf(&b, "%s\x00%d\x00%d\n", name, info.Size(), info.ModTime().UnixNano())
		return ctx.Err()
	})
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files, b.String(), err
}

// readAll reads the files. Documents that have not changed since the generation before
// are taken from it. A document that cannot be read is told in the listing; it does
// not keep the others from being found.
func (r reader) readAll(ctx context.Context, in fs.FS, files []file, committed map[string]time.Time, state string, before *generation, tell progress) (*generation, error) {
	g := &generation{state: state, read: r.clock()}
	known := make(map[string]entry)
	if before != nil {
		for _, e := range before.entries {
			known[e.name] = e
		}
	}
	var indexed []passage.Entry
	for n, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, ok := known[f.name]
		if !ok || e.file != f {
			var err error
			if e, err = r.readOne(ctx, in, f); err != nil {
				return nil, err
			}
		}
		e.passages, e.committed = 0, committed[f.name]
		for _, p := range e.doc.Passages(r.config.MaxPassage) {
			s := e.doc.Sections[p.Section]
			headings := s.Path
			if s.Question != "" {
				headings = headings[:len(headings)-1] // it is indexed as the question
			}
			indexed = append(indexed, passage.Entry{Question: s.Question, Headings: headings, Text: p.Text})
			g.places = append(g.places, place{entry: n, section: p.Section, text: p.Text})
			e.passages++
		}
		if len(g.places) > r.config.MaxPassages {
			return nil, fault.New(codes.ResourceExhausted, "COLLECTION_TOO_LARGE", fmt.Sprintf(
				"The documents have more than %d passages (knowledge.max_passages). Divide them into collections.", r.config.MaxPassages))
		}
		g.entries = append(g.entries, e)
		tell(n+1, len(files), path.Base(f.name))
	}
	tell(len(files), len(files), "index")
	var err error
	g.index, err = passage.Build(ctx, passage.Config{}, r.words, indexed, nil)
	return g, err
}

// readOne reads a file. Only ctx's end is an error; whatever else keeps a document
// from being read stands in the entry.
func (r reader) readOne(ctx context.Context, in fs.FS, f file) (entry, error) {
	e := entry{file: f}
	within, cancel := context.WithTimeout(ctx, r.config.ReadTimeout)
	defer cancel()
	raw, err := r.bytes(in, f)
	if err == nil {
		e.doc, err = document.Read(within, f.name, raw, r.config.limits())
	}
	switch {
	case err == nil:
		return e, nil
	case ctx.Err() != nil:
		return e, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("reading took longer than %s (knowledge.read_timeout)", r.config.ReadTimeout)
	}
	e.problem = err.Error()
	return e, nil
}

func (r reader) bytes(in fs.FS, f file) (raw []byte, err error) {
	if f.size > r.config.MaxFileBytes {
		return nil, document.TooLarge(f.size, r.config.MaxFileBytes)
	}
	opened, err := in.Open(f.name)
	if err != nil {
		return nil, errors.New("the file cannot be opened")
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return io.ReadAll(io.LimitReader(opened, r.config.MaxFileBytes+1))
}
