// Package sketch holds the approximations that Presto's aggregates make: how many
// different values there are, and percentiles. They are computed as Trino computes
// them from rows that come in one piece, so that they are the same numbers; where
// Trino puts together what several workers have found, its own depend on how the
// table is split among them.
package sketch

import (
	_ "embed"
	"encoding/binary"
	"math"
	"math/bits"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// DefaultError is the standard error of approx_distinct without its own.
const DefaultError = 0.023

// Bounds of the standard error that approx_distinct takes.
const (
	MinError = 0.0040625
	MaxError = 0.26
)

// RegisterBits returns the logarithm of the number of registers that keep the
// standard error; ok is false out of bounds.
func RegisterBits(standardError float64) (p int, ok bool) {
	if !(standardError >= MinError && standardError <= MaxError) {
		return 0, false
	}
	registers := math.Ceil(1.0816 / (standardError * standardError)) // Flajolet: 1.04 / sqrt(registers)
	return bits.Len(uint(registers - 1)), true
}

// sparseBits is how much of a hash is kept while there are few of them.
const sparseBits = 26

// Distinct estimates the number of different hashes with 2^p registers.
func Distinct(hashes []uint64, p int) int64 {
	seen := make(map[uint64]struct{}, min(len(hashes), 4096))
	for _, h := range hashes {
		if seen[h>>(64-sparseBits)] = struct{}{}; len(seen) > sparseEntries(p) {
			return dense(hashes, p)
		}
	}
	buckets := float64(uint64(1) << sparseBits)
	return int64(math.Round(linear(buckets-float64(len(seen)), buckets)))
}

// sparseEntries is how many hashes are kept as they are: a list that grows by ten
// gives way to registers of half a byte when it would take more memory.
func sparseEntries(p int) int {
	const listHead, registersHead, entry, step = 40, 56, 4, 10
	most := (registersHead + (1<<p)/2 - listHead) / entry
	return 1 + (most-1)/step*step
}

func linear(empty, all float64) float64 { return all * math.Log(all/empty) }

func dense(hashes []uint64, p int) int64 {
	registers := make([]uint8, 1<<p)
	for _, h := range hashes {
		rank := uint8(bits.LeadingZeros64(h<<p|1<<(p-1))) + 1
		registers[h>>(64-p)] = max(registers[h>>(64-p)], rank)
	}
	empty, sum := 0.0, 0.0
	for _, r := range registers {
		if r == 0 {
			empty++
		}
		sum += 1 / float64(uint64(1)<<r)
	}
	n := float64(len(registers))
	if empty > 0.4*n {
		return int64(math.Round(linear(empty, n)))
	}
	return int64(math.Round(corrected(alpha(p)*n*n/sum, p)))
}

func alpha(p int) float64 {
	switch p {
	case 4:
		return 0.673
	case 5:
		return 0.697
	case 6:
		return 0.709
	}
	return 0.7213 / (1 + 1.079/float64(uint64(1)<<p))
}

// corrected takes the known bias away from an estimate.
func corrected(raw float64, p int) float64 {
	table := biases()[p]
	n := len(table.estimates)
	if n == 0 || raw < table.estimates[0] || raw > table.estimates[n-1] {
		return raw
	}
	i := sort.SearchFloat64s(table.estimates, raw)
	if table.estimates[i] == raw {
		return raw - table.biases[i]
	}
	x0, y0, x1, y1 := table.estimates[i-1], table.biases[i-1], table.estimates[i], table.biases[i]
	return raw - ((raw-x0)*(y1-y0)/(x1-x0) + y0)
}

//go:embed bias.tsv
var biasFile string

type biasTable struct{ estimates, biases []float64 }

var biases = sync.OnceValue(func() map[int]biasTable {
	out := make(map[int]biasTable)
	for line := range strings.Lines(biasFile) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if p, err := strconv.Atoi(cells[0]); err == nil && len(cells) == 3 {
			out[p] = biasTable{numbers(cells[1]), numbers(cells[2])}
		}
	}
	return out
})

// HasBias reports whether the bias with 2^p registers is known.
func HasBias(p int) bool { return len(biases()[p].estimates) > 0 }

func numbers(text string) []float64 {
	var out []float64
	for _, word := range strings.Fields(text) {
		f, _ := strconv.ParseFloat(word, 64) // our own file
		out = append(out, f)
	}
	return out
}

// HashInteger hashes an integer, or what stands for a value as one, as Trino does.
func HashInteger(n int64) uint64 {
	return HashBytes(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

// HashDouble hashes a double. All NaN are one, and so are both zeros.
func HashDouble(f float64) uint64 {
	switch {
	case f == 0:
		f = 0
	case math.IsNaN(f):
		return HashInteger(0x7ff8000000000000)
	}
	return HashInteger(int64(math.Float64bits(f)))
}

// HashBytes is XXH64 with the seed 0.
func HashBytes(b []byte) uint64 { return xxhash.Sum64(b) }

// HashReal hashes a real, by the bits of it as an integer.
func HashReal(f float32) uint64 {
	switch {
	case f == 0:
		f = 0
	case f != f:
		return HashInteger(0x7fc00000)
	}
	return HashInteger(int64(int32(math.Float32bits(f))))
}
