package schema

import (
	"context"
	"errors"
	"time"

	sqlite3 "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/dibrain/dibrain/pkg/pause"
)

// Primary masks SQLite's codes: the lower byte is the class, the rest the case.
const Primary = 0xff

// retryPause lies between two tries to open a file while another process opens it for the
// first time, or closes it as the last: SQLite says busy then without waiting for the busy
// timeout.
const retryPause = 20 * time.Millisecond

// Busy reports whether an error says that another connection uses the file.
func Busy(err error) bool {
	var driver *sqlite3.Error
	return errors.As(err, &driver) && (driver.Code()&Primary == lib.SQLITE_BUSY || driver.Code()&Primary == lib.SQLITE_LOCKED)
}

// WhileBusy tries, and tries again until ctx ends while the file is busy.
func WhileBusy(ctx context.Context, try func() error) error {
	for {
		err := try()
		if !Busy(err) || pause.For(ctx, retryPause) != nil {
			return err
		}
	}
}
