package vector

import "gonum.org/v1/gonum/blas/blas32"

// dot is the inner product of two vectors of the same dimension, four
// multiplications at a time where the processor can. The additions have always
// the same order, and so the result is always the same.
func dot(a, b []float32) float32 {
	return blas32.Dot(blas32.Vector{N: len(a), Data: a, Inc: 1}, blas32.Vector{N: len(b), Data: b, Inc: 1})
}
