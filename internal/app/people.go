package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/internal/state"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/services/router"
)

// personPiece is the size of a piece of an export, in bytes.
const personPiece = 64 << 10

// people exports and deletes what the stores of this process's configuration keep of a person.
type people struct {
	state.People
	dir  string // of the file that an export is before it is sent
	most int64  // bytes of an export
}

func (a *App) people() (people, error) {
	files, err := ResultFiles(a.config, a.options.Clock, a.meter)
	if err != nil {
		return people{}, err
	}
	p := state.People{Config: a.config, Files: files, Program: a.options.Version, Clock: a.options.Clock}
	if a.config.Store.Kind == config.StorePostgres {
		p.Database = Postgres(a.config.Store)
		p.Database.Clock, p.Database.Log = a.options.Clock, a.options.Logger
	}
	return people{People: p, dir: a.config.DataDir, most: a.config.Export.MaxBytes}, nil
}

// bounded ends an export that is larger than one may be.
type bounded struct {
	to   io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, state.ErrTooLarge
	}
	return b.to.Write(p)
}

// Export implements router.People. The export is a file first, so that a slow reader keeps no
// transaction open, and nothing is sent of one that fails.
func (p people) Export(ctx context.Context, principal string, send func([]byte) error) (err error) {
	file, err := os.CreateTemp(p.dir, ".person-*")
	if err != nil {
		return fmt.Errorf("make the file of an export: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	if _, err := p.People.Export(ctx, principal, &bounded{to: file, left: p.most}); errors.Is(err, state.ErrTooLarge) {
		return fault.New(codes.ResourceExhausted, "PERSON_EXPORT_TOO_LARGE", fmt.Sprintf(
			"What is kept of %s has more than %d bytes (export.max_bytes). Have an operator run `dibrain person export`, which has no such limit.", principal, p.most))
	} else if err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	for {
		piece := make([]byte, personPiece) // one each: the last may be on its way still
		n, err := file.Read(piece)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := send(piece[:n]); err != nil {
			return err
		}
	}
}

// Delete implements router.People.
func (p people) Delete(ctx context.Context, principal string) ([]router.PersonRows, error) {
	counts, err := p.People.Delete(ctx, principal)
	deleted := make([]router.PersonRows, len(counts))
	for i, c := range counts {
		deleted[i] = router.PersonRows{Store: c.Store, Table: c.Table, Rows: c.Rows, Names: c.Names}
	}
	return deleted, err
}
