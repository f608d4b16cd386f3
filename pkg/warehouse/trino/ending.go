package trino

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
)

// alive are the statements of an engine that have not ended.
type alive struct {
	mu     sync.Mutex
	all    map[*statement]bool
	closed bool
}

func (a *alive) add(s *statement) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return fault.New(codes.Unavailable, "SHUTTING_DOWN", "the connection to Trino is closed, as the service is shutting down: try again in a moment")
	}
	if a.all == nil {
		a.all = map[*statement]bool{}
	}
	a.all[s] = true
	return nil
}

func (a *alive) remove(s *statement) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.all, s)
}

// queued counts the statements that run, those of them in the server's queue, and says for
// how long the longest one has been there.
func (a *alive) queued(now time.Time) (all, queued int, longest time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for s := range a.all {
		if since := s.waiting(); !since.IsZero() {
			queued++
			longest = max(longest, now.Sub(since))
		}
	}
	return len(a.all), queued, longest
}

// close ends all statements at once. It returns when the server was told of each, or
// did not listen for endTimeout.
func (a *alive) close() {
	a.mu.Lock()
	a.closed = true
	var all []*statement
	for s := range a.all {
		all = append(all, s)
	}
	a.mu.Unlock()
	var told sync.WaitGroup
	for _, s := range all {
		told.Go(func() {
			s.end()
			s.cancel() // the driver waits for the next page
		})
	}
	told.Wait()
}

// queryID is what Trino names its statements by, such as 20261122_173500_00001_abcde.
var queryID = regexp.MustCompile(`^[0-9A-Za-z_]{1,100}$`)

// EndQuery ends a statement that another process has left on the server, in the name
// of the user that it ran for, or in the service's own where the server does not
// allow that. One that the server does not know any more is no error. Nothing is
// tried again: an error may be over in a moment.
func (e *Engine) EndQuery(ctx context.Context, id, user string) error {
	if !queryID.MatchString(id) {
		return fault.New(codes.InvalidArgument, "QUERY_ID", fmt.Sprintf("%q is not the name of a statement on Trino", id))
	}
	service := e.config.Connection.User
	if user == "" || !e.config.Connection.Impersonate || !source.HeaderSafe(user) {
		user = service
	}
	status, err := e.deleteQuery(ctx, id, user)
	if err == nil && user != service && (status == http.StatusUnauthorized || status == http.StatusForbidden) {
		status, err = e.deleteQuery(ctx, id, service)
	}
	switch {
	case err != nil:
		return fmt.Errorf("end the statement %s on Trino: %w", id, err)
	case !isGone(status):
		return fmt.Errorf("end the statement %s on Trino: the server answered with status %d", id, status)
	}
	return nil
}

// isGone reports that the answer to a DELETE says that the statement runs no more.
func isGone(status int) bool {
	return status >= 200 && status < 300 || status == http.StatusNotFound || status == http.StatusGone
}

func (e *Engine) deleteQuery(ctx context.Context, id, user string) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	server, err := url.Parse(e.config.Connection.URL)
	if err != nil {
		return 0, err
	}
	at := url.URL{Scheme: server.Scheme, Host: server.Host, Path: "/v1/query/" + id}
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, at.String(), nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("X-Trino-User", user)
	req.Header.Set("X-Trino-Source", sourceName)
	resp, err := e.client.Do(req)
	if err != nil {
		return 0, err
	}
	_ = resp.Body.Close() // there is nothing in it
	return resp.StatusCode, nil
}
