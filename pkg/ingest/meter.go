package ingest

import (
	"io"
	"os"
	"sync"
)

// Reading tells how far the files of an ingest are read.
type Reading struct {
	What string // the file at hand
	// Done and Total are bytes of the files as they lie on the disk, each counted as
	// often, and as heavily, as it is read: their ratio is the share of the time.
	Done, Total int64
	// Bytes are all bytes of the files together, and BytesDone the share of them that
	// Done is of Total: what a person knows of.
	BytesDone, Bytes int64
	Rows             int64 // that are in tables so far
}

// Weights of the readings of a file: what a byte of each takes of the time, as measured
// on a table of numbers, days and texts.
const (
	weightLearn = 3 // types are found out
	weightLoad  = 4 // rows are put into the table
	weightAll   = weightLearn + weightLoad

	// A dump is read for its declarations first.
	weightDeclared, weightDumpLearn, weightDumpLoad = 2, 2, 3
)

// readingStep is how many weighted bytes lie between two reports.
const readingStep = 4 << 20

// meter counts what is read of all files of an ingest. Who reads and who makes rows are two goroutines.
type meter struct {
	report func(Reading) // never called twice at a time

	mu   sync.Mutex // over what follows
	now  Reading
	told int64
}

// expect adds files that will be read.
func (m *meter) expect(paths ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			m.now.Bytes += info.Size()
			m.now.Total += info.Size() * weightAll
		}
	}
}

// begin tells which file is at hand.
func (m *meter) begin(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.What = what
}

// addRows counts rows that are in a table.
func (m *meter) addRows(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.Rows += n
}

// read counts weighted bytes that were read.
func (m *meter) read(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.Done += n
	m.tell(false)
}

// upTo puts the count at the end of a file where all files up to it have so many
// bytes: a file that was left out, or was read otherwise, is done too.
func (m *meter) upTo(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.Done = bytes * weightAll
	m.tell(true)
}

// settle tells that all is read, and what follows.
func (m *meter) settle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now.Total > 0 {
		m.now.What, m.now.Done = "looking at values and keys", m.now.Total
		m.tell(true)
	}
}

// over counts what comes from a file, a byte so heavily; it is not counted where the
// weight is 0.
func (m *meter) over(r io.Reader, weight int64) io.Reader {
	if weight == 0 {
		return r
	}
	return &metered{r: r, meter: m, weight: weight}
}

// tell reports, now or when enough is read since the last time; the meter is locked.
func (m *meter) tell(now bool) {
	if m.report == nil || !now && m.now.Done-m.told < readingStep {
		return
	}
	m.told = m.now.Done
	m.now.Done = min(m.now.Done, m.now.Total)
	if m.now.Total > 0 {
		m.now.BytesDone = int64(float64(m.now.Bytes) * float64(m.now.Done) / float64(m.now.Total))
	}
	m.report(m.now)
}

// metered counts the bytes that pass.
type metered struct {
	r      io.Reader
	meter  *meter
	weight int64
}

// Read implements io.Reader.
func (m *metered) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.meter.read(int64(n) * m.weight)
	return n, err
}
