package chatbi

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dibrain/dibrain/pkg/pause"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
)

// endingAtATime is how many statements are ended at a time.
const endingAtATime = 8

// maxDoublings bounds how often the pause between two attempts is doubled.
const maxDoublings = 6

// endOrphans ends the statements that processes which were killed have left on the
// servers of their sources. It works in the background of a service that is ready
// already. A server that is away is tried again a few times; what is left then is
// logged and forgotten, as servers end by themselves what nobody asks the rest of.
// What is left when the service closes, the next one finds; where processes share a
// database, any of them does so again and again.
func (s *Service) endOrphans(ctx context.Context) {
	found := s.journal.leftovers(ctx)
	if len(found) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.config().Trino.EndTimeout)
	defer cancel()
	o := &orphans{service: s, open: map[string]*trino.Clusters{}}
	defer o.close()
	for _, l := range found {
		for _, q := range l.statements() {
			o.left = append(o.left, orphan{q, l})
		}
		o.found = append(o.found, l)
	}
	all := len(o.left)
	for attempt := 1; len(o.left) > 0 && attempt <= s.config().Trino.EndAttempts; attempt++ {
		if attempt > 1 && pause.For(ctx, s.config().Trino.EndWait<<min(attempt-2, maxDoublings)) != nil {
			break
		}
		o.round(ctx)
	}
	if s.ctx.Err() != nil {
		return
	}
	for _, left := range o.left {
		s.log.WarnContext(ctx, "a statement that a killed process has left cannot be ended on its server: end it there by hand if it still runs",
			"source", left.Source, "query_id", left.ID, "user", left.User, "since", left.Since, "error", o.why)
		left.of.done(left.runningQuery)
	}
	if ended := all - len(o.left); ended > 0 {
		s.log.InfoContext(ctx, "statements that a killed process had left were ended on their servers", "statements", ended)
	}
}

// orphan is a statement of a process that is gone.
type orphan struct {
	runningQuery
	of leftover
}

// orphans are those that have not ended yet.
type orphans struct {
	service *Service
	found   []leftover
	left    []orphan

	mu   sync.Mutex
	open map[string]*trino.Clusters // by source
	why  error                      // of the last failure
}

// round tries to end each statement once.
func (o *orphans) round(ctx context.Context) {
	var mu sync.Mutex
	var left []orphan
	var work errgroup.Group
	work.SetLimit(endingAtATime)
	for _, q := range o.left {
		work.Go(func() error {
			err := o.end(ctx, q)
			if err == nil {
				q.of.done(q.runningQuery)
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			left, o.why = append(left, q), err
			return nil
		})
	}
	_ = work.Wait() // no error is returned above
	o.left = left
}

func (o *orphans) end(ctx context.Context, q orphan) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	engine, err := o.engine(ctx, q.Source)
	if err != nil {
		return err
	}
	return engine.EndQuery(ctx, q.ID, q.User)
}

// engine opens the connections to the servers of a source; no statement runs on it, so
// that it takes none of the places of those that do.
func (o *orphans) engine(ctx context.Context, name string) (*trino.Clusters, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if e := o.open[name]; e != nil {
		return e, nil
	}
	g, err := o.service.deps.Sources.Current(name)
	if err != nil {
		return nil, err
	}
	if g.Engine != source.EngineTrino {
		return nil, errors.New("the source is not on Trino any more")
	}
	config := trino.ConfigOf(g)
	config.Log = o.service.log
	e, err := trino.OpenClusters(ctx, config)
	if err != nil {
		return nil, err
	}
	o.open[name] = e
	return e, nil
}

func (o *orphans) close() {
	for _, e := range o.open {
		_ = e.Close() // nothing runs there
	}
	for _, l := range o.found {
		l.release()
	}
}

// noteIn has an engine on Trino keep its statements in the journal.
func noteIn(j journal, name string, clock func() time.Time, c *trino.Config) {
	c.Began = func(id, user string) { j.began(runningQuery{ID: id, Source: name, User: user, Since: clock()}) }
	c.Ended = j.ended
}
