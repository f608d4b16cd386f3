package sqlite

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
)

// checkpointEvery is the number of commits after which the write-ahead log is
// copied into the database, and autoCheckpoint that of pages after which a commit
// does it by itself because the copying fell behind.
const (
	checkpointEvery = 256
	autoCheckpoint  = 16_000
)

// copier copies the write-ahead log into the database beside the turns: the disk
// is waited for by nobody who waits for an answer.
type copier struct {
	db      *sql.DB // one connection, not the one that writes
	commits atomic.Int64
	at      atomic.Bool // work
	done    sync.WaitGroup
}

// committed counts a commit and begins to copy when it is time.
func (c *copier) committed(fault func(error)) {
	if c.commits.Add(1)%checkpointEvery != 0 || !c.at.CompareAndSwap(false, true) {
		return
	}
	c.done.Go(func() {
		defer c.at.Store(false)
		// What another connection still reads stays for the next time.
		if _, err := c.db.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)"); err != nil {
			fault(err)
		}
	})
}
