package demo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/demo"
)

// BenchmarkMake makes the whole warehouse, and the small one of tests.
func BenchmarkMake(b *testing.B) {
	for name, scale := range map[string]float64{"full": demo.DefaultScale, "tiny": demo.TinyScale} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _, err := demo.Make(b.Context(), b.TempDir(), demo.Config{Today: today, Scale: scale})
				require.NoError(b, err)
			}
		})
	}
}
