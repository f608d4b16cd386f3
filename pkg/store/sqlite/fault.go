package sqlite

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	sqlite3 "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/schema"
)

// fault turns an error of the driver into one that says what to do. Faults and
// the end of a context pass as they are.
func (s *Store) fault(doing string, err error) error {
	if err == nil {
		return nil
	}
	var own *fault.Error
	if errors.As(err, &own) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	err = fmt.Errorf("store %s: %s: %w", s.path, doing, err)
	if s.closed.Load() {
		return fault.New(codes.Unavailable, store.ReasonClosed, "The store is closed. The server is stopping; send this again to another one.").Because(err)
	}
	var driver *sqlite3.Error
	if !errors.As(err, &driver) {
		return err
	}
	unavailable := func(message string) error {
		return fault.New(codes.Unavailable, store.ReasonUnavailable, message).ForOperator("%s", s.path).Because(err)
	}
	switch driver.Code() & schema.Primary {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return s.corrupt(err)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return unavailable("Another process has been writing to the store of sessions for too long. Try again in a moment.")
	case lib.SQLITE_FULL:
		return unavailable("The disk that holds the store of sessions is full. Make room and try again; nothing stored so far is lost.")
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_CANTOPEN, lib.SQLITE_IOERR:
		return unavailable("The store of sessions cannot be written to. Check its permissions and the disk, or choose another data directory with --data-dir.")
	default:
		return err
	}
}

func (s *Store) corrupt(cause error) error {
	return fault.New(codes.DataLoss, store.ReasonCorrupt,
		"The store of sessions is damaged or not a database. Nothing was changed or deleted. Whoever operates this server can move it aside or bring back a copy.").ForOperator(
		"Stop every dibrain that uses %[1]s, move the file aside (mv %[1]s %[1]s.damaged, and the files ending in -wal and -shm with it), and start again with an empty history; a copy from a backup can take its place. `sqlite3 %[1]s.damaged .recover` may save a part.",
		s.path).Because(cause)
}
