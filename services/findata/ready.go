package findata

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/rpc"
)

// Ready says whether questions about the sources can be answered: not before the index
// of each stands, for a search would wait for it. What costs quality and not service,
// such as one source that cannot be indexed or a search server that is away, is told
// and leaves the service ready.
func (s *Service) Ready(ctx context.Context) error {
	names, err := s.deps.Sources.Names()
	if err != nil {
		return err
	}
	slices.SortStableFunc(names, func(a, b string) int { return s.order(a) - s.order(b) })
	names = names[:min(len(names), s.config().MaxOpen)]
	indexing, failed := s.library.Prepare(names)
	var told []error
	for _, name := range slices.Sorted(maps.Keys(failed)) {
		told = append(told, fmt.Errorf("source %q is not indexed: %w", name, failed[name]))
	}
	switch {
	case len(indexing) > 0:
		return errors.Join(append(told, fmt.Errorf("being indexed for the first time: %s", strings.Join(indexing, ", ")))...)
	case len(names) > 0 && !slices.ContainsFunc(names, s.library.Stands):
		return errors.Join(told...)
	}
	for _, name := range names {
		for _, l := range s.backend.Status(ctx, name) {
			if !l.Serving {
				told = append(told, fmt.Errorf("source %q: %s do not come from %s since %s (%s)", name, l.List, l.Backend, l.Since.UTC().Format(time.RFC3339), l.Reason))
			}
		}
	}
	return rpc.Degraded(errors.Join(told...))
}

// order puts the default source first.
func (s *Service) order(name string) int {
	if name == s.config().DefaultSource {
		return 0
	}
	return 1
}
