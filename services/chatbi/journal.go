package chatbi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/dibrain/dibrain/pkg/run"
)

// runningQuery is a statement that an engine's server works on.
type runningQuery struct {
	ID     string    `json:"id"` // the server's name of it
	Source string    `json:"source"`
	User   string    `json:"user"` // whom it runs for, as the server was told
	Since  time.Time `json:"since"`
}

// journal knows the statements that run on the servers of remote engines, so that those
// of a process that was killed can be ended by another. A fileJournal is for the processes
// of one machine, a databaseJournal for those of several.
type journal interface {
	// began keeps a statement. Where that is not possible the statement runs all the same,
	// and the log says what cannot be done.
	began(q runningQuery)
	// ended forgets a statement. One that is not known is no matter.
	ended(id string)
	// leftovers takes what processes that are gone have left.
	leftovers(ctx context.Context) []leftover
	// close gives the journal up. What is still in it, the server did not say that it
	// ended: another process does it.
	close() error
}

// leftover is what a process that is gone has left, held by this one.
type leftover interface {
	statements() []runningQuery
	// done forgets one statement.
	done(q runningQuery)
	// release gives the rest up to others.
	release()
}

// fileJournal is a journal on disk. Each process has a folder, with a locked file beside it for as long as it lives,
// and in the folder a file for each statement. A file appears whole under its name,
// after it was synced, and goes with the statement: whatever ends the process in
// between, no file says half of a statement under its name.
type fileJournal struct {
	dir string
	max int // statements that are kept; the oldest makes room for one more
	log *slog.Logger

	mu     sync.Mutex
	lock   *flock.Flock     // of this process; nil before its first statement
	own    string           // its folder
	kept   map[string]int64 // when each was noted: 1, 2, 3, ...
	noted  int64
	broken bool // it could not be made: said once
}

const (
	journalPrefix  = "run_"
	journalLock    = ".lock"
	journalEntry   = ".json"
	maxJournalFile = 64 << 10
)

func newFileJournal(dataDir string, maxKept int, log *slog.Logger) *fileJournal {
	return &fileJournal{dir: filepath.Join(dataDir, "chatbi", "running"), max: maxKept, log: log, kept: map[string]int64{}}
}

// began implements journal. That nothing can be noted is said once.
func (j *fileJournal) began(q runningQuery) {
	folder, ok := j.place(q.ID)
	if !ok {
		return
	}
	if err := writeEntry(folder, q); err != nil {
		j.log.Warn("a running statement cannot be noted: should this process be killed, nobody ends it on its server", "query_id", q.ID, "error", err)
		j.ended(q.ID)
	}
}

// place counts a statement in and returns the folder; false: it is not kept.
func (j *fileJournal) place(id string) (folder string, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken || id == "" || id != filepath.Base(id) || strings.HasPrefix(id, ".") {
		return "", false
	}
	if j.lock == nil {
		if err := j.claim(); err != nil {
			j.broken = true
			j.log.Warn("running statements cannot be noted: should this process be killed, nobody ends them on their servers; look at the data directory", "error", err)
			return "", false
		}
	}
	if len(j.kept) >= j.max {
		j.forget(oldestOf(j.kept))
	}
	j.noted++
	j.kept[id] = j.noted
	return j.own, true
}

// oldestOf is the statement that has run for longest: where its server did not answer when
// it was ended, that is long over.
func oldestOf(kept map[string]int64) (oldest string) {
	for id, at := range kept {
		if oldest == "" || at < kept[oldest] {
			oldest = id
		}
	}
	return oldest
}

// claim makes this process's folder.
func (j *fileJournal) claim() error {
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return err
	}
	for range 3 {
		own := filepath.Join(j.dir, run.NewID(journalPrefix, nil))
		lock := flock.New(own+journalLock, flock.SetPermissions(0o600))
		ok, err := lock.TryLock()
		if err != nil {
			return fmt.Errorf("lock %s: %w", lock.Path(), err)
		}
		// Another process may have taken the file for a dead one's between its making
		// and its locking; then it is gone by now.
		if _, err := os.Stat(lock.Path()); ok && err == nil {
			if err := os.Mkdir(own, 0o700); err != nil {
				return errors.Join(err, lock.Unlock())
			}
			j.own, j.lock = own, lock
			return nil
		}
		_ = lock.Unlock()
	}
	return errors.New("another process takes every file that is made for this one")
}

