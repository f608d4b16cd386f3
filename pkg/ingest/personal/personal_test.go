package personal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/personal"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	words := personal.New([]string{"nickname"})
	for column, want := range map[string]bool{
		"email": true, "customerEmail": true, "E-Mail": true, "Phone1": true, "ID Card": true, "客户手机号": true, "nickname": true,
		"city": false, "hotel": false, "mailing": false, "tokens": false, "城市": false, "telescope": false, "": false,
	} {
		require.Equal(t, want, words.Match(column), column)
	}
	require.False(t, personal.New(nil).Match("nickname"))
}
