package ingest

import (
	"context"

	"github.com/dibrain/dibrain/pkg/ingest/keys"
)

// links marks keys and references that nobody declared and the data bear out, and
// reports them: without keys no two tables can be joined.
func (b *builder) links(ctx context.Context) error {
	notes, err := keys.Find(ctx, b.conn, b.tables, b.options.Keys)
	if err != nil {
		return err
	}
	for _, note := range notes {
		b.problem(Problem{Kind: KindNote, Message: note})
	}
	return nil
}
