package fixsql_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
)

// events collects a stream.
type events struct {
	grpc.ServerStream
	ctx  context.Context
	sent []*fixsqlv1.FixSQLStreamResponse
	err  error
}

func (e *events) Context() context.Context { return e.ctx }

func (e *events) Send(m *fixsqlv1.FixSQLStreamResponse) error {
	e.sent = append(e.sent, m)
	return e.err
}

func TestFixStreamTellsOfItsRounds(t *testing.T) {
	t.Parallel()
	stream := &events{ctx: asAlice(t)}
	query := &fixsqlv1.FixSQLRequest{Sql: "SELECT contry FORM orders"}
	require.NoError(t, newService(t).FixSQLStream(&fixsqlv1.FixSQLStreamRequest{Query: query}, stream))
	require.Len(t, stream.sent, 3)
	require.Equal(t, []string{"keyword"}, stream.sent[0].GetStep().GetClassIds())
	require.EqualValues(t, 2, stream.sent[1].GetStep().GetRound())
	last := stream.sent[2].GetResult()
	require.Equal(t, "SELECT country FROM orders", last.GetFixed().GetSql())

	unary, err := newService(t).FixSQL(asAlice(t), query)
	require.NoError(t, err)
	require.Equal(t, unary.GetDiff(), last.GetDiff())

	gone := &events{ctx: asAlice(t), err: context.Canceled}
	require.Error(t, newService(t).FixSQLStream(&fixsqlv1.FixSQLStreamRequest{Query: query}, gone), "nobody listens")
	require.Len(t, gone.sent, 1)
}

func TestFixTellsWhatItKnows(t *testing.T) {
	t.Parallel()
	s := newService(t)
	sure, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: "SELECT country, qty FORM orders"})
	require.NoError(t, err)
	require.True(t, sure.GetCertain())
	require.Equal(t, fixsqlv1.SqlValidator_SQL_VALIDATOR_RESOLVER, sure.GetValidatedBy())
	change := sure.GetChanges()[0]
	require.Equal(t, []any{"keyword", "SYNTAX_ERROR", "FORM", "FROM", int64(20), int64(24)},
		[]any{change.GetClassId(), change.GetErrorClass(), change.GetBefore(), change.GetAfter(), change.GetStartByte(), change.GetEndByte()})

	likely, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: "SELECT order_id, country qty status FROM orders"})
	require.NoError(t, err)
	require.False(t, likely.GetCertain())
	require.NotEmpty(t, likely.GetCandidates())
	require.Contains(t, likely.GetDiagnosis(), "not certain")

	lost, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: "SELECT xyz FROM orders"})
	require.NoError(t, err)
	require.Equal(t, fixsqlv1.SqlValidator_SQL_VALIDATOR_UNSPECIFIED, lost.GetValidatedBy())
	require.False(t, lost.GetCertain())
}

func TestTranslate(t *testing.T) {
	t.Parallel()
	s := newService(t)
	res, err := s.TranslateSQL(asAlice(t), &fixsqlv1.TranslateSQLRequest{Sql: "SELECT ifnull(qty, 0), amount / qty FROM orders LIMIT 2, 3", FromDialect: "mysql"})
	require.NoError(t, err)
	require.Contains(t, res.GetSql(), "coalesce(qty, 0)")
	require.Contains(t, res.GetSql(), "OFFSET 2 LIMIT 3")
	require.NotEmpty(t, res.GetChanges())
	require.Empty(t, res.GetDiagnostics())

	wrong, err := s.TranslateSQL(asAlice(t), &fixsqlv1.TranslateSQLRequest{Sql: "SELECT ifnull(nope, 0) FROM orders", FromDialect: "mysql"})
	require.NoError(t, err)
	require.Equal(t, "COLUMN_NOT_FOUND", wrong.GetDiagnostics()[0].GetCode())

	_, err = s.TranslateSQL(asAlice(t), &fixsqlv1.TranslateSQLRequest{Sql: "SELECT 1", FromDialect: "klingon"})
	require.Equal(t, "DIALECT_UNKNOWN", fault.ReasonOf(err))
	_, err = s.TranslateSQL(t.Context(), &fixsqlv1.TranslateSQLRequest{Sql: "SELECT 1"})
	require.Equal(t, "UNAUTHENTICATED", fault.ReasonOf(err))
}

func TestFormat(t *testing.T) {
	t.Parallel()
	s := newService(t)
	res, err := s.FormatSQL(asAlice(t), &fixsqlv1.FormatSQLRequest{Sql: "select country, -- the market\n sum(qty) from orders group by country"})
	require.NoError(t, err)
	require.True(t, res.GetChanged())
	require.Contains(t, res.GetSql(), "-- the market")
	require.True(t, strings.HasPrefix(res.GetSql(), "SELECT"))
	again, err := s.FormatSQL(asAlice(t), &fixsqlv1.FormatSQLRequest{Sql: res.GetSql()})
	require.NoError(t, err)
	require.False(t, again.GetChanged())

	_, err = s.FormatSQL(asAlice(t), &fixsqlv1.FormatSQLRequest{Sql: "select form"})
	require.NoError(t, err, "a column of that name")
	_, err = s.FormatSQL(asAlice(t), &fixsqlv1.FormatSQLRequest{Sql: "select from"})
	require.Equal(t, "SYNTAX_ERROR", fault.ReasonOf(err))
}

func TestLint(t *testing.T) {
	t.Parallel()
	s := newService(t)
	lint := func(sql string, enable, disable []string) (*fixsqlv1.LintSQLResponse, error) {
		return s.LintSQL(asAlice(t), &fixsqlv1.LintSQLRequest{Sql: sql, Enable: enable, Disable: disable})
	}
	rules := func(res *fixsqlv1.LintSQLResponse) []string {
		var out []string
		for _, f := range res.GetFindings() {
			require.NotEmpty(t, f.GetInstead())
			require.Positive(t, f.GetPosition().GetLine())
			out = append(out, f.GetRule())
		}
		return out
	}
	res, err := lint("SELECT qty / 2 FROM orders LIMIT 3", nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"integer-division", "missing-partition", "limit-without-order"}, rules(res))
	res, err = lint("SELECT qty / 2 FROM orders LIMIT 3", nil, []string{"missing-partition", "integer-division"})
	require.NoError(t, err)
	require.Equal(t, []string{"limit-without-order"}, rules(res))
	res, err = lint("SELECT nope FROM orders LIMIT 3", nil, nil)
	require.NoError(t, err)
	require.Equal(t, "COLUMN_NOT_FOUND", res.GetDiagnostics()[0].GetCode())
	require.Equal(t, []string{"limit-without-order"}, rules(res), "rules that need a valid statement find nothing")
	res, err = lint("SELECT FROM", nil, nil)
	require.NoError(t, err)
	require.Empty(t, res.GetFindings())
	require.Equal(t, "SYNTAX_ERROR", res.GetDiagnostics()[0].GetCode())
	_, err = lint("SELECT 1", []string{"nonsense"}, nil)
	require.Equal(t, "RULE_UNKNOWN", fault.ReasonOf(err))
}
