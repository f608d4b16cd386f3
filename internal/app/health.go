package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// healthEvery is how often services are asked whether they are well.
const healthEvery = 2 * time.Second

// complaints are what services say that is wrong with them, by service.
type complaints struct {
	mu   sync.Mutex
	told map[string]error
}

// tell keeps what a service says, and reports whether it says something else than
// before: that it is unwell, or well again.
func (c *complaints) tell(service string, err error) (changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.told == nil {
		c.told = map[string]error{}
	}
	changed = (c.told[service] == nil) != (err == nil)
	c.told[service] = err
	return changed
}

// err joins what all say.
func (c *complaints) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for service, err := range c.told {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", service, err))
		}
	}
	return errors.Join(errs...)
}

// watch asks a service about its health for as long as the process works. One that
// is unwell is NOT_SERVING under its gRPC name; the process stays ready, as what else
// it serves is, and says on /readyz what is wrong.
func (a *App) watch(name, grpcName string, health func() error) {
	a.tasks = append(a.tasks, func(ctx context.Context) {
		tick := time.NewTicker(healthEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				a.look(name, grpcName, health())
			}
		}
	})
}

// look tells of a service's health where it has changed.
func (a *App) look(name, grpcName string, err error) {
	if !a.unwell.tell(name, err) {
		return
	}
	if a.inner != nil {
		a.inner.SetServiceServing(grpcName, err == nil)
	}
	if a.outer != nil {
		a.outer.SetServiceServing(grpcName, err == nil)
	}
	if err != nil {
		a.options.Logger.Error("a service is unwell", "service", name, "error", err)
		return
	}
	a.options.Logger.Info("a service is well again", "service", name)
}
