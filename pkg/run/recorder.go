package run

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
)

// Bounds of one record, in bytes and entries.
const (
	maxKeyBytes   = 64
	maxValueBytes = 1024
	maxErrorBytes = 2048
	maxAttributes = 32
	// recordOverhead stands for the times, the status and the framing.
	recordOverhead = 48
)

// DefaultTraceBytes is the contract's bound of the records that a service
// returns beside its answer.
const DefaultTraceBytes = 64 << 10

// Record is one node of a run tree.
type Record struct {
	RunID       string
	ParentRunID string
	Name        string
	Service     string
	ToolCallID  string
	ToolName    string
	Status      Status
	StartedAt   time.Time
	EndedAt     time.Time // zero while at work
	Attributes  map[string]string
	Error       string
}

func (r Record) clone() Record {
	r.Attributes = maps.Clone(r.Attributes)
	return r
}

func (r Record) size() int {
	n := recordOverhead + len(r.RunID) + len(r.ParentRunID) + len(r.Name) + len(r.Service) +
		len(r.ToolCallID) + len(r.ToolName) + len(r.Error)
	for k, v := range r.Attributes {
		n += len(k) + len(v) + 6
	}
	return n
}

type entry struct {
	record Record
	size   int
}

// Recorder keeps the records of the steps that were started with its context:
// parents before children, whole records only, about maxBytes in all. It is
// safe for concurrent use; a nil Recorder keeps nothing.
type Recorder struct {
	maxBytes int

	mu      sync.Mutex
	entries []*entry
	bytes   int
	refused int
}

// NewRecorder returns a recorder bounded by maxBytes; zero or less means
// DefaultTraceBytes.
func NewRecorder(maxBytes int) *Recorder {
	if maxBytes <= 0 {
		maxBytes = DefaultTraceBytes
	}
	return &Recorder{maxBytes: maxBytes}
}

type recorderKey struct{}

// WithRecorder returns a context whose steps are recorded in r. It replaces a
// recorder that ctx may have: each call of a service has its own.
func WithRecorder(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

func recorderOf(ctx context.Context) *Recorder {
	r, _ := ctx.Value(recorderKey{}).(*Recorder)
	return r
}

// Add keeps records that another process returned. Their order is kept.
func (r *Recorder) Add(records ...Record) {
	for _, rec := range records {
		r.admit(rec)
	}
}

// Records returns the records in the order in which the steps began, and how
// many were left out. A record that does not fit takes its descendants with it,
// so that no child is without its parent because of the bound.
func (r *Recorder) Records() (records []Record, dropped int) {
	return r.records(func(string, Status) bool { return true })
}

// Changed returns those of the records that want has, by their run id and status.
func (r *Recorder) Changed(want func(runID string, status Status) bool) []Record {
	out, _ := r.records(want)
	return out
}

func (r *Recorder) records(want func(string, Status) bool) (records []Record, dropped int) {
	if r == nil {
		return nil, 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	left, gone := r.maxBytes, map[string]bool{}
	for _, e := range r.entries {
		if e.size > left || len(gone) > 0 && gone[e.record.ParentRunID] {
			gone[e.record.RunID] = true
			dropped++
			continue
		}
		left -= e.size
		if want(e.record.RunID, e.record.Status) {
			records = append(records, e.record.clone())
		}
	}
	return records, dropped + r.refused
}

// admit takes a record in as long as the bound is not reached. Once it is,
// nothing more comes in, so memory stays near maxBytes.
func (r *Recorder) admit(rec Record) *entry {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e := &entry{record: rec.clone(), size: rec.size()}
	if r.refused > 0 || r.bytes+e.size > r.maxBytes { // a smaller one after it may be its child
		r.refused++
		return nil
	}
	r.bytes += e.size
	r.entries = append(r.entries, e)
	return e
}

func (r *Recorder) update(e *entry, rec Record) {
	if r == nil || e == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	size := rec.size()
	r.bytes += size - e.size
	e.record, e.size = rec.clone(), size
}

// clip cuts s to at most n bytes and marks the cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const mark = "…"
	return lang.Clip(s, n-len(mark)) + mark
}
