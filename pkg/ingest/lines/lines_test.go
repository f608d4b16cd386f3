package lines_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/lines"
)

func all(t *testing.T, from io.Reader, l lines.Limits) (got []string, err error) {
	t.Helper()
	err = lines.Read(t.Context(), from, l, func(n int, line []byte, err error) error {
		if err != nil {
			line = []byte(err.Error())
		}
		got = append(got, string(rune('0'+n))+":"+string(line))
		return nil
	})
	return got, err
}

func TestLines(t *testing.T) {
	t.Parallel()
	const text = "one\r\n\n  two \n" + "0123456789012345\n" + "last"
	got, err := all(t, strings.NewReader(text), lines.Limits{MaxLine: 15})
	require.NoError(t, err)
	require.Equal(t, []string{"1:one", "3:two", "4:" + lines.ErrTooLong.Error(), "5:last"}, got)

	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	whole := packed.Bytes()
	got, err = all(t, bytes.NewReader(whole), lines.Limits{})
	require.NoError(t, err)
	require.Equal(t, []string{"1:one", "3:two", "4:0123456789012345", "5:last"}, got)

	_, err = all(t, bytes.NewReader(whole[:len(whole)-9]), lines.Limits{})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "a file that is cut off is told")
	_, err = all(t, bytes.NewReader(whole), lines.Limits{MaxBytes: 10})
	require.ErrorIs(t, err, lines.ErrTooLarge, "what is small when packed is not small")
}

// TestLongLines has lines longer than the buffer, some within the bound.
func TestLongLines(t *testing.T) {
	t.Parallel()
	long, longer := strings.Repeat("x", 3<<20), strings.Repeat("y", 5<<20)
	got, err := all(t, strings.NewReader(long+"\n"+longer+"\nz\n"), lines.Limits{MaxLine: 4 << 20})
	require.NoError(t, err)
	require.Equal(t, []string{"1:" + long, "2:" + lines.ErrTooLong.Error(), "3:z"}, got)
}

func TestEndsEarly(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	err := lines.Read(t.Context(), strings.NewReader("a\nb\n"), lines.Limits{}, func(int, []byte, error) error { return stop })
	require.ErrorIs(t, err, stop)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = lines.Read(ctx, strings.NewReader("a\n"), lines.Limits{}, func(int, []byte, error) error { return nil })
	require.ErrorIs(t, err, context.Canceled)
}
