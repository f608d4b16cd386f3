package lsa

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// matrix is dense, its rows one after the other.
type matrix struct {
	cols int
	data []float32
}

func newMatrix(rows, cols int) matrix { return matrix{cols: cols, data: make([]float32, rows*cols)} }

func (m matrix) rows() int {
	if m.cols == 0 {
		return 0
	}
	return len(m.data) / m.cols
}

func (m matrix) row(i int) []float32 { return m.data[i*m.cols : (i+1)*m.cols : (i+1)*m.cols] }

// add adds factor times x to sum.
func add(sum []float32, factor float32, x []float32) {
	blas32.Axpy(factor, blas32.Vector{N: len(x), Data: x, Inc: 1}, blas32.Vector{N: len(sum), Data: sum, Inc: 1})
}

// sparse holds the entries of a matrix that are not zero, row by row.
type sparse struct {
	start []uint32 // of a row; one more than there are rows
	col   []int32
	value []float32
	cols  int
}

func (s *sparse) rows() int { return len(s.start) - 1 }

// times returns s·x. Rows are shared out to workers; each is added up in the same
// order for any number of them.
func (s *sparse) times(x matrix, workers int) matrix {
	out := newMatrix(s.rows(), x.cols)
	share(s.rows(), workers, func(from, to int) {
		for i := from; i < to; i++ {
			row := out.row(i)
			for k := s.start[i]; k < s.start[i+1]; k++ {
				add(row, s.value[k], x.row(int(s.col[k])))
			}
		}
	})
	return out
}

// transposed returns the same entries by column.
func (s *sparse) transposed() *sparse {
	t := &sparse{start: make([]uint32, s.cols+1), col: make([]int32, len(s.col)), value: make([]float32, len(s.value)), cols: s.rows()}
	for _, c := range s.col {
		t.start[c+1]++
	}
	for c := range s.cols {
		t.start[c+1] += t.start[c]
	}
	next := append([]uint32(nil), t.start...)
	for i := range s.rows() {
		for k := s.start[i]; k < s.start[i+1]; k++ {
			at := next[s.col[k]]
			next[s.col[k]]++
			t.col[at], t.value[at] = int32(i), s.value[k]
		}
	}
	return t
}

// share cuts 0..n-1 into runs, one a worker, and waits for all.
func share(n, workers int, do func(from, to int)) {
	workers = max(1, min(workers, n))
	var done sync.WaitGroup
	for w := 1; w < workers; w++ {
		done.Go(func() { do(n*w/workers, n*(w+1)/workers) })
	}
	do(0, n/workers)
	done.Wait()
}

// gramBlock is how many rows are added up in single precision before they are
// added to the sums in double precision.
const gramBlock = 256

// gram returns mᵀ·m.
func (m matrix) gram() *mat.SymDense {
	n := m.cols
	sums := make([]float64, n*n)
	part := blas32.Symmetric{N: n, Stride: n, Uplo: 'U', Data: make([]float32, n*n)}
	for from := 0; from < m.rows(); from += gramBlock {
		rows := min(gramBlock, m.rows()-from)
		block := blas32.General{Rows: rows, Cols: n, Stride: n, Data: m.data[from*n : (from+rows)*n]}
		blas32.Syrk('T', 1, block, 0, part)
		for i := range n {
			for j := i; j < n; j++ {
				sums[i*n+j] += float64(part.Data[i*n+j])
			}
		}
	}
	return mat.NewSymDense(n, sums)
}

// tiny is the share of the strongest direction below which a direction is noise.
const tiny = 1e-9

// directions returns the factors that turn the columns of m into at most limit
// orthonormal ones, the strongest first; fewer where m has no more.
func (m matrix) directions(limit int) (matrix, bool) {
	var eigen mat.EigenSym
	if !eigen.Factorize(m.gram(), true) {
		return matrix{}, false
	}
	values := eigen.Values(nil) // ascending
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	n, kept := m.cols, 0
	for kept < min(limit, n) && values[n-1-kept] > tiny*values[n-1] {
		kept++
	}
	out := newMatrix(n, kept)
	for j := range kept {
		at := n - 1 - j
		scale := 1 / math.Sqrt(values[at])
		sign := signOf(&vectors, at)
		for i := range n {
			out.row(i)[j] = float32(sign * scale * vectors.At(i, at))
		}
	}
	return out, kept > 0
}

// signOf makes a direction's largest entry positive: a decomposition may turn
// directions round.
func signOf(vectors *mat.Dense, column int) float64 {
	var largest float64
	for i := range vectors.RawMatrix().Rows {
		if v := vectors.At(i, column); math.Abs(v) > math.Abs(largest) {
			largest = v
		}
	}
	if largest < 0 {
		return -1
	}
	return 1
}

// dense returns m·x.
func (m matrix) dense(x matrix, workers int) matrix {
	out := newMatrix(m.rows(), x.cols)
	share(m.rows(), workers, func(from, to int) {
		blas32.Gemm('N', 'N', 1,
			blas32.General{Rows: to - from, Cols: m.cols, Stride: m.cols, Data: m.data[from*m.cols : to*m.cols]},
			blas32.General{Rows: x.rows(), Cols: x.cols, Stride: x.cols, Data: x.data}, 0,
			blas32.General{Rows: to - from, Cols: x.cols, Stride: x.cols, Data: out.data[from*x.cols : to*x.cols]})
	})
	return out
}