// ended implements journal.
func (j *fileJournal) ended(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.forget(id)
}

func (j *fileJournal) forget(id string) {
	if j.kept[id] == 0 {
		return
	}
	delete(j.kept, id)
	_ = os.Remove(filepath.Join(j.own, id+journalEntry)) // one that stays is ended again by the next process: no harm
}

// close implements journal; the folder stays where something is in it.
func (j *fileJournal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.broken = true
	if j.lock == nil {
		return nil
	}
	lock := j.lock
	j.lock = nil
	if os.Remove(j.own) == nil { // it is empty
		_ = os.Remove(lock.Path())
	}
	return lock.Unlock()
}

// writeEntry makes a statement's file, which has its name once all of it is on disk.
func writeEntry(folder string, q runningQuery) error {
	text, err := json.Marshal(q)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, ".entry-*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(folder, q.ID+journalEntry))
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return err
	}
	if d, err := os.Open(folder); err == nil { // not every system has a way to sync a folder
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// leftFolder is the folder of a process that is gone.
type leftFolder struct {
	folder  string
	lock    *flock.Flock
	queries []runningQuery
}

// leftovers implements journal: it takes folders.
func (j *fileJournal) leftovers(context.Context) []leftover {
	locks, _ := filepath.Glob(filepath.Join(j.dir, journalPrefix+"*"+journalLock)) // none where there is no folder
	var out []leftover
	for _, path := range locks {
		j.mu.Lock()
		mine := j.lock != nil && j.lock.Path() == path
		j.mu.Unlock()
		if mine {
			continue
		}
		lock := flock.New(path, flock.SetFlag(os.O_RDWR)) // not made where it has just gone
		if ok, err := lock.TryLock(); err != nil || !ok {
			continue // it lives, or another process is at it
		}
		l := &leftFolder{folder: strings.TrimSuffix(path, journalLock), lock: lock}
		l.read(j.max, j.log)
		out = append(out, l)
	}
	return out
}

// read reads the statements. What cannot be read is of no use to anybody: it goes.
func (l *leftFolder) read(most int, log *slog.Logger) {
	entries, _ := os.ReadDir(l.folder)
	for _, e := range entries {
		path := filepath.Join(l.folder, e.Name())
		id, whole := strings.CutSuffix(e.Name(), journalEntry)
		if !whole || strings.HasPrefix(e.Name(), ".") { // it was being written
			_ = os.Remove(path)
			continue
		}
		q, err := readEntry(path)
		if err == nil && q.ID != id {
			err = errors.New("it is about another statement")
		}
		if err != nil || len(l.queries) >= most {
			log.Warn("what a process that was killed has noted of a statement is not used: end it on its server by hand if it still runs", "query_id", id, "error", err)
			_ = os.Remove(path)
			continue
		}
		l.queries = append(l.queries, q)
	}
}

func readEntry(path string) (q runningQuery, err error) {
	file, err := os.Open(path)
	if err != nil {
		return q, err
	}
	defer file.Close() //nolint:errcheck // it was read only
	text, err := io.ReadAll(io.LimitReader(file, maxJournalFile))
	if err != nil {
		return q, err
	}
	err = json.Unmarshal(text, &q)
	return q, err
}

func (l *leftFolder) statements() []runningQuery { return l.queries }

func (l *leftFolder) done(q runningQuery) {
	_ = os.Remove(filepath.Join(l.folder, q.ID+journalEntry))
}

// release gives the folder up, and removes it where nothing is left in it.
func (l *leftFolder) release() {
	if err := os.Remove(l.folder); err == nil || errors.Is(err, os.ErrNotExist) {
		_ = os.Remove(l.lock.Path())
	}
	_ = l.lock.Unlock()
}
