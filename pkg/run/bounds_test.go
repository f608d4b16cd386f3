package run

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRecordsKeepToTheirBound: whatever is recorded, and however it grows, the records
// fit into the bound, none is there without its parent, and none is lost uncounted.
func TestRecordsKeepToTheirBound(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	cut, whole := 0, 0
	for range 300 {
		most := 400 + random.IntN(3_000)
		r := NewRecorder(most)
		var kept []*entry
		n := 1 + random.IntN(20)
		for i := range n {
			rec := Record{RunID: "run_" + strconv.Itoa(i), Name: strings.Repeat("n", random.IntN(60))}
			if i > 0 {
				rec.ParentRunID = "run_" + strconv.Itoa(random.IntN(i))
			}
			kept = append(kept, r.admit(rec))
			if e := kept[random.IntN(len(kept))]; e != nil && random.IntN(2) == 0 {
				grown := e.record.clone()
				grown.Error = strings.Repeat("e", random.IntN(200))
				r.update(e, grown)
			}
		}
		records, dropped := r.Records()
		require.Equal(t, n, len(records)+dropped)
		size, here := 0, map[string]bool{"": true}
		for _, rec := range records {
			require.True(t, here[rec.ParentRunID], "a record without its parent")
			here[rec.RunID] = true
			size += rec.size()
		}
		require.LessOrEqual(t, size, most)
		total := 0
		for _, e := range kept {
			if e == nil {
				total = most + 1
				break
			}
			total += e.size
		}
		if total <= most {
			require.Zero(t, dropped, "all fit")
			whole++
		} else {
			cut++
		}
	}
	require.Greater(t, cut, 50)
	require.Greater(t, whole, 50)
}
