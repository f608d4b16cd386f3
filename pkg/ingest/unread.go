package ingest

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
)

// maxUnreadRunes bounds what is kept of one value or line.
const maxUnreadRunes = 1000

// unreadText is something of a file that is not in its table as it was written.
type unreadText struct {
	table  string
	line   int
	column string // empty: the whole line
	text   string
	why    string
}

// unreadStore keeps such texts, up to a bound.
type unreadStore struct {
	max     int
	texts   []unreadText
	dropped int
}

func (u *unreadStore) keep(t unreadText) {
	if len(u.texts) >= u.max {
		u.dropped++
		return
	}
	t.text = lang.Shorten(t.text, maxUnreadRunes)
	u.texts = append(u.texts, t)
}

// keepUnread makes the table with what could not be read, where there is any. Its
// columns have names that questions about data do not.
func (b *builder) keepUnread(ctx context.Context) error {
	if len(b.unread.texts) == 0 {
		return nil
	}
	t := b.declare(catalog.UnreadSchema, catalog.UnreadTable, "", b.options.Clock())
	if t == nil {
		return nil
	}
	t.Description = "What the files hold that could not be read into their tables"
	columns := make([]*column, 0, 5)
	for _, name := range []string{"unread_table", "unread_line", "unread_column", "unread_text", "unread_reason"} {
		c := newColumn(name, nil)
		if name == "unread_line" {
			c.typ.kind = kindBigint
		}
		columns = append(columns, c)
	}
	if err := b.create(ctx, t, columns); err != nil {
		return err
	}
	if err := b.appendRows(ctx, t, func(add func([]driver.Value) error) error {
		for _, u := range b.unread.texts {
			var column driver.Value
			if u.column != "" {
				column = u.column
			}
			if err := add([]driver.Value{u.table, int64(u.line), column, validText(u.text).text, u.why}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	b.done(t, int64(len(b.unread.texts)), 0)
	if b.unread.dropped > 0 {
		b.problem(Problem{Kind: KindNote, Message: fmt.Sprintf("%d more texts that could not be read are not kept: at most %d (MaxUnread)", b.unread.dropped, b.options.MaxUnread)})
	}
	return nil
}
