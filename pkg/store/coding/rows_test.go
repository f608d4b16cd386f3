package coding_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/coding"
)

// row gives its values, in order, to whoever scans it.
type row []any

func (r row) Scan(to ...any) error {
	if len(to) != len(r) {
		return fmt.Errorf("%d values for %d", len(r), len(to))
	}
	for i, v := range r {
		reflect.ValueOf(to[i]).Elem().Set(reflect.ValueOf(v).Convert(reflect.TypeOf(to[i]).Elem()))
	}
	return nil
}

// TestRowsBecomeWhatTheyHold: each value of a row has its own place, times are in UTC, and
// no time is none.
func TestRowsBecomeWhatTheyHold(t *testing.T) {
	t.Parallel()
	at := func(second int) time.Time { return began.Add(time.Duration(second) * time.Second) }
	n := func(second int) int64 { return at(second).UnixNano() }
	session, err := coding.ScanSession(row{"ses_1", "title", "shop", n(1), n(2), 3})
	require.NoError(t, err)
	require.Equal(t, store.Session{ID: "ses_1", Title: "title", Source: "shop", CreatedAt: at(1), UpdatedAt: at(2), Turns: 3}, session)

	message, err := coding.ScanMessage(row{int64(7), "ses_1", "chat", "run_1", "user", "hello", n(1), `["call_1","call_2"]`, []byte("detail")})
	require.NoError(t, err)
	require.Equal(t, coding.Message{Seq: 7, Message: store.Message{SessionID: "ses_1", ChatID: "chat", RunID: "run_1", Role: "user", Content: "hello",
		CreatedAt: at(1), ToolCallIDs: []string{"call_1", "call_2"}, Detail: []byte("detail")}}, message)

	whole := row{"run_1", "run_0", "turn", "router", "failed", n(1), n(2), `{"a":"b"}`, "broke", "ses_1", "chat", "how many?", "own_1", true, n(3), "more"}
	var more string
	u, err := coding.ScanRun(whole, &more)
	require.NoError(t, err)
	require.Equal(t, "more", more)
	require.Equal(t, store.Run{
		Record:    run.Record{RunID: "run_1", ParentRunID: "run_0", Name: "turn", Service: "router", Status: run.StatusFailed, StartedAt: at(1), EndedAt: at(2), Attributes: map[string]string{"a": "b"}, Error: "broke"},
		SessionID: "ses_1", ChatID: "chat", Question: "how many?", Owner: "own_1", CancelRequested: true, StepsRemovedAt: at(3),
	}, u)
	whole[6], whole[14] = int64(0), int64(0)
	u, err = coding.ScanRun(whole[:15])
	require.NoError(t, err)
	require.True(t, u.Record.EndedAt.IsZero())
	require.True(t, u.StepsRemovedAt.IsZero())

	f, err := coding.ScanFeedback(row{"run_1", "down", "no", "SELECT 1", `["a"]`, `["b","c"]`, n(1)})
	require.NoError(t, err)
	require.Equal(t, store.Feedback{RunID: "run_1", Rating: store.RatingDown, Comment: "no", CorrectedSQL: "SELECT 1", AcceptedTables: []string{"a"}, RejectedTables: []string{"b", "c"}, CreatedAt: at(1)}, f)
}

// TestRowsThatCannotBeRead are errors, whichever part of them is damaged.
func TestRowsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	read := map[string]func(row) error{
		"session":  func(r row) error { _, err := coding.ScanSession(r); return err },
		"message":  func(r row) error { _, err := coding.ScanMessage(r); return err },
		"run":      func(r row) error { _, err := coding.ScanRun(r); return err },
		"feedback": func(r row) error { _, err := coding.ScanFeedback(r); return err },
	}
	for what, scan := range read {
		require.Error(t, scan(row{"one value"}), what)
	}
	for _, c := range []struct {
		what string
		row  row
	}{
		{"message", row{int64(7), "s", "c", "r", "user", "x", int64(1), `[`, []byte(nil)}},
		{"run", row{"r", "", "n", "s", "failed", int64(1), int64(1), `{`, "", "s", "c", "q", "", false, int64(0)}},
		{"feedback", row{"r", "up", "", "", `[`, `[]`, int64(1)}},
		{"feedback", row{"r", "up", "", "", `[]`, `[`, int64(1)}},
	} {
		require.Error(t, read[c.what](c.row), c.what)
	}
	require.NoError(t, errors.Join(read["feedback"](row{"r", "up", "", "", `[]`, `null`, int64(1)})))
}

// TestPagesOfAList: a page has as many entries as were asked for, and a token of its last
// one where there are more.
func TestPagesOfAList(t *testing.T) {
	t.Parallel()
	cursor := func(n int) store.Cursor { return store.Cursor{List: "numbers", At: int64(n)} }
	for _, c := range []struct {
		read []int
		page []int
		next bool
	}{{nil, nil, false}, {[]int{1}, []int{1}, false}, {[]int{1, 2}, []int{1, 2}, false}, {[]int{1, 2, 3}, []int{1, 2}, true}} {
		page, next := coding.Cut(c.read, 2, cursor)
		require.Equal(t, c.page, page)
		if !c.next {
			require.Empty(t, next)
			continue
		}
		after, more, err := store.ParseCursor("numbers", next)
		require.NoError(t, err)
		require.True(t, more)
		require.EqualValues(t, page[len(page)-1], after.At)
	}
}

// TestMessagesAreTurnedRound: what was read newest first comes oldest first.
func TestMessagesAreTurnedRound(t *testing.T) {
	t.Parallel()
	of := func(content string) coding.Message { return coding.Message{Message: store.Message{Content: content}} }
	require.Equal(t, []store.Message{{Content: "old"}, {Content: "newer"}, {Content: "newest"}}, coding.OldestFirst([]coding.Message{of("newest"), of("newer"), of("old")}))
	require.NotNil(t, coding.OldestFirst(nil))
}
