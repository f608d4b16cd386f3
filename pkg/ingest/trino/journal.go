package trino

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/stored"
)

// journal notes what an ingest has read, so that the next one goes on where it was
// killed or cut off. It is a file of records, each with its length and checksum: a
// half record at its end counts for nothing. The first record names the job; a
// journal of another job, or an old one, is begun anew.
//
//	'S' region schema tables     a schema is read (its names in Trino)
//	'T' stage table              a stage of the details of a table is done
type journal struct {
	mu     sync.Mutex
	file   *os.File
	failed error // of the first write that failed: nothing is noted after it

	began   time.Time
	schemas map[string][]catalog.Table // what was read, by place
	stages  map[string]profiled        // by Name.Key()
}

// profiled is a table with the stages of its details that are done.
type profiled struct {
	stage int
	table catalog.Table
}

// resumeWithin is how old a journal may be that an ingest goes on from: what was
// read before that may have changed too much.
const resumeWithin = 24 * time.Hour

// maxJournal bounds what is read of a journal.
const maxJournal = 4 << 30

const (
	recordJob    = 'J'
	recordSchema = 'S'
	recordStage  = 'T'
)

// openJournal reads the journal of a job, or begins one.
func openJournal(path, job string, now time.Time) (*journal, error) {
	j := &journal{began: now, schemas: make(map[string][]catalog.Table), stages: make(map[string]profiled)}
	raw, err := readJournal(path)
	if err != nil {
		return nil, err
	}
	size := j.load(raw, job, now)
	if j.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return nil, err
	}
	if err := j.file.Truncate(int64(size)); err != nil {
		return nil, errors.Join(err, j.file.Close())
	}
	if _, err := j.file.Seek(int64(size), 0); err != nil {
		return nil, errors.Join(err, j.file.Close())
	}
	if size == 0 {
		j.note(recordJob, func(to []byte) []byte {
			return binary.AppendVarint(appendText(to, job), now.Unix())
		})
	}
	return j, nil
}

func readJournal(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() > maxJournal {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// load takes the records that are whole and returns how many bytes they have; 0
// where the journal is not to be gone on from.
func (j *journal) load(raw []byte, job string, now time.Time) int {
	rest, size := raw, 0
	for first := true; ; first = false {
		body, n := cutRecord(rest)
		if n == 0 {
			return size
		}
		if first {
			of, after := cutText(body[1:])
			began, _ := binary.Varint(after)
			at := time.Unix(began, 0)
			if body[0] != recordJob || of != job || now.Sub(at) > resumeWithin || at.After(now) {
				return 0
			}
			j.began = at
		} else if !j.take(body) {
			return size
		}
		rest, size = rest[n:], size+n
	}
}

func (j *journal) take(body []byte) bool {
	switch body[0] {
	case recordSchema:
		key, rest := cutText(body[1:])
		tables := []catalog.Table{}
		for len(rest) > 0 {
			t, after, err := stored.CutTable(rest)
			if err != nil {
				return false
			}
			tables, rest = append(tables, t), after
		}
		j.schemas[key] = tables
	case recordStage:
		stage, n := binary.Uvarint(body[1:])
		t, _, err := stored.CutTable(body[1+max(n, 0):])
		if n <= 0 || err != nil {
			return false
		}
		j.stages[t.Name.Key()] = profiled{stage: int(stage), table: t}
	default:
		return false
	}
	return true
}

// schemaKey names a schema of a place.
func schemaKey(p place, schema string) string {
	return strings.Join([]string{p.region, p.catalog, p.prefix, schema}, "\x00")
}

// readBefore returns the tables of a schema that was read before the interruption.
func (j *journal) readBefore(p place, schema string) ([]catalog.Table, bool) {
	if j == nil {
		return nil, false
	}
	tables, ok := j.schemas[schemaKey(p, schema)]
	return tables, ok
}

// doneBefore returns a table with the details that were found before the
// interruption.
func (j *journal) doneBefore(t *catalog.Table) (profiled, bool) {
	if j == nil {
		return profiled{}, false
	}
	p, ok := j.stages[t.Name.Key()]
	return p, ok && sameShape(&p.table, t)
}

func (j *journal) schemaDone(p place, schema string, tables []*entry) {
	if j == nil {
		return
	}
	j.note(recordSchema, func(to []byte) []byte {
		to = appendText(to, schemaKey(p, schema))
		for _, t := range tables {
			to = stored.AppendTable(to, &t.Table)
		}
		return to
	})
}

func (j *journal) stageDone(stage int, t *entry) {
	if j == nil {
		return
	}
	j.note(recordStage, func(to []byte) []byte {
		return stored.AppendTable(binary.AppendUvarint(to, uint64(stage)), &t.Table)
	})
}

// note appends a record. A disk that is full stops the notes and not the ingest:
// what counts is told when the generation is written.
func (j *journal) note(kind byte, body func([]byte) []byte) {
	const head = 12
	record := body(append(make([]byte, head, 512), kind))
	binary.LittleEndian.PutUint32(record, uint32(len(record)-head))
	binary.LittleEndian.PutUint64(record[4:], xxhash.Sum64(record[head:]))
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed == nil {
		_, j.failed = j.file.Write(record)
	}
}

// cutRecord returns the body of the first record and the bytes of the whole; 0:
// there is no whole record.
func cutRecord(raw []byte) (body []byte, n int) {
	const head = 12
	if len(raw) < head+1 {
		return nil, 0
	}
	n = int(binary.LittleEndian.Uint32(raw))
	if n < 1 || n > len(raw)-head {
		return nil, 0
	}
	body = raw[head : head+n]
	if xxhash.Sum64(body) != binary.LittleEndian.Uint64(raw[4:]) {
		return nil, 0
	}
	return body, head + n
}

func appendText(to []byte, s string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(s))), s...)
}

func cutText(from []byte) (string, []byte) {
	n, used := binary.Uvarint(from)
	if used <= 0 || n > uint64(len(from)-used) {
		return "", nil
	}
	from = from[used:]
	return string(from[:n]), from[n:]
}

// resumed says what was read before the interruption, "" where nothing was.
func (j *journal) resumed() string {
	if j == nil || len(j.schemas) == 0 {
		return ""
	}
	n := 0
	for _, tables := range j.schemas {
		n += len(tables)
	}
	return fmt.Sprintf("goes on where the ingest of %s was interrupted: %d schemas with %d tables were read already",
		j.began.UTC().Format("2006-01-02 15:04 MST"), len(j.schemas), n)
}

// close ends the notes; done says that they are not needed any more.
func (j *journal) close(done bool) error {
	if j == nil {
		return nil
	}
	err := j.file.Close()
	if done {
		err = errors.Join(err, os.Remove(j.file.Name()))
	}
	return err
}
