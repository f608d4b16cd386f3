package explain

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// cellsOfPart is how many cells are worked on at a time.
const cellsOfPart = 4096

// mostWorkers bounds how many processors one change takes: others ask too.
const mostWorkers = 4

// workers is how many work on so many pieces at once.
func workers(pieces int) int { return max(min(runtime.GOMAXPROCS(0), mostWorkers, pieces), 1) }

// each does the work of n pieces, several at once, and returns when all is done. worker, below
// workers(n), is a number that no two have at the same time. The pieces may not depend on one
// another, so that what comes out is the same however many work.
func each(n int, work func(worker, piece int)) {
	several := workers(n)
	if several == 1 {
		for piece := range n {
			work(0, piece)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for worker := range several {
		wait.Go(func() {
			for {
				piece := int(next.Add(1)) - 1
				if piece >= n {
					return
				}
				work(worker, piece)
			}
		})
	}
	wait.Wait()
}
