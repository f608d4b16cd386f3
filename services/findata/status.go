package findata

import (
	"context"
	"time"

	"github.com/dibrain/dibrain/pkg/retrieval/backend"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/findata/memory"
)

// indexStatus is what is indexed of a source, and what comes of it.
type indexStatus struct {
	Tables     int
	Generation string
	BuiltAt    time.Time
	Bytes      int64
	Use        memory.Figures
	Lost       []source.Lost // what the last ingest could not read
	Knowledge  []string      // knowledge bases beside the tables
	Lists      []backend.Status
}

func (s *Service) indexStatus(ctx context.Context, name string) (indexStatus, error) {
	if err := requireAdmin(ctx, "see the state of an index"); err != nil {
		return indexStatus{}, err
	}
	d, err := s.open(ctx, name)
	if err != nil {
		return indexStatus{}, err
	}
	defer d.release()
	figures, err := s.memory.Use(ctx, "", d.source)
	if err != nil { // the index is what is asked for: the figures are left out
		s.deps.Log.WarnContext(ctx, "status of an index without what use shows", "error", err)
	}
	s.deps.Meter.Rates(ctx, d.source, figures.ClickRate(), figures.AcceptanceRate())
	var names []string
	for _, b := range s.newSearch(ctx, d, query{}, nil).bases(ctx) {
		names = append(names, b.Name())
	}
	return indexStatus{
		Knowledge: names,
		Tables:    d.volume.Index.Len(), Generation: d.volume.Manifest.Generation, BuiltAt: d.volume.Manifest.CreatedAt,
		Bytes: d.volume.Bytes, Use: figures, Lost: d.volume.Manifest.Lost, Lists: s.backend.Status(ctx, d.source),
	}, nil
}
