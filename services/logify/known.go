package logify

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/services/logify/backend"
	"github.com/dibrain/dibrain/services/logify/drain"
	"github.com/dibrain/dibrain/services/logify/guard"
	"github.com/dibrain/dibrain/services/logify/rules"
)

// knowledge keeps what is known of the logs of each scope for a while. People of one
// scope see the same streams, so they share it.
type knowledge struct {
	service *Service
	most    int
	keep    time.Duration

	flight singleflight.Group
	mu     sync.Mutex
	byKey  map[string]kept
}

type kept struct {
	known  *rules.Known
	labels []backend.Label
	until  time.Time
	// masks hid secrets from what is known: others may hide more.
	masks *guard.Masks
}

func newKnowledge(s *Service, c Config) *knowledge {
	return &knowledge{service: s, most: c.MaxScopes, keep: c.KnownFor, byKey: map[string]kept{}}
}

// of returns what is known of the logs of a scope.
func (k *knowledge) of(ctx context.Context, scope backend.Scope, masks *guard.Masks, now time.Time) (kept, error) {
	key := scope.Tenant + "\x00" + logql.Print(&logql.LogExpr{Matchers: scope.Streams})
	k.mu.Lock()
	have, ok := k.byKey[key]
	k.mu.Unlock()
	if ok && have.masks == masks && now.Before(have.until) {
		return have, nil
	}
	// Who asks first may go away: the others still want the answer.
	ch := k.flight.DoChan(fmt.Sprintf("%p %s", masks, key), func() (any, error) { return k.learn(context.WithoutCancel(ctx), key, scope, masks, now) })
	select {
	case <-ctx.Done():
		return kept{}, context.Cause(ctx)
	case r := <-ch:
		if r.Err != nil {
			return kept{}, r.Err
		}
		return r.Val.(kept), nil
	}
}

func (k *knowledge) learn(ctx context.Context, key string, scope backend.Scope, masks *guard.Masks, now time.Time) (kept, error) {
	// A request has logify.timeout, all that are needed here together twice as much.
	most := 2 * k.service.config.Timeout
	ctx, cancel := context.WithTimeoutCause(ctx, most, backend.TooSlow(most))
	defer cancel()
	labels, err := k.service.source.Labels(ctx, scope, now)
	if err != nil {
		return kept{}, err
	}
	sample, err := k.service.source.Sample(ctx, scope, labels, now)
	if err != nil {
		return kept{}, err
	}
	// What is learnt of lines may come up in queries, so that secrets must not be in it.
	sample = sample[max(0, len(sample)-k.service.config.SampleLines):]
	masked := make([]logql.Entry, len(sample))
	for i, e := range sample {
		masked[i] = masks.Entry(e)
		masked[i].Line = varying(e.Line, masked[i].Line)
	}
	names := make([]rules.Label, len(labels))
	for i, l := range labels {
		names[i] = rules.Label{Name: l.Name, Values: l.Values}
	}
	made := kept{rules.NewKnown(names, masked, drain.Config{}), labels, now.Add(k.keep), masks}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.byKey) >= k.most {
		k.forget(now)
	}
	k.byKey[key] = made
	return made, nil
}

// forget drops what is too old, or what is the oldest.
func (k *knowledge) forget(now time.Time) {
	oldest := ""
	for key, have := range k.byKey {
		if !now.Before(have.until) {
			delete(k.byKey, key)
		} else if oldest == "" || have.until.Before(k.byKey[oldest].until) {
			oldest = key
		}
	}
	if len(k.byKey) >= k.most {
		delete(k.byKey, oldest)
	}
}

// varying writes a word with a digit where a line was masked, as such words are no
// text that the lines have in common. A line whose words are no longer the same in
// number is left out.
func varying(line, masked string) string {
	if line == masked {
		return line
	}
	was, is := strings.Fields(line), strings.Fields(masked)
	if len(was) != len(is) {
		return ""
	}
	for i := range is {
		if was[i] != is[i] {
			is[i] = "0"
		}
	}
	return strings.Join(is, " ")
}
