package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Abandon ends a store as the death of its process does: nothing is said to anybody.
func (s *Store) Abandon(ctx context.Context) error {
	s.stop()
	s.beating.Wait()
	s.closed.Store(true)
	err := s.life.Close(ctx)
	s.pool.Close()
	s.packer.Close()
	return err
}

// InTx runs f as the store runs a write.
func (s *Store) InTx(ctx context.Context, f func(context.Context, pgx.Tx) error) error {
	return s.writing(ctx, "test", f)
}

// AtWall measures the database's clock against another clock, and returns the store's time.
func (s *Store) AtWall(ctx context.Context, wall func() time.Time) (time.Time, error) {
	s.starting <- struct{}{}
	defer func() { <-s.starting }()
	s.wall, s.cfg.Clock = wall, wall
	err := s.sign(ctx)
	return time.Unix(0, s.now()), err
}

// Fault is what an error of the database is turned into.
func (s *Store) Fault(err error) error { return s.fault("test", err) }
