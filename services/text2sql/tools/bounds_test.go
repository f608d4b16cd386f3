package tools_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

var errKennelClosed = errors.New("the kennel is closed")

// asking is a kennel that notes the names it is asked for, and may be closed.
type asking struct {
	kennel
	names  *[]string
	closed bool
}

func (a asking) Tables(ctx context.Context, source string, names []string) ([]catalog.Table, error) {
	*a.names = append(*a.names, names...)
	if a.closed {
		return nil, errKennelClosed
	}
	return a.kennel.Tables(ctx, source, names)
}

// TestStatementsAreBounded: an empty statement and one that is too long are the caller's
// mistake; at the bound a statement is looked at.
func TestStatementsAreBounded(t *testing.T) {
	t.Parallel()
	const most = 1 << 16
	set, err := tools.New(tools.Deps{Catalog: kennel{}, Guard: guard.New(guard.Config{})})
	require.NoError(t, err)
	ctx := run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}})
	sql := "SELECT age FROM owners" // with blanks behind it
	for length, reason := range map[int]string{0: "SQL_INVALID", len(sql): "", most: "", most + 1: "SQL_INVALID"} {
		text := ""
		if length > 0 {
			text = sql + strings.Repeat(" ", length-len(sql))
		}
		v, err := set.Validate(ctx, tools.StatementArgs{SQL: text})
		require.Equal(t, reason, fault.ReasonOf(err), length)
		require.Equal(t, reason == "", v.Valid, length)
	}
}

// TestTablesOfAStatement: each once, as it is written, without the names that WITH gives,
// and no more than are described at once.
func TestTablesOfAStatement(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 60 {
		many = append(many, fmt.Sprintf("t%d", i))
	}
	for sql, want := range map[string][]string{
		"SELECT 1":              nil,
		"SELECT 1 FROM a, b, a": {"a", "b"},
		"SELECT 1 FROM eu.s.a":  {"eu.s.a"},
		"WITH W AS (SELECT 1 FROM a) SELECT 1 FROM w JOIN b ON (SELECT max(x) FROM c) > 1": {"a", "b", "c"},
		"SELECT 1 FROM " + strings.Join(many, ", "):                                        many[:50],
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err)
		require.Equal(t, want, tools.TableNames(stmt), sql)
	}
}

// TestWhatValidationAsksFor: only tables that are not known yet; and a catalog that fails,
// or a caller that ended, is no verdict on the statement.
func TestWhatValidationAsksFor(t *testing.T) {
	t.Parallel()
	var names []string
	set := func(closed bool) *tools.Set {
		s, err := tools.New(tools.Deps{Catalog: asking{names: &names, closed: closed}, Guard: guard.New(guard.Config{})})
		require.NoError(t, err)
		return s
	}
	ctx := run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}})
	known := kennel{}.tables()[:1]
	const sql = "SELECT sum(o.age) FROM eu.kennel.owners o JOIN dogs d ON o.owner_id = d.owner_id"
	v, err := set(false).ValidateOver(ctx, tools.StatementArgs{SQL: sql}, known)
	require.NoError(t, err)
	require.True(t, v.Valid, "%v", v.Problems)
	require.Equal(t, []string{"dogs"}, names)
	require.Equal(t, []string{"eu.kennel.owners", "eu.kennel.dogs"}, v.Tables)
	names = nil
	_, err = set(true).ValidateOver(ctx, tools.StatementArgs{SQL: "SELECT age FROM owners"}, known)
	require.NoError(t, err)
	require.Empty(t, names, "it is known")
	_, err = set(true).ValidateOver(ctx, tools.StatementArgs{SQL: sql}, known)
	require.ErrorIs(t, err, errKennelClosed)
	v, err = set(true).ValidateOver(ctx, tools.StatementArgs{SQL: "SELEC age"}, known)
	require.NoError(t, err)
	require.False(t, v.Valid)
	require.NotEmpty(t, v.Problems)
	require.Equal(t, 1, v.Problems[0].Line)

	v, err = set(false).Validate(ctx, tools.StatementArgs{SQL: "SELECT agee, weigth FROM owners"})
	require.NoError(t, err)
	require.False(t, v.Valid)
	require.Len(t, v.Problems, 2, "all mistakes are told")
	for _, p := range v.Problems {
		require.Equal(t, "COLUMN_NOT_FOUND", p.Class)
	}
	require.Contains(t, v.Problems[0].Suggestions, "age")
	require.Empty(t, v.Tables)
	require.Nil(t, v.Statement)
}

// nobody is the context of no principal: what the guard says of it is no mistake of the SQL.
func TestAnAskerThatIsNotKnownIsNoMistakeOfTheStatement(t *testing.T) {
	t.Parallel()
	set, err := tools.New(tools.Deps{Catalog: kennel{}, Guard: guard.New(guard.Config{})})
	require.NoError(t, err)
	gone, cancel := context.WithCancel(run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}}))
	cancel()
	_, err = set.Validate(gone, tools.StatementArgs{SQL: "SELECT age FROM owners"})
	require.ErrorIs(t, err, context.Canceled)
}
