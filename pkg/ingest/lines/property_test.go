package lines_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/lines"
)

// TestLinesAreThoseOfTheText: whatever the text, its lines come with their numbers and
// without the blanks around them; empty ones are passed over, and those longer than the
// bound are told. How the bytes arrive makes no difference, nor does gzip.
func TestLinesAreThoseOfTheText(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 12))
	const most = 20
	for range 300 {
		var text strings.Builder
		for range random.IntN(12) {
			text.WriteString(strings.Repeat(" ", random.IntN(3)))
			text.WriteString(strings.Repeat("x", random.IntN(most+4)))
			text.WriteString([]string{"", "\t", "\r"}[random.IntN(3)])
			if random.IntN(8) > 0 {
				text.WriteByte('\n')
			}
		}
		var want []string
		for i, line := range strings.Split(text.String(), "\n") {
			whole := len(line) + 1
			if i == strings.Count(text.String(), "\n") { // the last one has no end
				whole = len(line)
			}
			trimmed := strings.Trim(line, " \t\r\n")
			switch {
			case whole > most+1:
				want = append(want, fmt.Sprint(i+1, lines.ErrTooLong))
			case trimmed != "":
				want = append(want, fmt.Sprint(i+1, trimmed))
			}
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err := z.Write([]byte(text.String()))
		require.NoError(t, err)
		require.NoError(t, z.Close())
		for name, from := range map[string]io.Reader{
			"plain": strings.NewReader(text.String()), "by bytes": iotest.OneByteReader(strings.NewReader(text.String())), "packed": &packed,
		} {
			var got []string
			err := lines.Read(t.Context(), from, lines.Limits{MaxLine: most, MaxBytes: int64(text.Len())}, func(n int, line []byte, err error) error {
				if err != nil {
					require.Nil(t, line)
					got = append(got, fmt.Sprint(n, err))
				} else {
					got = append(got, fmt.Sprint(n, string(line)))
				}
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, want, got, "%s %q", name, text.String())
		}
	}
}

// TestLongLinesStayWhole: a line that is longer than what is read at once is one.
func TestLongLinesStayWhole(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1<<20 - 1, 1 << 20, 1<<20 + 1, 3<<20 + 7} {
		text := "a\n" + strings.Repeat("y", size) + "\nb\n"
		for most, want := range map[int]string{size: "ok", size - 1: lines.ErrTooLong.Error(), 0: "ok"} {
			var got []string
			require.NoError(t, lines.Read(t.Context(), strings.NewReader(text), lines.Limits{MaxLine: most}, func(n int, line []byte, err error) error {
				switch {
				case err != nil:
					got = append(got, fmt.Sprint(n, " ", err))
				case len(line) == size:
					got = append(got, fmt.Sprint(n, " ok"))
				default:
					got = append(got, fmt.Sprint(n, " ", string(line)))
				}
				return nil
			}))
			require.Equal(t, []string{"1 a", "2 " + want, "3 b"}, got, "%d bytes, at most %d", size, most)
		}
	}
}

// TestReadingEnds: with its context, with what take says, with the end of the bytes
// that are allowed, and with a stream that breaks, wherever it does.
func TestReadingEnds(t *testing.T) {
	t.Parallel()
	const text = "one\ntwo\nthree\n"
	stop, broken := errors.New("enough"), errors.New("the disk is gone")
	read := func(ctx context.Context, from io.Reader, l lines.Limits, take error) (got []string, err error) {
		err = lines.Read(ctx, from, l, func(_ int, line []byte, _ error) error {
			got = append(got, string(line))
			if len(got) == 2 {
				return take
			}
			return nil
		})
		return got, err
	}
	got, err := read(t.Context(), strings.NewReader(text), lines.Limits{}, stop)
	require.ErrorIs(t, err, stop)
	require.Equal(t, []string{"one", "two"}, got)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err = read(ctx, strings.NewReader(text), lines.Limits{}, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, got)
	for most := range int64(len(text)) + 2 {
		_, err = read(t.Context(), strings.NewReader(text), lines.Limits{MaxBytes: most}, nil)
		if most > 0 && most < int64(len(text)) {
			require.ErrorIs(t, err, lines.ErrTooLarge, most)
		} else {
			require.NoError(t, err, most)
		}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	for at := range text {
		got, err := read(t.Context(), io.MultiReader(strings.NewReader(text[:at]), iotest.ErrReader(broken)), lines.Limits{}, nil)
		require.ErrorIs(t, err, broken)
		require.LessOrEqual(t, len(got), strings.Count(text[:at], "\n")+1)
	}
	for at := 2; at < packed.Len(); at++ {
		_, err := read(t.Context(), bytes.NewReader(packed.Bytes()[:at]), lines.Limits{}, nil)
		require.Error(t, err, "gzip that is cut after %d bytes", at)
	}
	_, err = read(t.Context(), strings.NewReader("\x1fone\n\x8btwo\n"), lines.Limits{}, nil)
	require.NoError(t, err, "half of the sign of gzip is none")
	require.Error(t, lines.Each(t.Context(), t.TempDir()+"/absent", lines.Limits{}, nil))
}
