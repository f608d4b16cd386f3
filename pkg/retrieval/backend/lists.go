package backend

import (
	"context"
	"errors"
	"slices"

	"github.com/dibrain/dibrain/pkg/retrieval/elastic"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// looker tells how a list is.
type looker interface {
	look(ctx context.Context) Status
}

// embedded is a list in this process, which is always there.
type embedded struct{ Status }

func (e embedded) look(context.Context) Status { return e.Status }

// know notes a list of a source; one of the same kind that was there before is of an
// older generation and answers no new question.
func (b *Backend) know(source string, list looker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kind := kindOf(list)
	b.lists[source] = append(slices.DeleteFunc(b.lists[source], func(l looker) bool { return kindOf(l) == kind }), list)
}

// forget drops a list that was closed, unless a newer one has taken its place.
func (b *Backend) forget(source string, list looker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lists[source] = slices.DeleteFunc(b.lists[source], func(l looker) bool { return l == list })
}

func kindOf(list looker) string {
	switch l := list.(type) {
	case *guarded[*elastic.Index]:
		return l.list
	case *guarded[*onServer]:
		return l.list
	case embedded:
		return l.List
	}
	return ""
}

// Status says which lists a source's searches are made of, and how they are: lists on
// servers are asked, at most every findata.search.probe_after.
func (b *Backend) Status(ctx context.Context, source string) []Status {
	b.mu.Lock()
	lists := slices.Clone(b.lists[source])
	b.mu.Unlock()
	all := make([]Status, 0, len(lists))
	for _, l := range lists {
		all = append(all, l.look(ctx))
	}
	return all
}

// words is a guarded lexical index.
type words struct {
	b      *Backend
	source string
	on     *guarded[*elastic.Index]
}

// Search implements lexical.Index.
func (w words) Search(ctx context.Context, q lexical.Query) (hits []lexical.Hit, err error) {
	err = w.on.ask(ctx, func(ctx context.Context, x *elastic.Index) error {
		answered := w.b.deps.Meter.Ask(ctx, meter.Elasticsearch, meter.OpSearch)
		hits, err = x.Search(ctx, q)
		answered(meter.ResultOf(err))
		return err
	})
	return hits, err
}

// Close implements lexical.Index.
func (w words) Close() error {
	w.b.forget(w.source, w.on)
	return w.on.close()
}

// onServer finds vectors with the help of a server: one that searches them, one that
// makes them of questions, or both.
type onServer struct {
	finder *vector.Finder
	count  func(ctx context.Context) (int, error)
	// check asks what makes vectors of questions; nil: that is in this process.
	check func(ctx context.Context) error
}

// Check tells whether questions get vectors again: Count does not need any.
func (o *onServer) Check(ctx context.Context) error {
	if o.check == nil {
		return nil
	}
	return o.check(ctx)
}

// Count implements held.
func (o *onServer) Count(ctx context.Context) (int, error) { return o.count(ctx) }

// Close implements held.
func (o *onServer) Close() error { return o.finder.Close() }

// vectors is a guarded retrieval.Finder.
type vectors struct {
	b      *Backend
	source string
	on     *guarded[*onServer]
}

// Find implements retrieval.Finder.
func (v vectors) Find(ctx context.Context, a vector.Ask) (hits []vector.Hit, err error) {
	err = v.on.ask(ctx, func(ctx context.Context, o *onServer) error {
		hits, err = o.finder.Find(ctx, a)
		return err
	})
	return hits, err
}

// Close implements retrieval.Finder.
func (v vectors) Close() error {
	v.b.forget(v.source, v.on)
	return v.on.close()
}

// Check asks every server that is configured whether it answers, for whoever looks
// after an installation. The names of those that do are in answers, with nil.
func Check(ctx context.Context, cfg Config, deps Deps) (answers map[string]error, err error) {
	b, err := Open(ctx, cfg, deps)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	answers = make(map[string]error)
	bounded := func(ask func(ctx context.Context) error) error {
		ctx, cancel := context.WithTimeout(ctx, b.cfg.Budget)
		defer cancel()
		return ask(ctx)
	}
	if b.elastic != nil {
		answers["Elasticsearch"] = bounded(b.elastic.Ping)
	}
	if b.milvus != nil {
		answers["Milvus"] = bounded(b.milvus.Ping)
	}
	if b.embed != nil {
		answers["the endpoint of embeddings"] = bounded(func(ctx context.Context) error {
			_, err := b.embed.Questions().Embed(ctx, []string{"orders"})
			return err
		})
	}
	return answers, nil
}

// measuredIndex tells the meter of searches on Milvus.
type measuredIndex struct {
	vector.Index
	meter *meter.Set
}

// Search implements vector.Index.
func (m measuredIndex) Search(ctx context.Context, q vector.Query) ([]vector.Hit, error) {
	answered := m.meter.Ask(ctx, meter.Milvus, meter.OpSearch)
	hits, err := m.Index.Search(ctx, q)
	answered(meter.ResultOf(err))
	return hits, err
}
