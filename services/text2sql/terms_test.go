package text2sql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

// TestTermsAreThoseThatTheAskerMayKnow: of a table that is hidden nothing is told, of one
// that is seen in part neither what reads a hidden column nor what spells a hidden value.
func TestTermsAreThoseThatTheAskerMayKnow(t *testing.T) {
	t.Parallel()
	s := hotel(t, `
rules:
  - {name: boss, user: boss}
  - {name: pay, table: payroll, access: deny}
  - {name: rooms, table: booking, columns: [{name: guest, mask: "'x'"}, {name: remark, access: deny}]}
  - {name: rest}
`)
	terms := func(who string) []string {
		resp, err := s.DescribeTerms(as(who), &text2sqlv1.DescribeTermsRequest{Tables: []string{"eu.main.booking", "eu.main.payroll", "eu.main.nowhere"}})
		require.NoError(t, err)
		var ids []string
		for _, x := range resp.GetTerms() {
			require.NotEmpty(t, x.GetExpr())
			ids = append(ids, x.GetTable()+" "+x.GetId())
		}
		return ids
	}
	require.Equal(t, []string{
		"eu.main.booking adults", "eu.main.booking ages", "eu.main.booking captains", "eu.main.booking clean", "eu.main.booking guest",
		"eu.main.booking remark", "eu.main.booking revenue", "eu.main.booking sort", "eu.main.booking town",
		"eu.main.payroll person", "eu.main.payroll wages",
	}, terms("boss"))
	require.Equal(t, []string{
		"eu.main.booking adults", "eu.main.booking ages", "eu.main.booking guest", "eu.main.booking revenue", "eu.main.booking town",
	}, terms("ann"))

	resp, err := s.DescribeTerms(as("boss"), &text2sqlv1.DescribeTermsRequest{Tables: []string{"eu.main.booking"}})
	require.NoError(t, err)
	for _, x := range resp.GetTerms() {
		if x.GetId() == "clean" {
			require.True(t, x.GetMetric())
			require.Equal(t, []string{"remark <> 'Denywrit'"}, x.GetDefaultFilters())
			require.Equal(t, "净收入", x.GetNameZh())
		}
	}
}
