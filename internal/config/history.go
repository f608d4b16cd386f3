package config

import (
	"fmt"

	"github.com/dibrain/dibrain/pkg/ingest/history"
)

// check finds bounds that cannot be kept to.
func (h History) check() error {
	for _, bound := range []struct {
		key   string
		value int64
	}{
		{"keep_days", int64(h.KeepDays)}, {"flush_every", int64(h.FlushEvery)}, {"max_pending", int64(h.MaxPending)},
		{"max_event_bytes", int64(h.MaxEvent)}, {"max_templates", int64(h.MaxTemplates)}, {"max_words", int64(h.MaxWords)},
	} {
		if bound.value < 1 {
			return fmt.Errorf("history.%s is %d: it has to be above 0", bound.key, bound.value)
		}
	}
	return nil
}

// Options returns what package history is asked for.
func (h History) Options() history.Options {
	return history.Options{
		NoUsers: !h.Users, NoShapes: !h.Shapes, Exclude: h.Exclude, KeepDays: h.KeepDays,
		MaxEvent: h.MaxEvent, MaxTemplates: h.MaxTemplates, MaxWords: h.MaxWords,
	}
}
