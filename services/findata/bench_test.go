package findata

import (
	"testing"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/source"
)

// BenchmarkFirstDiscover is a cold service: read the catalog, index it, answer.
func BenchmarkFirstDiscover(b *testing.B) {
	dir, err := demoStore()
	require.NoError(b, err)
	store, err := source.Open(dir)
	require.NoError(b, err)
	for b.Loop() {
		s, err := New(Config{}, Deps{Sources: store, DataDir: b.TempDir()})
		require.NoError(b, err)
		discover(b, s, "ann", &findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore over the past 30 days"})
		require.NoError(b, s.Close())
	}
}

// BenchmarkDiscover is a warm one.
func BenchmarkDiscover(b *testing.B) {
	s := demoService(b, nil)
	for b.Loop() {
		discover(b, s, "ann", &findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore over the past 30 days"})
	}
}
