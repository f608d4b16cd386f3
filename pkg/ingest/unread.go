package ingest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dibrain/dibrain/pkg/lang"
)

const (
	// unreadFile lies beside the database of a generation. It is no table: a policy
	// that hides columns or rows of a table would not hold for the texts here, so
	// that only whoever may read the data directory sees them.
	unreadFile = "unread.jsonl"
	// maxUnreadRunes bounds what is kept of one value or line.
	maxUnreadRunes = 1000
)

// Unread is something of a file that its table does not have as it was written.
type Unread struct {
	Table  string `json:"table"`
	Line   int    `json:"line"`
	Column string `json:"column,omitempty"` // empty: the whole line
	Text   string `json:"text"`             // at most 1,000 characters
	Why    string `json:"why"`
}

// unreadStore keeps such texts, up to a bound.
type unreadStore struct {
	max     int
	texts   []Unread
	dropped int
}

func (u *unreadStore) keep(t Unread) {
	if len(u.texts) >= u.max {
		u.dropped++
		return
	}
	t.Text = lang.Shorten(validText(t.Text).text, maxUnreadRunes)
	u.texts = append(u.texts, t)
}

func (u *unreadStore) write(dir string) (err error) {
	if len(u.texts) == 0 {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(dir, unreadFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("keep what could not be read: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	lines := json.NewEncoder(w)
	for _, t := range u.texts {
		if err := lines.Encode(t); err != nil {
			return fmt.Errorf("keep what could not be read: %w", err)
		}
	}
	return w.Flush()
}

// unreadValue notes a value that its column has no place for: it is told, up to a number for
// each column, and kept as it was written. Why is filled in.
func (b *builder) unreadValue(c *column, u Unread, file string) {
	if c.unread++; c.unread <= shownProblems {
		b.problem(Problem{Kind: KindValueUnread, File: file, Line: u.Line, Message: fmt.Sprintf("column %q: %q is no %s; it is NULL in the table", c.name, clip(u.Text), c.typ.presto())})
	}
	u.Why = "not a " + c.typ.presto()
	b.unread.keep(u)
}

// moreUnread tells how many values of a column were not told one by one.
func (b *builder) moreUnread(c *column, file string) {
	if c.unread > shownProblems {
		b.problem(Problem{Kind: KindValueUnread, File: file, Message: fmt.Sprintf("column %s: %d more values do not fit", lang.Shorten(c.name, 80), c.unread-shownProblems)})
	}
}

// ReadUnread returns what the ingest of a generation, whose folder is given, could
// not read; none where it could read all.
func ReadUnread(dir string) (texts []Unread, err error) {
	f, err := os.Open(filepath.Join(dir, unreadFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what could not be read: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := json.NewDecoder(bufio.NewReader(f))
	for lines.More() {
		var t Unread
		if err := lines.Decode(&t); err != nil {
			return nil, fmt.Errorf("read what could not be read: %w", err)
		}
		texts = append(texts, t)
	}
	return texts, nil
}
