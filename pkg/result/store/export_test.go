package store

import "context"

// Sign has the process of a store over PostgreSQL give a sign of life.
func Sign(ctx context.Context, s *Store) error { return s.index.(*postgresIndex).sign(ctx) }
