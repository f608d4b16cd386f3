package lsa

import (
	"math"

	"github.com/cespare/xxhash/v2"
)

// piece is a run of characters of a word, by its bucket, with its share of the
// word.
type piece struct {
	bucket int32
	weight float32
}

// pieces returns the runs of ShortestPiece to LongestPiece characters of a word
// with a mark before and after it. Together their weights have length one, so that
// long words do not count more than short ones.
func pieces(word string, cfg Config) []piece {
	marked := []rune("^" + word + "$")
	var out []piece
	for size := cfg.ShortestPiece; size <= min(cfg.LongestPiece, len(marked)); size++ {
		for i := 0; i+size <= len(marked); i++ {
			h := xxhash.Sum64String(string(marked[i : i+size]))
			out = append(out, piece{bucket: int32(h % uint64(cfg.Buckets))})
		}
	}
	weight := float32(1 / math.Sqrt(float64(max(1, len(out)))))
	for i := range out {
		out[i].weight = weight
	}
	return out
}
