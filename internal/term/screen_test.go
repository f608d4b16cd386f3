package term_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/term"
)

func TestScreenPassesPaintAndText(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := term.Screen{To: &out}
	text := "\x1b[2Ja\x1b]0;x\x07" + term.Style{Color: true}.Bold("订单") + "\tb\u202ec\x9b\n"
	n, err := s.Write([]byte(text))
	require.NoError(t, err)
	require.Equal(t, len(text), n)
	require.Equal(t, "a"+term.Style{Color: true}.Bold("订单")+"\tbc\uFFFD\n", out.String())
}
