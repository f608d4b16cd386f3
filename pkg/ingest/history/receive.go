package history

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/source"
)

// Limits of a receiver where its options have none.
const (
	DefaultFlushEvery = 15 * time.Minute
	DefaultMaxPending = 20_000
	retryAfter        = 30 * time.Second
)

// ReceiverOptions of a Receiver.
type ReceiverOptions struct {
	Options

	// Token that a caller has to give as "Authorization: Bearer TOKEN"; empty: none.
	Token string
	// FlushEvery is how long events wait in memory before they are counted.
	FlushEvery time.Duration
	// MaxPending bounds the events that wait; when it is reached they are counted at
	// once, and callers are told to come again until there is room.
	MaxPending int
	// Flushed is told what became of the events that waited; nil: nobody is.
	Flushed func(Report, error)
}

// Receiver takes the events that Trino's HTTP event listener posts and counts them into
// a source now and then. Their texts are in memory until then, and nowhere else.
type Receiver struct {
	store   *source.Store
	name    string
	options ReceiverOptions

	mu      sync.Mutex
	pending []*event
	full    chan struct{} // has room for one: somebody should flush
	flush   sync.Mutex    // one at a time
}

// NewReceiver returns a receiver for a source. Nothing is counted before Run.
func NewReceiver(store *source.Store, name string, o ReceiverOptions) *Receiver {
	o.Options = o.complete()
	if o.FlushEvery <= 0 {
		o.FlushEvery = DefaultFlushEvery
	}
	if o.MaxPending <= 0 {
		o.MaxPending = DefaultMaxPending
	}
	if o.Flushed == nil {
		o.Flushed = func(Report, error) {}
	}
	return &Receiver{store: store, name: name, options: o, full: make(chan struct{}, 1)}
}

// ServeHTTP implements http.Handler. A POST has one event as JSON, or several in a
// list. 204: taken; 401: the token is wrong; 405: no POST; 413, 400: no event that can be
// read, and coming again does not help; 503: too many wait.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	refuse := func(code int, format string, args ...any) { http.Error(w, fmt.Sprintf(format, args...), code) }
	if !r.allowed(q.Header.Get("Authorization")) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(http.StatusUnauthorized, "the token is missing or wrong: set http-event-listener.connect-http-headers=Authorization: Bearer TOKEN")
		return
	}
	if q.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		refuse(http.StatusMethodNotAllowed, "events are posted: use POST")
		return
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, q.Body, int64(r.options.MaxEvent)))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		refuse(http.StatusRequestEntityTooLarge, "the event has more than %d bytes (MaxEvent)", r.options.MaxEvent)
		return
	case err != nil:
		refuse(http.StatusBadRequest, "the event broke off")
		return
	}
	events, err := eventsOf(raw)
	if err != nil {
		refuse(http.StatusBadRequest, "this is no event of Trino's event listener as JSON")
		return
	}
	if !r.take(events) {
		w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
		refuse(http.StatusServiceUnavailable, "%d events wait to be counted: come again", r.options.MaxPending)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (r *Receiver) allowed(header string) bool {
	token, bearer := strings.CutPrefix(header, "Bearer ")
	return r.options.Token == "" || bearer && subtle.ConstantTimeCompare([]byte(token), []byte(r.options.Token)) == 1
}

func eventsOf(raw []byte) ([]*event, error) {
	var list []*event
	if trimmed := strings.TrimSpace(string(raw[:min(len(raw), 64)])); strings.HasPrefix(trimmed, "[") {
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, err
		}
	} else {
		var one event
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, err
		}
		list = []*event{&one}
	}
	var completed []*event // others, such as that a query begins, are passed over
	for _, e := range list {
		if e != nil && e.completed() && !e.ours() {
			completed = append(completed, e)
		}
	}
	return completed, nil
}

// take keeps events until they are counted; false: there is no room.
func (r *Receiver) take(events []*event) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	fits := len(r.pending)+len(events) <= r.options.MaxPending
	if fits {
		r.pending = append(r.pending, events...)
	}
	if !fits || len(r.pending) == r.options.MaxPending {
		select {
		case r.full <- struct{}{}:
		default: // somebody has said so
		}
	}
	return fits
}

// Pending returns how many events wait.
func (r *Receiver) Pending() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pending)
}

// Flush counts the events that wait. Where that fails they wait on.
func (r *Receiver) Flush(ctx context.Context) (Report, error) {
	r.flush.Lock()
	defer r.flush.Unlock()
	r.mu.Lock()
	events := r.pending
	r.mu.Unlock()
	if len(events) == 0 {
		return Report{}, nil
	}
	report, err := update(ctx, r.store, r.name, r.options.Options, func(read *reader) error {
		for _, e := range events {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := read.take(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return report, err
	}
	r.mu.Lock()
	r.pending = append([]*event(nil), r.pending[len(events):]...)
	r.mu.Unlock()
	return report, nil
}

// Run counts events now and then until ctx ends, and what waits then.
func (r *Receiver) Run(ctx context.Context) error {
	tick := time.NewTicker(r.options.FlushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, err := r.Flush(context.WithoutCancel(ctx))
			r.options.Flushed(last, err)
			return err
		case <-tick.C:
		case <-r.full:
		}
		if r.Pending() == 0 {
			continue
		}
		r.options.Flushed(r.Flush(ctx))
	}
}
