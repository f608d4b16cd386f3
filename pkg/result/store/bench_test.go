package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/result/store/objects"
	"github.com/dibrain/dibrain/pkg/result/store/objects/objectstest"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

// BenchmarkPutAtTheBound keeps a small result in object storage where there are as many as
// there may be, over PostgreSQL.
func BenchmarkPutAtTheBound(b *testing.B) {
	for _, kept := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(kept), func(b *testing.B) {
			dsn := postgrestest.DSN(b)
			schema, err := store.PostgresSchema()
			require.NoError(b, err)
			db, err := postgres.OpenDatabase(b.Context(), postgres.Config{DSN: func() (string, error) { return dsn, nil }, MaxConnections: 4}, schema)
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, db.Close()) })
			files, err := objects.New(objectstest.New(b).Config(""))
			require.NoError(b, err)
			c := &clock{}
			c.advance(1_795_132_800_000_000_000)
			s, err := store.Open(b.Context(), store.Config{Database: db, Files: files, MaxAge: 1 << 60, MaxBytes: 1 << 40, MaxResults: kept, MaxOwnResults: kept, Clock: c.read})
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, s.Close()) })
			_, err = s.Put(b.Context(), alice, numbers(1))
			require.NoError(b, err)
			postgrestest.Exec(b, dsn, fmt.Sprintf(`INSERT INTO results SELECT 'res_' || i, 'p' || i %% 200, 1, '[]', 0, false, 1000 FROM generate_series(1, %d) AS i`, kept), `ANALYZE results`)
			for b.Loop() {
				_, err := s.Put(b.Context(), alice, numbers(10))
				require.NoError(b, err)
			}
		})
	}
}
