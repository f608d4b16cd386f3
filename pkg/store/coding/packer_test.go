package coding_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/store/coding"
)

func newPacker(t *testing.T) coding.Packer {
	t.Helper()
	p, err := coding.NewPacker()
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// mixed is bytes that do not get smaller when they are packed.
func mixed(n int) []byte {
	out, state := make([]byte, n), uint64(7)
	for i := range out {
		state = state*6364136223846793005 + 1442695040888963407
		out[i] = byte(state >> 56)
	}
	return out
}

// TestWhatIsPackedComesBack: an output is packed from a size on and where that makes it
// smaller, and comes back as it was in either case.
func TestWhatIsPackedComesBack(t *testing.T) {
	t.Parallel()
	p := newPacker(t)
	for name, c := range map[string]struct {
		output []byte
		coded  string
	}{
		"nothing":           {nil, ""},
		"one below":         {bytes.Repeat([]byte("a"), coding.PackFrom-1), ""},
		"just so large":     {bytes.Repeat([]byte("a"), coding.PackFrom), coding.Zstd},
		"no smaller packed": {mixed(4 * coding.PackFrom), ""},
		"large":             {bytes.Repeat([]byte("one more row\n"), 50_000), coding.Zstd},
	} {
		stored, coded := p.Pack(c.output)
		require.Equal(t, c.coded, coded, name)
		if coded == "" {
			require.Equal(t, c.output, stored, name)
		} else {
			require.Less(t, len(stored), len(c.output), name)
		}
		got, err := p.Unpack(stored, coded)
		require.NoError(t, err, name)
		require.Equal(t, c.output, got, name)
	}
}

// TestWhatIsNotOneIsAnError: a stored output that is damaged, says that it is larger than
// any may be, or is coded in another way, is told as an error and gives no bytes.
func TestWhatIsNotOneIsAnError(t *testing.T) {
	t.Parallel()
	p := newPacker(t)
	packed, _ := p.Pack(bytes.Repeat([]byte("row "), 1000))
	// The head of a frame with a window of 1 KiB that says how many bytes it holds.
	huge := binary.LittleEndian.AppendUint64([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xc0, 0x00}, 256<<20+1)
	for name, c := range map[string]struct {
		stored []byte
		coded  string
		says   string
	}{
		"damaged":      {packed[:len(packed)-4], coding.Zstd, "unpack an output"},
		"not packed":   {[]byte("plain"), coding.Zstd, "unpack an output"},
		"too large":    {append(huge, 0x03, 0x00, 0x00, 'a'), coding.Zstd, zstd.ErrDecoderSizeExceeded.Error()},
		"another way":  {packed, "br", `"br", which this version does not read`},
		"in capitals":  {packed, "ZSTD", "which this version does not read"},
		"plain, named": {[]byte("plain"), "none", "which this version does not read"},
	} {
		got, err := p.Unpack(c.stored, c.coded)
		require.ErrorContains(t, err, c.says, name)
		require.Nil(t, got, name)
	}
}

// TestAPackerThatWasNeverMadeCloses: a store whose opening failed closes what it has.
func TestAPackerThatWasNeverMadeCloses(t *testing.T) {
	t.Parallel()
	coding.Packer{}.Close()
}

// TestAClosedPackerGivesBackWhatItHolds, and reads nothing after that.
func TestAClosedPackerGivesBackWhatItHolds(t *testing.T) {
	t.Parallel()
	p, err := coding.NewPacker()
	require.NoError(t, err)
	packed, coded := p.Pack(bytes.Repeat([]byte("row "), 1000))
	p.Close()
	_, err = p.Unpack(packed, coded)
	require.ErrorIs(t, err, zstd.ErrDecoderClosed)
}
