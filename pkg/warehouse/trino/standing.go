package trino

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Names of Trino's errors that tell of the cluster and not of a statement.
const (
	nameStarting  = "SERVER_STARTING_UP"
	nameStopping  = "SERVER_SHUTTING_DOWN"
	nameNoNodes   = "NO_NODES_AVAILABLE"
	nameQueueFull = "QUERY_QUEUE_FULL"
)

// standing is what a server that answers says of itself: that it takes no statements now,
// and why. It is heard from the answers about statements, which need no right of their own.
type standing struct {
	clock func() time.Time

	mu    sync.Mutex
	why   string // Trino's name of the reason; empty: it takes statements
	since time.Time
}

// hear takes what an answer about a statement says.
func (s *standing) hear(a answer) {
	var failed struct {
		Name string `json:"errorName"`
	}
	if a.Error != nil {
		_ = json.Unmarshal(a.Error, &failed) // one without a name is the statement's
	}
	if standingWords[failed.Name] != "" {
		s.note(failed.Name)
		return
	}
	if len(a.Data) > 0 || a.NextURI == "" || failed.Name != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.why = ""
	}
}

// note keeps why the server takes no statements.
func (s *standing) note(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == "" {
		s.since = s.clock()
	}
	s.why = why
}

func (s *standing) now() (why string, since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why, s.since
}

// over notes that a reason holds no longer; another one that was heard meanwhile stays.
func (s *standing) over(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == why {
		s.why = ""
	}
}

// words of the reasons, for people who operate the server.
var standingWords = map[string]string{
	nameStarting: "it is starting",
	nameStopping: "it is shutting down",
	nameNoNodes:  "no worker of it is active",
}

// stands is what Health says of a server that answers: that it takes no statements, or
// leaves those of this process in its queue for longer than Limits.QueueWait.
func (e *Engine) stands() error {
	if why, since := e.standing.now(); why != "" {
		e.lookAgain(func(ctx context.Context) { e.lookWhether(ctx, why) })
		return fault.New(codes.Unavailable, ReasonUnavailable, fmt.Sprintf("Trino takes no statements since %s: %s (%s).",
			since.UTC().Format(time.RFC3339), standingWords[why], why)).ForOperator("the server is %s", e.config.Connection.URL)
	}
	running, queued, longest := e.alive.queued(e.config.Clock())
	if queued > 0 && longest >= e.config.QueueWait {
		return fault.New(codes.Unavailable, ReasonUnavailable, fmt.Sprintf(
			"Trino keeps %d of this process's %d statements in its queue, the longest for %s: its resource groups or its workers are busy.",
			queued, running, longest.Truncate(time.Second))).ForOperator("the server is %s", e.config.Connection.URL)
	}
	return nil
}

// lookWhether asks the server whether a reason still holds. Where that cannot be asked, the
// next statement tells.
func (e *Engine) lookWhether(ctx context.Context, why string) {
	switch why {
	case nameStarting:
		var info struct {
			Starting bool `json:"starting"`
		}
		if e.info(ctx, "/v1/info", &info) != nil || info.Starting {
			return
		}
	case nameStopping:
		var state string
		if e.info(ctx, "/v1/info/state", &state) != nil || state != "ACTIVE" {
			return
		}
	case nameNoNodes:
		if nodes, err := e.Nodes(ctx); err == nil && nodes.Active == 0 {
			return // the next statement tells, should the coordinator be one that works
		}
	}
	e.standing.over(why)
}

// maxInfo bounds what is read of what a server says of itself.
const maxInfo = 64 << 10

// info reads what the server says of itself, which needs no right.
func (e *Engine) info(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(e.config.Connection.URL, "/")+path, nil)
	if err != nil {
		return fmt.Errorf("ask the Trino server for %s: %w", path, err)
	}
	resp, err := e.client.Do(req) // the transport notes how it went
	if err != nil {
		return fmt.Errorf("ask the Trino server for %s: %w", path, err)
	}
	defer func() { _ = resp.Body.Close() }() // read as far as it goes
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ask the Trino server for %s: it answered with status %d", path, resp.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxInfo)).Decode(into); err != nil {
		return fmt.Errorf("read what the Trino server says at %s: %w", path, err)
	}
	return nil
}

// Nodes are the workers of a cluster. Its coordinator, which may work too, is none of them.
type Nodes struct {
	Active int // that take work
	Other  int // that end, drain, or have gone
}

// apart is in the context of statements that tell nothing of whether the server takes
// statements: those on its own tables need no worker.
type apart struct{}

// Nodes asks the server for its nodes, as the service's user, who has to be allowed to read
// system.runtime.nodes. Errors: those of a statement.
func (e *Engine) Nodes(ctx context.Context) (n Nodes, err error) {
	text, err := newPlaces(Config{Connection: source.TrinoConnection{Regions: map[string]source.TrinoPlace{"system": {Catalog: "system"}}}}).metadata(meta.Nodes().Tree())
	if err != nil {
		return Nodes{}, err
	}
	rows, err := e.start(context.WithValue(ctx, apart{}, true), run.Principal{}, e.config.Connection.User, text, warehouse.Options{Timeout: e.config.AnswerTimeout, Tag: "nodes"})
	if err != nil {
		return Nodes{}, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for {
		page, err := rows.Next(ctx, 1000)
		for _, row := range page {
			switch coordinator, _ := row[0].(bool); {
			case coordinator:
			case row[1] == "active":
				n.Active++
			default:
				n.Other++
			}
		}
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return Nodes{}, err
		}
	}
}
