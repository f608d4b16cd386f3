package trino

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/warehouse"
)

// statement is what is known of a statement that the server runs. transport fills
// it from one goroutine at a time; others read it and end it.
type statement struct {
	client *http.Client // for the request that ends it
	user   string
	bearer bearer // nil: the service's own credentials
	begun  time.Time
	clock  func() time.Time
	cancel context.CancelFunc // of the context that the driver works in
	waited time.Duration      // for a slot of this process

	ending sync.Once

	began func(id, user string) // nil: nobody keeps a journal
	gone  func(id string)       // nil likewise

	telling  sync.Mutex // held while progress or started is called
	progress func(warehouse.Progress)
	started  func(id string)

	mu    sync.Mutex
	id    string
	next  string // where the rest is; empty: the server has no more
	ended bool   // nobody wants more of it
	// toldOver is the id of which the journal knows that it is over.
	toldOver string
	columns  []column
	pages    []json.RawMessage // data that nobody has read yet, in order
	rows     int64             // returned to the reader
	queued   time.Duration
	inQueue  time.Time // since when it is in the server's queue; zero: it is not
}

// endTimeout bounds the request that ends a statement.
const endTimeout = 5 * time.Second

// reset forgets an attempt that failed before anything of it was returned.
func (s *statement) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id, s.next, s.columns, s.pages, s.inQueue = "", "", nil, nil, time.Time{}
}

// take keeps what an answer says. It reports whether data came with it.
func (s *statement) take(a answer) (data bool, err error) {
	if id, _ := s.identity(); id == "" && a.NextURI != "" && s.began != nil {
		s.began(a.ID, s.user) // before anybody can end it
	}
	data, rows, first, unwanted, err := s.keep(a)
	switch {
	case a.NextURI == "":
		s.over(a.ID)
	case unwanted: // it was ended while the first answer was on its way
		s.stop(a.ID, a.NextURI)
	}
	if first && s.started != nil && a.ID != "" {
		s.telling.Lock()
		s.started(a.ID)
		s.telling.Unlock()
	}
	if err == nil {
		s.tell(a.Stats, rows)
	}
	return data, err
}

func (s *statement) keep(a answer) (data bool, rows int64, first, unwanted bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first = s.id == ""
	unwanted = first && s.ended
	s.id, s.next = a.ID, a.NextURI
	s.queued = time.Duration(a.Stats.QueuedTimeMillis) * time.Millisecond
	switch {
	case !a.Stats.queued():
		s.inQueue = time.Time{}
	case s.inQueue.IsZero():
		s.inQueue = s.clock()
	}
	if s.columns == nil && a.Columns != nil {
		if err := json.Unmarshal(a.Columns, &s.columns); err != nil {
			return false, 0, first, unwanted, &protocolError{"the columns of the result cannot be read"}
		}
	}
	switch {
	case len(a.Data) == 0 || string(a.Data) == "null" || string(a.Data) == "[]":
	case a.Data[0] != '[':
		return false, 0, first, unwanted, &protocolError{"the result comes in a form that was not asked for"}
	case s.columns == nil:
		return false, 0, first, unwanted, &protocolError{"the result has rows before it has columns"}
	default:
		s.pages, data = append(s.pages, a.Data), true
	}
	return data, s.rows, first, unwanted, nil
}

// tell reports progress.
func (s *statement) tell(at stats, rows int64) {
	s.telling.Lock()
	defer s.telling.Unlock()
	if s.progress == nil {
		return
	}
	p := warehouse.Progress{Fraction: -1, Rows: rows, Elapsed: time.Since(s.begun), State: "running"}
	switch {
	case at.queued():
		p.State = "queued"
	case at.State == "FINISHED", at.State == "FAILED":
		return // the reader says when it is finished
	}
	if at.ProgressPercentage != nil {
		p.Fraction = min(max(*at.ProgressPercentage/100, 0), 1)
	}
	s.progress(p)
}

// page hands out the oldest data that nobody has read; false: there is none now.
func (s *statement) page() (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pages) == 0 {
		return nil, false
	}
	data := s.pages[0]
	s.pages = s.pages[1:]
	return data, true
}

// header returns the columns.
func (s *statement) header() []column {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.columns
}

func (s *statement) returned(rows int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = rows
}

// waiting says since when the server keeps the statement in its queue; zero: it does not.
func (s *statement) waiting() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inQueue
}

// identity returns the server's name of the statement and how long it was queued,
// here and there.
func (s *statement) identity() (id string, queued time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id, s.waited + s.queued
}

// end ends the statement on the server where it still runs. It may be called
// more than once, from any goroutine; when it returns the server was told, and
// nobody hears of progress any more.
func (s *statement) end() {
	s.ending.Do(func() {
		s.mu.Lock()
		id, next := s.id, s.next
		s.ended = true
		s.mu.Unlock()
		s.stop(id, next) // first, whatever a listener waits for
		s.telling.Lock()
		defer s.telling.Unlock()
		s.progress = nil
	})
}

// stop asks the server to end what next belongs to. Where that fails the server
// ends it by itself, for want of anybody who asks for the rest.
func (s *statement) stop(id, next string) {
	if next == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(withBearer(ctx, s.bearer), http.MethodDelete, next, nil)
	if err != nil {
		return
	}
	req.Header.Set("X-Trino-User", s.user)
	req.Header.Set("X-Trino-Source", sourceName)
	resp, err := s.client.Do(req)
	if err != nil {
		return
	}
	_ = resp.Body.Close() // there is nothing in it
	if isGone(resp.StatusCode) {
		s.over(id)
	}
}

// over tells the journal, once, that the server has no more of the statement: its
// last answer may come while somebody ends it.
func (s *statement) over(id string) {
	if s.gone == nil || id == "" {
		return
	}
	s.mu.Lock()
	told := s.toldOver == id
	s.toldOver = id
	s.mu.Unlock()
	if !told {
		s.gone(id)
	}
}
